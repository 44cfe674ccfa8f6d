import CSQLite
import Core

/// The identity of a damaged store and its records as changes, read from its pages.
///
/// A record counts as read if all of it fits: its clock names replicas that are known, by no counter that
/// the store had not seen, and its writes are such as the program makes.
struct SalvagedStore {
    let tables: SalvagedTables
    /// Which space it is of; nil if that cannot be read.
    private(set) var space: SpaceID?
    /// Its rule; nil if that cannot be read.
    private(set) var policy: DeletePolicy?
    /// Its replica id; nil if that cannot be read.
    private(set) var replica: ReplicaID?
    /// Its name on the other devices; nil if that cannot be read.
    private(set) var deviceName: String?
    private let schemas: [CollectionSchema]
    /// The entries of its state summary, of the replicas alone whose rows can be read.
    private(set) var summaryEntries: [StateSummaryEntry] = []
    /// The sum that the store kept over the contents of its records; nil if that cannot be read.
    private var digest: UInt128?
    private var hash: SipHash?
    private var replicas = ReplicaTable(hash: SipHash())
    /// Replicas that stand for small numbers of which nothing is known.
    private var unknown: Set<ReplicaID> = []
    /// Replicas of which is known how far the store had seen their writes.
    private var bounded: Set<ReplicaID> = []

    /// - Parameter collections: the collections of this program.
    init(_ tables: SalvagedTables, collections: [CollectionSchema]) {
        self.tables = tables
        var known: [CollectionSchema] = []
        Self.forEachRow(of: "collection", in: tables) { row in
            guard row.types == [SQLITE_TEXT, SQLITE_TEXT],
                let schema = CollectionSchema(name: row.text(0), note: row.text(1)),
                !known.contains(where: { $0.name == schema.name })
            else { return }
            known.append(schema)
        }
        schemas = known + collections.filter { one in !known.contains { $0.name == one.name } }
        var owner: Int64?
        Self.forEachRow(of: "state", in: tables) { row in
            let types = [
                SQLITE_NULL, SQLITE_BLOB, SQLITE_INTEGER, SQLITE_BLOB, SQLITE_INTEGER, SQLITE_TEXT,
            ]
            guard row.types == types, space == nil, let id = row.identifier(1),
                let policy = DeletePolicy(rawValue: UInt8(truncatingIfNeeded: row.int(2)))
            else { return }
            space = SpaceID(value: id)
            self.policy = policy
            hash = row.identifier(3).map { SipHash(storedKey: $0) }
            owner = row.int(4)
            let name = row.text(5)
            deviceName = name.utf8.count <= WireLimits.textByteCountMax ? name : nil
        }
        loadReplicas()
        if let owner, let position = Int(exactly: owner),
            replicas.entries.indices.contains(position),
            !unknown.contains(replicas[position].replica)
        {
            replica = replicas[position].replica
        }
    }

    /// Every row of a table, and those that may be of it on pages to which nothing leads.
    private static func forEachRow(
        of table: String, in tables: SalvagedTables, _ body: (SalvagedRow) -> Void
    ) {
        tables.forEachRow(of: table, body)
        tables.forEachStray(body)
    }

    // MARK: Replicas

    /// The most replicas of a store that is salvaged: a damaged row may have any number.
    private static let replicaCountMax = 1 << 20

