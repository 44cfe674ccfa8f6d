import Records

/// The steps from one list of records to another: rows that go, then in the order of the new list rows
/// that come or move, then rows that show something else.
///
/// As many rows as possible stay where they are: a longest rising run of old places (Fredman, "On
/// computing the length of longest increasing subsequences", 1975).
struct LiveDifference {
    private(set) var changes: [LiveChange] = []

    private let old: [StoredRecord]
    private let new: [StoredRecord]
    /// For every row of the new list its place among the old rows that stay in the list; nil if it is new.
    private var places: [Int?] = []
    private var keptCount = 0

    /// - Complexity: O(n log n).
    init(from old: [StoredRecord], to new: [StoredRecord]) {
        self.old = old
        self.new = new
        let kept = findDeleted()
        findInsertedAndMoved()
        for (index, place) in places.enumerated() {
            guard let place, old[kept[place]].sequence != new[index].sequence else { continue }
            changes.append(.update(new[index], at: index))
        }
    }

    /// Takes out what goes, the last first; gives the old places of what stays in the list.
    private mutating func findDeleted() -> [Int] {
        let wanted = Set(new.map(\.id))
        var kept: [Int] = []
        var placeOfID: [RecordID: Int] = [:]
        for (index, record) in old.enumerated() where wanted.contains(record.id) {
            placeOfID[record.id] = kept.count
            kept.append(index)
        }
        for index in old.indices.reversed() where placeOfID[old[index].id] == nil {
            changes.append(.delete(at: index))
        }
        places = new.map { placeOfID[$0.id] }
        keptCount = kept.count
        return kept
    }

    /// Goes through the new list; rows that move and have not moved yet still stand among the others.
    private mutating func findInsertedAndMoved() {
        let stable = Self.longestRise(places)
        if stable.count == new.count { return }
        // Of the rows that stay where they are, the places in both lists.
        let stableOld = stable.compactMap { places[$0] }
        var waiting = PrefixCounter(count: keptCount)
        var isStable = [Bool](repeating: false, count: new.count)
        for index in stable { isStable[index] = true }
        for (index, place) in places.enumerated() where !isStable[index] {
            if let place { waiting.add(1, at: place) }
        }
        var passed = 0
        for (index, place) in places.enumerated() {
            if isStable[index] {
                passed += 1
                continue
            }
            let before = passed == 0 ? 0 : waiting.sum(below: stableOld[passed - 1])
            guard let place else {
                changes.append(.insert(new[index], at: index + before))
                continue
            }
            // Where the row stands now: behind the rows put in place before it, behind rows that stay
            // where they are and rows that wait to be moved.
            let stableBefore = Self.count(of: stableOld, below: place)
            let isPassed = stableBefore < passed
            let placed = isPassed ? stable[stableBefore] : index + stableBefore - passed
            let from = placed + waiting.sum(below: place)
            waiting.add(-1, at: place)
            // A row that waited before the place it goes to leaves a gap there.
            let to = index + before - (isPassed ? 1 : 0)
            if from != to { changes.append(.move(from: from, to: to)) }
        }
    }

    /// The indices of a longest run of rising places.
    private static func longestRise(_ places: [Int?]) -> [Int] {
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: places.count)
        for (index, place) in places.enumerated() {
            guard let place else { continue }
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if places[tails[middle]] ?? 0 < place { low = middle + 1 } else { high = middle }
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
