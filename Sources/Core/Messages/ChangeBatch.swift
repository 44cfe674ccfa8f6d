/// Changes in the order in which they arrived at the sender, and how far they reach.
package struct ChangeBatch: Hashable, Sendable {
    /// The changes.
    package var changes: [Change]
    /// How far into its sequence the sender has read; nil if these come out of turn, as asked for.
    package var through: Checkpoint?
    /// For replicas in the changes' clocks: the newest opening that the sender knows of, sorted by replica.
    package var incarnations: [AnnouncedIncarnation]

    /// The newest known opening of one replica.
    package struct AnnouncedIncarnation: Hashable, Sendable {
        /// The replica that opened its store.
        package let replica: ReplicaID
        /// The opening.
        package let start: Incarnation

        /// The newest known opening of `replica`.
        package init(replica: ReplicaID, start: Incarnation) {
            self.replica = replica
            self.start = start
        }
    }

    /// A batch.
    package init(changes: [Change], through: Checkpoint?, incarnations: [AnnouncedIncarnation] = [])
    {
        self.changes = changes
        self.through = through
        self.incarnations = incarnations
    }
}

extension ChangeBatch: WireMessage {
    enum Key: UInt64 {
        case replicas = 1
        case collections, changes, through, incarnations, deferred
    }

    /// The number of this kind of message.
    package static let kind: UInt64 = 2
    static let name = "changes"
    var asMessage: Message { .changes(self) }

    var byteCountEstimate: Int {
        let replicaCount =
            changes.reduce(0) { max($0, $1.clock.entries.count) } + incarnations.count
        return changes.reduce(64 + replicaCount * 32) { $0 + $1.body.count + 49 }
    }

    func encode(into writer: inout MessageWriter) {
        let replicas = self.replicas
        writer.key(Key.replicas)
        writer.item.head(2, UInt64(replicas.count * 16))
        for replica in replicas { writer.item.raw(replica.value) }
        let collections = CollectionTable(of: changes.lazy.map(\.name))
        writer.key(Key.collections)
        collections.write(to: &writer.item)
        writer.key(Key.changes)
        writer.item.array(changes.count * 4)
        for change in changes {
            collections.write(change.name, to: &writer.item)
            writer.item.array(change.clock.entries.count * 2)
            for entry in change.clock.entries {
                writer.item.unsigned(UInt64(Self.index(of: entry.replica, in: replicas)))
                writer.item.unsigned(entry.counter)
            }
            writer.item.byteString(change.body)
        }
        if let through {
            writer.key(Key.through)
            writer.item.checkpoint(through)
        }
        if !incarnations.isEmpty {
            writer.key(Key.incarnations)
            writer.item.incarnations(incarnations)
        }
        let deferred = indexes(ofDeferred: changes)
        if !deferred.isEmpty {
            writer.key(Key.deferred)
            writer.item.array(deferred.count)
            for index in deferred { writer.item.unsigned(UInt64(index)) }
        }
    }

    /// The replicas of all clocks, sorted.
    private var replicas: [ReplicaID] {
        // Most batches name few; a set costs more than a look at those.
        var few: [ReplicaID] = []
        for change in changes {
            for entry in change.clock.entries where !few.contains(entry.replica) {
                if few.count == 16 { return allReplicas }
                few.append(entry.replica)
            }
        }
        few.sort()
        return few
    }

    private var allReplicas: [ReplicaID] {
        var replicas: Set<ReplicaID> = []
        for change in changes {
            for entry in change.clock.entries { replicas.insert(entry.replica) }
        }
        return replicas.sorted()
    }

    private static func index(of replica: ReplicaID, in replicas: [ReplicaID]) -> Int {
        if let index = replicas.index(ofSorted: replica, by: \.self) { return index }
        preconditionFailure("a batch's table has all the replicas of its clocks")
    }

    /// The indexes of the changes that the sender has deferred.
    private func indexes(ofDeferred changes: [Change]) -> [Int] {
        changes.indices.filter { changes[$0].isDeferred }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var replicas: [ReplicaID]?
        var collections: CollectionTable?
        var changes: [Change]?
        var through: Checkpoint?
        var incarnations: [AnnouncedIncarnation] = []
        var deferred: [Int] = []
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .replicas: replicas = try reader.item.replicaTable()
            case .collections: collections = try CollectionTable(from: &reader.item)
            case .changes:
                changes = try reader.item.changes(
                    try reader.required(replicas, Key.replicas),
                    try reader.required(collections, Key.collections))
            case .through: through = try reader.item.checkpoint()
            case .incarnations: incarnations = try reader.item.incarnations()
            case .deferred: deferred = try reader.item.indexes()
            }
        }
        _ = try reader.required(replicas, Key.replicas)
        _ = try reader.required(collections, Key.collections)
        self.init(
            changes: try reader.required(changes, Key.changes), through: through,
            incarnations: incarnations)
        try mark(deferred)
    }

    /// Marks the changes that the sender has deferred.
    private mutating func mark(_ deferred: [Int]) throws(WireFault) {
        guard let last = deferred.last else { return }
        guard last < changes.count else { throw .outOfRange(.batchIndex) }
        for index in deferred {
            let change = changes[index]
            changes[index] = Change(
                change.name, clock: change.clock, body: change.body, isDeferred: true)
        }
    }

    var fields: [MessageField] {
        let listed = changes.map { change in
            MessageField.Content.object([
                .init("record", .name(change.name)), .init("clock", .clock(change.clock)),
                .init("body", .bytes(change.body)),
            ])
        }
        var fields = [MessageField("changes", .list(listed))]
        if let through { fields.append(.init("through", .checkpoint(through))) }
        if !incarnations.isEmpty { fields.append(.init("openings", .incarnations(incarnations))) }
        let deferred = indexes(ofDeferred: changes)
        if !deferred.isEmpty {
            fields.append(.init("deferred", .list(deferred.map { .number(UInt64($0)) })))
        }
        return fields
    }
}

