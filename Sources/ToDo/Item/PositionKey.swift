import Core

/// A position in the order that the user chose: text that sorts by its bytes.
///
/// A key is a list of steps, each a block of one device and a position inside of it. What a device
/// puts beside its own last goes into the same block, so that what two devices insert at one
/// position while apart comes in two runs and is not shuffled. A key with fewer steps sorts before those that
/// go on from it.
///
/// A run of n insertions takes keys of O(log n) bytes; each time somebody squeezes between two neighbours
/// that leave no room a step of 8 bytes or a little more is added, up to `byteCountMax`: then the
/// list is numbered anew.
package struct PositionKey: Sendable, Hashable {
    /// One step.
    struct Step: Sendable, Hashable, Comparable {
        /// The block; whole numbers, so that there is always one before and one after.
        var block: Int64
        /// The block's owner: `tagLength` digits.
        var tag: String
        /// The position in the block.
        var inner: Int64

        static func < (left: Step, right: Step) -> Bool {
            if left.block != right.block { return left.block < right.block }
            if left.tag != right.tag { return left.tag < right.tag }
            return left.inner < right.inner
        }
    }

    /// The longest key; nobody makes a longer one.
    package static let byteCountMax = 160
    private static let tagLength = 4
    /// The block of to-dos of which nobody knows when they were made: before year 0.
    private static let timelessBlock: Int64 = -62_167_219_200_001
    /// In place of a device's tag; the smallest there is.
    private static let noTag = "0000"
    /// Numbers of so many bits fit into a step.
    private static let halfBitCount: UInt128 = 63

    let steps: [Step]

    init(_ steps: [Step]) {
        self.steps = steps
    }

    /// The position of a to-do that nobody has moved: by the time at which it was made, then by its id.
    ///
    /// - Parameter created: milliseconds since 1970; nil, if unknown or outside of the years 0 to 9999, comes
    ///   first.
    package init(created: Int64?, id: UInt128) {
        let known = created.flatMap { MomentText.holds(instant: $0) ? $0 : nil }
        self.init(block: known ?? Self.timelessBlock, id: id)
    }

    private init(block: Int64, id: UInt128) {
        let high = Int64(id >> (Self.halfBitCount + 2))
        let low = Int64(truncatingIfNeeded: id >> 2) & .max
        self.init([
            Step(block: block, tag: Self.noTag, inner: high),
            Step(block: low, tag: Self.noTag, inner: Int64(id & 3)),
        ])
    }

    /// The first to-do that nobody has moved, real or not, that does not stand before this position: its time and
    /// id; a time of nil is unknown.
    ///
    /// All before it, by time and then by id, stand before this position, and all others do not.
    package var firstUnmoved: (created: Int64?, id: UInt128) {
        let block = steps[0].block
        if block < Self.timelessBlock { return (nil, 0) }
        // Behind all of that time; behind those of unknown time year 0 begins.
        let next: (created: Int64?, id: UInt128) = (block == .max ? .max : block + 1, 0)
        if steps[0].tag != Self.noTag { return next }
        let created = block == Self.timelessBlock ? nil : block
        guard steps[0].inner >= 0 else { return (created, 0) }
        let first = UInt128(steps[0].inner) << (Self.halfBitCount + 2)
        guard steps.count > 1, steps[1].block >= 0 else { return (created, first) }
        let four = first | UInt128(steps[1].block) << 2
        let last = steps[1].tag == Self.noTag ? steps[1].inner : 4
        if last < 0 { return (created, four) }
        // A key derived from a to-do's own position sorts after that position.
        let passed = last > 3 ? 4 : UInt128(last) + (steps.count > 2 ? 1 : 0)
        let (id, isOver) = four.addingReportingOverflow(passed)
        return isOver ? next : (created, id)
    }

    /// Four digits that tell devices apart, as a rule; where two share them their runs may be shuffled.
    package static func tag(of id: UInt128) -> String {
        var rest = id ^ id >> 64
        var tag = ""
        for _ in 0..<tagLength {
            tag.append(Character(Unicode.Scalar(PositionDigits.all[Int(rest % 62)])))
            rest /= 62
        }
        return tag
    }
}

extension PositionKey: Comparable {
    /// Whether the left one stands before the right one.
    package static func < (left: PositionKey, right: PositionKey) -> Bool {
        left.steps.lexicographicallyPrecedes(right.steps)
    }
}

extension PositionKey {
    /// The text; keys sort as the bytes of their texts.
    package var text: String {
        String(
            decoding: steps.flatMap { step in
                PositionDigits.bytes(step.block) + Array(step.tag.utf8)
                    + PositionDigits.bytes(step.inner)
            }, as: UTF8.self)
    }

    /// Reads a text; nil if it is no key.
    package init?(text: String) {
        var bytes = Array(text.utf8)[...]
        guard bytes.count <= Self.byteCountMax else { return nil }
        var steps: [Step] = []
        while !bytes.isEmpty {
            guard let block = PositionDigits.consume(from: &bytes), bytes.count > Self.tagLength
            else { return nil }
            let tag = bytes.prefix(Self.tagLength)
            bytes = bytes.dropFirst(Self.tagLength)
            guard tag.allSatisfy({ PositionDigits.value(of: $0) != nil }),
                let inner = PositionDigits.consume(from: &bytes)
            else { return nil }
            steps.append(
                Step(block: block, tag: String(decoding: tag, as: UTF8.self), inner: inner))
        }
        if steps.isEmpty { return nil }
        self.init(steps)
    }

