import Devices

/// A code that lets one more device into the space of a store: to be typed, pasted or scanned
/// there.
///
/// Whoever reads the code while it is good can read everything in the space: show it to nobody else.
public struct Invitation: Hashable, Sendable {
    /// The code, for ``Store/join(_:at:schema:deviceName:leavesSpace:options:)``; it can be drawn as a QR code.
    public let code: String
    /// The code in lines, as it is best read out and typed; each line has a check of its own.
    public let lines: [String]
    /// Until when it is good; milliseconds since 1970-01-01 UTC.
    public let expiry: Int64

    /// The relays in the code that were not reached just now: until a sync with them somebody who comes with the code
    /// finds nothing there.
    public let unreachedRelays: [String]

    init(_ invitation: DevicePairing.Invitation) {
        let code = invitation.code
        unreachedRelays = invitation.unmet.map { "\($0.relay)" }
        self.code = code.text
        lines = CodeText.lines(code.text)
        expiry = Int64(code.expiry) * 1000
    }
}
