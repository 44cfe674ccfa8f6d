import CSQLite
import Core

/// A record ↔ the columns of a row.
///
/// Visible values that fit stand in their own columns. `clock` holds pairs of variable-length numbers:
/// a replica's small number and a counter. `meta` says which write each value came from: byte 0 and a
/// timestamp if one write, named by the clock, gave every value and all are in columns; else byte 1 and
/// a body in which `undefined` stands for "see the column".
final class RowCodec: Sendable {
    /// The first columns of every table, in the order of `select`.
    static let fixedColumns = ["sequence", "id", "state", "conflicts", "clock", "meta", "custom"]

    /// The value that is bound to a column.
    enum Cell: Hashable, Sendable {
        case null
        case text(String)
        case int(Int64)
        case double(Double)
        case bytes([UInt8])
    }

    /// A column as it is read: lists read thousands of cells.
    private struct Column {
        let field: Field
        let kind: ColumnKind
        /// Whether it is a set: then the elements, not the field, are registers.
        let isSet: Bool
    }

    let schema: CollectionSchema
    private let columns: [Column]
    /// The numbers of the fields that have one; these come first.
    private let numbers: [UInt32]

    init(_ schema: CollectionSchema) {
        self.schema = schema
        columns = schema.fields.map {
            Column(field: $0.field, kind: $0.kind, isSet: $0.kind == .set)
        }
        numbers = schema.fields.compactMap { field in
            if case .number(let number) = field.name { number } else { nil }
        }
    }

    // MARK: Record → columns

    /// The clock as bytes.
    static func clockBytes(_ clock: VersionVector, _ replicas: inout ReplicaTable) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(clock.entries.count * 5)
        for entry in clock.entries {
            append(UInt64(replicas.indexOrNew(of: entry.replica)), to: &bytes)
            append(entry.counter, to: &bytes)
        }
        return bytes
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// The cells of the schema's columns, and the meta bytes.
    func encode(
        _ record: RecordState, in collection: CollectionID
    ) -> (meta: [UInt8], cells: [Cell]) {
        if let simple = encodeSimple(record) { return simple }
        var stripped = record
        let shown = shownPositions(record)
        var cells: [Cell] = []
        cells.reserveCapacity(schema.fields.count)
        for (column, field) in schema.fields.enumerated() {
            if field.kind == .set {
                cells.append(setCell(field, record))
            } else if let position = shown[column] {
                cells.append(removeCell(field, at: position, from: &stripped))
            } else {
                cells.append(.null)
            }
        }
        var writer = CanonicalWriter([1])
        BodyCodec.encode(stripped, in: collection, to: &writer)
        return (writer.bytes, cells)
    }

    /// One write that gave every value, all of them at home in columns: nothing else to remember.
    private func encodeSimple(_ record: RecordState) -> (meta: [UInt8], cells: [Cell])? {
        guard record.writes.count == 1, record.clock.entries.count == 1 else { return nil }
        let write = record.writes[0]
        guard write.dot.counter == record.clock.entries[0].counter, !write.isRecovered else {
            return nil
        }
        var cells = [Cell](repeating: .null, count: schema.fields.count)
        var column = 0
        var elements: [FieldName: [String]] = [:]
        for assignment in write.assignments {
            switch assignment.field {
            case .number(let number):
                while column < numbers.count, numbers[column] < number { column += 1 }
                guard column < numbers.count, numbers[column] == number,
                    let cell = schema.fields[column].kind.cell(assignment.value)
                else { return nil }
                cells[column] = cell
            case .text(let text):
                let name = FieldName.text(text)
                while column < cells.count, schema.fields[column].name < name { column += 1 }
                guard column < cells.count, schema.fields[column].name == name,
                    let cell = schema.fields[column].kind.cell(assignment.value)
                else { return nil }
                cells[column] = cell
            case .element(let name, .text(let text)):
                guard columns.contains(where: { $0.isSet && $0.field.name == name }),
                    assignment.value == .bool(true)
                else { return nil }
                elements[name, default: []].append(text)
            default: return nil
            }
        }
        for (name, texts) in elements {
            guard let position = schema.fields.firstIndex(where: { $0.name == name }) else {
                return nil
            }
            cells[position] = .text(JSONText.array(texts))
        }
        var meta: [UInt8] = [0]
        meta.reserveCapacity(9)
        for shift: UInt64 in [56, 48, 40, 32, 24, 16, 8, 0] {
            meta.append(UInt8(truncatingIfNeeded: write.timestamp.rawValue >> shift))
        }
        return (meta, cells)
    }

