import ToDo

/// The checkpoint of a client as it keeps it and gives it back (RFC 6578).
package struct SyncToken: Hashable, Sendable {
    /// How far the client has read a list.
    package var checkpoint: ServedCheckpoint

    private static let prefix = "urn:tandem:changes:1:"

    /// The token of a checkpoint.
    package init(_ checkpoint: ServedCheckpoint) { self.checkpoint = checkpoint }

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
            ServedCheckpoint(
                replica: ReplicaID(value: replica),
                checkpoint: Checkpoint(epoch: EpochID(value: epoch), sequence: sequence),
                journalNumber: number))
        // One token has one text.
        guard self.text == text else { return nil }
    }

    /// The text that the client keeps: a URI.
    package var text: String {
        let position = checkpoint.checkpoint
        let parts = [
            String(checkpoint.replica.value, radix: 16), String(position.epoch.value, radix: 16),
            String(position.sequence), String(checkpoint.journalNumber),
        ]
        return Self.prefix + parts.joined(separator: ":")
    }
}
