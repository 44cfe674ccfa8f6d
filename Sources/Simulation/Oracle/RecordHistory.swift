import Core

/// Every write to one record, and which of them replaced what.
///
/// An assignment is gone at a clock if the clock covers a write that had seen it and gave the same
/// field a value, or was a purge. Who replaced what is worked out once, when a write is noted: of
/// several writes one after the other the first is enough, as a clock that covers a later one covers
/// the earlier ones that it had seen, which is looked at as well.
final class RecordHistory {
    /// A write and what became of it.
    struct Entry {
        let write: WriteHistory.Entry
        /// For each assignment the number of its field among the record's.
        let registers: [Int]
        /// For each assignment the writes that replaced it.
        var replacers: [[Dot]]
        /// The writes that had seen this purge and cleared its mark.
        var restorers: [Dot] = []
        /// Whether a power cut or a backup took it back everywhere: nobody needs to have it.
        var isWithdrawn = false
        /// How many forks there had been when its dot became suspicious, or when it was made after that.
        var fork = 0
        /// The devices that held it then.
        var holders: [Holder] = []
        /// Whether another write has its dot now, as this one was withdrawn.
        var isStruck = false
    }

    /// A write among those of its replica.
    struct SimulatedLink {
        let counter: UInt64
        let entry: Int
    }

    /// Which record.
    let name: RecordName
    /// The writes, in the order in which they were made.
    private(set) var entries: [Entry] = []
    /// The fields that were ever given a value.
    private(set) var registers: [Field] = []
    /// For each replica id its writes by counter.
    private(set) var chains: [(replica: ReplicaID, links: [SimulatedLink])] = []
    /// Whether some of its writes have numbers that may name two.
    var isSuspicious = false
    /// Whether at the last fork all had the same of it, but for the writes whose dots are suspicious.
    var isEven = false
    /// How many writes were made by restores and copies, which write values in conflict side by side.
    private(set) var siblingCount = 0

    init(_ name: RecordName) {
        self.name = name
    }

    // MARK: Writes

    /// Takes note of a write whose dot is new.
    ///
    /// - Parameter seen: what was left of the record before it, if that is at hand.
    /// - Returns: its position.
    func add(_ write: WriteHistory.Entry, seen: RecordView? = nil) -> Int {
        let registers = write.assignments.map { register(of: $0.field) }
        entries.append(
            Entry(
                write: write, registers: registers,
                replacers: Array(repeating: [], count: registers.count)))
        let position = entries.count - 1
        switch write.kind {
        case .restore, .copy, .takeBack, .late, .lateDelete: siblingCount += 1
        case .edit, .delete, .purge: break
        }
        insertIntoChain(position)
        link(position, seen: seen)
        return position
    }

    /// Takes note of a write without asking what it replaced: that is looked at when it is judged.
    ///
    /// - Returns: its position.
    func addUnlinked(_ write: WriteHistory.Entry, fork: Int, holder: Holder) -> Int {
        let registers = write.assignments.map { register(of: $0.field) }
        entries.append(
            Entry(
                write: write, registers: registers,
                replacers: Array(repeating: [], count: registers.count), fork: fork,
                holders: [holder]))
        return entries.count - 1
    }

    /// Takes note of when a write's dot became suspicious, and who held it then.
    func setPast(_ position: Int, fork: Int, holders: [Holder]) {
        // A second fork leaves what the first one parted.
        if entries[position].fork > 0 || !entries[position].holders.isEmpty {
            entries[position].holders = []
        } else {
            entries[position].fork = -fork
            entries[position].holders = holders
        }
    }

    private func register(of field: Field) -> Int {
        if let known = registers.firstIndex(of: field) { return known }
        registers.append(field)
        return registers.count - 1
    }

    private func insertIntoChain(_ position: Int) {
        let dot = entries[position].write.dot
        let link = SimulatedLink(counter: dot.counter, entry: position)
        guard let index = chains.firstIndex(where: { $0.replica == dot.replica }) else {
            chains.append((dot.replica, [link]))
            return
        }
        let end = Self.countUp(to: dot.counter, in: chains[index].links)
        chains[index].links.insert(link, at: end)
    }

    /// Notes what a write replaced.
    private func link(_ position: Int, seen: RecordView? = nil) {
        let write = entries[position].write
        let seen = seen?.clock == write.past ? seen ?? RecordView() : view(at: write.past)
        for survivor in seen.survivors {
            let register = entries[survivor.entry].registers[survivor.assignment]
            if write.kind == .purge || entries[position].registers.contains(register) {
                entries[survivor.entry].replacers[survivor.assignment].append(write.dot)
            }
        }
        guard write.isEndOfPurge else { return }
        for purge in seen.purges { entries[purge].restorers.append(write.dot) }
    }

    /// Takes back that nobody needs to have a write, or that everybody does.
    func withdraw(_ position: Int, _ isWithdrawn: Bool = true) {
        entries[position].isWithdrawn = isWithdrawn
    }