    /// The texts of a set; a reference within the collection stands there as the view writes ids.
    private func setCell(_ field: FieldSchema, _ record: RecordState) -> Cell {
        let texts = record.elements(of: field.name).compactMap { element in
            switch element {
            case .text(let text): text
            case .reference(let name) where name.collection == schema.id: name.id.hexadecimal
            default: nil
            }
        }
        return texts.isEmpty ? .null : .text(JSONText.array(texts))
    }

    /// Where in a record the assignment is that a column shows, for each column that one is for.
    private func shownPositions(_ record: RecordState) -> [(write: Int, assignment: Int)?] {
        var shown = [(write: Int, assignment: Int)?](repeating: nil, count: schema.fields.count)
        for (number, write) in record.writes.enumerated() {
            // Both are sorted by field, and elements come last.
            var column = 0
            for (position, assignment) in write.assignments.enumerated() {
                if assignment.field.isElement { break }
                while column < shown.count, schema.fields[column].field < assignment.field {
                    column += 1
                }
                if column == shown.count { break }
                if schema.fields[column].field != assignment.field { continue }
                if let best = shown[column], !write.isShown(over: record.writes[best.write]) {
                    continue
                }
                shown[column] = (number, position)
            }
        }
        return shown
    }

    /// The visible value of a field as a cell; it leaves a mark in the record in its stead.
    private func removeCell(
        _ field: FieldSchema, at position: (write: Int, assignment: Int),
        from record: inout RecordState
    ) -> Cell {
        let value = record.writes[position.write].assignments[position.assignment].value
        guard let cell = field.kind.cell(value) else { return .null }
        record.writes[position.write].assignments[position.assignment].value = .elided
        return cell
    }

    /// The visible custom values as a JSON object for people and for predicates; nil if there are none.
    func customText(_ record: RecordState) -> String? {
        guard record.writes.contains(where: { $0.assignments.contains { isCustom($0.field) } })
        else { return nil }
        var members: [(name: String, json: String)] = []
        record.forEachVisible { field, value in
            guard case .text(let name) = field, isCustom(field), let text = value.columnJSON
            else { return }
            members.append((name, text))
        }
        return members.isEmpty ? nil : JSONText.object(members)
    }

    /// Whether a field has a text for a name and no column.
    private func isCustom(_ field: Field) -> Bool {
        guard case .text(let text) = field else { return false }
        return numbers.count == schema.fields.count || schema.field(.text(text)) == nil
    }

    // MARK: Columns → record

    /// The clock in a row.
    static func clock(_ bytes: UnsafeRawBufferPointer, _ replicas: ReplicaTable) -> VersionVector? {
        var position = 0
        var entries: [VersionVector.Entry] = []
        while position < bytes.count {
            guard let number = varint(bytes, &position), number < UInt64(replicas.entries.count),
                let counter = varint(bytes, &position)
            else { return nil }
            entries.append(
                VersionVector.Entry(replica: replicas[Int(number)].replica, counter: counter))
        }
        if entries.count > 1 { entries.sort { $0.replica < $1.replica } }
        return VersionVector(sorted: entries)
    }

