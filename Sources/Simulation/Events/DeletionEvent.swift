import Core
import Session
import Storage

/// An answer to deletes that are held, a take-back, or a purge of old trash; each case is one line of the language.
package enum DeletionEvent: Hashable, Sendable {
    /// `laptop accepts the deletes`: those that it holds.
    case acceptDeletes(device: String)
    /// `laptop refuses the deletes`: those that it holds.
    case refuseDeletes(device: String)
    /// `laptop runs for 40 days`: each day once, and purges what has long been in its trash.
    case runDays(device: String, Int)
    /// `laptop takes back what phone did`: all of it, by new writes.
    case takeBack(device: String, of: String)
}

extension EventKind {
    static let acceptDeletes = EventKind("acceptDeletes", weight: 3, fault: .safety)
    static let refuseDeletes = EventKind("refuseDeletes", weight: 4, fault: .answers)
    static let runDays = EventKind("runDays", weight: 2, fault: .safety)
    static let takeBack = EventKind("takeBack", weight: 2, fault: .answers)
}

extension DeletionEvent: EventFamily {
    static let kinds: [EventKind] = [.acceptDeletes, .refuseDeletes, .runDays, .takeBack]

    var kind: EventKind {
        switch self {
        case .acceptDeletes: .acceptDeletes
        case .refuseDeletes: .refuseDeletes
        case .runDays: .runDays
        case .takeBack: .takeBack
        }
    }

    var event: ScenarioEvent { .deletion(self) }

    static let forms: [ScenarioForm] = [
        form(
            "DEVICE accepts the deletes", "Those that it holds: the next session takes them.",
            "laptop accepts the deletes"
        ) { .acceptDeletes(device: $0.name()) },
        form(
            "DEVICE refuses the deletes",
            "Those that it holds: it takes them in, and brings the items back everywhere.",
            "laptop refuses the deletes"
        ) { .refuseDeletes(device: $0.name()) },
        form(
            "DEVICE runs for COUNT days|day",
            "So many days go by; on each it purges what has long been in its trash.",
            "laptop runs for 40 days"
        ) { .runDays(device: $0.name(), $0.count()) },
        form(
            "DEVICE takes back what DEVICE did",
            "By new writes, with `revoke --take-back`; what others wrote later stays.",
            "laptop takes back what phone did"
        ) { .takeBack(device: $0.name(), of: $0.name()) },
    ]

    var words: String {
        switch self {
        case .acceptDeletes(let device): "\(device) accepts the deletes"
        case .refuseDeletes(let device): "\(device) refuses the deletes"
        case .runDays(let device, let count): "\(device) runs for \(Counted.words(count, "day"))"
        case .takeBack(let device, let other): "\(device) takes back what \(other) did"
        }
    }

    var devices: [String] {
        switch self {
        case .acceptDeletes(let device), .refuseDeletes(let device), .runDays(let device, _):
            [device]
        case .takeBack(let device, let other): [device, other]
        }
    }

    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent? {
        guard let index = maker.someone() else { return nil }
        let device = maker.model.devices[index].name
        if kind == .acceptDeletes { return .deletion(.acceptDeletes(device: device)) }
        if kind == .refuseDeletes { return .deletion(.refuseDeletes(device: device)) }
        if kind == .takeBack {
            return maker.pair().map { .deletion(.takeBack(device: $0.0, of: $0.1)) }
        }
        return .deletion(.runDays(device: device, maker.chance.pick([1, 29, 31, 190])))
    }

    var simpler: [ScenarioEvent] {
        if case .refuseDeletes(let name) = self { return [.deletion(.acceptDeletes(device: name))] }
        guard case .runDays(let name, let count) = self else { return [] }
        return [.meeting(.wait(milliseconds: Int64(count) * 86_400_000))]
            + smallerNumbers(than: Int64(count), least: 1).map {
                .deletion(.runDays(device: name, Int($0)))
            }
    }

    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .acceptDeletes(let name): try world.acceptDeletes(world.device(name))
        case .refuseDeletes(let name): try world.refuseDeletes(world.device(name))
        case .runDays(let name, let count): try world.run(world.device(name), days: count)
        case .takeBack(let name, let other):
            try world.takeBack(on: world.device(name), what: world.device(other))
        }
    }
}

extension World {
    private static let dayMilliseconds: Int64 = 86_400_000

