import JSON

/// Reads the lines of a `TodoTextFormat` file one after the other.
struct TodoTextLineReader {
    /// The to-dos so far.
    var builder: ReadingBuilder
    private var identifiers = DerivedIdentifiers(TodoTextFormat.name)
    private let zone: LocalTimeZone

    init(_ builder: ReadingBuilder, zone: LocalTimeZone) {
        self.builder = builder
        self.zone = zone
    }

    /// Reads a line, without the byte that ends it; an empty one is passed over.
    mutating func read(_ line: ArraySlice<UInt8>, line number: Int) throws(FormatFault) {
        if Self.isBlank(line) { return }
        var remarks: [FormatLoss] = []
        try builder.add(line: number) { entry, losses throws(FormatFault) in
            var reader = TodoTextReader(entry: entry, zone: zone)
            guard line.count <= FormatLimits.entryByteCountMax else {
                throw reader.fault(nil, FormatLimits.entryTooLong)
            }
            guard let text = String(validating: line, as: UTF8.self) else {
                throw reader.fault(nil, "is not UTF-8")
            }
            var item = reader.item(text)
            losses += reader.losses
            remarks = reader.remarks
            if item.identifier == nil {
                item.identifier = identifiers.next([
                    .text(item.title), .text(item.project),
                    .text(item.created.map { String($0) } ?? ""),
                ])
            }
            return item
        }
        builder.addRemarks(remarks)
    }

    /// Whether a line has nothing but white space, that of Unicode included.
    private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
        // Nearly every line begins with a letter.
        if let first = line.first, (0x21...0x7e).contains(first) { return false }
        guard line.count <= FormatLimits.entryByteCountMax,
            let text = String(validating: line, as: UTF8.self)
        else { return false }
        return text.allSatisfy(\.isWhitespace)
    }
}

/// Reads a file of `TodoTextFormat` piece by piece.
///
/// Lines that wait for others by names of other programs are given last, as such a line may stand further down.
struct TodoTextStream: EntryStream {
    private var reader: TodoTextLineReader
    private var lines = LineSplitter(byteCountMax: FormatLimits.entryByteCountMax)
    private var dependencies = TodoTextDependencies()
    /// The to-dos that are given last.
    private var held: [ToDoItem] = []
    private var isFinished = false

    init(zone: LocalTimeZone) {
        reader = TodoTextLineReader(
            ReadingBuilder(TodoTextFormat.name, entryCountMax: .max), zone: zone)
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) throws(FormatFault) {
        try FormatLimits.check(heldCount: held.count, format: TodoTextFormat.name)
        for line in lines.add(bytes) { try reader.read(line.bytes[...], line: line.number) }
    }

    mutating func finish() throws(FormatFault) {
        let last = lines.finish()
        try reader.read(last.bytes[...], line: last.number)
        isFinished = true
    }

    mutating func take() -> FormatReading {
        var page = reader.builder.take()
        for item in page.items { dependencies.note(item) }
        held += page.items.filter { TodoTextDependencies.waitsByName($0) }
        page.items.removeAll { TodoTextDependencies.waitsByName($0) }
        if isFinished {
            for index in held.indices { dependencies.tie(&held[index]) }
            page.items += held
            held = []
        }
        return page
    }
}
