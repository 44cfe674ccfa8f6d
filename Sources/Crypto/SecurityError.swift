#if Encryption
    import COpenSSL
#endif

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
                + "or allow plain TCP on a network that you trust"
        case .untrustedPeer:
            "compare that with what the other device shows as its own; if it is the same, pair "
                + "the two devices, else somebody may stand in between"
        case .revokedPeer: "sync with another device"
        case .refusedByPeer: "pair the two devices: the other one must trust this one"
        case .noCertificate, .versionTooOld, .noCommonProtocol:
            "check the address and the port; another program may answer there"
        case .plainText:
            "check the address and the port, and that Tandem there is built with encryption"
        case .peerWantsTLS: "write the address with the other device's #fingerprint behind it"
        case .cutHandshake, .truncated: "check the network; sync again, nothing is lost"
        case .damaged: "sync again, nothing is lost; if it stays, somebody changes the traffic"
        case .alert: "sync again; if it stays, update Tandem on both devices"
        case .library: "check the installation of OpenSSL 3"
        }
    }
}

extension SecurityError: CustomStringConvertible {
    /// The error in words, then the next step.
    package var description: String { "\(summary). Next: \(advice)." }
}

#if Encryption
    extension SecurityError {
        /// Makes the error for a reason code of the library.
        init(reason: CInt, word: String, own: Fingerprint) {
            // Reasons above this are alerts of the peer.
            let firstAlert: CInt = 1000
            if reason >= firstAlert {
                self = Self.told(by: Int(reason - firstAlert), own)
                return
            }
            switch reason {
            case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: self = .noCertificate
            case SSL_R_NO_APPLICATION_PROTOCOL, SSL_R_BAD_EXTENSION: self = .noCommonProtocol
            case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_NO_PROTOCOLS_AVAILABLE:
                self = .versionTooOld
            case SSL_R_HTTP_REQUEST, SSL_R_WRONG_VERSION_NUMBER: self = .plainText
            default: self = .damaged(word)
            }
        }

        /// Makes the error for an alert of the peer (RFC 8446 §6.2).
        private static func told(by alert: Int, _ own: Fingerprint) -> SecurityError {
            switch alert {
            case 42...46, 48, 49, 116: .refusedByPeer(own: own)
            case 70: .versionTooOld
            case 120: .noCommonProtocol
            default: .alert(alert)
            }
        }
    }

    /// The texts of OpenSSL's errors.
    enum OpenSSLWords {
        /// The oldest error of this thread, in the library's words; the others are forgotten.
        static func lastError() -> String {
            let code = ERR_get_error()
            ERR_clear_error()
            return code == 0 ? "no reason given" : word(code)
        }

        /// The library's words for an error.
        static func word(_ code: UInt) -> String {
            guard let reason = ERR_reason_error_string(code) else { return "error \(code)" }
            return String(cString: reason)
        }
    }
#endif
