import Core
import TestSupport

/// A long random program over one record on four replicas, checked after every step.
struct RandomProgram {
    private static let replicaCount = 4
    private static let fields: [Field] = [
        .number(2), .number(3), .custom("note"), .custom("caf\u{e9}"),
        .element(.number(4), .text("x")), .element(.number(4), .text("y")),
        .element(.text("labels"), .int(7)),
    ]

    private let seed: UInt64
    private let policy: DeletePolicy
    private let model = HistoryModel()
    private let rules = MergeRules()
    private var chance: SplitMix64
    private var states: [ReplicaState]

    init(seed: UInt64) {
        self.seed = seed
        policy = seed.isMultiple(of: 2) ? .deletesWin : .editsWin
        chance = SplitMix64(seed: seed)
        states = Array(repeating: .empty, count: Self.replicaCount)
    }

    /// The first fault in so many steps and in the end, or nil.
    mutating func fault(steps: Int) -> String? {
        let check = StateCheck(model: model, rules: rules, policy: policy, title: .number(2))
        for step in 0..<steps {
            let index = chance.below(Self.replicaCount)
            if chance.chance(2, in: 5) {
                let other = chance.below(Self.replicaCount)
                states[index] = merged(states[index], states[other])
            } else if let fault = edit(index) {
                return "seed \(seed), step \(step): \(fault)"
            }
            if let fault = check.fault(in: states[index]) ?? check.bodyFault(in: states[index]) {
                return "seed \(seed), step \(step): \(fault)"
            }
        }
        let ends = (0..<6).map { _ in
            chance.shuffled(states).reduce(.empty) { merged($0, $1) }
        }
        if Set(ends).count != 1 { return "seed \(seed): the order of the merge matters" }
        return check.fault(in: ends[0]).map { "seed \(seed), end: \($0)" }
    }

    private func merged(_ left: ReplicaState, _ right: ReplicaState) -> ReplicaState {
        ReplicaState(
            record: rules.merged(left.record, right.record),
            ghost: Set(left.ghost).union(right.ghost).sorted())
    }

    private mutating func move() -> Move {
        switch chance.below(12) {
        case 0: return .delete
        case 1, 2: return .restore
        case 3: return chance.chance(1, in: 3) ? .purge : .delete
        default:
            var fields = Set((0...chance.below(3)).map { _ in chance.pick(Self.fields) })
            if chance.chance(1, in: 2) { fields.insert(.number(2)) }
            let assignments = fields.sorted().map { Assignment($0, value(for: $0)) }
            return .save(assignments, resolves: chance.chance(1, in: 2))
        }
    }

    private mutating func value(for field: Field) -> Value {
        if field.isElement { return chance.chance(1, in: 2) ? .bool(true) : .null }
        return chance.pick([.text("a"), .text("b"), .int(1), .double(1), .null, .text("A")])
    }

    /// Tries a random edit; returns the problem with its result, or nil.
    private mutating func edit(_ index: Int) -> String? {
        let state = states[index]
        let replica = SmallWorld.replica(index)
        // Clocks jump in both directions: a timestamp means nothing to the merge.
        let author = Author(
            replica: replica, counter: state.record.clock.counter(of: replica),
            timestamp: HybridTimestamp(rawValue: UInt64(chance.below(5))), policy: policy)
        let move = move()
        let record = rules.apply(move, to: state.record, by: author)
        let expected: HistoryModel.Outcome =
            switch move {
            case .save(let assignments, let resolves):
                model.save(assignments, resolves: resolves, by: author, on: state.ghost)
            case .delete: model.delete(by: author, on: state.ghost)
            case .restore: model.restore(by: author, on: state.ghost)
            case .purge: model.purge(by: author, on: state.ghost)
            }
        switch (record, expected) {
        case (nil, .nothing): return nil
        case (let record?, .seen(let ghost)):
            states[index] = ReplicaState(record: record, ghost: ghost)
            return nil
        default: return "\(move) \(record == nil ? "was" : "was not") refused"
        }
    }
}
