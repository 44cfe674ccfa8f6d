/// The check that the numbers of `Protocol/6-Limits.md` are those of the constants in `Tests/limits.txt`.
enum LimitRules {
    static let page = "Protocol/6-Limits.md"
    static let table = "Tests/limits.txt"
    /// The heading of the table over constants that the page does not name.
    static let unnamedHeading = "Not on the page"

    /// A row of the page that has a number.
    struct Row: Equatable {
        let heading: String
        let name: String
        let numbers: [Int]
        let line: Int
    }

    /// A line of the table: the start of a row's name, and an expression for each of its numbers.
    struct Entry: Equatable {
        let heading: String
        let name: String
        let expressions: [String]
        let line: Int
    }

    /// Rows without a line, lines without a row, and numbers that differ.
    ///
    /// - Parameter source: the text of a file below Sources, by its path there.
    static func findings(
        page: SourceFile, table: SourceFile, source: @escaping (String) -> [String]?
    ) -> [Finding] {
        let (rows, entries) = (rows(of: page), entries(of: table))
        var findings: [Finding] = []
        var told: Set<Int> = []
        for row in rows {
            let own = entries.filter { isOf(row, $0, among: rows) }
            guard own.count == 1, let entry = own.first else {
                findings.append(
                    page.finding(
                        row.line,
                        "'\(row.name)' fits \(own.count) lines of \(Self.table): make it one"))
                continue
            }
            told.insert(entry.line)
            guard entry.expressions.count == row.numbers.count else {
                findings.append(
                    table.finding(
                        entry.line,
                        "the row has \(row.numbers.count) numbers, and the line \(entry.expressions.count)"
                    ))
                continue
            }
            for (number, expression) in zip(row.numbers, entry.expressions) where expression != "-"
            {
                let value = value(of: expression, source)
                if value == number { continue }
                findings.append(
                    page.finding(
                        row.line,
                        "'\(row.name)' is \(number) here, and \(expression) "
                            + (value.map { "is \($0)" } ?? "cannot be worked out")))
            }
        }
        for entry in entries where !told.contains(entry.line) {
            findings.append(table.finding(entry.line, "no row of the page begins so"))
        }
        return findings
    }

    private static func isOf(_ row: Row, _ entry: Entry, among rows: [Row]) -> Bool {
        guard row.heading == entry.heading, row.name.hasPrefix(entry.name) else { return false }
        return row.name == entry.name
            || !rows.contains { $0.heading == entry.heading && $0.name == entry.name }
    }

    // MARK: Reading

    static func rows(of page: SourceFile) -> [Row] {
        var heading = ""
        var found: [Row] = []
        for (index, line) in page.lines.enumerated() {
            if line.hasPrefix("## ") { heading = String(line.dropFirst(3)) }
            guard line.hasPrefix("|"), !heading.isEmpty else { continue }
            let cells = line.split(separator: "|").map { String($0).trimmed }
            guard cells.count > 1 else { continue }
            let numbers = numbers(in: cells[1])
            if !numbers.isEmpty {
                found.append(Row(heading: heading, name: cells[0], numbers: numbers, line: index))
            }
        }
        return found
    }

    static func entries(of table: SourceFile) -> [Entry] {
        var heading = ""
        var found: [Entry] = []
        for (index, line) in table.lines.enumerated() {
            if line.hasPrefix("["), line.hasSuffix("]") {
                heading = String(line.dropFirst().dropLast())
            }
            let parts = line.split(separator: "|").map { String($0).trimmed }
            guard !line.hasPrefix("#"), heading != unnamedHeading, parts.count == 2 else {
                continue
            }
            let expressions = parts[1].split(separator: "&").map { String($0).trimmed }
            found.append(
                Entry(heading: heading, name: parts[0], expressions: expressions, line: index))
        }
        return found
    }

    /// The whole numbers of a text, without the commas between their digits.
    static func numbers(in text: String) -> [Int] {
        var found: [Int] = []
        var digits = ""
        for character in text + " " {
            if character.isNumber {
                digits.append(character)
            } else if character != "," || digits.isEmpty {
                if let number = Int(digits) { found.append(number) }
                digits = ""
            }
        }
        return found
    }

    // MARK: Working out

    /// The value of `File.swift: name * 1000`; nil if there is none.
    static func value(
        of expression: String, _ source: @escaping (String) -> [String]?
    )
        -> Int?
    {
        guard let colon = expression.firstIndex(of: ":"),
            let whole = source(String(expression[..<colon]))
        else { return nil }
        var words = expression[expression.index(after: colon)...].split(separator: " ")
            .map { String($0) }
        guard !words.isEmpty else { return nil }
        let name = words.removeFirst()
        let lines = scope(of: name, in: whole)
        guard let text = assigned(to: name, in: lines) else { return nil }
        if let part = words.first, part.hasPrefix("[") {
            guard let index = numbers(in: part).first else { return nil }
            let parts = numbers(in: text.filter { $0 != "_" })
            return parts.indices.contains(index) ? parts[index] : nil
        }
        return Arithmetic(lines, source).value(
            words.isEmpty ? text : "(\(text)) " + words.joined(separator: " "))
    }

