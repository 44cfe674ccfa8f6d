extension SipHash {
    /// The hash of tallies, to compare them at once: replica ids and tallies other than 0, sorted.
    ///
    /// Hashed are the 16 bytes of each replica id and the 16 of its tally by turns. Source:
    /// Protocol/2-Values.md.
    package func clocks(_ tallies: some Sequence<(replica: ReplicaID, tally: UInt128)>) -> UInt128 {
        var writer = CanonicalWriter()
        let named = tallies.filter { $0.tally != 0 }
        for (replica, tally) in named.sorted(by: { $0.replica < $1.replica }) {
            writer.raw(replica.value)
            writer.raw(tally)
        }
        return hash128(writer.bytes)
    }
}
