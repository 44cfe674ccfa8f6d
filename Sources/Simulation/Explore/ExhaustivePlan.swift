import Core

/// Which small worlds are all searched.
package struct ExhaustivePlan: Hashable, Sendable {
    /// How the record is when a program begins.
    package enum Start: String, Hashable, Sendable, CaseIterable {
        /// Nobody has it: whoever edits it first creates it, each for itself.
        case nobody
        /// Everybody has it.
        case everybody
    }

    /// The most operations of a program; at least one.
    package var depth: Int
    /// How many devices there are, from 2 on.
    package var deviceCount: Int
    /// The rules for deletes against edits under which each program is run.
    package var policies: [DeletePolicy]
    /// What programs begin with.
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
    /// The most operations.
    package static let depthMax = 6

    /// A plan.
    package init(
        depth: Int, deviceCount: Int = 2, policies: [DeletePolicy] = [.deletesWin, .editsWin],
        starts: [Start] = Start.allCases, hasBrokenSyncs: Bool = false
    ) {
        self.depth = depth
        self.deviceCount = deviceCount
        self.policies = policies
        self.starts = hasBrokenSyncs ? starts.filter { $0 == .everybody } : starts
        self.hasBrokenSyncs = hasBrokenSyncs
    }

    /// What may lie between two operations, nothing first.
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
        let operations = ExhaustiveDeed.allCases.count * deviceCount
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
        let branches = ExhaustiveDeed.allCases.count * deviceCount * gaps.count
        var count = 1
        var ofLength = 1
        for _ in 0..<room {
            ofLength *= branches
            count += ofLength
        }
        return count
    }
}
