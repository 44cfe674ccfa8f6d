import Core
import Replica
import Session
import Storage

/// A stranger does something to a device that it can reach.
package struct StrangerEvent: Hashable, Sendable {
    /// The attack.
    package var attack: Attack
    /// The device that it calls.
    package var victim: String

    /// An attack on a device.
    package init(_ attack: Attack, on victim: String) {
        self.attack = attack
        self.victim = victim
    }
}

/// An attack by a stranger that can reach a device.
package enum Attack: Hashable, Sendable {
    /// Sends bytes that are no message: `a stranger sends garbage to phone`.
    case garbage
    /// Greets properly and then never answers: `a stranger calls phone and falls silent`.
    case silence
    /// Greets with another device's replica id: `a stranger claims to be laptop to phone`.
    case impersonation(of: String)
    /// States to have everything that the victim has ever written, and sends nothing:
    /// `a stranger claims to know everything to phone`.
    case falseSummary
    /// States a thousand more writes of a device than there are, with the checksum that the victim itself has:
    /// `a stranger overstates laptop to phone`.
    case overstatement(of: String)
    /// Sends changes with bodies that nobody can read: `a stranger sends nonsense about milk to phone`.
    case nonsense(item: String)
    /// Sends such a change with a clock that names replica ids which are made up:
    /// `a stranger names 4094 replicas in nonsense about milk to phone`.
    case crowd(count: Int, item: String)
    /// Greets as an empty replica of the same space: `an empty stranger calls phone`.
    case emptiness
}

extension EventKind {
    static let attack = EventKind("attack", weight: 3, fault: .stranger)
}

extension StrangerEvent: EventFamily {
    static let kinds: [EventKind] = [.attack]

    var kind: EventKind { .attack }

    var event: ScenarioEvent { .stranger(self) }

    // MARK: Lines

    static let forms: [ScenarioForm] = [
        form(
            "a stranger sends garbage to DEVICE", "Bytes that are no message.",
            "a stranger sends garbage to phone"
        ) { StrangerEvent(.garbage, on: $0.name()) },
        form(
            "a stranger calls DEVICE and falls silent", "Greets properly and never answers.",
            "a stranger calls phone and falls silent"
        ) { StrangerEvent(.silence, on: $0.name()) },
        form(
            "a stranger claims to be DEVICE to DEVICE", "Greets with the other's replica id.",
            "a stranger claims to be laptop to phone"
        ) { StrangerEvent(.impersonation(of: $0.name()), on: $0.name()) },
        form(
            "a stranger claims to know everything to DEVICE",
            "States to have all, and sends nothing.",
            "a stranger claims to know everything to phone"
        ) { StrangerEvent(.falseSummary, on: $0.name()) },
        form(
            "a stranger overstates DEVICE to DEVICE",
            "States more writes of it than there are, with the checksum that the called device has.",
            "a stranger overstates laptop to phone"
        ) { StrangerEvent(.overstatement(of: $0.name()), on: $0.name()) },
        form(
            "a stranger sends nonsense about ITEM! to DEVICE", "Changes that nobody can read.",
            "a stranger sends nonsense about milk to phone"
        ) { StrangerEvent(.nonsense(item: $0.name()), on: $0.name()) },
        form(
            "a stranger names COUNT replicas in nonsense about ITEM! to DEVICE",
            "Such a change, with a clock of replica ids that are made up.",
            "a stranger names 4094 replicas in nonsense about milk to phone"
        ) {
            let (count, item) = ($0.count(), $0.name())
            return StrangerEvent(.crowd(count: count, item: item), on: $0.name())
        },
        form(
            "an empty stranger calls DEVICE", "An empty replica of the same space.",
            "an empty stranger calls phone"
        ) { StrangerEvent(.emptiness, on: $0.name()) },
    ]

    var words: String {
        switch attack {
        case .garbage: "a stranger sends garbage to \(victim)"
        case .silence: "a stranger calls \(victim) and falls silent"
        case .impersonation(let other): "a stranger claims to be \(other) to \(victim)"
        case .falseSummary: "a stranger claims to know everything to \(victim)"
        case .overstatement(let other): "a stranger overstates \(other) to \(victim)"
        case .nonsense(let item): "a stranger sends nonsense about \(item) to \(victim)"
        case .crowd(let count, let item):
            "a stranger names \(count) replicas in nonsense about \(item) to \(victim)"
        case .emptiness: "an empty stranger calls \(victim)"
        }
    }

