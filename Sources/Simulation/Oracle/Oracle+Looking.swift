import Core
import Storage

/// Checks of a device that must hold at any moment.
extension Oracle {
    /// Looks at what is new on a device; cheap if there is nothing.
    ///
    /// To be called after anything that may have changed the store. Reads only what arrived since the
    /// last look, unless the store was opened anew; writes and flushes nothing.
    ///
    /// - Parameter isUntouched: whether the disk was not written to since the last look: then what the
    ///   program holds in memory is looked at, and there can be nothing else.
    package func look(
        _ deviceIndex: Int, _ store: Store, isUntouched: Bool = false
    ) throws(Violation) {
        let isNew = devices[deviceIndex].store !== store
        let sequence = isNew ? 0 : devices[deviceIndex].sequence
        if isUntouched, !isNew, store.sequence == sequence, devices[deviceIndex].deadEdits.isEmpty {
            return try judgeKnowledge(store.versionVector, of: deviceIndex)
        }
        let news = try reading(deviceIndex) { () throws(StoreFault) in
            try store.news(after: sequence)
        }
        try apply(news, of: deviceIndex, store, isWhole: isNew, isThorough: false)
    }

    /// Takes in what was read of a device's store.
    ///
    /// - Parameters:
    ///   - isWhole: whether it is all that the store holds.
    ///   - isThorough: whether everything is worked out from nothing.
    func apply(
        _ news: Store.News, of number: Int, _ store: Store, isWhole: Bool, isThorough: Bool
    ) throws(Violation) {
        let device = devices[number]
        if device.history == nil { device.history = history(of: news.space) }
        if news.sequence < device.sequence {
            throw Violation(
                .lostWrite,
                "device \(number) went back from arrival number \(device.sequence)"
                    + " to \(news.sequence)")
        }
        if device.store !== store { try watch(number, store) }
        device.store = store
        device.sequence = news.sequence
        let before = device.holdings
        if isWhole {
            device.holdings = Holdings()
            if isThorough { device.views = [:] }
        }
        try learnDeadEdits(of: number, store)
        for stored in news.records {
            // A store looked at from the beginning has its number from before.
            let mayStay = isWhole || allowsForks || allowsUploadingAgain
            if !mayStay, device.records[stored.name] == stored.record {
                throw violation(
                    number, stored.name, .stuck,
                    "it has a new arrival number, and nothing about it has changed")
            }
            device.records[stored.name] = stored.record
            if stored.collection == .devices { try learnOwnWrites(stored, on: number, store) }
            try holds(
                number, stored.name, stored.record, stored.verdict, isThorough: isThorough)
        }
        for deferred in news.deferred {
            device.holdings.join(deferred.change.clock, of: deferred.change.name)
        }
        if isWhole, let id = device.history?.firstLacking(device.holdings, of: before) {
            throw violation(
                number, id, .lostWrite,
                "it held the writes up to \(before[id]), now to \(device.holdings[id])")
        }
        if !isWhole, !news.records.isEmpty { try judgeQueriesNow(number, store) }
        try judgeKnowledge(news.knowledge, of: number)
    }

    /// Looks at a record as a device holds it, wherever it is kept.
    ///
    /// - Parameter isThorough: whether also at what the record leaves no choice in.
    package func holds(
        _ number: Int, _ id: RecordName, _ record: RecordState, _ verdict: DeletionRule.Verdict,
        isThorough: Bool = false
    ) throws(Violation) {
        let device = devices[number]
        let history = device.history ?? history(of: SpaceID(value: 0))
        device.history = history
        try about(number, id) { () throws(Violation) in
            guard let known = history.records[id] else {
                throw Violation(.unsound, "nobody has written it")
            }
            if known.isSuspicious {
                return try known.judgeSuspected(record, verdict, history, policy)
            }
            var view = device.views.removeValue(forKey: id) ?? RecordView()
            try known.advance(&view, to: record.clock)
            try known.judge(record, against: view)
            try known.judge(
                record, verdict, against: view, policy, isThorough: isThorough)
            device.views[id] = view
        }
        device.holdings.join(record.clock, of: id)
    }

