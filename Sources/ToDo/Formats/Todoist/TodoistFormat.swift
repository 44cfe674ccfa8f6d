import JSON

/// The table that Todoist exports of a project; only read.
///
/// | theirs | ours |
/// |---|---|
/// | the file's name, `Work [123].csv` | project |
/// | section | one more level of the project |
/// | INDENT | parent |
/// | @label inside CONTENT, LABELS | tag |
/// | DESCRIPTION, and notes below a task | notes |
/// | PRIORITY 1, 2, 3, 4 | high, medium, low, none |
/// | RESPONSIBLE | people |
/// | DATE, in English or as a number | due, repeats |
/// | DEADLINE | due, and DATE is scheduled then |
/// | DURATION and columns that we do not know | custom fields |
///
/// A date that is not understood stands in the custom field `date`, and is told as a loss. There
/// are no ids: an entry is the same one by its title, project and parent.
package struct TodoistFormat: Sendable {
    static let name = "Todoist CSV"

    /// Now; milliseconds since 1970.
    let now: Int64
    /// The zone of dates that name none.
    let zone: LocalTimeZone
    /// The project of all tasks; "" if the file's name tells none.
    let project: String
    /// Finds the zone of a name.
    let named: @Sendable (String) -> LocalTimeZone?

    /// Reads phrases such as "every friday" as of `now` in `zone`.
    package init(
        now: Int64, zone: LocalTimeZone, fileName: String,
        named: @escaping @Sendable (String) -> LocalTimeZone?
    ) {
        self.now = now
        self.zone = zone
        project = Self.project(fileName)
        self.named = named
    }

    /// Whether a file begins like one of these.
    package static func matches(_ bytes: [UInt8]) -> Bool {
        let rest = bytes[ByteOrderMark.end(in: bytes)...]
        return ["TYPE,CONTENT,", "TYPE;CONTENT;", "TYPE\tCONTENT\t"].contains {
            rest.starts(with: $0.utf8)
        }
    }

    /// `Work` for `Work [2203306141].csv`, "" for other names.
    static func project(_ fileName: String) -> String {
        guard let open = fileName.lastIndex(of: "["), fileName[open...].hasSuffix("].csv"),
            fileName[open...].dropFirst().dropLast(5).allSatisfy(\.isNumber)
        else { return "" }
        return fileName[..<open].split(separator: " ").joined(separator: " ")
    }

    /// Reads a table.
    ///
    /// - Throws: `cannotDecode` for the table; bad rows are among the faults.
    package func decode(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading {
        try FormatLimits.check(bytes, format: Self.name)
        var rows = CSVReader(bytes, of: Self.name, names: Self.headings)
        guard let header = try rows.next() else { return FormatReading() }
        var table = try TodoistTable(self, header, ReadingBuilder(Self.name))
        while let row = try rows.next() { try table.read(row) }
        return table.take(isLast: true)
    }

    /// Reads a table piece by piece.
    package func stream() -> (any EntryStream)? {
        CSVStream(Self.name, names: Self.headings) { header throws(FormatFault) in
            try TodoistTable(self, header, ReadingBuilder(Self.name, entryCountMax: .max))
        }
    }

    /// The names of columns by which the first row is known.
    private static let headings: Set<String> = ["type"]
}

/// A table of `TodoistFormat` whose header was read.
struct TodoistTable: CSVRows {
    private var builder: ReadingBuilder
    private var reader: TodoistReader

    /// - Throws: `cannotDecode` for a header of another table.
    init(
        _ format: TodoistFormat, _ header: CSVReader.Row, _ builder: ReadingBuilder
    ) throws(FormatFault) {
        guard let names = header.cells?.map({ $0.uppercased() }), names.contains("TYPE"),
            names.contains("CONTENT"), Set(names).count == names.count
        else {
            throw .cannotDecode(
                format: TodoistFormat.name,
                reason: "the first row must have the columns TYPE and CONTENT", line: header.line)
        }
        self.builder = builder
        reader = TodoistReader(format, names)
    }

    mutating func read(_ row: CSVReader.Row) throws(FormatFault) {
        try reader.read(row, into: &builder)
    }

    mutating func take(isLast: Bool) -> FormatReading {
        // A note may follow, which goes to the task above it.
        guard isLast else { return builder.takeAllButLast() }
        reader.finish(&builder)
        return builder.take()
    }
}

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
        guard cells.dropFirst(columns.count).allSatisfy(\.isEmpty) else {
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
            // A task below a bad one must not become a part of another.
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
                entry: 0, title: "", field: "AUTHOR",
                TodoistReason.authorsLeftOut(count: authorCount)))
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
        try readParent(&item, fields["INDENT"] ?? "1", entry)
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

    private mutating func readParent(
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
                    TodoistReason.dateKept(text, field: name)))
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

extension TodoistFormat: ToDoFormat {
    /// The names of the format, and what is known of it without a file.
    package static let profile = FormatProfile(
        "todoist", family: "CSV", note: "the table that it exports", losses: "",
        nameEndings: [".csv"], recognizes: matches, writtenAs: "csv")

    /// A format as a command line asks for it.
    package init(_ settings: FormatSettings) throws(FormatOptionFault) {
        self.init(
            now: settings.now, zone: settings.zone, fileName: settings.fileName,
            named: { try? TimeZoneLoader.system.zone(variable: $0) })
    }

    /// Refuses to write: the format is only read.
    package func encode(_ items: [ToDoItem]) throws(FormatFault) -> FormatWriting {
        throw .cannotEncode(format: Self.name, entry: 0, key: nil, reason: "is only read")
    }
}

/// The codes for what a to-do cannot say of a row.
package enum TodoistReason: FormatReason {
    /// The authors of so many notes.
    case authorsLeftOut(count: Int)
    /// A date that is not understood, and kept as a field.
    case dateKept(String, field: String)

    /// The code as half a sentence, for the user.
    package var words: String {
        switch self {
        case .authorsLeftOut(let count): "of \(count) left out"
        case .dateKept(let text, let field):
            "'\(FormatLoss.beginning(of: text))' is not understood; it is kept as the field '\(field)'"
        }
    }
}
