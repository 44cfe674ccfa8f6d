import Devices
import Synchronization
import Transport

/// Wakes those who wait for changes of a store; may be called on any thread.
final class ChangeSignal: Sendable {
    private struct Waiting {
        var streams: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
        var isOver = false
    }

    private let waiting = Mutex(Waiting())

    /// Whether nothing more will change.
    var isOver: Bool { waiting.withLock { $0.isOver } }

    /// A stream that has an element soon after a change; changes that come together give one.
    func ticks() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number: Int? = waiting.withLock { waiting in
                if waiting.isOver { return nil }
                waiting.next += 1
                waiting.streams[waiting.next] = continuation
                return waiting.next
            }
            guard let number else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in self?.forget(number) }
        }
    }

    /// Something may have changed.
    func tell() {
        for stream in waiting.withLock({ Array($0.streams.values) }) { stream.yield() }
    }

    /// Nothing more will change.
    func end() {
        let streams = waiting.withLock { waiting in
            waiting.isOver = true
            defer { waiting.streams = [:] }
            return Array(waiting.streams.values)
        }
        for stream in streams { stream.finish() }
    }

    private func forget(_ number: Int) {
        waiting.withLock { $0.streams[number] = nil }
    }
}

/// Tells, from a thread of its own, that another process or thread may have committed to a store.
final class CommitWatch: Sendable {
    private struct State {
        var mailbox: LoopMailbox?
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Watches a store's folder.
    ///
    /// - Parameter notice: called on the watch's thread.
    init(_ folder: String, notice: @escaping @Sendable () -> Void) throws(TandemError) {
        let code = DetachedThread.start { [self] in
            guard let loop = try? EventLoop(),
                let watch = try? StoreWatch(folder: folder, on: loop, notice: notice)
            else { return }
            let isWanted = state.withLock { state in
                state.mailbox = loop.mailbox
                return !state.isStopped
            }
            // Reports commits from before the watch began.
            notice()
            if isWanted { try? loop.run() }
            watch.stop()
        }
        if let code { throw TandemError(.failedCall(.createThread, errno: code, about: folder)) }
    }

    func stop() {
        let mailbox = state.withLock { state in
            state.isStopped = true
            return state.mailbox
        }
        mailbox?.stop()
    }
}
