import Core
import Testing

@Suite("Digits of base 16")
struct HexadecimalTests {
    @Test("every byte has two digits in lower case and comes back from them")
    func bytes() {
        let all = (0...255).map { UInt8($0) }
        let text = Hexadecimal.text(all)
        #expect(text.utf8.count == 512)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.bytes(text) == all)
        #expect(Hexadecimal.bytes(text.uppercased()) == all)
        #expect(Hexadecimal.bytes("") == [])
    }

    @Test("an odd number of digits and anything that is no digit is refused")
    func refusals() {
        for text in ["0", "000", "0g", "g0", "0 ", "-1", "é", "０", "0x00"] {
            #expect(Hexadecimal.bytes(text) == nil, "\(text)")
        }
    }

    @Test("a number has sixteen digits")
    func numbers() {
        #expect(Hexadecimal.text(0 as UInt64) == "0000000000000000")
        #expect(Hexadecimal.text(0xabc as UInt64) == "0000000000000abc")
        #expect(Hexadecimal.text(UInt64.max) == "ffffffffffffffff")
    }
}