    private static func varint(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UInt64? {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            result |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
        return nil
    }

    /// The record in the row that `statement` stands on; nil if the row is damaged.
    func decode(_ statement: some RowColumns, _ replicas: ReplicaTable) -> RecordState? {
        guard let clock = statement.withBytes(4, { Self.clock($0, replicas) }) else { return nil }
        if let timestamp = statement.withBytes(5, Self.onlyTimestamp) {
            return decodeSimple(statement, clock, timestamp)
        }
        let meta = statement.bytes(5)
        guard meta.first == 1,
            let body = try? BodyCodec.decode(
                Array(meta.dropFirst()), clock: clock,
                allowColumns: true)
        else { return nil }
        var record = body.record
        for index in record.writes.indices {
            for position in record.writes[index].assignments.indices
            where record.writes[index].assignments[position].value.isElided {
                let field = record.writes[index].assignments[position].field
                guard let column = column(of: field), let value = value(statement, column)
                else { return nil }
                record.writes[index].assignments[position].value = value
            }
        }
        return record
    }

    /// The time of the one write that gave every value; nil if the meta bytes tell of more.
    static func onlyTimestamp(in meta: UnsafeRawBufferPointer) -> HybridTimestamp? {
        guard meta.count == 9, meta[0] == 0 else { return nil }
        let bits = meta.loadUnaligned(fromByteOffset: 1, as: UInt64.self)
        return HybridTimestamp(rawValue: UInt64(bigEndian: bits))
    }

    private func column(of field: Field) -> Int? {
        switch field {
        // Fields with numbers come first.
        case .number(let number): numbers.firstIndex(of: number)
        case .text(let text): schema.fields.firstIndex { $0.name == .text(text) }
        case .element: nil
        }
    }

    private func decodeSimple(
        _ statement: some RowColumns, _ clock: VersionVector, _ timestamp: HybridTimestamp
    ) -> RecordState? {
        guard clock.entries.count == 1 else { return nil }
        var assignments: [Assignment] = []
        assignments.reserveCapacity(8)
        var elements: [Assignment] = []
        let first = Self.fixedColumns.count
        for column in columns.indices {
            let position = Int32(first + column)
            if statement.isNull(position) { continue }
            if columns[column].isSet {
                guard let texts = JSONText.strings(statement.text(position)) else { return nil }
                let name = columns[column].field.name
                for text in texts {
                    elements.append(Assignment(.element(name, .text(text)), .bool(true)))
                }
            } else {
                guard let value = value(statement, column) else { return nil }
                assignments.append(Assignment(columns[column].field, value))
            }
        }
        assignments.append(contentsOf: elements)
        let dot = Dot(replica: clock.entries[0].replica, counter: clock.entries[0].counter)
        let write = Write(
            dot: dot, timestamp: timestamp, assignments: assignments)
        return RecordState(clock: clock, writes: [write])
    }

    /// The value in one of the schema's columns; nil if the column holds none of its kind.
    private func value(_ statement: some RowColumns, _ column: Int) -> Value? {
        columns[column].kind.value(statement, Int32(Self.fixedColumns.count + column))
    }
}

/// The columns of a row that SQLite reads, or of one that was read without it.
protocol RowColumns {
    /// The fundamental type of a column: SQLITE_INTEGER, _FLOAT, _TEXT, _BLOB or _NULL.
    func type(_ column: Int32) -> Int32
    /// The whole number of a column.
    func int(_ column: Int32) -> Int64
    /// The floating-point number of a column.
    func double(_ column: Int32) -> Double
    /// The text of a column.
    func text(_ column: Int32) -> String
    /// A copy of the bytes of a column.
    func bytes(_ column: Int32) -> [UInt8]
    /// Lends the bytes of a column.
    func withBytes<T>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> T) -> T
}

extension RowColumns {
    func isNull(_ column: Int32) -> Bool { type(column) == SQLITE_NULL }

    /// The 16 bytes of an identifier; nil if the column holds anything else.
    func identifier(_ column: Int32) -> UInt128? {
        withBytes(column) { bytes in
            guard bytes.count == 16 else { return nil }
            return UInt128(bigEndian: bytes.loadUnaligned(as: UInt128.self))
        }
    }
}

extension PreparedStatement: RowColumns {}
