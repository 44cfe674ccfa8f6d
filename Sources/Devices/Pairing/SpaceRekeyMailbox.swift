#if Encryption
    import Core
    import Replica
    import Crypto
    import Storage
    import Core

    /// The rekey messages of a device: under each older secret that it knows, what those need who may have no later one.
    ///
    /// In a rekey message are the records of the devices that were there before the next generation, where the next secret waits
    /// in envelopes that only they can open, and of those that were revoked, so that nothing is taken from them. Who
    /// was revoked may read that, as it has the older secret: it hears that it is out, and of no device that came later
    /// and is in.
    /// Source: Protocol/11-Pairing.md §4.
    package final class SpaceRekeyMailbox: RekeyMailbox {
        private let own: SpaceSealer
        private let older: [SpaceSealer]
        private let waysOn: [SpaceSealer]

        /// With the secrets that a device knows.
        ///
        /// - Parameters:
        ///   - own: with the secret that the device shows.
        ///   - older: with the others that it knows, the oldest first.
        ///   - waysOn: with those that seal nothing else, as devices that are out may have made them.
        package init(
            _ own: SpaceSealer, older: [SpaceSealer], waysOn: [SpaceSealer] = []
        ) {
            self.own = own
            self.older = older
            self.waysOn = waysOn
        }

        /// Makes the rekey messages to leave now; one that would be longer than a relay accepts is
        /// not written.
        package func rekeyMessages(from store: Store) throws(StoreFault) -> [RekeyMessage] {
            if older.isEmpty, waysOn.isEmpty { return [] }
            let directory = try DeviceDirectory(store)
            let records = try store.deviceRecords()
            var rekeyMessages: [RekeyMessage] = []
            for sealer in older + waysOn {
                // Of one generation with it are devices that have never seen a way on: they came with another secret.
                let isWayOn = waysOn.contains { $0 === sealer }
                let latest = isWayOn ? sealer.generation - 1 : sealer.generation
                guard let named = Self.named(in: directory, latest, sealer.generation) else {
                    continue
                }
                let needed = Store.changes(
                    of: records.filter { named.contains(ReplicaID(value: $0.id.value)) })
                // Not those of devices that came later and name a revoked one: who is out would hear of them.
                let marked = Store.changes(
                    of: records.filter { stored in
                        let replica = ReplicaID(value: stored.id.value)
                        guard DeviceDirectory.isMarked(stored), !named.contains(replica) else {
                            return false
                        }
                        guard let device = directory[replica] else { return true }
                        return device.isRevoked || device.generation <= latest
                    })
                do throws(SealFault) {
                    if let rekeyMessage = try sealer.rekeyMessage(of: Self.fitting(needed, marked))
                    {
                        rekeyMessages.append(rekeyMessage)
                    }
                } catch {
                    throw .cannotSeal(detail: "\(error)")
                }
            }
            return rekeyMessages
        }

        /// Chooses the records of a rekey message: first the recipients', then the revoked
        /// devices', of each the shortest first.
        ///
        /// A record that is too long does not keep out the others.
        private static func fitting(_ needed: [Change], _ marked: [Change]) -> [Change] {
            func bySize(_ changes: [Change]) -> [Change] {
                changes.sorted { ($0.body.count, $0.name) < ($1.body.count, $1.name) }
            }
            // Padding adds at most an eighth.
            var room = WireLimits.rekeyMessageByteCountMax / 9 * 8 - 1024
            var fitting: [Change] = []
            for change in bySize(needed) + bySize(marked) {
                room -= change.body.count + 64 + 24 * change.clock.entries.count
                if room < 0 { break }
                fitting.append(change)
            }
            return fitting.sorted { $0.name < $1.name }
        }

        /// The records in a rekey message under the secret that the device shows.
        package func open(_ rekeyMessage: RekeyMessage) -> [Change]? { own.open(rekeyMessage) }

        /// The replicas whose records those need who may have no later secret; nil if there is nobody to read it.
        ///
        /// A device restored from a backup may own the envelope for the very next generation, but
        /// no later secret.
        private static func named(
            in directory: DeviceDirectory, _ latest: UInt32, _ generation: UInt32
        ) -> Set<ReplicaID>? {
            let readers = directory.devices.filter { device in
                guard device.fingerprint != nil, !device.isLateUser else { return false }
                if device.generation > 0, device.generation <= latest { return true }
                return device.envelopes.contains {
                    SecretEnvelope.generation(of: $0).map { $0 - 1 } == generation
                }
            }
            if readers.isEmpty { return nil }
            return Set(readers.filter { !$0.isRevoked }.flatMap(\.replicas))
        }
    }
#endif
