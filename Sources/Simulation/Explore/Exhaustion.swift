import Core

/// Runs every program of so many operations on one record or two, with every choice of syncs between them,
/// each in a world of its own that is healed and judged at its end.
///
/// Programs are walked through depth first. Where an operation is refused or changes nothing, all that
/// goes on from there goes on from the shorter program as well, and is run there; the same where two
/// operations change the same. Of programs that differ only in the names of devices and records one is run.
package struct Exhaustion {
    private let plan: ExhaustivePlan
    private let run: (Scenario) -> ExhaustiveResult
    private let gaps: [ExhaustiveGap]
    private let choices: [ExhaustiveChoice]
    private let renamings: [ExhaustiveRenaming]
    private let names: [String]
    /// The results so far.
    package private(set) var report = ExhaustiveReport()

    private var policy = DeletePolicy.deletesWin
    private var start = ExhaustivePlan.Start.nobody
    private var program: [ExhaustiveStep] = []
    private var sliceCounter = 0
    private var collects = false
    private var isStopped = false
    private var isOver: (ExhaustiveReport) -> Bool = { _ in false }

    /// The records of programs, as scenarios name them.
    private var items: [String] {
        plan.hasOneID ? ["milk", Vocabulary.twinPrefix + "milk"] : ["milk", "bread"]
    }
    private static let allNames = ["laptop", "phone", "tablet", "desk"]
    /// At this depth programs are dealt out to slices.
    private static let sliceDepth = 3
    /// After so many failures a search ends.
    package static let failureCountMax = 100

    /// A search.
    ///
    /// - Parameter run: runs a scenario once.
    package init(plan: ExhaustivePlan, run: @escaping (Scenario) -> ExhaustiveResult) {
        self.plan = plan
        self.run = run
        gaps = plan.gaps
        choices = plan.choices
        names = Array(Self.allNames.prefix(plan.deviceCount))
        // Records of two collections do not stand for each other.
        let same = Array(0..<plan.recordCount)
        let records = plan.hasOneID ? [same] : Self.permutations(same)
        renamings = Self.permutations(Array(0..<plan.deviceCount)).flatMap { devices in
            records.map { ExhaustiveRenaming(devices: devices, records: $0) }
        }.filter {
            $0.devices != Array(0..<plan.deviceCount) || $0.records != Array(0..<plan.recordCount)
        }
    }

    /// Searches all.
    ///
    /// - Parameters:
    ///   - collects: whether to go on after a failure.
    ///   - isOver: asked before each world whether to stop.
    package mutating func search(
        collects: Bool = false, isOver: @escaping (ExhaustiveReport) -> Bool = { _ in false }
    ) {
        self.collects = collects
        self.isOver = isOver
        for policy in plan.policies {
            for start in plan.starts {
                self.policy = policy
                self.start = start
                program = []
                // The states of a world in which nothing has happened.
                let states = run(scenario(and: .nothing)).states
                extend(from: states, synced: Array(repeating: 0, count: plan.deviceCount))
            }
        }
    }

    // MARK: Walking

    /// Runs all programs that go on from the present one.
    ///
    /// - Parameters:
    ///   - states: what each device holds after the present one.
    ///   - synced: a number for what each device holds; equal if nothing has happened since a sync.
    private mutating func extend(from states: [UInt64], synced: [Int]) {
        let below = plan.programCount(leaving: room - 1)
        for gap in program.isEmpty ? [.nothing] : gaps {
            if isIdle(gap, synced) {
                let isShared = program.count < dealingDepth
                account(
                    \.alikeCount, choices.count * plan.deviceCount * below, isShared: isShared)
                continue
            }
            // Nothing follows the last gap, so that nobody needs to know its states.
            let before = gap == .nothing || room == 1 ? states : run(scenario(and: gap)).states
            for device in 0..<plan.deviceCount {
                if isStopped { return }
                guard isDealtHere() else {
                    report.elsewhereCount += choices.count * below
                    continue
                }
                var results: Set<[UInt64]> = [before]
                for choice in choices where !isStopped {
                    let step = ExhaustiveStep(gap: gap, device: device, choice: choice)
                    visit(step, synced, among: &results)
                }
            }
        }
    }

    /// How many operations may follow the present program.
    private var room: Int { plan.depth - program.count }

    /// The length at which programs are dealt out to slices.
    private var dealingDepth: Int { min(Self.sliceDepth, plan.depth) }

    /// Whether the next programs that differ in their last operation alone belong to this slice.
    private mutating func isDealtHere() -> Bool {
        guard program.count + 1 == dealingDepth else { return true }
        sliceCounter += 1
        return (sliceCounter - 1) % plan.slice.count == plan.slice.number - 1
    }

    private mutating func visit(
        _ step: ExhaustiveStep, _ synced: [Int], among results: inout Set<[UInt64]>
    ) {
        let below = plan.programCount(leaving: room - 1)
        program.append(step)
        defer { program.removeLast() }
        // All slices run it, to know where to go on.
        let isShared = program.count < dealingDepth
        guard isFirstOfItsKind else {
            account(\.mirroredCount, below, isShared: isShared)
            return
        }
        if isOver(report) {
            isStopped = true
            return
        }
        let scenario = scenario(and: .nothing)
        let result = run(scenario)
        report.eventCount += result.outcome.eventCount
        report.traceHash =
            Chance.mixed(report.traceHash ^ result.outcome.traceHash) &+ 0x9e37_79b9_7f4a_7c15
        guard result.refused != scenario.steps.count - 1 else {
            account(\.alikeCount, below, isShared: isShared)
            return
        }
        account(\.runCount, 1, isShared: isShared)
        if result.outcome.verdict != .passed { fail(scenario, result.outcome) }
        guard room > 0 else { return }
        guard results.insert(result.states).inserted else {
            account(\.alikeCount, below - 1, isShared: isShared)
            return
        }
        extend(from: result.states, synced: Self.synced(synced, after: step))
    }

    /// Counts programs, unless they count for another slice.
    private mutating func account(
        _ what: WritableKeyPath<ExhaustiveReport, Int>, _ count: Int, isShared: Bool
    ) {
        if isShared, plan.slice.number != 1 {
            report.elsewhereCount += count
        } else {
            report[keyPath: what] += count
        }
    }

    private mutating func fail(_ scenario: Scenario, _ outcome: Outcome) {
        report.failures.append(ExhaustiveReport.Failure(scenario: scenario, outcome: outcome))
        if !collects || report.failures.count >= Self.failureCountMax { isStopped = true }
    }

    // MARK: Leaving out

    /// Whether two would meet that hold the same since they met.
    private func isIdle(_ gap: ExhaustiveGap, _ synced: [Int]) -> Bool {
        switch gap {
        case .nothing: false
        case .sync(let one, let other), .broken(let one, let other):
            synced[one] == synced[other]
        }
    }

    private static func synced(_ synced: [Int], after step: ExhaustiveStep) -> [Int] {
        var synced = synced
        var next = (synced.max() ?? 0) + 1
        switch step.gap {
        case .nothing: break
        case .sync(let one, let other):
            synced[one] = next
            synced[other] = next
            next += 1
        case .broken(let one, let other):
            synced[one] = next
            synced[other] = next + 1
            next += 2
        }
        synced[step.device] = next
        return synced
    }

    /// Whether no renaming of devices and records makes the program come earlier in order.
    private var isFirstOfItsKind: Bool {
        let own = program.map(\.rank)
        return renamings.allSatisfy { names in
            let other = program.map { $0.renamed(names).rank }
            for (mine, theirs) in zip(own, other) where mine != theirs {
                return mine.lexicographicallyPrecedes(theirs)
            }
            return true
        }
    }

    private static func permutations(_ things: [Int]) -> [[Int]] {
        guard things.count > 1 else { return [things] }
        return things.flatMap { first in
            permutations(things.filter { $0 != first }).map { [first] + $0 }
        }
    }

    // MARK: Telling

    /// The scenario of the present program.
    ///
    /// - Parameter gap: what comes after it.
    private func scenario(and gap: ExhaustiveGap) -> Scenario {
        var steps: [Step] = []
        // The devices that know each record.
        var knowing: [Set<Int>] = Array(repeating: [], count: plan.recordCount)
        if start == .everybody {
            let title = Setting.value(field: "title", .text("first"))
            steps += items.prefix(plan.recordCount).map {
                Step(.edit(.create(device: names[0], item: $0, [title])))
            }
            steps += names.dropFirst().map { Step(.meeting(.sync(names[0], $0))) }
            knowing = Array(repeating: Set(0..<plan.deviceCount), count: plan.recordCount)
        }
        for step in program {
            steps += step.gap.steps(names)
            if case .sync(let one, let other) = step.gap {
                for record in knowing.indices
                where knowing[record].contains(one) || knowing[record].contains(other) {
                    knowing[record].formUnion([one, other])
                }
            }
            let (record, operation) = (step.choice.record, step.choice.operation)
            let isNew = !knowing[record].contains(step.device)
            steps.append(
                Step(
                    operation.event(
                        on: names[step.device], of: items[record], beside: items[1 - record],
                        isNew: isNew)))
            if operation.creates { knowing[record].insert(step.device) }
        }
        steps += gap.steps(names)
        return Scenario(
            title: "one of all programs of \(Counted.words(program.count, "operation"))",
            policy: policy,
            devices: names.map { DeviceTraits($0) }, steps: steps)
    }
}
