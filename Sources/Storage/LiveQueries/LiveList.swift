import Core

/// The rows of a live result, in sections, and how single rows come, go and move in it.
struct LiveList {
    private(set) var rows: [LiveRow]
    private(set) var sections: [LiveSection]
    /// By what each record is sorted now; so its row is found by halving.
    private var rowOfID: [RecordID: LiveRow]

    private let order: LiveOrder
    private let isSectioned: Bool
    private let sectionValue: (RowCodec.Cell) -> Value?

    /// - Parameters:
    ///   - rows: in the order of the request.
    ///   - sectionValue: what the column of the section stands for.
    init(
        _ request: FetchRequest, rows: [LiveRow] = [],
        sectionValue: @escaping (RowCodec.Cell) -> Value?
    ) {
        order = LiveOrder(request)
        isSectioned = request.section != nil
        self.sectionValue = sectionValue
        self.rows = rows
        rowOfID = [:]
        sections = []
        rowOfID.reserveCapacity(rows.count)
        for row in rows { rowOfID[row.record.id] = row }
        guard isSectioned else {
            sections = [LiveSection(value: nil, rowCount: rows.count, cell: .null)]
            return
        }
        for row in rows {
            if let last = sections.last, order.sections(last.cell, row.keys[0]) == 0 {
                sections[sections.count - 1].rowCount += 1
            } else {
                sections.append(
                    LiveSection(
                        value: sectionValue(row.keys[0]), rowCount: 1, cell: row.keys[0]))
            }
        }
    }

    /// The row of a record, if it is in the list.
    func row(of id: RecordID) -> LiveRow? { rowOfID[id] }

    /// Whether the first row comes before the second.
    func isBefore(_ left: LiveRow, _ right: LiveRow) -> Bool { order.isBefore(left, right) }

    /// The order of two sections; 0 if they are one.
    func compare(_ left: LiveSection, _ right: LiveSection) -> Int {
        order.sections(left.cell, right.cell)
    }

    // MARK: Single rows

    /// Takes out what goes and puts in what comes or is sorted otherwise.
    ///
    /// One row at a time is taken out by what it was sorted by and put in by what it is sorted by now, so
    /// that the list is sorted after each step.
    /// - Complexity: O(k (log n + s)) comparisons for k rows and s sections.
    mutating func apply(gone: [RecordID], present: [LiveRow]) -> [LiveChange] {
        var steps: [LiveChange] = []
        let listIndexes = gone.compactMap { rowOfID[$0] }.map { index(of: $0) }
        for listIndex in listIndexes.sorted(by: >) { remove(at: listIndex, &steps) }
        // Rows that go down the list first, from its end; then the others from its beginning: rows
        // that change together and keep their order do not pass each other.
        var sinking: [LiveRow] = []
        var others: [LiveRow] = []
        for row in present {
            if let old = rowOfID[row.record.id] {
                if old.isSame(as: row) { continue }
                if order.isBefore(old, row) {
                    sinking.append(row)
                    continue
                }
            }
            others.append(row)
        }
        for row in sinking.sorted(by: { order.isBefore($1, $0) }) { put(row, &steps) }
        for row in others.sorted(by: { order.isBefore($0, $1) }) { put(row, &steps) }
        return steps
    }

    /// Takes out the rows behind a limit, from the end.
    mutating func cut(to limit: Int) -> [LiveChange] {
        var steps: [LiveChange] = []
        while rows.count > limit { remove(at: rows.count - 1, &steps) }
        return steps
    }

    /// The first index of a row that does not come before this one.
    private func index(of row: LiveRow) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if order.isBefore(rows[middle], row) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func rowPosition(_ listIndex: Int) -> RowPosition {
        var rest = listIndex
        for (index, section) in sections.enumerated() {
            if rest < section.rowCount { return RowPosition(section: index, row: rest) }
            rest -= section.rowCount
        }
        return RowPosition(section: sections.count, row: rest)
    }

    private mutating func remove(at listIndex: Int, _ steps: inout [LiveChange]) {
        let position = rowPosition(listIndex)
        rowOfID[rows.remove(at: listIndex).record.id] = nil
        steps.append(.deleteRow(at: position))
        sections[position.section].rowCount -= 1
        removeIfEmpty(position.section, &steps)
    }

    private mutating func removeIfEmpty(_ section: Int, _ steps: inout [LiveChange]) {
        guard isSectioned, sections[section].rowCount == 0 else { return }
        sections.remove(at: section)
        steps.append(.deleteSection(at: section))
    }

    private mutating func put(_ row: LiveRow, _ steps: inout [LiveChange]) {
        let section = sectionOrNew(of: row, &steps)
        guard let old = rowOfID[row.record.id] else {
            let to = insert(row, into: section)
            steps.append(.insertRow(row.record, at: to))
            return
        }
        let from = index(of: old)
        let fromPosition = rowPosition(from)
        rows.remove(at: from)
        sections[fromPosition.section].rowCount -= 1
        let to = insert(row, into: section)
        if fromPosition != to { steps.append(.moveRow(from: fromPosition, to: to)) }
        steps.append(.updateRow(row.record, at: to))
        if fromPosition.section != section { removeIfEmpty(fromPosition.section, &steps) }
    }

    private mutating func insert(_ row: LiveRow, into section: Int) -> RowPosition {
        let listIndex = index(of: row)
        rows.insert(row, at: listIndex)
        rowOfID[row.record.id] = row
        let before = sections[..<section].reduce(0) { $0 + $1.rowCount }
        sections[section].rowCount += 1
        return RowPosition(section: section, row: listIndex - before)
    }

