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

    static var invitationExpired: PeerError {
        PeerError(
            .refused, reason: .codeExpired,
            "this code has run out by the clock of the device that made it",
            side: .hearer, advice: "have a new one made there")
    }

    static var noInvitation: PeerError {
        PeerError(
            .refused, reason: .codeOfOtherDevice,
            "the device at this address did not make this code", side: .hearer,
            advice: "check the address, or have a new code made there")
    }

    static var oldCode: PeerError {
        PeerError(
            .refused, reason: .codeBeforeSecret,
            "the space's secret was changed since this code was made", side: .hearer,
            advice: "have a new one made")
    }

    static var wrongSecret: PeerError {
        PeerError(
            .refused, reason: .wrongSecret,
            "this device does not prove that it knows the space's secret",
            side: .hearer, advice: "have a new code made")
    }

    static var otherSpace: PeerError {
        PeerError(
            .foreignSpace, reason: .codeOfOtherSpace,
            "the code is for another space than that of this device",
            side: .hearer, advice: "check the address, or have a new code made")
    }
}
