import Core
import Storage

/// Deletes on a great scale: whether the brake has held them.
extension World {
    /// Takes note of what is alive on a device, if its brake is to be judged.
    func noteAlive(_ device: Device, _ store: Store) throws(StoreFault) {
        guard story.brakeCount != nil else { return }
        if let known = device.alive, known.sequence == store.sequence { return }
        var ids: Set<RecordID> = []
        let news = try store.news(after: 0)
        for stored in news.records
        where stored.collection != .devices && !stored.verdict.isDeleted {
            ids.insert(stored.id)
        }
        device.everAlive.formUnion(ids)
        device.alive = (news.sequence, ids)
    }

    /// Judges what one arrival has deleted on a device, together with what came over that link before.
    ///
    /// A brake counts what comes back against what is deleted, and counts from what was alive when it began:
    /// no more than it ever may let through is allowed here.
    func judgeBrake(
        _ device: Device, _ link: Link, _ side: Int, before: Set<RecordID>?
    ) throws {
        guard let freeCount = device.brakeCount, let before, let after = device.alive?.ids,
            !device.hasWrongBit
        else { return }
        if now - link.ends[side].brakeSince > Self.brakeMilliseconds {
            (link.ends[side].brakeSince, link.ends[side].restoredCount) = (now, 0)
            link.ends[side].deleted = []
        }
        link.ends[side].deleted.formUnion(before.subtracting(after))
        link.ends[side].deleted.subtract(after)
        link.ends[side].restoredCount += after.subtracting(before).count
        let count = link.ends[side].deleted.count
        let most = max(freeCount, device.everAlive.count / 2) + link.ends[side].restoredCount
        // A word lets through what it is for; and the brake goes by clocks.
        if count > most, !hasAcceptedDeletes, !story.steps.contains(where: \.action.setsClock) {
            throw Violation(
                .unsound,
                "a session of \(device.name) has deleted \(Counted.words(count, "item")) of "
                    + "\(device.everAlive.count), and nobody was asked")
        }
    }

    /// How long deletes are counted together here; less than a brake does.
    private static let brakeMilliseconds: Int64 = 12 * 3_600_000
}

extension Action {
    /// Whether a device's clock shows something else than before.
    fileprivate var setsClock: Bool {
        switch self {
        case .setClock, .shiftClock, .driftClock: true
        default: false
        }
    }
}
