import Core
import Storage

/// What must hold once everybody has met everybody and nothing is left to say.
extension Oracle {
    /// Looks whether devices hold the same and know the same, and can vouch for it.
    ///
    /// What any of them held before they met, all hold then: none holds less than it did, as every look
    /// makes sure, and all hold the same.
    /// - Parameter stores: the stores of all devices that met, each looked at before; those of different
    ///   spaces are compared among themselves.
    package func judgeHealed(_ stores: [Store]) throws(Violation) {
        var places: [Int] = []
        for store in stores {
            guard let place = lanes.firstIndex(where: { $0.store === store }) else {
                throw Violation(.crashed, "a store was never looked at")
            }
            try lookThoroughly(place, store, atAllQueries: true)
            places.append(place)
        }
        for (space, history) in histories {
            let among = places.indices.filter { lanes[places[$0]].history === history }
            try judgeHealed(among.map { (places[$0], stores[$0]) }, of: space)
        }
    }

    private func judgeHealed(
        _ devices: [(lane: Int, store: Store)], of space: SpaceID
    ) throws(Violation) {
        guard let first = devices.first else { return }
        let due = try whole(first)
        for device in devices {
            let found = try whole(device)
            if let words = difference(found, due) {
                throw Violation(
                    .diverged, "device \(first.lane) and device \(device.lane) differ: \(words)")
            }
        }
        for device in devices { try judgeStatement(device) }
        if judgesBothPasts { try judgePasts(first, among: devices.map(\.lane)) }
    }

    /// Everything that a store holds, in an order of its own.
    private struct Whole {
        var news: Store.News
        var changes: [Change]
    }

    private func whole(_ device: (lane: Int, store: Store)) throws(Violation) -> Whole {
        let news = try reading(device.lane) { () throws(StoreFault) in
            try device.store.news(after: 0)
        }
        var changes = news.records.map { stored in
            Change(
                id: stored.id, clock: stored.record.clock,
                body: BodyCodec.encode(stored.record, in: stored.collection))
        }
        changes += news.parked.map(\.change)
        changes.sort { left, right in
            if left.id != right.id { return left.id < right.id }
            if left.body != right.body { return left.body.lexicographicallyPrecedes(right.body) }
            return "\(left.clock)" < "\(right.clock)"
        }
        return Whole(news: news, changes: changes)
    }

    /// How two devices differ, in words; nil if they do not.
    private func difference(_ left: Whole, _ right: Whole) -> String? {
        for (mine, theirs) in zip(left.changes, right.changes) where mine != theirs {
            if mine.id != theirs.id { return "not both have record \(min(mine.id, theirs.id))" }
            return "record \(mine.id) at \(mine.clock) and at \(theirs.clock)"
        }
        if left.changes.count != right.changes.count { return "one has more records" }
        if left.news.digest != right.news.digest { return "the digests" }
        if left.news.knowledge != right.news.knowledge {
            return "one knows \(left.news.knowledge), the other \(right.news.knowledge)"
        }
        return nil
    }

    /// Looks whether a device can vouch for all of every replica that ever wrote.
    private func judgeStatement(_ device: (lane: Int, store: Store)) throws(Violation) {
        let statement = try reading(device.lane) { () throws(StoreFault) in
            try device.store.presentStatement()
        }
        for entry in statement.entries where !entry.isComplete {
            guard let history = lanes[device.lane].history, history.knows(entry.replica),
                !history.strangers.contains(entry.replica),
                !history.unvouched.contains(entry.replica), history.doubts[entry.replica] == nil,
                !history.isRenamed(entry.replica)
            else { continue }
            throw Violation(
                .unsound,
                "device \(device.lane) has writes of \(entry.replica) up to \(entry.seen),"
                    + " and never comes to vouch for more than \(entry.counter)")
        }
    }
}
