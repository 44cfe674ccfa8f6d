import Core

/// What a replica holds, and what it has truly seen.
struct ReplicaState: Hashable {
    let record: Record
    /// The numbers of the writes seen, sorted.
    let ghost: [Int]

    static let empty = ReplicaState(record: Record(), ghost: [])
}
