import Core
import Simulation
import Storage
import TestSupport
import Testing

@Suite("The oracle agrees with the engine")
struct OracleAgreementTests {
    @Test("random edits and meetings of three devices give it nothing to object to")
    func randomPrograms() throws {
        for seed in 0..<UInt64(TestSettings.number("TANDEM_ORACLE_SEEDS") ?? 12) {
            let policy: DeletePolicy = seed.isMultiple(of: 2) ? .deletesWin : .editsWin
            let world = try OracleWorld(seed: seed, policy: policy, devices: 3)
            var chance = SplitMix64(seed: seed ^ 0x5eed)
            do {
                for step in 0..<60 { try Self.step(step, world, &chance) }
                try world.heal()
            } catch let violation as Violation {
                Issue.record("seed \(seed): \(violation.verdict): \(violation)")
            }
        }
    }

    private static func step(
        _ step: Int, _ world: OracleWorld, _ chance: inout SplitMix64
    ) throws {
        let deviceIndex = chance.below(3)
        let shared = OracleWorld.recordName(chance.below(3))
        // Some ids are in use in two collections.
        let name = chance.chance(1, in: 4) ? RecordName(.number(77), shared.id) : shared
        switch chance.below(20) {
        case 0...5:
            try world.carry(
                from: deviceIndex, to: (deviceIndex + 1 + chance.below(2)) % 3, joins: step % 5 > 0)
        case 6:
            let store = world.stores[deviceIndex]
            if chance.chance(1, in: 2) { store.close() } else { store.abandon() }
            try world.open(deviceIndex)
            try world.oracle.look(deviceIndex, world.stores[deviceIndex])
        case 7: try world.oracle.lookThoroughly(deviceIndex, world.stores[deviceIndex])
        case 8: try meetNewer(world, deviceIndex, name, &chance)
        case 9:
            let strange = RecordName(.number(77), RecordID(value: chance.wide()))
            try world.edit(deviceIndex, strange, .edit) { edit throws(StoreFault) in
                try edit.insert(
                    [Assignment(.number(40), .unknown([0x82, 0x18, 0x64, 0x01]))],
                    into: strange.collection, id: strange.id)
            }
        default: try edit(world, deviceIndex, name, &chance)
        }
    }

    private static func edit(
        _ world: OracleWorld, _ deviceIndex: Int, _ name: RecordName, _ chance: inout SplitMix64
    ) throws {
        let stored = try world.stores[deviceIndex].record(name)
        do {
            switch chance.below(8) {
            case 0 where stored != nil: try world.delete(deviceIndex, name)
            case 1 where stored != nil, 2 where stored?.verdict.isDeleted == true:
                try world.restore(deviceIndex, name)
            case 3 where stored?.verdict.isDeleted == true && chance.chance(1, in: 2):
                try world.purge(deviceIndex, name)
            case 4 where stored?.record.fieldConflicts.isEmpty == false:
                guard let conflict = stored?.record.fieldConflicts.first else { return }
                let choice = chance.pick(conflict.candidates).value
                try world.save(
                    deviceIndex, name, [Assignment(conflict.field, choice)], resolves: true)
            default: try world.save(deviceIndex, name, fields(&chance))
            }
        } catch StoreFault.recordDeleted, StoreFault.recordPurged {
            return
        }
    }

    private static func fields(_ chance: inout SplitMix64) -> [Assignment] {
        var fields = [Assignment(.number(2), value(&chance))]
        if chance.chance(1, in: 2) { fields.append(Assignment(.number(3), value(&chance))) }
        if chance.chance(1, in: 3) { fields.append(Assignment(.custom("shop"), value(&chance))) }
        for element in ["red", "blue"] where chance.chance(1, in: 3) {
            let isIn = chance.chance(2, in: 3)
            fields.append(
                Assignment(.element(.number(8), text: element), isIn ? .bool(true) : .null))
        }
        return fields.sorted { $0.field < $1.field }
    }

    private static func value(_ chance: inout SplitMix64) -> Value {
        switch chance.below(5) {
        case 0: .null
        case 1: .text("same")
        default: .text("v\(chance.below(1000))")
        }
    }

    /// A device gets a change of a version that nobody can read.
    private static func meetNewer(
        _ world: OracleWorld, _ deviceIndex: Int, _ name: RecordName, _ chance: inout SplitMix64
    ) throws {
        let replica = ReplicaID(value: chance.wide())
        var clock = try world.stores[deviceIndex].record(name)?.record.clock ?? VersionVector()
        clock.include(1, of: replica)
        let change = Change(name, clock: clock, body: [0xff, UInt8(chance.below(256))])
        let incarnation = Incarnation(epoch: EpochID(value: chance.next() | 1), counter: 0)
        let checkpoint = Checkpoint(epoch: incarnation.epoch, sequence: 1)
        _ = try world.stores[deviceIndex].integrate(
            [change], from: replica, checkpoint: checkpoint,
            incarnations: [ChangeBatch.AnnouncedIncarnation(replica: replica, start: incarnation)])
        let entry = StateSummaryEntry(
            replica: replica, counter: 1, checksum: SipHash().checksum(name, 1), seen: 1)
        _ = try world.stores[deviceIndex].join(
            Core.StateSummary(entries: [entry], digest: 0), from: replica, through: checkpoint)
        try world.oracle.look(deviceIndex, world.stores[deviceIndex])
    }

