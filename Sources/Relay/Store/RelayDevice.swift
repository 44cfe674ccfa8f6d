import Core

/// A device at a relay, by the key that it proves to have in the handshake of TLS.
///
/// A space's key lets any of its devices in. This one tells one device from another: in the log, for limits, and to put
/// one out.
package struct RelayVisitor: Hashable, Sendable {
    /// The fingerprint of its certificate: SHA-256 of its public key.
    package let fingerprint: [UInt8]
    /// The day on which it came; days since 1970-01-01 UTC.
    package let day: Int64

    /// A device that came on a day.
    package init(fingerprint: [UInt8], day: Int64) {
        self.fingerprint = fingerprint
        self.day = day
    }
}

/// A device that was let into a space since the present generation of the space's secret began.
package struct RelayDevice: Hashable, Sendable {
    /// The fingerprint of its certificate.
    package let fingerprint: [UInt8]
    /// The day on which it was let in first; days since 1970-01-01 UTC.
    package let firstDay: Int64
    /// The day on which it was let in last.
    package var lastDay: Int64

    /// A device that was let in between two days.
    package init(fingerprint: [UInt8], firstDay: Int64, lastDay: Int64) {
        self.fingerprint = fingerprint
        self.firstDay = firstDay
        self.lastDay = lastDay
    }

    /// Which of more devices than are remembered is forgotten: the one that was here longest ago.
    package static func isForgottenBefore(_ left: RelayDevice, _ right: RelayDevice) -> Bool {
        left.lastDay == right.lastDay
            ? left.fingerprint.lexicographicallyPrecedes(right.fingerprint)
            : left.lastDay < right.lastDay
    }
}

/// The word of the relay's operator that a device is out of a space.
///
/// The device knows the space's secret, and can make another key. So while the relay has the generation in which the
/// device was put out, the space is closed to devices that were never there.
package struct RelayPutOut: Hashable, Sendable {
    /// The space.
    package let space: SpaceID
    /// The generation that the relay had then.
    package let generation: UInt32
    /// The fingerprint of the device.
    package let fingerprint: [UInt8]

    /// A device that is out of a space.
    package init(space: SpaceID, generation: UInt32, fingerprint: [UInt8]) {
        self.space = space
        self.generation = generation
        self.fingerprint = fingerprint
    }
}
