import Core
import Storage

/// What must hold on a device at any moment.
extension Oracle {
    /// Looks at what is new on a device; cheap if there is nothing.
    ///
    /// To be called after anything that may have changed the store. Reads only what arrived since the
    /// last look, unless the store was opened anew; writes and flushes nothing.
    ///
    /// - Parameter isUntouched: whether the disk was not written to since the last look: then what the
    ///   program holds in memory is looked at, and there can be nothing else.
    package func look(
        _ lane: Int, _ store: Store, isUntouched: Bool = false
    ) throws(Violation) {
        let isNew = lanes[lane].store !== store
        let sequence = isNew ? 0 : lanes[lane].sequence
        if isUntouched, !isNew, store.sequence == sequence, lanes[lane].deadEdits.isEmpty {
            return try judgeKnowledge(store.versionVector, of: lane)
        }
        let news = try reading(lane) { () throws(StoreFault) in try store.news(after: sequence) }
        try take(news, of: lane, store, isWhole: isNew, isThorough: false)
    }

    /// Takes in what was read of a device's store.
    ///
    /// - Parameters:
    ///   - isWhole: whether it is all that the store holds.
    ///   - isThorough: whether everything is worked out from nothing.
    func take(
        _ news: Store.News, of number: Int, _ store: Store, isWhole: Bool, isThorough: Bool
    ) throws(Violation) {
        let lane = lanes[number]
        if lane.history == nil { lane.history = history(of: news.space) }
        if news.sequence < lane.sequence {
            throw Violation(
                .lostWrite,
                "device \(number) went back from arrival number \(lane.sequence)"
                    + " to \(news.sequence)")
        }
        if lane.store !== store { try watch(number, store) }
        lane.store = store
        lane.sequence = news.sequence
        let before = lane.holdings
        if isWhole {
            lane.holdings = Holdings()
            if isThorough { lane.views = [:] }
        }
        try learnDeadEdits(of: number, store)
        for stored in news.records {
            // What is looked at from the beginning has its number from before.
            if !isWhole, !allowsForks, lane.records[stored.id] == stored.record {
                throw violation(
                    number, stored.id, .stuck,
                    "it has a new arrival number, and nothing about it has changed")
            }
            lane.records[stored.id] = stored.record
            if stored.collection == .devices { try learnName(stored, on: number, store) }
            try holds(
                number, stored.id, stored.record, stored.verdict, isThorough: isThorough)
        }
        for parked in news.parked { lane.holdings.join(parked.change.clock, of: parked.change.id) }
        if isWhole, let id = lane.history?.firstLacking(lane.holdings, of: before) {
            throw violation(
                number, id, .lostWrite,
                "it held the writes up to \(before[id]), now to \(lane.holdings[id])")
        }
        if !isWhole, !news.records.isEmpty { try judgeQueriesNow(number, store) }
        try judgeKnowledge(news.knowledge, of: number)
    }

    /// Looks at a record as a device holds it, wherever it is kept.
    ///
    /// - Parameter isThorough: whether also at what the record leaves no choice in.
    package func holds(
        _ number: Int, _ id: RecordID, _ record: Record, _ verdict: DeletionRule.Verdict,
        isThorough: Bool = false
    ) throws(Violation) {
        let lane = lanes[number]
        let history = lane.history ?? history(of: SpaceID(value: 0))
        lane.history = history
        try about(number, id) { () throws(Violation) in
            guard let known = history.records[id] else {
                throw Violation(.unsound, "nobody has written it")
            }
            if known.isDoubtful {
                return try known.judgeInDoubt(record, verdict, history, policy)
            }
            var view = lane.views.removeValue(forKey: id) ?? RecordView()
            try known.advance(&view, to: record.clock)
            try known.judge(record, against: view)
            try known.judge(
                record, verdict, against: view, policy, isThorough: isThorough)
            lane.views[id] = view
        }
        lane.holdings.join(record.clock, of: id)
    }

    /// Looks whether all that a device claims to know is integrated or parked there.
    private func judgeKnowledge(
        _ knowledge: VersionVector, of number: Int
    ) throws(Violation) {
        let lane = lanes[number]
        guard let history = lane.history else { return }
        for entry in history.certain(knowledge).entries {
            let low = lane.knowledge.counter(of: entry.replica)
            if low >= entry.counter { continue }
            try history.forEachWrite(of: entry.replica, after: low, upTo: entry.counter) {
                record, dot throws(Violation) in
                if lane.holdings[record.id].covers(dot) { return }
                throw violation(
                    number, record.id, .unsound, "it claims to know \(dot) and does not hold it")
            }
        }
        lane.knowledge = knowledge
    }

    /// Looks whether a device has set a change aside that came to it and that nobody can read.
    ///
    /// - Parameter change: a change with writes of replicas that are no devices.
    package func met(_ lane: Int, _ store: Store, _ change: Change) throws(Violation) {
        if lanes[lane].history == nil { lanes[lane].history = history(of: store.space) }
        if let history = lanes[lane].history {
            for entry in change.clock.entries where !history.knows(entry.replica) {
                let dot = Dot(replica: entry.replica, counter: entry.counter)
                var past = change.clock
                past.set(0, of: dot.replica)
                try history.addUnreadable(dot, to: change.id, past: past, lane: lane)
            }
        }
        try look(lane, store)
        if !lanes[lane].holdings[change.id].covers(change.clock) {
            throw violation(
                lane, change.id, .lostWrite, "a change that cannot be read was passed over")
        }
    }

    // MARK: Writes that nobody acknowledged

    /// Learns what came through of edits during which the program died.
    private func learnDeadEdits(of number: Int, _ store: Store) throws(Violation) {
        let dead = lanes[number].deadEdits
        lanes[number].deadEdits = []
        for edit in dead {
            let stored = try reading(number) { () throws(StoreFault) in
                try store.record(edit.record)
            }
            guard let stored else { continue }
            for entry in stored.record.clock.entries
            where entry.counter > edit.past.counter(of: entry.replica) {
                // The edit was made under the id that the store had then.
                let dot = Dot(replica: entry.replica, counter: entry.counter)
                let isDoubtful = lanes[number].history?.isDoubtful(dot) == true
                if lanes[number].history?.knows(dot) != false, !isDoubtful { continue }
                try wrote(
                    number, edit.record, stored.record, edit.kind, past: edit.past,
                    by: entry.replica)
                break
            }
        }
    }

    /// Takes note of the name that a store gave itself when it took an id.
    private func learnName(
        _ stored: StoredRecord, on number: Int, _ store: Store
    )
        throws(Violation)
    {
        let replica = ReplicaID(value: stored.id.value)
        for write in stored.record.writes
        where lanes[number].history?.knows(write.dot) == false && write.dot.replica == replica {
            // Of two pasts of a device whatever is known is kept elsewhere.
            if lanes[number].history?.isDoubtful(write.dot) == true,
                lanes[number].history?.records[stored.id]?.isDoubtful == true
            {
                continue
            }
            var isOwn = replica == store.replica
            if !isOwn {
                let changes = try reading(number) { () throws(StoreFault) in
                    try store.identityChanges()
                }
                isOwn = changes.contains { $0.old == replica || $0.new == replica }
            }
            guard isOwn else {
                throw violation(
                    number, stored.id, .unsound, "the name of a device that nobody gave: \(write)")
            }
            var past = stored.record.clock
            past.set(write.dot.counter - 1, of: replica)
            try wrote(number, stored.id, stored.record, .edit, past: past, by: replica)
        }
    }
}
