import Glibc
import Transport

/// One end of a byte stream in memory, with no descriptor behind it.
final class MemoryStream: ByteStream {
    let name = "memory"
    let peerAddress: SocketAddress? = nil

    /// Bytes that may wait for one end.
    private static let roomByteCount = 50_000

    private let loop: EventLoop
    private weak var other: MemoryStream?
    private var arrived: [UInt8] = []
    private var hasPeerEnded = false
    private var interest: Readiness = []
    private var ready: EventLoop.Handler?
    private var isPlanned = false

    private init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Both ends.
    static func pair(on loop: EventLoop) -> (MemoryStream, MemoryStream) {
        let ends = (MemoryStream(on: loop), MemoryStream(on: loop))
        ends.0.other = ends.1
        ends.1.other = ends.0
        return ends
    }

    func watch(_ interest: Readiness, ready: @escaping EventLoop.Handler) {
        self.interest = interest
        self.ready = ready
        plan()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        guard !arrived.isEmpty else { return hasPeerEnded ? .moved(0) : .notReady }
        let count = min(buffer.count, arrived.count)
        buffer.copyBytes(from: arrived[..<count])
        arrived.removeFirst(count)
        other?.plan()
        return .moved(count)
    }

    func write(_ pieces: UnsafeMutableBufferPointer<iovec>) -> Transfer {
        guard let other else { return .failed(errno: EPIPE) }
        let room = Self.roomByteCount - other.arrived.count
        guard room > 0 else { return .notReady }
        var count = 0
        for piece in pieces {
            let bytes = UnsafeRawBufferPointer(start: piece.iov_base, count: piece.iov_len)
            let part = bytes.prefix(room - count)
            other.arrived += part
            count += part.count
        }
        other.plan()
        return .moved(count)
    }

    func endOutput() {
        other?.hasPeerEnded = true
        other?.plan()
    }

    func takeError() -> CInt { 0 }

    func close() {
        endOutput()
        ready = nil
        interest = []
    }

    private var readiness: Readiness {
        var found: Readiness = []
        if !arrived.isEmpty || hasPeerEnded { found.insert(.readable) }
        if let other, other.arrived.count < Self.roomByteCount { found.insert(.writable) }
        return found.intersection(interest)
    }

    /// Reports what is ready, in the loop's next turn, for as long as it is.
    private func plan() {
        guard !isPlanned, !readiness.isEmpty else { return }
        isPlanned = true
        loop.schedule(after: .zero) { [weak self] in
            guard let self else { return }
            isPlanned = false
            let found = readiness
            if !found.isEmpty { ready?(found) }
            plan()
        }
    }
}
