import JSON
import Testing

@Suite("JSON")
struct JSONTests {
    private static let value = JSONValue.named([
        ("name", .text("caf\u{e9} \"\\ \u{1f9c0}\n\u{8}\u{1}")), ("empty", .array([])),
        ("none", .object([])), ("list", .array([.number(1), .number("-0.50e+2"), .null])),
        ("yes", .bool(true)),
    ])

    @Test(
        "a value comes back from every style",
        arguments: [
            JSONStyle.compact, .lines, JSONStyle(hasSpaces: true, isASCII: true),
            JSONStyle(hasSpaces: true, brokenLevelCount: 3, indentation: 2),
        ])
    func comesBack(style: JSONStyle) throws {
        #expect(try JSONReader.read(Array(Self.value.text(style).utf8)) == Self.value)
    }

    @Test("each style writes the bytes that it says")
    func styles() {
        let value = JSONValue.array([
            .named([("a", .text("\u{e9}\u{7}\u{8}\u{c}")), ("b", .number(2))]), .array([]),
        ])
        #expect(value.compactText == "[{\"a\":\"\u{e9}\\u0007\\b\\f\",\"b\":2},[]]")
        #expect(value.text(.lines) == "[\n{\"a\":\"\u{e9}\\u0007\\b\\f\",\"b\":2},\n[]\n]")
        #expect(
            value.text(JSONStyle(hasSpaces: true, isASCII: true))
                == "[{\"a\": \"\\u00e9\\u0007\\u0008\\u000c\", \"b\": 2}, []]")
        #expect(
            value.text(JSONStyle(hasSpaces: true, brokenLevelCount: 2, indentation: 2))
                == "[\n  {\n    \"a\": \"\u{e9}\\u0007\\b\\f\",\n    \"b\": 2\n  },\n  []\n]")
        #expect(JSONValue.array([]).text(.lines) == "[]")
    }

    @Test("bytes that are no JSON are refused where they go wrong")
    func faults() {
        let cases: [(String, JSONFault.Reason, Int)] = [
            ("", .endsTooEarly, 0), ("[", .endsTooEarly, 1), ("[1,]", .badNumber, 3),
            ("{\"a\" 1}", .unexpectedByte, 5), ("1 2", .unexpectedByte, 2),
            ("\"\\x\"", .badText, 1), ("nul", .endsTooEarly, 3),
            ("{\"a\":1,\"a\":2}", .repeatedName, 7), ("\"\\ud800\"", .endsTooEarly, 8),
        ]
        for (text, reason, offset) in cases {
            #expect(throws: JSONFault(reason: reason, byteOffset: offset), "\(text)") {
                try JSONReader.read(Array(text.utf8))
            }
        }
        let deep = String(repeating: "[", count: 99)
        #expect(throws: JSONFault(reason: .tooDeep, byteOffset: 64)) {
            try JSONReader.read(Array(deep.utf8))
        }
    }

    @Test("a text in UTF-8 that is cut or wrong is refused")
    func badText() {
        #expect(throws: JSONFault.self) { try JSONReader.read([0x22, 0xff, 0x22]) }
        #expect(throws: JSONFault.self) { try JSONReader.read([0x22, 0xc3, 0x22]) }
    }
}
