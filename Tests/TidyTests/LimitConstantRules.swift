/// The check that each constant of a type of limits has its number on the page, or a reason in `Tests/limits.txt`.
enum LimitConstantRules {
    /// A constant of a type whose name ends with `Limits`.
    struct Constant: Equatable {
        /// The file, from the folder Sources.
        let path: String
        let type: String
        let name: String
        let line: Int
    }

    /// Constants that no line of the table names, and lines that give a reason for nothing or give none.
    ///
    /// - Parameter files: by their paths below Sources.
    static func findings(
        in files: [(path: String, file: SourceFile)], table: SourceFile
    )
        -> [Finding]
    {
        let expressions = LimitRules.entries(of: table).flatMap(\.expressions)
        let named = Set(expressions.compactMap(place))
        let reasons = reasons(in: table)
        var findings: [Finding] = []
        var told: Set<Int> = []
        for (path, file) in files {
            for constant in constants(in: file, at: path)
            where !named.contains("\(path): \(constant.name)") {
                let own = reasons.filter {
                    ["\(path): \(constant.name)", "\(path): \(constant.type)"].contains($0.place)
                }
                told.formUnion(own.map(\.line))
                guard own.isEmpty else { continue }
                findings.append(
                    file.finding(
                        constant.line,
                        "'\(constant.name)' is on no line of \(LimitRules.table): give \(LimitRules.page) "
                            + "a row, or the table a reason under [\(LimitRules.unnamedHeading)]"))
            }
        }
        for reason in reasons where !told.contains(reason.line) || reason.text.isEmpty {
            findings.append(
                table.finding(reason.line, "no limit needs this reason, or there is none here"))
        }
        return findings
    }

    /// `File.swift: name` of an expression, without the type before the name and what is calculated.
    private static func place(of expression: String) -> String? {
        let words = expression.split(separator: " ")
        guard words.count > 1, words[0].hasSuffix(".swift:") else { return nil }
        return words[0] + " " + (words[1].split(separator: ".").last ?? "")
    }

    private static func reasons(in table: SourceFile) -> [(place: String, text: String, line: Int)]
    {
        var heading = ""
        var found: [(place: String, text: String, line: Int)] = []
        for (index, line) in table.lines.enumerated() {
            if line.hasPrefix("[") { heading = String(line.dropFirst().dropLast()) }
            guard heading == LimitRules.unnamedHeading, line.contains("|") else { continue }
            let parts = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { String($0).trimmed }
            found.append((parts[0], parts[1], index))
        }
        return found
    }

    /// The stored constants of types of limits; one that only takes another limit is that one.
    static func constants(in file: SourceFile, at path: String) -> [Constant] {
        var type = ""
        var found: [Constant] = []
        for (index, line) in file.lines.enumerated() {
            let words = line.split(separator: " ").map { String($0.prefix { $0 != ":" }) }
            if !line.hasPrefix(" "), !line.isEmpty {
                let kind = words.firstIndex { ["enum", "struct", "extension"].contains($0) }
                let name = kind.flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
                type = name.flatMap { $0.hasSuffix("Limits") ? $0 : nil } ?? ""
            }
            guard !type.isEmpty, line.hasPrefix("    "), !line.hasPrefix("     "),
                let keyword = words.firstIndex(where: { ["let", "var"].contains($0) }),
                words.indices.contains(keyword + 1), line.contains(" =")
            else { continue }
            let name = words[keyword + 1]
            let value = LimitRules.assigned(to: name, in: Array(file.lines[index...])) ?? ""
            let isTaken = value.contains("Limits.") && !value.contains(" ")
            if !isTaken { found.append(Constant(path: path, type: type, name: name, line: index)) }
        }
        return found
    }
}
