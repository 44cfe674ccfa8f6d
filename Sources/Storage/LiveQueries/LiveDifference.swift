import Core

/// The steps from one list of rows to another: rows that go, sections that come, then in the order of the
/// new list rows that come or move, then sections that go and rows that show something else.
///
/// Every section has a head among the rows; heads stay where they are, and so do as many rows as
/// possible: a longest rising run of old positions (Fredman, "On computing the length of longest
/// increasing subsequences", 1975).
struct LiveDifference {
    private(set) var changes: [LiveChange] = []

    private let old: LiveList
    private let new: LiveList
    /// Of the sections of either list the old one, the new one, or both; in order.
    private var sections: [(old: Int?, new: Int?)] = []
    /// How many rows each of these has after the steps so far.
    private var rowCounts: [Int] = []
    /// For every head and row of the new list its position among those of the old list that stay in the
    /// list, heads included; nil if it is new.
    private var positions: [Int?] = []
    /// The same, and nil for rows that come from another section.
    private var positionsInSection: [Int?] = []
    /// For every row of the new list its number there; nil for a head.
    private var rowNumbers: [Int?] = []
    private var keptCount = 0

    /// - Complexity: O(n log n) and O(s) for each step in s sections.
    init(from old: LiveList, to new: LiveList) {
        self.old = old
        self.new = new
        joinSections()
        findPositions()
        findInsertedAndMoved()
        for (index, section) in sections.enumerated().reversed() where section.new == nil {
            changes.append(.deleteSection(at: index))
        }
        findUpdated()
    }

    /// Sections are sorted alike in both lists, so that none ever moves.
    private mutating func joinSections() {
        var (left, right) = (0, 0)
        while left < old.sections.count || right < new.sections.count {
            let order =
                left == old.sections.count
                ? 1
                : right == new.sections.count
                    ? -1 : old.compare(old.sections[left], new.sections[right])
            sections.append((order > 0 ? nil : left, order < 0 ? nil : right))
            if order <= 0 { left += 1 }
            if order >= 0 { right += 1 }
        }
    }

    /// Takes out what goes, the last first; puts in the sections that come; and finds the old positions of
    /// what stays in the list.
    private mutating func findPositions() {
        let wanted = Set(new.rows.map(\.record.id))
        var positionOfID: [RecordID: (position: Int, section: Int)] = [:]
        var positionOfHead: [Int] = []
        var deleted: [RowPosition] = []
        var next = 0
        for (index, section) in sections.enumerated() {
            positionOfHead.append(keptCount)
            keptCount += 1
            rowCounts.append(0)
            guard let section = section.old else { continue }
            for row in 0..<old.sections[section].rowCount {
                let id = old.rows[next].record.id
                next += 1
                if wanted.contains(id) {
                    positionOfID[id] = (keptCount, index)
                    keptCount += 1
                    rowCounts[index] += 1
                } else {
                    deleted.append(RowPosition(section: section, row: row))
                }
            }
        }
        for position in deleted.reversed() { changes.append(.deleteRow(at: position)) }
        next = 0
        for (index, section) in sections.enumerated() {
            positions.append(positionOfHead[index])
            positionsInSection.append(positionOfHead[index])
            rowNumbers.append(nil)
            guard let found = section.new else { continue }
            if section.old == nil {
                changes.append(.insertSection(new.sections[found].value, at: index))
            }
            for _ in 0..<new.sections[found].rowCount {
                let known = positionOfID[new.rows[next].record.id]
                rowNumbers.append(next)
                next += 1
                positions.append(known?.position)
                positionsInSection.append(known.flatMap { $0.section == index ? $0.position : nil })
            }
        }
    }

