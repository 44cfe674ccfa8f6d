import Causality
import Records
import Storage

/// Power cuts, backups and copies: what may be gone afterwards, and what may not.
extension Oracle {
    /// Something that tells of what a store holds has left it: what it was seen to hold must survive a
    /// power cut from now on.
    ///
    /// To be called before the look that follows: what came in while the message was made ready was
    /// perhaps not on the disk yet.
    package func left(_ lane: Int) {
        lanes[lane].left = lanes[lane].holdings
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
        lanes[lane].forgetFiles()
        lanes[lane].holdings = Holdings()
        try look(lane, store)
        let after = lanes[lane].holdings
        if !allowsForks, let id = after.firstLacking(of: due) {
            throw violation(
                lane, id, .lostWrite,
                "it let others know of the writes up to \(due[id]), and after"
                    + " a power cut holds those up to \(after[id])")
        }
        if after.firstLacking(of: before) != nil { lanes[lane].lossCount += 1 }
        withdraw(before, heldBy: lane)
    }

    /// An older copy of a device's store came back.
    ///
    /// - Parameter holdings: what it held when the copy was made.
    package func setBack(_ lane: Int, to holdings: Holdings) {
        let before = lanes[lane].holdings
        lanes[lane].forgetFiles()
        lanes[lane].holdings = holdings
        lanes[lane].left = holdings
        lanes[lane].lossCount += 1
        if allowsForks { lanes[lane].isForked = true }
        allowGaps()
        withdraw(before, heldBy: lane)
    }

    /// A device's store was copied to another device, which has none yet.
    package func copied(from: Int, to: Int) {
        lanes[to].forgetFiles()
        lanes[to].history = lanes[from].history
        lanes[to].holdings = lanes[from].holdings
        lanes[to].left = lanes[from].left
        lanes[to].deadEdits = lanes[from].deadEdits
        lanes[to].isForked = lanes[from].isForked
    }

    /// Marks the writes that a device had and that nobody has any more.
    private func withdraw(_ before: Holdings, heldBy lane: Int) {
        guard !allowsForks, let history = lanes[lane].history else { return }
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
