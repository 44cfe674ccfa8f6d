import Core

/// The sums that a store keeps along with its records, counted anew from these.
struct RecordSums {
    /// Over the contents of what is integrated.
    var digest: UInt128 = 0
    /// Over the clocks of what is integrated or set aside, for each replica id.
    var tallies: ReplicaTable
}
