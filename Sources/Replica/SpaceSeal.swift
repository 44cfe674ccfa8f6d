import Core
import Storage

/// The encryption of records and summary rows for a relay, so that nobody without the space's secret can
/// read or change them.
package protocol SpaceSeal: AnyObject {
    /// The name by which relays know a record, without a word of its collection and id; in the collection `relayed`.
    func relayName(of name: RecordName) throws(SealFailure) -> RecordName

    /// Seals the content of a version, bound to its relay name and clock.
    func seal(
        _ content: [UInt8], of relayName: RecordName, clock: VersionVector
    ) throws(SealFailure) -> [UInt8]

    /// Opens a version; nil if no device of the space sealed it for that relay name and clock.
    func open(_ sealed: [UInt8], of relayName: RecordName, clock: VersionVector) -> [UInt8]?

    /// Seals the content of a summary row, bound to its key and number.
    func seal(
        _ content: [UInt8], ofRow key: SummaryRow.Key, numbered number: UInt64
    ) throws(SealFailure) -> [UInt8]

    /// Opens a summary row; nil if no device of the space sealed it for that key and number.
    func open(_ sealed: [UInt8], ofRow key: SummaryRow.Key, numbered number: UInt64) -> [UInt8]?
}

/// A failure to seal something, in the words of the cryptographic library.
package struct SealFailure: Error, Hashable, Sendable {
    /// The library's words.
    package let reason: String

    /// Creates a failure.
    package init(_ reason: String) {
        self.reason = reason
    }
}

/// The rekey messages by which devices that meet only at relays get the next secret of their space.
package protocol RekeyMailbox: AnyObject {
    /// Writes the rekey messages to leave at a relay: for each older secret that a device may still have at most one.
    ///
    /// The same records give the same bytes on every device that knows that secret.
    func rekeyMessages(from store: Store) throws(StoreFault) -> [RekeyMessage]

    /// Opens a rekey message for devices with this one's secret; nil if nobody of the space wrote it.
    func open(_ rekeyMessage: RekeyMessage) -> [Change]?
}