    /// Somebody says that the deletes are meant which a device holds.
    func acceptDeletes(_ device: SimulatedDevice) throws {
        let store = try store(device)
        hasAnsweredDeletes = true
        try running(device) { () throws(StoreFault) in _ = try store.acceptDeletes() }
        try notice(device)
    }

    /// Somebody says that the deletes are not meant which a device holds.
    func refuseDeletes(_ device: SimulatedDevice) throws {
        try refuseDeletes(device) { store throws(StoreFault) in _ = try store.refuseDeletes() }
        try bringBackRefused(device)
        try notice(device)
    }

    /// Refuses deletes, and has the oracle know of the writes that one transaction makes as it takes in and undoes those
    /// that were set aside.
    private func refuseDeletes(
        _ device: SimulatedDevice, _ body: (Store) throws(StoreFault) -> Void
    ) throws {
        let store = try store(device)
        hasAnsweredDeletes = true
        var before: [RecordName: VersionVector] = [:]
        do {
            try running(device) { () throws(StoreFault) in
                if try !store.heldDeletes().isEmpty {
                    for stored in try store.news(after: 0).records
                    where stored.collection != .devices {
                        before[stored.name] = stored.record.clock
                    }
                }
                try body(store)
            }
        } catch {
            if device.store == nil {
                for (name, past) in before.sorted(by: { $0.key < $1.key }) {
                    oracle.editDied(device.index, name, .takeBack, past: past)
                }
            }
            throw error
        }
        try noteUndone(on: device, store, before)
    }

    /// Has the oracle know of the writes that brought records back as their deletes were taken in.
    private func noteUndone(
        on device: SimulatedDevice, _ store: Store, _ before: [RecordName: VersionVector]
    ) throws {
        let own = store.replica
        try judging(device) {
            for (name, clock) in before.sorted(by: { $0.key < $1.key }) {
                guard var past = try store.record(name)?.record.clock,
                    past.counter(of: own) > clock.counter(of: own)
                else { continue }
                past.set(clock.counter(of: own), of: own)
                try oracle.edited(device.index, store, name, .takeBack, past: past)
                count("items brought back from deletes that were set aside")
            }
        }
    }

    /// Brings back, as the program does at once, what refused deletes have taken away on a device.
    func bringBackRefused(_ device: SimulatedDevice) throws {
        guard hasAnsweredDeletes, let store = device.store, !device.hasWrongBit else { return }
        var pasts: [(name: RecordName, kind: WriteHistory.Kind, past: VersionVector)] = []
        do {
            try running(device) { () throws(StoreFault) in
                for name in try store.refusedRecords() {
                    let found = try store.record(name)
                    // A purged one comes back as it was kept here, by values that it had before.
                    let kind: WriteHistory.Kind =
                        found?.verdict.isPurged == true ? .takeBack : .restore
                    pasts.append((name, kind, found?.record.clock ?? VersionVector()))
                }
                _ = try store.bringBackRefused()
            }
        } catch {
            if device.store == nil {
                for (name, kind, past) in pasts {
                    oracle.editDied(device.index, name, kind, past: past)
                }
            }
            throw error
        }
        if pasts.isEmpty { return }
        try judging(device) {
            for (name, kind, past) in pasts {
                try oracle.edited(device.index, store, name, kind, nil, past: past)
            }
        }
        for _ in pasts { count("items brought back from refused deletes") }
        try look(device)
        try notice(device)
    }

    /// Takes back on a device what another one did, as far as it is there.
    func takeBack(on device: SimulatedDevice, what other: SimulatedDevice) throws {
        let store = try store(device)
        let authors = other.replicas.subtracting([store.replica])
        try refuseDeletes(device) { store throws(StoreFault) in
            try store.refuseAllDeletes(by: authors)
        }
        try bringBackRefused(device)
        var pasts: [(name: RecordName, past: VersionVector)] = []
        let key = [UInt8](repeating: UInt8(truncatingIfNeeded: other.index), count: 32)
        do {
            try running(device) { () throws(StoreFault) in
                for stored in try store.news(after: 0).records
                where stored.collection != .devices
                    && stored.record.clock.entries.contains(where: { authors.contains($0.replica) })
                {
                    pasts.append((stored.name, stored.record.clock))
                }
                try store.takeBack(authors, of: key)
            }
        } catch {
            if device.store == nil {
                for (name, past) in pasts {
                    oracle.editDied(device.index, name, .takeBack, past: past)
                }
            }
            throw error
        }
        try judging(device) {
            for (name, past) in pasts {
                try oracle.edited(device.index, store, name, .takeBack, past: past)
            }
        }
        count("take-backs")
        try look(device)
        try notice(device)
    }

