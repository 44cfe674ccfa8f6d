/// How long a file and a function may be.
enum SizeRules {
    static let fileLinesMax = 600
    static let fileLinesWanted = 400
    static let functionLinesMax = 70
    static let readmeLinesMax = 150
    static let fileLinesMin = 20

    /// A file of a few lines that does not begin with a comment, the reason why it is alone.
    static func loneFileFindings(in file: SourceFile) -> [Finding] {
        guard file.lineCount < fileLinesMin, file.lines.first?.hasPrefix("// ") != true
        else { return [] }
        let rule =
            "\(file.lineCount) lines; fold it into its topic, or begin it with the reason: // …"
        return [Finding(path: file.path, line: 0, rule: rule)]
    }

    static func findings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        if file.lineCount > fileLinesMax {
            let rule = "\(file.lineCount) lines; a file has at most \(fileLinesMax)"
            findings.append(Finding(path: file.path, line: 0, rule: rule))
        }
        for function in functions(in: file) where function.lineCount > functionLinesMax {
            let rule = "'\(function.name)' has \(function.lineCount) lines, at most"
            findings.append(file.finding(function.line, rule + " \(functionLinesMax)"))
        }
        return findings
    }

    /// A function with a body: name, first line (from 0), lines to its closing brace included.
    struct Function: Equatable {
        let name: String
        let line: Int
        let lineCount: Int
    }

    /// Every function, initialiser and subscript that has a body, nested ones too.
    static func functions(in file: SourceFile) -> [Function] {
        let code = file.swift.code.map { Array($0) }
        var found: [Function] = []
        for (index, line) in file.swift.code.enumerated() {
            guard let name = declaredFunction(line),
                let last = closingLine(code, from: index)
            else { continue }
            found.append(Function(name: name, line: index, lineCount: last - index + 1))
        }
        return found
    }

    /// The name of the function that the line declares, if it declares one.
    private static func declaredFunction(_ line: String) -> String? {
        let names = line.trimmed.split(separator: " ").map { String($0) }
        if let keyword = names.firstIndex(of: "func"), keyword + 1 < names.count {
            guard names[..<keyword].allSatisfy({ isModifier($0) }) else { return nil }
            return String(names[keyword + 1].prefix { $0 != "(" && $0 != "<" })
        }
        guard let keyword = names.firstIndex(where: { !isModifier($0) }) else { return nil }
        for word in ["init", "deinit", "subscript"] where names[keyword].hasPrefix(word) {
            let next = names[keyword].dropFirst(word.count).first
            let isDeclared = word == "deinit" ? next == nil : next.map { "(<?!".contains($0) }
            if isDeclared ?? false { return word }
        }
        return nil
    }

    private static func isModifier(_ word: String) -> Bool {
        let modifiers: Set = [
            "public", "package", "internal", "fileprivate", "private", "static", "class", "final",
            "override", "mutating", "nonmutating", "consuming", "borrowing", "required",
            "convenience", "nonisolated", "isolated", "async", "prefix", "postfix", "infix",
            "indirect", "unsafe",
        ]
        return word.hasPrefix("@") || modifiers.contains(word)
            || word.hasPrefix("nonisolated(")
    }

    /// The line on which the body that starts at or after `start` closes; nil without a body.
    private static func closingLine(_ code: [[Character]], from start: Int) -> Int? {
        var parentheses = 0
        var braces = 0
        for index in start..<code.count {
            if index > start, braces == 0, parentheses == 0,
                declaredFunction(String(code[index])) != nil
            {
                return nil  // a requirement without a body; this is the next one
            }
            for character in code[index] {
                switch character {
                case "(", "[": parentheses += 1
                case ")", "]": parentheses -= 1
                case "{" where parentheses == 0 || braces > 0: braces += 1
                case "}" where parentheses == 0 || braces > 0:
                    braces -= 1
                    if braces == 0 { return index }
                    if braces < 0 { return nil }
                default: break
                }
            }
        }
        return nil
    }
}
