import Core

/// A long body that comes in parts before the batch to which its change belongs.
package enum IncomingBody: Sendable {
    /// No part has come since the last batch. Goes to: coming, whole.
    case none
    /// Some parts are here. Goes to: whole.
    case coming(BodyAssembly)
    /// All parts are here, and the batch is awaited. Goes to: none.
    case whole(Change)

    /// Whether no body is on its way.
    package var isNone: Bool {
        if case .none = self { true } else { false }
    }

    private static var misfit: PeerError {
        .outOfOrder("a part that does not fit the body before it")
    }

    /// Adds a part.
    package mutating func receive(_ part: BodyPart) throws(PeerError) {
        switch self {
        case .whole: throw .outOfOrder("a second long body before the batch of the first")
        case .none:
            guard let assembly = BodyAssembly(part) else { throw Self.misfit }
            self = assembly.change.map { .whole($0) } ?? .coming(assembly)
        case .coming(var assembly):
            // The case lets go of the bytes, so that the part is appended in place.
            self = .none
            guard assembly.add(part) else { throw Self.misfit }
            self = assembly.change.map { .whole($0) } ?? .coming(assembly)
        }
    }

    /// Adds the whole change, if there is one, to the batch to which it belongs.
    package mutating func complete(_ batch: inout ChangeBatch) throws(PeerError) {
        switch self {
        case .none: return
        case .coming: throw .outOfOrder("a batch inside a long body")
        case .whole(let change):
            batch.changes.append(change)
            self = .none
        }
    }
}

/// The parts of a long body as far as they are here.
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
            part.isDeferred == first.isDeferred, part.offset == bytes.count, !part.bytes.isEmpty,
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
            id: first.id, clock: first.clock, body: bytes, isDeferred: first.isDeferred)
    }
}
