/// The counts of `docs/counts.md` are those of the tree.
enum CountRules {
    static let page = "docs/counts.md"
    /// How far a count may be off, in percent.
    static let percentMax = 5

    /// A row of the page's table: a folder, with the lines and files of Swift that it states for it.
    struct Row: Equatable {
        let folder: String
        let lines: Int
        let files: Int
        /// The line on the page, from 0.
        let line: Int
    }

    /// The rows of the table, without its head.
    static func rows(of page: SourceFile) -> [Row] {
        page.lines.enumerated().compactMap { index, line in
            let cells = line.split(separator: "|").map { String($0).trimmed }
            guard line.hasPrefix("| `"), cells.count == 7,
                let lines = number(cells[5]), let files = number(cells[6])
            else { return nil }
            let folder = cells[0].split(separator: "`").first.map { String($0) } ?? ""
            return Row(folder: folder, lines: lines, files: files, line: index)
        }
    }

    private static func number(_ text: String) -> Int? { Int(text.filter { $0 != "," }) }

    /// Counts that are too far off, rows of folders without a file, and modules without a row.
    static func findings(in page: SourceFile, files: [SourceFile]) -> [Finding] {
        let rows = rows(of: page)
        var findings = rows.compactMap { row -> Finding? in
            let counted = files.filter { $0.path.hasPrefix(row.folder + "/") }
            let lines = counted.reduce(0) { $0 + $1.lineCount }
            if isNear(row.lines, lines, spare: 0), isNear(row.files, counted.count, spare: 2) {
                return nil
            }
            let rule = "\(row.folder) has \(lines) lines and \(counted.count) files"
            return page.finding(row.line, rule)
        }
        let modules = Set(files.compactMap { FloorTable.module(of: $0.path) })
        for module in modules.sorted() where FloorTable.imports[module] != nil {
            let isListed = rows.contains { $0.folder.split(separator: "/").last ?? "" == module }
            let isCounted = files.contains { $0.path.hasPrefix("Sources/\(module)/") }
            if isCounted, !isListed {
                findings.append(Finding(path: page.path, line: 0, rule: "\(module) has no row"))
            }
        }
        return findings
    }

    /// Whether a stated number is near enough to the counted one; `spare` more or less always is.
    static func isNear(_ stated: Int, _ counted: Int, spare: Int) -> Bool {
        counted > 0 && abs(stated - counted) <= max(counted * percentMax / 100, spare)
    }
}