    /// Looks whether all that a device claims to know is integrated or deferred there.
    private func judgeKnowledge(
        _ knowledge: VersionVector, of number: Int
    ) throws(Violation) {
        let device = devices[number]
        guard let history = device.history else { return }
        for entry in history.certain(knowledge).entries {
            let low = device.knowledge.counter(of: entry.replica)
            if low >= entry.counter { continue }
            try history.forEachWrite(of: entry.replica, after: low, upTo: entry.counter) {
                record, dot throws(Violation) in
                if device.holdings[record.name].covers(dot) { return }
                throw violation(
                    number, record.name, .unsound, "it claims to know \(dot) and does not hold it")
            }
        }
        device.knowledge = knowledge
    }

    /// Looks whether a device has deferred a change that came to it and that nobody can read.
    ///
    /// - Parameter change: a change with writes of replicas that are no devices.
    package func met(_ deviceIndex: Int, _ store: Store, _ change: Change) throws(Violation) {
        if devices[deviceIndex].history == nil {
            devices[deviceIndex].history = history(of: store.space)
        }
        if let history = devices[deviceIndex].history {
            for entry in change.clock.entries where !history.knows(entry.replica) {
                let dot = Dot(replica: entry.replica, counter: entry.counter)
                var past = change.clock
                past.set(0, of: dot.replica)
                try history.addUnreadable(
                    dot, to: change.name, past: past, deviceIndex: deviceIndex)
            }
        }
        try look(deviceIndex, store)
        if !devices[deviceIndex].holdings[change.name].covers(change.clock) {
            throw violation(
                deviceIndex, change.name, .lostWrite, "a change that cannot be read was passed over"
            )
        }
    }

    // MARK: Writes that nobody acknowledged

    /// Learns what came through of edits during which the program died.
    private func learnDeadEdits(of number: Int, _ store: Store) throws(Violation) {
        let dead = devices[number].deadEdits
        devices[number].deadEdits = []
        for edit in dead {
            let stored = try reading(number) { () throws(StoreFault) in
                try store.record(edit.record)
            }
            guard let stored else { continue }
            for entry in stored.record.clock.entries
            where entry.counter > edit.past.counter(of: entry.replica) {
                // The edit was made under the id that the store had then.
                let dot = Dot(replica: entry.replica, counter: entry.counter)
                let isSuspicious = devices[number].history?.isSuspicious(dot) == true
                if devices[number].history?.knows(dot) != false, !isSuspicious { continue }
                try wrote(
                    number, edit.record, stored.record, edit.kind, past: edit.past,
                    by: entry.replica)
                break
            }
        }
    }

    /// Takes note of what a store wrote into the record of an id of its own: its name when it took the id, and marks later.
    private func learnOwnWrites(
        _ stored: Record, on number: Int, _ store: Store
    )
        throws(Violation)
    {
        let replica = ReplicaID(value: stored.id.value)
        guard let history = devices[number].history else { return }
        let hasSuspected = history.records[stored.name]?.isSuspicious == true
        for write in stored.record.writes where write.dot.replica == replica {
            // Of a forked id a dot may name two writes: both are judged with the record's suspected writes. In a record that
            // has none the write is new, even if the other past gave its dot to a write of another record.
            let isKnown =
                history.isSuspicious(write.dot)
                ? hasSuspected : history.knows(write, to: stored.name)
            if isKnown { continue }
            var isOwn = replica == store.replica
            if !isOwn {
                let changes = try reading(number) { () throws(StoreFault) in
                    try store.identityChanges()
                }
                isOwn = changes.contains { $0.old == replica || $0.new == replica }
            }
            guard isOwn else {
                throw violation(
                    number, stored.name, .unsound, "the name of a device that nobody gave: \(write)"
                )
            }
            // A store may write there several times between two looks: each time is an edit of its own.
            var record = stored.record
            record.clock.set(write.dot.counter, of: replica)
            record.writes.removeAll {
                $0.dot.replica == replica && $0.dot.counter > write.dot.counter
            }
            var past = record.clock
            past.set(write.dot.counter - 1, of: replica)
            try wrote(number, stored.name, record, .edit, past: past, by: replica)
        }
    }
}

