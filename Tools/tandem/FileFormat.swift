import ToDo

/// The formats that files come and go in.
///
/// A new one is a case, a line in each `switch`, and a word in the pages of `import` and `export`.
enum FileFormat: String, CaseIterable {
    case taskwarrior
    case chronolist
    case jsonl
    case csv
    case todoist
    case todotxt
    case vtodo

    /// What else people call them.
    private static let otherNames: [String: FileFormat] = [
        "todo.txt": .todotxt, "icalendar": .vtodo, "ical": .vtodo, "ics": .vtodo,
        "jsonlines": .jsonl, "plist": .chronolist,
    ]

    /// The format of that name.
    static func read(_ word: String) throws -> FileFormat {
        let name = word.lowercased()
        guard let format = FileFormat(rawValue: name) ?? otherNames[name] else {
            throw CommandFailure(.usage, "there is no format '\(word)'; there are: \(names)")
        }
        return format
    }

    /// The format of that name, else the one that a file's name tells, and its first bytes.
    static func read(
        _ word: String?, path: String, bytes: () throws -> [UInt8]
    ) throws
        -> FileFormat
    {
        if let word { return try read(word) }
        let name = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
        let guess = allCases.first { format in
            format.nameEndings.contains { name.hasSuffix($0) }
        }
        guard let guess else {
            throw CommandFailure(
                .usage, "'\(path)' does not tell its format; say --format: \(names)")
        }
        return try guess == .csv && TodoistFormat.matches(bytes()) ? .todoist : guess
    }

    /// All names, for a person.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// Those that an export can have.
    static var written: [FileFormat] { allCases.filter { $0 != .todoist } }

    /// How the names of its files end, in lower case; no two formats share one.
    var nameEndings: [String] {
        switch self {
        case .taskwarrior: [".json"]
        case .chronolist: [".plist"]
        case .jsonl: [".jsonl", ".ndjson"]
        case .csv: [".csv"]
        case .todoist: []
        case .todotxt: ["todo.txt", "done.txt"]
        case .vtodo: [".ics", ".ical"]
        }
    }

    /// The to-dos in a file, what is bad in it and what we do not keep of it.
    func decode(_ bytes: [UInt8], _ settings: FormatSettings) throws -> FormatReading {
        switch self {
        case .taskwarrior: return try TaskwarriorFormat(zone: settings.zone).decode(bytes)
        case .jsonl: return try JSONLinesFormat.decode(bytes)
        case .vtodo: return try ICalendarFormat(zone: settings.zone).decode(bytes)
        case .chronolist:
            var reading = try ChronoListFormat(zone: settings.zone).decode(bytes)
            ChronoListFormat.assignIdentifiers(&reading.items, hash: ToDoStore.contentHash)
            return reading
        case .csv:
            return try CSVFormat(zone: settings.zone, map: settings.columnMap).decode(bytes)
        case .todotxt: return try TodoTextFormat(zone: settings.zone).decode(bytes)
        case .todoist:
            let format = TodoistFormat(
                now: settings.now, zone: settings.zone, fileName: settings.fileName,
                named: { try? TimeZoneLoader.system.zone(variable: $0) })
            return try format.decode(bytes)
        }
    }

    /// How the format knows again what went out in it.
    func echo(_ settings: FormatSettings) -> FormatEcho {
        switch self {
        case .taskwarrior: TaskwarriorFormat(zone: settings.zone).echo
        case .chronolist: ChronoListFormat(zone: settings.zone).echo
        case .csv: CSVFormat(zone: settings.zone).echo
        case .todotxt: TodoTextFormat(zone: settings.zone).echo
        case .jsonl, .vtodo, .todoist: .exact
        }
    }

    /// A file of to-dos, and what it does not say of them.
    func encode(_ items: [ToDoItem], _ settings: FormatSettings) throws -> FormatWriting {
        switch self {
        case .taskwarrior: try TaskwarriorFormat(zone: settings.zone).encode(items)
        case .jsonl: JSONLinesFormat.encode(items)
        case .vtodo: try ICalendarFormat(zone: settings.zone).encode(items)
        case .chronolist:
            try ChronoListFormat(zone: settings.zone)
                .encode(items, form: settings.isXML ? .xml : .binary)
        case .csv:
            try CSVFormat(zone: settings.zone, isExcelSafe: settings.isExcelSafe).encode(items)
        case .todotxt: try TodoTextFormat(zone: settings.zone).encode(items)
        case .todoist:
            throw CommandFailure(.usage, "todoist is only read; write a table with --format csv")
        }
    }
}
