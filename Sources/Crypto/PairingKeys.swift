#if Encryption
    import COpenSSL
    import Core

    /// The keys that a pairing code gives: where to meet, how requests are sealed, and what binds the rest to the code.
    ///
    /// Source: Protocol/11-Pairing.md §2.
    package struct PairingCodeKeys {
        /// The bytes of the id of the mailbox.
        package static let mailboxByteCount = 16

        /// Names the mailbox at the meeting point.
        package let mailbox: [UInt8]
        /// Seals requests.
        let request: SecretBytes
        /// Goes into the keys of each request.
        let bind: SecretBytes

        /// Derives them.
        package init(_ codeKey: [UInt8]) throws(SealFault) {
            let material = SecretBytes(codeKey)
            func key(_ label: String, _ byteCount: Int) throws(SealFault) -> SecretBytes {
                try KeyDerivation.secret(
                    from: [material], salt: Array("tandem pairing 1".utf8),
                    info: Array(label.utf8), byteCount: byteCount)
            }
            mailbox = try key("mailbox", Self.mailboxByteCount).withBytes {
                Array(UnsafeBufferPointer(start: $0, count: Self.mailboxByteCount))
            }
            request = try key("request", SyntheticCipher.keyByteCount)
            bind = try key("bind", 32)
        }

        /// Forgets what binds to the code, and keeps what opens requests.
        package func wipeBinding() { bind.wipe() }

        /// Forgets all but the id.
        package func wipe() {
            request.wipe()
            bind.wipe()
        }

        /// Whether `wipeBinding` was called.
        package var isBindingWiped: Bool { bind.isZero }

        /// Seals the content of a request.
        package func seal(
            request content: [UInt8], beside parts: [[UInt8]]
        ) throws(SealFault) -> [UInt8] {
            try SyntheticCipher(request).seal(content, beside: parts)
        }

        /// Opens the content of a request.
        package func open(
            request sealed: ArraySlice<UInt8>, beside parts: [[UInt8]]
        ) throws(SealFault) -> [UInt8] {
            try SyntheticCipher(request).open(sealed, beside: parts)
        }
    }

    /// An X25519 key (RFC 7748) that is used for one pairing, and wiped.
    package final class OneTimeKey {
        /// The bytes of a public key.
        package static let shownByteCount = 32

        /// The public half.
        package let shown: [UInt8]
        private var pair: OpaquePointer?

        /// Makes a key of 32 random bytes.
        package init(_ seed: SecretBytes) throws(SealFault) {
            guard
                let pair = seed.withBytes({ bytes in
                    EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, bytes, seed.count)
                })
            else { throw .last() }
            var shown = [UInt8](repeating: 0, count: Self.shownByteCount)
            var count = shown.count
            guard EVP_PKEY_get_raw_public_key(pair, &shown, &count) == 1 else {
                EVP_PKEY_free(pair)
                throw .last()
            }
            self.pair = pair
            self.shown = shown
        }

        deinit { wipe() }

        /// Forgets the private half; libcrypto overwrites it.
        package func wipe() {
            EVP_PKEY_free(pair)
            pair = nil
        }

        /// Whether the private half is gone.
        package var isWiped: Bool { pair == nil }

        /// The secret that this key and a peer's agree on.
        ///
        /// - Throws: `notAuthentic` if all of it is zero, as with a peer's key of small order; libcrypto refuses that.
        func agree(with peer: [UInt8]) throws(SealFault) -> SecretBytes {
            guard let pair else { throw .notAuthentic }
            guard peer.count == Self.shownByteCount,
                let theirs = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, peer, peer.count)
            else {
                ERR_clear_error()
                throw .malformed
            }
            defer { EVP_PKEY_free(theirs) }
            guard let context = EVP_PKEY_CTX_new(pair, nil) else { throw .last() }
            defer { EVP_PKEY_CTX_free(context) }
            let shared = try SecretBytes(count: 32) { room throws(SealFault) in
                var count = 32
                guard EVP_PKEY_derive_init(context) == 1,
                    EVP_PKEY_derive_set_peer(context, theirs) == 1,
                    EVP_PKEY_derive(
                        context, room.baseAddress?.assumingMemoryBound(to: UInt8.self), &count)
                        == 1, count == 32
                else {
                    ERR_clear_error()
                    throw .notAuthentic
                }
            }
            guard !shared.isZero else { throw .notAuthentic }
            return shared
        }
    }

    /// The keys of one request: of the answer, of the digits, and of what is handed over.
    ///
    /// Source: Protocol/11-Pairing.md §2.
    package struct PairingRequestKeys {
        /// The digits that a person compares.
        package static let digitCount = 6

        private let answer: SecretBytes
        private let digits: SecretBytes
        private let handover: SecretBytes

        /// Derives them from both one-time keys, the code, and the request.
        ///
        /// - Parameters:
        ///   - own: the one-time key of this side.
        ///   - peer: the public one-time key of the other.
        ///   - inviter: the inviter's public one-time key, which is one of these two.
        ///   - request: the hash of the request.
        package init(
            own: OneTimeKey, peer: [UInt8], inviter: [UInt8], _ code: PairingCodeKeys,
            request: [UInt8]
        ) throws(SealFault) {
            let shared = try own.agree(with: peer)
            func key(_ label: String, _ byteCount: Int) throws(SealFault) -> SecretBytes {
                try KeyDerivation.secret(
                    from: [shared, code.bind], salt: code.mailbox,
                    info: Array(label.utf8) + request + inviter, byteCount: byteCount)
            }
            answer = try key("m2", SyntheticCipher.keyByteCount)
            digits = try key("sas", 32)
            handover = try key("m3", SyntheticCipher.keyByteCount)
        }

        /// Forgets the keys of the answer and the digits.
        package func wipe() {
            answer.wipe()
            digits.wipe()
            handover.wipe()
        }

        /// Seals the content of the answer.
        package func seal(
            answer content: [UInt8], beside parts: [[UInt8]]
        ) throws(SealFault) -> [UInt8] {
            try SyntheticCipher(answer).seal(content, beside: parts)
        }

        /// Opens the content of the answer.
        package func open(
            answer sealed: ArraySlice<UInt8>, beside parts: [[UInt8]]
        ) throws(SealFault) -> [UInt8] {
            try SyntheticCipher(answer).open(sealed, beside: parts)
        }

        /// Seals what is handed over.
        package func seal(
            handover content: [UInt8], beside parts: [[UInt8]]
        ) throws(SealFault) -> [UInt8] {
            try SyntheticCipher(handover).seal(content, beside: parts)
        }

        /// Opens what is handed over.
        package func open(
            handover sealed: ArraySlice<UInt8>, beside parts: [[UInt8]]
        ) throws(SealFault) -> [UInt8] {
            try SyntheticCipher(handover).open(sealed, beside: parts)
        }

        /// The six digits of a request and its answer, by their hashes.
        package func digits(request: [UInt8], answer: [UInt8]) throws(SealFault) -> String {
            let message = request + answer
            var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
            var count: UInt32 = 0
            let isMade = digits.withBytes { key in
                HMAC(
                    EVP_sha256(), key, Int32(digits.count), message, message.count, &code, &count)
                    != nil
            }
            guard isMade else { throw .last() }
            let number = code[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
            let text = String(number)
            return String(repeating: "0", count: Self.digitCount - text.count) + text
        }
    }
#endif
