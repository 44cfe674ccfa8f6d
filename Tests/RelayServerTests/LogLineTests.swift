import Core
import RelayServer
import Session
import Testing

@Suite("Lines of a log")
struct LogLineTests {
    @Test("a line says when, how much it matters, what, and the rest")
    func form() {
        let line = LogLine(.info, "welcomed", ["session": "3", "space": nil, "why": "two words"])
        #expect(
            line.text(time: "2026-01-02T03:04:05.678Z")
                == "time=2026-01-02T03:04:05.678Z level=info event=welcomed session=3 why=\"two words\""
        )
    }

    @Test(
        "no value ends its line, its field or its quotes, or speaks to a terminal",
        arguments: [
            ("a\nevent=owned", #""a\nevent=owned""#), (#"a" event=owned"#, #""a\" event=owned""#),
            ("a\\", #""a\\""#), ("\u{1b}[31m", #"\u{1b}[31m"#), ("", #""""#),
            ("a\tb", #""a b""#), ("a\r\nb", #"a\u{d}\nb"#),
            ("\u{202e}abc", #"\u{202e}abc"#), ("a\u{2028}b", #"a\u{2028}b"#),
        ])
    func hostileValues(_ value: String, _ text: String) {
        #expect(LogLine(.info, "x", ["v": value]).text(time: nil) == "level=info event=x v=\(text)")
    }

    @Test("a long value is cut, its escapes counted", arguments: ["a", "\u{1}", "\"", "\n", "🌱"])
    func longValue(_ part: String) {
        let line = LogLine(.info, "x", ["v": String(repeating: part, count: 100_000)])
        #expect(line.text(time: nil).utf8.count < LogLine.valueByteCountMax + 50)
    }

    @Test("a crowd of events is cut to so many a second, and what was left out is told")
    func limit() {
        var limit = LogLimit()
        let line = LogLine(.warning, "refused")
        var written = 0
        for _ in 0..<1000 {
            written += limit.admit(line, now: Instant(milliseconds: 5000)).count
        }
        #expect(written == LogLimit.linesPerSecondMax)
        let next = limit.admit(line, now: Instant(milliseconds: 6000))
        #expect(next.map(\.event) == ["lines-left-out", "refused"])
        #expect(next.first?.text(time: nil).contains("count=800") == true)
    }
}
