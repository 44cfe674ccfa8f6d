#if Encryption
    import COpenSSL

    /// Bytes that are wiped when nobody holds them any more, or earlier.
    ///
    /// Only what is never copied into an array is wiped whole: keys are derived into it and used where they lie.
    package final class SecretBytes {
        /// How many bytes there are.
        package let count: Int
        private let room: UnsafeMutableRawBufferPointer
        /// Where they lie, for one who holds this object meanwhile.
        let start: UnsafePointer<UInt8>

        /// Makes room, and has it filled.
        package init<Fault: Error>(
            count: Int, fill: (UnsafeMutableRawBufferPointer) throws(Fault) -> Void
        ) throws(Fault) {
            self.count = count
            room = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
            guard let first = room.initializeMemory(as: UInt8.self, repeating: 0).baseAddress else {
                preconditionFailure("a secret has bytes")
            }
            start = UnsafePointer(first)
            try fill(room)
        }

        /// Copies bytes that were received or typed.
        package convenience init(_ bytes: [UInt8]) {
            self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
        }

        /// Draws bytes from libcrypto's generator, which the kernel's seeds.
        package static func random(count: Int) throws(SealFault) -> SecretBytes {
            try SecretBytes(count: count) { room throws(SealFault) in
                guard
                    RAND_priv_bytes(
                        room.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(count)) == 1
                else { throw .last() }
            }
        }

        deinit {
            wipe()
            room.deallocate()
        }

        /// Overwrites the bytes with zeros, in a way that no compiler leaves out.
        package func wipe() { OPENSSL_cleanse(room.baseAddress, count) }

        /// Whether all bytes are zero, as after `wipe`.
        package var isZero: Bool { room.allSatisfy { $0 == 0 } }

        func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
            withExtendedLifetime(self) { body(start) }
        }
    }

    extension KeyDerivation {
        /// Derives a key into memory that is wiped.
        ///
        /// - Parameter secrets: the input keying material, one behind the other.
        package static func secret(
            from secrets: [SecretBytes], salt: [UInt8], info: [UInt8], byteCount: Int
        ) throws(SealFault) -> SecretBytes {
            let material = SecretBytes(count: secrets.reduce(0) { $0 + $1.count }) { room in
                var start = 0
                for secret in secrets {
                    secret.withBytes { bytes in
                        room[start..<start + secret.count].copyBytes(
                            from: UnsafeBufferPointer(start: bytes, count: secret.count))
                    }
                    start += secret.count
                }
            }
            return try SecretBytes(count: byteCount) { room throws(SealFault) in
                guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else { throw .last() }
                defer { EVP_PKEY_CTX_free(context) }
                var count = byteCount
                let isDerived = material.withBytes { bytes in
                    EVP_PKEY_derive_init(context) == 1
                        && EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1
                        && EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(salt.count)) == 1
                        && EVP_PKEY_CTX_set1_hkdf_key(context, bytes, Int32(material.count)) == 1
                        && EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)) == 1
                        && EVP_PKEY_derive(
                            context, room.baseAddress?.assumingMemoryBound(to: UInt8.self), &count)
                            == 1
                }
                guard isDerived, count == byteCount else { throw .last() }
            }
        }
    }

    /// SHA-256, by libcrypto.
    package enum SHA256 {
        /// Hashes bytes.
        package static func hash(_ bytes: [UInt8]) throws(SealFault) -> [UInt8] {
            var hash = [UInt8](repeating: 0, count: 32)
            guard EVP_Digest(bytes, bytes.count, &hash, nil, EVP_sha256(), nil) == 1 else {
                throw .last()
            }
            return hash
        }
    }
#endif