    @Test("long random programs over one record in memory give it nothing to object to")
    func memory() throws {
        for seed in 0..<UInt64(TestSettings.number("TANDEM_ORACLE_SEEDS") ?? 30) {
            let policy: DeletePolicy = seed.isMultiple(of: 2) ? .deletesWin : .editsWin
            var program = MemoryProgram(seed: seed, policy: policy)
            do {
                try program.run(stepCount: 150)
            } catch let violation as Violation {
                Issue.record("seed \(seed): \(violation.verdict): \(violation)")
            }
        }
    }
}

/// Edits and merges of one record on four devices that keep it in memory.
private struct MemoryProgram {
    private static let name = RecordName(.number(1), RecordID(value: 5))
    private static let fields: [Field] = [
        .number(2), .number(3), .custom("caf\u{e9}"), .element(.number(4), .text("x")),
        .element(.text("labels"), .int(7)),
    ]
    private let policy: DeletePolicy
    private let oracle: Oracle
    private var chance: SplitMix64
    private var records = [RecordState](repeating: RecordState(), count: 4)
    private var counters = [UInt64](repeating: 0, count: 4)

    init(seed: UInt64, policy: DeletePolicy) {
        self.policy = policy
        oracle = Oracle(policy: policy)
        chance = SplitMix64(seed: seed)
        for _ in records { oracle.addDevice() }
    }

    mutating func run(stepCount: Int) throws {
        for _ in 0..<stepCount {
            let deviceIndex = chance.below(4)
            if chance.chance(2, in: 5) {
                let other = records[chance.below(4)]
                records[deviceIndex] = RecordMerge.merged(records[deviceIndex], other)
            } else {
                try edit(deviceIndex)
            }
            if records[deviceIndex].isEmpty { continue }
            let verdict = DeletionRule(policy).verdict(on: records[deviceIndex])
            try oracle.holds(
                deviceIndex, Self.name, records[deviceIndex], verdict,
                isThorough: chance.chance(1, in: 4))
            try compare(deviceIndex, verdict)
        }
    }

    /// Compares what the oracle says outright.
    private func compare(_ deviceIndex: Int, _ verdict: DeletionRule.Verdict) throws {
        let due = oracle.expectedRecord(Self.name, at: records[deviceIndex].clock)
        let held = records[deviceIndex].writes.flatMap { write in
            write.assignments.map { assignment in
                ExpectedRecord.Survivor(
                    field: assignment.field, value: assignment.value, dot: write.dot,
                    timestamp: write.timestamp)
            }
        }
        #expect(due.survivors == held)
        #expect(due.visible.map(\.field) == records[deviceIndex].fields)
        #expect(
            due.visible.map(\.value)
                == records[deviceIndex].fields.map { records[deviceIndex].visible($0) })
        #expect(
            due.conflicts.map(\.values)
                == records[deviceIndex].fieldConflicts.map { $0.candidates.map(\.value) })
        #expect(due.isDeleted == verdict.isDeleted)
        #expect(due.isContested == verdict.isContested)
        #expect(due.isPurged == verdict.isPurged)
    }

    private mutating func edit(_ deviceIndex: Int) throws {
        let replica = SmallWorld.replica(deviceIndex)
        // Clocks jump in both directions: a time means nothing to what is left.
        let edit = LocalEdit(
            policy: policy, timestamp: HybridTimestamp(rawValue: UInt64(chance.below(5))))
        var dots = LocalEdit.DotSource(replica: replica, counter: counters[deviceIndex])
        let old = records[deviceIndex]
        let new: RecordState?
        let kind: Simulation.WriteHistory.Kind
        switch chance.below(10) {
        case 0: (kind, new) = (.delete, try? edit.delete(old, dots: &dots))
        case 1, 2: (kind, new) = (.restore, try? edit.restore(old, dots: &dots))
        case 3 where chance.chance(1, in: 2):
            (kind, new) = (.purge, try? edit.purge(old, isForced: true, dots: &dots))
        default:
            let fields = Set((0...chance.below(3)).map { _ in chance.pick(Self.fields) }).sorted()
            let assignments = fields.map { Assignment($0, value($0)) }
            let resolves = chance.chance(1, in: 2)
            kind = .edit
            new = try? edit.save(assignments, to: old, resolves: resolves, dots: &dots)
        }
        guard let new else { return }
        records[deviceIndex] = new
        counters[deviceIndex] = dots.counter
        try oracle.wrote(deviceIndex, Self.name, new, kind, past: old.clock, by: replica)
    }

    private mutating func value(_ field: Field) -> Value {
        if field.isElement { return chance.chance(1, in: 2) ? .bool(true) : .null }
        return chance.pick([.text("a"), .text("b"), .int(1), .double(1), .null, .text("A")])
    }
}
