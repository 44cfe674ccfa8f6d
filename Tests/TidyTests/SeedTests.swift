import Testing

@Suite("What was asked for")
struct SeedTests {
    private let tree = SourceTree.shared

    @Test("every behaviour that was asked for is named once, with tests that exist and run")
    func everyRowHasProofs() {
        let findings = SeedRules.findings(in: SeedTable.rows) { tree.file($0) }
        #expect(findings.isEmpty, "\n\(findings.joined(separator: "\n"))")
    }

    private static let files = [
        "Tests/A.swift": """
        @Test("a", arguments: [
            1,
        ])
        func runs() {
            \"""
            func quoted() {
            \"""
        }

        @Test("b", .disabled("later"))
        func sleeps() {}

        // @Test("c")
        func helper() {}
        """,
        "Tests/EndToEnd/b.py": """
        class B:
            def test_runs(self):
                pass

            @unittest.skip("later")
            def test_sleeps(self):
                pass
        """,
        "Tools/simulate/Scenarios/c.scenario": "expect laptop has milk",
        "Tools/simulate/Scenarios/open-c.scenario": "expect laptop has milk",
        "Tools/simulate/Scenarios/says-nothing.scenario": "laptop creates milk",
    ]

    private func findings(_ proofs: [SeedProof]) -> [String] {
        let rows = (1...SeedRules.rowCount).map {
            SeedRow($0, "x", $0 == 1 ? proofs : [.scenario("c")])
        }
        return SeedRules.findings(in: rows) { path in
            Self.files[path].map { SourceFile(path: path, text: $0) }
        }
    }

    @Test("what exists and runs is a proof")
    func proofs() {
        #expect(findings([.test("A", "runs"), .script("b", "test_runs"), .scenario("c")]).isEmpty)
    }

    @Test("what is missing, switched off, a helper, quoted or asserts nothing is none")
    func noProofs() {
        let wrong: [SeedProof] = [
            .test("A", "sleeps"), .test("A", "helper"), .test("A", "quoted"), .test("A", "missing"),
            .test("B", "runs"), .script("b", "test_sleeps"), .script("b", "test_missing"),
            .scenario("open-c"), .scenario("missing"), .scenario("says-nothing"),
        ]
        for proof in wrong { #expect(findings([proof]).count == 1, "\(proof)") }
        #expect(findings([]) == ["row 1 has no proof"])
    }

    @Test("a row that is missing, double, strange or says nothing is told")
    func rows() {
        let row = SeedRow(1, "", [.scenario("c")])
        let found = SeedRules.findings(in: [row, row, SeedRow(23, "x", [.scenario("c")])]) { path in
            Self.files[path].map { SourceFile(path: path, text: $0) }
        }
        #expect(found.contains("row 1 is there 2 times"))
        #expect(found.contains("row 2 is there 0 times"))
        #expect(found.contains("row 1 says nothing"))
        #expect(found.contains("there is no row 23"))
    }
}
