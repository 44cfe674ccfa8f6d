/// The walks of `ARCHITECTURE.md` agree with what `./Tools/walks` measured last.
enum WalkRules {
    /// A section of a page about one walk.
    struct Walk: Equatable {
        let number: Int
        /// The line of its heading, from 0.
        let line: Int
        /// The lines from the heading on.
        let lines: [String]

        /// The number of files that it states; nil if it states none.
        func fileCount(before words: String) -> Int? {
            let stated = lines.first { $0.containsPhrase(words) } ?? ""
            let before = stated.split(separator: " ").prefix { $0 != "files" }
            return before.last.flatMap { Int($0) }
        }

        /// The Swift files that a line names in code quotes.
        static func files(in line: String) -> [String] {
            line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 && $0.element.hasSuffix(".swift") }
                .map { String($0.element) }
        }
    }

    /// The sections `## Walk N: …` of a page.
    static func walks(of page: SourceFile) -> [Walk] {
        let heads = page.lines.indices.filter { page.lines[$0].hasPrefix("## ") }
        return zip(heads, heads.dropFirst() + [page.lines.count]).compactMap { start, end in
            let words = page.lines[start].split { $0 == " " || $0 == ":" }
            guard words.count > 2, words[1] == "Walk", let number = Int(words[2]) else {
                return nil
            }
            return Walk(number: number, line: start, lines: Array(page.lines[start..<end]))
        }
    }

    /// Walks whose count is not the measured one, and files in their tables that no measured run executed.
    static func findings(in page: SourceFile, measured list: SourceFile) -> [Finding] {
        let measured = Dictionary(
            walks(of: list).map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        return walks(of: page).flatMap { walk -> [Finding] in
            guard let run = measured[walk.number] else {
                return [page.finding(walk.line, "\(list.path) has no walk \(walk.number)")]
            }
            let executed = Set(run.lines.flatMap { Walk.files(in: $0) })
            var findings: [Finding] = []
            if walk.fileCount(before: "files execute lines in this walk") != executed.count {
                let rule = "the walk has \(executed.count) files; run: ./Tools/walks --write"
                findings.append(page.finding(walk.line, rule))
            }
            for (index, line) in walk.lines.enumerated() where line.hasPrefix("|") {
                for file in Walk.files(in: line) where !executed.contains(file) {
                    let rule = "the walk executes no line of \(file); its files: \(list.path)"
                    findings.append(page.finding(walk.line + index, rule))
                }
            }
            return findings
        }
    }
}
