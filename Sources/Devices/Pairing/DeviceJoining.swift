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
        /// With how many addresses of the code it synced.
        package let syncedCount: Int
        /// Why it could not sync with the others.
        package let failures: [any Error]
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
    /// - Throws: as `makeSpace`; `refused`, `notADevice`; a `TransportError`.
    package func enterSpace(of endpoint: Endpoint, allowInsecure: Bool) throws -> Device {
        try checkFolder()
        var security: SyncSecurity?
        if endpoint.provesKeys {
            // This device's key is made before the store, so that the other device can be told whom to trust even if
            // it refuses now.
            try environment.disk.makeFolder(folder)
            security = try DeviceAccess.security(in: folder)
        }
        let answer = try SpaceProbe.ask(endpoint, security: security, allowInsecure: allowInsecure)
        switch answer {
        case .space(let space, let policy):
            let store = try Store.create(
                folder: folder, schema: schema, space: space, policy: policy, deviceName: name,
                environment: environment, options: options)
            _ = try DeviceAccess.certificate(in: folder)
            return Device(store)
        case .refused(let error):
            throw DeviceFault.refused(error, peer: endpoint.description)
        case .nonsense(let words): throw DeviceFault.notADevice(peer: endpoint.description, words)
        }
    }

    private func checkFolder() throws {
        guard Device.isName(name) else { throw DeviceFault.badName }
        try DeviceFolder(folder).refuseToReplace()
    }

    // MARK: With a code

    /// Joins the space of a code, with the store that is in the folder or a new one, and syncs for the first time.
    ///
    /// A refused join has changed nothing in the folder.
    /// - Parameters:
    ///   - now: the wall clock's time; milliseconds since 1970-01-01 UTC.
    ///   - check: given a device that is there already, and the other devices of the space that it would leave;
    ///     throws to stay there.
    /// - Throws: a `PairingProblem`, a `JoiningFault`; `badName`, `storeGone`, `replacementUnfinished`, `noEncryption`,
    ///   `daemonRuns`, `codeRefused`; a `TransportError` if there is no relay.
    package func join(
        _ code: PairingCode, now: Int64,
        check: (Device, _ leaving: [DeviceDirectory.Device]) throws -> Void = { _, _ in }
    ) throws -> Outcome {
        try code.check(now: now)
        try checkFolder()
        let rollback = JoinRollback(before: folder)
        try environment.disk.makeFolder(folder)
        guard let security = try DeviceAccess.security(in: folder) else {
            throw DeviceFault.noEncryption
        }
        if ControlClient.isAnswered(in: folder) { throw DeviceFault.daemonRuns }
        var before: Device?
        if environment.disk.exists(StorePaths(folder: folder).database) {
            before = try Device.open(in: folder, schema: schema, options: options)
        }
        if let before { try check(before, try others(left: before, for: code)) }
        // Asked first: who is refused has changed nothing here.
        let joining = JoiningDevice(code)
        var new: Store?
        let direct: PairingCode.Address?
        do {
            let making = { () throws -> Store in
                let store = try made(code)
                new = store
                return store
            }
            direct = try joining.introduce(
                security, in: folder, making: before == nil ? making : nil)
        } catch let fault as JoiningFault {
            if let new { throw try takenBack(new, fault, rollback) }
            if before == nil { rollback.remove() }
            throw fault
        }
        // A new store already has the relay's records, as they were read before this device showed
        // itself there.
        let device = try before ?? Device(new ?? made(code))
        let fetchedCount = new == nil ? 0 : try device.count(.live)
        try joining.enter(device.store, security.certificate.fingerprint)
        let outcome = try syncAll(code, direct, device, isNew: before == nil, fetchedCount)
        try checkUse(joining, device, security, before == nil ? rollback : nil)
        return outcome
    }

    /// The devices that share a space with this one now and are not in that of the code.
    private func others(
        left device: Device, for code: PairingCode
    ) throws -> [DeviceDirectory.Device] {
        if device.store.space == code.space { return [] }
        return try device.directory().devices.filter { other in
            !other.replicas.contains(device.store.replica) && !other.isRevoked
        }
    }

    private func made(_ code: PairingCode) throws(StoreFault) -> Store {
        try Store.create(
            folder: folder, schema: schema, space: code.space, policy: code.policy,
            deviceName: name, environment: environment, options: options)
    }

    private func syncAll(
        _ code: PairingCode, _ direct: PairingCode.Address?, _ device: Device, isNew: Bool,
        _ fetchedCount: Int
    ) throws -> Outcome {
        let sync = DeviceSync(device, try device.access())
        var (received, sent, synced) = (fetchedCount, 0, 0)
        var failures: [any Error] = []
        for address in code.addresses {
            let peer: PeerAddress
            switch address.kind {
            case .device:
                guard direct == address else { continue }
                peer = .device(.tls(address.hostAndPort, address.fingerprint))
            case .relay:
                peer = .relay(RelayAddress(address.hostAndPort, fingerprint: address.fingerprint))
            }
            do {
                let (end, report) = try sync.session(with: peer)
                if let fault = DeviceFault(end, report, with: "\(address.hostAndPort)") {
                    throw fault
                }
                received += report.receivedCount
                sent += report.sentCount
                synced += 1
            } catch {
                failures.append(error)
            }
        }
        return Outcome(
            device: device, isNew: isNew, receivedCount: received, sentCount: sent,
            syncedCount: synced, failures: failures)
    }

    /// Two devices that come with one code at one moment do not see each other before; the one that came first
    /// stays.
    private func checkUse(
        _ joining: JoiningDevice, _ device: Device, _ security: SyncSecurity,
        _ rollback: JoinRollback?
    ) throws {
        let own = security.certificate.fingerprint
        guard try device.directory()[own]?.isLateUser == true else { return }
        do {
            try joining.check(device.store, own, at: "the space")
        } catch let fault as JoiningFault {
            throw try takenBack(device.store, fault, rollback)
        }
    }

    /// Takes a store away that was made for a code that was refused, and says so.
    private func takenBack(
        _ store: Store, _ fault: JoiningFault, _ rollback: JoinRollback?
    ) throws -> DeviceFault {
        let (replica, counter) = (store.replica, try store.summary().counter)
        store.close()
        let isGone = rollback?.removeStore(replica: replica, counter: counter) == true
        return .codeRefused(fault, storeStaysIn: isGone ? nil : folder)
    }
}

