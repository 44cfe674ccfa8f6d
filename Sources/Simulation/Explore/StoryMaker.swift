import Core

/// Makes up random stories: a seed and a plan determine one.
///
/// What may happen and how often is drawn per seed, so that worlds differ in kind: few items and many
/// conflicts, long times alone, sessions that never close, bad disks. A step is drawn from a
/// stream of its own number; it depends on the seed, on that number, and on what the maker believes of
/// the world by then.
package struct StoryMaker {
    let seed: UInt64
    let weights: StoryWeights
    var model: StoryModel
    /// The chance of the step that is being made.
    var chance: Chance
    /// Its number.
    var number = 0
    private let total: Int
    private let plan: StoryPlan
    private let policy: DeletePolicy
    private let traits: [DeviceTraits]
    /// The relays of the world, by their names.
    let relays: [String]
    let meetsOnlyAtRelays: Bool
    let isPlain: Bool
    /// Relays whose programs may have ended.
    var stoppedRelays: Set<String> = []
    var relayBackups: [String: [String]] = [:]
    /// What comes next, whatever else would be drawn.
    var planned: [Action] = []

    private static let names = [
        "laptop", "phone", "tablet", "desk", "watch", "server", "kiosk", "car", "tv", "attic",
        "office", "spare",
    ]
    /// How often a step is drawn again because it makes no sense.
    private static let drawsMax = 40

    /// The maker of one story.
    init(seed: UInt64, plan: StoryPlan) {
        self.seed = seed
        self.plan = plan
        weights = StoryWeights(seed: seed, plan: plan)
        total = weights.kinds.reduce(0) { $0 + $1.weight }
        var chance = Chance(seed: seed, "policy")
        policy = chance.happens(1, in: 2) ? .deletesWin : .editsWin
        traits = Self.devices(seed: seed, plan: plan, faults: weights.faults)
        relays = Self.relays(seed: seed, faults: weights.faults).map(\.name)
        meetsOnlyAtRelays = Self.meetsOnlyAtRelays(seed: seed, faults: weights.faults)
        isPlain = Self.isPlain(seed: seed, faults: weights.faults)
        model = StoryModel(traits)
        self.chance = chance
    }

    /// The story of a seed.
    package static func story(seed: UInt64, plan: StoryPlan) -> Story {
        var maker = StoryMaker(seed: seed, plan: plan)
        return maker.make()
    }

    /// What may go wrong in the story of a seed, in the order of declaration.
    package static func faults(seed: UInt64, plan: StoryPlan) -> [FaultKind] {
        let drawn = StoryWeights(seed: seed, plan: plan).faults
        return FaultKind.allCases.filter { drawn.contains($0) }
    }

    private mutating func make() -> Story {
        var steps: [Step] = []
        for number in 0..<plan.stepCount {
            self.number = number
            chance = Chance(seed: seed, "statement \(number)")
            let step = next()
            model.take(step.action)
            steps.append(step)
        }
        let range = plan.replicaCount
        let replicas =
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        return Story(
            title: "seed \(seed), replicas \(replicas), \(plan.stepCount) steps, faults "
                + FaultKind.text(of: plan.faults),
            policy: policy, seed: seed,
            devices: traits + relays.map { DeviceTraits($0, isRelay: true) },
            meetsOnlyAtRelays: meetsOnlyAtRelays, isPlain: isPlain,
            brakeCount: Self.brakeCount(seed: seed, faults: weights.faults), isLenient: true,
            steps: steps)
    }

    private static func brakeCount(seed: UInt64, faults: Set<FaultKind>) -> Int? {
        guard faults.contains(.safety) else { return nil }
        var chance = Chance(seed: seed, "brake")
        return chance.pick([0, 0, 1, 2])
    }

    private static func devices(
        seed: UInt64, plan: StoryPlan, faults: Set<FaultKind>
    ) -> [DeviceTraits] {
        var chance = Chance(seed: seed, "devices")
        let count = plan.replicaCount.lowerBound + chance.below(plan.replicaCount.count)
        return names.prefix(count).enumerated().map { place, name in
            var chance = Chance(seed: seed, "device \(name)")
            var traits = DeviceTraits(name, isDurable: chance.happens(1, in: 4))
            let (newer, foreign) = (chance.happens(1, in: 3), chance.happens(1, in: 4))
            traits.isNewer = newer && faults.contains(.newerVersion)
            // At least two belong together.
            traits.isForeign = foreign && place > 1 && faults.contains(.stranger)
            return traits
        }
    }

    // MARK: Steps

    private mutating func next() -> Step {
        if let action = relayStep() { return Step(action) }
        if !planned.isEmpty { return Step(planned.removeFirst()) }
        var step = nextOfDevices()
        planSetBack(after: step.action)
        step.action = instead(of: step.action)
        return step
    }

    private mutating func nextOfDevices() -> Step {
        if let name = closed(), !chance.happens(weights.idleShare, in: 8) {
            return Step(.open(name))
        }
        for _ in 0..<Self.drawsMax {
            guard let action = action(of: kind()) else { continue }
            let isElsewhere =
                Self.canBeElsewhere.contains(action.kind)
                && chance.happens(weights.elsewhereShare, in: 8)
            return Step(action, isElsewhere: isElsewhere)
        }
        return Step(.wait(milliseconds: 1_000))
    }

    private static let canBeElsewhere: Set<ActionKind> = [
        .create, .edit, .complete, .reopen, .delete, .restore, .purge, .resolve,
    ]

    private mutating func kind() -> ActionKind {
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

    /// Something of that sort; nil if nothing of it makes sense now.
    private mutating func action(of kind: ActionKind) -> Action? {
        switch kind {
        case .create, .edit, .complete, .reopen, .delete, .restore, .purge, .resolve, .openEditor,
            .saveEditor, .upgrade, .createNewer, .receiveUnreadable:
            deed(kind)
        case .sync, .startSync, .connect, .disconnect, .syncAll, .settle, .wait:
            meeting(kind)
        case .cut, .cutAfter, .delay, .block, .unblock, .partition, .wholeNetwork, .corrupt,
            .loseEnd, .sendUnknown:
            trouble(kind)
        default: mishap(kind)
        }
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
