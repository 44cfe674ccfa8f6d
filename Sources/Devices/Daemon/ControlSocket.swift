import CLinux
import Glibc
import Transport

/// The socket beside a store by which commands speak to its daemon: one line to it, the answer back.
///
/// Only the owner of the folder can reach it. Source: unix(7).
package final class ControlSocket {
    /// The name of the socket in the store's folder.
    package static let fileName = "daemon.sock"
    /// The longest request, in bytes, its line end included.
    package static let requestByteCountMax = 256
    /// The longest answer, in bytes.
    package static let answerByteCountMax = 1 << 20
    /// Connections at a time; further ones are dropped.
    static let connectionCountMax = 32
    /// How long a request may take.
    static let requestMax = Duration.seconds(2)

    /// One connection: what came, what is still to leave.
    private struct Connection {
        let descriptor: CInt
        let registration: EventLoop.Registration
        var request: [UInt8] = []
        var answer: [UInt8]?
        var deadline: TimerID?
    }

    private let loop: EventLoop
    private let path: String
    private var socket: Descriptor?
    private var registration: EventLoop.Registration?
    private var connections: [CInt: Connection] = [:]
    private let answer: (String) -> [UInt8]

    /// Listens beside a store.
    ///
    /// - Parameter answer: what to say to a request; both without the line end that follows.
    /// - Throws: `failedCall`; `addressInUse` in words if a daemon runs there.
    package init(
        folder: String, on loop: EventLoop, answer: @escaping (String) -> [UInt8]
    ) throws(TransportError) {
        self.loop = loop
        self.answer = answer
        path = folder + "/" + Self.fileName
        let listening: Descriptor
        do throws(TransportError) {
            listening = try LocalSocket.listen(at: Self.fileName, in: folder)
        } catch .failedCall(.bind, EADDRINUSE, _) {
            throw .failedCall(.bind, errno: EADDRINUSE, about: "\(path): a daemon runs there")
        }
        let number = listening.number
        socket = consume listening
        registration = try loop.add(number, .readable) { [unowned self] _ in accept(number) }
    }

    /// Listens no more, and takes the socket away.
    package func close() {
        for descriptor in connections.keys.sorted() { end(descriptor) }
        if let registration {
            loop.remove(registration)
            socket = nil
            unlink(path)
        }
        registration = nil
    }

    private func accept(_ number: CInt) {
        while true {
            let peer = Glibc.accept(number, nil, nil)
            guard peer >= 0 else { return }
            let flags = fcntl(peer, F_GETFL)
            _ = fcntl(peer, F_SETFL, flags | O_NONBLOCK)
            _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
            guard connections.count < Self.connectionCountMax,
                let registration = try? loop.add(
                    peer, .readable, handler: { [unowned self] _ in move(peer) })
            else {
                Glibc.close(peer)
                continue
            }
            var connection = Connection(descriptor: peer, registration: registration)
            connection.deadline = loop.schedule(after: Self.requestMax) { [unowned self] in
                connections[peer]?.deadline = nil
                end(peer)
            }
            connections[peer] = connection
        }
    }

    private func move(_ peer: CInt) {
        if connections[peer]?.answer == nil { hear(peer) }
        if connections[peer]?.answer != nil { say(peer) }
    }

    private func hear(_ peer: CInt) {
        var buffer = [UInt8](repeating: 0, count: Self.requestByteCountMax)
        let count = Glibc.read(peer, &buffer, buffer.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return end(peer) }
        connections[peer]?.request += buffer[..<count]
        let request = connections[peer]?.request ?? []
        if let line = request.firstIndex(of: 0x0a) {
            let words = String(decoding: request[..<line], as: UTF8.self)
            connections[peer]?.answer = answer(words) + [0x0a]
            if let registration = connections[peer]?.registration {
                try? loop.modify(registration, .writable)
            }
        } else if request.count >= Self.requestByteCountMax {
            end(peer)
        }
    }

    private func say(_ peer: CInt) {
        guard let rest = connections[peer]?.answer else { return }
        let count = send(peer, rest, rest.count, CInt(MSG_NOSIGNAL))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0, count < rest.count else { return end(peer) }
        connections[peer]?.answer?.removeFirst(count)
    }

    private func end(_ peer: CInt) {
        guard let connection = connections.removeValue(forKey: peer) else { return }
        if let deadline = connection.deadline { loop.cancel(deadline) }
        loop.remove(connection.registration)
        Glibc.close(peer)
    }
}

/// How a command speaks to the daemon of its store, if one runs.
package enum ControlClient {
    /// How long to wait for the daemon; milliseconds.
    package static let patienceMilliseconds = 2000

    /// Asks the daemon, and gives its answer; nil if none runs there or it does not answer in time.
    package static func ask(_ request: ControlRequest, in folder: String) -> ControlAnswer? {
        guard let descriptor = connect(folder) else { return nil }
        defer { close(descriptor) }
        guard say(request, on: descriptor) else { return nil }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while answer.count <= ControlSocket.answerByteCountMax {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 {
                guard answer.last == 0x0a else { return nil }
                return try? ControlAnswer(answer.dropLast())
            }
            answer += buffer[..<count]
        }
        return nil
    }

    /// Sends a request that has no other answer than whether it was done.
    ///
    /// - Throws: `noDaemon`; `daemonRefused`.
    package static func tell(_ request: ControlRequest, in folder: String) throws(DeviceFault) {
        switch ask(request, in: folder) {
        case nil: throw .noDaemon
        case .refused(let why)?: throw .daemonRefused(why)
        case .done?, .status?, .sightings?: return
        }
    }

    /// Lets the daemon know of a commit, if one runs; does not wait for it.
    package static func notify(_ folder: String) {
        guard let descriptor = connect(folder) else { return }
        _ = say(.notify, on: descriptor)
        close(descriptor)
    }

    /// Whether a daemon runs there.
    package static func isAnswered(in folder: String) -> Bool {
        guard let descriptor = connect(folder) else { return false }
        close(descriptor)
        return true
    }

    private static func connect(_ folder: String) -> CInt? {
        guard access(folder + "/" + ControlSocket.fileName, F_OK) == 0 else { return nil }
        let descriptor = socket(
            AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var time = timeval(
            tv_sec: patienceMilliseconds / 1000, tv_usec: patienceMilliseconds % 1000 * 1000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
        let isConnected = LocalSocket.withAddress(of: ControlSocket.fileName, in: folder) {
            Glibc.connect(descriptor, $0, $1) == 0
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func say(_ request: ControlRequest, on descriptor: CInt) -> Bool {
        let bytes = Array((request.line + "\n").utf8)
        return send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count
    }
}