    /// Reads which small number stands for which replica, in the table itself or in its index.
    private mutating func loadReplicas() {
        var ids: [Int: (id: ReplicaID, seen: UInt64?)] = [:]
        func note(_ number: Int64, _ id: UInt128?, seen: UInt64?) {
            guard let id, number >= 0, number < Int64(Self.replicaCountMax),
                ids[Int(number)] == nil
            else { return }
            ids[Int(number)] = (ReplicaID(value: id), seen)
        }
        let types = [
            SQLITE_NULL, SQLITE_BLOB, SQLITE_INTEGER, SQLITE_INTEGER, SQLITE_BLOB,
        ]
        Self.forEachRow(of: "replica", in: tables) { row in
            // A row from before the last column was added has one less.
            guard (7...8).contains(row.types.count), Array(row.types.prefix(5)) == types else {
                return
            }
            if row.number == StoreState.storeNumber { digest = row.identifier(4) }
            let (counter, seen) = (UInt64(bitPattern: row.int(2)), UInt64(bitPattern: row.int(3)))
            note(row.number, row.identifier(1), seen: max(counter, seen))
            if let id = row.identifier(1), let checksum = row.identifier(4), counter > 0 {
                summaryEntries.append(
                    StateSummaryEntry(
                        replica: ReplicaID(value: id), counter: counter, checksum: checksum,
                        seen: max(counter, seen)))
            }
        }
        tables.forEachRow(of: "sqlite_autoindex_replica_1") { row in
            if row.types == [SQLITE_BLOB, SQLITE_INTEGER] {
                note(row.int(1), row.identifier(0), seen: nil)
            }
        }
        for number in 0..<((ids.keys.max() ?? -1) + 1) {
            let found = ids[number]
            // No store draws such an id.
            let id = found?.id ?? ReplicaID(value: UInt128.max - UInt128(number))
            if found == nil { unknown.insert(id) }
            if found?.seen != nil { bounded.insert(id) }
            replicas.load(
                ReplicaTable.Entry(
                    replica: id, counter: found?.seen ?? 0, seen: found?.seen ?? 0, checksum: 0))
        }
    }

    private func isPossible(_ clock: VersionVector) -> Bool {
        clock.entries.allSatisfy { entry in
            guard let position = replicas.index(of: entry.replica) else { return false }
            // No peer takes a greater counter.
            if unknown.contains(entry.replica) || entry.counter > UInt64(Int64.max) { return false }
            // Its own writes nobody else counts, and it makes no more.
            if entry.replica == replica { return true }
            return !bounded.contains(entry.replica) || entry.counter <= replicas[position].seen
        }
    }

    // MARK: Records

    /// Whether records are all that there were, and as they were, by the sum that the store kept; nil if that
    /// cannot be read.
    func areUnchanged(_ records: SalvagedRecords) -> Bool? {
        guard let digest, let hash, !records.lacksDevices else { return nil }
        return records.newest.values.reduce(0) {
            $0 &+ hash.content($1.name.id, $1.clock, $1.body)
        } == digest
    }

    /// Reads every record that can be read, and the ids of all that there were.
    func records() -> SalvagedRecords {
        var found = SalvagedRecords()
        for schema in schemas {
            tables.forEachRow(of: schema.table) { read($0, schema, into: &found) }
            let index = "sqlite_autoindex_\(schema.table)_1"
            tables.forEachRow(of: index) { entry in
                if let name = Self.name(in: entry, of: schema) { found.note(name) }
            }
            let isListed = tables.tree(schema.table)?.isWhole ?? false
            if !isListed, tables.tree(index)?.isWhole != true { found.isCountExact = false }
        }
        if !tables.isListWhole { found.isCountExact = false }
        readStrays(into: &found)
        forEachDeferred { found.deferred.append($0) }
        forEachHeldChange { found.heldChanges.append(($0, $1)) }
        tables.forEachRow(of: "revoked_key") { row in
            guard row.types == [SQLITE_NULL, SQLITE_BLOB],
                case let key = row.bytes(1), key.count == RevokedKeys.keyByteCount
            else { return }
            found.revokedKeys.append(key)
        }
        return found
    }

    /// Reads records on pages to which nothing leads.
    ///
    /// Such a page may have been let go of, with what a record was before. The index of ids tells, as every
    /// change gives a row another number.
    private func readStrays(into found: inout SalvagedRecords) {
        if tables.strayPages.isEmpty { return }
        var numbers: [RecordName: Int64] = [:]
        for schema in schemas {
            tables.forEachRow(of: "sqlite_autoindex_\(schema.table)_1") { entry in
                if let name = Self.name(in: entry, of: schema) {
                    numbers[name] = entry.int(schema.isShared ? 2 : 1)
                }
            }
        }
        tables.forEachStray { row in
            guard let schema = schemas.first(where: { Self.mayBe(row, of: $0) }),
                let name = Self.name(of: row, in: schema)
            else { return }
            let age: SalvagedRecords.Age =
                if let number = numbers[name] {
                    number == row.number ? .newest : .older
                } else {
                    tables.areStraysInUse ? .newest : .unknown
                }
            read(row, schema, age, into: &found)
        }
    }

