/// The parts that messages are made of.
extension CanonicalReader {
    /// Takes a counter: an unsigned integer that SQLite can hold.
    mutating func counter() throws(WireFault) -> UInt64 {
        try unsigned(max: UInt64(Int64.max), "a counter")
    }

    mutating func checkpoint() throws(WireFault) -> Checkpoint {
        guard try array(max: 2, "a checkpoint") == 2 else { throw .outOfRange("a checkpoint") }
        return Checkpoint(epoch: EpochID(value: try unsigned()), sequence: try counter())
    }

    /// Takes entries of a statement; beside a hello's speaker, its own has null for its name.
    mutating func statementEntries(
        speaker: ReplicaID? = nil
    ) throws(WireFault)
        -> [StatementEntry]
    {
        let count = try array(max: WireLimits.replicaCountMax, "the entries of a statement")
        var entries: [StatementEntry] = []
        for _ in 0..<count {
            let length = try array(max: 4, "an entry of a statement")
            guard length >= 3 else { throw .outOfRange("an entry of a statement") }
            let replica: ReplicaID
            if let speaker, null() {
                replica = speaker
            } else {
                replica = ReplicaID(value: try identifier())
                guard replica != speaker else { throw .notDeterministic }
            }
            if let last = entries.last, last.replica >= replica { throw .notSorted }
            let counter = try counter()
            let tally = try identifier()
            let seen = length == 4 ? try self.counter() : counter
            guard length == 3 || seen > counter else { throw .notDeterministic }
            entries.append(
                StatementEntry(replica: replica, counter: counter, tally: tally, seen: seen))
        }
        return entries
    }

    mutating func recollection(places: [StatementEntry]) throws(WireFault) -> Recollection {
        guard try array(max: 5, "a recollection") == 5 else { throw .outOfRange("a recollection") }
        let peer: ReplicaID?
        if null() {
            peer = nil
        } else if let first = self.peek, first >> 5 == 0 {
            let place = try unsigned()
            guard place < UInt64(places.count) else { throw .outOfRange("a place") }
            peer = places[Int(place)].replica
        } else {
            let id = ReplicaID(value: try identifier())
            guard !places.contains(where: { $0.replica == id }) else { throw .notDeterministic }
            peer = id
        }
        let epoch = EpochID(value: try unsigned())
        let sequence = try counter()
        guard epoch.value != 0 || sequence == 0 else { throw .outOfRange("a checkpoint") }
        let counter = try counter()
        let counterEpoch: EpochID?
        if null() {
            counterEpoch = nil
        } else {
            let value = try unsigned()
            guard value != epoch.value else {
                throw value == 0 ? .outOfRange("an epoch") : .notDeterministic
            }
            counterEpoch = value == 0 ? epoch : EpochID(value: value)
        }
        let checkpoint = epoch.value == 0 ? nil : Checkpoint(epoch: epoch, sequence: sequence)
        return Recollection(
            peer: peer, checkpoint: checkpoint, counter: counter, epoch: counterEpoch)
    }

    mutating func replicaTable() throws(WireFault) -> [ReplicaID] {
        let bytes = try byteString(max: WireLimits.replicaCountMax * 16, "a table of replicas")
        guard bytes.count % 16 == 0 else { throw .outOfRange("the length of a table of replicas") }
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

    mutating func changes(_ replicas: [ReplicaID]) throws(WireFault) -> [Change] {
        let count = try array(max: WireLimits.changesPerBatchMax * 3, "the changes of a batch")
        guard count % 3 == 0 else { throw .outOfRange("the length of a batch") }
        var changes: [Change] = []
        changes.reserveCapacity(count / 3)
        for _ in 0..<count / 3 {
            let id = RecordID(value: try identifier())
            let clock = try clock(replicas)
            let body = try byteString(max: WireLimits.frameByteCountMax, "a body")
            changes.append(Change(id: id, clock: clock, body: body))
        }
        return changes
    }

    /// Takes the places of some changes in a batch; the key is left out if there are none.
    mutating func places() throws(WireFault) -> [Int] {
        let count = try array(max: WireLimits.changesPerBatchMax, "places in a batch")
        guard count > 0 else { throw .notDeterministic }
        var places: [Int] = []
        for _ in 0..<count {
            let most = UInt64(WireLimits.changesPerBatchMax) - 1
            let place = Int(try unsigned(max: most, "a place in a batch"))
            if let last = places.last, last >= place { throw .notSorted }
            places.append(place)
        }
        return places
    }

    /// Takes true; in the place of false the key is left out.
    mutating func mark() throws(WireFault) -> Bool {
        guard try bool() else { throw .notDeterministic }
        return true
    }

    private mutating func clock(_ replicas: [ReplicaID]) throws(WireFault) -> VersionVector {
        let count = try array(max: replicas.count * 2, "the entries of a clock")
        guard count % 2 == 0, count > 0 else { throw .outOfRange("the length of a clock") }
        var entries: [VersionVector.Entry] = []
        entries.reserveCapacity(count / 2)
        for _ in 0..<count / 2 {
            let place = try unsigned(max: UInt64(replicas.count) - 1, "a place in a table")
            entries.append(
                VersionVector.Entry(replica: replicas[Int(place)], counter: try counter()))
        }
        guard let clock = VersionVector(sorted: entries) else { throw .notSorted }
        return clock
    }

    mutating func fullClock() throws(WireFault) -> VersionVector {
        let count = try array(max: RecordLimits.replicaCountMax * 2, "the entries of a clock")
        guard count % 2 == 0, count > 0 else { throw .outOfRange("the length of a clock") }
        var entries: [VersionVector.Entry] = []
        for _ in 0..<count / 2 {
            entries.append(
                VersionVector.Entry(
                    replica: ReplicaID(value: try identifier()), counter: try counter()))
        }
        guard let clock = VersionVector(sorted: entries) else { throw .notSorted }
        return clock
    }

    mutating func openings() throws(WireFault) -> [ChangeBatch.Opening] {
        let count = try array(max: WireLimits.replicaCountMax * 3, "openings")
        guard count % 3 == 0 else { throw .outOfRange("the length of the openings") }
        var openings: [ChangeBatch.Opening] = []
        for _ in 0..<count / 3 {
            let replica = ReplicaID(value: try identifier())
            if let last = openings.last, last.replica >= replica { throw .notSorted }
            let start = EpochStart(epoch: EpochID(value: try unsigned()), counter: try counter())
            openings.append(ChangeBatch.Opening(replica: replica, start: start))
        }
        return openings
    }

    mutating func recordIDs() throws(WireFault) -> [RecordID] {
        let count = try array(max: WireLimits.wantCountMax, "the ids wanted")
        var ids: [RecordID] = []
        for _ in 0..<count { ids.append(RecordID(value: try identifier())) }
        return ids
    }

    mutating func epochStarts() throws(WireFault) -> [EpochStart] {
        let count = try array(max: WireLimits.epochCountMax * 2, "the openings of a history")
        guard count % 2 == 0 else { throw .outOfRange("the length of a history") }
        var openings: [EpochStart] = []
        for _ in 0..<count / 2 {
            let epoch = EpochID(value: try unsigned())
            openings.append(EpochStart(epoch: epoch, counter: try counter()))
        }
        return openings
    }
}
