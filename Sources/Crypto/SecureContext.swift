#if Encryption
    import COpenSSL

    /// The state that all channels of one endpoint share: the device's certificate and the peers
    /// that it trusts.
    ///
    /// TLS 1.3 only, both ends show a certificate, no session is resumed. Source:
    /// Protocol/8-Security.md. Belongs to one thread, with all its channels.
    package final class SecureContext {
        /// The protocol both ends must name (ALPN, RFC 7301).
        package static let protocolName = "tandem/1"

        /// This device.
        package let fingerprint: Fingerprint

        /// Whether a peer with this key is let in; asked inside of each handshake.
        let allows: (Fingerprint) -> Bool
        let pointer: OpaquePointer

        /// A context for a device.
        ///
        /// - Parameter allows: whether a peer is let in. It has not proved yet to have that key, so
        ///   nothing but the answer may come of the question.
        /// - Throws: `library`.
        package init(
            _ certificate: DeviceCertificate, allows: @escaping (Fingerprint) -> Bool
        ) throws(SecurityError) {
            ERR_clear_error()
            guard let pointer = SSL_CTX_new(TLS_method()) else {
                throw .library(OpenSSLWords.lastError())
            }
            self.pointer = pointer
            self.allows = allows
            fingerprint = certificate.fingerprint
            let isReady =
                try? DeviceCertificate.withParts(of: certificate.pem, path: "") {
                    key, certificate in
                    SSL_CTX_use_certificate(pointer, certificate) == 1
                        && SSL_CTX_use_PrivateKey(pointer, key) == 1
                }
            guard isReady == true, tandem_ssl_configure(pointer) == 1,
                SSL_CTX_set_num_tickets(pointer, 0) == 1
            else { throw .library(OpenSSLWords.lastError()) }
            nameProtocol()
            judgePeers()
        }

        deinit {
            SSL_CTX_free(pointer)
        }

        /// The name as ALPN lists it: with its length before it.
        private static let protocolList: [UInt8] =
            [UInt8(protocolName.utf8.count)] + Array(protocolName.utf8)

        private func nameProtocol() {
            let list = Self.protocolList
            SSL_CTX_set_alpn_protos(pointer, list, UInt32(list.count))
            SSL_CTX_set_alpn_select_cb(
                pointer,
                { _, chosen, chosenCount, offered, offeredCount, _ in
                    let list = SecureContext.protocolList
                    let offers = UnsafeBufferPointer(start: offered, count: Int(offeredCount))
                    var start = 0
                    while start < offers.count {
                        let end = start + 1 + Int(offers[start])
                        guard end <= offers.count else { break }
                        if offers[start..<end].elementsEqual(list), let offered {
                            chosen?.pointee = offered + start + 1
                            chosenCount?.pointee = UInt8(list.count - 1)
                            return CInt(SSL_TLSEXT_ERR_OK)
                        }
                        start = end
                    }
                    return CInt(SSL_TLSEXT_ERR_ALERT_FATAL)
                }, nil)
            // A client that names no protocol at all is never asked about by the callback above.
            SSL_CTX_set_client_hello_cb(
                pointer,
                { session, alert, _ in
                    func has(_ kind: CInt) -> Bool {
                        var bytes: UnsafePointer<UInt8>?
                        var count = 0
                        return SSL_client_hello_get0_ext(session, UInt32(kind), &bytes, &count) == 1
                    }
                    // Without this one the client is too old, which the library says better.
                    guard has(TLSEXT_TYPE_supported_versions),
                        !has(TLSEXT_TYPE_application_layer_protocol_negotiation)
                    else { return SSL_CLIENT_HELLO_SUCCESS }
                    SecureChannel.of(session)?.missesProtocol = true
                    alert?.pointee = SSL_AD_NO_APPLICATION_PROTOCOL
                    return SSL_CLIENT_HELLO_ERROR
                }, nil)
        }

        private func judgePeers() {
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
            // In place of chains, names and dates: the key alone is looked at.
            SSL_CTX_set_cert_verify_callback(
                pointer,
                { store, _ in
                    let index = SSL_get_ex_data_X509_STORE_CTX_idx()
                    let session = X509_STORE_CTX_get_ex_data(store, index).map { OpaquePointer($0) }
                    guard let channel = SecureChannel.of(session),
                        let leaf = X509_STORE_CTX_get0_cert(store),
                        let fingerprint = Fingerprint(of: leaf), channel.admit(fingerprint)
                    else {
                        // The alert becomes unknown_ca.
                        X509_STORE_CTX_set_error(store, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT)
                        return 0
                    }
                    X509_STORE_CTX_set_error(store, X509_V_OK)
                    return 1
                }, nil)
        }
    }
#else
    /// Stands in where encryption is not built in: there is none.
    package struct SecureContext {
        /// The protocol both ends would name.
        package static let protocolName = "tandem/1"

        private let nothing: Never

        /// Never called, since there is no context.
        package var fingerprint: Fingerprint { switch nothing {} }

        /// Throws `notBuiltIn`.
        package init(
            _ certificate: DeviceCertificate, allows: @escaping (Fingerprint) -> Bool
        ) throws(SecurityError) { throw .notBuiltIn }
    }
#endif
