import Core

/// Makes up random scenarios: a seed and a plan determine one.
///
/// The kinds of events and their weights are drawn per seed, so that worlds differ in kind: few items and many
/// conflicts, long times alone, sessions that never close, bad disks. A step is drawn from a
/// stream of its own number; it depends on the seed, on that number, and on what the maker believes of
/// the world by then.
package struct ScenarioMaker {
    let seed: UInt64
    let weights: ScenarioWeights
    var model: ScenarioModel
    /// The chance of the step that is being made.
    var chance: Chance
    /// Its number.
    var number = 0
    private let total: Int
    private let plan: ScenarioPlan
    private let policy: DeletePolicy
    private let traits: [DeviceTraits]
    /// The relays of the world, by their names.
    let relays: [String]
    /// The relays that share a database.
    let sharedRelays: [String]
    private let relayTraits: [DeviceTraits]
    let meetsOnlyAtRelays: Bool
    let isPlain: Bool
    /// Relays whose programs may have ended.
    var stoppedRelays: Set<String> = []
    /// Relays whose programs may stand still.
    var pausedRelays: Set<String> = []
    var relayBackups: [String: [String]] = [:]
    /// The next events, whatever else would be drawn.
    var planned: [ScenarioEvent] = []

    private static let names = [
        "laptop", "phone", "tablet", "desk", "watch", "server", "kiosk", "car", "tv", "attic",
        "office", "spare",
    ]
    /// How often a step is drawn again because it makes no sense.
    private static let drawsMax = 40

    /// The maker of one scenario.
    init(seed: UInt64, plan: ScenarioPlan) {
        self.seed = seed
        self.plan = plan
        weights = ScenarioWeights(seed: seed, plan: plan)
        total = weights.kinds.reduce(0) { $0 + $1.weight }
        var chance = Chance(seed: seed, "policy")
        policy = chance.happens(1, in: 2) ? .deletesWin : .editsWin
        traits = Self.devices(seed: seed, plan: plan, faults: weights.faults)
        relayTraits = Self.relays(seed: seed, faults: weights.faults)
        relays = relayTraits.map(\.name)
        sharedRelays = relayTraits.filter { $0.database != nil }.map(\.name)
        meetsOnlyAtRelays = Self.meetsOnlyAtRelays(seed: seed, faults: weights.faults)
        isPlain = Self.isPlain(seed: seed, faults: weights.faults)
        model = ScenarioModel(traits)
        self.chance = chance
    }

    /// The scenario of a seed.
    package static func scenario(seed: UInt64, plan: ScenarioPlan) -> Scenario {
        var maker = ScenarioMaker(seed: seed, plan: plan)
        return maker.make()
    }

    /// The faults in the scenario of a seed, in the order of declaration.
    package static func faults(seed: UInt64, plan: ScenarioPlan) -> [FaultKind] {
        let drawn = ScenarioWeights(seed: seed, plan: plan).faults
        return FaultKind.allCases.filter { drawn.contains($0) }
    }

    private mutating func make() -> Scenario {
        let isLarge = Self.isLarge(seed: seed)
        var steps = isLarge ? longEdits(by: 0, isNew: true) : []
        for number in 0..<plan.stepCount {
            if isLarge, number == plan.stepCount / 2 { steps += longEdits(by: 1, isNew: false) }
            self.number = number
            chance = Chance(seed: seed, "statement \(number)")
            let step = next()
            step.event.family.foresee(in: &model)
            steps.append(step)
        }
        let range = plan.replicaCount
        let replicas =
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        return Scenario(
            title: "seed \(seed), replicas \(replicas), \(plan.stepCount) steps, faults "
                + FaultKind.text(of: plan.faults),
            policy: policy, seed: seed,
            devices: traits + relayTraits,
            meetsOnlyAtRelays: meetsOnlyAtRelays, isPlain: isPlain,
            massDeleteGuardCount: Self.massDeleteGuardCount(seed: seed, faults: weights.faults),
            isLenient: true,
            steps: steps)
    }

    /// Whether a world has more than fits into one batch.
    private static func isLarge(seed: UInt64) -> Bool {
        var chance = Chance(seed: seed, "large")
        return chance.happens(1, in: largeShare)
    }

    /// One world of so many is large.
    package static let largeShare = 40
    /// The items of a large world that have long texts; together they are more than two batches.
    private static let longItemCount = 12
    private static let longByteCount = 60_000

    /// Edits that give items long texts, which one device makes in a row; nothing else of the world is drawn by them.
    private func longEdits(by index: Int, isNew: Bool) -> [Step] {
        let device = model.devices[index].name
        return (0..<Self.longItemCount).map { number in
            let notes = Setting.value(
                field: "notes", .long(Self.longByteCount + (isNew ? 0 : number)))
            return Step(
                .edit(
                    isNew
                        ? .create(device: device, item: "long\(number)", [notes])
                        : .edit(device: device, item: "long\(number)", [notes])))
        }
    }

    private static func massDeleteGuardCount(seed: UInt64, faults: Set<FaultKind>) -> Int? {
        guard faults.contains(.safety) || faults.contains(.answers) else { return nil }
        var chance = Chance(seed: seed, "brake")
        return chance.pick([0, 0, 1, 2])
    }

    private static func devices(
        seed: UInt64, plan: ScenarioPlan, faults: Set<FaultKind>
    ) -> [DeviceTraits] {
        var chance = Chance(seed: seed, "devices")
        let count = plan.replicaCount.lowerBound + chance.below(plan.replicaCount.count)
        return names.prefix(count).enumerated().map { index, name in
            var chance = Chance(seed: seed, "device \(name)")
            var traits = DeviceTraits(name, isDurable: chance.happens(1, in: 4))
            let (newer, foreign) = (chance.happens(1, in: 3), chance.happens(1, in: 4))
            traits.isNewer = newer && faults.contains(.newerVersion)
            // At least two belong together.
            traits.isForeign = foreign && index > 1 && faults.contains(.stranger)
            return traits
        }
    }

    // MARK: Steps

    private mutating func next() -> Step {
        if let event = relayStep() { return Step(event) }
        if !planned.isEmpty { return Step(planned.removeFirst()) }
        var step = nextOfDevices()
        planSetBack(after: step.event)
        step.event = instead(of: step.event)
        return step
    }

    private mutating func nextOfDevices() -> Step {
        if let name = closed(), !chance.happens(weights.idleShare, in: 8) {
            return Step(.machine(.open(name)))
        }
        for _ in 0..<Self.drawsMax {
            guard let event = ScenarioEvent.draw(kind(), by: &self) else { continue }
            let isElsewhere =
                event.family.canBeElsewhere
                && chance.happens(weights.elsewhereShare, in: 8)
            return Step(event, isElsewhere: isElsewhere)
        }
        return Step(.meeting(.wait(milliseconds: 1_000)))
    }

    private mutating func kind() -> EventKind {
        var left = chance.below(max(total, 1))
        for (kind, weight) in weights.kinds {
            left -= weight
            if left < 0 { return kind }
        }
        return .edit
    }

    /// A device whose program does not run, if there is one.
    private mutating func closed() -> String? {
        let closed = model.devices.indices.filter { !model.devices[$0].isRunning }
        return closed.isEmpty ? nil : model.devices[chance.pick(closed)].name
    }

    // MARK: Choices

    /// A device whose program runs.
    mutating func someone() -> Int? {
        let running = model.running
        return running.isEmpty ? nil : chance.pick(running)
    }

    /// Two devices that may meet; those of different spaces rarely.
    mutating func pair() -> (String, String)? {
        guard let first = someone() else { return nil }
        var others = model.running.filter { $0 != first }
        if !chance.happens(1, in: 12) {
            let isForeign = model.devices[first].isForeign
            others.removeAll { model.devices[$0].isForeign != isForeign }
        }
        guard !others.isEmpty else { return nil }
        return (model.devices[first].name, model.devices[chance.pick(others)].name)
    }

    /// Two devices with something on its way, as far as is known; else any two.
    mutating func linked() -> (String, String)? {
        guard !model.links.isEmpty, !chance.happens(1, in: 5) else { return pair() }
        let link = chance.pick(model.links)
        let (first, second) = (model.devices[link[0]].name, model.devices[link[1]].name)
        return chance.happens(1, in: 2) ? (first, second) : (second, first)
    }
}

