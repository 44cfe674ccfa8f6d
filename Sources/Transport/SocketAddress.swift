import Glibc

/// One numeric IPv4 or IPv6 address with its port.
package struct SocketAddress: Hashable, Sendable {
    /// The kernel's own form, a `sockaddr_in` or `sockaddr_in6`.
    private let bytes: [UInt8]

    /// Copies a kernel address; nil unless it is IPv4 or IPv6.
    init?(copying address: UnsafePointer<sockaddr>?, byteCount: socklen_t) {
        guard let address, byteCount >= MemoryLayout<sa_family_t>.size else { return nil }
        let size: Int
        switch CInt(address.pointee.sa_family) {
        case AF_INET: size = MemoryLayout<sockaddr_in>.size
        case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        guard Int(byteCount) >= size else { return nil }
        bytes = [UInt8](UnsafeRawBufferPointer(start: address, count: size))
    }

    /// Reads the address that a call such as `getsockname` returns for a descriptor; nil if it has
    /// none.
    init?(filledBy call: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> CInt) {
        var storage = sockaddr_storage()
        var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let address = withUnsafeMutableBytes(of: &storage) { raw -> SocketAddress? in
            guard let pointer = raw.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                call(pointer, &byteCount) == 0
            else { return nil }
            return SocketAddress(copying: pointer, byteCount: byteCount)
        }
        guard let address else { return nil }
        self = address
    }

    /// The address this end of a socket has.
    static func local(of descriptor: CInt) -> SocketAddress? {
        SocketAddress { getsockname(descriptor, $0, &$1) }
    }

    /// The address the other end of a socket has.
    static func peer(of descriptor: CInt) -> SocketAddress? {
        SocketAddress { getpeername(descriptor, $0, &$1) }
    }

    /// AF_INET or AF_INET6.
    var family: CInt {
        CInt(bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) })
    }

    /// The port; 0 if none was given or bound yet.
    package var port: UInt16 {
        // Both forms keep it big-endian in the two bytes after the family.
        UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }

    /// Whether packets to it never leave this machine.
    package var isLoopback: Bool {
        guard family == AF_INET6 else { return bytes[4] == 127 }
        let host = bytes[8..<24]
        if host.dropLast().allSatisfy({ $0 == 0 }) { return host.last == 1 }
        // IPv4 written as IPv6, ::ffff:127.0.0.1.
        let isMapped =
            host.prefix(10).allSatisfy { $0 == 0 } && bytes[18] == 255
            && bytes[19] == 255
        return isMapped && bytes[20] == 127
    }

    /// The network that one owner has: the IPv4 number, or the first half of the IPv6 number.
    package var network: String {
        guard family == AF_INET6 else {
            return bytes[4..<8].map { String($0) }.joined(separator: ".")
        }
        let host = Array(bytes[8..<24])
        if host.prefix(10).allSatisfy({ $0 == 0 }), host[10] == 255, host[11] == 255 {
            return host[12...].map { String($0) }.joined(separator: ".")
        }
        let groups = (0..<4).map {
            String(Int(host[$0 * 2]) << 8 | Int(host[$0 * 2 + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }

    func withKernelForm<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        // The kernel copies it, so the alignment of an array's bytes (16) is more than enough.
        bytes.withUnsafeBytes { raw in
            guard let start = raw.baseAddress else {
                preconditionFailure("an address is never empty")
            }
            return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `127.0.0.1:port` or `[::1]:port`.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = withKernelForm { address, byteCount in
            getnameinfo(
                address, byteCount, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        }
        guard code == 0 else { return "an unprintable address, port \(port)" }
        let end = text.firstIndex(of: 0) ?? text.endIndex
        let host = String(decoding: text[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return HostAndPort(host: host, port: port).description
    }
}
