import Core

/// How far a session has come; told whenever it changes.
package struct SessionReport: Hashable, Sendable {
    /// Who the peer is; nil before its hello.
    package var peer: ReplicaID?
    /// How many records were sent; one sent twice counts twice.
    package var sentCount = 0
    /// How many records were received.
    package var receivedCount = 0
    /// How many of these changed something here.
    package var changedCount = 0
    /// How many of these could not be read and were set aside.
    package var parkedCount = 0
    /// Whether the peer stated writes that it does not send, twice in a row.
    package var isWithheld = false
    /// Whether contents were found to differ although the histories are the same.
    package var isDiverged = false
    /// Whether a full exchange has ended that difference.
    package var isRepaired = false
    /// Deletes that are held here; nothing more is taken from the peer until they are accepted.
    package var held: HeldCount?
    /// Whether each side has all that the other had when it last looked.
    package var isCaughtUp = false

    /// How many changes and statements from a relay were none that a device of the space uploaded.
    package var unreadableCount = 0
    /// How far into this store's sequence the other side has everything, by its own word.
    package var storedThrough: Checkpoint?
    /// What other devices vouch for, by their statements through the relay.
    package var seenBy: [ReplicaID: VersionVector] = [:]

    /// Nothing has happened yet.
    package init() {}
}
