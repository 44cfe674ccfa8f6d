import Testing

@Suite("Limits on the page and in the code")
struct LimitTests {
    private let tree = SourceTree.shared

    @Test("every number of the page of limits is that of its constant")
    func numbersAgree() throws {
        let page = try #require(tree.file(LimitRules.page))
        let table = try #require(tree.file(LimitRules.table))
        let findings = LimitRules.findings(page: page, table: table) { path in
            tree.file("Sources/" + path)?.lines
        }
        #expect(findings.isEmpty, "\(findings.listed)")
        #expect(LimitRules.rows(of: page).count > 150)
        let compared = LimitRules.entries(of: table).flatMap(\.expressions).count { $0 != "-" }
        #expect(compared > 150)
    }

    @Test("a number that differs, a row without a line and a line without a row are found")
    func planted() {
        let page = SourceFile(
            path: "page.md",
            text: """
                ## One
                | what | most | unit |
                |---|---|---|
                | a thing | 1,024 | bytes |
                | things; of more none | 12; 3 of one | things |
                | other | 7 | things |
                """)
        func table(_ lines: String) -> SourceFile {
            SourceFile(path: "table.txt", text: "# a line | nothing\n[One]\n" + lines)
        }
        let source: [String: [String]] = [
            "A.swift": [
                "    package static let first: Int64 = 1 << 10", "    var second =",
                "        first / 4 * 3",
                "    static let time = Duration.seconds(2 * 60)", "limits.pair = [7, 8_000]",
            ]
        ]
        func findings(_ lines: String) -> [String] {
            LimitRules.findings(page: page, table: table(lines)) { source[$0] }.map(\.rule)
        }
        let good =
            "a thing | A.swift: first\nthings | A.swift: time / 10 & -\nother | A.swift: limits.pair [0]"
        #expect(findings(good) == [])
        #expect(findings(good + "\nnobody | -").count == 1)
        #expect(findings(String(good.dropLast(4)) + " [1]").count == 1)
        #expect(findings(good.replacing(": first", with: ": second")).count == 1)
        #expect(findings(good.replacing("A.swift: first", with: "B.swift: first")).count == 1)
        #expect(findings(good.replacing(" & -", with: "")).count == 1)
        #expect(findings(good.replacing("other", with: "another")).count == 2)
    }
}
