#if Encryption
    import COpenSSL

    /// HKDF with SHA-256 (RFC 5869), by libcrypto.
    package enum KeyDerivation {
        /// Derives a key.
        ///
        /// - Parameters:
        ///   - secret: the input keying material.
        ///   - byteCount: of the key; at most 8,160.
        package static func key(
            from secret: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int
        ) throws(SealFault) -> [UInt8] {
            guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else { throw .last() }
            defer { EVP_PKEY_CTX_free(context) }
            var key = [UInt8](repeating: 0, count: byteCount)
            var count = byteCount
            guard EVP_PKEY_derive_init(context) == 1,
                EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1,
                EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(salt.count)) == 1,
                EVP_PKEY_CTX_set1_hkdf_key(context, secret, Int32(secret.count)) == 1,
                EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)) == 1,
                EVP_PKEY_derive(context, &key, &count) == 1, count == byteCount
            else { throw .last() }
            return key
        }
    }

    extension SealFault {
        /// Makes a fault from the last error that libcrypto reported.
        static func last() -> SealFault {
            let code = ERR_get_error()
            ERR_clear_error()
            guard code != 0, let reason = ERR_reason_error_string(code) else {
                return .library("no reason given")
            }
            return .library(String(cString: reason))
        }
    }
#endif
