#if Encryption
    import Core

    /// The keys of one generation of a space, derived from its secret.
    ///
    /// HKDF-SHA256; the salt is the space's id, the info is "tandem 1 ", the purpose, a blank and the
    /// generation in decimal digits. Source: Protocol/9-Sealing.md.
    package struct SpaceKeys: Sendable {
        /// The purposes for which keys are derived.
        private enum Purpose: String {
            case seal, access
        }

        /// The space.
        package let space: SpaceID
        /// The generation.
        package let generation: UInt32
        /// Of AES-256-SIV; 64 bytes.
        let sealing: [UInt8]
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
            access = try key(.access, AccessKey.seedByteCount)
        }
    }
#endif
