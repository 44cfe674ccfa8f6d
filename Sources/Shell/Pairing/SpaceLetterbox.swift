#if Encryption
    import Causality
    import Records
    import Replication
    import Runtime
    import Sealing
    import Storage
    import Wire

    /// The letters of a device: under each older secret that it knows, what those need who may have no later one.
    ///
    /// In a letter are the records of the devices that were there before the next generation, where the next secret waits
    /// in envelopes that only they can open, and of those that were revoked, so that nothing is taken from them. Who
    /// was revoked may read that, as it has the older secret: it hears that it is out, and of no device that came later.
    /// Source: Protocol/11-Pairing.md §4.
    package final class SpaceLetterbox: Letterbox {
        private let own: SpaceSealer
        private let older: [SpaceSealer]

        /// With the secrets that a device knows.
        ///
        /// - Parameters:
        ///   - own: with the secret that the device shows.
        ///   - older: with the others that it knows, the oldest first.
        package init(_ own: SpaceSealer, older: [SpaceSealer]) {
            self.own = own
            self.older = older
        }

        /// What is left now; a letter that would be longer than a relay takes is not written.
        package func letters(from store: Store) throws(StoreFault) -> [Letter] {
            if older.isEmpty { return [] }
            let book = try DeviceBook(store)
            let records = try store.deviceRecords()
            var letters: [Letter] = []
            for sealer in older {
                guard let named = Self.named(in: book, sealer.generation) else { continue }
                let changes = Store.changes(
                    of: records.filter { stored in
                        named.contains(ReplicaID(value: stored.id.value))
                            || DeviceBook.isMarked(stored)
                    })
                do throws(SealFault) {
                    if let letter = try sealer.letter(of: changes) { letters.append(letter) }
                } catch {
                    throw .cannotSeal(detail: "\(error)")
                }
            }
            return letters
        }

        /// The records in a letter under the secret that the device shows.
        package func open(_ letter: Letter) -> [Change]? { own.open(letter) }

        /// The replicas whose records those need who may have no later secret; nil if there is nobody to read it.
        ///
        /// Who has an envelope with the very next one had no later one once, and has not if it was restored from a
        /// backup of then.
        private static func named(in book: DeviceBook, _ generation: UInt32) -> Set<ReplicaID>? {
            let readers = book.devices.filter { device in
                guard device.fingerprint != nil, !device.isLateUser else { return false }
                if (1...generation).contains(device.generation) { return true }
                return device.envelopes.contains {
                    SecretEnvelope.generation(of: $0).map { $0 - 1 } == generation
                }
            }
            if readers.isEmpty { return nil }
            return Set(readers.filter { !$0.isRevoked }.flatMap(\.replicas))
        }
    }
#endif
