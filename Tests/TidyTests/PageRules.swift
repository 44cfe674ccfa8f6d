/// The check that everything the pages name exists.
enum PageRules {
    private static let folders = [
        "Sources/", "Tests/", "Tools/", "Examples/", "Protocol/", ".github/", ".ci/",
    ]
    private static let checkedEndings = [".swift", ".md", ".cddl", ".py"]

    /// The pages that are checked, of all paths in the tree.
    static func pages(in tree: SourceTree) -> [SourceFile] {
        tree.paths.filter { path in
            [
                "README.md", "ARCHITECTURE.md", "GLOSSARY.md", ".github/CONTRIBUTING.md",
                ".github/SECURITY.md",
            ].contains(path)
                || ((path.hasPrefix("Protocol/") || path.hasPrefix("docs/"))
                    && path.hasSuffix(".md"))
        }.compactMap { tree.file($0) }
    }

    /// Names on a page that lead nowhere.
    static func findings(in page: SourceFile, tree: SourceTree, targets: Set<String>) -> [Finding] {
        var findings: [Finding] = []
        for (index, line) in page.lines.enumerated() {
            for token in tokens(in: line) {
                if let fault = fault(of: token, on: page, in: tree) {
                    findings.append(page.finding(index, fault))
                }
            }
            for target in programs(in: line) where !targets.contains(target) {
                findings.append(page.finding(index, "Package.swift has no target '\(target)'"))
            }
        }
        return findings
    }

    /// The words of a line that look like paths, with `{a,b}` written out.
    static func tokens(in line: String) -> [String] {
        line.split { !($0.isNamePart || "./-+{},*#:".contains($0)) }
            .flatMap { expanded(String($0)) }
            .map { word in
                var word = String(word.prefix { $0 != "#" && $0 != ":" && $0 != "," })
                while word.hasSuffix(".") { word.removeLast() }
                return word
            }
            .filter { !$0.isEmpty }
    }

    /// `a/{b,c}/d` as `a/b/d` and `a/c/d`.
    private static func expanded(_ word: String) -> [String] {
        guard let open = word.firstIndex(of: "{"), let close = word.firstIndex(of: "}"),
            open < close
        else { return [word] }
        return word[word.index(after: open)..<close].split(separator: ",").flatMap {
            expanded(String(word[..<open]) + $0 + word[word.index(after: close)...])
        }
    }

    /// Why the token leads nowhere, or nil if it leads somewhere or is no path.
    private static func fault(
        of token: String, on page: SourceFile, in tree: SourceTree
    ) -> String? {
        if token.hasPrefix("./") {
            let path = String(token.dropFirst(2))
            guard folders.contains(where: { path.hasPrefix($0) }) else { return nil }
            return tree.isExecutable(path) ? nil : "'\(token)' is no program that can be run"
        }
        if folders.contains(where: { token.hasPrefix($0) }) {
            return leadsSomewhere(token, tree) ? nil : "'\(token)' does not exist"
        }
        guard checkedEndings.contains(where: { token.hasSuffix($0) && token != $0 }),
            !token.contains("*")
        else { return nil }
        let folder = page.path.split(separator: "/").dropLast().joined(separator: "/")
        let beside = folder.isEmpty ? token : folder + "/" + token
        if leadsSomewhere(normalized(beside), tree) || leadsSomewhere(token, tree) { return nil }
        let isNamed = !token.contains("/") && tree.paths.contains { $0.hasSuffix("/" + token) }
        return isNamed ? nil : "'\(token)' does not exist"
    }

    private static func leadsSomewhere(_ path: String, _ tree: SourceTree) -> Bool {
        guard let star = path.firstIndex(of: "*") else { return tree.exists(path) }
        let before = path[..<star]
        let after = path[path.index(after: star)...]
        return tree.paths.contains { $0.hasPrefix(before) && $0.hasSuffix(after) }
    }

    /// The path with each `folder/..` taken out.
    private static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", !parts.isEmpty { parts.removeLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }

    /// The programs that a line runs or builds by name.
    static func programs(in line: String) -> [String] {
        let words = line.split { $0 == " " || $0 == "`" }.map { String($0) }
        return words.indices.compactMap { index in
            guard index + 1 < words.count else { return nil }
            let isRun = index > 0 && words[index - 1] == "swift" && words[index] == "run"
            guard isRun || words[index] == "--product" else { return nil }
            let name = words[(index + 1)...].first { !$0.hasPrefix("-") && $0 != "release" } ?? ""
            return name.isEmpty || !name.allSatisfy { $0.isNamePart } ? nil : name
        }
    }
}
