/// What was read for a device.
struct RelayDelivery {
    /// Each a batch, with the parts of a long body before it.
    let parcels: [RelayParcel]
    /// Everything up to this arrival number is in them.
    let through: UInt64
    /// Goes behind them if nothing was left.
    let standing: RelayStanding?
}
