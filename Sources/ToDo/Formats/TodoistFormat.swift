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
        var rows = CSVReader(bytes, of: Self.name, names: ["type"])
        guard let header = try rows.next() else { return FormatReading() }
        guard let names = header.cells?.map({ $0.uppercased() }), names.contains("TYPE"),
            names.contains("CONTENT"), Set(names).count == names.count
        else {
            throw .cannotDecode(
                format: Self.name, reason: "the first row must have the columns TYPE and CONTENT",
                line: header.line)
        }
        var builder = ReadingBuilder(Self.name)
        var reader = TodoistReader(self, names)
        while let row = try rows.next() {
            try reader.read(row, into: &builder)
        }
        reader.finish(&builder)
        return builder.reading
    }
}
