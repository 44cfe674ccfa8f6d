import Core

#if Encryption
    import COpenSSL

    /// Gives the names by which relays know the records of one generation of a space.
    ///
    /// HMAC-SHA256 (RFC 2104) by libcrypto, cut to 16 bytes: an id in the clear would tell when the record was made,
    /// and one that is derived from a unique key could be guessed. Source: Protocol/9-Sealing.md.
    package struct RecordNamer: Sendable {
        private static let byteCount = 16

        private let key: [UInt8]

        /// Names records with the keys of one generation.
        package init(_ keys: SpaceKeys) {
            key = keys.naming
        }

        /// The relay name of a record; in the collection `relayed`.
        package func relayName(of name: RecordName) throws(SealFault) -> RecordName {
            var writer = CanonicalWriter()
            BodyCodec.write(name.collection, to: &writer)
            let collection = writer.bytes
            let message =
                [UInt8(truncatingIfNeeded: collection.count >> 8)]
                + [UInt8(truncatingIfNeeded: collection.count)] + collection + name.id.bytes
            var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
            var count: UInt32 = 0
            guard
                HMAC(
                    EVP_sha256(), key, Int32(key.count), message, message.count, &code, &count)
                    != nil, let id = RecordID(bytes: code[..<Self.byteCount])
            else { throw .last() }
            return RecordName(.relayed, id)
        }
    }
#endif
