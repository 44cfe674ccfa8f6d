import Core

/// A space into which something came by one commit, with its last arrival numbers before and after.
package struct RelayTouch: Hashable, Sendable {
    /// The space.
    package let space: SpaceID
    /// The last arrival number before it.
    package let start: UInt64
    /// The last arrival number after it.
    package let through: UInt64

    /// The effect of one commit.
    package init(space: SpaceID, start: UInt64, through: UInt64) {
        self.space = space
        self.start = start
        self.through = through
    }
}

/// How the processes that serve one store tell each other that something came into a space.
///
/// All of it may be lost or late: it wakes subscribers, and nothing else. A relay that has its store for itself needs
/// none.
package protocol RelayNotices: AnyObject {
    /// Called before the descriptor is closed, and when there is a new one.
    var descriptorChanges: (() -> Void)? { get set }

    /// Called by `received` when another process has told that something is in a mailbox.
    var mailboxesChange: (() -> Void)? { get set }

    /// Readable when notices have come; nil while there is no connection.
    var descriptor: CInt? { get }

    /// Tells the other processes of spaces into which something came here.
    func send(_ spaces: [RelayTouch])

    /// The spaces that other processes have told of since the last call.
    func received() -> Set<SpaceID>

    /// Looks which of some spaces have changed since the last look, told or not.
    func look(at spaces: [SpaceID]) -> Set<SpaceID>

    /// Ends it.
    func close()
}
