import Glibc

/// A device of the same account on this machine: `unix:/path/of/a/socket`, or `unix:` for the usual one.
///
/// The system vouches for the peer: the socket lies in a folder that is closed to other accounts, its mode is 600, and
/// both ends see to it that the other runs under their own account. Source: unix(7).
package struct UnixAddress: TransportAddress {
    /// The path of the socket, from the root.
    package let path: String

    /// The usual socket, and any.
    package static let forms = ["unix:", "unix:/path"]
    /// The system proves who both ends are.
    package static let provesKeys = false

    private static let scheme = "unix:"

    /// Whether a text begins with `unix:`.
    package static func isMeant(by text: String) -> Bool { text.hasPrefix(scheme) }

    /// Reads `unix:`, `unix:/path` and `unix:///path`.
    package init(parsing text: String) throws(TransportError) {
        func refused(_ problem: String) -> TransportError {
            .invalidAddress(text: text, problem: problem)
        }
        guard Self.isMeant(by: text) else { throw refused("it does not begin with unix:") }
        var rest = text.dropFirst(Self.scheme.count)
        if rest.hasPrefix("///") { rest = rest.dropFirst(2) }
        if rest.isEmpty {
            guard let folder = Self.standardFolder else {
                throw refused("neither XDG_RUNTIME_DIR nor HOME names a folder for its socket")
            }
            path = folder + "/" + Self.standardName
            return
        }
        guard rest.hasPrefix("/"), !rest.hasPrefix("//") else {
            throw refused(
                "the path of a socket begins with /; a host of that name has tcp:// before it")
        }
        guard let name = rest.split(separator: "/", omittingEmptySubsequences: false).last,
            !name.isEmpty, name.utf8.count <= 64, rest.utf8.allSatisfy({ $0 >= 0x20 })
        else { throw refused("the name of a socket has 1 to 64 bytes") }
        path = String(rest)
    }

    /// `unix:` and the path.
    package var description: String { Self.scheme + path }

    // MARK: The usual socket

    private static let standardName = "serve.sock"

    /// The folder of the usual socket: in the folder for sockets of this account, or else below the home folder.
    private static var standardFolder: String? {
        func variable(_ name: String) -> String? {
            guard let value = getenv(name) else { return nil }
            let text = String(cString: value)
            return text.hasPrefix("/") ? text : nil
        }
        if let folder = variable("XDG_RUNTIME_DIR") { return folder + "/tandem" }
        return variable("HOME").map { $0 + "/.local/state/tandem" }
    }

    private var folder: String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    private var name: String {
        String(path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...])
    }

    /// Makes the folder of the usual socket; any other has to be there.
    private func makeFolder() {
        guard folder == Self.standardFolder else { return }
        for end in folder.indices.dropFirst() where folder[end] == "/" {
            mkdir(String(folder[..<end]), 0o700)
        }
        mkdir(folder, 0o700)
    }

    // MARK: Both ends

    /// Connects at once, and never to another account.
    package func dial(
        _ settings: TransportSettings, completion: @escaping Dialer.Completion
    ) throws(TransportError) {
        let descriptor = try LocalSocket.connect(to: name, in: folder, about: description)
        let number = descriptor.number
        guard LocalSocket.isOwnAccount(number) else {
            throw .foreignAccount(address: description)
        }
        let link = try Link(socket: descriptor, on: settings.loop, options: settings.options)
        settings.loop.schedule(after: .zero) { completion(.success(link)) }
    }

    /// Listens for programs of this account.
    package func listen(
        _ settings: TransportSettings, refused: @escaping (String, TransportError) -> Void,
        accept: @escaping Listener.Accept
    ) throws(TransportError) -> (any PeerListener)? {
        let descriptor = try bound()
        let acceptor = try Acceptor(
            on: settings.loop, socket: descriptor, security: nil, acceptsPlain: true,
            options: settings.options, accept: accept)
        let address = description
        acceptor.admitsSocket = {
            LocalSocket.isOwnAccount($0) ? nil : .foreignAccount(address: address)
        }
        acceptor.onRefusal = refused
        return UnixListener(acceptor, at: self)
    }

    private func bound() throws(TransportError) -> Descriptor {
        makeFolder()
        var status = stat()
        guard stat(folder, &status) == 0 else {
            throw .failedCall(.open, errno: errno, about: folder)
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw .openFolder(path: folder)
        }
        return try LocalSocket.listen(at: name, in: folder, about: description)
    }
}

/// Accepts connections at a local socket, and takes the socket away when it is closed.
private final class UnixListener: PeerListener {
    let name: String
    private let acceptor: Acceptor
    private let path: String
    /// Which file it made: another program may have put one in its place.
    private let file: (device: dev_t, number: ino_t)?

    init(_ acceptor: Acceptor, at address: UnixAddress) {
        self.acceptor = acceptor
        name = address.description
        path = address.path
        file = Self.file(at: address.path)
    }

    func close() {
        acceptor.close()
        guard let file, let found = Self.file(at: path), found == file else { return }
        unlink(path)
    }

    private static func file(at path: String) -> (device: dev_t, number: ino_t)? {
        var status = stat()
        return lstat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
    }
}