/// Power cuts, backups and copies: what may be gone afterwards, and what may not.
extension Oracle {
    /// A device has told of all that it was seen to hold: that must survive a power cut from now on.
    package func left(_ deviceIndex: Int) {
        devices[deviceIndex].left = devices[deviceIndex].holdings
    }

    /// A frame has left a device: the writes that it tells of must survive a power cut from now on.
    package func left(_ deviceIndex: Int, frame: [UInt8]) {
        // Hello, changes and the like: the kind follows the length, the head of the map and the key 0.
        guard frame.count > 6, [1, 2, 4, 16, 17].contains(frame[6]) else { return }
        var decoder = FrameDecoder()
        frame.withUnsafeBytes { decoder.append($0) }
        guard let message = try? decoder.next() else { return }
        switch message {
        case .hello:
            // Its digests are of all that it knew.
            devices[deviceIndex].stated.join(devices[deviceIndex].knowledge)
        case .summaryRanges(let message):
            for range in message.ranges { stated(range.content.entries, by: deviceIndex) }
        case .summaryPage(let page): stated(page.entries, by: deviceIndex)
        case .changes(let batch):
            // What goes to a relay is named for it alone: the world tells of that.
            left(deviceIndex, changes: batch.changes.filter { $0.name.collection != .relayed })
        case .caughtUp(let end): stated(end.changed, by: deviceIndex)
        default: return
        }
    }

    /// Somebody outside of the space was told of a record: that must survive a power cut from now on.
    package func left(_ deviceIndex: Int, _ record: RecordName, _ clock: VersionVector) {
        devices[deviceIndex].left.join(clock, of: record)
    }

    private func stated(_ entries: [StateSummaryEntry], by deviceIndex: Int) {
        for entry in entries {
            devices[deviceIndex].stated.include(entry.counter, of: entry.replica)
        }
    }

    /// Changes have left a device: they must survive a power cut from now on.
    package func left(_ deviceIndex: Int, changes: [Change]) {
        for change in changes { devices[deviceIndex].left.join(change.clock, of: change.name) }
    }

    /// Lets go of a device's store, which is closed.
    package func closed(_ deviceIndex: Int) {
        devices[deviceIndex].store = nil
        devices[deviceIndex].queries = []
    }

    /// Looks at a device that was opened after a power cut: nothing that had left may be gone.
    ///
    /// Writes that nobody holds any more are withdrawn: nobody needs to have them.
    /// - Parameter isDurable: whether each of its commits was flushed, so that nothing may be gone.
    package func lostPower(
        _ deviceIndex: Int, _ store: Store, isDurable: Bool
    ) throws(Violation) {
        let before = devices[deviceIndex].holdings
        let due = isDurable ? before : devices[deviceIndex].left
        let stated = devices[deviceIndex].stated
        devices[deviceIndex].forgetFiles()
        devices[deviceIndex].holdings = Holdings()
        try look(deviceIndex, store)
        let after = devices[deviceIndex].holdings
        if let id = devices[deviceIndex].history?.firstLacking(after, of: due) {
            throw violation(
                deviceIndex, id, .lostWrite,
                "it let others know of the writes up to \(due[id]), and after"
                    + " a power cut holds those up to \(after[id])")
        }
        try judgeStated(stated, of: deviceIndex)
        if after.firstLacking(of: before) != nil { devices[deviceIndex].lossCount += 1 }
        withdraw(before, heldBy: deviceIndex)
    }