/// The weights of one seed's world: how often each thing happens in it.
///
/// All of it is drawn from streams of their own, so that a new kind of event or fault changes as
/// little as can be of what known seeds stand for.
struct ScenarioWeights {
    /// The faults of this world, in the order of declaration.
    let faults: Set<FaultKind>
    /// How often each sort of event is tried; in the order of their declaration.
    let kinds: [(kind: EventKind, weight: Int)]
    /// The items that people have.
    let items: [String]
    /// The fields that people touch.
    let fields: [String]
    /// How often a value is one that others give as well, in eight.
    let sharedValueShare: Int
    /// The lengths of waits; milliseconds.
    let waits: [Int64]
    /// How often another program does what people do, in eight.
    let elsewhereShare: Int
    /// How often a device that is closed is left so for now, in eight.
    let idleShare: Int
    /// Whether devices that are backed up are soon set back to that, with writes after it that others know.
    let hasSetBackHabit: Bool

    /// The world of a seed.
    init(seed: UInt64, plan: ScenarioPlan) {
        let faults = Self.faults(seed: seed, among: plan.faults)
        self.faults = faults
        kinds = EventKind.allCases.compactMap { kind in
            guard kind.weight > 0, kind.isAllowed(in: faults) else { return nil }
            var chance = Chance(seed: seed, "weight of \(kind.name)")
            let factor = chance.pick([0, 1, 1, 2, 6])
            return (kind, kind.weight * (factor == 0 && kind.isStaple ? 1 : factor))
        }
        var chance = Chance(seed: seed, "items")
        let toDos = Array(Self.allItems.prefix(chance.pick([1, 1, 2, 3, 5, 9, 30])))
        // In some worlds one id is in two collections.
        chance = Chance(seed: seed, "twins")
        items = toDos + (chance.happens(1, in: 4) ? toDos.map { Vocabulary.twinPrefix + $0 } : [])
        chance = Chance(seed: seed, "fields")
        fields = Array(chance.shuffled(Self.allFields).prefix(chance.pick([1, 2, 4, 8])))
        sharedValueShare = chance.pick([0, 2, 6])
        chance = Chance(seed: seed, "times")
        waits = chance.pick(Self.allWaits)
        elsewhereShare = faults.contains(.otherProcess) ? chance.pick([1, 4]) : 0
        idleShare = chance.pick([2, 5, 7])
        chance = Chance(seed: seed, "habits")
        hasSetBackHabit = faults.contains(.setBack) && chance.happens(1, in: 3)
    }

    private static func faults(seed: UInt64, among allowed: [FaultKind]) -> Set<FaultKind> {
        var drawn: Set<FaultKind> = []
        for fault in allowed {
            var chance = Chance(seed: seed, "fault \(fault.rawValue)")
            if chance.happens(fault.share.part, in: fault.share.whole) { drawn.insert(fault) }
        }
        if drawn.isEmpty, !allowed.isEmpty {
            var chance = Chance(seed: seed, "one fault")
            drawn.insert(chance.pick(allowed))
        }
        return drawn
    }

    private static let allItems =
        ["milk", "bread", "roof", "letter", "tax", "bike", "dentist", "garden", "novel"]
        + (10...30).map { "item\($0)" }
    private static let allFields = [
        "title", "notes", "project", "due", "priority", "tags", "people", "location", "parent",
        "shop", "mood",
    ]
    private static let second: Int64 = 1_000
    private static let day: Int64 = 86_400_000
    private static let allWaits: [[Int64]] = [
        [1, 5, 40, 300], [second, 6 * second, 12 * second, 31 * second],
        [5, 31 * second, 600 * second, 2 * day], [day, 40 * day, 200 * day, 1_100 * day],
    ]
}
