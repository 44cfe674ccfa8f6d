import Core

/// Where references of given records lead, by the whole rule.
///
/// A reference stands in a record as it was assigned. What is shown follows `ReferenceRule`, which needs the records
/// that the reference leads to, and no others: the cost grows with what is shown. A fetch selects and sorts by what
/// was assigned (`FetchCompiler`): to look for cycles it would have to read the whole collection.
extension Store {
    /// The most ids that one statement looks up.
    private static let lookupCountMax = 500

    /// The references of records that are followed, and those of all records to which they lead in turn.
    ///
    /// - Parameters:
    ///   - reference: the field that holds the reference.
    ///   - records: records of one collection; deleted ones as well.
    /// - Returns: source → target; a record whose reference reads as absent is not in it.
    /// - Complexity: O(n + m), m the records above them in the same collection; a look-up for each level of them.
    package func followed(
        _ reference: FieldName, of shown: [Record]
    ) throws(StoreFault) -> [RecordName: RecordName] {
        guard let collection = shown.first?.collection else { return [:] }
        let index = records.index(of: collection)
        guard case .reference(let other)? = collections[index].field(reference)?.kind else {
            return [:]
        }
        var search = ReferenceSearch(reference, of: shown, inside: collection, to: other)
        if search.edges.isEmpty { return [:] }
        try reading { () throws(StoreFault) in
            while !search.wanted.isEmpty {
                let ids = search.wanted.prefix(Self.lookupCountMax)
                search.wanted.removeFirst(ids.count)
                for record in try records.find(Array(ids), in: other) { search.reach(record) }
            }
        }
        return ReferenceRule.followed(search.edges) { search.live.contains($0) }
    }
}

/// The references that lead on from some records, as far as they have been read.
private struct ReferenceSearch {
    private let reference: FieldName
    /// The collection to which the reference leads; to records of another one it does not.
    private let target: CollectionID
    /// Whether the reference leads to records that have it themselves.
    private let isInside: Bool
    private var seen: Set<RecordName> = []
    private(set) var edges: [ReferenceRule.Edge] = []
    private(set) var live: Set<RecordName> = []
    /// The records that have to be read, none twice.
    var wanted: [RecordID] = []

    init(
        _ reference: FieldName, of shown: [Record], inside collection: CollectionID,
        to target: CollectionID
    ) {
        self.reference = reference
        self.target = target
        isInside = target == collection
        if isInside {
            seen = Set(shown.map(\.name))
            live = Set(shown.lazy.filter { !$0.verdict.isDeleted }.map(\.name))
        }
        for record in shown { follow(record) }
    }

    /// Takes a record to which a reference leads.
    mutating func reach(_ record: Record) {
        if record.verdict.isDeleted { return }
        live.insert(record.name)
        if isInside { follow(record) }
    }

    private mutating func follow(_ record: Record) {
        guard let shown = record.record.survivors(of: Field(reference)).last,
            case .reference(let found) = shown.value, found.collection == target
        else { return }
        edges.append(
            ReferenceRule.Edge(
                source: record.name, target: found, timestamp: shown.write.timestamp,
                dot: shown.write.dot))
        if seen.insert(found).inserted { wanted.append(found.id) }
    }
}