    /// Changes that were deferred, as they came.
    private func forEachDeferred(_ body: (Change) -> Void) {
        let types = [SQLITE_NULL, SQLITE_BLOB, SQLITE_BLOB, SQLITE_BLOB, SQLITE_TEXT, SQLITE_BLOB]
        Self.forEachRow(of: "deferred_change", in: tables) { row in
            guard row.types == types, let id = row.identifier(1),
                let collection = CollectionID(canonicalBytes: row.bytes(5)),
                let clock = row.withBytes(2, { RowCodec.clock($0, replicas) }), !clock.isEmpty,
                isPossible(clock)
            else { return }
            let name = RecordName(collection, RecordID(value: id))
            body(Change(name, clock: clock, body: row.bytes(3)))
        }
    }

    /// Changes whose deletes were set aside, as they came, and from whom.
    ///
    /// A page to which nothing leads may hold some that were answered: those count only if no such page was let go of.
    private func forEachHeldChange(_ body: (ReplicaID, Change) -> Void) {
        let types = [SQLITE_BLOB, SQLITE_BLOB, SQLITE_BLOB, SQLITE_BLOB, SQLITE_BLOB]
        func read(_ row: SalvagedRow) {
            guard row.types == types, let peer = row.identifier(0), let id = row.identifier(1),
                let collection = CollectionID(canonicalBytes: row.bytes(2)),
                let clock = row.withBytes(3, { RowCodec.clock($0, replicas) }), !clock.isEmpty,
                clock.entries.allSatisfy({ !unknown.contains($0.replica) })
            else { return }
            let name = RecordName(collection, RecordID(value: id))
            body(ReplicaID(value: peer), Change(name, clock: clock, body: row.bytes(4)))
        }
        tables.forEachRow(of: "held_change", read)
        if tables.areStraysInUse { tables.forEachStray(read) }
    }

    private func read(
        _ row: SalvagedRow, _ schema: CollectionSchema, _ age: SalvagedRecords.Age = .newest,
        into found: inout SalvagedRecords
    ) {
        guard let name = Self.name(of: row, in: schema) else { return }
        found.note(name)
        guard let (collection, record) = decode(row, schema), isPossible(record.clock),
            collection == name.collection
        else { return }
        let encoded = BodyCodec.encode(record, in: collection)
        // A record that would not be taken from a peer is not taken from a damaged file.
        guard record.isWellFormed, encoded.count <= RecordLimits.bodyByteCountMax,
            let again = try? BodyCodec.decode(encoded, clock: record.clock, allowElided: false),
            again.record == record
        else { return }
        found.add(Change(name, clock: record.clock, body: encoded), age)
        found.compare(record, rowState: row.int(2))
    }

    private func decode(
        _ row: SalvagedRow, _ schema: CollectionSchema
    ) -> (CollectionID, RecordState)? {
        if schema.name == CollectionSchema.foreign.name {
            guard let clock = row.withBytes(4, { RowCodec.clock($0, replicas) }),
                let body = try? BodyCodec.decode(row.bytes(5), clock: clock, allowElided: false)
            else { return nil }
            return (body.collection, body.record)
        }
        var row = row
        let first = schema.fixedColumnCount
        row.restoreDoubles(
            in: schema.fields.indices.filter { schema.fields[$0].kind == .double }
                .map { first + $0 })
        return RowCodec(schema).decode(row, replicas).map { (schema.id, $0) }
    }

    /// The name of the record in a row of a collection's table; nil if it is damaged.
    private static func name(of row: SalvagedRow, in schema: CollectionSchema) -> RecordName? {
        guard let id = row.identifier(1).map(RecordID.init(value:)) else { return nil }
        if !schema.isShared { return RecordName(schema.id, id) }
        return CollectionID(canonicalBytes: row.bytes(Int32(RowCodec.fixedColumns.count)))
            .map { RecordName($0, id) }
    }

