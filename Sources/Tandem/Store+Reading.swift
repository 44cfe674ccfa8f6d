import Core
import Storage

/// Reading.
extension Store {
    /// The records of a request.
    ///
    /// - Throws: `unknownName`, `wrongKind`, `busy`, `damaged`, `schemaChanged`, `notOpen`.
    public func fetch(_ request: FetchRequest) throws(TandemError) -> [Record] {
        let engine = try opened()
        let compiled = try RequestCompiler(schema: schema).compile(request)
        return try TandemError.mapping { () throws(StoreFault) in
            try engine.fetch(compiled).map(Record.init)
        }
    }

    /// How many records a request is about, whatever its limit.
    ///
    /// - Throws: what ``fetch(_:)`` throws.
    public func count(_ request: FetchRequest) throws(TandemError) -> Int {
        let engine = try opened()
        let compiled = try RequestCompiler(schema: schema).compile(request)
        return try TandemError.mapping { () throws(StoreFault) in try engine.count(compiled) }
    }

    /// A record by its id, also one in the trash; nil if it is not here.
    ///
    /// - Throws: `busy`, `damaged`, `schemaChanged`, `notOpen`.
    public func record(_ id: RecordID) throws(TandemError) -> Record? {
        let engine = try opened()
        return try TandemError.mapping { () throws(StoreFault) in
            try engine.record(id.value).map(Record.init)
        }
    }

    /// The record that a unique key names in a collection, also one in the trash; nil if it is not here.
    ///
    /// - Throws: what ``record(_:)`` throws.
    public func record(key: String, in collection: String) throws(TandemError) -> Record? {
        try record(RecordID(key: key, in: collection))
    }

    // MARK: References

    /// The record to which a reference leads; nil if it leads nowhere.
    ///
    /// A reference to a record that is missing or deleted reads as absent. Where references of one attribute
    /// close a cycle, the one that was made last reads as absent, on every device the same.
    /// - Throws: `unknownName`; what ``record(_:)`` throws.
    public func target(
        of record: Record, _ reference: String
    ) throws(TandemError) -> Record? {
        let collection = try schema.required(record.collection)
        let target = try schema.target(of: reference, of: collection)
        guard let id = record.reference(reference), let found = try self.record(id),
            !found.isDeleted, found.collection == target.name
        else { return nil }
        if target.name == collection.name, try isCut(record, reference) { return nil }
        return found
    }

    /// Whether a reference inside of one collection is the one that is cut of a cycle.
    private func isCut(_ record: Record, _ reference: String) throws(TandemError) -> Bool {
        let field = Field.custom(reference)
        var edges: [ReferenceRule.Edge] = []
        var seen: Set<RecordID> = []
        var next: Record? = record
        while let record = next, !record.isDeleted, seen.insert(record.id).inserted {
            guard let shown = record.stored.record.survivors(of: field).last,
                case .reference(let target) = shown.value
            else { return false }
            edges.append(
                ReferenceRule.Edge(
                    source: record.stored.id, target: target, timestamp: shown.write.timestamp,
                    dot: shown.write.dot))
            next = try self.record(RecordID(target))
        }
        let live = Set(seen.map(\.value))
        let followed = ReferenceRule.followed(edges) { live.contains($0) }
        return followed[record.stored.id] == nil
    }

    /// The records that refer to a record, by their index, in order of their ids.
    ///
    /// - Parameters:
    ///   - record: the record to which they refer.
    ///   - inverse: what the schema calls the other side of their reference.
    /// - Throws: `unknownName`; what ``fetch(_:)`` throws.
    public func related(to record: Record, _ inverse: String) throws(TandemError) -> [Record] {
        try fetch(try request(related: record, inverse))
    }

    /// How many records refer to a record.
    ///
    /// - Parameters:
    ///   - record: the record to which they refer.
    ///   - inverse: what the schema calls the other side of their reference.
    /// - Throws: `unknownName`; what ``fetch(_:)`` throws.
    public func relatedCount(to record: Record, _ inverse: String) throws(TandemError) -> Int {
        try count(try request(related: record, inverse))
    }

    private func request(
        related record: Record, _ inverse: String
    ) throws(TandemError) -> FetchRequest {
        let collection = try schema.required(record.collection)
        let (other, reference) = try schema.inverse(inverse, of: collection)
        return FetchRequest(
            other.name,
            where: .equals(FetchRequest.Path(reference), .reference(record.id)))
    }

    // MARK: Devices

    /// This device's name, as others see it.
    ///
    /// - Throws: `busy`, `damaged`, `notOpen`.
    public func deviceName() throws(TandemError) -> String {
        let engine = try opened()
        return try TandemError.mapping { () throws(StoreFault) in try engine.summary().deviceName }
    }

    /// Why this store is another device since it was opened, in words; nil if it is the one it was.
    ///
    /// Nothing is lost by that: other devices see one more device of the same name.
    public var newIdentityReason: String? { engine?.suspicion.map { "\($0)" } }

    /// Copies the store, as it is now, into a new folder; whoever opens the copy is another device.
    ///
    /// The device's keys are not copied: the copy is let in again with an invitation.
    /// - Throws: `storeExists`, `diskFull`, `inputOutput`, `notOpen`.
    public func backUp(to folder: String) throws(TandemError) {
        let engine = try opened()
        try TandemError.mapping { () throws(StoreFault) in try engine.backup(to: folder) }
    }

    /// Names this device: the same until the store is copied or restored, which makes it another device.
    ///
    /// - Throws: `notOpen`.
    public func deviceID() throws(TandemError) -> String { try opened().replica.uuidText }
}
