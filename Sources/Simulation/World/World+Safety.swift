import Core
import Session
import Storage

/// What keeps people from harm: deletes that are held, and trash that is purged late.
extension World {
    private static let dayMilliseconds: Int64 = 86_400_000

    /// Somebody says that the deletes are meant which a device holds.
    func acceptDeletes(_ device: Device) throws {
        let store = try store(device)
        hasAcceptedDeletes = true
        try running(device) { () throws(StoreFault) in _ = try store.acceptDeletes() }
        try notice(device)
    }

    /// Accepts what either end of a session holds.
    ///
    /// - Returns: whether anything was.
    func acceptDeletes(of link: Link) throws -> Bool {
        var isAny = false
        for end in link.ends where devices[end.lane].store != nil {
            guard end.report.held != nil else { continue }
            try acceptDeletes(devices[end.lane])
            isAny = true
        }
        return isAny
    }

    /// The program runs on each of so many days.
    func run(_ device: Device, days count: Int) throws {
        for _ in 0..<count {
            try wait(milliseconds: Self.dayMilliseconds)
            try purgeOldTrash(device)
        }
    }

    private func purgeOldTrash(_ device: Device) throws {
        let store = try store(device)
        var before: [RecordID: VersionVector] = [:]
        try running(device) { () throws(StoreFault) in
            for stored in try store.news(after: 0).records where stored.verdict.isDeleted {
                before[stored.id] = stored.record.clock
            }
        }
        let trash = before.sorted { $0.key < $1.key }
        do {
            try running(device) { () throws(StoreFault) in _ = try store.purgeOldTrash() }
        } catch {
            if device.store == nil {
                for (id, past) in trash { oracle.editDied(device.lane, id, .purge, past: past) }
            }
            throw error
        }
        for (id, past) in trash where try store.record(id)?.record.clock != past {
            try judging(device) {
                try oracle.edited(device.lane, store, id, .purge, nil, past: past)
            }
            count("automatic purges")
        }
        try look(device)
        try notice(device)
    }

    /// Does something on a device's store that is no edit of one record; what fails is refused.
    func running(
        _ device: Device, _ body: () throws(StoreFault) -> Void
    ) throws {
        do throws(StoreFault) {
            try body()
        } catch {
            if device.disk.hasFuseBlown {
                try die(device)
                throw Refused.down(device.name)
            }
            if device.hasWrongBit, Refused(error) == nil { throw try damaged(device, error) }
            guard let refused = Refused(error) else { throw error }
            throw refused
        }
        if device.disk.hasFuseBlown {
            try die(device)
            throw Refused.down(device.name)
        }
    }
}
