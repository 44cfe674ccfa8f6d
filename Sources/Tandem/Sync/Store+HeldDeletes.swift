import Core
import Storage

/// Deletes on a great scale wait until a person has said that they are meant.
extension Store {
    /// How many records the deletes that wait would delete by now, over all devices and relays; 0 if none wait.
    ///
    /// A sync that would delete more than half of the records, and more than 20, stops in that direction
    /// with `deletesHeld`; what this device changed goes on to the others. A snapshot is taken before.
    /// - Throws: `notOpen`, `damaged`.
    public func heldDeleteCount() throws(TandemError) -> Int {
        let engine = try opened()
        do {
            return try engine.heldDeletes().reduce(0) { $0 + $1.deletedCount }
        } catch {
            throw TandemError(any: error)
        }
    }

    /// Says that the deletes that wait are meant: the next sync takes them, and a running service at once.
    ///
    /// It holds for a day, and for as many as `heldDeleteCount` told and a quarter more; what goes beyond waits
    /// again.
    /// - Throws: `notOpen`, `diskFull`, `busy`, `damaged`.
    public func acceptDeletes() throws(TandemError) {
        let engine = try opened()
        do {
            _ = try engine.acceptDeletes()
        } catch {
            throw TandemError(any: error)
        }
    }
}