    var devices: [String] {
        switch attack {
        case .impersonation(let other), .overstatement(let other): [victim, other]
        case .garbage, .silence, .falseSummary, .nonsense, .crowd, .emptiness: [victim]
        }
    }

    var items: [String] {
        switch attack {
        case .nonsense(let item), .crowd(_, let item): [item]
        default: []
        }
    }

    /// A stranger may well claim to be the one that it calls.
    var selfMet: String? { nil }

    // MARK: Random scenarios

    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent? {
        guard let index = maker.someone() else { return nil }
        let victim = maker.model.devices[index].name
        return attack(on: victim, by: &maker).map { .stranger(StrangerEvent($0, on: victim)) }
    }

    private static func attack(on victim: String, by maker: inout ScenarioMaker) -> Attack? {
        switch maker.chance.below(8) {
        case 0: return .garbage
        case 1: return .silence
        case 2: return .falseSummary
        case 3: return .nonsense(item: maker.chance.pick(maker.weights.items))
        case 4: return maker.model.strangerCount < 2 ? .emptiness : nil
        case 5:
            // Of itself nobody believes more than it wrote.
            let others = maker.model.devices.map(\.name).filter { $0 != victim }
            return others.isEmpty ? nil : .overstatement(of: maker.chance.pick(others))
        default:
            let devices = maker.model.devices
            let other = devices[maker.chance.below(devices.count)].name
            // Whoever hears its own id takes a new one, and less is promised.
            guard other != victim || maker.weights.faults.contains(.setBack) else { return nil }
            return .impersonation(of: other)
        }
    }

    func foresee(in model: inout ScenarioModel) {
        if attack == .emptiness { model.strangerCount += 1 }
    }

    // MARK: Shrinking

    var simpler: [ScenarioEvent] {
        attack == .garbage ? [] : [.stranger(StrangerEvent(.garbage, on: victim))]
    }

    func renamingItem(_ old: String, to new: String) -> StrangerEvent {
        switch attack {
        case .nonsense(old): StrangerEvent(.nonsense(item: new), on: victim)
        case .crowd(let count, old): StrangerEvent(.crowd(count: count, item: new), on: victim)
        default: self
        }
    }

    // MARK: The world

    func apply(to world: World, isElsewhere: Bool) throws {
        world.hasStrangers = true
        try world.carryOut(attack, on: world.running(victim))
    }
}