    /// The lines from the type of a name on: two types of one file may have constants of one name.
    private static func scope(of name: String, in lines: [String]) -> [String] {
        let parts = name.split(separator: ".")
        guard parts.count == 2, parts[0].first?.isUppercase == true else { return lines }
        let start = lines.firstIndex { line in
            ["enum", "struct", "class"].contains { line.contains("\($0) \(parts[0]) ") }
        }
        return Array(lines[(start ?? 0)...])
    }

    /// The text behind the sign that assigns to a name; a name of a type and one of its constants is looked up in that type.
    static func assigned(to name: String, in lines: [String]) -> String? {
        let parts = name.split(separator: ".").map { String($0) }
        var isInside = parts.count < 2 || parts[0].first?.isUppercase != true
        for (index, line) in lines.enumerated() {
            if !isInside,
                line.contains("enum \(parts[0]) ") || line.contains("struct \(parts[0]) ")
                    || line.contains("class \(parts[0]) ")
            {
                isInside = true
            }
            guard isInside, let equals = line.firstRange(of: " =") else { continue }
            let before = String(line[..<equals.lowerBound].prefix { $0 != ":" }).trimmed
            let target = parts.count == 2 && parts[0].first?.isUppercase == true ? parts[1] : name
            guard before == target || before.hasSuffix(" " + target) else { continue }
            let rest = String(line[equals.upperBound...]).trimmed
            // An expression may begin below, and go on there.
            var parts = rest.isEmpty ? [] : [rest]
            for line in lines[(index + 1)...] {
                guard parts.isEmpty || "+-*/".contains(line.trimmed.first ?? " ") else { break }
                if line.trimmed.hasPrefix("//") { break }
                parts.append(line.trimmed)
            }
            return parts.joined(separator: " ")
        }
        return nil
    }
}

/// Works out what constants are assigned: whole numbers, names of other constants, + - * / << and brackets.
private struct Arithmetic {
    private let lines: [String]
    private let source: (String) -> [String]?
    private static let depthMax = 8

    init(_ lines: [String], _ source: @escaping (String) -> [String]?) {
        self.lines = lines
        self.source = source
    }

    func value(_ text: String, _ depth: Int = 0) -> Int? {
        guard depth < Self.depthMax else { return nil }
        var tokens = Self.tokens(text)[...]
        guard let value = sum(&tokens, depth), tokens.isEmpty else { return nil }
        return value
    }

    /// Numbers, names and signs; what makes a length of time of a number is left out.
    private static func tokens(_ text: String) -> [String] {
        var found: [String] = []
        var word = ""
        for character in text + " " {
            if character.isLetter || character.isNumber || character == "_" || character == "." {
                word.append(character)
                continue
            }
            if !word.isEmpty, !["Duration.seconds", ".seconds", "Int64"].contains(word) {
                found.append(word)
            }
            word = ""
            if character == "<", found.last == "<" {
                found[found.count - 1] = "<<"
            } else if "+-*/()<".contains(character) {
                found.append(String(character))
            } else if !character.isWhitespace {
                found.append(String(character))
            }
        }
        return found
    }

    private func sum(_ tokens: inout ArraySlice<String>, _ depth: Int) -> Int? {
        guard var value = product(&tokens, depth) else { return nil }
        while let sign = tokens.first, sign == "+" || sign == "-" {
            tokens.removeFirst()
            guard let next = product(&tokens, depth) else { return nil }
            value = sign == "+" ? value + next : value - next
        }
        return value
    }

    private func product(_ tokens: inout ArraySlice<String>, _ depth: Int) -> Int? {
        guard var value = factor(&tokens, depth) else { return nil }
        while let sign = tokens.first, ["*", "/", "<<"].contains(sign) {
            tokens.removeFirst()
            guard let next = factor(&tokens, depth), sign != "/" || next != 0 else { return nil }
            value = sign == "*" ? value * next : sign == "/" ? value / next : value << next
        }
        return value
    }

    private func factor(_ tokens: inout ArraySlice<String>, _ depth: Int) -> Int? {
        guard let token = tokens.popFirst() else { return nil }
        if token == "(" {
            guard let value = sum(&tokens, depth), tokens.popFirst() == ")" else { return nil }
            return value
        }
        if token.first?.isNumber == true { return Int(token.filter { $0 != "_" }) }
        let parts = token.split(separator: ".").map { String($0) }
        // Limits of the protocol are named all over the tree.
        let places =
            [lines] + (parts.count == 2 ? [source("Core/CBOR/Limits.swift") ?? []] : [])
        // With its type first: a file may give a constant the name of the one that it takes.
        for name in [token] + parts.dropFirst().suffix(parts.count == 2 ? 1 : 0) {
            for place in places {
                if let text = LimitRules.assigned(to: name, in: place) {
                    return Arithmetic(place, source).value(text, depth + 1)
                }
            }
        }
        return nil
    }
}
