import Core

/// Why a device is not let in, in its own words.
extension PeerError {
    /// This device was taken out of the space.
    package static var revoked: PeerError {
        PeerError(
            .refused, reason: .revoked,
            "this device was revoked: it belongs to the space no longer", side: .hearer,
            advice:
                "what it holds stays readable here; to come back, move its file device.key away, have "
                + "another device make a code, and join with it")
    }

    /// This device cannot read who belongs to the space.
    package static var unknownMembers: PeerError {
        PeerError(
            .store, reason: .deviceDirectory,
            "a device cannot read which devices belong to the space", side: .speaker,
            advice: "check the store on that device")
    }

    static func invitationUsed(by name: String?) -> PeerError {
        PeerError(
            .refused, reason: .codeUsed,
            "this code was used before, by \(name.map { "the device \($0)" } ?? "another device")",
            side: .hearer,
            advice:
                "a code is good for one device: have a new one made. If you do not know who used it, "
                + "revoke that device at once")
    }

    static var notAdmitted: PeerError {
        PeerError(
            .refused, reason: .notAdmitted,
            "the person at the other device has not admitted this one", side: .both,
            advice: "have a new code made, and type the digits of this device there")
    }

    static var codeEnded: PeerError {
        PeerError(
            .refused, reason: .codeEnded, "the code has ended", side: .both,
            advice: "have a new one made there")
    }
}
