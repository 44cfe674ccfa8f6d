import Core
import Storage

/// Writes and opens the letters by which devices that meet only at relays get the next secret of their space.
package protocol Letterbox: AnyObject {
    /// What to leave at a relay: for each older secret that a device may still have at most one letter.
    ///
    /// The same records give the same bytes on every device that knows that secret.
    func letters(from store: Store) throws(StoreFault) -> [Letter]

    /// The records in a letter for who has this device's secret; nil if nobody of the space wrote it.
    func open(_ letter: Letter) -> [Change]?
}
