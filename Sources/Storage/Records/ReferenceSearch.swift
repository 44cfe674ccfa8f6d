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
        try complete(&search)
        return ReferenceRule.followed(search.edges) { search.live.contains($0) }
    }

    /// The references of a set that are followed, and those of all records to which they lead in turn.
    ///
    /// - Parameters:
    ///   - set: the field that holds references to records of the same collection as elements.
    ///   - shown: records of one collection; deleted ones as well.
    /// - Returns: source → targets, sorted; and the live records to which the references lead.
    /// - Complexity: O(n log n), n the references of these records and of those to which they lead; a look-up for each
    ///   level of them.
    package func followedSets(
        _ set: FieldName, of shown: [Record]
    ) throws(StoreFault) -> (targets: [RecordID: [RecordID]], reached: [RecordID: Record]) {
        guard let collection = shown.first?.collection,
            collections[records.index(of: collection)].field(set)?.kind == .set
        else { return ([:], [:]) }
        var search = ReferenceSearch(
            set, of: shown, inside: collection, to: collection, isOfSet: true)
        try complete(&search)
        let targets = ReferenceRule.followedSets(search.edges) { search.live.contains($0) }
        return (
            Dictionary(uniqueKeysWithValues: targets.map { ($0.key.id, $0.value.map(\.id)) }),
            search.reached
        )
    }

    /// Reads the records to which references lead, level by level.
    private func complete(_ search: inout ReferenceSearch) throws(StoreFault) {
        if search.edges.isEmpty { return }
        try reading { () throws(StoreFault) in
            while !search.wanted.isEmpty {
                let ids = search.wanted.prefix(Self.lookupCountMax)
                search.wanted.removeFirst(ids.count)
                for record in try records.find(Array(ids), in: search.target) {
                    search.reach(record)
                }
            }
        }
    }
}

/// The references that lead on from some records, as far as they have been read.
private struct ReferenceSearch {
    private let reference: FieldName
    /// The collection to which the reference leads; to records of another one it does not.
    let target: CollectionID
    /// Whether the field is a set, whose elements are the references.
    private let isOfSet: Bool
    /// Whether the reference leads to records that have it themselves.
    private let isInside: Bool
    private var seen: Set<RecordName> = []
    private(set) var edges: [ReferenceRule.Edge] = []
    private(set) var live: Set<RecordName> = []
    /// Of a set, the live records among those shown and those that were read.
    private(set) var reached: [RecordID: Record] = [:]
    /// The records that have to be read, none twice.
    var wanted: [RecordID] = []

    init(
        _ reference: FieldName, of shown: [Record], inside collection: CollectionID,
        to target: CollectionID, isOfSet: Bool = false
    ) {
        self.reference = reference
        self.isOfSet = isOfSet
        self.target = target
        isInside = target == collection
        if isInside {
            seen = Set(shown.map(\.name))
            live = Set(shown.lazy.filter { !$0.verdict.isDeleted }.map(\.name))
        }
        for record in shown {
            if isOfSet, !record.verdict.isDeleted { reached[record.id] = record }
            follow(record)
        }
    }

    /// Takes a record to which a reference leads.
    mutating func reach(_ record: Record) {
        if record.verdict.isDeleted { return }
        live.insert(record.name)
        if isOfSet { reached[record.id] = record }
        if isInside { follow(record) }
    }

    private mutating func follow(_ record: Record) {
        if !isOfSet { return follow(record, Field(reference)) }
        for element in record.record.elements(of: reference) {
            follow(record, .element(reference, element))
        }
    }

    private mutating func follow(_ record: Record, _ field: Field) {
        guard let shown = record.record.survivors(of: field).last else { return }
        let value = if case .element(_, let element) = field { element } else { shown.value }
        guard case .reference(let found) = value, found.collection == target else { return }
        edges.append(
            ReferenceRule.Edge(
                source: record.name, target: found, timestamp: shown.write.timestamp,
                dot: shown.write.dot))
        if seen.insert(found).inserted { wanted.append(found.id) }
    }
}
