import Core
import Testing

@Suite("Equality of values")
struct ValueEqualityTests {
    @Test("text is compared by its bytes, without folding")
    func textIsNotFolded() {
        #expect(Value.text("caf\u{e9}") != .text("cafe\u{301}"))
        #expect(Value.text("\u{212b}") != .text("\u{c5}"))
        #expect(Value.text("a") != .text("A"))
        #expect("caf\u{e9}" == "cafe\u{301}", "Swift folds; values must not")
    }

    @Test("the whole number 1 is not the number 1.0, nor yes, nor the text 1")
    func kindsDiffer() {
        let ones: [Value] = [
            .int(1), .double(1), .bool(true), .text("1"), .bytes([1]), .instant(1), .day(1),
        ]
        for (i, left) in ones.enumerated() {
            for (j, right) in ones.enumerated() { #expect((left == right) == (i == j)) }
        }
    }

    @Test("every NaN is one value, and the two zeros are two")
    func specialNumbers() {
        let other = Double(nan: 5, signaling: false)
        #expect(Value.double(.nan) == .double(other))
        #expect(Value.double(.nan) == .double(-Double.nan))
        #expect(Value.double(0) != .double(-0.0))
        #expect(Value.double(.nan).hashValue == Value.double(other).hashValue)
    }

    @Test("a value of an unknown kind is equal to the same bytes alone")
    func unknownByBytes() {
        #expect(Value.unknown([0x82, 9, 1]) == .unknown([0x82, 9, 1]))
        #expect(Value.unknown([0x82, 9, 1]) != .unknown([0x82, 9, 2]))
    }

    @Test("only null is null, only a value left out is elided")
    func nullAndElided() {
        #expect(Value.null.isNull && !Value.elided.isNull && !Value.bool(false).isNull)
        #expect(Value.elided.isElided && !Value.null.isElided)
    }
}
