import ToDo

/// The formats that files come and go in.
enum FileFormat: String, CaseIterable {
    case taskwarrior
    case chronolist
    case jsonl

    /// The format of that name.
    static func read(_ word: String?) throws -> FileFormat {
        let names = allCases.map(\.rawValue).joined(separator: ", ")
        guard let word else { throw CommandFailure(.usage, "say --format: \(names)") }
        guard let format = FileFormat(rawValue: word) else {
            throw CommandFailure(.usage, "there is no format '\(word)'; there are: \(names)")
        }
        return format
    }

    /// The to-dos in a file.
    func decode(_ bytes: [UInt8], zone: LocalTimeZone) throws -> [ToDoItem] {
        switch self {
        case .taskwarrior: return try TaskwarriorFormat(zone: zone).decode(bytes)
        case .jsonl: return try JSONLinesFormat.decode(bytes)
        case .chronolist:
            var items = try ChronoListFormat(zone: zone).decode(bytes)
            ChronoListFormat.assignIdentifiers(&items, hash: ToDoStore.contentHash)
            return items
        }
    }

    /// A file of to-dos.
    func encode(_ items: [ToDoItem], zone: LocalTimeZone, isXML: Bool) throws -> [UInt8] {
        switch self {
        case .taskwarrior: try TaskwarriorFormat(zone: zone).encode(items)
        case .jsonl: JSONLinesFormat.encode(items)
        case .chronolist:
            try ChronoListFormat(zone: zone).encode(items, form: isXML ? .xml : .binary)
        }
    }
}
