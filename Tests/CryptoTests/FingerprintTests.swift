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

    #if Encryption
        @Test(
            "a device's key is read as it was written, with other ends of lines too, and damage is told"
        )
        func keys() throws {
            let made = try DeviceCertificate()
            #expect(try DeviceCertificate(pem: made.pem, path: "k").fingerprint == made.fingerprint)
            // Only the library's own reader takes these.
            let text = String(decoding: made.pem, as: UTF8.self)
            let others = Array(text.replacing("\n", with: "\r\n").utf8)
            #expect(try DeviceCertificate(pem: others, path: "k").fingerprint == made.fingerprint)
            // A letter of the secret: another key.
            var changed = made.pem
            let place =
                try #require(text.utf8.firstIndex(of: UInt8(ascii: "\n"))).utf16Offset(in: text)
                + 40
            changed[place] =
                changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: CertificateFault.self) {
                try DeviceCertificate(pem: changed, path: "k")
            }
            for bytes in [[], Array(made.pem.prefix(60)), Array(made.pem.dropFirst())] {
                #expect(throws: CertificateFault.self) {
                    try DeviceCertificate(pem: bytes, path: "k")
                }
            }
        }
    #endif
}
