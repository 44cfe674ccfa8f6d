import Core

#if Encryption
    import COpenSSL
#endif

/// The secret that only the devices of a space know; every key of the space is derived from it.
///
/// A secret belongs to one generation: taking a device out of the space begins the next one.
package struct SpaceSecret: Hashable, Sendable {
    /// How many bytes it has.
    package static let byteCount = 32
    /// The first generation.
    package static let firstGeneration: UInt32 = 1

    /// The secret itself.
    package let bytes: [UInt8]
    /// Counts the secrets of a space, from 1.
    package let generation: UInt32

    /// A secret that was received or stored; nil unless it has 32 bytes and a generation.
    package init?(bytes: [UInt8], generation: UInt32) {
        guard bytes.count == Self.byteCount, generation >= Self.firstGeneration else { return nil }
        self.bytes = bytes
        self.generation = generation
    }
}

extension SpaceSecret: CustomStringConvertible {
    /// Its generation; never the secret.
    package var description: String { "secret of generation \(generation)" }
}

#if Encryption
    /// The keys of one generation of a space, derived from its secret.
    ///
    /// HKDF-SHA256; the salt is the space's id, the info is "tandem 1 ", the purpose, a blank and the
    /// generation in decimal digits. Source: Protocol/9-Sealing.md.
    package struct SpaceKeys: Sendable {
        /// The purposes for which keys are derived.
        private enum Purpose: String {
            case seal, name, access
        }

        private static let namingByteCount = 32

        /// The space.
        package let space: SpaceID
        /// The generation.
        package let generation: UInt32
        /// Of AES-256-SIV; 64 bytes.
        let sealing: [UInt8]
        /// Of the names of records at a relay; 32 bytes.
        let naming: [UInt8]
        /// Seed of the pair of keys by which devices are let in at a relay; 32 bytes.
        let access: [UInt8]

        /// Derives the keys of a secret.
        package init(_ secret: SpaceSecret, space: SpaceID) throws(SealFault) {
            self.space = space
            generation = secret.generation
            func key(_ purpose: Purpose, _ byteCount: Int) throws(SealFault) -> [UInt8] {
                let info = "tandem 1 \(purpose.rawValue) \(secret.generation)"
                return try KeyDerivation.key(
                    from: secret.bytes, salt: space.bytes, info: Array(info.utf8),
                    byteCount: byteCount)
            }
            sealing = try key(.seal, SyntheticCipher.keyByteCount)
            naming = try key(.name, Self.namingByteCount)
            access = try key(.access, AccessKey.seedByteCount)
        }
    }

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
#endif

extension UInt32 {
    /// Its four bytes, the greatest first.
    var bigEndianBytes: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