/// Sockets in the file system, as in unix(7).
package enum LocalSocket {
    /// Listens at a socket that only this account can reach.
    ///
    /// A socket at which nobody listens is one that somebody left behind, and is replaced. The name is locked meanwhile:
    /// of programs that begin at once the first listens before the next one looks.
    ///
    /// - Parameter shown: what errors call the socket; nil for its path.
    /// - Parameter lockTime: the longest wait for another program that begins to listen there.
    /// - Throws: `failedCall`: `bind` with EADDRINUSE if a program listens there, or if the file is no socket; `lock` if
    ///   another program began to, and went no further.
    package static func listen(
        at name: String, in folder: String, about shown: String? = nil,
        lockTime: Duration = lockTime
    ) throws(TransportError) -> Descriptor {
        let path = "\(folder)/\(name)"
        let shown = shown ?? path
        let descriptor = try make(SOCK_STREAM, about: shown)
        let number = descriptor.number
        let lockPath = "\(path).lock"
        let lock = try lock(lockPath, within: lockTime)
        defer {
            unlink(lockPath)
            close(lock)
        }
        if isLeftBehind(name, in: folder) { unlink(path) }
        let isListening =
            // The file gets the mode of the socket, as Linux does it.
            fchmod(number, 0o600) == 0
            && withAddress(of: name, in: folder) { bind(number, $0, $1) == 0 }
            // Other systems may give it another mode; nobody can connect before it listens.
            && chmod(path, 0o600) == 0 && Glibc.listen(number, SOMAXCONN) == 0
        guard isListening else { throw .failedCall(.bind, errno: errno, about: shown) }
        return descriptor
    }

    /// The longest wait for another program that begins to listen at the same socket.
    package static let lockTime = Duration.seconds(5)
    private static let lockPauseMicroseconds: UInt32 = 5000

    /// Opens a file beside a socket and locks it until it is closed, as in flock(2).
    ///
    /// No other account can open the file, and so hold the lock; of a folder that it can read it could. Whoever holds the
    /// lock removes the file, so the one that was locked must still be there.
    private static func lock(
        _ path: String, within lockTime: Duration
    ) throws(TransportError) -> CInt {
        let deadline = MonotonicTime.now + lockTime
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw .failedCall(.open, errno: errno, about: path) }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                if isFile(descriptor, at: path) { return descriptor }
                close(descriptor)
                continue
            }
            let code = errno
            close(descriptor)
            guard code == EINTR || code == EWOULDBLOCK && MonotonicTime.now < deadline else {
                throw .failedCall(.lock, errno: code, about: path)
            }
            usleep(lockPauseMicroseconds)
        }
    }

    private static func isFile(_ descriptor: CInt, at path: String) -> Bool {
        var (own, found) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &found) == 0
            && (own.st_dev, own.st_ino) == (found.st_dev, found.st_ino)
    }

    /// Connects to whoever listens at a socket.
    ///
    /// - Throws: `failedCall`: `connect` with ECONNREFUSED also if there is no socket.
    package static func connect(
        to name: String, in folder: String, about shown: String? = nil
    ) throws(TransportError) -> Descriptor {
        let shown = shown ?? "\(folder)/\(name)"
        let descriptor = try make(SOCK_STREAM, about: shown)
        let number = descriptor.number
        guard withAddress(of: name, in: folder, { Glibc.connect(number, $0, $1) == 0 }) else {
            // A socket that was never made is one at which nobody listens.
            let code = errno == ENOENT ? ECONNREFUSED : errno
            throw .failedCall(.connect, errno: code, about: shown)
        }
        return descriptor
    }

    /// Whether a socket is there that no program has any more; whoever listens at it is not disturbed.
    ///
    /// A socket of datagrams cannot connect to one of streams: the system answers EPROTOTYPE where there is one, and
    /// ECONNREFUSED where only its file is left.
    package static func isLeftBehind(_ name: String, in folder: String) -> Bool {
        var status = stat()
        guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
            let descriptor = try? make(SOCK_DGRAM, about: name)
        else { return false }
        let number = descriptor.number
        return withAddress(of: name, in: folder) {
            Glibc.connect(number, $0, $1) != 0 && errno == ECONNREFUSED
        }
    }

    /// Makes one that does not wait.
    private static func make(
        _ kind: __socket_type, about name: String
    ) throws(TransportError) -> Descriptor {
        let type = CInt(kind.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let number = socket(AF_UNIX, type, 0)
        guard number >= 0 else { throw .failedCall(.socket, errno: errno, about: name) }
        return Descriptor(owning: number)
    }

    /// Whether the process at the other end runs under the account of this one.
    static func isOwnAccount(_ number: CInt) -> Bool {
        // struct ucred: process, account, group; as connect, or listen at the other end, found them.
        var found = [UInt32](repeating: .max, count: 3)
        var byteCount = socklen_t(12)
        return getsockopt(number, SOL_SOCKET, SO_PEERCRED, &found, &byteCount) == 0
            && byteCount == 12 && found[1] == geteuid()
    }

    /// Calls with the address of a socket: through the folder's descriptor, as a path may be longer than an address.
    package static func withAddress(
        of name: String, in folder: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return false }
        defer { close(directory) }
        let path = "/proc/self/fd/\(directory)/\(name)"
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
