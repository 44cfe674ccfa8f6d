import Core
import Relay
import Storage
import Testing

/// A store under test with one space, and devices that come to it.
package final class RelayStoreBench {
    /// The space.
    package static let space = SpaceID(value: 7)

    /// The store.
    package private(set) var store: any SynchronousRelayStore
    private let open: (RelayLimits) throws -> any SynchronousRelayStore

    /// Opens the store.
    package init(_ open: @escaping (RelayLimits) throws -> any SynchronousRelayStore) throws {
        self.open = open
        store = try open(RelayLimits())
    }

    /// Closes the store and opens it again.
    package func restart() throws {
        store.close()
        store = try open(store.limits)
    }

    /// The conversation of a device.
    package static func sender(_ number: UInt128) -> RelayServerSessionID {
        RelayServerSessionID(number: Int(number))
    }

    /// The words with which a device comes.
    package static func relayHello(
        _ replica: UInt128 = 1, to space: SpaceID = space, read: RelayHello.Bookmark? = nil
    ) -> RelayHello {
        RelayHello(
            space: space, replica: ReplicaID(value: replica), features: [], generation: 0,
            read: read)
    }

    /// An item of a device.
    package static func uploadDone(_ item: RelayUploadItem, from replica: UInt128) -> RelayUpload {
        RelayUpload(sender: sender(replica), replica: ReplicaID(value: replica), item: item)
    }

    /// Versions of a device.
    package static func changes(
        _ changes: [Change], through sequence: UInt64 = 1, from replica: UInt128
    ) -> RelayUpload {
        let through = Checkpoint(epoch: EpochID(value: 99), sequence: sequence)
        return uploadDone(.changes(ChangeBatch(changes: changes, through: through)), from: replica)
    }

    /// Lets a device in by the decision on the space.
    package func admit(
        _ relayHello: RelayHello = relayHello(), from visitor: RelayVisitor? = nil,
        _ decide: (RelaySpaceHead?) -> RelayDecision
    ) throws -> RelayEntry {
        guard
            case .entered(let entry) = try store.admit(
                relayHello, from: visitor, { head, _ in decide(head) })
        else { throw StoreFault.closed }
        return entry
    }

    /// Lets a device in, and makes the space before if need be.
    package func enter(
        replica: UInt128 = 1, generation: UInt32 = 0, verifier: [UInt8] = []
    ) throws -> RelayEntry {
        try admit(Self.relayHello(replica)) {
            $0 == nil ? .make(generation: generation, verifier: verifier) : .enter
        }
    }

    /// Where a device begins to read that comes with a bookmark.
    package func start(_ relay: ReplicaID, _ epoch: EpochID, _ sequence: UInt64) throws -> UInt64 {
        let checkpoint = Checkpoint(epoch: epoch, sequence: sequence)
        let read = RelayHello.Bookmark(relay: relay, checkpoint: checkpoint)
        return try admit(Self.relayHello(read: read)) { _ in .enter }.start
    }

    /// The space as it is now.
    package func head() throws -> RelaySpaceHead { try #require(try store.head(of: Self.space)) }

    /// Commits changes and the digests of one device.
    @discardableResult
    package func commit(
        _ key: RelaySpaceKey, _ changes: [Change], through sequence: UInt64 = 1,
        row: [UInt8]? = nil, from replica: UInt128 = 1
    ) throws -> RelayCommit {
        var uploads = [Self.changes(changes, through: sequence, from: replica)]
        if let row {
            let through = Checkpoint(epoch: EpochID(value: 99), sequence: sequence)
            let rows = [RelaySamples.row(replica, number: sequence, row)]
            uploads.append(
                Self.uploadDone(
                    .uploadDone(UploadDone(through: through, rows: rows)), from: replica))
        }
        return try store.commit(uploads, to: key)
    }

    /// Commits rows of the first device.
    @discardableResult
    package func commit(_ key: RelaySpaceKey, _ rows: [SummaryRow]) throws -> RelayCommit {
        let through = Checkpoint(epoch: EpochID(value: 99), sequence: 1)
        let ends = UploadDone.messages(through: through, rows)
        return try store.commit(
            ends.map { Self.uploadDone(.uploadDone($0), from: 1) }, to: key)
    }
}

extension RelayEntry {
    /// The name of the state that was entered.
    package var key: RelaySpaceKey { head.key }
}
