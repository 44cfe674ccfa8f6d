import Core

/// Which small worlds are all searched.
package struct ExhaustivePlan: Hashable, Sendable {
    /// How the records are when a program begins.
    package enum Start: String, Hashable, Sendable, CaseIterable {
        /// Nobody has them: whoever edits one first creates it, each for itself.
        case nobody
        /// Everybody has them.
        case everybody
    }

    /// The most operations of a program; at least one.
    package var depth: Int
    /// How many devices there are, from 2 on.
    package var deviceCount: Int
    /// How many records there are: one, or two that may refer to each other.
    package var recordCount: Int
    /// Whether the two records have one id, in two collections, of which only newer versions know the second.
    package var hasOneID: Bool
    /// The rules for deletes against edits under which each program is run.
    package var policies: [DeletePolicy]
    /// The starts of programs.
    package var starts: [Start]
    /// Whether sessions also break when one direction has arrived.
    package var hasBrokenSyncs: Bool
    /// Which part of all programs is run, from 1 on, and of how many parts.
    package var slice: (number: Int, count: Int) {
        get { (sliceNumber, sliceCount) }
        set { (sliceNumber, sliceCount) = newValue }
    }
    private var sliceNumber = 1
    private var sliceCount = 1

    /// The most devices.
    package static let deviceCountMax = 4
    /// The most records.
    package static let recordCountMax = 2
    /// The most operations.
    package static let depthMax = 6

    /// A plan.
    ///
    /// - Parameter hasOneID: with it there are two records, whatever `recordCount` says.
    package init(
        depth: Int, deviceCount: Int = 2, recordCount: Int = 1, hasOneID: Bool = false,
        policies: [DeletePolicy] = [.deletesWin, .editsWin],
        starts: [Start] = Start.allCases, hasBrokenSyncs: Bool = false
    ) {
        self.depth = depth
        self.deviceCount = deviceCount
        self.recordCount = hasOneID ? 2 : recordCount
        self.hasOneID = hasOneID
        self.policies = policies
        self.starts = hasBrokenSyncs ? starts.filter { $0 == .everybody } : starts
        self.hasBrokenSyncs = hasBrokenSyncs
    }

    /// The choices of a device: each operation on each record; with one record nothing refers to another.
    var choices: [ExhaustiveChoice] {
        (0..<recordCount).flatMap { record in
            ExhaustiveOperation.allCases
                .filter { $0 != .refer || recordCount > 1 }
                .map { ExhaustiveChoice(record: record, operation: $0) }
        }
    }

    /// The gaps that may lie between two operations, nothing first.
    package var gaps: [ExhaustiveGap] {
        var gaps: [ExhaustiveGap] = [.nothing]
        for first in 0..<deviceCount {
            for second in (first + 1)..<max(deviceCount, first + 1) {
                gaps.append(.sync(first, second))
                if hasBrokenSyncs { gaps += [.broken(first, second), .broken(second, first)] }
            }
        }
        return gaps
    }

    /// How many programs there are, of every length, under each policy and from each start.
    ///
    /// With `n` operations on each of `r` devices and `g` things that may lie between two of them,
    /// programs of `d` operations number `(nr)^d · g^(d-1)`.
    package var programCount: Int {
        let operations = choices.count * deviceCount
        var count = 0
        var ofLength = operations
        for _ in 0..<depth {
            count += ofLength
            ofLength *= operations * gaps.count
        }
        return count * policies.count * starts.count
    }

    /// How many programs begin with one that leaves room for so many more operations, it included.
    func programCount(leaving room: Int) -> Int {
        let branches = choices.count * deviceCount * gaps.count
        var count = 1
        var ofLength = 1
        for _ in 0..<room {
            ofLength *= branches
            count += ofLength
        }
        return count
    }
}

/// The gap between two operations of a small world.
package enum ExhaustiveGap: Hashable, Sendable {
    /// Nothing.
    case nothing
    /// A whole session.
    case sync(Int, Int)
    /// A session that the first begins, and that breaks when what the second had has arrived.
    case broken(Int, Int)

    /// The steps of it.
    func steps(_ names: [String]) -> [Step] {
        switch self {
        case .nothing: []
        case .sync(let one, let other): [Step(.meeting(.sync(names[one], names[other])))]
        case .broken(let one, let other):
            [
                Step(.meeting(.startSync(names[one], names[other]))),
                // A message takes a millisecond: the greeting there, the answer and the changes back.
                Step(.meeting(.wait(milliseconds: 2))),
                Step(.link(.cut(names[one], names[other]))),
            ]
        }
    }

    /// The same between other devices.
    func renamed(_ names: [Int]) -> ExhaustiveGap {
        switch self {
        case .nothing: .nothing
        case .sync(let one, let other):
            .sync(min(names[one], names[other]), max(names[one], names[other]))
        case .broken(let one, let other): .broken(names[one], names[other])
        }
    }

    /// Stands for it where programs are put in order.
    var rank: Int {
        switch self {
        case .nothing: 0
        case .sync(let one, let other): 1 + one * 16 + other
        case .broken(let one, let other): 1 + 256 + one * 16 + other
        }
    }
}

