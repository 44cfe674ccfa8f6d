import Glibc

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
        guard withAddress(folder, { Glibc.connect(descriptor, $0, $1) == 0 }) else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func say(_ request: ControlRequest, on descriptor: CInt) -> Bool {
        let bytes = Array((request.line + "\n").utf8)
        return send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count
    }

    /// The socket's address: through the folder's descriptor, as a path may be longer than an address.
    static func withAddress(
        _ folder: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return false }
        defer { close(directory) }
        let path = "/proc/self/fd/\(directory)/\(ControlSocket.fileName)"
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isShort = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard path.utf8.count < room.count else { return false }
            for (index, byte) in path.utf8.enumerated() { room[index] = byte }
            return true
        }
        guard isShort else { return false }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
