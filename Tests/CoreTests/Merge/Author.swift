import Core

/// Who makes an edit, with what clock, and by which rule of the space.
struct Author {
    let replica: ReplicaID
    /// The last counter used.
    let counter: UInt64
    let timestamp: HybridTimestamp
    let policy: DeletePolicy
}
