import Core

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
