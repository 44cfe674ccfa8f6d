import Glibc

/// Which account of this machine a client's socket belongs to, as the kernel tells it.
///
/// A cookie that another account took while the port was its own is worth nothing to it: the socket is still its own.
package enum ClientAccount {
    /// The most bytes of a table that are read.
    private static let byteCountMax = 32 << 20
    private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]

    /// Whether the socket at a port of this machine, connected to another one, is of this account.
    ///
    /// Where the kernel shows no tables, it cannot be told, and what else is asked of a client has to do.
    package static func isOwn(_ clientPort: UInt16?, connectedTo port: Int) -> Bool {
        guard let clientPort else { return false }
        switch ask(ofPort: clientPort, connectedTo: port) {
        case .owner(let owner): return owner == geteuid()
        case .nobody: return false
        case .noAnswer: break
        }
        var isTold = false
        for path in tables {
            guard let table = read(path) else { continue }
            isTold = true
            if let owner = owner(ofPort: clientPort, connectedTo: port, in: table) {
                return owner == geteuid()
            }
        }
        return !isTold
    }

    // MARK: The kernel's answer

    /// The answer to the question for one socket.
    private enum Answer {
        case owner(UInt32)
        case nobody
        /// This process may not ask, or the kernel knows no such question.
        case noAnswer
    }

    /// The type of the question (sock_diag(7), SOCK_DIAG_BY_FAMILY), and of an answer that it failed (NLMSG_ERROR).
    private static let (questionType, errorType): (UInt16, UInt16) = (20, 2)
    /// The family of netlink that answers (NETLINK_SOCK_DIAG).
    private static let socketFamily: CInt = 4
    /// The place of the account's number in the answer: behind its head and what names the socket.
    private static let ownerOffset = 80

    /// Asks for the one socket of these ports: the tables would take milliseconds.
    private static func ask(ofPort clientPort: UInt16, connectedTo port: Int) -> Answer {
        let link = socket(
            AF_NETLINK, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), socketFamily)
        guard link >= 0 else { return .noAnswer }
        defer { close(link) }
        var question: [UInt8] = []
        func append<T: FixedWidthInteger>(_ value: T) {
            withUnsafeBytes(of: value) { question += $0 }
        }
        append(UInt32(72))
        append(questionType)
        // A question; neither number nor sender are needed.
        append(UInt16(1))
        append(UInt64(0))
        question += [UInt8(AF_INET), UInt8(IPPROTO_TCP), 0, 0]
        append(UInt32.max)
        append(clientPort.bigEndian)
        append(UInt16(truncatingIfNeeded: port).bigEndian)
        let loopback: [UInt8] = [127, 0, 0, 1] + Array(repeating: 0, count: 12)
        question += loopback + loopback
        append(UInt32(0))
        append(UInt64.max)
        guard send(link, question, question.count, 0) == question.count else { return .noAnswer }
        var answer = [UInt8](repeating: 0, count: 1024)
        let count = recv(link, &answer, answer.count, CInt(MSG_DONTWAIT))
        guard count >= 20 else { return .noAnswer }
        let type = answer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4, as: UInt16.self) }
        if type == errorType {
            let code = answer.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: 16, as: Int32.self)
            }
            return code == -ENOENT ? .nobody : .noAnswer
        }
        guard type == questionType, count >= ownerOffset + 4 else { return .noAnswer }
        return .owner(
            answer.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: ownerOffset, as: UInt32.self)
            })
    }

    // MARK: Its tables

    /// The number of the account that has the socket, in the text of a table (proc(5), /proc/net/tcp).
    package static func owner(
        ofPort clientPort: UInt16, connectedTo port: Int, in table: [UInt8]
    ) -> UInt32? {
        // sl, local_address, rem_address, st, queues, timer, retransmits, uid.
        let (from, to) = (suffix(Int(clientPort)), suffix(port))
        for line in table.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 8)
            guard words.count > 7, words[1].suffix(5).elementsEqual(from),
                words[2].suffix(5).elementsEqual(to),
                // 127.0.0.1, as it is or within an address of IPv6.
                words[2].dropLast(5).suffix(8).elementsEqual("0100007F".utf8)
            else { continue }
            return UInt32(String(decoding: words[7], as: UTF8.self))
        }
        return nil
    }

    private static func suffix(_ port: Int) -> [UInt8] {
        let digits = String(port, radix: 16, uppercase: true)
        return Array((":" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits).utf8)
    }

    private static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < byteCountMax {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}
