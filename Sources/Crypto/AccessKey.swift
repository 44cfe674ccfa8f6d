#if Encryption
    import COpenSSL
    import Core

    /// The pair of keys by which a relay lets devices of a space in.
    ///
    /// An Ed25519 pair (RFC 8032) with the derived access key for a seed. The relay has the public half
    /// alone: who steals its disk can let nobody in anywhere else.
    /// Source: Protocol/9-Sealing.md.
    package struct AccessKey: Sendable {
        static let seedByteCount = 32
        /// The bytes of a verifier.
        package static let verifierByteCount = 32
        /// The bytes of a proof.
        package static let proofByteCount = 64

        private let seed: [UInt8]
        /// The public half.
        package let verifier: [UInt8]
        private let space: SpaceID
        private let generation: UInt32

        /// The pair of one generation of a space.
        package init(_ keys: SpaceKeys) throws(SealFault) {
            seed = keys.access
            space = keys.space
            generation = keys.generation
            let pair = try Self.pair(seed)
            defer { EVP_PKEY_free(pair) }
            var verifier = [UInt8](repeating: 0, count: Self.verifierByteCount)
            var count = verifier.count
            guard EVP_PKEY_get_raw_public_key(pair, &verifier, &count) == 1,
                count == Self.verifierByteCount
            else { throw .last() }
            self.verifier = verifier
        }

        /// The proof for one channel.
        ///
        /// - Parameter channel: keying material exported from the TLS channel; no two have the same.
        package func proof(channel: [UInt8]) throws(SealFault) -> [UInt8] {
            try sign(Self.relayHello(space, generation, channel: channel))
        }

        /// The word that the verifier of a later generation is really that of this space.
        package func succession(of next: AccessKey) throws(SealFault) -> [UInt8] {
            try sign(Self.succession(space, next.generation, next.verifier))
        }

        /// Whether a proof is that of the pair with this verifier, for this channel.
        package static func isValid(
            proof: [UInt8], verifier: [UInt8], space: SpaceID, generation: UInt32,
            channel: [UInt8]
        ) -> Bool {
            verify(
                proof, of: relayHello(space, generation, channel: channel), verifier: verifier)
        }

        /// Whether the owner of `verifier` named `next` as the verifier of that generation.
        package static func isValid(
            succession: [UInt8], verifier: [UInt8], space: SpaceID, generation: UInt32,
            next: [UInt8]
        ) -> Bool {
            verify(succession, of: Self.succession(space, generation, next), verifier: verifier)
        }

        // MARK: What is signed

        private static func relayHello(
            _ space: SpaceID, _ generation: UInt32, channel: [UInt8]
        ) -> [UInt8] {
            Array("tandem access 1".utf8) + space.bytes + generation.bigEndianBytes + channel
        }

        private static func succession(
            _ space: SpaceID, _ generation: UInt32, _ verifier: [UInt8]
        ) -> [UInt8] {
            Array("tandem succession 1".utf8) + space.bytes + generation.bigEndianBytes + verifier
        }

        // MARK: Signing

        private static func pair(_ seed: [UInt8]) throws(SealFault) -> OpaquePointer {
            guard
                let pair = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
            else { throw .last() }
            return pair
        }

        private func sign(_ message: [UInt8]) throws(SealFault) -> [UInt8] {
            let pair = try Self.pair(seed)
            defer { EVP_PKEY_free(pair) }
            guard let context = EVP_MD_CTX_new() else { throw .last() }
            defer { EVP_MD_CTX_free(context) }
            var signature = [UInt8](repeating: 0, count: Self.proofByteCount)
            var count = signature.count
            guard EVP_DigestSignInit(context, nil, nil, nil, pair) == 1,
                EVP_DigestSign(context, &signature, &count, message, message.count) == 1,
                count == Self.proofByteCount
            else { throw .last() }
            return signature
        }

        private static func verify(
            _ signature: [UInt8], of message: [UInt8], verifier: [UInt8]
        ) -> Bool {
            guard signature.count == proofByteCount, verifier.count == verifierByteCount,
                let key = EVP_PKEY_new_raw_public_key(
                    EVP_PKEY_ED25519, nil, verifier, verifier.count)
            else { return false }
            defer { EVP_PKEY_free(key) }
            guard let context = EVP_MD_CTX_new() else { return false }
            defer {
                EVP_MD_CTX_free(context)
                ERR_clear_error()
            }
            return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
                && EVP_DigestVerify(
                    context, signature, signature.count, message, message.count) == 1
        }
    }
#endif
