import Core
import Storage

/// Power cuts, backups and copies: what may be gone afterwards, and what may not.
extension Oracle {
    /// A device has told of all that it was seen to hold: that must survive a power cut from now on.
    package func left(_ lane: Int) {
        lanes[lane].left = lanes[lane].holdings
    }

    /// A frame has left a device: the writes that it tells of must survive a power cut from now on.
    package func left(_ lane: Int, frame: [UInt8]) {
        // Hello, changes and the like: the kind follows the length, the head of the map and the key 0.
        guard frame.count > 6, [1, 2, 4].contains(frame[6]) else { return }
        var decoder = FrameDecoder()
        frame.withUnsafeBytes { decoder.append($0) }
        guard let message = try? decoder.next() else { return }
        switch message {
        case .hello(let hello):
            if let statement = hello.statement { lanes[lane].stated.join(statement.knowledge) }
        case .changes(let batch):
            left(lane, changes: batch.changes)
        case .caughtUp(let end):
            for entry in end.changed {
                lanes[lane].stated.include(entry.counter, of: entry.replica)
            }
        default: return
        }
    }

    /// Changes have left a device: they must survive a power cut from now on.
    package func left(_ lane: Int, changes: [Change]) {
        for change in changes { lanes[lane].left.join(change.clock, of: change.id) }
    }

    /// Lets go of a device's store, which is closed.
    package func closed(_ lane: Int) {
        lanes[lane].store = nil
        lanes[lane].queries = []
    }

    /// Looks at a device that was opened after a power cut: nothing that had left may be gone.
    ///
    /// What is gone and held by nobody is withdrawn: nobody needs to have it.
    /// - Parameter isDurable: whether each of its commits was flushed, so that nothing may be gone.
    package func lostPower(
        _ lane: Int, _ store: Store, isDurable: Bool
    ) throws(Violation) {
        let before = lanes[lane].holdings
        let due = isDurable ? before : lanes[lane].left
        let stated = lanes[lane].stated
        lanes[lane].forgetFiles()
        lanes[lane].holdings = Holdings()
        try look(lane, store)
        let after = lanes[lane].holdings
        if let id = lanes[lane].history?.firstLacking(after, of: due) {
            throw violation(
                lane, id, .lostWrite,
                "it let others know of the writes up to \(due[id]), and after"
                    + " a power cut holds those up to \(after[id])")
        }
        try judgeStated(stated, of: lane)
        if after.firstLacking(of: before) != nil { lanes[lane].lossCount += 1 }
        withdraw(before, heldBy: lane)
    }

    /// Looks whether all that a device ever stated to know is still there.
    private func judgeStated(_ stated: VersionVector, of lane: Int) throws(Violation) {
        guard let history = lanes[lane].history else { return }
        for entry in history.certain(stated).entries {
            try history.forEachWrite(of: entry.replica, after: 0, upTo: entry.counter) {
                record, dot throws(Violation) in
                if lanes[lane].holdings[record.id].covers(dot) { return }
                throw violation(
                    lane, record.id, .lostWrite,
                    "it stated to know \(dot), and after a power cut does not hold it")
            }
        }
    }

    /// Puts a device whose store is damaged out of the world: what only it had is gone.
    package func removed(_ lane: Int) {
        let before = lanes[lane].holdings
        lanes[lane].forgetFiles()
        lanes[lane].holdings = Holdings()
        lanes[lane].left = Holdings()
        lanes[lane].stated = VersionVector()
        lanes[lane].lossCount += 1
        doubtVouching(for: before, heldBy: lane)
        withdraw(before, heldBy: lane)
    }

    /// A wrong bit is on the disk of a device: it may have lost what it wrote, under any of its ids.
    package func damaged(_ lane: Int, _ replicas: Set<ReplicaID>) {
        lanes[lane].history?.unvouched.formUnion(replicas)
    }

    /// An older copy of a device's store came back.
    ///
    /// - Parameters:
    ///   - holdings: what it was seen to hold when the copy was made.
    ///   - isOfPowerCut: whether power had failed since it was last seen.
    package func setBack(_ lane: Int, to holdings: Holdings, isOfPowerCut: Bool = false) {
        setBack(lane, to: holdings, isOfPowerCut: isOfPowerCut, deadEdits: [])
    }

    /// - Parameter deadEdits: edits that were not yet looked for when the copy was made.
    func setBack(
        _ lane: Int, to holdings: Holdings, isOfPowerCut: Bool, deadEdits: [OracleLane.DeadEdit]
    ) {
        let before = lanes[lane].holdings
        lanes[lane].forgetFiles()
        lanes[lane].holdings = holdings
        lanes[lane].deadEdits = deadEdits
        // Of a machine that had just lost power nothing is sure until it is looked at.
        lanes[lane].left = isOfPowerCut ? Holdings() : holdings
        lanes[lane].stated = VersionVector()
        lanes[lane].lossCount += 1
        doubtVouching(for: before, heldBy: lane)
        withdraw(before, heldBy: lane)
    }

    /// A device's store was copied to another device, which has none yet.
    package func copied(from: Int, to: Int) {
        lanes[to].forgetFiles()
        lanes[to].history = lanes[from].history
        lanes[to].holdings = lanes[from].holdings
        lanes[to].left = lanes[from].left
        lanes[to].stated = lanes[from].stated
        lanes[to].deadEdits = lanes[from].deadEdits
    }

    /// Nobody may be left to vouch for the writes of those of whom a device lost any.
    private func doubtVouching(for before: Holdings, heldBy lane: Int) {
        guard let history = lanes[lane].history else { return }
        for (id, clock) in before.clocks {
            for entry in clock.entries
            where entry.counter > lanes[lane].holdings[id].counter(of: entry.replica) {
                history.unvouched.insert(entry.replica)
            }
        }
    }

    /// Marks the writes that a device had and that nobody has any more.
    private func withdraw(_ before: Holdings, heldBy lane: Int) {
        guard let history = lanes[lane].history else { return }
        for (id, clock) in before.clocks {
            guard let known = history.records[id] else { continue }
            let others = lanes.filter { $0.history === history }
            for place in known.entries.indices {
                let dot = known.entries[place].write.dot
                guard clock.covers(dot), !known.entries[place].isStruck else { continue }
                if others.contains(where: { $0.holdings[id].covers(dot) }) { continue }
                known.withdraw(place)
            }
        }
    }
}
