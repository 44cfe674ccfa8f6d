import Core
import Session
import Storage

/// An event for the relay's log, without any content.
package enum RelayLogEvent: Hashable, Sendable, CustomStringConvertible {
    /// A device was let in.
    case welcomed(SpaceID, ReplicaID, address: String, device: [UInt8]?)
    /// A device was not let in, or a conversation was ended by the relay.
    case refused(
        RelayRefusal.Reason, SpaceID?, address: String, device: [UInt8]?, message: String)
    /// A conversation ended in another way.
    case ended(SpaceID?, address: String, device: [UInt8]?, RelayTraffic, SessionEnd)
    /// A space was made.
    case spaceMade(SpaceID, generation: UInt32)
    /// A new generation of a space began; the data of the old one is deleted.
    case generationBegun(SpaceID, generation: UInt32)
    /// The file of a space failed; the other spaces go on.
    case spaceFailed(SpaceID, StoreFault)
    /// A space was deleted, as no device has visited it for as many days as the operator has set.
    case spaceExpired(SpaceID)
    /// It could not be looked whether a space is idle.
    case expiryFailed(StoreFault)

    package var description: String {
        switch self {
        case .welcomed(let space, let replica, let address, _):
            "space \(space): replica \(replica) at \(address) is here"
        case .refused(let reason, let space, let address, _, let message):
            "\(Self.name(space))\(address) was refused (\(reason.rawValue)): \(message)"
        case .ended(let space, let address, _, _, .finished):
            "\(Self.name(space))\(address) has left"
        case .ended(let space, let address, _, _, .lost):
            "\(Self.name(space))the link to \(address) broke"
        case .ended(let space, let address, _, _, .failed(let error, _)):
            "\(Self.name(space))\(address) ended: \(error)"
        case .spaceMade(let space, let generation):
            "space \(space) was made, generation \(generation)"
        case .generationBegun(let space, let generation):
            "space \(space): generation \(generation) has begun, what was kept before is gone"
        case .spaceFailed(let space, let fault):
            // Only damage lasts: behind a store that is away, or a full disk, all is as it was.
            switch fault {
            case .corrupt, .notAStore:
                "space \(space) cannot be used: \(fault); the devices have all of it, and upload it again "
                    + "once it is put aside here"
            default: "space \(space) cannot be used now: \(fault); devices come again by themselves"
            }
        case .spaceExpired(let space):
            "space \(space) was deleted, as no device has visited it for long; one that comes uploads it again"
        case .expiryFailed(let fault): "it cannot be looked for idle spaces: \(fault)"
        }
    }

    private static func name(_ space: SpaceID?) -> String {
        space.map { "space \($0): " } ?? ""
    }
}

/// The bytes of one conversation, without those of TLS.
package struct RelayTraffic: Hashable, Sendable {
    /// Bytes that came.
    package let receivedByteCount: Int
    /// Bytes that were sent.
    package let sentByteCount: Int
}

/// A relay's counts since it started and its current totals, for its metrics.
package struct RelayStatistics: Hashable, Sendable {
    /// Conversations that are going on.
    package var sessionCount = 0
    /// Conversations that were ever begun.
    package var openedSessionCount = 0
    /// Approaches that were answered with a relay hello reply.
    package var welcomedCount = 0
    /// Spaces that have a file.
    package var spaceCount = 0
    /// Spaces whose file is open.
    package var openSpaceCount = 0
    /// Bytes of the spaces that were opened since the start, as the quota counts them.
    package var storedByteCount = 0
    /// Versions of records in these spaces.
    package var storedVersionCount = 0
    /// Records in these spaces.
    package var storedRecordCount = 0
    /// The mailboxes of pairing now.
    package var mailboxCount = 0
    /// Bytes that came.
    package var receivedByteCount = 0
    /// Bytes that were given to links.
    package var sentByteCount = 0
    /// Bytes of half-received frames and bodies.
    package var heldByteCount = 0
    /// Changes that came.
    package var receivedChangeCount = 0
    /// Changes of these that were kept.
    package var keptChangeCount = 0
    /// Changes that were sent; one to ten subscribers counts ten times.
    package var sentChangeCount = 0
    /// Batches and state summaries of devices that were acknowledged.
    package var acknowledgedCount = 0
    /// Times that a batch or the end of a run was encoded, for however many subscribers.
    package var encodedCount = 0
    /// Transactions.
    package var commitCount = 0
    /// Times that a log was flushed to the disk.
    package var flushCount = 0
    /// Refusals by reason.
    package var refusals: [RelayRefusal.Reason: Int] = [:]

    /// Nothing was done yet.
    package init() {}
}