extension CanonicalWriter {
    /// Writes openings, three parts each.
    mutating func incarnations(_ incarnations: [ChangeBatch.AnnouncedIncarnation]) {
        array(incarnations.count * 3)
        for incarnation in incarnations {
            identifier(incarnation.replica.value)
            unsigned(incarnation.start.epoch.value)
            unsigned(incarnation.start.counter)
        }
    }
}

extension CanonicalReader {
    mutating func incarnations() throws(WireFault) -> [ChangeBatch.AnnouncedIncarnation] {
        let count = try array(of: 3, takingEach: 19)
        guard count % 3 == 0 else { throw .outOfRange(.incarnationsLength) }
        var incarnations: [ChangeBatch.AnnouncedIncarnation] = []
        for _ in 0..<count / 3 {
            let replica = ReplicaID(value: try identifier())
            if let last = incarnations.last, last.replica >= replica { throw .notSorted }
            let start = Incarnation(epoch: EpochID(value: try unsigned()), counter: try counter())
            incarnations.append(ChangeBatch.AnnouncedIncarnation(replica: replica, start: start))
        }
        return incarnations
    }

    fileprivate mutating func replicaTable() throws(WireFault) -> [ReplicaID] {
        let bytes = try byteString(max: WireLimits.frameByteCountMax, .replicaTable)
        guard bytes.count % 16 == 0 else { throw .outOfRange(.replicaTableLength) }
        var table: [ReplicaID] = []
        for start in stride(from: 0, to: bytes.count, by: 16) {
            guard let replica = ReplicaID(bytes: bytes[start..<start + 16]) else {
                throw .truncated
            }
            if let last = table.last, last >= replica { throw .notSorted }
            table.append(replica)
        }
        return table
    }

    fileprivate mutating func changes(
        _ replicas: [ReplicaID], _ collections: CollectionTable
    ) throws(WireFault) -> [Change] {
        let count = try array(max: WireLimits.changesPerBatchMax, of: 4, .batchChanges)
        guard count % 4 == 0 else { throw .outOfRange(.batchLength) }
        var changes: [Change] = []
        changes.reserveCapacity(count / 4)
        for _ in 0..<count / 4 {
            let name = try collections.name(from: &self)
            let clock = try clock(replicas)
            let body = try byteString(max: WireLimits.frameByteCountMax, .body)
            changes.append(Change(name, clock: clock, body: body))
        }
        return changes
    }

    /// Takes the places of some changes in a batch; the key is left out if there are none.
    fileprivate mutating func indexes() throws(WireFault) -> [Int] {
        let count = try array(max: WireLimits.changesPerBatchMax, .batchIndexes)
        guard count > 0 else { throw .notDeterministic }
        var indexes: [Int] = []
        for _ in 0..<count {
            let most = UInt64(WireLimits.changesPerBatchMax) - 1
            let index = Int(try unsigned(max: most, .batchIndex))
            if let last = indexes.last, last >= index { throw .notSorted }
            indexes.append(index)
        }
        return indexes
    }

    fileprivate mutating func clock(_ replicas: [ReplicaID]) throws(WireFault) -> VersionVector {
        let count = try array(max: replicas.count, of: 2, .clockEntries)
        guard count % 2 == 0, count > 0 else { throw .outOfRange(.clockLength) }
        var entries: [VersionVector.Entry] = []
        entries.reserveCapacity(count / 2)
        for _ in 0..<count / 2 {
            let index = try unsigned(max: UInt64(replicas.count) - 1, .replicaTableIndex)
            entries.append(
                VersionVector.Entry(replica: replicas[Int(index)], counter: try counter()))
        }
        guard let clock = VersionVector(sorted: entries) else { throw .notSorted }
        return clock
    }
}

extension MessageField.Content {
    static func incarnations(_ incarnations: [ChangeBatch.AnnouncedIncarnation]) -> Self {
        .list(incarnations.map { .list([.id($0.replica), .start($0.start)]) })
    }
}