    /// Accepts what either end of a session holds.
    ///
    /// - Returns: whether anything was.
    func acceptDeletes(of link: SimulatedLink) throws -> Bool {
        var isAny = false
        for end in link.ends where devices[end.deviceIndex].store != nil {
            guard end.report.held != nil else { continue }
            try acceptDeletes(devices[end.deviceIndex])
            isAny = true
        }
        return isAny
    }

    /// The program runs on each of so many days.
    func run(_ device: SimulatedDevice, days count: Int) throws {
        for _ in 0..<count {
            try wait(milliseconds: Self.dayMilliseconds)
            try purgeOldTrash(device)
        }
    }

    private func purgeOldTrash(_ device: SimulatedDevice) throws {
        let store = try store(device)
        var before: [RecordName: VersionVector] = [:]
        try running(device) { () throws(StoreFault) in
            for stored in try store.news(after: 0).records where stored.verdict.isDeleted {
                before[stored.name] = stored.record.clock
            }
        }
        let trash = before.sorted { $0.key < $1.key }
        do {
            try running(device) { () throws(StoreFault) in _ = try store.purgeOldTrash() }
        } catch {
            if device.store == nil {
                for (id, past) in trash { oracle.editDied(device.index, id, .purge, past: past) }
            }
            throw error
        }
        for (id, past) in trash where try store.record(id)?.record.clock != past {
            try judging(device) {
                try oracle.edited(device.index, store, id, .purge, nil, past: past)
            }
            count("automatic purges")
        }
        try look(device)
        try notice(device)
    }
}

/// Deletes on a great scale: whether the guard has held them.
extension World {
    /// Takes note of what is alive on a device, if its mass-delete guard is to be judged.
    func noteAlive(_ device: SimulatedDevice, _ store: Store) throws(StoreFault) {
        guard scenario.massDeleteGuardCount != nil else { return }
        if let known = device.alive, known.sequence == store.sequence { return }
        var ids: Set<RecordName> = []
        let news = try store.news(after: 0)
        for stored in news.records
        where stored.collection != .devices && !stored.verdict.isDeleted {
            ids.insert(stored.name)
        }
        device.everAlive.formUnion(ids)
        device.alive = (news.sequence, ids)
    }

    /// Judges what one arrival has deleted on a device, together with what came over that link before.
    ///
    /// A mass-delete guard counts what comes back against what is deleted, and counts from what was alive when it began:
    /// no more than it ever may let through is allowed here.
    func judgeMassDeleteGuard(
        _ device: SimulatedDevice, _ link: SimulatedLink, _ side: Int, before: Set<RecordName>?
    ) throws {
        guard let freeCount = device.massDeleteGuardCount, let before,
            let after = device.alive?.ids,
            !device.hasWrongBit
        else { return }
        if now - link.ends[side].massDeleteGuardSince > Self.massDeleteGuardMilliseconds {
            (link.ends[side].massDeleteGuardSince, link.ends[side].restoredCount) = (now, 0)
            link.ends[side].deleted = []
        }
        link.ends[side].deleted.formUnion(before.subtracting(after))
        link.ends[side].deleted.subtract(after)
        link.ends[side].restoredCount += after.subtracting(before).count
        let count = link.ends[side].deleted.count
        let most = max(freeCount, device.everAlive.count / 2) + link.ends[side].restoredCount
        // A word lets through what it is for; and the mass-delete guard goes by clocks.
        if count > most, !hasAnsweredDeletes, !hasClockFault {
            throw Violation(
                .unsound,
                "a session of \(device.name) has deleted \(Counted.words(count, "item")) of "
                    + "\(device.everAlive.count), and nobody was asked")
        }
    }

    /// Whether any device's clock shows something else than before.
    private var hasClockFault: Bool {
        scenario.steps.contains { if case .clock = $0.event { true } else { false } }
    }

    /// How long deletes are counted together here; less than a mass-delete guard does.
    private static let massDeleteGuardMilliseconds: Int64 = 12 * 3_600_000
}