/// The folder's contents before a join, used to roll back a refused join.
///
/// Another program may have made a store there meanwhile: what it made is never taken away.
package struct JoinRollback {
    private let folder: String
    private let wasThere: Bool
    private let hadKey: Bool
    private let hadKeyring: Bool
    private let hadStore: Bool
    private let environment = SystemEnvironment.environment()

    /// Looks at the folder of a store that is there, or is to be made.
    package init(before folder: String) {
        self.folder = folder
        wasThere = environment.disk.exists(folder)
        hadKey = environment.disk.exists(DeviceCertificate.path(in: folder))
        hadKeyring = environment.disk.exists(Keyring.path(in: folder))
        hadStore = environment.disk.exists(StorePaths(folder: folder).database)
    }

    /// Takes away what trying has made, before there was a store: the device's key, and the folder.
    package func remove() {
        StoreScratch.remove(StoreScratch.path(in: folder))
        let paths = StorePaths(folder: folder)
        let foreign = [paths.database, paths.identityFile, Keyring.path(in: folder)]
        if foreign.contains(where: { environment.disk.exists($0) }) { return }
        removeKeyAndFolder()
    }

    /// Takes away a store that was made for it, and is closed; one that was there before stays, and so does one that
    /// another program uses or has used.
    ///
    /// - Parameters:
    ///   - replica: the id that it was closed with.
    ///   - counter: how many writes it had made by then.
    /// - Returns: whether nothing of it is left.
    package func removeStore(replica: ReplicaID, counter: UInt64) -> Bool {
        if hadStore { return false }
        let isUnmade = try? Store.unmake(
            folder: folder, replica: replica, counter: counter, environment: environment)
        guard isUnmade == true else { return false }
        if !hadKeyring { Keyring.remove(in: folder) }
        StoreScratch.remove(StoreScratch.path(in: folder))
        removeKeyAndFolder()
        return wasThere || !environment.disk.exists(folder)
    }

    /// The folder goes only if nothing else is in it.
    private func removeKeyAndFolder() {
        if !hadKey { environment.disk.remove(DeviceCertificate.path(in: folder)) }
        if !wasThere { rmdir(folder) }
    }
}