    /// The name of a record in an entry of the index of such a table; nil if it is damaged.
    private static func name(in entry: SalvagedRow, of schema: CollectionSchema) -> RecordName? {
        guard let id = entry.identifier(0).map(RecordID.init(value:)) else { return nil }
        if !schema.isShared { return RecordName(schema.id, id) }
        return CollectionID(canonicalBytes: entry.bytes(1)).map { RecordName($0, id) }
    }

    /// Whether a row has the columns of a collection.
    private static func mayBe(_ row: SalvagedRow, of schema: CollectionSchema) -> Bool {
        let types = row.types
        let first = schema.fixedColumnCount
        let fixed = [
            SQLITE_NULL, SQLITE_BLOB, SQLITE_INTEGER, SQLITE_INTEGER, SQLITE_BLOB, SQLITE_BLOB,
        ]
        if schema.isShared, types.last != SQLITE_BLOB { return false }
        guard types.count == first + schema.fields.count, Array(types.prefix(6)) == fixed,
            row.identifier(1) != nil, (0...2).contains(row.int(2)),
            types[6] == SQLITE_TEXT || types[6] == SQLITE_NULL
        else { return false }
        return zip(schema.fields, types[first...]).allSatisfy { field, type in
            field.kind.holds(type)
        }
    }
}

/// The records that can be read of a damaged store.
struct SalvagedRecords {
    /// Whether a row is what the record was last.
    enum Age: Int {
        case older
        case unknown
        case newest
    }

    /// The readable records as changes; one that is there twice is twice among them.
    private(set) var changes: [Change] = []
    /// Changes that the store had deferred, as they came.
    var deferred: [Change] = []
    /// Changes whose deletes the store had set aside, as they came, and the peers that they are from.
    var heldChanges: [(peer: ReplicaID, change: Change)] = []
    /// The keys of devices whose revocation the store remembered.
    var revokedKeys: [[UInt8]] = []
    /// Whether it is known how many there were.
    var isCountExact = true
    /// The records that can be read as they were last, names of devices among them.
    private(set) var newest: [RecordName: Change] = [:]
    /// The names of readable records, but for the records of devices, and whether they are as they were last.
    private var ages: [RecordName: Age] = [:]
    /// All that there were, as far as is known, but for the records of devices.
    private var knownNames: Set<RecordName> = []
    private var deviceNames: Set<RecordName> = []
    /// How many rows fit one rule of a space only.
    private var votes: [DeletePolicy: Int] = [:]

    /// The names of readable records, but for the records of devices.
    var readNames: Set<RecordName> { Set(ages.keys) }

    /// The names of readable records of that age; of several copies of a record the newest counts.
    func names(_ age: Age) -> Set<RecordName> { Set(ages.filter { $0.value == age }.keys) }

    /// The ids of records that were there and cannot be read.
    var lostNames: Set<RecordName> { knownNames.subtracting(readNames) }
    /// Whether a device's record cannot be read as it was last: then the store's sum tells nothing of to-dos.
    var lacksDevices: Bool { deviceNames.contains { newest[$0] == nil } }

    /// The rule that the rows were written by; the usual one if they do not tell.
    var likelyPolicy: DeletePolicy {
        votes[.editsWin, default: 0] > votes[.deletesWin, default: 0] ? .editsWin : .deletesWin
    }

    /// Takes note of a record that was there.
    mutating func note(_ name: RecordName) {
        if name.collection == .devices { deviceNames.insert(name) } else { knownNames.insert(name) }
    }

    /// Takes a record that can be read.
    mutating func add(_ change: Change, _ age: Age) {
        changes.append(change)
        if age == .newest { newest[change.name] = change }
        guard change.name.collection != .devices else { return }
        let best = max(age.rawValue, ages[change.name]?.rawValue ?? 0)
        ages[change.name] = Age(rawValue: best)
    }

    /// Compares what each rule makes of a record with what its row says.
    mutating func compare(_ record: RecordState, rowState: Int64) {
        let isDeleted = rowState != Records.RowState.live
        let byDeletes = DeletionRule(.deletesWin).verdict(on: record).isDeleted
        let byEdits = DeletionRule(.editsWin).verdict(on: record).isDeleted
        if byDeletes != byEdits {
            votes[byDeletes == isDeleted ? .deletesWin : .editsWin, default: 0] += 1
        }
    }
}
