import Glibc

/// The files of the page beside the store, which nobody else may read.
final class PageFiles {
    private let folder: String
    private let port: UInt16
    private let lock: ServerLock

    /// The longest file of sessions that is read, in bytes.
    private static let byteCountMax = 16_384

    init(folder: String, port: UInt16) {
        self.folder = folder
        self.port = port
        lock = ServerLock(folder + "/web-lock")
    }

    /// Where the page is.
    var address: String { "http://127.0.0.1:\(port)/" }

    private var loginPath: String { folder + "/web-login.html" }
    private var sessionsPath: String { folder + "/web-sessions" }

    /// Whether no other process serves this store's page; this one does from now on.
    func takeLock() -> Bool { lock.take(address) }

    /// Where the process that holds the lock serves; nil if it has not said so.
    var runningAddress: String? { lock.holder }

    /// Tells how the page is opened, or opens it.
    func offer(opens: Bool) {
        guard opens else {
            WebOutput.line("Open it with: tandem web --open")
            WebOutput.line("or with this file, once: \(loginPath)")
            return
        }
        // The browser reads the secret from the file: arguments of a process are for all to see.
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("xdg-open"), strdup(loginPath), nil]
        defer { for word in words { free(word) } }
        var pid = pid_t()
        guard posix_spawnp(&pid, "xdg-open", nil, nil, &words, environ) == 0 else {
            WebOutput.error(
                "tandem: xdg-open is missing; open this file in a browser: \(loginPath)\n")
            return
        }
    }

    // MARK: Way in

    /// Writes the file that lets the next browser in.
    func write(login secret: String) {
        let page = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tandem</title></head>
            <body><form method="post" action="\(address)login">
            <input type="hidden" name="secret" value="\(secret)">
            <button type="submit">Open your to-dos</button></form>
            <script>document.forms[0].submit()</script></body></html>

            """
        write(page, to: loginPath)
    }

    /// The browsers that were let in before this start.
    var sessions: String { Self.read(sessionsPath) }

    /// Writes the browsers that are let in, so that a new start asks none of them again.
    func write(sessions text: String) { write(text, to: sessionsPath) }

    /// Takes the way in away.
    func remove() { unlink(loginPath) }

    private func write(_ text: String, to path: String) {
        let fresh = path + ".new"
        unlink(fresh)
        let file = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            WebOutput.error(
                "tandem: \(path) cannot be written: \(String(cString: strerror(errno)))\n")
            return
        }
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        close(file)
        if count == bytes.count { rename(fresh, path) }
    }

    private static func read(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: byteCountMax)
        let count = Glibc.read(file, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
    }
}
