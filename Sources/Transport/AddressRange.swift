import Glibc

/// Addresses that begin alike: `10.0.0.0/8`, `fd00::/8`, or a single one, `192.0.2.7`.
///
/// An IPv4 address that came to a socket of IPv6 (`::ffff:192.0.2.7`) is the IPv4 one.
package struct AddressRange: Hashable, Sendable {
    /// 4 bytes of IPv4, or 16 of IPv6.
    private let host: [UInt8]
    private let bitCount: Int

    /// Reads one; nil if it is none.
    package init?(parsing text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        // Other readers take 10.1 for 10.0.0.1, and 010.0.0.1 for 8.0.0.1; a name may be another address tomorrow.
        let number = String(parts[0])
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, number, &bytes) == 1 {
            bytes.removeLast(12)
        } else if inet_pton(AF_INET6, number, &bytes) != 1 {
            return nil
        }
        let address = SocketAddress(host: bytes, port: 0)
        host = address.host
        guard parts.count == 2 else {
            bitCount = host.count * 8
            return
        }
        guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let count = Int(parts[1]), count <= host.count * 8
        else { return nil }
        bitCount = count
    }

    /// Reads several, with commas between them; nil if one of them is none.
    package static func list(parsing text: String) -> [AddressRange]? {
        var ranges: [AddressRange] = []
        for part in text.split(separator: ",") {
            let part = part.drop { $0 == " " }
            let end = part.lastIndex { $0 != " " }
            guard let end, let range = AddressRange(parsing: part[...end]) else { return nil }
            ranges.append(range)
        }
        return ranges
    }

    /// Whether an address is one of these, at whichever port.
    package func contains(_ address: SocketAddress) -> Bool {
        let other = address.host
        guard other.count == host.count else { return false }
        let (byteCount, rest) = (bitCount / 8, bitCount % 8)
        guard other.prefix(byteCount) == host.prefix(byteCount) else { return false }
        return rest == 0 || (other[byteCount] ^ host[byteCount]) >> (8 - rest) == 0
    }
}

extension SocketAddress {
    /// An address out of its numbers.
    ///
    /// - Parameter host: 4 bytes of IPv4, or 16 of IPv6.
    init(host: [UInt8], port: UInt16) {
        precondition(host.count == 4 || host.count == 16, "an address has 4 or 16 bytes")
        let isShort = host.count == 4
        var bytes = [UInt8](
            repeating: 0,
            count: isShort ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: sa_family_t(isShort ? AF_INET : AF_INET6), as: sa_family_t.self)
        }
        (bytes[2], bytes[3]) = (UInt8(port >> 8), UInt8(port & 0xff))
        let start = isShort ? 4 : 8
        bytes.replaceSubrange(start..<start + host.count, with: host)
        self.init(kernelForm: bytes)
    }

    /// The number without the port: 4 bytes of IPv4, also where it is written as IPv6, or 16 of IPv6.
    var host: [UInt8] {
        guard family == AF_INET6 else { return Array(bytes[4..<8]) }
        let host = Array(bytes[8..<24])
        let isMapped = host.prefix(10).allSatisfy { $0 == 0 } && host[10] == 255 && host[11] == 255
        return isMapped ? Array(host[12...]) : host
    }
}
