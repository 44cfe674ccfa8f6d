import Glibc

/// A place on a network as people write it: a name or number, and a port.
package struct HostAndPort: Hashable, Sendable {
    /// The port on which a device listens by default.
    package static let defaultPort: UInt16 = 7717

    /// A name, an IPv4 number, or an IPv6 number without brackets.
    package let host: String
    /// 0 only for listening: the system picks a free one.
    package let port: UInt16

    /// A host already known to be well formed.
    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`, `host`, `[::1]:port`, `[::1]`, each with or without `tcp://`.
    ///
    /// - Throws: `invalidAddress` that says which part is wrong.
    package init(parsing text: String) throws(TransportError) {
        var rest = Substring(text)
        if rest.hasPrefix("tcp://") {
            rest = rest.dropFirst(6)
            if rest.hasSuffix("/") { rest = rest.dropLast() }
        }
        do {
            self = try Self.split(rest, defaultPort: Self.defaultPort)
        } catch {
            throw .invalidAddress(text: text, problem: error.problem)
        }
    }

    /// A problem with one part of an address; the caller knows the whole text.
    struct Problem: Error {
        let problem: String
    }

    static func split(
        _ text: Substring, defaultPort: UInt16
    ) throws(Problem) -> HostAndPort {
        guard !text.isEmpty else { throw Problem(problem: "it is empty") }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else {
                throw Problem(problem: "the closing bracket is missing")
            }
            let host = text[text.index(after: text.startIndex)..<end]
            guard host.contains(":"), host.utf8.count <= 64, host.utf8.allSatisfy(isNumberByte)
            else { throw Problem(problem: "brackets hold an IPv6 number such as ::1") }
            let tail = text[text.index(after: end)...]
            if tail.isEmpty { return HostAndPort(host: String(host), port: defaultPort) }
            guard tail.first == ":" else {
                throw Problem(problem: "after the bracket comes a colon and the port")
            }
            return HostAndPort(host: String(host), port: try port(tail.dropFirst()))
        }
        guard let colon = text.firstIndex(of: ":") else {
            return HostAndPort(host: try name(text), port: defaultPort)
        }
        let tail = text[text.index(after: colon)...]
        guard !tail.contains(":") else {
            throw Problem(problem: "an IPv6 number needs brackets, as in [::1]:\(defaultPort)")
        }
        return HostAndPort(host: try name(text[..<colon]), port: try port(tail))
    }

    private static func name(_ text: Substring) throws(Problem) -> String {
        guard !text.isEmpty else { throw Problem(problem: "the host is missing") }
        guard text.utf8.count <= 253 else { throw Problem(problem: "the host is too long") }
        guard text.utf8.allSatisfy(isNameByte) else {
            throw Problem(problem: "a host has only letters, digits, dots, hyphens (ASCII)")
        }
        // A leading hyphen would reach ssh as an option.
        guard text.first != "-" else { throw Problem(problem: "a host starts with no hyphen") }
        return String(text)
    }

    private static func port(_ text: Substring) throws(Problem) -> UInt16 {
        // UInt16 alone would take a sign.
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = UInt16(text) else {
            throw Problem(problem: "the port is a number from 0 to 65535")
        }
        return port
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Digits of an IPv6 number and its zone, as in `fe80::1%eth0`.
    private static func isNumberByte(_ byte: UInt8) -> Bool {
        isNameByte(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%")
    }
}

extension HostAndPort {
    /// All addresses of the host, in the order the system prefers; may wait for the network.
    ///
    /// - Throws: `unresolvedHost`.
    package func resolved() throws(TransportError) -> [SocketAddress] {
        try lookUp(flags: 0)
    }

    /// The addresses, if they are known without asking the network: numbers and `localhost`.
    package func resolvedWithoutNetwork() -> [SocketAddress]? {
        if host == "localhost" { return try? lookUp(flags: 0) }
        return try? lookUp(flags: AI_NUMERICHOST)
    }

    private func lookUp(flags: CInt) throws(TransportError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_flags = flags | AI_NUMERICSERV
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &first)
        guard code == 0 else {
            throw .unresolvedHost(host: host, problem: String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = first
        while let entry = next {
            let address = SocketAddress(
                copying: entry.pointee.ai_addr, byteCount: entry.pointee.ai_addrlen)
            if let address, !addresses.contains(address) { addresses.append(address) }
            next = entry.pointee.ai_next
        }
        guard !addresses.isEmpty else {
            throw .unresolvedHost(host: host, problem: "it has neither IPv4 nor IPv6")
        }
        return addresses
    }
}

extension HostAndPort: CustomStringConvertible {
    /// `host:port`, with brackets around an IPv6 number; can be parsed again.
    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// One numeric IPv4 or IPv6 address with its port.
package struct SocketAddress: Hashable, Sendable {
    /// The kernel's own form, a `sockaddr_in` or `sockaddr_in6`.
    let bytes: [UInt8]

    /// An address in that form.
    init(kernelForm bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Copies a kernel address; nil unless it is IPv4 or IPv6.
    package init?(copying address: UnsafePointer<sockaddr>?, byteCount: socklen_t) {
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
    package static func local(of descriptor: CInt) -> SocketAddress? {
        SocketAddress { getsockname(descriptor, $0, &$1) }
    }

    /// The address the other end of a socket has.
    package static func peer(of descriptor: CInt) -> SocketAddress? {
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
        let host = host
        if host.count == 4 { return host.map { String($0) }.joined(separator: ".") }
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
        guard let number else { return "an unprintable address, port \(port)" }
        return HostAndPort(host: number, port: port).description
    }

    /// The number alone, as in `127.0.0.1` or `fe80::1%eth0`; nil if the system cannot write it.
    package var number: String? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = withKernelForm { address, byteCount in
            getnameinfo(
                address, byteCount, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        }
        guard code == 0 else { return nil }
        let end = text.firstIndex(of: 0) ?? text.endIndex
        return String(decoding: text[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