extension World {
    func carryOut(_ attack: Attack, on victim: SimulatedDevice) throws {
        count("attacks")
        tell(victim.index, .befell("is called by a stranger"))
        var chance = Chance(seed: scenario.seed, "stranger \(victim.name) \(now) \(stepCount)")
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
        case .falseSummary: try lie(to: victim, &chance)
        case .overstatement(let name): try overstate(device(name), to: victim, &chance)
        case .nonsense(let item): try sendNonsense(about: item, to: victim, &chance)
        case .crowd(let count, let item):
            // So many fit one message.
            try sendNonsense(about: item, to: victim, &chance, naming: min(count, 30_000))
        case .emptiness:
            let name = "stranger\(devices.count)"
            try create(DeviceTraits(name))
            try sync(name, victim.name)
        }
        try settle()
    }

    /// Calls a device and says so much, whatever the answers.
    private func call(_ victim: SimulatedDevice, _ frames: [[UInt8]], hangsUp: Bool = true) throws {
        let (conversation, outputs) = try replica(victim).open(
            .responder, isLive: true, limits: limits, now: instant)
        var caller = SimulatedLink.End(deviceIndex: victim.index, conversation: conversation)
        caller.end = .lost
        let link = SimulatedLink(
            number: nextLink(), isLive: true,
            ends: [
                caller, SimulatedLink.End(deviceIndex: victim.index, conversation: conversation),
            ])
        // Whatever comes of it, a stranger brought it about.
        link.isCorrupted = true
        link.isHalfOpen = !hangsUp
        links[link.number] = link
        try dispatch(outputs, of: victim)
        for bytes in frames { put(Packet(bytes: bytes), on: link, to: 1) }
        hangUp(link, 1)
    }

    private func greeting(
        _ victim: SimulatedDevice, _ chance: inout Chance, as replica: ReplicaID? = nil,
        stateSummary: Core.StateSummary = Core.StateSummary(entries: [], digest: 0)
    ) throws -> [UInt8] {
        let summary = try store(victim).summary()
        let id = replica ?? ReplicaID(value: UInt128(chance.next()) << 64 | 0x57)
        return Frame.encode(
            .hello(
                Hello(
                    space: summary.space, policy: summary.policy, replica: id,
                    incarnation: Incarnation(epoch: EpochID(value: chance.next() | 1), counter: 0),
                    summary: stateSummary.head(SipHash()), features: [],
                    peerCheckpoint: PeerCheckpoint(
                        peer: summary.replica, checkpoint: nil, counter: 0, epoch: nil))))
    }

    /// The message that tells a state summary whole.
    private func whole(_ stateSummary: Core.StateSummary) -> [UInt8] {
        let range = SummaryRanges.Range(upper: nil, .entries(stateSummary.entries))
        return Frame.encode(.summaryRanges(SummaryRanges([range])))
    }

    /// States to have all that the victim and everyone else has, and more, and sends nothing.
    ///
    /// Half of the time it says nothing of the victim itself, which would not believe that.
    private func lie(to victim: SimulatedDevice, _ chance: inout Chance) throws {
        let summary = try store(victim).summary()
        let sparesVictim = chance.happens(1, in: 2)
        let entries = summary.knowledge.entries.compactMap { entry -> StateSummaryEntry? in
            if sparesVictim, entry.replica == summary.replica { return nil }
            return StateSummaryEntry(
                replica: entry.replica, counter: entry.counter + 1_000,
                checksum: UInt128(chance.next()), seen: entry.counter + 1_000)
        }
        try state(
            Core.StateSummary(
                entries: entries, digest: Digest(contents: UInt128(chance.next()))),
            to: victim, &chance)
    }

    /// States what the victim has, and more writes of a device than it made.
    private func overstate(
        _ device: SimulatedDevice, to victim: SimulatedDevice, _ chance: inout Chance
    ) throws {
        let (replica, stateSummary) = (
            try store(device).replica, try store(victim).stateSummary()
        )
        let entries = stateSummary.entries.map { entry in
            guard entry.replica == replica else { return entry }
            return StateSummaryEntry(
                replica: replica, counter: entry.counter + 1_000, checksum: entry.checksum,
                seen: entry.seen + 1_000)
        }
        try state(
            Core.StateSummary(entries: entries, digest: stateSummary.digest), to: victim, &chance)
    }

    /// Greets with a state summary and says that this was all.
    private func state(
        _ stateSummary: Core.StateSummary, to victim: SimulatedDevice, _ chance: inout Chance
    ) throws {
        let end = CaughtUp(
            through: Checkpoint(epoch: EpochID(value: chance.next() | 1), sequence: 9),
            changed: [], digest: nil)
        try call(
            victim,
            [
                greeting(victim, &chance, stateSummary: stateSummary), whole(stateSummary),
                Frame.encode(.caughtUp(end)), Frame.encode(.bye),
            ])
    }

    private func sendNonsense(
        about item: String, to victim: SimulatedDevice, _ chance: inout Chance,
        naming othersCount: Int = 0
    ) throws {
        let name = Vocabulary.record(item)
        let replica = ReplicaID(value: UInt128(chance.next()) << 64 | 0x58)
        var clock = try store(victim).record(name)?.record.clock ?? VersionVector()
        clock.include(1, of: replica)
        let others = (0..<othersCount).map { _ in
            VersionVector.Entry(
                replica: ReplicaID(value: UInt128(chance.next()) << 64 | 0x59), counter: 1)
        }
        clock.join(VersionVector(unsorted: others))
        let body = [0xff] + (0..<chance.below(40)).map { _ in UInt8(chance.below(256)) }
        let batch = ChangeBatch(
            changes: [Change(name, clock: clock, body: body)],
            through: Checkpoint(epoch: EpochID(value: chance.next() | 1), sequence: 1))
        try call(
            victim,
            [
                greeting(victim, &chance, as: replica),
                whole(Core.StateSummary(entries: [], digest: 0)), Frame.encode(.changes(batch)),
                Frame.encode(.bye),
            ])
    }
}
