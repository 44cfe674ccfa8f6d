import Core
import TestSupport

/// Every program of so many steps over one record on three replicas.
///
/// Replica states are kept once, under a number; steps between them are remembered, so that each
/// edit, merge and check is run once however many programs come by.
final class ProgramSearch {
    /// The result of a search.
    struct Outcome {
        /// World states reached.
        var states = 0
        /// Different states of one replica reached.
        var replicaStates = 0
        /// By kind of fault: how often, and the shortest program that shows it.
        var faults: [String: (count: Int, program: String)] = [:]
    }

    static let title = Field.number(2)
    static let due = Field.number(3)
    static let tag = Field.element(.number(4), .text("x"))

    let model = HistoryModel()
    private let policy: DeletePolicy
    private let rules: MergeRules
    private let check: StateCheck
    private var states: [ReplicaState] = []
    private var faultOf: [String?] = []
    private var numbers: [ReplicaState: Int] = [:]
    private var edits: [[Int]: Int?] = [:]
    private var merges: [[Int]: Int] = [:]
    private var closed: [Set<Int>: String?] = [:]
    private var disagreement: String?

    init(policy: DeletePolicy, rules: MergeRules = MergeRules()) {
        self.policy = policy
        self.rules = rules
        check = StateCheck(model: model, rules: rules, policy: policy, title: Self.title)
    }

    /// Runs all programs of up to `depth` steps; one replica has made the record.
    ///
    /// - Parameter isSynced: whether the others have it at the start.
    func run(depth: Int, isSynced: Bool) -> Outcome {
        var outcome = Outcome()
        let first = start()
        let world = isSynced ? [first, first, first] : [first, number(.empty), number(.empty)]
        var seen: Set<[Int]> = [world]
        var frontier = [(world: world, program: "")]
        for _ in 0..<depth {
            var next: [(world: [Int], program: String)] = []
            for (world, program) in frontier {
                for (step, after) in steps(from: world) where seen.insert(after).inserted {
                    let steps = program.isEmpty ? step : "\(program); \(step)"
                    guard let fault = fault(in: after) else {
                        next.append((after, steps))
                        continue
                    }
                    let kind = String(fault.prefix { $0 != ":" })
                    outcome.faults[kind, default: (0, "\(steps): \(fault)")].count += 1
                }
            }
            frontier = next
        }
        outcome.states = seen.count
        outcome.replicaStates = states.count
        return outcome
    }

    private func start() -> Int {
        let given = [Assignment(Self.title, .text("t")), Assignment(Self.due, .day(1))]
        let author = author(0, .empty)
        guard case .seen(let ghost) = model.save(given, resolves: false, by: author, on: []),
            let record = rules.apply(.save(given, resolves: false), to: RecordState(), by: author)
        else { preconditionFailure("a first save writes") }
        return number(ReplicaState(record: record, ghost: ghost))
    }

    private func number(_ state: ReplicaState) -> Int {
        if let number = numbers[state] { return number }
        numbers[state] = states.count
        states.append(state)
        faultOf.append(check.fault(in: state))
        return states.count - 1
    }

    private func author(_ index: Int, _ state: ReplicaState) -> Author {
        let replica = SmallWorld.replica(index)
        return Author(
            replica: replica, counter: state.record.clock.counter(of: replica),
            timestamp: HybridTimestamp(milliseconds: index == 0 ? 2 : 1), policy: policy)
    }

    /// The moves that a person may try; two of the three replicas give the same date.
    private func moves(_ index: Int, _ state: ReplicaState) -> [Move] {
        let isDeleted = rules.verdict(state.record, policy).isDeleted
        if state.ghost.isEmpty { return [] }
        let name = "\(index)\(state.record.clock.counter(of: SmallWorld.replica(index)))"
        let isContested = rules.verdict(state.record, policy).isContested
        if isDeleted { return [.restore, .purge] + (isContested ? [.delete] : []) }
        return [
            .save([Assignment(Self.title, .text(name))], resolves: false),
            .save([Assignment(Self.due, .day(index == 2 ? 3 : 2))], resolves: true),
            .save([Assignment(Self.tag, .bool(true))], resolves: false),
            .save([Assignment(Self.tag, .null)], resolves: false),
            .delete,
        ] + (isContested ? [.restore] : [])
    }

    private func steps(from world: [Int]) -> [(String, [Int])] {
        var steps: [(String, [Int])] = []
        for index in world.indices {
            let state = states[world[index]]
            for (position, move) in moves(index, state).enumerated() {
                guard let after = edited(world[index], index, position, move) else { continue }
                var next = world
                next[index] = after
                steps.append(("\(index) \(move)", next))
            }
            for other in world.indices where world[other] != world[index] {
                var next = world
                next[index] = merged(world[index], world[other])
                steps.append(("\(index) takes \(other)", next))
            }
        }
        return steps
    }

    private func edited(_ from: Int, _ index: Int, _ position: Int, _ move: Move) -> Int? {
        let key = [from, index, position]
        if let known = edits[key] { return known }
        let state = states[from]
        let author = author(index, state)
        let record = rules.apply(move, to: state.record, by: author)
        let expected = outcome(move, author, state.ghost)
        var after: Int?
        switch (record, expected) {
        case (nil, .nothing): after = nil
        case (let record?, .seen(let ghost)):
            after = number(ReplicaState(record: record, ghost: ghost))
        default:
            disagreement = "move: \(move) by \(index) \(record == nil ? "was" : "was not") refused"
        }
        edits[key] = .some(after)
        return after
    }

    private func outcome(_ move: Move, _ author: Author, _ ghost: [Int]) -> HistoryModel.Outcome {
        switch move {
        case .save(let assignments, let resolves):
            model.save(assignments, resolves: resolves, by: author, on: ghost)
        case .delete: model.delete(by: author, on: ghost)
        case .purge: model.purge(leavesMark: rules.purgeLeavesMark, by: author, on: ghost)
        case .restore: model.restore(isWhole: rules.restoresWhole, by: author, on: ghost)
        }
    }

    private func merged(_ left: Int, _ right: Int) -> Int {
        let key = [left, right]
        if let known = merges[key] { return known }
        let (a, b) = (states[left], states[right])
        let record = rules.merged(a.record, b.record)
        if rules.merged(a.record, a.record) != a.record { disagreement = "law: not idempotent" }
        if rules.merged(b.record, a.record) != record { disagreement = "law: not commutative" }
        if !record.clock.covers(a.record.clock) { disagreement = "law: the clock shrank" }
        let ghost = Set(a.ghost).union(b.ghost).sorted()
        let result = number(ReplicaState(record: record, ghost: ghost))
        merges[key] = result
        return result
    }

    private func fault(in world: [Int]) -> String? {
        if let disagreement {
            self.disagreement = nil
            return disagreement
        }
        for index in world { if let fault = faultOf[index] { return fault } }
        let key = Set(world)
        if let known = closed[key] { return known }
        let fault = closingFault(world)
        closed[key] = .some(fault)
        return fault
    }

    /// Whether everybody's state, merged in every order, is one and the right one.
    private func closingFault(_ world: [Int]) -> String? {
        let ends = SmallWorld.permutations(world).map { merged(merged($0[0], $0[1]), $0[2]) }
        if let disagreement {
            self.disagreement = nil
            return disagreement
        }
        if Set(ends).count != 1 { return "order: the merge depends on it" }
        let state = states[ends[0]]
        return faultOf[ends[0]] ?? check.bodyFault(in: state)
    }
}
