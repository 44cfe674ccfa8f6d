/// A 16-byte name that sorts like its big-endian bytes.
package protocol WideIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The 16 bytes, read big-endian.
    var value: UInt128 { get }

    /// Wraps 16 bytes that were read big-endian.
    init(value: UInt128)
}

extension WideIdentifier {
    /// The first eight bytes, read big-endian.
    package var high: UInt64 { UInt64(truncatingIfNeeded: value >> 64) }

    /// The last eight bytes, read big-endian.
    package var low: UInt64 { UInt64(truncatingIfNeeded: value) }

    /// Joins two halves, each read big-endian.
    package init(high: UInt64, low: UInt64) {
        self.init(value: UInt128(high) << 64 | UInt128(low))
    }

    /// Reads 16 bytes; nil if `bytes` is of another length.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(value: bytes.reduce(into: UInt128(0)) { $0 = $0 << 8 | UInt128($1) })
    }

    /// The 16 bytes, most significant first.
    package var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: value >> (120 - 8 * UInt128($0))) }
    }

    /// Thirty-two lower-case hexadecimal digits.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 32) { text in
            for index in 0..<32 { text[index] = digit(index) }
            return 32
        }
    }

    /// One of the hexadecimal digits, as ASCII; 0 is the first of 32.
    private func digit(_ index: Int) -> UInt8 {
        let number = UInt8(truncatingIfNeeded: value >> UInt128(124 - 4 * index)) & 15
        return number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
    }

    /// The form of RFC 9562: 8-4-4-4-12 lower-case hexadecimal digits.
    package var uuidText: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var index = 0
            for number in 0..<32 {
                if number == 8 || number == 12 || number == 16 || number == 20 {
                    text[index] = UInt8(ascii: "-")
                    index += 1
                }
                text[index] = digit(number)
                index += 1
            }
            return index
        }
    }

    /// Reads 32 hexadecimal digits of either case, hyphens ignored; nil for anything else.
    package init?(uuidText: some StringProtocol) {
        var text = String(uuidText)
        guard let value = text.withUTF8(Self.value(ofUUIDText:)) else { return nil }
        self.init(value: value)
    }

    private static func value(ofUUIDText text: UnsafeBufferPointer<UInt8>) -> UInt128? {
        var value: UInt128 = 0
        var count = 0
        for byte in text where byte != UInt8(ascii: "-") {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            count += 1
            if count > 32 { return nil }
            value = value << 4 | UInt128(digit)
        }
        return count == 32 ? value : nil
    }

    package var description: String { uuidText }
}

/// Names one store of a space; random.
///
/// A store with a clone suspicion takes a new one.
public struct ReplicaID: WideIdentifier {
    /// The 16 bytes, read big-endian.
    package let value: UInt128

    /// Wraps 16 bytes that were read big-endian.
    package init(value: UInt128) {
        self.value = value
    }

    /// The high half of every recovered id; of random ids one in 2^64 has it.
    private static let recoveredMark: UInt128 = 0x7477_696e_2d6f_662d << 64

    /// The id under which a value is kept whose dot came to name another value as well.
    ///
    /// Each has one write, counter 1. Source: Protocol/4-Merge.md, section 13.
    ///
    /// - Parameter hash: of what is kept; the same wherever the two values meet.
    package static func recoveredID(_ hash: UInt128) -> ReplicaID {
        ReplicaID(value: recoveredMark | (hash >> 64))
    }

    /// Whether it is no replica's own.
    package var isRecoveredID: Bool { value >> 64 == Self.recoveredMark >> 64 }

    /// The form of RFC 9562: 8-4-4-4-12 lower-case hexadecimal digits.
    public var description: String { uuidText }

    public static func < (left: ReplicaID, right: ReplicaID) -> Bool {
        left.value < right.value
    }
}

/// Names a shared dataset; random, made once when the space is made.
package struct SpaceID: WideIdentifier {
    /// The 16 bytes, read big-endian.
    package let value: UInt128

    /// Wraps 16 bytes that were read big-endian.
    package init(value: UInt128) {
        self.value = value
    }

    package static func < (left: SpaceID, right: SpaceID) -> Bool {
        left.value < right.value
    }
}

/// Names one opening of a store for writing; random.
package struct EpochID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The eight bytes, read big-endian; zero names no epoch.
    package let value: UInt64

    /// Wraps eight bytes that were read big-endian.
    package init(value: UInt64) {
        self.value = value
    }

    package static func < (left: EpochID, right: EpochID) -> Bool {
        left.value < right.value
    }

    package var description: String { Hexadecimal.text(value) }
}

extension RandomAccessCollection where Index == Int {
    /// The index of the first element whose replica is not below `replica`, in a collection sorted by it.
    ///
    /// - Complexity: O(log n); few elements are looked at one by one, which is faster.
    package func firstIndex(
        notBelow replica: ReplicaID, by key: (Element) -> ReplicaID
    ) -> Int {
        if count <= 8 { return firstIndex { key($0) >= replica } ?? endIndex }
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if key(self[middle]) < replica { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The index of the element of `replica` in a collection sorted by it.
    package func index(ofSorted replica: ReplicaID, by key: (Element) -> ReplicaID) -> Int? {
        let index = firstIndex(notBelow: replica, by: key)
        return index < endIndex && key(self[index]) == replica ? index : nil
    }
}
