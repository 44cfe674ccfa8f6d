import Core
import Testing

@Suite("Visible text")
struct VisibleTextTests {
    @Test(
        "a scalar that steers or hides is shown as an escape",
        arguments: [
            ("\u{1b}[2J", #"\u{1b}[2J"#), ("a\u{9b}31m", #"a\u{9b}31m"#), ("\u{7f}", #"\u{7f}"#),
            ("a\rb", #"a\u{d}b"#), ("\u{0}\u{7}\u{8}", #"\u{0}\u{7}\u{8}"#),
            ("\u{202e}cod.exe", #"\u{202e}cod.exe"#), ("\u{2066}a\u{2069}", #"\u{2066}a\u{2069}"#),
            ("\u{200e}\u{200f}\u{61c}", #"\u{200e}\u{200f}\u{61c}"#),
            ("pay\u{200b}pal", #"pay\u{200b}pal"#), ("a\u{2060}b\u{feff}", #"a\u{2060}b\u{feff}"#),
            ("a\u{200d}b\u{200c}c", #"a\u{200d}b\u{200c}c"#), ("\u{ad}", #"\u{ad}"#),
            ("a\u{2028}b\u{2029}c\u{85}", #"a\u{2028}b\u{2029}c\u{85}"#),
            ("\u{e0041}\u{e007f}", #"\u{e0041}\u{e007f}"#), ("\u{3164}", #"\u{3164}"#),
            ("👩\u{200d}", #"👩\u{200d}"#), ("\u{200d}👩", #"\u{200d}👩"#),
            ("می\u{200c}\u{200c}خواهم", "می\u{200c}\\u{200c}خواهم"),
            ("Phone\u{fe00}", #"Phone\u{fe00}"#), ("Phone\u{fe0f}", #"Phone\u{fe0f}"#),
            ("1\u{fe0f}", #"1\u{fe0f}"#), ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\\u{fe0f}"),
            ("e\u{e0100}", #"e\u{e0100}"#), ("a\u{34f}b", #"a\u{34f}b"#),
            ("a\u{115f}\u{1160}", "a\u{115f}\u{1160}"), ("a\u{1160}", #"a\u{1160}"#),
            ("a\u{115f}", #"a\u{115f}"#), ("a\u{180b}", #"a\u{180b}"#),
            ("a\tb", "a b"), ("a\nb", "a b"),
        ] as [(String, String)])
    func hostile(_ text: String, _ shown: String) {
        #expect(VisibleText.escaped(text) == shown)
        #expect(VisibleText.escaped(shown) == shown)
    }

    @Test(
        "text of people stays as it is",
        arguments: [
            "Buy milk", "Cafe\u{301} nai\u{308}ve", "🌱 🇩🇪 ⏰", "👩‍👩‍👧‍👦", "👩🏽‍💻", "❤️‍🔥", "🏳️‍🌈", "1️⃣",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Scotland",
            "עברית", "العربية", "می‌خواهم", "क्‍ष", "ไทยน้ำ", "한국어", "会議", "葛\u{e0100}", "٪؀١",
            "≨\u{fe00}", "©\u{fe0e}", "ᠠ\u{180b}", "\u{115f}ᅡ", "ᄀ\u{1160}",
            "e\u{301}\u{34f}\u{302}",
        ])
    func people(_ text: String) {
        #expect(VisibleText.escaped(text) == text)
    }

    @Test("every control, bidi control and zero-width scalar is escaped wherever it stands alone")
    func everyScalar() {
        let hidden: [ClosedRange<UInt32>] = [
            0...8, 0xb...0x1f, 0x7f...0x9f, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f,
            0xfeff...0xfeff, 0xfff9...0xfffb, 0xe0000...0xe007f,
        ]
        for value in hidden.joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let shown = VisibleText.escaped("x\(scalar)y")
            #expect(shown == "x\\u{\(String(value, radix: 16))}y")
        }
    }

    @Test("line breaks stay where they are wanted")
    func lines() {
        #expect(VisibleText.escaped("a\nb\r\n", keepsLineBreaks: true) == "a\nb\\u{d}\n")
    }
}
