#if Encryption
    import Core

    /// Seals change bodies and statements of one generation of a space, and opens them.
    ///
    /// AES-256-SIV (RFC 5297) by libcrypto: authenticated, and deterministic, so there is no nonce that
    /// could repeat. The clock is bound in, and no two states of a record have one clock, so equal bytes
    /// show only that a version was uploaded twice. One object a thread.
    /// Source: Protocol/9-Sealing.md.
    package final class Sealer {
        /// A form, a generation, and the synthetic initialisation vector.
        package static let headByteCount = 1 + 4 + 16
        /// The longest content, in bytes.
        package static let contentByteCountMax = RecordLimits.bodyByteCountMax

        private static let form: UInt8 = 1

        private let keys: SpaceKeys
        private let cipher: SyntheticCipher

        /// Seals and opens with the keys of one generation.
        package init(_ keys: SpaceKeys) throws(SealFault) {
            self.keys = keys
            cipher = try SyntheticCipher(key: keys.sealing)
        }

        /// The generation.
        package var generation: UInt32 { keys.generation }

        /// Seals the body of a change for its record and clock.
        package func seal(
            _ body: [UInt8], of id: RecordID, clock: VersionVector
        ) throws(SealFault) -> [UInt8] {
            try seal(body, beside: place(of: id, clock))
        }

        /// Opens the body of a change of that record and clock.
        package func open(
            _ sealed: [UInt8], of id: RecordID, clock: VersionVector
        ) throws(SealFault) -> [UInt8] {
            try open(sealed, beside: place(of: id, clock))
        }

        /// Seals a replica's state summary.
        package func seal(
            statement: [UInt8], of replica: ReplicaID
        ) throws(SealFault) -> [UInt8] {
            try seal(statement, beside: place(of: replica))
        }

        /// Opens that replica's state summary.
        package func open(
            statement sealed: [UInt8], of replica: ReplicaID
        ) throws(SealFault) -> [UInt8] {
            try open(sealed, beside: place(of: replica))
        }

        /// Seals a rekey message for devices that have this secret and no later one.
        package func seal(rekeyMessage: [UInt8]) throws(SealFault) -> [UInt8] {
            try seal(rekeyMessage, beside: rekeyMessagePlace)
        }

        /// Opens such a rekey message.
        package func open(rekeyMessage sealed: [UInt8]) throws(SealFault) -> [UInt8] {
            try open(sealed, beside: rekeyMessagePlace)
        }

        // MARK: Where something belongs

        private var rekeyMessagePlace: [[UInt8]] { [Array("tandem letter 1".utf8), scope] }

        private func place(of id: RecordID, _ clock: VersionVector) -> [[UInt8]] {
            var writer = CanonicalWriter()
            writer.array(clock.entries.count * 2)
            for entry in clock.entries {
                writer.identifier(entry.replica.value)
                writer.unsigned(entry.counter)
            }
            return [Array("tandem change 1".utf8), scope, id.bytes, writer.bytes]
        }

        private func place(of replica: ReplicaID) -> [[UInt8]] {
            [Array("tandem statement 1".utf8), scope, replica.bytes]
        }

        private var scope: [UInt8] { keys.space.bytes + keys.generation.bigEndianBytes }

        // MARK: Sealing

        private func seal(
            _ content: [UInt8], beside place: [[UInt8]]
        ) throws(SealFault) -> [UInt8] {
            guard content.count <= Self.contentByteCountMax else {
                throw .tooLong(max: Self.contentByteCountMax)
            }
            let padded = Padding.padded(content)
            return [Self.form] + keys.generation.bigEndianBytes
                + (try cipher.seal(padded, beside: place))
        }

        private func open(
            _ sealed: [UInt8], beside place: [[UInt8]]
        ) throws(SealFault) -> [UInt8] {
            let most = Self.headByteCount + Padding.length(for: Self.contentByteCountMax)
            guard sealed.count <= most else { throw .tooLong(max: most) }
            guard sealed.count > Self.headByteCount, sealed[0] == Self.form else {
                throw .malformed
            }
            let generation = sealed[1..<5].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard generation == keys.generation else { throw .otherGeneration(generation) }
            let padded = try cipher.open(sealed[5...], beside: place)
            guard let content = Padding.content(padded) else { throw .malformed }
            return content
        }
    }
#endif
