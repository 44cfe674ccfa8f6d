#if Encryption
    import COpenSSL
    import Core

    /// A secret sealed for one device: devices that stay in a space get the next secret in it.
    ///
    /// An ephemeral X25519 key (RFC 7748) agrees with the device's on a shared secret; HKDF-SHA256 with
    /// both public keys for a salt makes of it the key of AES-256-SIV. Everything is libcrypto's.
    /// Source: Protocol/9-Sealing.md.
    package enum SecretEnvelope {
        /// The bytes of a key, private or public.
        package static let keyByteCount = 32

        /// The public key that belongs to a private one: any 32 random bytes.
        package static func shown(_ own: [UInt8]) throws(SealFault) -> [UInt8] {
            guard
                let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, own, own.count)
            else { throw .last() }
            defer { EVP_PKEY_free(key) }
            var shown = [UInt8](repeating: 0, count: keyByteCount)
            var count = keyByteCount
            guard EVP_PKEY_get_raw_public_key(key, &shown, &count) == 1 else { throw .last() }
            return shown
        }

        /// Closes a secret of a space for the device with that public key.
        ///
        /// - Parameter ephemeral: 32 bytes, used for nothing else, that nobody knows who has not the secret.
        package static func close(
            _ secret: SpaceSecret, of space: SpaceID, for device: [UInt8], ephemeral: [UInt8]
        ) throws(SealFault) -> [UInt8] {
            let shownKey = try shown(ephemeral)
            let key = try key(own: ephemeral, peer: device, salt: shownKey + device)
            let sealed = try SyntheticCipher(key: key).seal(
                secret.bytes, beside: context(space, secret.generation))
            return shownKey + secret.generation.bigEndianBytes + sealed
        }

        /// Closes a secret of a space for a device, with the same bytes by whoever has the secret.
        ///
        /// The ephemeral key is derived from the secret: who knows it knows what is in the envelope.
        package static func close(
            _ secret: SpaceSecret, of space: SpaceID, for device: [UInt8]
        ) throws(SealFault) -> [UInt8] {
            let ephemeral = try KeyDerivation.key(
                from: secret.bytes, salt: device,
                info: Array("tandem envelope 1".utf8) + space.bytes
                    + secret.generation.bigEndianBytes,
                byteCount: keyByteCount)
            return try close(secret, of: space, for: device, ephemeral: ephemeral)
        }

        /// Which secret is in an envelope; nil if it is none.
        package static func generation(of envelope: [UInt8]) -> UInt32? {
            guard envelope.count == byteCount else { return nil }
            let generation = envelope[keyByteCount..<keyByteCount + 4].reduce(UInt32(0)) {
                $0 << 8 | UInt32($1)
            }
            return generation >= SpaceSecret.firstGeneration ? generation : nil
        }

        private static let byteCount = keyByteCount + 4 + 16 + SpaceSecret.byteCount

        /// Opens an envelope for this device.
        package static func open(
            _ envelope: [UInt8], of space: SpaceID, with own: [UInt8]
        ) throws(SealFault) -> SpaceSecret {
            guard let generation = generation(of: envelope) else { throw .malformed }
            let ephemeral = Array(envelope[..<keyByteCount])
            let key = try key(own: own, peer: ephemeral, salt: ephemeral + shown(own))
            let bytes = try SyntheticCipher(key: key).open(
                envelope[36...], beside: context(space, generation))
            guard let secret = SpaceSecret(bytes: bytes, generation: generation) else {
                throw .malformed
            }
            return secret
        }

        private static func context(_ space: SpaceID, _ generation: UInt32) -> [[UInt8]] {
            [Array("tandem secret 1".utf8), space.bytes, generation.bigEndianBytes]
        }

        /// The key that two parties agree on.
        private static func key(
            own: [UInt8], peer: [UInt8], salt: [UInt8]
        ) throws(SealFault) -> [UInt8] {
            guard let mine = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, own, own.count)
            else { throw .last() }
            defer { EVP_PKEY_free(mine) }
            guard let theirs = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, peer, peer.count)
            else { throw .last() }
            defer { EVP_PKEY_free(theirs) }
            guard let context = EVP_PKEY_CTX_new(mine, nil) else { throw .last() }
            defer { EVP_PKEY_CTX_free(context) }
            var shared = [UInt8](repeating: 0, count: keyByteCount)
            var count = keyByteCount
            // A peer's key of small order, which would make the shared secret known, fails here.
            guard EVP_PKEY_derive_init(context) == 1,
                EVP_PKEY_derive_set_peer(context, theirs) == 1,
                EVP_PKEY_derive(context, &shared, &count) == 1
            else {
                ERR_clear_error()
                throw .notAuthentic
            }
            return try KeyDerivation.key(
                from: shared, salt: salt, info: Array("tandem secret 1".utf8),
                byteCount: SyntheticCipher.keyByteCount)
        }
    }
#endif
