/// The header by which a balancer says for whom it opens a connection: version 2 of the PROXY protocol, the binary one.
///
/// It stands before everything else. Whoever may connect could write any address into it, so it counts from balancers
/// alone that the settings name.
/// Source: the PROXY protocol of HAProxy, section 2.2 (https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt).
package struct ProxyHeader: Hashable, Sendable {
    /// The bytes that it takes in front of the peer's own.
    package let byteCount: Int
    /// The peer; nil if the connection is the balancer's own, or no address of IPv4 or IPv6 is given.
    package let peer: SocketAddress?

    /// The most bytes of a header, with the values that follow the addresses; a balancer sends some 30 to 250.
    package static let byteCountMax = 1024

    private static let signature: [UInt8] = [
        0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a,
    ]
    /// The signature, then version and command, the kind of address, and the length of the rest in two bytes.
    private static let beginningByteCount = 16

    /// The result of a look at the first bytes of a connection.
    package enum Reading: Hashable, Sendable {
        /// More have to come.
        case incomplete
        /// They do not begin with a header.
        case invalid
        /// They do.
        case header(ProxyHeader)
    }

    /// Looks at the bytes that have come so far.
    package static func read(_ bytes: some RandomAccessCollection<UInt8>) -> Reading {
        let bytes = [UInt8](bytes.prefix(byteCountMax))
        guard bytes.starts(with: signature.prefix(bytes.count)) else { return .invalid }
        guard bytes.count >= beginningByteCount else { return .incomplete }
        let count = beginningByteCount + (Int(bytes[14]) << 8 | Int(bytes[15]))
        guard bytes[12] >> 4 == 2, count <= byteCountMax else { return .invalid }
        guard bytes.count >= count else { return .incomplete }
        let addresses = Array(bytes[beginningByteCount..<count])
        switch bytes[12] & 15 {
        case 0:
            // A balancer that looks whether somebody is there.
            return .header(ProxyHeader(byteCount: count, peer: nil))
        case 1:
            guard let hostByteCount = hostByteCounts[bytes[13]] else {
                return .header(ProxyHeader(byteCount: count, peer: nil))
            }
            guard addresses.count >= 2 * hostByteCount + 4 else { return .invalid }
            let port = addresses[(2 * hostByteCount)...].prefix(2)
            let peer = SocketAddress(
                host: Array(addresses[..<hostByteCount]),
                port: port.reduce(0) { $0 << 8 | UInt16($1) })
            return .header(ProxyHeader(byteCount: count, peer: peer))
        default:
            return .invalid
        }
    }

    /// The bytes of an address, by its kind: TCP over IPv4 and over IPv6.
    ///
    /// The one of whoever opened the connection comes first, then the one of the other end, then the two ports.
    private static let hostByteCounts: [UInt8: Int] = [0x11: 4, 0x21: 16]
}
