import CSQLite
import Core

/// The kinds of columns: what SQL calls each, and how values stand in it.
///
/// A value of another kind than the column's is kept beside it.
public enum ColumnKind: Hashable, Sendable {
    /// Text, as TEXT.
    case text
    /// A whole number, as INTEGER.
    case int
    /// A floating-point number, as REAL.
    case double
    /// Yes or no, as INTEGER 1 or 0.
    case bool
    /// Bytes, as BLOB.
    case bytes
    /// A point in time or a date, as TEXT: `2026-11-27T10:00:00.000Z` or `2026-11-27`.
    case moment
    /// A record of that collection, as BLOB of 16 bytes.
    case reference(CollectionID)
    /// A set of texts, as TEXT: a JSON array.
    case set
    /// A text of a few, as TEXT; any other counts as absent in filters.
    case choice([String])
}

// MARK: The column

extension ColumnKind {
    /// Every kind but the references.
    private static let all: [ColumnKind] = [
        .text, .int, .double, .bool, .bytes, .moment, .set,
    ]

    /// The beginning of the word of a reference; the canonical bytes of its target follow.
    private static let referenceWord = "reference:"

    /// The beginning of the word of a choice; its texts follow, each as hexadecimal digits of UTF-8 behind a dot.
    private static let choiceWord = "choice"

    /// The kind of such a word; nil for any other word.
    init?(word: Substring) {
        if word == Self.choiceWord || word.hasPrefix(Self.choiceWord + ".") {
            var texts: [String] = []
            for digits in word.dropFirst(Self.choiceWord.count).split(separator: ".") {
                guard let bytes = Hexadecimal.bytes(String(digits)) else { return nil }
                texts.append(String(decoding: bytes, as: UTF8.self))
            }
            self = .choice(texts)
            return
        }
        if word.hasPrefix(Self.referenceWord) {
            let digits = String(word.dropFirst(Self.referenceWord.count))
            guard let target = Hexadecimal.bytes(digits).flatMap(CollectionID.init(canonicalBytes:))
            else { return nil }
            self = .reference(target)
            return
        }
        guard let kind = Self.all.first(where: { $0.word == word }) else { return nil }
        self = kind
    }

    /// The word by which a store remembers the kind.
    var word: String {
        switch self {
        case .text: "text"
        case .int: "int"
        case .double: "double"
        case .bool: "bool"
        case .bytes: "bytes"
        case .moment: "moment"
        case .set: "set"
        case .reference(let target): Self.referenceWord + Hexadecimal.text(target.canonicalBytes)
        case .choice(let texts):
            Self.choiceWord + texts.map { "." + Hexadecimal.text(Array($0.utf8)) }.joined()
        }
    }

    /// The type of the column in SQL.
    var type: String {
        switch self {
        case .text, .moment, .set, .choice: "TEXT"
        case .int, .bool: "INTEGER"
        case .double: "REAL"
        case .bytes, .reference: "BLOB"
        }
    }

    /// Whether a cell of that fundamental type can stand in the column.
    func holds(_ type: Int32) -> Bool {
        switch self.type {
        case _ where type == SQLITE_NULL: true
        case "TEXT": type == SQLITE_TEXT
        case "INTEGER": type == SQLITE_INTEGER
        // A number without a fraction is kept as an integer.
        case "REAL": type == SQLITE_INTEGER || type == SQLITE_FLOAT
        default: type == SQLITE_BLOB
        }
    }
}

// MARK: Values in the column

extension ColumnKind {
    /// The value as an app's attribute of this kind takes it; nil if it is of another kind.
    ///
    /// A number attribute takes whole numbers as well. A set takes nothing, as its elements are written one by one.
    package func taking(_ value: Value) -> Value? {
        switch (self, value) {
        case (.set, _): nil
        case (.double, .int(let number)): .double(Double(number))
        case (_, .null), (.text, .text), (.int, .int), (.double, .double), (.bool, .bool),
            (.bytes, .bytes), (.moment, .instant), (.moment, .day):
            value
        case (.choice(let texts), .text(let text)) where texts.contains(text): value
        case (.reference(let target), .reference(let name)) where name.collection == target: value
        default: nil
        }
    }

    /// A value as the column holds it; nil if the column cannot give it back as it was.
    func cell(_ value: Value) -> RowCodec.Cell? {
        switch (self, value) {
        case (.text, .text(let text)): .text(text)
        case (.choice(let texts), .text(let text)) where texts.contains(text): .text(text)
        case (.int, .int(let number)): .int(number)
        // SQLite has no NaN, and keeps a REAL without a fraction as an integer, which has no -0.
        case (.double, .double(let number)):
            number.isNaN || (number == 0 && number.sign == .minus) ? nil : .double(number)
        case (.bool, .bool(let flag)): .int(flag ? 1 : 0)
        case (.bytes, .bytes(let bytes)): .bytes(bytes)
        case (.reference(let target), .reference(let name)) where name.collection == target:
            .bytes(name.id.bytes)
        case (.moment, .instant(let instant)): MomentText.text(instant: instant).map { .text($0) }
        case (.moment, .day(let day)): MomentText.text(day: day).map { .text($0) }
        default: nil
        }
    }

    /// The value in a column of a row; nil if the column holds none of its kind.
    func value(_ row: some RowColumns, _ column: Int32) -> Value? {
        switch (self, row.type(column)) {
        case (.text, SQLITE_TEXT), (.choice, SQLITE_TEXT): .text(row.text(column))
        case (.int, SQLITE_INTEGER): .int(row.int(column))
        case (.double, SQLITE_FLOAT): .double(row.double(column))
        case (.bool, SQLITE_INTEGER): .bool(row.int(column) != 0)
        case (.bytes, SQLITE_BLOB): .bytes(row.bytes(column))
        case (.reference(let target), SQLITE_BLOB):
            row.identifier(column).map { .reference(RecordName(target, RecordID(value: $0))) }
        case (.moment, SQLITE_TEXT): MomentText.value(row.text(column))
        default: nil
        }
    }

    /// The value of a cell that a query gave out of a column of that kind; nil stands for no column.
    static func value(of cell: RowCodec.Cell, _ kind: ColumnKind?) -> Value? {
        switch (cell, kind) {
        case (.null, _): nil
        case (.int(let number), .bool): .bool(number != 0)
        case (.int(let number), _): .int(number)
        case (.double(let number), _): .double(number)
        case (.text(let text), .moment): MomentText.value(text) ?? .text(text)
        case (.text(let text), _): .text(text)
        case (.bytes(let bytes), .reference(let target)):
            RecordID(bytes: bytes).map { .reference(RecordName(target, $0)) }
        case (.bytes(let bytes), _): .bytes(bytes)
        }
    }
}

// MARK: Values outside of columns of their own

extension Value {
    /// The cell with which a filter compares a column; no column holds `null`.
    var cell: RowCodec.Cell {
        switch self {
        case .text(let text): .text(text)
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .bool(let flag): .int(flag ? 1 : 0)
        case .bytes(let bytes): .bytes(bytes)
        case .reference(let name): .bytes(name.id.bytes)
        case .instant, .day: textForm.map { .text($0) } ?? .null
        case .null, .clock, .elided, .unknown: .null
        }
    }

    /// The value in the JSON of fields without columns; nil for a value that is not shown there.
    var columnJSON: String? {
        switch self {
        case .bool, .int: textForm
        case .double(let number): number.isFinite ? textForm : nil
        case .text, .instant, .day, .reference: textForm.map(JSONText.string)
        case .null, .bytes, .clock, .elided, .unknown: nil
        }
    }
}