    /// A position between two others, or at an end.
    ///
    /// - Parameters:
    ///   - left: what is to come before; nil at the beginning.
    ///   - right: what is to come after; nil at the end.
    ///   - tag: the device's.
    /// - Returns: nil if there is no room: the list has to be numbered anew.
    package static func between(
        _ left: PositionKey?, _ right: PositionKey?, tag: String
    ) -> PositionKey? {
        if let left, let right, left >= right { return nil }
        let lower = left?.steps ?? []
        let upper = right?.steps
        for steps in candidates(lower, upper, tag) {
            let key = PositionKey(steps)
            if let left, key <= left { continue }
            if let right, key >= right { continue }
            return key.text.utf8.count <= byteCountMax ? key : nil
        }
        return nil
    }

    /// The candidates between, the best first.
    private static func candidates(
        _ lower: [Step], _ upper: [Step]?, _ tag: String
    ) -> [[Step]] {
        var found: [[Step]] = []
        if var last = lower.last, last.tag == tag, last.inner < .max {
            last.inner += 1
            found.append(lower.dropLast() + [last])
        }
        if let upper, var last = upper.last, last.tag == tag, last.inner > .min {
            last.inner -= 1
            found.append(upper.dropLast() + [last])
        }
        let upper = upper ?? []
        let shared = zip(lower, upper).prefix { $0 == $1 }.count
        let prefix = lower.prefix(shared)
        // A peer's keys may lie at the very ends of what there is.
        if shared < lower.count {
            // A block of its own behind the lower one, else inside of it.
            let (block, isOver) = lower[shared].block.addingReportingOverflow(1)
            if !isOver { found.append(prefix + [Step(block: block, tag: tag, inner: 0)]) }
            found.append(lower + [Step(block: 0, tag: tag, inner: 0)])
        } else if shared < upper.count {
            let (block, isOver) = upper[shared].block.subtractingReportingOverflow(1)
            if !isOver { found.append(prefix + [Step(block: block, tag: tag, inner: 0)]) }
        } else {
            found.append([Step(block: 0, tag: tag, inner: 0)])
        }
        return found
    }

    /// Keys for a list that is numbered anew.
    package static func spread(_ count: Int, tag: String) -> [PositionKey] {
        (0..<count).map { PositionKey([Step(block: Int64($0), tag: tag, inner: 0)]) }
    }
}

/// Whole numbers as text that sorts by its bytes: a letter for the sign and the number of digits, then
/// digits of base 62.
enum PositionDigits {
    /// The digits, sorted by their bytes.
    static let all = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let digitCountMax = 11

    static func value(of byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte - 0x30)
        case 0x41...0x5a: Int(byte - 0x41) + 10
        case 0x61...0x7a: Int(byte - 0x61) + 36
        default: nil
        }
    }

    /// `a0` is 0, `Zz` is -1.
    static func bytes(_ number: Int64) -> [UInt8] {
        let isNegative = number < 0
        var rest = UInt64(bitPattern: isNegative ? ~number : number)
        var digits: [UInt8] = []
        repeat {
            let digit = Int(rest % 62)
            digits.append(all[isNegative ? 61 - digit : digit])
            rest /= 62
        } while rest > 0
        let length = UInt8(digits.count - 1)
        let head = isNegative ? UInt8(ascii: "Z") - length : UInt8(ascii: "a") + length
        return [head] + digits.reversed()
    }

    /// Takes a number from the beginning; nil if there is none, or not in the form that `bytes` writes.
    static func consume(from bytes: inout ArraySlice<UInt8>) -> Int64? {
        guard let head = bytes.first else { return nil }
        let isNegative = head < UInt8(ascii: "a")
        guard value(of: head).map({ $0 > 9 }) == true else { return nil }
        let count =
            1 + Int(isNegative ? UInt8(ascii: "Z") - head : head - UInt8(ascii: "a"))
        let digits = bytes.dropFirst().prefix(count)
        guard count <= digitCountMax, digits.count == count else { return nil }
        var rest: UInt64 = 0
        for byte in digits {
            guard let digit = value(of: byte) else { return nil }
            let (product, isTooLarge) = rest.multipliedReportingOverflow(by: 62)
            let (sum, isOver) = product.addingReportingOverflow(
                UInt64(isNegative ? 61 - digit : digit))
            if isTooLarge || isOver || sum > UInt64(Int64.max) { return nil }
            rest = sum
        }
        let number = isNegative ? ~Int64(rest) : Int64(rest)
        guard self.bytes(number) == Array(bytes.prefix(count + 1)) else { return nil }
        bytes = bytes.dropFirst(count + 1)
        return number
    }
}

/// A point in the order of those to-dos that nobody moved: by the time they were made, then by id.
struct UnmovedBound {
    /// When; milliseconds since 1970, nil for those of unknown time, which come first.
    let created: Int64?
    let id: UInt128

    /// The point of that time and id.
    init(created: Int64?, id: UInt128) {
        self.created = created
        self.id = id
    }

    /// Where a position in the user's order lies among those that nobody moved.
    init(_ key: PositionKey) {
        (created, id) = key.firstUnmoved
    }

    /// The time as a value; nil if it is unknown, or later than anything can have been made.
    var time: Value? {
        guard let created, MomentText.holds(instant: created) else { return nil }
        return .instant(created)
    }
}
