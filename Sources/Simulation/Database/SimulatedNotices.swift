import Core
import Relay

/// How a relay hears of what others have brought into a database that they share, as a relay in the real world does.
///
/// Whom notices reach, and when, its world decides.
final class SimulatedNotices {
    /// The last number of a space, and the epoch in which it was given: a new generation may come to the same number.
    private struct Known: Equatable {
        var sequence: UInt64
        let epoch: EpochID
    }

    private let database: SimulatedDatabase
    /// The last known state of each space that is looked at.
    private var known: [SpaceID: Known] = [:]
    private var knownOrigin: Int?

    init(_ database: SimulatedDatabase) {
        self.database = database
    }

    /// Something was committed here.
    func note(_ touches: [RelayTouch]) {
        for touch in touches where known[touch.space]?.sequence == touch.start {
            // Nothing that its own subscribers were told is found anew by looking.
            known[touch.space]?.sequence = touch.through
        }
    }

    /// The spaces of which another relay has told.
    func spaces(toldOf touches: [RelayTouch]) -> [SpaceID] {
        touches.map(\.space)
    }

    /// Looks which of some spaces have changed since the last look, told or not; all of them after another server has
    /// begun to write.
    func look(at spaces: [SpaceID]) -> [SpaceID] {
        var next: [SpaceID: Known] = [:]
        for space in spaces {
            next[space] = database.spaces[space].map {
                Known(sequence: $0.head.sequence, epoch: $0.epoch)
            }
        }
        let isOther = knownOrigin.map { $0 != database.origin } ?? false
        knownOrigin = database.origin
        defer { known = next }
        return spaces.filter { isOther || next[$0] != known[$0] }
    }
}
