import Core
import Storage

/// The fields in a device's record, besides its name.
///
/// Source: Protocol/11-Pairing.md.
enum DeviceField {
    static let name: UInt32 = 2
    /// The fingerprint of its certificate: 32 bytes.
    static let fingerprint: UInt32 = 3
    /// Its public X25519 key: 32 bytes.
    static let exchangeKey: UInt32 = 4
    /// The id of the invitation by which it came: 16 bytes.
    static let invite: UInt32 = 5
    /// A set of fingerprints: that device is out, whatever is assigned to the element.
    static let revoked: UInt32 = 6
    /// A set of envelopes with later secrets, closed for this device.
    static let envelopes: UInt32 = 7
    /// The generation of the secret that it knows.
    static let generation: UInt32 = 8
    /// How many deletes wait there for a person's word.
    static let held = Store.heldField
}
