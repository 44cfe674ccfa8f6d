import Core

/// The numbers that a reader was shown last, each with its to-do; the latest come last.
struct ShownNumbers: Hashable {
    struct Entry: Hashable {
        let number: Int
        let id: RecordID
    }

    private static let entryByteCount = 20

    /// The entries as they are kept: 4 bytes of number and 16 of id for each.
    private(set) var bytes: [UInt8] = []

    init() {}

    /// Takes entries as they were kept; what is not whole is left out.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        self.bytes.removeLast(bytes.count % Self.entryByteCount)
    }

    private init(_ entries: some Sequence<Entry>) {
        for entry in entries { append(entry) }
    }

    /// How many numbers there are.
    var count: Int { bytes.count / Self.entryByteCount }

    /// The numbers with their to-dos.
    var entries: [Entry] {
        // Read by every command that shows a list.
        let count = count
        return bytes.withUnsafeBytes { bytes in
            var entries: [Entry] = []
            entries.reserveCapacity(count)
            for start in stride(from: 0, to: count * Self.entryByteCount, by: Self.entryByteCount) {
                let id = bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt128.self)
                entries.append(
                    Entry(
                        number: Self.number(bytes, at: start),
                        id: RecordID(value: UInt128(bigEndian: id))))
            }
            return entries
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Int {
        Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
    }

    private mutating func append(_ entry: Entry) {
        let number = UInt32(truncatingIfNeeded: entry.number)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: entry.id.value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Where the entry of a number begins, in bytes; nil if it is not here.
    private func start(of number: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: Self.entryByteCount).first {
                Self.number(bytes, at: $0) == number
            }
        }
    }

    /// The to-do that a number was shown for.
    func id(of number: Int) -> RecordID? {
        start(of: number).map { start in
            let entry = ShownNumbers(Array(bytes[start..<start + Self.entryByteCount]))
            return entry.entries[0].id
        }
    }

    /// These numbers, and then those given.
    func showing(_ shown: some Collection<(Int, RecordID)>) -> ShownNumbers {
        if shown.count == 1, let (number, id) = shown.first {
            // As after each to-do that is added.
            var result = self
            if let old = start(of: number) {
                result.bytes.removeSubrange(old..<old + Self.entryByteCount)
            }
            result.append(Entry(number: number, id: id))
            let tooMany = max(0, result.count - ToDoNumbers.shownCountMax)
            result.bytes.removeFirst(tooMany * Self.entryByteCount)
            return result
        }
        let new = shown.map { Entry(number: $0, id: $1) }
        let numbers = Set(new.map(\.number))
        return ShownNumbers(
            (entries.filter { !numbers.contains($0.number) } + new).suffix(
                ToDoNumbers.shownCountMax))
    }

    /// Whether showing to-dos with these numbers leaves it as it is.
    func isSame(showing numbers: [Int], _ ids: [RecordID]) -> Bool {
        let areLast =
            count >= ids.count
            && zip(entries.suffix(ids.count), zip(numbers, ids)).allSatisfy {
                $0.number == $1.0 && $0.id == $1.1
            }
        // Whatever stands here has one number each: those that are shown last already stay in their place.
        return areLast || showing(Array(zip(numbers, ids))) == self
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
