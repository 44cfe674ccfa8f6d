/// Nothing is left to send: what the speaker has, read in the transaction that found nothing more.
package struct CaughtUp: Hashable, Sendable {
    /// How far into its sequence the speaker has read.
    package let through: Checkpoint
    /// The entries that changed since the speaker's last statement in this session.
    package let changed: [StatementEntry]
    /// The digest; nil if it is the one of the speaker's last statement in this session.
    package let digest: Digest?

    /// The end of what there was to send.
    package init(through: Checkpoint, changed: [StatementEntry], digest: Digest?) {
        self.through = through
        self.changed = changed
        self.digest = digest
    }
}
