import Testing
import Transport

@Suite("Addresses of relays")
struct RelayAddressTests {
    static let digits = Array(repeating: "5f0c", count: 16).joined(separator: "-")

    @Test(
        "an address is written as it is read",
        arguments: [
            "relay://relay.example:7718#\(digits)", "relay://[::1]:9#\(digits)",
            "relay://127.0.0.1:7718", "relay://one:1,two:2,[::1]:3#\(digits)",
        ])
    func roundTrip(_ text: String) throws {
        #expect(try RelayAddress(parsing: text).description == text)
        #expect(RelayAddress.isMeant(by: text))
    }

    @Test("a relay has a port of its own")
    func standardPort() throws {
        #expect(try RelayAddress(parsing: "relay://desk").hostAndPort.port == 7718)
        #expect(RelayAddress.defaultPort != HostAndPort.defaultPort)
    }

    @Test(
        "what is no address of a relay is refused",
        arguments: [
            "tcp://desk:1", "relay://", "relay://a:b",
            "relay://a:1#12", "relay://a:1#", "relay://a:1,#\(digits)", "relay://a:1,a:1",
            "relay://1,2,3,4,5,6,7,8,9",
            "relay://a:1#x-\(digits)",
        ])
    func refusals(_ text: String) {
        let error = #expect(throws: TransportError.self) { try RelayAddress(parsing: text) }
        guard case .invalidAddress? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }
}
