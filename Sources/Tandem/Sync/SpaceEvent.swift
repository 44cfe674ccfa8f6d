import Devices
import Storage

/// A join, a revocation or a refusal of a device.
public struct SpaceEvent: Hashable, Sendable {
    /// A kind of event; later versions may have more.
    public enum Kind: Hashable, Sendable {
        /// A device came into the space.
        case joined
        /// A device was taken out of the space.
        case revoked
        /// This device let a device in that showed a code.
        case admitted
        /// This device refused another.
        case refused
        /// This device was refused.
        case refusedHere
    }

    /// The kind of event.
    public let kind: Kind
    /// When, by the clock of the device that wrote it; of several the last; milliseconds since 1970-01-01 UTC.
    public let time: Int64
    /// How often it happened.
    public let count: Int
    /// The name of the device that it happened to; nil if it is not known.
    public let device: String?
    /// The fingerprint of the key that the device showed; nil if it showed none.
    public let fingerprint: String?
    /// The name of the device that did it; nil where it was this one, or nobody says.
    public let author: String?
    /// The address of the other device; nil if it is not known.
    public let address: String?
    /// The code of a refusal's cause; nil where none was named.
    public let reason: String?

    init(_ event: DeviceEvent) {
        kind =
            switch event.kind {
            case .joined: .joined
            case .revoked: .revoked
            case .admitted: .admitted
            case .refused: .refused
            case .refusedHere: .refusedHere
            }
        time = event.time
        count = event.count
        device = event.device
        fingerprint = event.fingerprint.map { "\($0)" }
        author = event.author
        address = event.address
        reason = event.reason.map { "\($0)" }
    }
}

extension TandemStore {
    /// The joins, revocations and refusals that this device knows of, the latest first.
    ///
    /// Joins and revocations are read from the records of the space. The last 100 devices that were let in and the last
    /// 100 that were refused are noted on this device alone.
    /// - Throws: `busy`, `damaged`, `notOpen`.
    public func deviceEvents() throws(TandemError) -> [SpaceEvent] {
        let device = try openDevice()
        return try TandemError.mappingAny { try device.deviceEvents().map { SpaceEvent($0) } }
    }
}
