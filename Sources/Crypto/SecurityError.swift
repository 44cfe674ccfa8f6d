/// Why there is no secure channel, or why it broke.
package enum SecurityError: Error, Equatable, Sendable {
    /// This program was built without the trait `Encryption`.
    case notBuiltIn
    /// The peer has proved nothing that is trusted here: this is the key it showed.
    case untrustedPeer(Fingerprint)
    /// The device at the address was taken out of the space.
    case revokedPeer(Fingerprint)
    /// The peer does not trust this device's key, which is this one.
    case refusedByPeer(own: Fingerprint)
    /// The peer showed no certificate.
    case noCertificate
    /// The peer sent something that is not TLS.
    case plainText
    /// The peer speaks TLS, and this end does not.
    case peerWantsTLS
    /// The peer speaks no TLS 1.3.
    case versionTooOld
    /// The peer speaks TLS, but not Tandem's protocol in it.
    case noCommonProtocol
    /// The connection ended before both ends had proved their identity.
    case cutHandshake
    /// The stream ended without the peer having said so: the rest may have been cut off.
    case truncated
    /// The received bytes were not made by the peer, or were damaged on the way; with the library's
    /// text.
    case damaged(String)
    /// The peer gave up for another reason, an alert of TLS (RFC 8446 §6).
    case alert(Int)
    /// The library refused on this machine; its word.
    case library(String)
}

extension SecurityError {
    /// The error in words, without advice.
    package var summary: String {
        switch self {
        case .notBuiltIn: "this program was built without encryption"
        case .untrustedPeer(let fingerprint):
            "the other end is not trusted here; its fingerprint is \(fingerprint)"
        case .revokedPeer(let fingerprint):
            "the device there was revoked: it belongs to the space no longer (\(fingerprint.short))"
        case .refusedByPeer(let own):
            "this device is not trusted by the other end; its fingerprint is \(own)"
        case .noCertificate: "the other end does not say which device it is"
        case .plainText: "the other end does not speak TLS"
        case .peerWantsTLS: "the other end speaks only TLS"
        case .versionTooOld: "the other end speaks no TLS 1.3"
        case .noCommonProtocol: "the other end speaks TLS, but not Tandem's protocol in it"
        case .cutHandshake: "the connection ended before both ends had proved who they are"
        case .truncated: "the connection was cut: the other end has not ended it"
        case .damaged(let word): "what arrived does not come from the other end (\(word))"
        case .alert(let number): "the other end gave up (TLS alert \(number))"
        case .library(let word): "OpenSSL failed: \(word)"
        }
    }

    /// The next step for the user.
    package var advice: String {
        switch self {
        case .notBuiltIn:
            "use ssh:// or a build with the trait Encryption, "
                + "or pass --insecure on a network you trust"
        case .untrustedPeer:
            "compare that with what the other device shows as its own; if it is the same, pair "
                + "the two devices, else somebody may stand in between"
        case .revokedPeer: "sync with another device: tandem devices lists them"
        case .refusedByPeer: "pair the two devices: the other one must trust this one"
        case .noCertificate, .versionTooOld, .noCommonProtocol:
            "check the address and the port; another program may answer there"
        case .plainText:
            "check the address and the port, and that tandem there is built with encryption"
        case .peerWantsTLS: "write the address with the other device's #fingerprint behind it"
        case .cutHandshake, .truncated: "check the network; sync again, nothing is lost"
        case .damaged: "sync again, nothing is lost; if it stays, somebody changes the traffic"
        case .alert: "sync again; if it stays, update tandem on both devices"
        case .library: "check the installation of OpenSSL 3"
        }
    }
}

extension SecurityError: CustomStringConvertible {
    /// The error in words, then the next step.
    package var description: String { "\(summary). Next: \(advice)." }
}
