import Core
import TestSupport
import Testing

@Suite("Fields")
struct FieldTests {
    @Test("names of custom fields and elements are brought into form C")
    func namesAreNormalised() {
        #expect(Field.custom("cafe\u{301}") == Field.custom("caf\u{e9}"))
        #expect(Field.custom("cafe\u{301}") == .text("caf\u{e9}"))
        #expect(
            Field.element(.number(4), text: "cafe\u{301}")
                == .element(.number(4), .text("caf\u{e9}")))
    }

    @Test(
        "form C composes, orders marks, and leaves compatibility letters",
        arguments: [
            ("e\u{301}", "\u{e9}"), ("A\u{30a}", "\u{c5}"), ("\u{212b}", "\u{c5}"),
            ("q\u{307}\u{323}", "q\u{323}\u{307}"), ("\u{1100}\u{1161}\u{11a8}", "\u{ac01}"),
            ("\u{fb01}", "\u{fb01}"), ("plain", "plain"), ("", ""), ("\u{958}", "\u{915}\u{93c}"),
        ])
    func formC(given: String, expected: String) {
        #expect(given.inFormC.hasSameBytes(as: expected))
        #expect(given.inFormC.inFormC.hasSameBytes(as: expected))
    }

    @Test("fields from the wire that are not in form C are kept apart, not folded")
    func foreignNamesAreKept() {
        #expect(Field.text("cafe\u{301}") != Field.text("caf\u{e9}"))
        #expect(FieldName.text("cafe\u{301}") != FieldName.text("caf\u{e9}"))
    }

    /// A field's canonical bytes, written apart from its order.
    private func bytes(_ field: Field) -> [UInt8] {
        var writer = CanonicalWriter()
        func name(_ name: FieldName) {
            switch name {
            case .number(let number): writer.unsigned(UInt64(number))
            case .text(let text): writer.text(text)
            }
        }
        if case .element(let set, let element) = field {
            writer.array(2)
            name(set)
            element.write(to: &writer)
        } else {
            name(field.name)
        }
        return writer.bytes
    }

    @Test("fields sort like their canonical bytes")
    func orderIsOfBytes() {
        var random = RandomRecords(seed: 6)
        var fields = (0..<150).map { _ in random.field() }
        fields += [
            .deleted, .purged, .text("zz"), .text("aaa"), .text(String(repeating: "a", count: 30)),
        ]
        for left in fields {
            for right in fields {
                let precedes = bytes(left).lexicographicallyPrecedes(bytes(right))
                #expect((left < right) == precedes, "\(left) \(right)")
                #expect((left == right) == (bytes(left) == bytes(right)))
                if left == right { #expect(left.hashValue == right.hashValue) }
            }
        }
    }

    @Test("the reserved fields stand first")
    func reservedFirst() {
        #expect(Field.deleted < .purged)
        for field in [Field.number(2), .custom("a"), .element(.number(0), .bool(true))] {
            #expect(Field.purged < field)
        }
    }
}
