import Core

/// Asks the store to take over what a peer stated, as far as the tallies agree.
package struct JoinRequest: Hashable, Sendable {
    /// Who stated it.
    package var peer: ReplicaID
    /// The peer's statement, whole.
    package var statement: Statement
    /// How far the peer has read; remembered in the same transaction.
    package var through: Checkpoint

    /// A request.
    package init(peer: ReplicaID, statement: Statement, through: Checkpoint) {
        self.peer = peer
        self.statement = statement
        self.through = through
    }
}
