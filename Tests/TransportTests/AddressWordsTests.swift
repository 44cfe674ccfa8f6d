import Testing
import Transport

/// The words for malformed addresses; everywhere else tests compare codes.
@Suite("Words of addresses")
struct AddressWordsTests {
    @Test(
        "a malformed address is refused with the part that is wrong",
        arguments: [
            ("", "empty"), (":80", "host is missing"), ("a:b", "port"), ("a:", "port"),
            ("a:70000", "port"), ("a:-1", "port"), ("a:+1", "port"), ("::1", "brackets"),
            ("[::1", "bracket"), ("[::1]80", "colon"), ("[abc]:1", "IPv6"),
            ("a b:1", "letters"), ("-oProxy:1", "hyphen"), ("ü.example:1", "letters"),
            (String(repeating: "a", count: 254), "too long"), ("http://a", "http"),
            ("ssh://", "empty"), ("ssh://-oProxyCommand=x", "letters"), ("ssh://-x", "hyphen"),
            ("ssh://-l@box", "user"), ("ssh://@box", "user"), ("ssh://a:secret@box", "user"),
            ("ssh://box/%4", "%"), ("ssh://box/%zz", "%"), ("ssh://box/%ff", "text"),
            ("ssh://box/a%00", "text"),
        ])
    func malformed(text: String, named part: String) {
        let error = #expect(throws: TransportError.self) { try Endpoint(parsing: text) }
        guard case .invalidAddress(text, let problem) = error else {
            Issue.record("\(text) gave \(String(describing: error))")
            return
        }
        #expect(problem.contains(part))
        #expect(error?.side == .here)
    }

    @Test(
        "what is no address of a relay is refused in words",
        arguments: [
            ("tcp://desk:1", "relay://"), ("relay://", "empty"), ("relay://a:b", "port"),
            ("relay://a:1#12", "fingerprint"), ("relay://a:1#", "fingerprint"),
            ("relay://a:1#x-\(RelayAddressTests.digits)", "x"),
        ])
    func refusals(_ text: String, _ word: String) {
        let error = #expect(throws: TransportError.self) { try RelayAddress(parsing: text) }
        #expect(error?.summary.contains(word) == true, "\(String(describing: error))")
    }

    @Test("a fault says what, whose side and what to do next")
    func faultText() {
        let text = TransportError.insecureListen(address: "0.0.0.0:7717").description
        #expect(text.contains("0.0.0.0:7717"))
        #expect(text.contains("Side: this machine."))
        #expect(text.contains("Next: listen on 127.0.0.1"))
        let refused = TransportError.failedCall(.connect, errno: 111, about: "127.0.0.1:1")
        #expect(refused.side == .peer)
        #expect(refused.description.contains("nothing listens there"))
    }
}
