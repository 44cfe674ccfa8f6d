import Wire

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

/// What was read for a device.
struct RelayDelivery {
    /// Each a batch, with the parts of a long body before it.
    let parcels: [RelayParcel]
    /// Everything up to this arrival number is in them.
    let through: UInt64
    /// Goes behind them if nothing was left.
    let standing: RelayStanding?
}

/// The end of a run.
struct RelayStanding {
    let parcel: RelayParcel
    /// Statements up to this number are told with it.
    let noticesThrough: UInt64
    /// Whether these are all: if not, another one follows.
    let isComplete: Bool
    /// Whether it brings any.
    let hasNotices: Bool
}
