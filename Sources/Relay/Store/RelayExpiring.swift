import Core
import Storage

/// A store of one process that deletes spaces which no device has visited for a long time.
///
/// Stores that several processes share do that by `RelaySharing`. A device that comes later finds a relay that has
/// lost its file: it makes the space anew, if it may, and uploads all it has. A space whose devices never show a key, as
/// over plain TCP, is not deleted: nobody knows when they were there.
package protocol RelayExpiring: AnyObject {
    /// Looks at the next space, and deletes it if no device has come since a day.
    ///
    /// - Parameters:
    ///   - day: the last day on which an idle space was visited; days since 1970-01-01 UTC.
    ///   - open: the spaces with devices now.
    /// - Returns: the space that was deleted; nil if none was.
    func expireNext(since day: Int64, sparing open: Set<SpaceID>) throws(StoreFault) -> SpaceID?
}

extension RelayEngine {
    /// Looks at one more space of a store that is this process's own, and deletes it if no device has visited it for so
    /// many days.
    ///
    /// - Parameter today: days since 1970-01-01 UTC.
    package func expireNext(days: Int, today: Int64, now: Instant) -> [Output] {
        guard let store = store as? any RelayExpiring else { return [] }
        do throws(StoreFault) {
            let space = try store.expireNext(
                since: today - Int64(days), sparing: Set(spaces.keys))
            if let space { note(.spaceExpired(space)) }
        } catch {
            note(.expiryFailed(error))
        }
        return finish(now)
    }
}