    /// Goes through the new list; rows that move and have not moved yet still stand among the others.
    private mutating func findInsertedAndMoved() {
        let stable = Self.longestRise(positionsInSection)
        if stable.count == positions.count { return }
        // Of what stays where it is, the positions in both lists.
        let stableOld = stable.compactMap { positions[$0] }
        var waiting = PrefixCounter(count: keptCount)
        var isStable = [Bool](repeating: false, count: positions.count)
        for index in stable { isStable[index] = true }
        for (index, position) in positions.enumerated() where !isStable[index] {
            if let position { waiting.add(1, at: position) }
        }
        var passed = 0
        for (index, position) in positions.enumerated() {
            if isStable[index] {
                passed += 1
                continue
            }
            let before = passed == 0 ? 0 : waiting.sum(below: stableOld[passed - 1])
            guard let row = rowNumbers[index] else { continue }
            guard let position else {
                let to = insertionPosition(index + before)
                rowCounts[to.section] += 1
                changes.append(.insertRow(new.rows[row].record, at: to))
                continue
            }
            // Where the row stands now: behind the rows put in place before it, behind rows that stay
            // where they are and rows that wait to be moved.
            let stableBefore = Self.count(of: stableOld, below: position)
            let isPassed = stableBefore < passed
            let placed = isPassed ? stable[stableBefore] : index + stableBefore - passed
            let from = rowPosition(placed + waiting.sum(below: position))
            waiting.add(-1, at: position)
            rowCounts[from.section] -= 1
            // A row that waited before the position it goes to leaves a gap there.
            let to = insertionPosition(index + before - (isPassed ? 1 : 0))
            rowCounts[to.section] += 1
            if from != to { changes.append(.moveRow(from: from, to: to)) }
        }
    }

    /// The row at a position that counts heads, too.
    private func rowPosition(_ position: Int) -> RowPosition {
        var rest = position
        for (section, count) in rowCounts.enumerated() {
            if rest <= count { return RowPosition(section: section, row: rest - 1) }
            rest -= count + 1
        }
        preconditionFailure("a step leads behind the end of the list")
    }

    /// The position that a row will have there, behind all of a section if the next head is there now.
    private func insertionPosition(_ position: Int) -> RowPosition {
        var rest = position
        for (section, count) in rowCounts.enumerated() {
            if rest <= count + 1 { return RowPosition(section: section, row: rest - 1) }
            rest -= count + 1
        }
        preconditionFailure("a step leads behind the end of the list")
    }

    private mutating func findUpdated() {
        var next = 0
        for (index, section) in new.sections.enumerated() {
            for row in 0..<section.rowCount {
                let shown = new.rows[next]
                next += 1
                guard let before = old.row(of: shown.record.id), !before.isSame(as: shown) else {
                    continue
                }
                changes.append(.updateRow(shown.record, at: RowPosition(section: index, row: row)))
            }
        }
    }

    /// The indices of a longest run of rising positions.
    private static func longestRise(_ positions: [Int?]) -> [Int] {
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: positions.count)
        for (index, position) in positions.enumerated() {
            guard let position else { continue }
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if positions[tails[middle]] ?? 0 < position {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var run: [Int] = []
        var index = tails.last ?? -1
        while index >= 0 {
            run.append(index)
            index = previous[index]
        }
        return run.reversed()
    }

    /// How many of the sorted numbers are below a limit.
    private static func count(of sorted: [Int], below limit: Int) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < limit { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Counts at positions, and their sums from the first on (Fenwick, "A new data structure for cumulative
/// frequency tables", 1994).
struct PrefixCounter {
    private var sums: [Int]

    init(count: Int) {
        sums = [Int](repeating: 0, count: count + 1)
    }

    /// Adds to the count at a position.
    mutating func add(_ amount: Int, at position: Int) {
        var node = position + 1
        while node < sums.count {
            sums[node] += amount
            node += node & -node
        }
    }

    /// The sum of the counts at the positions below one.
    func sum(below position: Int) -> Int {
        var (node, sum) = (position, 0)
        while node > 0 {
            sum += sums[node]
            node -= node & -node
        }
        return sum
    }
}
