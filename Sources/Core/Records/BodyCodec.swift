/// The body of a change: `[collection, write, …]`, to be read beside the record's clock.
///
/// A write is `[index, back, timestamp, {field: value}]`, with `true` behind it if it was recovered.
/// `index` counts in the entries of the record's clock, `back` is how far the dot lies behind that
/// entry. A write that its reader has is `[index, back, fields]`; `fields` is a set of bits while all
/// are numbers under 64, else a list. The same record has the same bytes everywhere.
package enum BodyCodec {
    /// Writes a body; of a write whose dot `known` covers only the fields' names.
    package static func encode(
        _ record: RecordState, in collection: CollectionID, known: VersionVector? = nil
    ) -> [UInt8] {
        var writer = CanonicalWriter()
        writer.bytes.reserveCapacity(256)
        encode(record, in: collection, known: known, to: &writer)
        return writer.bytes
    }

    /// Writes a body behind what `writer` has.
    package static func encode(
        _ record: RecordState, in collection: CollectionID, known: VersionVector? = nil,
        to writer: inout CanonicalWriter
    ) {
        writer.array(1 + record.writes.count)
        write(collection, to: &writer)
        for entry in record.writes {
            let index = self.index(of: entry.dot.replica, in: record.clock)
            let back = record.clock.entries[index].counter - entry.dot.counter
            let isKnown = known?.covers(entry.dot) == true && !entry.isDelete
            writer.array(isKnown ? 3 : entry.isRecovered ? 5 : 4)
            writer.unsigned(UInt64(index))
            writer.unsigned(back)
            if isKnown {
                writeFields(of: entry, to: &writer)
            } else {
                writer.unsigned(entry.timestamp.rawValue)
                writer.map(entry.assignments.count)
                for assignment in entry.assignments {
                    write(assignment.field, to: &writer)
                    assignment.value.write(to: &writer, in: record.clock)
                }
                if entry.isRecovered { writer.bool(true) }
            }
        }
    }

    /// How many bytes the assignments have, those to the fields 0 and 1 not counted, with a fixed number for each write that has
    /// others (`Protocol/6-Limits.md`).
    static func contentByteCount(of record: RecordState) -> Int {
        var writer = CanonicalWriter()
        var count = 0
        for entry in record.writes {
            let content = entry.assignments.drop { $0.field <= .purged }
            if content.isEmpty { continue }
            count += RecordLimits.writeByteCount
            for assignment in content {
                writer.bytes.removeAll(keepingCapacity: true)
                write(assignment.field, to: &writer)
                assignment.value.write(to: &writer, in: record.clock)
                count += writer.bytes.count
            }
        }
        return count
    }

    /// Where an entry of a clock stands that has the replica.
    static func index(of replica: ReplicaID, in clock: VersionVector) -> Int {
        if let index = clock.index(of: replica) { return index }
        preconditionFailure("a dot that its record's clock does not cover")
    }

    private static func writeFields(of entry: Write, to writer: inout CanonicalWriter) {
        var mask: UInt64 = 0
        for assignment in entry.assignments {
            guard case .number(let number) = assignment.field, number < 64 else {
                writer.array(entry.assignments.count)
                for assignment in entry.assignments { write(assignment.field, to: &writer) }
                return
            }
            mask |= 1 << UInt64(number)
        }
        writer.unsigned(mask)
    }

    /// Writes the name of a field or a collection.
    package static func write(_ name: FieldName, to writer: inout CanonicalWriter) {
        switch name {
        case .number(let number): writer.unsigned(UInt64(number))
        case .text(let text): writer.text(text)
        }
    }

    /// Writes a field.
    package static func write(_ field: Field, to writer: inout CanonicalWriter) {
        switch field {
        case .number(let number): writer.unsigned(UInt64(number))
        case .text(let text): writer.text(text)
        case .element(let name, let element):
            writer.array(2)
            write(name, to: &writer)
            element.write(to: &writer)
        }
    }

    /// Reads a body, checked whole.
    ///
    /// - Parameters:
    ///   - allowElided: whether writes may come without values.
    ///   - allowColumns: whether single values may be left out, as a store does whose columns hold them.
    package static func decode(
        _ bytes: [UInt8], clock: VersionVector, allowElided: Bool = true, allowColumns: Bool = false
    ) throws(WireFault) -> (collection: CollectionID, record: RecordState) {
        var result: (CollectionID, RecordState)?
        var fault: WireFault?
        bytes.withUnsafeBytes { buffer in
            do throws(WireFault) {
                var reader = CanonicalReader(buffer)
                let options = Options(allowElided: allowElided, allowColumns: allowColumns)
                result = try decode(&reader, clock: clock, options)
                try reader.finish()
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        guard let result else { throw .truncated }
        return result
    }

    private struct Options {
        let allowElided: Bool
        let allowColumns: Bool
    }

    private static func decode(
        _ reader: inout CanonicalReader, clock: VersionVector, _ options: Options
    ) throws(WireFault) -> (CollectionID, RecordState) {
        let count = try reader.array(
            max: RecordLimits.writeCountMax + 1, .writes)
        guard count > 0 else { throw .missingKey(0) }
        let collection = try reader.fieldName()
        var writes: [Write] = []
        writes.reserveCapacity(count - 1)
        var assignmentCount = 0
        for _ in 1..<count {
            let write = try write(&reader, clock: clock, options)
            if let last = writes.last, last.dot >= write.dot { throw .notSorted }
            assignmentCount += write.assignments.count - write.deletionCount
            guard assignmentCount <= RecordLimits.assignmentCountMax else {
                throw .overLimit(.assignments, max: RecordLimits.assignmentCountMax)
            }
            writes.append(write)
        }
        let record = RecordState(clock: clock, writes: writes)
        // Of so few writes none of both can be too many.
        guard
            count <= RecordLimits.deletionCountMax
                || record.deletionCount <= RecordLimits.deletionCountMax
        else { throw .overLimit(.deletions, max: RecordLimits.deletionCountMax) }
        return (collection, record)
    }

    private static func write(
        _ reader: inout CanonicalReader, clock: VersionVector, _ options: Options
    ) throws(WireFault) -> Write {
        let length = try reader.array(max: 5, .writeParts)
        guard length >= 3, !clock.isEmpty else { throw .outOfRange(.writeParts) }
        let index = try reader.unsigned(max: UInt64(clock.entries.count) - 1, .clockIndex)
        let entry = clock.entries[Int(index)]
        let back = try reader.unsigned(max: entry.counter - 1, .dotDistance)
        let dot = Dot(replica: entry.replica, counter: entry.counter - back)
        if length == 3 {
            guard options.allowElided else {
                throw .unexpectedType(expected: .writeValues)
            }
            return Write(dot: dot, timestamp: .zero, assignments: try elidedFields(&reader))
        }
        let timestamp = HybridTimestamp(rawValue: try reader.unsigned())
        let count = try reader.map(max: RecordLimits.writeFieldCountMax, .writeFields)
        guard count > 0 else { throw .outOfRange(.writeFieldCount) }
        var assignments: [Assignment] = []
        assignments.reserveCapacity(count)
        for _ in 0..<count {
            let field = try reader.field()
            if let last = assignments.last, last.field >= field { throw .notSorted }
            // In another field nobody could write a clock again: it names writes of this record alone.
            let value = try reader.value(in: field == .deleted ? clock : nil)
            if value.isElided, !options.allowColumns { throw .unexpectedType(expected: .value) }
            assignments.append(Assignment(field, value))
        }
        if length == 5 {
            guard try reader.bool() else { throw .notDeterministic }
        }
        return Write(
            dot: dot, timestamp: timestamp, isRecovered: length == 5, assignments: assignments)
    }

    private static func elidedFields(
        _ reader: inout CanonicalReader
    ) throws(WireFault)
        -> [Assignment]
    {
        guard reader.peek.map({ $0 >> 5 == 4 }) == true else {
            let mask = try reader.unsigned()
            guard mask != 0 else { throw .outOfRange(.writeFieldCount) }
            return (0..<64).filter { mask >> UInt64($0) & 1 == 1 }
                .map { Assignment(.number(UInt32($0)), .elided) }
        }
        let count = try reader.array(max: RecordLimits.writeFieldCountMax, .writeFields)
        guard count > 0 else { throw .outOfRange(.writeFieldCount) }
        var fields: [Assignment] = []
        var needsList = false
        for _ in 0..<count {
            let field = try reader.field()
            if let last = fields.last, last.field >= field { throw .notSorted }
            if case .number(let number) = field, number < 64 {} else { needsList = true }
            fields.append(Assignment(field, .elided))
        }
        guard needsList else { throw .notDeterministic }
        return fields
    }
}

extension Change {
    /// Reads the body, which names the same collection as the change.
    ///
    /// - Parameter allowElided: whether writes may come without values.
    package func record(allowElided: Bool = true) throws(WireFault) -> RecordState {
        let decoded = try BodyCodec.decode(body, clock: clock, allowElided: allowElided)
        guard decoded.collection == name.collection else { throw .outOfRange(.collection) }
        return decoded.record
    }
}

extension CanonicalReader {
    /// Takes the name of a field or a collection.
    package mutating func fieldName() throws(WireFault) -> FieldName {
        guard let first = peek, first >> 5 == 3 else {
            return .number(UInt32(try unsigned(max: UInt64(UInt32.max), .fieldNumber)))
        }
        let name = try text(max: RecordLimits.nameByteCountMax, .name)
        if name.isEmpty { throw .outOfRange(.nameLength) }
        return .text(name)
    }

    /// Takes a field: a name, or `[name, element]`.
    package mutating func field() throws(WireFault) -> Field {
        guard peek == 0x82 else { return Field(try fieldName()) }
        _ = try head()
        let name = try fieldName()
        let element = try value(in: VersionVector())
        switch element {
        case .elided, .null, .clock: throw .unexpectedType(expected: .setElement)
        default: return .element(name, element)
        }
    }
}
