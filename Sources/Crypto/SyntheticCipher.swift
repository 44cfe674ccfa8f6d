#if Encryption
    import COpenSSL

    /// AES-256-SIV (RFC 5297) by libcrypto: what it seals is the vector of 16 bytes and the hidden bytes.
    ///
    /// Nothing beside may be empty: OpenSSL 3.0 overlooks empty parts (CVE-2023-2975).
    final class SyntheticCipher {
        static let keyByteCount = 64
        static let vectorByteCount = 16

        private let key: SecretBytes
        private let cipher: OpaquePointer
        private let context: OpaquePointer

        convenience init(key: [UInt8]) throws(SealFault) { try self.init(SecretBytes(key)) }

        init(_ key: SecretBytes) throws(SealFault) {
            precondition(key.count == Self.keyByteCount, "two AES-256 keys")
            self.key = key
            guard let cipher = EVP_CIPHER_fetch(nil, "AES-256-SIV", nil) else { throw .last() }
            guard let context = EVP_CIPHER_CTX_new() else {
                EVP_CIPHER_free(cipher)
                throw .last()
            }
            self.cipher = cipher
            self.context = context
        }

        deinit {
            EVP_CIPHER_CTX_free(context)
            EVP_CIPHER_free(cipher)
        }

        /// Encrypts bytes and binds them to the associated data.
        func seal(_ bytes: [UInt8], beside parts: [[UInt8]]) throws(SealFault) -> [UInt8] {
            var result = [UInt8](repeating: 0, count: Self.vectorByteCount + bytes.count)
            var count: Int32 = 0
            guard EVP_EncryptInit_ex2(context, cipher, key.start, nil, nil) == 1 else {
                throw .last()
            }
            for part in parts {
                precondition(!part.isEmpty, "an empty part would not be bound")
                guard EVP_EncryptUpdate(context, nil, &count, part, Int32(part.count)) == 1 else {
                    throw .last()
                }
            }
            let isSealed = result.withUnsafeMutableBufferPointer { result in
                guard let vector = result.baseAddress else { return false }
                let hidden = vector + Self.vectorByteCount
                return EVP_EncryptUpdate(context, hidden, &count, bytes, Int32(bytes.count)) == 1
                    && Int(count) == bytes.count
                    && EVP_EncryptFinal_ex(context, nil, &count) == 1
                    && EVP_CIPHER_CTX_ctrl(
                        context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.vectorByteCount), vector) == 1
            }
            guard isSealed else { throw .last() }
            return result
        }

        /// The bytes again, if nothing was changed and the same stands beside them.
        func open(
            _ sealed: ArraySlice<UInt8>, beside parts: [[UInt8]]
        ) throws(SealFault) -> [UInt8] {
            guard sealed.count > Self.vectorByteCount else { throw .malformed }
            var vector = Array(sealed.prefix(Self.vectorByteCount))
            let hidden = Array(sealed.dropFirst(Self.vectorByteCount))
            var bytes = [UInt8](repeating: 0, count: hidden.count)
            var count: Int32 = 0
            guard EVP_DecryptInit_ex2(context, cipher, key.start, nil, nil) == 1,
                EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.vectorByteCount), &vector) == 1
            else { throw .last() }
            for part in parts {
                guard EVP_DecryptUpdate(context, nil, &count, part, Int32(part.count)) == 1 else {
                    throw .last()
                }
            }
            guard EVP_DecryptUpdate(context, &bytes, &count, hidden, Int32(hidden.count)) == 1,
                Int(count) == hidden.count
            else {
                ERR_clear_error()
                throw .notAuthentic
            }
            return bytes
        }
    }
#endif