/// An operation on a record of a small world.
package enum ExhaustiveOperation: Int, Hashable, Sendable, CaseIterable {
    /// Gives the title one value.
    case editOne
    /// Gives the title another value.
    case editOther
    /// Edits another field.
    case editNotes
    /// Deletes the record.
    case delete
    /// Restores it.
    case restore
    /// Purges it, by force.
    case purge
    /// Ends a conflict about the title.
    case resolve
    /// Puts it below the other record.
    case refer

    /// The words of it on a device.
    ///
    /// - Parameters:
    ///   - other: the other record, if there is one.
    ///   - isNew: whether the device does not know the record yet.
    func event(
        on device: String, of item: String, beside other: String, isNew: Bool
    ) -> ScenarioEvent {
        switch self {
        case .editOne: edit(device, item, isNew, .value(field: "title", .text("one")))
        case .editOther: edit(device, item, isNew, .value(field: "title", .text("other")))
        case .editNotes: edit(device, item, isNew, .value(field: "notes", .text("note")))
        case .delete: .edit(.delete(device: device, item: item))
        case .restore: .edit(.restore(device: device, item: item))
        case .purge: .edit(.purge(device: device, item: item, isForced: true))
        case .resolve: .edit(.resolve(device: device, item: item, field: "title", to: .text("one")))
        case .refer: edit(device, item, isNew, .value(field: "parent", .item(other)))
        }
    }

    private func edit(
        _ device: String, _ item: String, _ isNew: Bool, _ what: Setting
    ) -> ScenarioEvent {
        isNew
            ? .edit(.create(device: device, item: item, [what]))
            : .edit(.edit(device: device, item: item, [what]))
    }

    /// Whether it makes the record where there is none.
    var creates: Bool {
        self == .editOne || self == .editOther || self == .editNotes || self == .refer
    }
}

/// An operation and the record on which it is carried out.
struct ExhaustiveChoice: Hashable {
    var record: Int
    var operation: ExhaustiveOperation
}

/// Other numbers for the devices and the records of a program.
struct ExhaustiveRenaming: Hashable {
    var devices: [Int]
    var records: [Int]
}

/// An operation of a small world, and what lies before it.
struct ExhaustiveStep: Hashable {
    var gap: ExhaustiveGap
    var device: Int
    var choice: ExhaustiveChoice

    /// The same by other devices, on other records.
    func renamed(_ names: ExhaustiveRenaming) -> ExhaustiveStep {
        ExhaustiveStep(
            gap: gap.renamed(names.devices), device: names.devices[device],
            choice: ExhaustiveChoice(
                record: names.records[choice.record], operation: choice.operation))
    }

    /// Stands for it where programs are put in order.
    var rank: [Int] { [gap.rank, device, choice.record, choice.operation.rawValue] }
}

/// The results of a search of all small worlds.
package struct ExhaustiveReport: Hashable, Sendable {
    /// Programs that were run, healed and judged.
    package internal(set) var runCount = 0
    /// Programs that end as a shorter one does, which was run: an operation of theirs is refused or
    /// changes nothing, or two operations change the same.
    package internal(set) var alikeCount = 0
    /// Programs that are another one with the devices or the records renamed.
    package internal(set) var mirroredCount = 0
    /// Programs that belong to other slices.
    package internal(set) var elsewhereCount = 0
    /// How many events the worlds went through.
    package internal(set) var eventCount = 0
    /// Tells these runs from all others.
    package internal(set) var traceHash: UInt64 = 0
    /// The scenarios that did not pass, the first ones, and how they ended.
    package internal(set) var failures: [Failure] = []

    /// A scenario that did not pass.
    package struct Failure: Hashable, Sendable {
        /// It.
        package var scenario: Scenario
        /// How it ended.
        package var outcome: Outcome
    }

    /// Nothing was run yet.
    package init() {}

    /// How many programs are accounted for.
    package var coveredCount: Int { runCount + alikeCount + mirroredCount }
}

/// The result of running a small world once.
package struct ExhaustiveResult: Hashable, Sendable {
    /// How it ended, healed and judged.
    package var outcome: Outcome
    /// Stands for what each device held before all met at the end; empty if it did not come so far.
    package var states: [UInt64]
    /// The step that was refused, if one was; the world ended there.
    package var refused: Int?

    /// A result.
    package init(_ outcome: Outcome, states: [UInt64], refused: Int? = nil) {
        self.outcome = outcome
        self.states = states
        self.refused = refused
    }
}
