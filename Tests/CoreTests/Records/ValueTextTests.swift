import Core
import TestSupport
import Testing

@Suite("Text of values")
struct ValueTextTests {
    @Test(
        "a value reads back from its text as it was",
        arguments: [
            Value.bool(true), .bool(false), .int(.min), .int(0), .double(1.5), .double(-0.0),
            .double(.nan), .double(-.infinity), .text(""), .text("cafe\u{301} \"x\"\n"),
            .bytes([]), .bytes([0, 15, 16, 255]), .instant(-62_167_219_200_000),
            .instant(253_402_300_799_999), .day(-719_528), .day(2_932_896),
            .toDo(RecordID(value: UInt128.max - 7)),
            .reference(RecordName(.text("a/b #1"), RecordID(value: 7))),
        ])
    func roundTrip(value: Value) throws {
        let text = try #require(value.textForm)
        #expect(Value(value.kind, text: text) == value)
    }

    @Test(
        "a text that no value of the kind has is refused",
        arguments: [
            (ValueKind.bool, "yes"), (.integer, "+1"), (.integer, "1.0"), (.number, "1.50"),
            (.bytes, "0"), (.bytes, "FF"), (.day, "2026-02-30"), (.day, "2026-2-3"),
            (.day, "2026-11-27T10:00:00.000Z"), (.instant, "2026-11-27"),
            (.instant, "2026-11-27T10:00:00Z"), (.reference, "12"), (.null, ""), (.unknown, ""),
        ])
    func refused(kind: ValueKind, text: String) {
        #expect(Value(kind, text: text) == nil)
    }

    @Test("a value without a form as text, or outside of the years 0 to 9999, has none")
    func noText() {
        let values: [Value] = [
            .null, .elided, .clock(VersionVector()), .unknown([0x82, 9, 1]), .day(.max),
            .instant(.min),
        ]
        for value in values { #expect(value.textForm == nil) }
    }
}
