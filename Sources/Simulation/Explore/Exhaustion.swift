import Records

/// Runs every program of so many operations on one record, with every choice of syncs between them,
/// each in a world of its own that is healed and judged at its end.
///
/// Programs are walked through depth first. Where an operation is refused or changes nothing, all that
/// goes on from there goes on from the shorter program as well, and is run there; the same where two
/// operations change the same. Of programs that differ only in the names of devices one is run.
package struct Exhaustion {
    private let plan: ExhaustivePlan
    private let run: (Story) -> ExhaustiveResult
    private let gaps: [ExhaustiveGap]
    private let renamings: [[Int]]
    private let names: [String]
    /// What was searched so far.
    package private(set) var report = ExhaustiveReport()

    private var policy = DeletePolicy.deletesWin
    private var start = ExhaustivePlan.Start.nobody
    private var program: [ExhaustiveStep] = []
    private var sliceCounter = 0
    private var collects = false
    private var isStopped = false
    private var isOver: (ExhaustiveReport) -> Bool = { _ in false }

    private static let item = "milk"
    private static let allNames = ["laptop", "phone", "tablet", "desk"]
    /// At this depth programs are dealt out to slices.
    private static let sliceDepth = 3
    /// After so many failures a search ends.
    package static let failureCountMax = 100

    /// A search.
    ///
    /// - Parameter run: runs a story once.
    package init(plan: ExhaustivePlan, run: @escaping (Story) -> ExhaustiveResult) {
        self.plan = plan
        self.run = run
        gaps = plan.gaps
        names = Array(Self.allNames.prefix(plan.deviceCount))
        renamings = Self.permutations(Array(0..<plan.deviceCount)).filter {
            $0 != Array(0..<plan.deviceCount)
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
                let states = run(story()).states
                extend(from: states, synced: Array(0..<plan.deviceCount).map { _ in 0 })
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
        for gap in program.isEmpty ? [.nothing] : gaps {
            if isIdle(gap, synced) {
                let below = ExhaustiveDeed.allCases.count * plan.deviceCount
                report.alikeCount += below * plan.programCount(leaving: room - 1)
                continue
            }
            for device in 0..<plan.deviceCount {
                var results: Set<[UInt64]> = []
                for deed in ExhaustiveDeed.allCases {
                    if isStopped { return }
                    let step = ExhaustiveStep(gap: gap, device: device, deed: deed)
                    visit(step, from: states, synced, among: &results)
                }
            }
        }
    }

    /// How many operations may follow the present program.
    private var room: Int { plan.depth - program.count }

    private mutating func visit(
        _ step: ExhaustiveStep, from states: [UInt64], _ synced: [Int],
        among results: inout Set<[UInt64]>
    ) {
        let below = plan.programCount(leaving: room - 1)
        program.append(step)
        defer { program.removeLast() }
        guard isFirstOfItsKind else {
            report.mirroredCount += below
            return
        }
        let isDealtOut = program.count == min(Self.sliceDepth, plan.depth)
        if isDealtOut {
            sliceCounter += 1
            if (sliceCounter - 1) % plan.slice.count != plan.slice.number - 1 {
                report.elsewhereCount += below
                return
            }
        }
        // What is run by every slice, to know where to go on, counts for the first alone.
        let isShared = program.count < Self.sliceDepth && program.count < plan.depth
        let counts = !isShared || plan.slice.number == 1
        if isOver(report) {
            isStopped = true
            return
        }
        let story = story()
        let result = run(story)
        report.eventCount += result.outcome.eventCount
        report.traceHash =
            Chance.mixed(report.traceHash ^ result.outcome.traceHash) &+ 0x9e37_79b9_7f4a_7c15
        let isRefused = result.refused == story.statements.count - 1
        if !isRefused, result.outcome.verdict != .passed { fail(story, result.outcome) }
        if counts {
            if isRefused { report.alikeCount += 1 } else { report.runCount += 1 }
        } else {
            report.elsewhereCount += 1
        }
        guard room > 0, !isStopped else { return }
        let hasChanged = step.gap != .nothing || result.states != states
        guard !isRefused, hasChanged, results.insert(result.states).inserted else {
            take(below - 1, isShared: isShared && plan.slice.number != 1)
            return
        }
        extend(from: result.states, synced: Self.synced(synced, after: step))
    }

    private mutating func take(_ count: Int, isShared: Bool) {
        if isShared { report.elsewhereCount += count } else { report.alikeCount += count }
    }

    private mutating func fail(_ story: Story, _ outcome: Outcome) {
        report.failures.append(ExhaustiveReport.Failure(story: story, outcome: outcome))
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

    /// Whether no renaming of devices makes the program come earlier in order.
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

    /// The story of the present program.
    private func story() -> Story {
        var statements: [Statement] = []
        var knowing: Set<Int> = []
        if start == .everybody {
            let title = Setting.value(field: "title", .text("first"))
            statements.append(
                Statement(.create(device: names[0], item: Self.item, [title])))
            statements.append(Statement(.syncAll))
            knowing = Set(0..<plan.deviceCount)
        }
        for step in program {
            statements += step.gap.statements(names)
            if case .sync(let one, let other) = step.gap,
                knowing.contains(one) || knowing.contains(other)
            {
                knowing.formUnion([one, other])
            }
            let isNew = !knowing.contains(step.device)
            statements.append(
                Statement(
                    step.deed.action(on: names[step.device], of: Self.item, isNew: isNew)))
            if step.deed.creates { knowing.insert(step.device) }
        }
        return Story(
            title: "one of all programs of \(program.count) operations", policy: policy,
            devices: names.map { DeviceTraits($0) }, statements: statements)
    }
}
