import Core
import Devices

/// A device of a store's space.
public struct SpaceDevice: Hashable, Sendable, Identifiable {
    /// Names it: what it proves to be, or what its store is called if it was never paired.
    public let id: String
    /// Its name for people.
    public let name: String
    /// Whether it is this one.
    public let isOwn: Bool
    /// Whether it was taken out of the space.
    public let isRevoked: Bool
    /// Whether it came with an invitation that another device had used, so that no device lets it in.
    public let hasUsedCode: Bool
    /// How many deletes it holds until a person accepts them there, as far as it has said.
    public let heldDeleteCount: Int

    init(_ device: DeviceDirectory.Device, own: ReplicaID) {
        id = device.fingerprint.map { "\($0)" } ?? device.replicas[0].uuidText
        name = device.name
        isOwn = device.replicas.contains(own)
        isRevoked = device.isRevoked
        hasUsedCode = device.isLateUser
        heldDeleteCount = device.heldDeleteCount
    }
}
