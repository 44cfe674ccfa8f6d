import Core
import Storage
import ToDo

/// How far a client has read a list, as it keeps it and gives it back (RFC 6578).
///
/// It is made of the store's own numbers, so nothing is remembered for it. It holds when the store takes another id, and in
/// a copy of the store that has all that it covers. It means nothing to another store, or to one that was set back behind
/// it: then the client reads all anew.
package struct SyncToken: Hashable, Sendable {
    /// The replica whose numbers these are.
    package var replica: ReplicaID
    /// Up to which arrival number of which opening.
    package var checkpoint: Checkpoint
    /// The last entry of the journal then: later ones say which to-dos have left a list since.
    package var journalNumber: Int64

    private static let prefix = "urn:tandem:changes:1:"

    /// A token of these numbers.
    package init(replica: ReplicaID, checkpoint: Checkpoint, journalNumber: Int64) {
        self.replica = replica
        self.checkpoint = checkpoint
        self.journalNumber = journalNumber
    }

    /// The token of now; all that it covers is on the disk.
    package init(now store: Store) throws(StoreFault) {
        // First, so that later changes are looked at again rather than passed over.
        journalNumber = try store.journal.lastNumber()
        checkpoint = try store.outsideCheckpoint()
        replica = store.replica
    }

    /// Reads the text of a token; nil if it is none.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let parts = text.dropFirst(Self.prefix.count).split(
            separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, let replica = UInt128(parts[0], radix: 16),
            let epoch = UInt64(parts[1], radix: 16), let sequence = UInt64(parts[2]),
            let number = Int64(parts[3]), number >= 0
        else { return nil }
        self.init(
            replica: ReplicaID(value: replica),
            checkpoint: Checkpoint(epoch: EpochID(value: epoch), sequence: sequence),
            journalNumber: number)
        // One token has one text.
        guard self.text == text else { return nil }
    }

    /// The text that the client keeps: a URI.
    package var text: String {
        let parts = [
            String(replica.value, radix: 16), String(checkpoint.epoch.value, radix: 16),
            String(checkpoint.sequence), String(journalNumber),
        ]
        return Self.prefix + parts.joined(separator: ":")
    }

    /// The arrival number after which the client has to be told of changes; nil if the store cannot tell them.
    package func sequence(in store: Store) throws(StoreFault) -> UInt64? {
        guard try store.journal.lastNumber() >= journalNumber else { return nil }
        return try store.sequence(ofOutside: checkpoint, of: replica)
    }
}
