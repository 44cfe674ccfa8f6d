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

    @Test("every constant of a type of limits is on the page, or has a reason")
    func constantsAreNamed() throws {
        let table = try #require(tree.file(LimitRules.table))
        // The simulator's limits bound scenarios; no device has them.
        let files = tree.swiftFiles(under: "Sources").map {
            (path: String($0.path.dropFirst("Sources/".count)), file: $0)
        }.filter { !$0.path.hasPrefix("Simulation/") }
        let findings = LimitConstantRules.findings(in: files, table: table)
        #expect(findings.isEmpty, "\(findings.listed)")
        let constants = files.flatMap { LimitConstantRules.constants(in: $0.file, at: $0.path) }
        #expect(constants.count > 100)
        #expect(Set(constants.map(\.type)).isSuperset(of: ["WireLimits", "SessionLimits"]))
    }

    @Test("a constant that no line names, and a reason for nothing, are found")
    func plantedConstants() {
        let file = SourceFile(
            path: "Sources/A.swift",
            text: """
                enum ThingLimits {
                    static let countMax = 7
                    var other: Int64 =
                        1 << 10
                    var taken = ThingLimits.countMax
                    var computed: Int { 3 }
                }
                enum Thing {
                    static let none = 7
                }
                """)
        func findings(_ table: String) -> Int {
            LimitConstantRules.findings(
                in: [("A.swift", file)], table: SourceFile(path: "table.txt", text: table)
            ).count
        }
        let row = "[One]\na thing | A.swift: ThingLimits.countMax / 2\n"
        #expect(findings("") == 2)
        #expect(findings(row) == 1)
        #expect(findings(row + "[Not on the page]\nA.swift: other | local") == 0)
        #expect(findings(row + "[Not on the page]\nA.swift: ThingLimits | local") == 0)
        #expect(findings(row + "[Not on the page]\nA.swift: other |") == 1)
        #expect(
            findings(row + "[Not on the page]\nA.swift: other | local\nA.swift: countMax | local")
                == 1)
    }
}