    /// Forgets a write that was withdrawn, as another one got its dot.
    func strike(_ position: Int) {
        entries[position].isStruck = true
        for index in chains.indices { chains[index].links.removeAll { $0.entry == position } }
        chains.removeAll(where: \.links.isEmpty)
        for index in entries.indices {
            entries[index].restorers = []
            for assignment in entries[index].replacers.indices {
                entries[index].replacers[assignment] = []
            }
        }
        for index in entries.indices where !entries[index].isStruck { link(index) }
    }

    // MARK: What must be left

    /// The writes that must be left of those that a clock covers, worked out from nothing.
    func view(at clock: VersionVector) -> RecordView {
        var view = RecordView()
        move(&view, to: clock)
        return view
    }

    /// The writes that must be left at a clock, which may have been worked out already.
    func view(at clock: VersionVector, near known: RecordView?) -> RecordView {
        if let known, known.clock == clock { return known }
        return view(at: clock)
    }

    /// Goes on to a later clock.
    private func move(_ view: inout RecordView, to clock: VersionVector) {
        view.survivors.removeAll { isReplaced($0.entry, $0.assignment, at: clock) }
        view.purges.removeAll { isRestored($0, at: clock) }
        var isSorted = true
        for chain in chains {
            let low = view.clock.counter(of: chain.replica)
            let high = clock.counter(of: chain.replica)
            if low == high { continue }
            for index in Self.countUp(to: low, in: chain.links)..<chain.links.count {
                let link = chain.links[index]
                if link.counter > high { break }
                let dot = Dot(replica: chain.replica, counter: link.counter)
                for assignment in 0..<entries[link.entry].registers.count
                where !isReplaced(link.entry, assignment, at: clock) {
                    if let last = view.survivors.last, dot < last.dot { isSorted = false }
                    view.survivors.append(
                        RecordView.Survivor(entry: link.entry, assignment: assignment, dot: dot))
                }
                if entries[link.entry].write.kind == .purge, !isRestored(link.entry, at: clock) {
                    view.purges.append(link.entry)
                }
            }
        }
        if !isSorted {
            view.survivors.sort { left, right in
                left.dot == right.dot
                    ? left.assignment < right.assignment : left.dot < right.dot
            }
        }
        view.clock = clock
    }

    private func isReplaced(_ position: Int, _ assignment: Int, at clock: VersionVector) -> Bool {
        for dot in entries[position].replacers[assignment] where clock.covers(dot) { return true }
        return false
    }

    private func isRestored(_ position: Int, at clock: VersionVector) -> Bool {
        for dot in entries[position].restorers where clock.covers(dot) { return true }
        return false
    }

    /// Goes on to the clock that a device has now, and looks whether such a clock can be.
    func advance(_ view: inout RecordView, to clock: VersionVector) throws(Violation) {
        if !clock.covers(view.clock) {
            throw Violation(.lostWrite, "it had the writes up to \(view.clock), now to \(clock)")
        }
        for entry in clock.entries {
            let low = view.clock.counter(of: entry.replica)
            if low < entry.counter {
                try check(clock, after: low, of: entry.replica, upTo: entry.counter)
            }
        }
        move(&view, to: clock)
    }

    /// Looks whether the writes that a clock covers are of this record, with all that went before them.
    private func check(
        _ clock: VersionVector, after low: UInt64, of replica: ReplicaID, upTo high: UInt64
    ) throws(Violation) {
        var last: UInt64 = 0
        for chain in chains where chain.replica == replica {
            for index in Self.countUp(to: low, in: chain.links)..<chain.links.count {
                let link = chain.links[index]
                if link.counter > high { break }
                last = link.counter
                if !clock.covers(entries[link.entry].write.past) {
                    throw Violation(
                        .unsound,
                        "\(clock) covers \(replica):\(last), but not"
                            + " \(entries[link.entry].write.past), which its writer had seen")
                }
                if entries[link.entry].isWithdrawn { entries[link.entry].isWithdrawn = false }
            }
        }
        if last != high {
            let dot = Dot(replica: replica, counter: high)
            throw Violation(.unsound, "its clock names \(dot), and nobody made such a write to it")
        }
    }

    /// How many writes come up to a counter.
    private static func countUp(to counter: UInt64, in links: [SimulatedLink]) -> Int {
        var (low, high) = (0, links.count)
        while low < high {
            let middle = (low + high) / 2
            if links[middle].counter <= counter { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The writes of one record that must be left at a clock.
struct RecordView {
    /// An assignment that is still there.
    struct Survivor: Hashable {
        /// The write's position in the record's history.
        let entry: Int
        /// The assignment's position in the write.
        let assignment: Int
        /// The write's dot.
        let dot: Dot
    }

    /// The writes that are included.
    var clock = VersionVector()
    /// The assignments that no included write has replaced, by dot and field.
    var survivors: [Survivor] = []
    /// The purges whose mark no included write has cleared.
    var purges: [Int] = []
}
