import CLinux
import Glibc
import Testing
import Transport

/// Serves until the loop is stopped; a test that forgets to stop it fails instead of hanging.
func serve(_ loop: EventLoop, limit: Duration = .seconds(40)) throws {
    var isLate = false
    let timer = loop.schedule(after: limit) {
        isLate = true
        loop.stop()
    }
    try loop.run()
    loop.cancel(timer)
    #expect(!isLate, "the loop was not stopped within \(limit)")
}

/// Serves for a given time.
func serve(_ loop: EventLoop, for time: Duration) throws {
    loop.schedule(after: time) { loop.stop() }
    try loop.run()
}

/// A place on this machine where the system picks the port.
let anyPort = HostAndPort(host: "127.0.0.1", port: 0)

/// Where a listener can be dialled.
func hostAndPort(of listener: Listener) -> HostAndPort {
    HostAndPort(host: "127.0.0.1", port: listener.address.port)
}

/// Keeps what a link tells, and acts by closures.
final class Recorder: LinkDelegate {
    private(set) var bytes: [UInt8] = []
    private(set) var receivedByteCount = 0
    private(set) var drainedCount = 0
    private(set) var endings: [Link.Ending] = []
    private var ended: Set<ObjectIdentifier> = []
    var keepsBytes = true
    var onReceived: (Link, UnsafeRawBufferPointer) -> Void = { _, _ in }
    var onDrained: (Link) -> Void = { _ in }
    var onClosed: (Link) -> Void = { _ in }

    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        receivedByteCount += bytes.count
        if keepsBytes { self.bytes += bytes }
        let isOver = ended.contains(ObjectIdentifier(link))
        #expect(!isOver, "nothing comes after the end")
        onReceived(link, bytes)
    }

    func linkDrained(_ link: Link) {
        drainedCount += 1
        let isOver = ended.contains(ObjectIdentifier(link))
        #expect(!isOver, "nothing comes after the end")
        onDrained(link)
    }

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        endings.append(reason)
        let isFirst = ended.insert(ObjectIdentifier(link)).inserted
        #expect(isFirst, "a link ends once")
        onClosed(link)
    }
}

/// Two links over a pair of connected sockets.
func linkPair(
    on loop: EventLoop, options: LinkOptions = LinkOptions()
) throws -> (Link, Link) {
    let numbers = try localSockets()
    return (
        try Link(socket: Descriptor(owning: numbers.0), on: loop, options: options),
        try Link(socket: Descriptor(owning: numbers.1), on: loop, options: options)
    )
}

/// The numbers of two connected local sockets; the caller owns them.
func localSockets() throws -> (CInt, CInt) {
    var numbers: [CInt] = [-1, -1]
    // Close-on-exec: programs that other tests start must not keep them open.
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &numbers) == 0)
    return (numbers[0], numbers[1])
}

/// The numbers of a pipe's read and write end; the caller owns them.
func pipeEnds() throws -> (CInt, CInt) {
    var numbers: [CInt] = [-1, -1]
    try #require(tandem_pipe2(&numbers, O_CLOEXEC) == 0)
    return (numbers[0], numbers[1])
}

/// Another number for the same open file.
func duplicate(_ number: CInt) -> CInt {
    fcntl(number, F_DUPFD_CLOEXEC, 3)
}

/// A connected pair of links over TCP: the dialling end and the accepting end.
func connectedPair(
    on loop: EventLoop, options: LinkOptions = LinkOptions()
) throws -> (Link, Link) {
    var dialled: Link?
    var accepted: Link?
    func stopWhenBoth() {
        if dialled != nil, accepted != nil { loop.stop() }
    }
    let listener = try Listener(on: loop, at: anyPort, options: options) { link in
        accepted = link
        stopWhenBoth()
    }
    Dialer(on: loop, to: hostAndPort(of: listener), options: options) { result in
        dialled = try? result.get()
        stopWhenBoth()
    }
    try serve(loop)
    listener.close()
    return (try #require(dialled), try #require(accepted))
}

/// Bytes that a shift or a swap would show.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
    }
}
