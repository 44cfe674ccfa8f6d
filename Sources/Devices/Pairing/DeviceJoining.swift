import Core
import Crypto
import Glibc
import Session
import Storage
import Transport

/// Makes a device of a space: of a new one, or of that of another device.
package struct DeviceJoining {
    /// A device that has come into a space, and its first sync.
    package struct Outcome {
        /// The device.
        package let device: Device
        /// Whether its store was made for it.
        package let isNew: Bool
        /// How many records came.
        package let receivedCount: Int
        /// How many records left.
        package let sentCount: Int
        /// With how many addresses of the space it synced.
        package let syncedCount: Int
        /// Why it could not sync with the others.
        package let failures: [any Error]
        /// How many changes at a relay could not be opened.
        package let unreadableCount: Int
        /// Whether the other devices state changes that did not come.
        package let isIncomplete: Bool
    }

    private let folder: String
    private let schema: [CollectionSchema]
    private let name: String
    private let options: StoreOptions

    /// Prepares to make a device.
    ///
    /// - Parameters:
    ///   - folder: where the store is or is to be made.
    ///   - name: what other devices call this one, if the store has to be made.
    package init(
        in folder: String, schema: [CollectionSchema], name: String,
        options: StoreOptions = StoreOptions()
    ) {
        self.folder = folder
        self.schema = schema
        self.name = name
        self.options = options
    }

    private var environment: StoreEnvironment { SystemEnvironment.environment() }

    // MARK: A new space

    /// Makes the first device of a new space, with keys if this program has encryption.
    ///
    /// - Parameter isPlain: whether the space is to have no secret.
    /// - Throws: `badName`, `storeGone`, `replacementUnfinished`; `StoreFault.storeExists`.
    package func makeSpace(policy: DeletePolicy, isPlain: Bool = false) throws -> Device {
        try checkFolder()
        let store = try Store.create(
            folder: folder, schema: schema, policy: policy, deviceName: name,
            environment: environment, options: options)
        if let certificate = try DeviceAccess.certificate(in: folder) {
            _ = try DevicePairing.makeKeys(of: store, certificate.fingerprint, isPlain: isPlain)
        }
        return Device(store)
    }

    /// Makes a device in the space of another one that answers at an address, without a code: it has no keys.
    ///
    /// - Parameters:
    ///   - isPlain: whether the space has no secret, so that plain TCP may be used. Nobody else says so: a stranger
    ///     who has taken the port would.
    ///   - allowInsecure: whether plain TCP may leave this machine.
    /// - Throws: as `makeSpace`; `spaceHasKeys`, `refused`, `notADevice`; a `TransportError`.
    package func enterSpace(
        of endpoint: Endpoint, isPlain: Bool = false, allowInsecure: Bool = false
    ) throws -> Device {
        try checkFolder()
        let plain = try Self.plain(isPlain, allowInsecure)
        var security: SyncSecurity?
        if endpoint.provesKeys {
            // This device's key is made before the store, so that the other device can be told whom to trust even if
            // it refuses now.
            try environment.disk.makeFolder(folder)
            security = try DeviceAccess.security(in: folder)
        }
        let answer = try SpaceProbe.ask(endpoint, security: security, plain: plain)
        switch answer {
        case .space(let space, let policy):
            let store = try Store.create(
                folder: folder, schema: schema, space: space, policy: policy, deviceName: name,
                environment: environment, options: options, localEntry: FirstExchangeNote.entry)
            if let certificate = try DeviceAccess.certificate(in: folder), isPlain {
                _ = try DevicePairing.makeKeys(of: store, certificate.fingerprint, isPlain: true)
            }
            return Device(store)
        case .refused(let error):
            throw DeviceFault.refused(error, peer: endpoint.description)
        case .nonsense(let words): throw DeviceFault.notADevice(peer: endpoint.description, words)
        }
    }

    private static func plain(_ isPlain: Bool, _ allowInsecure: Bool) throws -> PlainTCP {
        #if Encryption
            guard isPlain else {
                if allowInsecure { throw DeviceFault.spaceHasKeys }
                return .nowhere
            }
        #endif
        return allowInsecure ? .anywhere : .thisMachine
    }

    private func checkFolder() throws {
        guard Device.isName(name) else { throw DeviceFault.badName }
        try DeviceFolder(folder).refuseToReplace()
    }

    // MARK: With a code

    /// Joins the space of a code, with the store that is in the folder or a new one, and syncs for the first time.
    ///
    /// A refused join has changed nothing in the folder. All that can be known to keep it from going on is looked at before
    /// the meeting point is asked, as the code is good once.
    /// - Parameters:
    ///   - renames: whether a device that is there already takes the name as well.
    ///   - shown: given the digits that the person types at the device that made the code.
    ///   - late: called once if that device does not answer.
    ///   - prepare: given a device that is there already, and the other devices of its space, which it leaves if the code
    ///     is of another space; none if it has never had all of it, or cannot sync there. Throws before anything is
    ///     exchanged.
    ///   - check: given the same device, and the other devices of the space that it would leave; throws to stay there,
    ///     and the code is used up then.
    /// - Throws: a `JoiningFault`; `badName`, `storeGone`, `replacementUnfinished`, `noEncryption`, `daemonRuns`; a
    ///   `TransportError` if the meeting point of the code is not reached; `inUse` if another program has the store open.
    package func join(
        _ code: PairingCode, renames: Bool = false, shown: (_ digits: String) -> Void,
        late: @escaping () -> Void = {},
        prepare: (Device, _ sharing: [DeviceDirectory.Device]) throws -> Void = { _, _ in },
        check: (Device, _ leaving: [DeviceDirectory.Device]) throws -> Void = { _, _ in }
    ) throws -> Outcome {
        try checkFolder()
        let rollback = JoinRollback(before: folder)
        let hadKeys = rollback.hadKey && DeviceFolder(folder).hasKeys
        try environment.disk.makeFolder(folder)
        guard let security = try DeviceAccess.security(in: folder) else {
            throw DeviceFault.noEncryption
        }
        if ControlClient.isAnswered(in: folder) { throw DeviceFault.daemonRuns }
        let before = try deviceBefore()
        if let before {
            try before.store.refuseIfOpenElsewhere()
            // One whose join was cut short, that was revoked, or that has lost its keys comes back, most often into the
            // same space.
            let own = try before.directory()[before.store.replica]
            let isRevoked = own?.isRevoked == true
            // The word on it goes along into the space of the code, where it would be taken out at once.
            if isRevoked, own?.fingerprint == security.certificate.fingerprint {
                throw DeviceFault.revoked
            }
            let comesBack =
                try !hadKeys || isRevoked || FirstExchangeNote.isDue(in: before.store)
            try prepare(before, comesBack ? [] : try others(sharing: before))
        }
        let joining: JoiningDevice
        do {
            joining = try JoiningDevice.ask(
                with: code, as: security.certificate,
                named: before.flatMap { renames ? nil : $0 }.map {
                    try $0.store.summary().deviceName
                } ?? name, shown: shown, late: late)
        } catch {
            if before == nil { rollback.remove() }
            throw error
        }
        let handover = joining.handover
        if let before, before.store.space != handover.space {
            try check(before, try others(sharing: before))
        }
        let device =
            try before
            ?? Device(
                Store.create(
                    folder: folder, schema: schema, space: handover.space, policy: handover.policy,
                    deviceName: name, environment: environment, options: options,
                    localEntry: FirstExchangeNote.entry))
        try joining.enter(device.store, security.certificate.fingerprint)
        if renames, before != nil {
            // As with a new store, another device may have the name: the person is told.
            try device.store.edit { transaction throws(StoreFault) in
                try transaction.nameDevice(name)
            }
        }
        return try syncAll(handover, device, isNew: before == nil)
    }

    /// The device that is there; nil if there is no store, or one whose making was cut short: it is made once more.
    private func deviceBefore() throws(StoreFault) -> Device? {
        do throws(StoreFault) {
            return try Device.open(in: folder, schema: schema, options: options)
        } catch .noStore {
            return nil
        }
    }

    /// The devices that share a space with this one now.
    private func others(sharing device: Device) throws -> [DeviceDirectory.Device] {
        try device.directory().devices.filter { other in
            !other.replicas.contains(device.store.replica) && !other.isRevoked
        }
    }

    private func syncAll(
        _ handover: PairingHandover, _ device: Device, isNew: Bool
    ) throws -> Outcome {
        let sync = DeviceSync(device, try device.access())
        var (received, sent, synced) = (0, 0, 0)
        var failures: [any Error] = []
        var (unreadableCount, isIncomplete) = (0, false)
        for peer in PairingHandover.peers(of: handover.addresses) {
            do {
                let (end, report) = try sync.session(with: peer)
                if let fault = DeviceFault(end, report, with: peer.shortText) {
                    throw fault
                }
                received += report.receivedAppRecordCount
                sent += report.sentAppRecordCount
                synced += 1
                unreadableCount += report.unreadableCount
                if report.isWithheld || report.isIncomplete { isIncomplete = true }
            } catch {
                failures.append(error)
            }
        }
        // Of a new store the records of devices are no news to anybody.
        if isNew { received = try device.count(.live) }
        return Outcome(
            device: device, isNew: isNew, receivedCount: received, sentCount: sent,
            syncedCount: synced, failures: failures, unreadableCount: unreadableCount,
            isIncomplete: isIncomplete)
    }
}

/// The folder's contents before a join, used to roll back a refused join.
///
/// Another program may have made a store there meanwhile: what it made is never taken away.
package struct JoinRollback {
    private let folder: String
    private let wasThere: Bool
    let hadKey: Bool
    private let environment = SystemEnvironment.environment()

    /// Looks at the folder of a store that is there, or is to be made.
    package init(before folder: String) {
        self.folder = folder
        wasThere = environment.disk.exists(folder)
        hadKey = environment.disk.exists(DeviceCertificate.path(in: folder))
    }

    /// Takes away what trying has made, before there was a store: the device's key, and the folder.
    package func remove() {
        let paths = StorePaths(folder: folder)
        let foreign = [paths.database, paths.identityFile, Keyring.path(in: folder)]
        if foreign.contains(where: { environment.disk.exists($0) }) { return }
        removeKeyAndFolder()
    }

    /// The folder goes only if nothing else is in it.
    private func removeKeyAndFolder() {
        if !hadKey { environment.disk.remove(DeviceCertificate.path(in: folder)) }
        if !wasThere { rmdir(folder) }
    }
}
