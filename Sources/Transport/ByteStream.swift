import CLinux
import Glibc

/// A two-way stream of bytes that never waits: the side of a link that faces the system.
///
/// A transport makes one, over a socket, over pipes, or over no descriptor at all. `Link` queues and limits what goes
/// through it, and seals that if it is asked to. All calls come from the loop's thread.
package protocol ByteStream: AnyObject {
    /// The peer's address, or the name of the streams, for messages to people.
    var name: String { get }
    /// The peer's address if this is a TCP connection.
    var peerAddress: SocketAddress? { get }

    /// Has `ready` called when bytes can be moved, in place of the interest before.
    ///
    /// Errors and the end of both directions are reported without being asked for. `ready` is kept until `close`.
    func watch(
        _ interest: Readiness, ready: @escaping EventLoop.Handler
    ) throws(TransportError)
    /// Moves bytes that have arrived into a buffer.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer
    /// Moves the first bytes of these pieces towards the peer.
    func write(_ pieces: UnsafeMutableBufferPointer<iovec>) -> Transfer
    /// Ends this end's direction; bytes from the peer still arrive.
    func endOutput()
    /// Fetches and clears the error that was reported as `failed`; an `errno`.
    func takeError() -> CInt
    /// Releases everything, and reports nothing any more.
    func close()
}

/// The result of one call that moves bytes.
package enum Transfer: Equatable, Sendable {
    /// So many bytes were moved; reading none means that the peer has ended its direction.
    case moved(Int)
    /// None can be moved now; the stream reports when they can.
    case notReady
    /// The stream is broken.
    case failed(errno: CInt)
}

/// A byte stream over one socket, or over a descriptor to read from and another to write to.
final class DescriptorStream: ByteStream {
    let name: String
    let peerAddress: SocketAddress?
    private var input: WatchedDescriptor?
    /// Nil if `input` is a socket that serves both ways.
    private var output: WatchedDescriptor?
    private let isPair: Bool

    /// Takes over a socket.
    ///
    /// - Parameter peer: for whom a balancer has opened it; nil for whoever is at the other end.
    /// - Throws: `failedCall` of `fcntl`.
    init(
        socket: consuming Descriptor, peer: SocketAddress? = nil, on loop: EventLoop,
        options: LinkOptions
    ) throws(TransportError) {
        let other = SocketAddress.peer(of: socket.number)
        peerAddress = peer ?? other
        name = peerAddress?.description ?? "a local socket"
        if other != nil { TCPOptions.apply(options, to: socket.number) }
        input = try WatchedDescriptor(socket, on: loop, restoresFlags: false, about: name)
        isPair = false
    }

    /// Takes over two descriptors.
    ///
    /// - Parameter restoresFlags: whether they get back on closing the flags that they had.
    /// - Throws: `failedCall` of `fcntl`.
    init(
        input: consuming Descriptor, output: consuming Descriptor, name: String,
        on loop: EventLoop, restoresFlags: Bool
    ) throws(TransportError) {
        // Two descriptors of one open file share its flags: the output's "original" flags would
        // hold what the input has set. So the input's are restored last.
        self.input = try WatchedDescriptor(
            input, on: loop, restoresFlags: restoresFlags, about: name)
        self.output = try WatchedDescriptor(
            output, on: loop, restoresFlags: restoresFlags, about: name)
        isPair = true
        peerAddress = nil
        self.name = name
    }

    deinit {
        close()
    }

    func watch(
        _ interest: Readiness, ready: @escaping EventLoop.Handler
    ) throws(TransportError) {
        if isPair {
            try input?.await(interest.intersection(.readable), handler: ready)
            // An output whose reader is gone tells so when it is written to.
            try output?.await(interest.intersection(.writable)) { _ in ready(.writable) }
        } else {
            try input?.await(interest, handler: ready)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        guard let number = input?.number else { return .failed(errno: EBADF) }
        return Self.transfer { Glibc.read(number, buffer.baseAddress, buffer.count) }
    }

    func write(_ pieces: UnsafeMutableBufferPointer<iovec>) -> Transfer {
        guard let number = isPair ? output?.number : input?.number else {
            return .failed(errno: EBADF)
        }
        return Self.transfer { writev(number, pieces.baseAddress, CInt(pieces.count)) }
    }

    func endOutput() {
        if isPair {
            // Closing is not enough if it is one of two names of one socket; a pipe refuses.
            if let number = output?.number { _ = shutdown(number, CInt(SHUT_WR)) }
            output = nil
        } else if let number = input?.number {
            _ = shutdown(number, CInt(SHUT_WR))
        }
    }

    func takeError() -> CInt {
        guard let number = input?.number else { return EBADF }
        return TCPOptions.error(of: number)
    }

    func close() {
        // The input last: it holds the older flags of a file that both may share.
        output = nil
        input = nil
    }

    private static func transfer(_ call: () -> Int) -> Transfer {
        while true {
            let count = call()
            if count >= 0 { return .moved(count) }
            let code = errno
            if code == EAGAIN { return .notReady }
            if code != EINTR { return .failed(errno: code) }
        }
    }
}

/// A descriptor a link owns, and its place in the loop.
struct WatchedDescriptor: ~Copyable {
    private let descriptor: Descriptor
    private let loop: EventLoop
    private let originalFlags: CInt?
    private var registration: EventLoop.Registration?