    private mutating func sectionOrNew(of row: LiveRow, _ steps: inout [LiveChange]) -> Int {
        guard isSectioned else { return 0 }
        var (low, high) = (0, sections.count)
        while low < high {
            let middle = (low + high) / 2
            let isBefore = order.sections(sections[middle].cell, row.keys[0]) < 0
            if isBefore { low = middle + 1 } else { high = middle }
        }
        if low < sections.count, order.sections(sections[low].cell, row.keys[0]) == 0 { return low }
        let value = sectionValue(row.keys[0])
        sections.insert(LiveSection(value: value, rowCount: 0, cell: row.keys[0]), at: low)
        steps.append(.insertSection(value, at: low))
        return low
    }
}

/// The order of a request's rows, as SQLite sorts them: by storage class, numbers by value, text and
/// bytes byte by byte, what is absent last; at the end by id.
struct LiveOrder {
    /// Of each sort descriptor whether the smallest comes first.
    private let directions: [Bool]

    init(_ request: FetchRequest) {
        directions = request.order.map(\.isAscending)
    }

    /// Whether the first row comes before the second.
    func isBefore(_ left: LiveRow, _ right: LiveRow) -> Bool {
        for (index, isAscending) in directions.enumerated() {
            let order = Self.order(left.keys[index], right.keys[index], isAscending)
            if order != 0 { return order < 0 }
        }
        return left.record.id < right.record.id
    }

    /// The order of two sections; negative if the first comes before the second, 0 if they are one.
    func sections(_ left: RowCodec.Cell, _ right: RowCodec.Cell) -> Int {
        guard let isAscending = directions.first else { return 0 }
        return Self.order(left, right, isAscending)
    }

    private static func order(
        _ left: RowCodec.Cell, _ right: RowCodec.Cell, _ isAscending: Bool
    ) -> Int {
        switch (left, right) {
        case (.null, .null): 0
        case (.null, _): 1
        case (_, .null): -1
        default: isAscending ? order(left, right) : -order(left, right)
        }
    }

    private static func order(_ left: RowCodec.Cell, _ right: RowCodec.Cell) -> Int {
        switch (left, right) {
        case (.int(let a), .int(let b)): sign(a, b)
        case (.double(let a), .double(let b)): sign(a, b)
        case (.int(let a), .double(let b)): order(a, b)
        case (.double(let a), .int(let b)): -order(b, a)
        case (.text(let a), .text(let b)): bytes(a.utf8, b.utf8)
        case (.bytes(let a), .bytes(let b)): bytes(a, b)
        default: sign(storageClass(left), storageClass(right))
        }
    }

    private static func storageClass(_ cell: RowCodec.Cell) -> Int {
        switch cell {
        case .null: 0
        case .int, .double: 1
        case .text: 2
        case .bytes: 3
        }
    }

    private static func sign<T: Comparable>(_ left: T, _ right: T) -> Int {
        left < right ? -1 : left == right ? 0 : 1
    }

    /// Exactly, also where the whole number has no floating-point one.
    private static func order(_ left: Int64, _ right: Double) -> Int {
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = Int64(right)
        return left == whole ? sign(0, right - Double(whole)) : sign(left, whole)
    }

    private static func bytes<T: Sequence<UInt8>>(_ left: T, _ right: T) -> Int {
        if left.lexicographicallyPrecedes(right) { return -1 }
        return right.lexicographicallyPrecedes(left) ? 1 : 0
    }
}

/// A row of a live result with that by which it is sorted.
struct LiveRow {
    let record: Record
    /// The values of the fields by which the request sorts, the section's first.
    let keys: [RowCodec.Cell]

    /// Whether both show the same, as far as the request looks.
    func isSame(as other: LiveRow) -> Bool {
        record.sequence == other.record.sequence && keys == other.keys
    }
}

/// One step from the old rows of a live result to the new ones, as a list view applies it.
///
/// The steps of a batch are applied in order, each to what the one before it left.
public enum LiveChange: Hashable, Sendable {
    /// The row at this position is removed.
    case deleteRow(at: RowPosition)
    /// A row is inserted, and is at this position then.
    case insertRow(Record, at: RowPosition)
    /// The row at the first position is taken out and put in, so that it is at the second position then.
    case moveRow(from: RowPosition, to: RowPosition)
    /// The row at this position stays there and shows something else.
    case updateRow(Record, at: RowPosition)
    /// A section without rows is inserted, and has this number then; its rows follow.
    case insertSection(Value?, at: Int)
    /// The section of this number is removed; it has no rows any more.
    case deleteSection(at: Int)
}

/// The position of a row in a live result: its section, and its number there.
public struct RowPosition: Hashable, Sendable {
    /// Which section; 0 if the request asks for none.
    public var section: Int
    /// Which row of the section.
    public var row: Int

    /// A position.
    public init(section: Int = 0, row: Int) {
        self.section = section
        self.row = row
    }
}

/// A section of a live result: rows that show the same in the field by which they are parted.
public struct LiveSection: Hashable, Sendable {
    /// The value that they show there; nil if it is absent, and in the one section of a request without sections.
    public let value: Value?
    /// How many rows it has; never 0, save in the one section of a request without sections.
    public internal(set) var rowCount: Int
    /// The value as the column has it.
    let cell: RowCodec.Cell
}
