import Core
import Storage

/// An entry of the local metadata as bytes: a version, and parts of which each may be absent.
///
/// A part is its length, 4 bytes big-endian, and its bytes; the length 2^32 - 1 stands for an absent one.
struct MetadataParts {
    /// The version, then the parts so far.
    private(set) var bytes: [UInt8]

    /// Begins an entry of a version.
    init(version: UInt8) {
        bytes = [version]
    }

    /// Adds a part.
    mutating func add(_ part: [UInt8]?) {
        let count = part.map { UInt32($0.count) } ?? .max
        for shift in [24, 16, 8, 0] {
            bytes.append(UInt8(truncatingIfNeeded: count >> UInt32(shift)))
        }
        bytes += part ?? []
    }

    /// The parts of an entry of a version; nil for anything else.
    static func read(_ bytes: [UInt8], version: UInt8) -> [[UInt8]?]? {
        guard bytes.first == version else { return nil }
        var rest = bytes[1...]
        var parts: [[UInt8]?] = []
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let count = rest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            rest = rest.dropFirst(4)
            if count == .max {
                parts.append(nil)
                continue
            }
            guard rest.count >= Int(count) else { return nil }
            parts.append(Array(rest.prefix(Int(count))))
            rest = rest.dropFirst(Int(count))
        }
        return parts
    }

    // MARK: Values as parts

    static func bytes(_ number: UInt128) -> [UInt8] {
        stride(from: 120, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> UInt128($0))
        }
    }

    static func number(_ bytes: ArraySlice<UInt8>) -> UInt128 {
        bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    static func bytes(_ vector: VersionVector) -> [UInt8] {
        bytes(vector.entries.map { Dot(replica: $0.replica, counter: $0.counter) })
    }

    static func vector(_ bytes: [UInt8]) -> VersionVector? {
        guard let dots = dots(bytes) else { return nil }
        return VersionVector(
            sorted: dots.map { VersionVector.Entry(replica: $0.replica, counter: $0.counter) })
    }

    /// Dots in their order: 16 bytes of a replica, 8 of a counter each.
    static func bytes(_ dots: [Dot]) -> [UInt8] {
        dots.flatMap { bytes($0.replica.value) + bytes(UInt128($0.counter)).suffix(8) }
    }

    static func dots(_ bytes: [UInt8]) -> [Dot]? {
        guard bytes.count % 24 == 0 else { return nil }
        return stride(from: 0, to: bytes.count, by: 24).map { start in
            Dot(
                replica: ReplicaID(value: number(bytes[start..<start + 16])),
                counter: UInt64(truncatingIfNeeded: number(bytes[start + 16..<start + 24])))
        }
    }
}
