import Core
import Replica
import Session
import Storage

/// What strangers do, and what comes from versions that nobody here can read.
extension World {
    func carryOut(_ attack: Attack, on victim: Device) throws {
        count("attacks")
        tell(victim.lane, .befell("is called by a stranger"))
        var chance = Chance(seed: story.seed, "stranger \(victim.name) \(now) \(stepCount)")
        switch attack {
        case .garbage:
            let bytes = (0..<1 + chance.below(300)).map { _ in UInt8(chance.below(256)) }
            try call(victim, [bytes])
        case .silence: try call(victim, [greeting(victim, &chance)], hangsUp: false)
        case .impersonation(let name):
            let replica = try store(device(name)).replica
            if name == victim.name {
                // Its own id in another's mouth: it takes a new one, and what it wrote gets new dots.
                allowsForks = true
            }
            try call(victim, [greeting(victim, &chance, as: replica)])
        case .falseStatement: try lie(to: victim, &chance)
        case .nonsense(let item): try sendNonsense(about: item, to: victim, &chance)
        case .emptiness:
            let name = "stranger\(devices.count)"
            try create(DeviceTraits(name))
            try sync(name, victim.name)
        }
        try settle()
    }

    /// Calls a device and says so much, whatever the answers.
    private func call(_ victim: Device, _ frames: [[UInt8]], hangsUp: Bool = true) throws {
        let (conversation, outputs) = try replica(victim).open(
            .responder, isLive: true, limits: limits, now: instant)
        var caller = Link.End(lane: victim.lane, conversation: conversation)
        caller.end = .lost
        let link = Link(
            number: nextLink(), isLive: true,
            ends: [caller, Link.End(lane: victim.lane, conversation: conversation)])
        // Whatever comes of it, a stranger brought it about.
        link.isCorrupted = true
        link.isHalfOpen = !hangsUp
        links[link.number] = link
        try dispatch(outputs, of: victim)
        for bytes in frames { put(Packet(bytes: bytes), on: link, to: 1) }
        hangUp(link, 1)
    }

    private func greeting(
        _ victim: Device, _ chance: inout Chance, as replica: ReplicaID? = nil,
        statement: Core.Statement? = Core.Statement(entries: [], digest: 0)
    ) throws -> [UInt8] {
        let summary = try store(victim).summary()
        let id = replica ?? ReplicaID(value: UInt128(chance.next()) << 64 | 0x57)
        return Frame.encode(
            .hello(
                Hello(
                    space: summary.space, policy: summary.policy, replica: id,
                    opening: EpochStart(epoch: EpochID(value: chance.next() | 1), counter: 0),
                    statement: statement, features: [],
                    recollection: Recollection(
                        peer: summary.replica, checkpoint: nil, counter: 0, epoch: nil))))
    }

    /// States to have all that the victim and everyone else has, and more, and sends nothing.
    ///
    /// Half of the time it says nothing of the victim itself, which would not believe that.
    private func lie(to victim: Device, _ chance: inout Chance) throws {
        let summary = try store(victim).summary()
        let sparesVictim = chance.happens(1, in: 2)
        let entries = summary.knowledge.entries.compactMap { entry -> StatementEntry? in
            if sparesVictim, entry.replica == summary.replica { return nil }
            return StatementEntry(
                replica: entry.replica, counter: entry.counter + 1_000,
                tally: UInt128(chance.next()), seen: entry.counter + 1_000)
        }
        let statement = Core.Statement(
            entries: entries, digest: Digest(contents: UInt128(chance.next())))
        let end = CaughtUp(
            through: Checkpoint(epoch: EpochID(value: chance.next() | 1), sequence: 9),
            changed: [], digest: nil)
        try call(
            victim,
            [
                greeting(victim, &chance, statement: statement), Frame.encode(.caughtUp(end)),
                Frame.encode(.bye),
            ])
    }

    private func sendNonsense(
        about item: String, to victim: Device, _ chance: inout Chance
    ) throws {
        let id = Vocabulary.record(item)
        let replica = ReplicaID(value: UInt128(chance.next()) << 64 | 0x58)
        var clock = try store(victim).record(id)?.record.clock ?? VersionVector()
        clock.include(1, of: replica)
        let body = [0xff] + (0..<chance.below(40)).map { _ in UInt8(chance.below(256)) }
        let batch = ChangeBatch(
            changes: [Change(id: id, clock: clock, body: body)],
            through: Checkpoint(epoch: EpochID(value: chance.next() | 1), sequence: 1))
        try call(
            victim,
            [
                greeting(victim, &chance, as: replica), Frame.encode(.changes(batch)),
                Frame.encode(.bye),
            ])
    }

    // MARK: Newer versions

    /// A device gets a change of a version that nobody here can read, from a replica that is no more.
    func receiveUnreadable(_ name: String, _ item: String) throws {
        let device = try device(name)
        let store = try store(device)
        var chance = Chance(seed: story.seed, "unreadable \(name) \(item) \(now) \(stepCount)")
        let replica = ReplicaID(value: UInt128(chance.next()) << 64 | UInt128(chance.next()))
        let id = Vocabulary.record(item)
        var clock = try store.record(id)?.record.clock ?? VersionVector()
        clock.include(1, of: replica)
        let change = Change(id: id, clock: clock, body: [0xff, UInt8(chance.below(256))])
        let opening = EpochStart(epoch: EpochID(value: chance.next() | 1), counter: 0)
        let checkpoint = Checkpoint(epoch: opening.epoch, sequence: 1)
        do throws(StoreFault) {
            _ = try store.integrate(
                [change], from: replica, checkpoint: checkpoint,
                openings: [ChangeBatch.Opening(replica: replica, start: opening)])
            let entry = StatementEntry(
                replica: replica, counter: 1, tally: SipHash().tally(id, 1), seen: 1)
            _ = try store.join(
                Core.Statement(entries: [entry], digest: 0), from: replica, through: checkpoint)
        } catch {
            try reviewDisks()
            if device.store == nil { throw Refused.down(name) }
            guard let refused = Refused(error) else { throw error }
            throw refused
        }
        tell(device.lane, .befell("receives something unreadable about \(item)"))
        count("unreadable changes")
        try oracle.met(device.lane, store, change)
        try notice(device)
    }
}
