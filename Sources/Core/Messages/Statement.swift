/// For every replica id a counter and a tally, and the digest of all records, read in one transaction.
package struct Statement: Hashable, Sendable {
    /// The entries, sorted by replica.
    package private(set) var entries: [StatementEntry]
    /// What is compared of the contents.
    package var digest: Digest

    /// Takes entries in any order, none twice.
    package init(entries: [StatementEntry], digest: Digest) {
        self.entries = entries.sorted { $0.replica < $1.replica }
        self.digest = digest
    }

    /// What the speaker vouches for: its knowledge.
    package var knowledge: VersionVector {
        VersionVector(
            unsorted: entries.map { VersionVector.Entry(replica: $0.replica, counter: $0.counter) })
    }

    /// The highest counters in the speaker's clocks.
    package var seen: VersionVector {
        VersionVector(
            unsorted: entries.map { VersionVector.Entry(replica: $0.replica, counter: $0.seen) })
    }

    /// The entry of one replica id.
    package func entry(of replica: ReplicaID) -> StatementEntry? {
        entries.first { $0.replica == replica }
    }

    /// The entries that `earlier` lacks or has otherwise.
    package func changes(since earlier: Statement) -> [StatementEntry] {
        entries.filter { earlier.entry(of: $0.replica) != $0 }
    }

    /// The statement after `changed` entries took the place of theirs.
    package func updated(with changed: [StatementEntry], digest: Digest) -> Statement {
        let kept = entries.filter { old in !changed.contains { $0.replica == old.replica } }
        return Statement(entries: kept + changed, digest: digest)
    }
}
