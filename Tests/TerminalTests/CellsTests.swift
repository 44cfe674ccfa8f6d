import Terminal
import Testing

@Suite("Room on a screen")
struct CellsTests {
    @Test(
        "letters, marks, wide scripts and pictures take the cells that terminals give them",
        arguments: [
            ("", 0), ("milk", 4), ("é", 1), ("e\u{301}", 1), ("a\u{300}\u{327}", 1), ("—…→", 3),
            ("עברית", 5), ("א\u{5b8}", 1), ("العربية", 7), ("ไทย", 3),
            // Wide scripts, and their narrow and joining forms.
            ("会議", 4), ("한국어", 6), ("ｆｕ", 4), ("ﾊﾝｶｸ", 4), ("ｶ\u{ff9e}", 2), ("𠀀", 2),
            ("\u{1100}\u{1161}\u{11a8}", 2), ("ㄅ", 2), ("。「」", 6),
            // Signs that stand behind their letter take a cell of their own.
            ("हि", 2), ("हिन्दी", 5), ("น้ำ", 2), ("கி", 2), ("မြန်မာ", 5),
            // Pictures.
            ("👍", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("🏳️‍🌈", 2), ("🇩🇪", 2), ("🇩🇪🇯🇵", 4), ("🇩", 1), ("❤️", 2),
            ("1️⃣", 2), ("🏴\u{e0067}\u{e0062}\u{e007f}", 2), ("⌚", 2), ("🌱", 2),
            // Signs that are pictures only if asked for.
            ("❤", 1), ("☺", 1), ("✔", 1), ("🕵", 1), ("🌶", 1), ("™", 1), ("a\u{fe0f}", 1),
            // Invisible characters.
            ("\u{200b}", 0), ("\u{2060}", 0), ("\u{fe0f}", 0),
        ])
    func count(text: String, cells: Int) {
        #expect(Cells.count(text) == cells)
    }

    @Test("what is cut fits, is cut between characters, and says so")
    func cut() {
        #expect(Cells.cut("milk", to: 4) == "milk")
        #expect(Cells.cut("milk and", to: 5) == "milk…")
        #expect(Cells.cut("milk and", to: 6) == "milk…")
        #expect(Cells.cut("会議室", to: 5) == "会議…")
        #expect(Cells.cut("会議室", to: 4) == "会…")
        #expect(Cells.cut("👨‍👩‍👧‍👦👍🏽", to: 3) == "👨‍👩‍👧‍👦…")
        #expect(Cells.cut("e\u{301}e\u{301}e\u{301}", to: 2) == "e\u{301}…")
        #expect(Cells.cut("milk", to: 0) == "")
        for cells in 1...20 {
            #expect(Cells.count(Cells.cut("a会b👍🏽 हिन्दी c한국어 d🇩🇪 e", to: cells)) <= cells)
        }
    }

    @Test("padding fills up, and takes nothing away")
    func pad() {
        #expect(Cells.padded("会", to: 4) == "会  ")
        #expect(Cells.right("会", to: 4) == "  会")
        #expect(Cells.padded("会議", to: 2) == "会議")
    }

    @Test("lines are broken at spaces and between wide characters")
    func wrap() {
        #expect(Cells.wrapped("", first: 10, rest: 10) == [""])
        #expect(Cells.wrapped("one two three", first: 20, rest: 20) == ["one two three"])
        #expect(
            Cells.wrapped("one two three four", first: 9, rest: 10) == ["one two", "three four"])
        #expect(Cells.wrapped("会議の準備をする", first: 8, rest: 10) == ["会議の準", "備をする"])
        #expect(
            Cells.wrapped("abcdefghijklmnopqrst", first: 10, rest: 8)
                == ["abcdefghij", "klmnopqr", "st"])
        #expect(Cells.wrapped("to a/very/long/path here", first: 10, rest: 10)[0] == "to")
    }

    @Test(
        "no line is too long and no character but spaces is lost, whatever the text",
        arguments: 8...30)
    func wrapAnything(width: Int) {
        let texts = [
            "A title that is longer, 会議の準備をする：資料 and 👨‍👩‍👧‍👦 family 🇩🇪 हिन्दी https://example.org/a/b/c/d/e/f/g",
            "  two spaces   in  front and between ", "ｆｕｌｌｗｉｄｔｈ ﾊﾝｶｸ 한국어 제목 테스트",
            String(repeating: "x", count: 100), String(repeating: "会", count: 50),
            "a b c d e f g h i j",
        ]
        for text in texts {
            let lines = Cells.wrapped(text, first: width, rest: max(width - 3, 8))
            for (index, line) in lines.enumerated() {
                #expect(Cells.count(line) <= (index == 0 ? width : max(width - 3, 8)), "\(lines)")
            }
            #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
        }
    }
}
