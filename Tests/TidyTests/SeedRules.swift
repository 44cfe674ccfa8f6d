/// Every behaviour that was asked for has a test that runs, and the table of them tells the truth.
enum SeedRules {
    /// How many behaviours there are.
    static let rowCount = 22

    /// Rows that are missing or double, and proofs that are not in the tree or do not run.
    ///
    /// - Parameter file: a file of the tree by its path; nil if there is none.
    static func findings(in rows: [SeedRow], file: (String) -> SourceFile?) -> [String] {
        var findings: [String] = []
        for number in 1...rowCount {
            let count = rows.count { $0.number == number }
            if count != 1 { findings.append("row \(number) is there \(count) times") }
        }
        for row in rows {
            if !(1...rowCount).contains(row.number) {
                findings.append("there is no row \(row.number)")
            }
            if row.behaviour.isEmpty { findings.append("row \(row.number) says nothing") }
            if row.proofs.isEmpty { findings.append("row \(row.number) has no proof") }
            for proof in row.proofs {
                guard let found = file(proof.path) else {
                    findings.append("row \(row.number): there is no \(proof.path)")
                    continue
                }
                if !holds(proof, in: found) {
                    findings.append(
                        "row \(row.number): \(proof.path) has no test '\(proof.function)' that runs"
                    )
                }
            }
        }
        return findings
    }

    private static func holds(_ proof: SeedProof, in file: SourceFile) -> Bool {
        switch proof {
        case .test(_, let function):
            // The scanner has taken comments and literals out.
            let lines = file.swift.code.map(\.trimmed)
            return lines.indices.contains { index in
                lines[index].hasPrefix("func \(function)(") && isTest(before: index, in: lines)
            }
        case .script(_, let function):
            let lines = file.lines
            return lines.indices.contains { index in
                lines[index].hasPrefix("    def \(function)(self")
                    && function.hasPrefix("test_")
                    && (index == 0 || !lines[index - 1].trimmed.hasPrefix("@"))
            }
        case .scenario(let path):
            // A scenario with such a name shows a known bug that is not fixed.
            let name = path.split(separator: "/").last ?? ""
            return !name.hasPrefix("open-")
                && file.lines.contains { $0.trimmed.hasPrefix("expect ") || $0.contains("refused") }
        }
    }

    /// Whether the attribute of a test that is not switched off stands right above a function.
    private static func isTest(before index: Int, in lines: [String]) -> Bool {
        for line in lines[..<index].reversed() {
            if line.isEmpty || line.contains("disabled(") { return false }
            if line.hasPrefix("@Test") { return true }
            if line.hasPrefix("func ") || line == "}" { return false }
        }
        return false
    }
}
