import Core

/// A field with a column of its own.
package struct FieldSchema: Hashable, Sendable {
    /// What the column holds.
    ///
    /// A value of another kind is kept beside it.
    package enum Kind: Hashable, Sendable {
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
        /// Another record, as BLOB of 16 bytes.
        case reference(CollectionID)
        /// A set of texts, as TEXT: a JSON array.
        case set
    }

    /// The field's number or name in changes; it never changes its meaning.
    package let name: FieldName
    /// The column's name.
    package let column: String
    /// What the column holds.
    package let kind: Kind
    /// Of a reference: whether deleting what it leads to deletes this record as well.
    package let isOwned: Bool

    /// A built-in field.
    package init(_ number: UInt32, _ column: String, _ kind: Kind) {
        precondition(number > 1, "the fields 0 and 1 are reserved")
        self.init(.number(number), column, kind, isOwned: false)
    }

    /// A field of an app, of that name in changes; its column has the same name if that is free.
    package init(named name: String, _ kind: Kind, isOwned: Bool = false) {
        let name = name.inFormC
        let isTaken = RowCodec.fixedColumns.contains(name.lowercased())
        self.init(.text(name), isTaken ? name + "_" : name, kind, isOwned: isOwned)
    }

    private init(_ name: FieldName, _ column: String, _ kind: Kind, isOwned: Bool) {
        precondition(Self.isName(column), "a column's name has letters, digits and _ alone")
        self.name = name
        self.column = column
        self.kind = kind
        self.isOwned = isOwned
    }

    /// The field's register; of a set the elements have registers of their own.
    package var field: Field { Field(name) }

    /// The column's name in SQL.
    var quoted: String { "\"\(column)\"" }

    /// The number or name, the column and what it holds, as the store remembers them of its tables.
    var note: String {
        let name =
            switch name {
            case .number(let number): String(number)
            case .text(let text): "=" + text
            }
        let word =
            switch kind {
            case .text: "text"
            case .int: "int"
            case .double: "double"
            case .bool: "bool"
            case .bytes: "bytes"
            case .moment: "moment"
            case .set: "set"
            case .reference: "reference"
            }
        return "\(name) \(column) \(word)"
    }

    /// Reads such a note; nil if it is anything else.
    ///
    /// What a reference leads to is not noted.
    init?(note: Substring) {
        let words = note.split(separator: " ")
        guard words.count == 3, Self.isName(words[1]) else { return nil }
        let name: FieldName
        if words[0].first == "=" {
            guard Self.isName(words[0].dropFirst()) else { return nil }
            name = .text(String(words[0].dropFirst()))
        } else {
            guard let number = UInt32(words[0]), number > 1 else { return nil }
            name = .number(number)
        }
        let kinds: [Substring: Kind] = [
            "text": .text, "int": .int, "double": .double, "bool": .bool, "bytes": .bytes,
            "moment": .moment, "set": .set, "reference": .reference(.number(0)),
        ]
        guard let kind = kinds[words[2]] else { return nil }
        self.init(name, String(words[1]), kind, isOwned: false)
    }

    /// Whether a name that was read from a file can be one that was once written into SQL as it is.
    package static func isName(_ name: some StringProtocol) -> Bool {
        // A digit in front would begin a number there.
        name.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                    true
                default: false
                }
            }
    }

    /// The type of the column in SQL.
    var type: String {
        switch kind {
        case .text, .moment, .set: "TEXT"
        case .int, .bool: "INTEGER"
        case .double: "REAL"
        case .bytes, .reference: "BLOB"
        }
    }
}
