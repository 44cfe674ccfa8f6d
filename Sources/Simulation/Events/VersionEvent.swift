import Core
import Replica
import Session
import Storage
import ToDo

/// An event of newer versions; each case is one line of the language, given with it.
package enum VersionEvent: Hashable, Sendable {
    /// `laptop is upgraded`: from its next opening on it runs the newer version.
    case upgrade(String)
    /// `laptop creates gadget of a newer kind`: in a collection that older versions do not know.
    case createNewer(device: String, item: String)
    /// `laptop receives something unreadable about milk`: a change of a version nobody here can read.
    case receiveUnreadable(device: String, item: String)
    /// `laptop sends phone a message of an unknown kind`: one that may not be skipped, in what it says next.
    case sendUnknown(from: String, to: String)
}

extension EventKind {
    static let upgrade = EventKind("upgrade", weight: 1, fault: .newerVersion)
    static let createNewer = EventKind("createNewer", weight: 3, fault: .newerVersion)
    static let receiveUnreadable = EventKind("receiveUnreadable", weight: 2, fault: .unreadable)
    static let sendUnknown = EventKind("sendUnknown", weight: 1, fault: .newerVersion)
}

extension VersionEvent: EventFamily {
    static let kinds: [EventKind] = [.upgrade, .createNewer, .receiveUnreadable, .sendUnknown]

    var kind: EventKind {
        switch self {
        case .upgrade: .upgrade
        case .createNewer: .createNewer
        case .receiveUnreadable: .receiveUnreadable
        case .sendUnknown: .sendUnknown
        }
    }

    var event: ScenarioEvent { .version(self) }

    // MARK: Lines

    static let forms: [ScenarioForm] = [
        form(
            "DEVICE is upgraded", "From its next opening on it runs the newer version.",
            "laptop is upgraded"
        ) { .upgrade($0.name()) },
        form(
            "DEVICE creates ITEM! of a newer kind",
            "In a collection that older versions do not know.",
            "laptop creates gadget of a newer kind"
        ) { .createNewer(device: $0.name(), item: $0.name()) },
        form(
            "DEVICE sends DEVICE a message of an unknown kind",
            "One that may not be skipped: the session, or the next, ends with an error.",
            "laptop sends phone a message of an unknown kind"
        ) { .sendUnknown(from: $0.name(), to: $0.name()) },
        form(
            "DEVICE receives something unreadable about ITEM!",
            "A change of a version that nobody here can read.",
            "laptop receives something unreadable about milk"
        ) { .receiveUnreadable(device: $0.name(), item: $0.name()) },
    ]

    var words: String {
        switch self {
        case .upgrade(let device): "\(device) is upgraded"
        case .sendUnknown(let device, let other):
            "\(device) sends \(other) a message of an unknown kind"
        case .createNewer(let device, let item): "\(device) creates \(item) of a newer kind"
        case .receiveUnreadable(let device, let item):
            "\(device) receives something unreadable about \(item)"
        }
    }

    var devices: [String] {
        switch self {
        case .upgrade(let one), .createNewer(let one, _), .receiveUnreadable(let one, _): [one]
        case .sendUnknown(let one, let other): [one, other]
        }
    }

    var items: [String] {
        switch self {
        case .createNewer(_, let item), .receiveUnreadable(_, let item): [item]
        case .upgrade, .sendUnknown: []
        }
    }

    var isRefusable: Bool {
        if case .createNewer = self { true } else { false }
    }

    // MARK: Random scenarios

    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent? {
        draw(of: kind, by: &maker)?.event
    }

    private static func draw(of kind: EventKind, by maker: inout ScenarioMaker) -> VersionEvent? {
        if kind == .sendUnknown {
            return maker.linked().map { .sendUnknown(from: $0.0, to: $0.1) }
        }
        guard let index = maker.someone() else { return nil }
        // Drawn as for edits, and of no effect here: what seeds stand for depends on it.
        _ = maker.chance.happens(1, in: 40)
        let device = maker.model.devices[index]
        switch kind {
        case .upgrade: return device.isNewer ? nil : .upgrade(device.name)
        case .createNewer:
            let count = maker.model.gadgetCount
            guard device.isNewer, count < 4 else { return nil }
            return .createNewer(device: device.name, item: "gadget\(count + 1)")
        default:
            return .receiveUnreadable(
                device: device.name, item: maker.chance.pick(maker.weights.items))
        }
    }

    func foresee(in model: inout ScenarioModel) {
        switch self {
        case .createNewer(let name, let item):
            model.gadgetCount += 1
            model.change(name) { $0.items[item] = .alive }
        case .upgrade(let name): model.change(name) { $0.isNewer = true }
        case .receiveUnreadable, .sendUnknown: return
        }
    }

