import Core

/// A change whose body comes in parts.
package struct BodyAssembly: Sendable {
    private let first: BodyPart
    private var bytes: [UInt8]

    /// Starts with the first part; nil if that does not begin a body or breaks a limit.
    package init?(_ part: BodyPart) {
        guard part.offset == 0, part.byteCount <= WireLimits.bodyByteCountMax else { return nil }
        first = part
        bytes = []
        guard add(part) else { return nil }
    }

    /// Adds the next part; false if it is not the next part of this body.
    package mutating func add(_ part: BodyPart) -> Bool {
        guard part.id == first.id, part.clock == first.clock, part.byteCount == first.byteCount,
            part.isAside == first.isAside, part.offset == bytes.count, !part.bytes.isEmpty,
            part.bytes.count <= part.byteCount - bytes.count
        else { return false }
        bytes.append(contentsOf: part.bytes)
        return true
    }

    /// The memory that is kept for the parts, in bytes.
    package var heldByteCount: Int { bytes.capacity }

    /// The change, if all its parts are there.
    package var change: Change? {
        guard bytes.count == first.byteCount else { return nil }
        return Change(
            id: first.id, clock: first.clock, body: bytes, isAside: first.isAside)
    }
}
