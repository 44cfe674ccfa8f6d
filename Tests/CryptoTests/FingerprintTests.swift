import Crypto
import Testing

@Suite("Fingerprints")
struct FingerprintTests {
    private let bytes = (0..<32).map { UInt8($0 * 7 & 255) }

    @Test("the text form is read back, in capitals and with other separators too")
    func roundTrip() throws {
        let fingerprint = try #require(Fingerprint(bytes: bytes))
        let text = fingerprint.description
        #expect(text.split(separator: "-").count == 16)
        #expect(try Fingerprint(parsing: text) == fingerprint)
        #expect(try Fingerprint(parsing: text.uppercased()) == fingerprint)
        #expect(try Fingerprint(parsing: text.filter { $0 != "-" }) == fingerprint)
        let colons = String(text.map { $0 == "-" ? ":" : $0 })
        #expect(try Fingerprint(parsing: colons) == fingerprint)
    }

    @Test("what is too short, too long or no digit is refused in words")
    func refusals() {
        #expect(Fingerprint(bytes: [1, 2, 3]) == nil)
        #expect(throws: FingerprintProblem.wrongLength) { try Fingerprint(parsing: "") }
        #expect(throws: FingerprintProblem.wrongLength) { try Fingerprint(parsing: "00-11") }
        let long = String(repeating: "0", count: 65)
        #expect(throws: FingerprintProblem.wrongLength) { try Fingerprint(parsing: long) }
        #expect(throws: FingerprintProblem.strayCharacter("g")) { try Fingerprint(parsing: "g0") }
        #expect(throws: FingerprintProblem.strayCharacter("٣")) { try Fingerprint(parsing: "٣") }
    }
}
