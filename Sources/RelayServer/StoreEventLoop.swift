import Relay
import Transport

/// The loop of a relay, for its store.
final class StoreEventLoop: RelayStoreLoop {
    private let loop: EventLoop

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func watch(
        _ descriptor: CInt, isWriting: Bool, _ ready: @escaping () -> Void
    ) -> Cancel? {
        let interest: Readiness = isWriting ? [.readable, .writable] : .readable
        guard let registration = try? loop.add(descriptor, interest, handler: { _ in ready() })
        else { return nil }
        return { [loop] in loop.remove(registration) }
    }

    func lookUp(_ name: String, _ found: @escaping ([String]) -> Void) {
        HostAndPort(host: name, port: 0).lookUp(on: loop) { result in
            found((try? result.get())?.compactMap(\.number) ?? [])
        }
    }

    func call(afterMilliseconds milliseconds: Int64, _ action: @escaping () -> Void) -> Cancel {
        let timer = loop.schedule(after: .milliseconds(milliseconds), action)
        return { [loop] in loop.cancel(timer) }
    }
}