    /// Looks whether all that a device ever stated to know is still there.
    private func judgeStated(_ stated: VersionVector, of deviceIndex: Int) throws(Violation) {
        guard let history = devices[deviceIndex].history else { return }
        for entry in history.certain(stated).entries {
            try history.forEachWrite(of: entry.replica, after: 0, upTo: entry.counter) {
                record, dot throws(Violation) in
                if devices[deviceIndex].holdings[record.name].covers(dot) { return }
                throw violation(
                    deviceIndex, record.name, .lostWrite,
                    "it stated to know \(dot), and after a power cut does not hold it")
            }
        }
    }

    /// Puts a device whose store is damaged out of the world: what only it had is gone.
    package func removed(_ deviceIndex: Int) {
        let before = devices[deviceIndex].holdings
        devices[deviceIndex].forgetFiles()
        devices[deviceIndex].holdings = Holdings()
        devices[deviceIndex].left = Holdings()
        devices[deviceIndex].stated = VersionVector()
        devices[deviceIndex].lossCount += 1
        suspicionVouching(for: before, heldBy: deviceIndex)
        withdraw(before, heldBy: deviceIndex)
    }

    /// A wrong bit is on the disk of a device: it may have lost what it wrote, under any of its ids.
    package func damaged(_ deviceIndex: Int, _ replicas: Set<ReplicaID>) {
        devices[deviceIndex].history?.unvouched.formUnion(replicas)
    }

    /// An older copy of a device's store came back.
    ///
    /// - Parameters:
    ///   - holdings: what it was seen to hold when the copy was made.
    ///   - isOfPowerCut: whether power had failed since it was last seen.
    package func setBack(_ deviceIndex: Int, to holdings: Holdings, isOfPowerCut: Bool = false) {
        setBack(deviceIndex, to: holdings, isOfPowerCut: isOfPowerCut, deadEdits: [])
    }

    /// - Parameter deadEdits: edits that were not yet looked for when the copy was made.
    func setBack(
        _ deviceIndex: Int, to holdings: Holdings, isOfPowerCut: Bool,
        deadEdits: [OracleDevice.DeadEdit]
    ) {
        let before = devices[deviceIndex].holdings
        devices[deviceIndex].forgetFiles()
        devices[deviceIndex].holdings = holdings
        devices[deviceIndex].deadEdits = deadEdits
        // Of a machine that had just lost power nothing is sure until it is looked at.
        devices[deviceIndex].left = isOfPowerCut ? Holdings() : holdings
        devices[deviceIndex].stated = VersionVector()
        devices[deviceIndex].lossCount += 1
        suspicionVouching(for: before, heldBy: deviceIndex)
        withdraw(before, heldBy: deviceIndex)
    }

    /// A device's store was copied to another device, which has none yet.
    package func copied(from: Int, to: Int) {
        devices[to].forgetFiles()
        devices[to].history = devices[from].history
        devices[to].holdings = devices[from].holdings
        devices[to].left = devices[from].left
        devices[to].stated = devices[from].stated
        devices[to].deadEdits = devices[from].deadEdits
    }

    /// Nobody may be left to vouch for the writes of those of whom a device lost any.
    private func suspicionVouching(for before: Holdings, heldBy deviceIndex: Int) {
        guard let history = devices[deviceIndex].history else { return }
        for (id, clock) in before.clocks {
            for entry in clock.entries
            where entry.counter > devices[deviceIndex].holdings[id].counter(of: entry.replica) {
                history.unvouched.insert(entry.replica)
            }
        }
    }

    /// Marks the writes that a device had and that nobody has any more.
    private func withdraw(_ before: Holdings, heldBy deviceIndex: Int) {
        guard let history = devices[deviceIndex].history else { return }
        for (id, clock) in before.clocks {
            guard let known = history.records[id] else { continue }
            let others = devices.filter { $0.history === history }
            for index in known.entries.indices {
                let dot = known.entries[index].write.dot
                guard clock.covers(dot), !known.entries[index].isStruck else { continue }
                if others.contains(where: { $0.holdings[id].covers(dot) }) { continue }
                known.withdraw(index)
            }
        }
    }
}
