import Core
import Session

/// A replica's store over a dictionary: the part of a store that a session needs, small but
/// faithful.
package struct MemoryStore: Sendable {
    /// A record with its arrival number.
    package struct Entry: Sendable {
        /// The record.
        package var record: RecordState
        /// Its arrival number.
        package var sequence: UInt64
    }

    /// The collection of every record.
    package static let collection = CollectionID.number(1)
    /// The space of every store.
    package static let space = SpaceID(value: 0xface)

    /// The space.
    package var space = MemoryStore.space
    /// The space's rule for deletes.
    package var policy = DeletePolicy.deletesWin
    /// The replica that the store is.
    package var replica: ReplicaID
    /// The present opening.
    package var incarnation: Incarnation
    /// The openings so far, each with the last arrival number before it.
    package private(set) var incarnations: [(start: Incarnation, sequence: UInt64, moved: UInt64)]
    /// The last arrival number given.
    package private(set) var sequence: UInt64 = 0
    /// The number of the last write made here.
    package var counter: UInt64 = 0
    /// The writes that the store vouches for.
    package var knowledge = VersionVector()
    /// The records.
    package private(set) var records: [RecordName: Entry] = [:]
    /// How far each peer was read.
    package private(set) var checkpoints: [ReplicaID: Checkpoint] = [:]
    /// How far each peer's state summary was adopted.
    package private(set) var summaryCheckpoints: [ReplicaID: Checkpoint] = [:]
    /// The number of the last change of the state summary.
    package private(set) var summarySequence: UInt64 = 0
    /// The same for each entry.
    private var moved: [ReplicaID: UInt64] = [:]
    /// Whether the list of what changed is one that is too long.
    package var hasNoList = false
    private var peerIncarnations: [ReplicaID: [Incarnation]] = [:]
    private var mistrust: [ReplicaID: Int] = [:]
    /// Records whose changes cannot be read here, as from a newer version.
    package var unreadable: Set<RecordName> = []
    /// Whether a full exchange is ignored, so that a difference stays.
    package var refusesUnion = false
    /// How many ids this store has taken since it began.
    package private(set) var newIDCount = 0

    /// An empty store that counts on from a number, as one of which much was forgotten.
    package init(_ number: UInt8, from count: UInt64 = 0) {
        counter = count
        sequence = count
        replica = ReplicaID(value: UInt128(number) << 120 | 7)
        incarnation = Incarnation(epoch: EpochID(value: UInt64(number) << 56 | 1), counter: count)
        incarnations = [(incarnation, 0, 0)]
    }

    // MARK: Local work

    /// Opens the store once more.
    package mutating func reopen() {
        incarnation = Incarnation(
            epoch: EpochID(value: incarnation.epoch.value + 1), counter: counter)
        incarnations.append((incarnation, sequence, summarySequence))
    }

    /// Makes a write that gives a number to each of the fields.
    package mutating func write(_ id: UInt64, _ fields: [UInt32: Value]) {
        let name = RecordName(toDo: RecordID(value: UInt128(id)))
        counter += 1
        var record = records[name]?.record ?? RecordState()
        for index in record.writes.indices {
            record.writes[index].assignments.removeAll { assignment in
                fields.keys.contains { .number($0) == assignment.field }
            }
        }
        record.writes.removeAll(where: \.assignments.isEmpty)
        let assignments = fields.sorted { $0.key < $1.key }
            .map { Assignment(.number($0.key), $0.value) }
        record.writes.append(
            Write(
                dot: Dot(replica: replica, counter: counter),
                timestamp: HybridTimestamp(rawValue: counter << 16), assignments: assignments))
        record.writes.sort { $0.dot < $1.dot }
        record.clock.include(counter, of: replica)
        knowledge.include(counter, of: replica)
        put(record, name)
    }

    /// Deletes the first records, so many at most, as far as they have writes.
    package mutating func delete(_ count: Int, purges: Bool = false) {
        for name in records.keys.sorted().prefix(count) {
            guard var record = records[name]?.record, !record.writes.isEmpty else { continue }
            var assignments = [Assignment(.deleted, .clock(record.clock))]
            if purges { assignments.append(Assignment(.purged, .bool(true))) }
            counter += 1
            for index in record.writes.indices {
                record.writes[index].assignments.removeAll { $0.field <= .purged }
            }
            record.writes.removeAll(where: \.assignments.isEmpty)
            record.writes.append(
                Write(
                    dot: Dot(replica: replica, counter: counter),
                    timestamp: HybridTimestamp(rawValue: counter << 16), assignments: assignments))
            record.writes.sort { $0.dot < $1.dot }
            record.clock.include(counter, of: replica)
            knowledge.include(counter, of: replica)
            put(record, name)
        }
    }

    /// Puts a record there as it is, with a new arrival number.
    package mutating func put(_ record: RecordState, _ name: RecordName) {
        sequence += 1
        let before = records[name]?.record.clock ?? VersionVector()
        records[name] = Entry(record: record, sequence: sequence)
        summarySequence += 1
        for entry in record.clock.entries where before.counter(of: entry.replica) != entry.counter {
            moved[entry.replica] = summarySequence
        }
    }

    /// Adopts a write that is in no record here, so that the state summary has an entry of its replica.
    package mutating func know(_ counter: UInt64, of replica: ReplicaID) {
        knowledge.include(counter, of: replica)
        summarySequence += 1
        moved[replica] = summarySequence
    }

    /// Forgets a record that is known all the same, as one that was deferred.
    package mutating func forget(_ id: UInt64) {
        records[RecordName(toDo: RecordID(value: UInt128(id)))] = nil
    }

    /// The visible value of a field of a record.
    package func value(_ id: UInt64, _ field: UInt32 = 2) -> Value? {
        records[RecordName(toDo: RecordID(value: UInt128(id)))]?.record.visible(.number(field))
    }

    /// The contents, for comparing two stores.
    package var contents: [RecordName: RecordState] { records.mapValues(\.record) }

    // MARK: What is stated

    /// The writes of all records.
    package var seen: VersionVector {
        records.values.reduce(into: VersionVector()) { $0.join($1.record.clock) }
    }

    /// The state summary.
    package var stateSummary: StateSummary {
        var seen = VersionVector()
        var digest: UInt128 = 0
        var checksums: [ReplicaID: UInt128] = [:]
        for (name, entry) in records {
            let clock = entry.record.clock
            seen.join(clock)
            let body = BodyCodec.encode(entry.record, in: name.collection)
            digest &+= SipHash().content(name.id, clock, body)
            for entry in clock.entries {
                checksums[entry.replica, default: 0] &+= SipHash().checksum(name, entry.counter)
            }
        }
        return StateSummary(
            entries: knowledge.joined(with: seen).entries.map { entry in
                StateSummaryEntry(
                    replica: entry.replica, counter: knowledge.counter(of: entry.replica),
                    checksum: checksums[entry.replica] ?? 0, seen: seen.counter(of: entry.replica))
            }, digest: Digest(contents: digest))
    }

    // MARK: What a session asks

    /// The answer to `greet`.
    package func greeting(for peer: ReplicaID?) -> Greeting {
        let stateSummary = stateSummary
        return Greeting(
            space: space, policy: policy, replica: replica, incarnation: incarnation,
            sequence: sequence, stateSummary: stateSummary, sum: stateSummary.sum(SipHash()),
            hash: SipHash(), counter: counter,
            peerCheckpoint: peer.map { peer in
                PeerCheckpoint(
                    peer: peer, checkpoint: checkpoints[peer],
                    counter: max(seen.counter(of: peer), knowledge.counter(of: peer)),
                    epoch: peerIncarnations[peer]?.last?.epoch, summary: summaryCheckpoints[peer])
            }, summarySequence: summarySequence)
    }

    /// The answer to `listMoved`.
    package func moved(since summary: Checkpoint) -> [ReplicaID]? {
        let index = incarnations.firstIndex { $0.start.epoch == summary.epoch }
        guard let index, !hasNoList else { return nil }
        let end = index + 1 < incarnations.count ? incarnations[index + 1].moved : summarySequence
        return moved.filter { $0.value > min(summary.sequence, end) }.keys.sorted()
    }

    /// Forgets how far a peer was read.
    package mutating func dropCheckpoints(of peer: ReplicaID) {
        checkpoints[peer] = nil
        summaryCheckpoints[peer] = nil
    }

    /// The answer to `examine`.
    package func examine(_ peerCheckpoint: PeerCheckpoint) -> Bool {
        guard peerCheckpoint.counter > 0 else { return false }
        return peerCheckpoint.counter > end(ofLastCommon: peerCheckpoint.epoch.map { [$0] } ?? [])
    }

    /// The counter at which the last opening of these ended that is on the list; 0 if none is.
    private func end(ofLastCommon epochs: [EpochID]) -> UInt64 {
        guard let index = incarnations.lastIndex(where: { epochs.contains($0.start.epoch) }) else {
            return 0
        }
        return index + 1 < incarnations.count ? incarnations[index + 1].start.counter : counter
    }

    /// The answer to `recallHistory`.
    package func history(of peer: ReplicaID) -> History {
        History(
            replica: peer, counter: knowledge.counter(of: peer),
            incarnations: peerIncarnations[peer] ?? [])
    }

    /// Takes a new id if the history shows writes that are not here.
    package mutating func resolve(_ history: History) -> Bool {
        guard history.counter > end(ofLastCommon: history.incarnations.map(\.epoch)) else {
            return false
        }
        adoptNewID()
        return true
    }

    /// Takes a new replica id.
    package mutating func adoptNewID() {
        newIDCount += 1
        replica = ReplicaID(value: replica.value + 1)
        counter = 0
        checkpoints = [:]
        summaryCheckpoints = [:]
        reopen()
    }

    /// The answer to `read`.
    package func read(_ request: ReadRequest) -> Reading {
        let start = self.start(request.start)
        let later = records.filter { $0.value.sequence > start }
            .sorted { $0.value.sequence < $1.value.sequence }
        var changes: [Change] = []
        var through = start
        var byteCount = 0
        var isAtEnd = true
        for (name, entry) in later {
            let peerHas =
                request.isFull ? nil : request.peerHas.writes(inRow: entry.sequence)
            if peerHas?.covers(entry.record.clock) != true {
                let body = BodyCodec.encode(entry.record, in: name.collection, known: peerHas)
                if !changes.isEmpty, byteCount + body.count > request.byteCountMax {
                    isAtEnd = false
                    break
                }
                byteCount += body.count
                changes.append(Change(name, clock: entry.record.clock, body: body))
            }
            through = entry.sequence
        }
        let wanted = request.wanted.compactMap { name in
            records[name].map {
                Change(
                    name, clock: $0.record.clock,
                    body: BodyCodec.encode($0.record, in: name.collection))
            }
        }
        let clocks = changes.reduce(into: VersionVector()) { $0.join($1.clock) }
        return Reading(
            wanted: wanted, changes: changes,
            through: Checkpoint(epoch: incarnation.epoch, sequence: through),
            incarnations: clocks.entries.compactMap { entry in
                let start =
                    entry.replica == replica ? incarnation : peerIncarnations[entry.replica]?.last
                return start.map {
                    ChangeBatch.AnnouncedIncarnation(replica: entry.replica, start: $0)
                }
            },
            stateSummary: isAtEnd ? stateSummary : nil, summarySequence: summarySequence)
    }

    private func start(_ start: ReadRequest.Start) -> UInt64 {
        switch start {
        case .sequence(let sequence): return sequence
        case .checkpoint(nil): return 0
        case .uploaded, .fetched: preconditionFailure("a device of these tests meets no relay")
        case .checkpoint(let checkpoint?):
            guard
                let index = incarnations.firstIndex(where: { $0.start.epoch == checkpoint.epoch })
            else { return 0 }
            let end = index + 1 < incarnations.count ? incarnations[index + 1].sequence : sequence
            return min(checkpoint.sequence, end)
        }
    }

    /// Merges changes.
    package mutating func integrate(_ request: IntegrateRequest) -> Integration {
        var answer = Integration()
        for change in request.changes {
            guard !unreadable.contains(change.name),
                let record = try? change.record()
            else {
                answer.deferredCount += 1
                continue
            }
            let old = records[change.name]?.record ?? RecordState()
            let isUnion = request.isRepair && RecordMerge.canUnite(old, record)
            if isUnion, refusesUnion { continue }
            let merged =
                request.isRepair
                ? RecordMerge.repaired(old, record) {
                    SipHash().recoveredID(of: change.name, $0, $1)
                }
                : RecordMerge.merged(old, record)
            if merged.hasElidedValue {
                answer.wanted.append(change.name)
            } else if merged != old {
                answer.changedCount += 1
                put(merged, change.name)
            }
        }
        for incarnation in request.incarnations where incarnation.replica != replica {
            var known = peerIncarnations[incarnation.replica] ?? []
            if !known.contains(incarnation.start) { known.append(incarnation.start) }
            peerIncarnations[incarnation.replica] = known
        }
        if answer.wanted.isEmpty, let checkpoint = request.checkpoint {
            checkpoints[request.peer] = checkpoint
        }
        return answer
    }

    /// Adopts a peer's state summary as far as the checksums agree.
    package mutating func join(_ request: JoinRequest) -> Joining {
        var answer = Joining()
        let mine = stateSummary
        var isTrusted = true
        var isAdopted = true
        var hasLearned = false
        for theirs in request.stateSummary.entries
        where knowledge.counter(of: theirs.replica) < theirs.counter {
            let own = mine.entry(of: theirs.replica)
            if own?.checksum == theirs.checksum, theirs.counter <= own?.seen ?? 0 {
                knowledge.include(theirs.counter, of: theirs.replica)
                moved[theirs.replica] = summarySequence + 1
                hasLearned = true
            } else {
                isAdopted = false
                if (own?.seen ?? 0) <= theirs.counter { isTrusted = false }
            }
        }
        if hasLearned { summarySequence += 1 }
        checkpoints[request.peer] = isTrusted ? request.through : nil
        if !isTrusted {
            summaryCheckpoints[request.peer] = nil
        } else if isAdopted {
            summaryCheckpoints[request.peer] = Checkpoint(
                epoch: request.through.epoch, sequence: request.summarySequence)
        }
        mistrust[request.peer] = isTrusted ? 0 : (mistrust[request.peer] ?? 0) + 1
        answer.isWithheld = (mistrust[request.peer] ?? 0) > 1
        answer.isDiverged = isDiverged(stateSummary, request.stateSummary)
        return answer
    }

    private func isDiverged(_ mine: StateSummary, _ theirs: StateSummary) -> Bool {
        for left in mine.entries {
            guard let right = theirs.entry(of: left.replica) else { continue }
            if left.counter == right.counter, left.isComplete, right.isComplete,
                left.checksum != right.checksum
            {
                return true
            }
        }
        let checksums = { (stateSummary: StateSummary) in
            stateSummary.entries.filter { $0.checksum != 0 }.map {
                [$0.replica.value, $0.checksum]
            }
        }
        return checksums(mine) == checksums(theirs) && mine.digest != theirs.digest
    }
}
