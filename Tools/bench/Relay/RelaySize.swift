/// How much is measured of a relay.
struct RelaySize {
    /// Devices that are there and do nothing.
    var idleCount: Int
    /// Devices of one space.
    let idlePerSpace: Int
    /// Devices to which each change is sent.
    let subscriberCount: Int
    /// Changes that one more device uploads.
    let changeCount: Int
    /// Edits of which the way to another device is timed.
    let editCount: Int

    static let full = RelaySize(
        idleCount: 5000, idlePerSpace: 5, subscriberCount: 100, changeCount: 20_000, editCount: 500)
    static let smoke = RelaySize(
        idleCount: 50, idlePerSpace: 5, subscriberCount: 5, changeCount: 500, editCount: 20)
}
