#if Encryption
    import Core
    import Crypto
    import Storage

    /// A secret that was left for this device in an envelope.
    struct LeftSecret {
        /// The secret.
        let secret: SpaceSecret
        /// The replica that wrote the envelope last, by what the write says.
        let author: ReplicaID

        /// All that open with this device's key, in the records of any device.
        ///
        /// - Parameter generation: only those of later generations are looked at; the first secret comes with the space or
        ///   its code, never so.
        static func all(
            in store: Store, for keyring: Keyring,
            above generation: UInt32 = SpaceSecret.firstGeneration
        ) throws(StoreFault) -> [LeftSecret] {
            var found: [LeftSecret] = []
            for stored in try store.deviceRecords() {
                stored.record.forEachRegister { field, survivors in
                    guard case .element(.number(DeviceField.envelopes), .bytes(let bytes)) = field,
                        let author = survivors.last?.write.dot.replica,
                        SecretEnvelope.generation(of: bytes) ?? 0 > generation,
                        let secret = try? SecretEnvelope.open(
                            bytes, of: store.space, with: keyring.exchangeKey)
                    else { return }
                    found.append(LeftSecret(secret: secret, author: author))
                }
            }
            return found
        }
    }
#endif