    /// - Parameter restoresFlags: for files that other processes share: `O_NONBLOCK` belongs to
    ///   the open file, so leaving it set would break the shell that started us.
    init(
        _ descriptor: consuming Descriptor, on loop: EventLoop, restoresFlags: Bool,
        about name: String
    ) throws(TransportError) {
        let flags = try descriptor.makeNonBlocking(about: name)
        originalFlags = restoresFlags ? flags : nil
        self.descriptor = descriptor
        self.loop = loop
    }

    deinit {
        if let registration { loop.remove(registration) }
        if let originalFlags { _ = fcntl(descriptor.number, F_SETFL, originalFlags) }
    }

    /// The number for system calls.
    var number: CInt { descriptor.number }

    /// Waits for `interest`, registering at the first need.
    mutating func await(
        _ interest: Readiness, handler: @escaping EventLoop.Handler
    ) throws(TransportError) {
        if let registration {
            try loop.modify(registration, interest)
        } else if !interest.isEmpty {
            registration = try loop.add(descriptor.number, interest, handler: handler)
        }
    }
}

/// Bytes on their way out, in order, handed to `writev` several pieces at a time.
///
/// Large pieces are kept as they came, so that one array sent to many peers is held once; small
/// ones are copied together, so that many messages cost one piece.
struct SendQueue {
    /// Pieces up to this size are copied together.
    static let smallByteCountMax = 2048
    /// A run of small pieces is closed when it has reached this size.
    static let runByteCountMax = 16384
    /// Most pieces handed out at once.
    static let vectorCountMax = 32

    private var pieces: [[UInt8]] = []
    /// The first piece that still has bytes to send.
    private var head = 0
    /// How many bytes of that piece are gone.
    private var headOffset = 0
    /// Whether the last piece is a run of ours that may grow.
    private var isTailRun = false

    /// How many bytes wait.
    private(set) var byteCount = 0

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        byteCount += bytes.count
        guard bytes.count <= Self.smallByteCountMax else {
            pieces.append(bytes)
            isTailRun = false
            return
        }
        if isTailRun, pieces[pieces.count - 1].count < Self.runByteCountMax {
            pieces[pieces.count - 1] += bytes
        } else {
            pieces.append(bytes)
            isTailRun = true
        }
    }

    mutating func removeAll() {
        self = SendQueue()
    }

    /// Forgets bytes that were sent.
    mutating func removeFirst(_ count: Int) {
        precondition(0...byteCount ~= count, "more was sent than waited")
        byteCount -= count
        guard byteCount > 0 else {
            pieces.removeAll(keepingCapacity: pieces.capacity <= 64)
            (head, headOffset, isTailRun) = (0, 0, false)
            return
        }
        headOffset += count
        while headOffset >= pieces[head].count {
            headOffset -= pieces[head].count
            pieces[head] = []
            head += 1
        }
        if head > 32, head * 2 > pieces.count {
            pieces.removeFirst(head)
            head = 0
        }
    }

    /// Passes the first waiting bytes, at most so many and of one piece, to `body`; removes them.
    mutating func dequeueFirst<Failure>(
        _ byteCountMax: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let count = min(pieces[head].count - headOffset, byteCountMax)
        let range = headOffset..<headOffset + count
        let result = pieces[head].withUnsafeBytes { bytes in
            Result { () throws(Failure) in
                try body(UnsafeRawBufferPointer(rebasing: bytes[range]))
            }
        }
        try result.get()
        removeFirst(count)
    }

    /// Calls `write` with the first waiting pieces; they may not be used after it returned.
    func withVectors(_ write: (UnsafeMutableBufferPointer<iovec>) -> Transfer) -> Transfer {
        let count = min(pieces.count - head, Self.vectorCountMax)
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: max(count, 1)) { vectors in
            fill(vectors, 0, of: count) {
                write(UnsafeMutableBufferPointer(rebasing: vectors[..<count]))
            }
        }
    }

    /// One level deeper for each piece, since its address holds only inside its closure.
    private func fill(
        _ vectors: UnsafeMutableBufferPointer<iovec>, _ index: Int, of count: Int,
        _ body: () -> Transfer
    ) -> Transfer {
        guard index < count else { return body() }
        return pieces[head + index].withUnsafeBytes { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes[(index == 0 ? headOffset : 0)...])
            // writev only reads; its type has no room to say so.
            vectors.initializeElement(
                at: index,
                to: iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: part.baseAddress),
                    iov_len: part.count))
            return fill(vectors, index + 1, of: count, body)
        }
    }
}