    func renamingItem(_ old: String, to new: String) -> VersionEvent {
        guard case .receiveUnreadable(let device, old) = self else { return self }
        return .receiveUnreadable(device: device, item: new)
    }

    // MARK: The world

    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .upgrade(let name): try world.device(name).traits.isNewer = true
        case .createNewer(let device, let item): try world.createNewer(device, item)
        case .receiveUnreadable(let device, let item): try world.receiveUnreadable(device, item)
        case .sendUnknown(let from, let to):
            world.network.armUnknown(try world.device(from).index, try world.device(to).index)
        }
    }
}

extension World {
    /// Makes a record of a collection that older versions do not know.
    func createNewer(_ device: String, _ item: String) throws {
        let name = Vocabulary.record(item)
        guard name.collection == Vocabulary.gadgets else {
            throw Refused(
                .exists, "the name \(item) is for a to-do; gadgets have such as gadget-\(item)")
        }
        if try store(self.device(device)).record(name) != nil {
            throw Refused(.exists, "\(device) has \(item) already")
        }
        try edit(device, item, .edit, "of a newer kind", isElsewhere: false) {
            edit throws(StoreFault) in
            try edit.insert(
                [Assignment(.number(2), .text(item))], into: name.collection, id: name.id)
        }
    }

    /// A device gets a change of a version that nobody here can read, from a replica that is no more.
    func receiveUnreadable(_ name: String, _ item: String) throws {
        let device = try device(name)
        let store = try store(device)
        var chance = Chance(seed: scenario.seed, "unreadable \(name) \(item) \(now) \(stepCount)")
        let replica = ReplicaID(value: UInt128(chance.next()) << 64 | UInt128(chance.next()))
        let record = Vocabulary.record(item)
        var clock = try store.record(record)?.record.clock ?? VersionVector()
        clock.include(1, of: replica)
        let change = Change(record, clock: clock, body: [0xff, UInt8(chance.below(256))])
        let incarnation = Incarnation(epoch: EpochID(value: chance.next() | 1), counter: 0)
        let checkpoint = Checkpoint(epoch: incarnation.epoch, sequence: 1)
        do throws(StoreFault) {
            _ = try store.integrate(
                [change], from: replica, checkpoint: checkpoint,
                incarnations: [
                    ChangeBatch.AnnouncedIncarnation(replica: replica, start: incarnation)
                ])
            let entry = StateSummaryEntry(
                replica: replica, counter: 1, checksum: SipHash().checksum(record, 1), seen: 1)
            _ = try store.join(
                Core.StateSummary(entries: [entry], digest: 0), from: replica, through: checkpoint)
        } catch {
            try reviewDisks()
            if device.store == nil { throw Refused.down(name) }
            guard let refused = Refused(error) else { throw error }
            throw refused
        }
        tell(device.index, .befell("receives something unreadable about \(item)"))
        count("unreadable changes")
        try oracle.met(device.index, store, change)
        try notice(device)
    }
}

/// Messages that the engine here does not know.
extension SimulatedDevice {
    /// A message that only newer versions know and others skip, now and then; nil at other times, and
    /// from devices whose version is not newer.
    func newerMessage(seed: UInt64) -> [UInt8]? {
        guard runsNewer else { return nil }
        var chance = newerChance ?? Chance(seed: seed, "newer messages of \(name)")
        defer { newerChance = chance }
        guard chance.happens(1, in: 6) else { return nil }
        let kind = chance.pick([Message.ignorableKindMin, 200, 70_000, UInt64.max])
        return Self.frame(ofKind: kind, &chance)
    }

    /// A message that no version here knows, and that may not be skipped.
    func unknownMessage(seed: UInt64) -> [UInt8] {
        var chance = Chance(seed: seed, "unknown message of \(name)")
        let kind = chance.pick([15, 64, Message.ignorableKindMin - 1])
        return Self.frame(ofKind: kind, &chance)
    }

    /// A frame with a message of that kind, with keys and values of all sorts.
    private static func frame(ofKind kind: UInt64, _ chance: inout Chance) -> [UInt8] {
        let count = chance.below(4)
        var writer = CanonicalWriter()
        writer.map(1 + count)
        writer.unsigned(0)
        writer.unsigned(kind)
        for key in 0..<count {
            writer.unsigned(UInt64(1 + key))
            switch chance.below(4) {
            case 0: writer.text("newer")
            case 1:
                writer.byteString((0..<chance.below(300)).map { _ in UInt8(chance.below(256)) })
            case 2:
                writer.array(2)
                writer.map(1)
                writer.integer(-1)
                writer.null()
                writer.identifier(UInt128(chance.next()))
            default: writer.unsigned(chance.next())
            }
        }
        return Frame.encode(payload: writer.bytes)
    }
}
