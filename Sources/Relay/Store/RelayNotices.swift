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
/// none. No call waits.
package protocol RelayNotices: AnyObject {
    /// Begins.
    ///
    /// - Parameter found: takes spaces of which other processes have told, or that a look has found changed.
    func begin(on loop: any RelayStoreLoop, _ found: @escaping (Set<SpaceID>) -> Void)

    /// Called when another process has told that something is in a mailbox.
    var mailboxesChange: (() -> Void)? { get set }

    /// Tells the other processes of spaces into which something came here.
    func send(_ spaces: [RelayTouch])

    /// Has it looked which of some spaces have changed since the last look, told or not.
    func look(at spaces: [SpaceID])

    /// Ends it.
    func close()
}
