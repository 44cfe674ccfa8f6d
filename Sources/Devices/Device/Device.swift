import Core
import Crypto
import Glibc
import Storage
import Transport

/// One device of a space: its store, its keys, and what it can do.
///
/// Whoever shows a device to people or programs (a command line, a library, a page) calls this class and the parts
/// that it gives out, and decides nothing else: the same call has the same result everywhere.
package final class Device {
    /// The store.
    package let store: Store
    /// The folder of the store and of what belongs to it; of a copy that is only read, the folder of the original.
    package let folder: String
    /// Called after each commit that this process makes, besides telling the daemon of it.
    package var changed: () -> Void = {}

    /// A device whose store is open.
    package init(_ store: Store) {
        self.store = store
        folder = store.paths.folder
        watchCommits()
    }

    /// The device of a folder that cannot be written, to be looked at; its store is open as a copy elsewhere, and whatever
    /// is written there is lost.
    init(copy store: Store, of folder: String) {
        self.store = store
        self.folder = folder
    }

    /// Whether the store is a copy that is only read.
    var isReadOnly: Bool { folder != store.paths.folder }

    /// Has the databases of this process count no memory: for a program that is alone with them, before the first.
    package static func countNoMemory() { Connection.countNoMemory() }

    /// Opens the store in a folder; a clone suspicion is in ``cloneSuspicion``.
    package static func open(
        in folder: String, schema: [CollectionSchema], options: StoreOptions = StoreOptions()
    ) throws(StoreFault) -> Device {
        do throws(StoreFault) {
            return Device(
                try Store.open(
                    folder: folder, schema: schema, environment: SystemEnvironment.environment(),
                    options: options))
        } catch {
            guard case .noStore(let folder) = error,
                let path = StorePaths(folder: folder).forbiddenFolder
            else { throw error }
            throw .inputOutput(
                call: "open", path: path,
                detail: "permission denied: this account may not enter that folder")
        }
    }

    /// Opens the store in a folder, or makes one of a new space if there is none.
    package static func openOrCreate(
        in folder: String, schema: [CollectionSchema], policy: DeletePolicy, name: String,
        options: StoreOptions = StoreOptions()
    ) throws -> Device {
        do throws(StoreFault) {
            return try open(in: folder, schema: schema, options: options)
        } catch .noStore {
            do {
                return try DeviceJoining(in: folder, schema: schema, name: name, options: options)
                    .makeSpace(policy: policy)
            } catch StoreFault.storeExists {
                // Another process made it just now.
                return try open(in: folder, schema: schema, options: options)
            }
        }
    }

    /// Closes the store for good.
    package func close() { store.close() }

    /// The paths of the store's files and of what belongs to it.
    var paths: StorePaths { StorePaths(folder: folder) }

    /// A folder in which this program may make files for a while.
    package var scratchFolder: String { store.paths.folder }

    /// The id under which the store writes now.
    package var replica: ReplicaID { store.replica }

    /// The store's summary of itself.
    package func summary() throws(StoreFault) -> StoreSummary { try store.summary() }

    /// A record, deleted or not; nil if it is not here.
    package func record(_ name: RecordName) throws(StoreFault) -> Record? {
        try store.record(name)
    }

    /// Who else may reach the store's files.
    package var modes: StoreModes { StoreModes(of: paths) }

    /// The app's collections, without those of the engine.
    package var schema: [CollectionSchema] { Array(store.collections.dropFirst().dropLast()) }

    /// How many of the app's records are as asked for.
    func count(_ scope: FetchRequest.Scope) throws(StoreFault) -> Int {
        var count = 0
        for collection in schema {
            count += try store.count(FetchRequest(collection.id, scope: scope))
        }
        return count
    }

    /// Why the store took a new replica id when it was opened, as it may be a copy; nil if it did not.
    package var cloneSuspicion: CloneSuspicion? { store.suspicion }

    /// A daemon would notice commits by itself; so it does at once.
    private func watchCommits() {
        let folder = folder
        store.onChange = { [weak self] in
            ControlClient.notify(folder)
            self?.changed()
        }
    }

    // MARK: Parts

    /// Keys, trust and known addresses of this device, as they are now.
    ///
    /// - Throws: what is wrong with its key, its keyring or its list of trusted devices.
    package func access() throws -> DeviceAccess { try DeviceAccess(store) }

    /// The space's secrets and known addresses; nil if this device was never paired.
    ///
    /// This device's own record is put right first, as by ``access()``, unless the store cannot be written.
    package func keyring() throws -> Keyring? {
        guard isReadOnly else { return try access().member?.keyring }
        guard let found = try Keyring.read(in: folder), found.space == store.space else {
            return nil
        }
        return found
    }

    /// Invites and revokes.
    package var pairing: DevicePairing { DevicePairing(self) }

    /// Looks for damage, and repairs it.
    package var repair: DeviceRepair { DeviceRepair(self) }

    /// Backups, snapshots, and what they have.
    package var copies: DeviceCopies { DeviceCopies(self) }

    /// The records that were looked at last on this device.
    package var recentRecords: RecentRecords { RecentRecords(in: folder) }

    /// The devices of the space.
    package func directory() throws(StoreFault) -> DeviceDirectory { try DeviceDirectory(store) }

    /// The name of the device that a replica is or was.
    package func name(of replica: ReplicaID) throws(StoreFault) -> String {
        if let name = try store.deviceName(of: replica) { return name }
        if GatewayClient.isGuardIdentifier(replica) {
            let client = try gatewayClients.all().first { $0.guardIdentifier == replica }
            return "CalDAV client " + (client?.name ?? "that was removed")
        }
        return Self.name(replica)
    }

    /// A name for a replica whose device has not said its own.
    static func name(_ replica: ReplicaID) -> String { "device \(replica.uuidText.prefix(8))" }

    // MARK: Serving

    /// Prepares to answer other devices.
    ///
    /// - Parameter log: what to tell of calls.
    package func server(_ log: SyncServer.Log) throws -> SyncServer {
        _ = try store.purgeOldTrash()
        return try SyncServer(store: store, log: log, refusal: DeviceAccess.refusal(in: store))
    }

    /// Prepares to stay in touch with all that pairing has made known and with others, and with whoever calls.
    ///
    /// - Parameters:
    ///   - others: whom else to call.
    ///   - isListening: whether calls are answered.
    ///   - allowInsecure: whether plain TCP may leave this machine, in a space without keys.
    ///   - waitsForOthers: whether it is to run although there is nobody yet to be in touch with, as it does more than that.
    ///   - log: what to tell of calls.
    /// - Throws: `nobodyKnown` if there is nobody to call, and nobody can; `spaceHasKeys`.
    package func daemon(
        with others: [PeerAddress] = [], isListening: Bool, allowInsecure: Bool,
        waitsForOthers: Bool = false, _ log: SyncServer.Log
    ) throws -> Daemon {
        let first = try access()
        func all(_ known: [PeerAddress]) -> [PeerAddress] {
            var seen: Set<String> = []
            return (known + others).filter { seen.insert($0.description).inserted }
        }
        let found = try all(first.knownAddresses.map { try PeerAddress(parsing: $0) }).map {
            try first.contact($0)
        }
        guard !found.isEmpty || isListening || waitsForOthers else {
            throw DeviceFault.nobodyKnown
        }
        // Commands change what is known while it runs: they pair, revoke, and forget relays.
        var latest = first
        func accessNow() -> DeviceAccess {
            if let now = try? access() {
                latest = now
            } else {
                // A damaged list of trusted devices, say, keeps nobody from hearing of the next secret.
                _ = try? latest.member?.refresh()
            }
            return latest
        }
        func keyring() -> Result<Keyring?, any Error> {
            Result {
                let found = try Keyring.read(in: folder)
                return found?.space == store.space ? found : nil
            }
        }
        return try Daemon(
            store: store, contacts: found,
            addressesNow: {
                guard case .success(let found) = keyring() else { return nil }
                let known = found.map { DeviceAccess.addresses($0) } ?? []
                return all(known.compactMap { try? PeerAddress(parsing: $0) }).map(\.description)
            },
            renewed: { address in
                let access = accessNow()
                _ = try? access.member?.passOnSecret()
                // Without the keys that there are a relay would be sent to-dos in plain.
                if access.member == nil {
                    guard case .success(nil) = keyring() else { return nil }
                }
                return try? access.contact(PeerAddress(parsing: address))
            },
            repairAccess: { relay in
                let access = accessNow()
                guard let security = access.security else { return }
                // A failure here is tried again after the next refusal.
                _ = try? access.member?.repairAccess(relay, security: security)
            }, security: first.security,
            plain: try first.plain(leavingThisMachine: allowInsecure),
            refusal: DeviceAccess.refusal(in: store), log: log)
    }

    // MARK: Its name

    /// The most bytes of a device's name.
    package static let nameByteCountMax = 200

    /// Whether people can tell a name from nothing.
    package static func isName(_ name: String) -> Bool {
        name.contains { !$0.isWhitespace } && name.utf8.count <= nameByteCountMax
    }

    /// A name for a device that is not given one: the host's, if that is one.
    package static var suggestedName: String {
        let host = SystemEnvironment.hostName
        return isName(host) ? host : "device"
    }

    /// Another device of the space with this one's name that is not revoked.
    package func ownNamesake() throws(StoreFault) -> DeviceDirectory.Device? {
        try namesake(of: store.summary().deviceName)
    }

    /// Another device of the space with that name that is not revoked.
    package func namesake(of name: String) throws(StoreFault) -> DeviceDirectory.Device? {
        try directory().devices.first { device in
            device.name.lowercased() == name.lowercased() && !device.isRevoked
                && !device.replicas.contains(store.replica)
        }
    }

    /// Gives this device another name.
    ///
    /// - Throws: `badName`; `nameTaken` if another device of the space has it.
    package func rename(to name: String) throws {
        guard Self.isName(name) else { throw DeviceFault.badName }
        if let namesake = try namesake(of: name) { throw DeviceFault.nameTaken(by: namesake) }
        try store.edit { transaction throws(StoreFault) in try transaction.nameDevice(name) }
    }

    // MARK: Revoked

    /// Ends what is of no use on a device that was revoked.
    ///
    /// - Throws: `revoked`.
    package func refuseIfRevoked() throws {
        if try directory()[store.replica]?.isRevoked == true { throw DeviceFault.revoked }
    }
}

extension SystemEnvironment {
    /// Makes the store's environment from this machine.
    package static func environment() -> StoreEnvironment {
        var environment = StoreEnvironment(
            wallMilliseconds: wallMilliseconds, drawBits: random, machine: machine, boot: boot)
        environment.shownMarks = DeviceKeys.shown
        return environment
    }
}

extension StorePaths {
    /// The first folder on the way to the database that this account may not enter; nil if there is none.
    fileprivate var forbiddenFolder: String? {
        let path = database
        for index in path.indices where path[index] == "/" && index != path.startIndex {
            let folder = String(path[..<index])
            if access(folder, X_OK) != 0 { return errno == EACCES ? folder : nil }
        }
        return nil
    }
}
