import Testing
import Transport

@Suite("Balancers that say for whom a connection is")
struct ProxyHeaderTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

    private static func header(
        _ command: UInt8, _ kind: UInt8, _ rest: [UInt8], byteCount: Int? = nil
    ) -> [UInt8] {
        let count = byteCount ?? rest.count
        return signature + [command, kind, UInt8(count >> 8), UInt8(count & 0xff)] + rest
    }

    /// From 192.0.2.7:4660 to 127.0.0.1:7718.
    private static let short: [UInt8] = [192, 0, 2, 7, 127, 0, 0, 1, 0x12, 0x34, 0x1e, 0x26]
    /// From [2001:db8::9]:4660 to [::1]:7718.
    private static let long: [UInt8] =
        [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [9]
        + [UInt8](repeating: 0, count: 15) + [1, 0x12, 0x34, 0x1e, 0x26]

    private func peer(_ bytes: [UInt8]) -> String? {
        guard case .header(let header) = ProxyHeader.read(bytes) else { return nil }
        return header.peer?.description ?? "none"
    }

    @Test("the address of the peer is read, with the values behind it and what follows passed over")
    func addresses() {
        #expect(peer(Self.header(0x21, 0x11, Self.short)) == "192.0.2.7:4660")
        #expect(peer(Self.header(0x21, 0x21, Self.long)) == "[2001:db8::9]:4660")
        let values: [UInt8] = [3, 0, 4, 1, 2, 3, 4]
        let bytes = Self.header(0x21, 0x11, Self.short + values)
        #expect(peer(bytes + [22, 3, 1]) == "192.0.2.7:4660")
        guard case .header(let header) = ProxyHeader.read(bytes + [22, 3, 1]) else {
            Issue.record("no header")
            return
        }
        #expect(header.byteCount == bytes.count)
        // The balancer's own connection; one over a local socket.
        #expect(peer(Self.header(0x20, 0, [])) == "none")
        #expect(peer(Self.header(0x20, 0x11, Self.short)) == "none")
        #expect(peer(Self.header(0x21, 0x31, [UInt8](repeating: 0, count: 216))) == "none")
    }

    @Test("each beginning of a header waits for more, and nothing else does")
    func beginnings() {
        let bytes = Self.header(0x21, 0x11, Self.short)
        for count in 0..<bytes.count {
            #expect(ProxyHeader.read(bytes[..<count]) == .incomplete)
        }
        for index in 0..<13 {
            var other = bytes
            other[index] ^= 0x40
            #expect(ProxyHeader.read(other) == .invalid, "byte \(index)")
            if index < 12 { #expect(ProxyHeader.read(other[...index]) == .invalid) }
        }
    }

    @Test(
        "what is no header is none",
        arguments: [
            Array("PROXY TCP4 192.0.2.7 127.0.0.1 4660 7718\r\n".utf8), [22, 3, 1, 2, 0],
            header(0x11, 0x11, short), header(0x22, 0x11, short), header(0x21, 0x11, []),
            header(0x21, 0x11, Array(short.dropLast())), header(0x21, 0x21, short),
            header(0x21, 0x11, short, byteCount: ProxyHeader.byteCountMax - 15),
        ])
    func invalid(bytes: [UInt8]) {
        #expect(ProxyHeader.read(bytes) == .invalid)
    }

    @Test("a header may have so many bytes and no more")
    func longest() {
        let count = ProxyHeader.byteCountMax - 16
        let rest = Self.short + [UInt8](repeating: 0, count: count - Self.short.count)
        #expect(peer(Self.header(0x21, 0x11, rest)) == "192.0.2.7:4660")
        #expect(ProxyHeader.read(Self.header(0x21, 0x11, rest + [0])) == .invalid)
    }

    @Test("ranges of addresses have the addresses that begin so")
    func ranges() throws {
        func has(_ range: String, _ address: String) throws -> Bool {
            let place = HostAndPort(host: address, port: 9)
            let found = try #require(place.resolvedWithoutNetwork()?.first)
            return try #require(AddressRange(parsing: range)).contains(found)
        }
        for (range, address) in [
            ("10.0.0.0/8", "10.255.0.1"), ("192.0.2.7", "192.0.2.7"), ("0.0.0.0/0", "8.8.8.8"),
            ("192.0.2.0/25", "192.0.2.127"), ("10.0.0.0/8", "::ffff:10.1.1.1"),
            ("fd00::/8", "fdff::1"), ("::1", "::1"), ("2001:db8::/33", "2001:db8:7fff::"),
        ] {
            #expect(try has(range, address), "\(range) has \(address)")
        }
        for (range, address) in [
            ("10.0.0.0/8", "11.0.0.1"), ("192.0.2.7", "192.0.2.6"), ("192.0.2.0/25", "192.0.2.128"),
            ("0.0.0.0/0", "::1"), ("::/0", "10.0.0.1"), ("2001:db8::/33", "2001:db8:8000::"),
        ] {
            #expect(try !has(range, address), "\(range) has \(address)")
        }
        for text in [
            "", "10", "localhost", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8",
            "::1/129", "fe80::1%lo", "10.0.0.0/8/8", "10.0.0.300", "10.1/16", "010.0.0.1",
            "0x0a000001",
        ] {
            #expect(AddressRange(parsing: text) == nil, "\(text)")
        }
        #expect(AddressRange.list(parsing: "")?.count == 0)
        #expect(AddressRange.list(parsing: "10.0.0.1, fd00::/8")?.count == 2)
        #expect(AddressRange.list(parsing: "10.0.0.1, shop") == nil)
    }

    /// Has a listener with a balancer on this machine, dials it, sends these pieces, and gives the name of the link that
    /// came of it with what it received, or why it was refused.
    private func dial(
        _ pieces: [[UInt8]], proxies: String = "127.0.0.0/8", handshakeMax: Duration = .seconds(30)
    ) throws -> (network: String?, received: [UInt8], refusal: TransportError?) {
        let loop = try EventLoop()
        var options = LinkOptions()
        options.handshakeMax = handshakeMax
        let (server, client) = (Recorder(), Recorder())
        var accepted: Link?
        var refusal: TransportError?
        server.onClosed = { _ in loop.stop() }
        let listener = try Listener(on: loop, at: anyPort, options: options) { link in
            accepted = link
            link.start(server)
        }
        listener.proxies = try #require(AddressRange.list(parsing: proxies))
        listener.onRefusal = {
            refusal = $1
            loop.stop()
        }
        var dialled: Link?
        Dialer(on: loop, to: hostAndPort(of: listener)) { result in
            guard let link = try? result.get() else { return }
            dialled = link
            link.start(client)
            for (number, piece) in pieces.enumerated() {
                loop.schedule(after: .milliseconds(number * 30)) {
                    link.send(piece)
                    if number == pieces.count - 1 { link.endSending() }
                }
            }
        }
        try serve(loop)
        listener.close()
        withExtendedLifetime(dialled) {}
        return (accepted?.network, server.bytes, refusal)
    }

    @Test("a link that a balancer opens is its peer's, also if the header comes in pieces")
    func links() throws {
        let bytes = Self.header(0x21, 0x11, Self.short)
        for pieces in [
            [bytes + [1, 2, 3]], [bytes, [1, 2, 3]],
            [Array(bytes[..<7]), Array(bytes[7...]) + [1, 2, 3]],
        ] {
            let found = try dial(pieces)
            #expect(found.network == "192.0.2.7" && found.received == [1, 2, 3])
            #expect(found.refusal == nil)
        }
        let own = try dial([Self.header(0x20, 0, []), [1, 2, 3]])
        #expect(own.network == "127.0.0.1" && own.received == [1, 2, 3])
    }

    @Test("from anybody else a header is what it is: the first bytes of a stranger")
    func strangers() throws {
        let bytes = Self.header(0x21, 0x11, Self.short)
        let found = try dial([bytes + [1]], proxies: "192.0.2.0/24")
        #expect(found.network == "127.0.0.1" && found.received == bytes + [1])
    }

    @Test("a balancer that sends no header is refused, at once or after the time for that")
    func without() throws {
        for pieces in [[[22, 3, 1, 0, 0]], [[UInt8]()]] {
            let found = try dial(pieces)
            #expect(found.network == nil)
            guard case .noProxyHeader? = found.refusal else {
                Issue.record("\(String(describing: found.refusal))")
                continue
            }
        }
        let silent = try dial([[13], [10], [13]], handshakeMax: .milliseconds(40))
        guard case .handshakeTimeout? = silent.refusal else {
            Issue.record("\(String(describing: silent.refusal))")
            return
        }
    }
}
