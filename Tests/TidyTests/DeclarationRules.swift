/// Declarations: documented where other modules see them, and one type a file.
enum DeclarationRules {
    private static let typeKeywords: Set<String> = ["struct", "class", "enum", "protocol", "actor"]
    private static let memberKeywords: Set<String> = [
        "func", "var", "let", "init", "subscript", "typealias", "associatedtype", "case", "macro",
    ]

    /// Requirements of the standard library whose meaning their protocol has documented.
    private static let inherited: Set<String> = ["==", "<", "hash", "description"]

    /// `package` and `public` declarations without a doc comment.
    static func documentationFindings(in file: SourceFile) -> [Finding] {
        file.swift.code.enumerated().compactMap { index, line in
            guard let name = undocumentedCandidate(line), !inherited.contains(name),
                !isDocumented(file, at: index)
            else { return nil }
            return file.finding(index, "'\(name)' is seen by other modules: say what it is")
        }
    }

    /// The name that a line declares for other modules, if it does.
    private static func undocumentedCandidate(_ line: String) -> String? {
        let words = line.trimmed.split(separator: " ").map { String($0) }
        guard let keyword = words.firstIndex(where: { isDeclaration($0) }) else { return nil }
        let modifiers = words[..<keyword]
        guard modifiers.contains("package") || modifiers.contains("public"),
            modifiers.allSatisfy({ isModifier($0) })
        else { return nil }
        let bare = words[keyword].prefix { $0.isNamePart }
        if bare == "init" || bare == "subscript" { return String(bare) }
        var next = keyword + 1
        if next < words.count, words[keyword] == "class", memberKeywords.contains(words[next]) {
            next += 1  // `class func`
        }
        guard next < words.count else { return words[keyword] }
        let name = words[next].prefix { $0 != "(" && $0 != "<" && $0 != ":" }
        return name.isEmpty ? String(words[next].prefix { $0 != "(" }) : String(name)
    }

    private static func isDeclaration(_ word: String) -> Bool {
        let bare = String(word.prefix { $0.isNamePart })
        return typeKeywords.contains(word) || memberKeywords.contains(word)
            || ((bare == "init" || bare == "subscript") && bare != word)
    }

    private static func isModifier(_ word: String) -> Bool {
        word.hasPrefix("@") || word.contains(")")
            || (word.first?.isLowercase ?? false)
    }

    /// Whether a doc comment stands above the line, over any attributes.
    private static func isDocumented(_ file: SourceFile, at index: Int) -> Bool {
        var above = index - 1
        while above >= 0 {
            let line = file.lines[above].trimmed
            if line.hasPrefix("///") || line.hasSuffix("*/") { return true }
            guard line.hasPrefix("@") || line.hasPrefix("//") || line.hasPrefix("#if") else {
                return false
            }
            above -= 1
        }
        return false
    }

    /// Files that declare one type at the top, of another name than theirs.
    ///
    /// Several small types that only make sense together share a file, which is named for their topic.
    /// A test file may keep private types beside its suite.
    static func typeFindings(in file: SourceFile) -> [Finding] {
        var types = topLevelTypes(in: file)
        if file.path.hasPrefix("Tests/") { types.removeAll { $0.isPrivate } }
        // The same name twice is one type, written for two builds.
        guard let first = types.first else { return [] }
        if file.stem.contains("+") {
            let rule = "a Type+Concern file extends; it declares '\(first.name)'"
            return [file.finding(first.line, rule)]
        }
        guard types.allSatisfy({ $0.name == first.name }), first.name != file.stem else {
            return []
        }
        let rule = "type '\(first.name)' lives in '\(file.stem).swift'; type and file share a name"
        return [file.finding(first.line, rule)]
    }

    /// Names of types at the top of more than one file.
    ///
    /// - Parameter exceptions: names that may stand twice, each with its reason.
    static func doubleFindings(
        in files: [SourceFile], exceptions: [String: String]
    ) -> [Finding] {
        var homes: [String: String] = [:]
        var findings: [Finding] = []
        for file in files {
            for type in topLevelTypes(in: file) where exceptions[type.name] == nil {
                if let home = homes[type.name], home != file.path {
                    let rule = "'\(type.name)' is a type of \(home) as well: one name, one type"
                    findings.append(file.finding(type.line, rule))
                }
                homes[type.name] = file.path
            }
        }
        return findings
    }

    /// Type names that stand twice, each with its reason; a name that stands once is refused.
    static let doubles: [String: String] = [:]

    /// A type declared outside of any braces.
    struct TopLevelType: Equatable {
        let name: String
        let line: Int
        let isPrivate: Bool
    }

    static func topLevelTypes(in file: SourceFile) -> [TopLevelType] {
        var depth = 0
        var found: [TopLevelType] = []
        for (index, line) in file.swift.code.enumerated() {
            if depth == 0, let type = declaredType(line, at: index) { found.append(type) }
            for character in line {
                if "{([".contains(character) { depth += 1 }
                if "})]".contains(character) { depth -= 1 }
            }
        }
        return found
    }

    private static func declaredType(_ line: String, at index: Int) -> TopLevelType? {
        let words = line.trimmed.split(separator: " ").map { String($0) }
        guard let keyword = words.firstIndex(where: { typeKeywords.contains($0) }),
            keyword + 1 < words.count, words[..<keyword].allSatisfy({ isModifier($0) }),
            !words[..<keyword].contains("import")
        else { return nil }
        let name = String(words[keyword + 1].prefix { $0.isNamePart })
        let isPrivate = words[..<keyword].contains { $0 == "private" || $0 == "fileprivate" }
        return TopLevelType(name: name, line: index, isPrivate: isPrivate)
    }
}
