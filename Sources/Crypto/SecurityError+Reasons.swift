#if Encryption
    import COpenSSL

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
#endif
