/// Reads the rows of a `TodoistFormat` table; each depends on those above.
struct TodoistReader {
    private let format: TodoistFormat
    private let columns: [String]
    private var section = ""
    /// The tasks that the next row may be a part of, by their level.
    private var above: [(title: String, identifier: UInt128?)] = []
    private var identifiers = DerivedIdentifiers(TodoistFormat.name)
    private var authorCount = 0
    /// Whether the last task was good.
    private var takesNotes = false

    init(_ format: TodoistFormat, _ columns: [String]) {
        self.format = format
        self.columns = columns
    }

    /// Takes a row: a task, or what it says of one.
    mutating func read(
        _ row: CSVReader.Row, into builder: inout ReadingBuilder
    ) throws(FormatFault) {
        guard let cells = row.cells else {
            return try builder.addBad(line: row.line, reason: "is not UTF-8")
        }
        guard cells.count <= columns.count else {
            let reason = "has \(cells.count) cells, the header \(columns.count)"
            return try builder.addBad(line: row.line, reason: reason)
        }
        var fields: [String: String] = [:]
        for (column, cell) in zip(columns, cells) where !cell.isEmpty { fields[column] = cell }
        switch fields["TYPE"] {
        case "task":
            let count = builder.reading.items.count
            try builder.add(line: row.line) { entry, losses throws(FormatFault) in
                try task(fields, entry: entry, &losses)
            }
            takesNotes = builder.reading.items.count > count
            // What stands below a bad task must not become a part of another.
            if !takesNotes { above = [] }
        case "section":
            section = fields["CONTENT"] ?? ""
            above = []
            takesNotes = false
        case "note": try readNote(fields, line: row.line, into: &builder)
        // How the list is shown there.
        case "meta": break
        default:
            let type = fields["TYPE"].map { "'\($0.prefix(40))'" } ?? "nothing"
            try builder.addBad(
                line: row.line, reason: "TYPE is \(type), not task, section or note")
        }
    }

    /// Tells what is left out of all rows.
    func finish(_ builder: inout ReadingBuilder) {
        if authorCount == 0 { return }
        builder.add(
            FormatLoss(
                entry: 0, title: "", field: "AUTHOR", reason: "of \(authorCount) left out"))
    }

    private func fault(_ entry: Int, _ key: String, _ reason: String) -> FormatFault {
        .badEntry(format: TodoistFormat.name, entry: entry, key: key, reason: reason)
    }

    /// A comment goes to the notes of the task above it.
    private mutating func readNote(
        _ fields: [String: String], line: Int, into builder: inout ReadingBuilder
    ) throws(FormatFault) {
        guard takesNotes else {
            return try builder.addBad(line: line, reason: "a note without a good task above it")
        }
        let text = fields["CONTENT"] ?? ""
        var isFull = false
        builder.changeItems { items in
            let last = items.count - 1
            let byteCount = items[last].notes.utf8.count + text.utf8.count + 2
            isFull = byteCount > FormatLimits.textByteCountMax
            if isFull { return }
            items[last].notes += (items[last].notes.isEmpty ? "" : "\n\n") + text
        }
        if isFull {
            let reason = "a note for which the notes of its task have no room"
            try builder.addBad(line: line, reason: reason)
        }
    }

    private static let known: Set<String> = [
        "TYPE", "CONTENT", "DESCRIPTION", "PRIORITY", "INDENT", "AUTHOR", "RESPONSIBLE", "DATE",
        "DATE_LANG", "TIMEZONE", "DURATION", "DURATION_UNIT", "DEADLINE", "DEADLINE_LANG", "LABELS",
    ]

