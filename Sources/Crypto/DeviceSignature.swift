#if Encryption
    import COpenSSL

    /// The messages that a device signs with its key, and the public key by which others check it.
    package enum DeviceSignature {
        /// The longest public key, in bytes: of P-256, as a SubjectPublicKeyInfo.
        package static let keyByteCountMax = 91
        /// The longest signature, in bytes: of P-256, as DER.
        package static let byteCountMax = 72

        /// The fingerprint of a public key.
        package static func fingerprint(of key: [UInt8]) throws(SealFault) -> Fingerprint {
            guard let found = Fingerprint(bytes: try SHA256.hash(key)) else { throw .malformed }
            return found
        }

        /// Whether the owner of a public key, of Ed25519 or P-256, signed a message.
        package static func isValid(
            _ signature: [UInt8], of message: [UInt8], key bytes: [UInt8]
        ) -> Bool {
            guard bytes.count <= keyByteCountMax, signature.count <= byteCountMax else {
                return false
            }
            defer { ERR_clear_error() }
            let key = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
                var start = buffer.baseAddress
                let key = d2i_PUBKEY(nil, &start, buffer.count)
                // Bytes behind the key would give it another fingerprint.
                guard start == buffer.baseAddress.map({ $0 + buffer.count }) else {
                    EVP_PKEY_free(key)
                    return nil
                }
                return key
            }
            guard let key else { return false }
            defer { EVP_PKEY_free(key) }
            guard let scheme = scheme(of: key), let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            return EVP_DigestVerifyInit(context, nil, scheme.hash, nil, key) == 1
                && EVP_DigestVerify(
                    context, signature, signature.count, message, message.count) == 1
        }

        /// How a kind of key signs; the hash is nil for Ed25519, which hashes by itself.
        fileprivate struct Scheme {
            let hash: OpaquePointer?
        }

        /// How a key signs; nil for a kind that no device has.
        fileprivate static func scheme(of key: OpaquePointer) -> Scheme? {
            if EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 { return Scheme(hash: nil) }
            guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC, EVP_PKEY_get_bits(key) == 256 else {
                return nil
            }
            var name = [CChar](repeating: 0, count: 32)
            guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1,
                name.prefix(while: { $0 != 0 }).map({ UInt8(bitPattern: $0) })
                    == Array("prime256v1".utf8)
            else { return nil }
            return Scheme(hash: EVP_sha256())
        }
    }

    extension DeviceCertificate {
        /// The device's public key as a SubjectPublicKeyInfo (RFC 5280), of which the fingerprint is the hash.
        package func publicKey() throws(CertificateFault) -> [UInt8] {
            try Self.withParts(of: pem, path: "") { _, certificate in
                var der: UnsafeMutablePointer<UInt8>?
                let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der)
                guard count > 0, let der else { return nil }
                defer { CRYPTO_free(der, "", 0) }
                return Array(UnsafeBufferPointer(start: der, count: Int(count)))
            }
        }

        /// Signs a message with the device's key.
        package func sign(_ message: [UInt8]) throws(CertificateFault) -> [UInt8] {
            try Self.withParts(of: pem, path: "") { key, _ in
                guard let scheme = DeviceSignature.scheme(of: key),
                    let context = EVP_MD_CTX_new()
                else { return nil }
                defer { EVP_MD_CTX_free(context) }
                var signature = [UInt8](repeating: 0, count: DeviceSignature.byteCountMax)
                var count = signature.count
                guard EVP_DigestSignInit(context, nil, scheme.hash, nil, key) == 1,
                    EVP_DigestSign(context, &signature, &count, message, message.count) == 1
                else { return nil }
                return Array(signature[..<count])
            }
        }
    }
#endif
