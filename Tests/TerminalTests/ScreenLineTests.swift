import Terminal
import Testing

@Suite("Lines that are put together from parts")
struct ScreenLineTests {
    private let hostile = "a\u{1b}[31mb\u{202e}"
    private let visible = #"a\u{1b}[31mb\u{202e}"#

    private func text(_ body: (inout ScreenLine) -> Void) -> String {
        var line = ScreenLine()
        body(&line)
        return String(decoding: line.bytes, as: UTF8.self)
    }

    @Test("a string becomes part of a line only with visible escapes, in any look")
    func strings() {
        #expect(text { $0.add(hostile) } == visible)
        for look in [ScreenLine.Look.heading, .urgent, .faint] {
            #expect(text { $0.add(hostile, look) }.contains(visible))
            #expect(!text { $0.add(hostile, look) }.contains("\u{1b}[31mb"))
        }
    }

    @Test("a part in a look is what the same text in that style is")
    func looks() {
        #expect(text { $0.add("x é", .heading) } == text { $0.add(Screen.bold("x é")) })
        #expect(text { $0.add("x é", .urgent) } == text { $0.add(Screen.urgent("x é")) })
        #expect(text { $0.add("x é", .faint) } == text { $0.add(Screen.faint("x é")) })
    }

    @Test("spaces are as many as were asked for, and none below zero")
    func spaces() {
        let line = text { line in
            line.add(spaces: 3)
            line.add("x")
            line.add(spaces: -2)
            line.add(spaces: 0)
        }
        #expect(line == "   x")
    }
}