    private mutating func task(
        _ fields: [String: String], entry: Int, _ losses: inout [FormatLoss]
    ) throws(FormatFault) -> ToDoItem {
        var item = ToDoItem(title: "")
        readContent(fields["CONTENT"] ?? "", fields["LABELS"] ?? "", into: &item)
        guard !item.title.isEmpty else { throw fault(entry, "CONTENT", "is empty") }
        item.notes = fields["DESCRIPTION"] ?? ""
        item.project = [format.project, section].filter { !$0.isEmpty }.joined(separator: ".")
        try readPriority(fields["PRIORITY"] ?? "4", into: &item, entry)
        try place(&item, fields["INDENT"] ?? "1", entry)
        if let name = fields["RESPONSIBLE"] { item.people = [Self.withoutNumber(name)] }
        if fields["AUTHOR"] != nil { authorCount += 1 }
        readDates(fields, into: &item, entry, &losses)
        if let duration = fields["DURATION"], duration != "None" {
            let unit = fields["DURATION_UNIT"] ?? "minute"
            item.custom["duration"] = .text("\(duration) \(unit)")
        }
        for (name, cell) in fields where !Self.known.contains(name) {
            item.custom[name.lowercased()] = .text(cell)
        }
        return item
    }

    /// `Ann (14781400)` is Ann.
    private static func withoutNumber(_ name: String) -> String {
        guard let open = name.lastIndex(of: "("), name.hasSuffix(")"),
            name[open...].dropFirst().dropLast().allSatisfy(\.isNumber), open > name.startIndex
        else { return name }
        return name[..<open].split(separator: " ").joined(separator: " ")
    }

    private func readContent(_ content: String, _ labels: String, into item: inout ToDoItem) {
        var words: [Substring] = []
        for word in content.split(separator: " ") {
            if word.utf8.count > 1, word.hasPrefix("@") {
                item.addTag(String(word.dropFirst()))
            } else {
                words.append(word)
            }
        }
        for label in labels.split(whereSeparator: { $0 == ";" || $0 == "," || $0 == " " }) {
            item.addTag(String(label.hasPrefix("@") ? label.dropFirst() : label))
        }
        item.title = words.joined(separator: " ")
    }

    private func readPriority(
        _ cell: String, into item: inout ToDoItem, _ entry: Int
    ) throws(FormatFault) {
        switch cell {
        case "1": item.priority = .high
        case "2": item.priority = .medium
        case "3": item.priority = .low
        case "4": item.priority = .none
        default:
            throw fault(
                entry, "PRIORITY", "'\(FormatLoss.beginning(of: cell))' is none of 1, 2, 3, 4")
        }
    }

    /// The deepest indentation, in levels.
    static let indentMax = 100

    private mutating func place(
        _ item: inout ToDoItem, _ cell: String, _ entry: Int
    ) throws(FormatFault) {
        guard let indent = Int(cell), (1...Self.indentMax).contains(indent) else {
            throw fault(
                entry, "INDENT",
                "'\(FormatLoss.beginning(of: cell))' is no whole number from 1 to \(Self.indentMax)"
            )
        }
        // Deeper by more than one is a task of the last one all the same.
        above = Array(above.prefix(indent - 1))
        item.parent = above.last?.identifier
        let path = above.map { JSONValue.text($0.title) }
        item.identifier = identifiers.next([.text(item.title), .text(item.project), .array(path)])
        above.append((item.title, item.identifier))
    }

    private func readDates(
        _ fields: [String: String], into item: inout ToDoItem, _ entry: Int,
        _ losses: inout [FormatLoss]
    ) {
        let zone = fields["TIMEZONE"].flatMap(format.named) ?? format.zone
        func read(_ column: String, _ name: String) -> TodoistDate? {
            guard let text = fields[column] else { return nil }
            let isEnglish = (fields[column + "_LANG"] ?? "en").hasPrefix("en")
            if let date = TodoistDate(text, isEnglish: isEnglish, now: format.now, zone: zone) {
                return date
            }
            item.custom[name] = .text(text)
            losses.append(
                FormatLoss(
                    entry: entry, title: item.title, field: column,
                    reason: "'\(FormatLoss.beginning(of: text))' is not understood; "
                        + "it is kept as the field '\(name)'"))
            return nil
        }
        let date = read("DATE", "date")
        item.due = date?.due
        if let repetition = date?.repetition { item.repeats = repetition.text }
        if let deadline = read("DEADLINE", "deadline")?.due {
            item.scheduled = item.due
            item.due = deadline
        }
    }
}
