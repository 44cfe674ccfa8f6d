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
