import Core

/// The numbers that a reader was shown last, each with its to-do; the latest come last.
struct ShownNumbers: Hashable {
    struct Entry: Hashable {
        let number: Int
        let id: RecordID
    }

    private static let entryByteCount = 20

    private(set) var entries: [Entry] = []

    init() {}

    /// Reads entries of 4 bytes of number and 16 of id; what is not whole is left out.
    init(_ bytes: [UInt8]) {
        // Read by every command that shows a number.
        let count = bytes.count / Self.entryByteCount
        entries.reserveCapacity(count)
        bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: count * Self.entryByteCount, by: Self.entryByteCount) {
                let number = bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)
                let id = bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt128.self)
                entries.append(
                    Entry(
                        number: Int(UInt32(bigEndian: number)),
                        id: RecordID(value: UInt128(bigEndian: id))))
            }
        }
    }

    var bytes: [UInt8] {
        // Written by every command that shows a number.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.count * Self.entryByteCount)
        for entry in entries {
            let number = UInt32(truncatingIfNeeded: entry.number)
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: entry.id.value.bigEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// These numbers, and then those given.
    func showing(_ shown: some Sequence<(Int, RecordID)>) -> ShownNumbers {
        let new = shown.map { Entry(number: $0, id: $1) }
        let numbers = Set(new.map(\.number))
        var result = ShownNumbers()
        result.entries = Array(
            (entries.filter { !numbers.contains($0.number) } + new).suffix(
                ToDoNumbers.shownCountMax))
        return result
    }

    /// Whether showing to-dos with these numbers leaves it as it is.
    func isSame(showing numbers: [Int], _ ids: [RecordID]) -> Bool {
        let areLast =
            ends(with: ids)
            && zip(entries.suffix(numbers.count), numbers).allSatisfy { $0.number == $1 }
        // Whatever stands here has one number each: those that are shown last already stay in their place.
        return areLast || showing(zip(numbers, ids)) == self
    }

    /// Whether these to-dos were shown last, in this order.
    func ends(with ids: some BidirectionalCollection<RecordID>) -> Bool {
        entries.count >= ids.count && zip(entries.suffix(ids.count), ids).allSatisfy { $0.id == $1 }
    }

    /// The least and the greatest of the numbers that were shown last, as many as are asked for.
    func range(ofLast count: Int) -> ClosedRange<Int>? {
        let numbers = entries.suffix(count).lazy.map(\.number)
        guard let least = numbers.min(), let most = numbers.max() else { return nil }
        return least...most
    }

    /// The least and the greatest number of those to-dos for which a condition holds; nil if it holds for none.
    func range(where isMeant: (RecordID) -> Bool) -> ClosedRange<Int>? {
        var range: ClosedRange<Int>?
        for entry in entries where isMeant(entry.id) {
            let (least, most) = (range?.lowerBound ?? .max, range?.upperBound ?? .min)
            range = min(least, entry.number)...max(most, entry.number)
        }
        return range
    }
}

/// Where to-dos stand in a list.
struct ShownPositions {
    private let ids: [RecordID]
    /// The positions in the order of the ids.
    private let order: [Int]

    init(_ ids: [RecordID]) {
        self.ids = ids
        order = ids.indices.sorted { ids[$0].value < ids[$1].value }
    }

    /// The position of a to-do; nil if it is not in the list.
    subscript(id: RecordID) -> Int? {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[order[middle]].value < id.value { low = middle + 1 } else { high = middle }
        }
        return low < order.count && ids[order[low]] == id ? order[low] : nil
    }
}
