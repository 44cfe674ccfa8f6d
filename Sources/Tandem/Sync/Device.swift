import Core
import Devices

/// A device of a store's space.
public struct Device: Hashable, Sendable, Identifiable {
    /// Names it: what it proves to be, or what its store is called if it was never paired.
    public let id: String
    /// Its name for people.
    public let name: String
    /// Whether it is this one.
    public let isOwn: Bool
    /// Whether it was taken out of the space.
    public let isRevoked: Bool

    init(_ device: DeviceBook.Device, own: ReplicaID) {
        id = device.fingerprint.map { "\($0)" } ?? device.replicas[0].uuidText
        name = device.name
        isOwn = device.replicas.contains(own)
        isRevoked = device.isRevoked
    }
}
