#if Encryption
    import Core
    import Replica
    import Crypto
    import Core

    /// The uses of a space's secret towards a relay: seals, opens, and proves access.
    ///
    /// One object a thread.
    package final class SpaceSealer: SpaceSeal {
        private let sealer: Sealer
        private let namer: RecordNamer
        private let key: AccessKey
        private let succession: [UInt8]?

        /// Keys derived from a secret.
        ///
        /// - Parameter succession: for a generation after the first, what `succession(from:to:of:)` gives for the one
        ///   that the relay has, which asks for it.
        package init(
            _ secret: SpaceSecret, of space: SpaceID, succession: [UInt8]? = nil
        ) throws(SealFault) {
            let keys = try SpaceKeys(secret, space: space)
            sealer = try Sealer(keys)
            namer = RecordNamer(keys)
            key = try AccessKey(keys)
            self.succession = succession
        }

        /// The word of an older secret that a later one is really that of the space.
        package static func succession(
            from old: SpaceSecret, to next: SpaceSecret, of space: SpaceID
        ) throws(SealFault) -> [UInt8] {
            let key = try AccessKey(SpaceKeys(next, space: space))
            return try AccessKey(SpaceKeys(old, space: space)).succession(of: key)
        }

        /// The generation of the secret.
        package var generation: UInt32 { sealer.generation }

        /// Makes the proof for a relay that this device knows the secret.
        ///
        /// - Parameter channel: what names the channel; the proof is good for no other.
        package func access(on channel: [UInt8]) throws(SealFault) -> RelayHello.Access {
            RelayHello.Access(
                verifier: key.verifier, proof: try key.proof(channel: channel),
                succession: succession)
        }

        /// The public key by which relays know those who have the secret.
        package var verifier: [UInt8] { key.verifier }

        /// Seals changes for those who have this secret and not a later one.
        ///
        /// - Returns: the rekey message; nil if it would be longer than a relay takes.
        package func rekeyMessage(of changes: [Change]) throws(SealFault) -> RekeyMessage? {
            let content = Message.encode(
                .changes(ChangeBatch(changes: changes, through: nil)))
            let bytes = try sealer.seal(rekeyMessage: content)
            guard bytes.count <= WireLimits.rekeyMessageByteCountMax else { return nil }
            return RekeyMessage(generation: generation, verifier: verifier, bytes: bytes)
        }

        /// The changes in a rekey message; nil if nobody of the space wrote it for those who have this secret.
        package func open(_ rekeyMessage: RekeyMessage) -> [Change]? {
            guard rekeyMessage.verifier == verifier,
                let content = try? sealer.open(rekeyMessage: rekeyMessage.bytes),
                case .changes(let batch)? = try? Message.decode(content)
            else { return nil }
            return batch.changes
        }

        /// The name by which relays know a record, without a word of its collection and id.
        package func relayName(of name: RecordName) throws(SealFailure) -> RecordName {
            do throws(SealFault) {
                return try namer.relayName(of: name)
            } catch {
                throw SealFailure("\(error)")
            }
        }

        /// Seals the content of a version.
        package func seal(
            _ content: [UInt8], of relayName: RecordName, clock: VersionVector
        ) throws(SealFailure) -> [UInt8] {
            do throws(SealFault) {
                return try sealer.seal(content, of: relayName.id, clock: clock)
            } catch {
                throw SealFailure("\(error)")
            }
        }

        /// Opens a version; nil if nobody of the space sealed it so.
        package func open(
            _ sealed: [UInt8], of relayName: RecordName, clock: VersionVector
        ) -> [UInt8]? {
            guard relayName.collection == .relayed else { return nil }
            return try? sealer.open(sealed, of: relayName.id, clock: clock)
        }

        /// Seals the content of a summary row.
        package func seal(
            _ content: [UInt8], ofRow key: SummaryRow.Key, numbered number: UInt64
        ) throws(SealFailure) -> [UInt8] {
            do throws(SealFault) {
                return try sealer.seal(content, ofRow: key, numbered: number)
            } catch {
                throw SealFailure("\(error)")
            }
        }

        /// Opens a summary row; nil if nobody of the space sealed it so.
        package func open(
            _ sealed: [UInt8], ofRow key: SummaryRow.Key, numbered number: UInt64
        ) -> [UInt8]? {
            try? sealer.open(sealed, ofRow: key, numbered: number)
        }
    }
#endif
