import Testing
import Transport

@Suite("Addresses of relays")
struct RelayAddressTests {
    static let digits = Array(repeating: "5f0c", count: 16).joined(separator: "-")

    @Test(
        "an address is written as it is read",
        arguments: [
            "relay://relay.example:7718#\(digits)", "relay://[::1]:9#\(digits)",
            "relay://127.0.0.1:7718",
        ])
    func roundTrip(_ text: String) throws {
        #expect(try RelayAddress(parsing: text).description == text)
        #expect(RelayAddress.isMeant(by: text))
    }

    @Test("a relay has a port of its own")
    func standardPort() throws {
        #expect(try RelayAddress(parsing: "relay://desk").place.port == 7718)
        #expect(RelayAddress.defaultPort != HostAndPort.defaultPort)
    }

    @Test(
        "what is no address of a relay is refused in words",
        arguments: [
            ("tcp://desk:1", "relay://"), ("relay://", "empty"), ("relay://a:b", "port"),
            ("relay://a:1#12", "fingerprint"), ("relay://a:1#", "fingerprint"),
            ("relay://a:1#x-\(digits)", "x"),
        ])
    func refusals(_ text: String, _ word: String) {
        let error = #expect(throws: TransportError.self) { try RelayAddress(parsing: text) }
        #expect(error?.summary.contains(word) == true, "\(String(describing: error))")
    }
}
