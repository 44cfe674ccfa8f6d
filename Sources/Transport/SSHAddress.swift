/// A store on a machine reached with ssh: `ssh://[user@]host[:port][/path]`.
package struct SSHAddress: TransportAddress {
    /// Nil leaves it to ssh and its configuration.
    package let user: String?
    /// A name (also one from ssh's configuration) or a number, without brackets.
    package let host: String
    /// Nil leaves it to ssh and its configuration.
    package let port: UInt16?
    /// Where the store lies there; relative to the home folder if written `/~/path`; nil means
    /// that machine's default store.
    package let storePath: String?

    /// The only form, with all its parts but the port.
    package static let forms = ["ssh://user@host/path"]
    /// ssh proves who both ends are.
    package static let provesKeys = false

    private static let scheme = "ssh://"
    /// The program that is started at the other end.
    private static let program = "tandem"
    /// Has it serve a store on its standard streams.
    private static let arguments = ["serve", "--stdio"]

    /// Whether a text begins with `ssh://`.
    package static func isMeant(by text: String) -> Bool { text.hasPrefix(scheme) }

    /// Reads `ssh://[user@]host[:port][/path]`.
    package init(parsing text: String) throws(TransportError) {
        do throws(HostAndPort.Problem) {
            guard Self.isMeant(by: text) else {
                throw HostAndPort.Problem(problem: "it does not begin with \(Self.scheme)")
            }
            try self.init(behindScheme: text.dropFirst(Self.scheme.count))
        } catch {
            throw .invalidAddress(text: text, problem: error.problem)
        }
    }

    private init(behindScheme text: Substring) throws(HostAndPort.Problem) {
        let slash = text.firstIndex(of: "/") ?? text.endIndex
        var authority = text[..<slash]
        if let at = authority.lastIndex(of: "@") {
            user = try Self.user(authority[..<at])
            authority = authority[authority.index(after: at)...]
        } else {
            user = nil
        }
        // Port 0 cannot be dialled, so it stands for "none was written" here.
        let hostAndPort = try HostAndPort.split(authority, defaultPort: 0)
        host = hostAndPort.host
        port = hostAndPort.port == 0 ? nil : hostAndPort.port
        storePath = try Self.path(text[slash...])
    }

    /// Starts tandem on that machine, to serve its store on the streams that ssh carries here.
    ///
    /// - Throws: `failedCall` if ssh cannot be started.
    package func dial(
        _ settings: TransportSettings, completion: @escaping Dialer.Completion
    ) throws(TransportError) {
        let store = storePath.map { ["--store", $0] } ?? []
        let remote = command(running: [Self.program] + Self.arguments + store)
        let child = try ChildProcess(remote, on: settings.loop, options: settings.options) { _ in }
        child.link.whenOver = { child.close() }
        settings.loop.schedule(after: .zero) {
            completion(.success(child.link))
            if case .idle = child.link.phase { child.close() }
        }
    }

    /// The command that runs `words` on that machine, ready to be started without a shell.
    ///
    /// ssh hands its words to a shell over there joined by blanks, so each is quoted for it.
    package func command(running words: [String]) -> [String] {
        var command = ["ssh", "-T", "-o", "ServerAliveInterval=15"]
        if let port { command += ["-p", String(port)] }
        command += ["--", user.map { "\($0)@\(host)" } ?? host]
        return command + words.map(Self.quoted)
    }

    private static func user(_ text: Substring) throws(HostAndPort.Problem) -> String {
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x3a && $0 != 0x40 }
        guard !text.isEmpty, isPlain, text.first != "-" else {
            throw HostAndPort.Problem(
                problem: "the user before @ is a plain name; passwords are ssh's own affair")
        }
        return String(text)
    }

    private static func path(_ text: Substring) throws(HostAndPort.Problem) -> String? {
        guard text.utf8.count > 1 else { return nil }
        let bytes = try decoded(text)
        guard let path = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw HostAndPort.Problem(problem: "the path is not valid text")
        }
        guard path.hasPrefix("/~/") else { return path }
        guard path.utf8.count > 3 else { return nil }
        // The command starts in the home folder; "./" keeps a leading hyphen from being an option.
        return "./" + path.dropFirst(3)
    }

    /// Resolves `%20` and its like.
    private static func decoded(_ text: Substring) throws(HostAndPort.Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(),
                let high = Character(UnicodeScalar(high)).hexDigitValue,
                let low = Character(UnicodeScalar(low)).hexDigitValue
            else {
                throw HostAndPort.Problem(problem: "% in the path is followed by two hex digits")
            }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    /// The reverse of `decoded`.
    private static func encoded(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return path.utf8.reduce(into: "") { text, byte in
            if isPlain(byte) || byte == UInt8(ascii: "~") {
                text.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }

    /// Bytes that mean themselves both in an address and to a shell.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func quoted(_ word: String) -> String {
        if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
        var text = "'"
        for character in word.unicodeScalars {
            if character == "'" { text += "'\\''" } else { text.unicodeScalars.append(character) }
        }
        return text + "'"
    }
}

extension SSHAddress {
    /// The address as it can be written again.
    package var description: String {
        var text = Self.scheme
        if let user { text += "\(user)@" }
        text += host.contains(":") ? "[\(host)]" : host
        if let port { text += ":\(port)" }
        guard let storePath else { return text }
        let isInHome = storePath.hasPrefix("./")
        return text + Self.encoded(isInHome ? "/~/\(storePath.dropFirst(2))" : storePath)
    }
}
