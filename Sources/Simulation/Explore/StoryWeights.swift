/// What the world of one seed is like: how often what happens in it.
///
/// All of it is drawn from streams of their own, so that a new kind of action or fault changes as
/// little as can be of what known seeds stand for.
struct StoryWeights {
    /// What goes wrong in this world, in the order of declaration.
    let faults: Set<FaultKind>
    /// How often each sort of action is tried; in the order of their declaration.
    let kinds: [(kind: ActionKind, weight: Int)]
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

    private static let usual: [ActionKind: Int] = [
        .create: 10, .edit: 24, .complete: 3, .reopen: 2, .delete: 7, .restore: 5, .purge: 2,
        .resolve: 4, .openEditor: 2, .saveEditor: 5,
        .sync: 14, .startSync: 7, .connect: 5, .disconnect: 2, .syncAll: 1, .settle: 4, .wait: 6,
        .cut: 3, .cutAfter: 4, .delay: 3, .block: 2, .unblock: 2, .partition: 2,
        .wholeNetwork: 3, .corrupt: 3, .loseEnd: 2,
        .close: 3, .open: 3, .crash: 3, .crashAfter: 3, .losePower: 3, .losePowerAfter: 3,
        .copy: 2, .backUp: 3, .restoreBackup: 3, .limitDisk: 3, .flipBit: 1,
        .acceptDeletes: 3, .runDays: 2,
        .setClock: 2, .shiftClock: 2, .driftClock: 1,
        .upgrade: 1, .createNewer: 3, .receiveUnreadable: 2, .sendUnknown: 1, .attack: 3,
    ]

    /// What no world does without.
    private static let staples: Set<ActionKind> = [.create, .edit, .sync, .open]

    /// The world of a seed.
    init(seed: UInt64, plan: StoryPlan) {
        let faults = Self.faults(seed: seed, among: plan.faults)
        self.faults = faults
        kinds = ActionKind.allCases.compactMap { kind in
            guard let usual = Self.usual[kind] else { return nil }
            if let fault = kind.fault, !Self.allows(kind, fault, faults) { return nil }
            var chance = Chance(seed: seed, "weight of \(kind.rawValue)")
            let factor = chance.pick([0, 1, 1, 2, 6])
            return (kind, usual * (factor == 0 && Self.staples.contains(kind) ? 1 : factor))
        }
        var chance = Chance(seed: seed, "items")
        items = Array(Self.allItems.prefix(chance.pick([1, 1, 2, 3, 5, 9, 30])))
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

    /// Whether a sort of action belongs to a fault that this world has.
    private static func allows(
        _ kind: ActionKind, _ fault: FaultKind, _ faults: Set<FaultKind>
    ) -> Bool {
        if faults.contains(fault) { return true }
        switch kind {
        // Copies put aside are what a machine is set back to.
        case .backUp, .restoreBackup: return faults.contains(.setBack)
        // Whatever breaks or delays links needs some that stay for a while.
        case .startSync:
            return !faults.isDisjoint(with: [.cut, .delay, .block, .halfOpen, .corruption])
        default: return false
        }
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
