import Terminal
import Testing

@Suite("Shown text")
struct ShownTextTests {
    private let hostile = "a\u{1b}[31mb\u{202e}"
    private let visible = #"a\u{1b}[31mb\u{202e}"#

    @Test("a string becomes shown text only with visible escapes, whichever way it comes in")
    func strings() {
        #expect(ShownText(hostile).plain == visible)
        #expect(("x \(hostile) y" as ShownText).plain == "x \(visible) y")
        #expect((ShownText("x") + ShownText(hostile)).plain == "x" + visible)
        #expect([ShownText(hostile), "z"].joined(separator: ", ").plain == visible + ", z")
        #expect("\(ShownText(hostile))" == visible)
        struct Peer: CustomStringConvertible { let description: String }
        #expect(("\(Peer(description: hostile))" as ShownText).plain == visible)
    }

    @Test("a styled text in another one keeps its words")
    func styles() {
        let text: ShownText = "\(Screen.bold(hostile)): \(Screen.faint("later"))"
        #expect(text.plain == "\(visible): later")
    }
}
