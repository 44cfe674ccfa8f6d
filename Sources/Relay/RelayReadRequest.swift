/// Asks for what is next for a device.
struct RelayReadRequest: Hashable {
    /// Versions after this arrival number.
    let start: UInt64
    /// Statements after this one.
    let noticesAfter: UInt64
    /// Stretches that came over the same connection.
    let own: [ClosedRange<UInt64>]
    /// The statement that came over the same connection.
    let ownNotice: UInt64?
}
