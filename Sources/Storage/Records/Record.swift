import Core

/// A record as it stands in the store.
public struct Record: Hashable, Sendable {
    /// Which record.
    public let id: RecordID
    /// In which collection.
    package let collection: CollectionID
    /// Its name, by both.
    public var name: RecordName { RecordName(collection, id) }
    /// The arrival number of its last change here.
    package let sequence: UInt64
    /// The record with all that still matters.
    package let record: RecordState
    /// Whether it is deleted, by the space's rule.
    package let verdict: DeletionRule.Verdict

    /// Whether it is shown, in the trash, or purged.
    public var standing: RecordStanding { verdict.standing }

    /// The value shown in a field; nil if it is absent or was cleared.
    package subscript(field: UInt32) -> Value? {
        guard let value = record.visible(.number(field)), !value.isNull else { return nil }
        return value
    }

    /// The value shown in a field; nil if it is absent or was cleared.
    package subscript(field: FieldName) -> Value? {
        guard let value = record.visible(Field(field)), !value.isNull else { return nil }
        return value
    }

    /// The record with other contents: these values, all of one write.
    package func showing(_ values: [Field: Value]) -> Record {
        let assignments = values.sorted { $0.key < $1.key }.map { Assignment($0.key, $0.value) }
        let writes = record.writes.last.map { last in
            [Write(dot: last.dot, timestamp: last.timestamp, assignments: assignments)]
        }
        return Record(
            id: id, collection: collection, sequence: sequence,
            record: RecordState(
                clock: record.clock, writes: assignments.isEmpty ? [] : writes ?? []),
            verdict: verdict)
    }

    /// The texts in a set, sorted by bytes.
    package func texts(in set: UInt32) -> [String] { texts(in: .number(set)) }

    /// The texts in a set, sorted by bytes.
    package func texts(in set: FieldName) -> [String] {
        record.elements(of: set).compactMap { element in
            if case .text(let text) = element { text } else { nil }
        }
    }
}
