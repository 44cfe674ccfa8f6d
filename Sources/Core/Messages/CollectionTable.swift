/// The collections that a message names, sorted; each record in it names its collection by the index here.
package struct CollectionTable: Sendable {
    private let collections: [CollectionID]

    /// The collections of some records.
    init(of names: some Sequence<RecordName>) {
        var found: [CollectionID] = []
        // Nearly always it is that of the record before.
        for name in names where found.last != name.collection {
            if !found.contains(name.collection) { found.append(name.collection) }
        }
        collections = found.sorted()
    }

    /// Takes a table.
    init(from reader: inout CanonicalReader) throws(WireFault) {
        let count = try reader.array(max: WireLimits.collectionCountMax, .collectionTable)
        var found: [CollectionID] = []
        for _ in 0..<count {
            let collection = try reader.fieldName()
            if let last = found.last, last >= collection { throw .notSorted }
            found.append(collection)
        }
        collections = found
    }

    /// Writes the table.
    func write(to writer: inout CanonicalWriter) {
        writer.array(collections.count)
        for collection in collections { BodyCodec.write(collection, to: &writer) }
    }

    /// Writes a record's name: the index of its collection, and its id.
    func write(_ name: RecordName, to writer: inout CanonicalWriter) {
        guard let index = collections.firstIndex(of: name.collection) else {
            preconditionFailure("a message's table has all the collections of its records")
        }
        writer.unsigned(UInt64(index))
        writer.identifier(name.id.value)
    }

    /// Takes a record's name.
    func name(from reader: inout CanonicalReader) throws(WireFault) -> RecordName {
        guard !collections.isEmpty else { throw .outOfRange(.collectionTableIndex) }
        let index = try reader.unsigned(
            max: UInt64(collections.count) - 1, .collectionTableIndex)
        return RecordName(collections[Int(index)], RecordID(value: try reader.identifier()))
    }
}

extension WireLimits {
    /// How many of some records, from the first on, fit in one message by the number of their collections.
    package static func fittingCount(_ names: some Sequence<RecordName>) -> Int {
        var (count, last) = (0, CollectionID?.none)
        var collections: Set<CollectionID> = []
        for name in names {
            if name.collection != last {
                collections.insert(name.collection)
                if collections.count > collectionCountMax { break }
                last = name.collection
            }
            count += 1
        }
        return count
    }
}
