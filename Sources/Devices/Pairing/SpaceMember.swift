import Core
import Crypto
import Storage
import Transport

/// A device's place in its space: what it tells the others of itself, whom it lets in, and the secrets
/// that others leave for it.
package final class SpaceMember {
    /// The store.
    package let store: Store
    /// The fingerprint that this device proves to own.
    package let fingerprint: Fingerprint
    /// The secrets of this device.
    package private(set) var keyring: Keyring

    /// The relays at which a rekey message was waited for: once each, as some leave none.
    var awaitedRelays: Set<String> = []

    private var folder: String { store.paths.folder }

    /// Reads this device's membership; nil if it was never paired and no keyring was made for it.
    package init?(_ store: Store, _ fingerprint: Fingerprint) throws {
        guard let found = try Keyring.read(in: store.paths.folder), found.space == store.space
        else { return nil }
        self.store = store
        self.fingerprint = fingerprint
        keyring = found
    }

    /// Makes what a device of a space has, or adds to it.
    ///
    /// A keyring of another space is replaced: its store has left that space.
    package init(
        _ store: Store, _ fingerprint: Fingerprint, adding change: (inout Keyring) -> Void
    ) throws {
        self.store = store
        self.fingerprint = fingerprint
        let space = store.space
        let written = try Keyring.update(in: store.paths.folder) { found in
            var keyring = Keyring(space: space)
            if let found, found.space == space {
                keyring = found
            } else if let found {
                keyring.exchangeKey = found.exchangeKey
            }
            change(&keyring)
            return keyring
        }
        keyring = written ?? Keyring(space: space)
    }

    /// Changes the keyring.
    package func update(_ change: (inout Keyring) -> Void) throws {
        let space = store.space
        let written = try Keyring.update(in: folder) { found in
            guard var keyring = found, keyring.space == space else { return nil }
            change(&keyring)
            return keyring
        }
        if let written { keyring = written }
    }

    // MARK: What others know of this device

    /// Brings this device's record up to date, and takes in what others left there.
    ///
    /// - Parameter invite: the invitation by which it came just now.
    /// - Returns: whether the record was written: the others do not know that yet.
    @discardableResult
    package func refresh(invite: [UInt8]? = nil) throws -> Bool {
        #if Encryption
            let directory = try DeviceDirectory(store)
            try openEnvelopes(directory)
            try renewKey { directory.isExposed($0, besides: fingerprint) }
            var fields = try Self.shown(fingerprint, keyring)
            if let invite {
                fields.append(Assignment(.number(DeviceField.invite), .bytes(invite)))
            }
            let known = try store.record(RecordName(deviceOf: store.replica))
            if known?.record.visible(.number(DeviceField.name)) ?? .null == .null {
                // A purge has taken it.
                let name = try store.summary().deviceName
                fields.append(Assignment(.number(DeviceField.name), .text(name)))
            }
            // A revocation that somebody took away is written again, where the others hear of it.
            let namedCount = known.map { Store.revokedKeys(in: $0.record).count } ?? 0
            for key in directory.unnamedRevoked.prefix(max(0, Self.renewedCountMax - namedCount)) {
                let mark = Field.element(.number(DeviceField.revoked), .bytes(key.bytes))
                fields.append(Assignment(mark, .bool(true)))
            }
            // An update that says nothing new writes nothing, but waits for other writers.
            if let own = known, !own.verdict.isDeleted,
                fields.allSatisfy({ own.record.visible($0.field) == $0.value })
            {
                return false
            }
            return try store.edit { transaction throws(StoreFault) in
                try transaction.updateDevice(self.store.replica, fields)
            }
        #else
            return false
        #endif
    }

    #if Encryption
        /// The fields in which a device shows itself: its keys, and the secret that it knows.
        static func shown(
            _ fingerprint: Fingerprint, _ keyring: Keyring
        ) throws -> [Assignment] {
            var fields = [
                Assignment(.number(DeviceField.fingerprint), .bytes(fingerprint.bytes)),
                Assignment(
                    .number(DeviceField.exchangeKey),
                    .bytes(try SecretEnvelope.shown(keyring.exchangeKey))),
                Assignment(
                    .number(DeviceField.generation), .int(Int64(keyring.generation))),
            ]
            if let secret = keyring.secret {
                let verifier = try AccessKey(SpaceKeys(secret, space: keyring.space)).verifier
                fields.append(Assignment(.number(DeviceField.verifier), .bytes(verifier)))
            }
            return fields
        }

        /// Makes another X25519 key if the public one is exposed.
        private func renewKey(where isExposed: ([UInt8]) -> Bool) throws {
            let former = keyring.exchangeKey
            guard isExposed(try SecretEnvelope.shown(former)) else { return }
            // Another program may have made one meanwhile.
            try update { keyring in
                if keyring.exchangeKey == former { keyring.renewExchangeKey() }
            }
        }
    #endif

    /// How many revocations a device's own record has when those that somebody took away are written into it no more: more than
    /// a space has devices that are out, and not so many that they fill the record.
    package static let renewedCountMax = 256

    /// Opens the envelopes in this device's records; a secret that came from nobody but devices that are out seals
    /// nothing, and is kept only as the way on at a relay that has it.
    ///
    /// A secret too far above those that are known is left where it is: `DistantSecret`.
    private func openEnvelopes(_ directory: DeviceDirectory) throws {
        #if Encryption
            let left = try LeftSecret.all(in: store, for: keyring)
            let end = SecretSteps.end(
                from: keyring.latestGeneration, over: left.map(\.secret.generation),
                countMax: SecretSteps.countMax)
            let near = left.filter {
                $0.secret.generation <= end || keyring.secrets.contains($0.secret)
            }
            func isByRevoked(_ left: LeftSecret) -> Bool {
                directory[left.author]?.isRevoked == true
            }
            let found = near.filter { !isByRevoked($0) }.map(\.secret)
            let fromRevoked = near.filter(isByRevoked).map(\.secret)
            // One may have been taken before it was known that its maker is out: he could read what it seals.
            var distrusted = keyring.secrets.filter {
                (fromRevoked.contains($0) || keyring.distrusted.contains($0))
                    && !found.contains($0)
            }
            for secret in fromRevoked
            where !found.contains(secret) && !keyring.secrets.contains(secret)
                && !distrusted.contains(secret) && distrusted.count < Keyring.distrustedCountMax
            {
                distrusted.append(secret)
            }
            let news = (found + distrusted).filter { !keyring.secrets.contains($0) }
            guard !news.isEmpty || Set(distrusted) != Set(keyring.distrusted) else { return }
            let noted = try GenerationNote.generations(in: store)
            try update { keyring in
                for secret in news { keyring.add(secret) }
                keyring.distrusted = distrusted
                keyring.dropSurplus(keeping: noted)
            }
        #endif
    }

    /// Closes the present secret for devices of the space that have an older one, or another one of its generation.
    ///
    /// The greater of two of one generation is taken, so one who has that may be given the lesser: nobody else can tell.
    /// - Returns: how many were given it.
    @discardableResult
    package func passOnSecret() throws -> Int {
        #if Encryption
            guard let secret = keyring.secret, secret.generation > SpaceSecret.firstGeneration
            else { return 0 }
            let shown = try verifier(of: secret)
            let directory = try DeviceDirectory(store)
            let late = try directory.devices.filter { device in
                guard device.fingerprint != nil, device.fingerprint != fingerprint,
                    !device.isRevoked, !device.isLateUser, device.generation > 0,
                    let key = device.exchangeKey, !directory.isExposed(key)
                else { return false }
                let hasOther = device.verifier.map { $0 != shown } ?? false
                guard
                    device.generation < secret.generation
                        || device.generation == secret.generation && hasOther
                else { return false }
                return try lacksEnvelopes(device, key, of: secret)
            }
            if late.isEmpty { return 0 }
            return try store.edit { transaction throws(StoreFault) in
                var count = 0
                for device in late where try self.close(secret, for: device, in: transaction) {
                    count += 1
                }
                return count
            }
        #else
            return 0
        #endif
    }

    #if Encryption
        /// By which key relays know a secret.
        private func verifier(of secret: SpaceSecret) throws(SealFault) -> [UInt8] {
            try AccessKey(SpaceKeys(secret, space: store.space)).verifier
        }

        /// Whether a device has not all the envelopes that lead it to a secret.
        ///
        /// One of a generation may hold another secret of that.
        private func lacksEnvelopes(
            _ device: DeviceDirectory.Device, _ key: [UInt8], of secret: SpaceSecret
        ) throws -> Bool {
            guard
                let path = try SecretSteps.path(
                    to: secret, from: device.generation, in: store.space)
            else { return false }
            let generations = Set(device.envelopes.compactMap(SecretEnvelope.generation))
            if path.contains(where: { !generations.contains($0.generation) }) { return true }
            return path.contains { secret in
                // A key that no device can have gets none.
                guard let own = try? SecretEnvelope.close(secret, of: store.space, for: key) else {
                    return false
                }
                return !device.envelopes.contains(own)
            }
        }

        /// Leaves a device the secret, and those in between that lead it there.
        ///
        /// - Returns: whether anything was written; never for a device that is too far behind.
        @discardableResult
        private func close(
            _ secret: SpaceSecret, for device: DeviceDirectory.Device, in transaction: Transaction
        ) throws(StoreFault) -> Bool {
            guard let key = device.exchangeKey, let replica = device.replicas.first else {
                return false
            }
            var fields: [Assignment] = []
            do throws(SealFault) {
                let path = try SecretSteps.path(
                    to: secret, from: device.generation, in: store.space)
                for secret in path ?? [] {
                    let envelope = try SecretEnvelope.close(secret, of: store.space, for: key)
                    let field = Field.element(.number(DeviceField.envelopes), .bytes(envelope))
                    fields.append(Assignment(field, .bool(true)))
                }
            } catch .notAuthentic {
                // A key that no device can have: whoever wrote it gets nothing.
                return false
            } catch {
                throw .cannotSeal(detail: "\(error)")
            }
            if fields.isEmpty { return false }
            do throws(StoreFault) {
                return try transaction.updateDevice(replica, fields)
            } catch .overLimit {
                // Somebody has filled that record. Envelopes are looked for in all of them.
                return try transaction.updateDevice(store.replica, fields)
            }
        }

        /// Takes a device out of the space, for good, and gives the others the next secret.
        ///
        /// Without a device only the secret is changed.
        ///
        /// The record of it and the envelopes are one transaction; the keyring follows by them.
        ///
        /// - Parameter generation: one that a relay has, which the next one is to follow.
        /// - Throws: `lastGeneration`, before anything is written.
        package func revoke(_ device: DeviceDirectory.Device?, after generation: UInt32 = 0) throws
        {
            try requireNextGeneration(after: generation)
            if let device, device.fingerprint != fingerprint {
                // The next secret reaches this device by an envelope, too.
                try renewKey { device.exchangeKey == $0 }
                try refresh()
            }
            // The update just now may have brought a later one.
            try requireNextGeneration(after: generation)
            let next = keyring.secret.flatMap {
                SpaceSecret(
                    bytes: Keyring.random(byteCount: SpaceSecret.byteCount),
                    generation: max($0.generation, generation) + 1)
            }
            try store.edit { transaction throws(StoreFault) in
                if let device, let fingerprint = device.fingerprint {
                    let mark = Field.element(
                        .number(DeviceField.revoked), .bytes(fingerprint.bytes))
                    // In this device's own record the mark is safe from whoever fills the device's records; in those it
                    // goes where they go. Of a device that was not seen yet there is none.
                    for replica in [store.replica] + device.replicas.filter({ $0 != store.replica })
                    {
                        do throws(StoreFault) {
                            try transaction.updateDevice(replica, [Assignment(mark, .bool(true))])
                        } catch .overLimit where replica != store.replica {
                            continue
                        }
                    }
                }
                guard let next else { return }
                let staying = try DeviceDirectory(store)
                for other in staying.devices
                where !other.isRevoked && !other.isLateUser
                    && (device == nil || other.fingerprint != device?.fingerprint)
                    && other.exchangeKey.map({ !staying.isExposed($0) }) ?? false
                {
                    try close(next, for: other, in: transaction)
                }
            }
            try refresh()
        }
    #endif

    /// Refuses a change of the secret where no generation is left: a second secret of the last one would not be
    /// taken by all.
    ///
    /// - Throws: `lastGeneration`.
    package func requireNextGeneration(after generation: UInt32 = 0) throws(DeviceFault) {
        if max(keyring.generation, generation) == .max { throw .lastGeneration }
    }

    // MARK: Whom this device lets in

    /// Decides whether a device that shows a certificate is admitted here.
    package func judge(_ shown: Fingerprint) -> Admission {
        guard let directory = try? DeviceDirectory(store) else { return .unknown }
        if directory.isRevoked(shown) { return .refused(.revoked) }
        if let device = directory[shown] {
            return device.isLateUser ? .refused(.invitationUsed(by: nil)) : .trusted
        }
        let known = (try? Keyring.read(in: folder)) ?? keyring
        if known.admitted.contains(where: { $0.decision.fingerprint == shown }) { return .trusted }
        return PairingSocket.isAny(in: folder) || known.mayBeAskedAgain ? .stranger : .unknown
    }

    // MARK: A filled store in a new space

    /// Forgets the keys of devices that belong to a space which the store has left: their names stay,
    /// and none of them is let in.
    static func distrustOthers(
        than own: Fingerprint, in store: Store, _ transaction: Transaction
    ) throws(StoreFault) {
        let others = try DeviceDirectory(store).devices.filter {
            $0.fingerprint != nil && $0.fingerprint != own
        }
        for replica in others.flatMap(\.replicas) {
            try transaction.updateDevice(
                replica,
                [
                    Assignment(.number(DeviceField.fingerprint), .null),
                    Assignment(.number(DeviceField.exchangeKey), .null),
                    Assignment(.number(DeviceField.generation), .null),
                    Assignment(.number(DeviceField.verifier), .null),
                ])
        }
    }
}
