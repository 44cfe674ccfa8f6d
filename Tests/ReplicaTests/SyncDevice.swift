import Core
import Replica
import Storage

/// A device of the made-up world: a folder, perhaps an open store, and what it was seen to hold.
final class SyncDevice {
    /// The writes that the device was seen to hold: for each record the clock of all that is
    /// integrated or deferred.
    typealias Holdings = [RecordName: VersionVector]

    let name: String
    let folder: String
    let environment: (SyncDevice) -> StoreEnvironment
    var options = StoreOptions()
    /// Names the running of the machine.
    var boot = 1
    /// How far its wall clock is off; milliseconds.
    var wallOffset: Int64 = 0
    private(set) var store: Store?
    private(set) var replica: Replica?
    var holdings: Holdings = [:]
    var sequence: UInt64 = 0
    /// The files as they were when something last left, and what they held: what a power cut may
    /// leave behind at the least.
    var flushed: (image: FolderImage, holdings: Holdings)?
    /// The faults of its store during sessions, as the user sees them.
    var faults: [StoreFault] = []
    /// Copies made earlier.
    var backups: [(image: FolderImage, holdings: Holdings)] = []

    init(
        _ name: String, folder: String, environment: @escaping (SyncDevice) -> StoreEnvironment
    ) {
        self.name = name
        self.folder = folder
        self.environment = environment
    }

    /// Makes the device's store.
    func create(_ policy: DeletePolicy, space: SpaceID = SpaceID(value: 7)) throws {
        adopt(
            try Store.create(
                folder: folder, schema: SyncWorld.schema, space: space, policy: policy,
                deviceName: name, environment: environment(self), options: options))
    }

    /// Opens the device's store.
    func open() throws {
        adopt(try another())
    }

    /// The same store as another process has it.
    func another() throws -> Store {
        try Store.open(
            folder: folder, schema: SyncWorld.schema, environment: environment(self),
            options: options)
    }

    private func adopt(_ store: Store) {
        self.store = store
        replica = Replica(store: store)
    }

    /// Closes the store in order.
    func close() {
        store?.close()
        drop()
    }

    /// Drops the store as a killed process does.
    func abandon() {
        store?.abandon()
        drop()
    }

    private func drop() {
        replica = nil
        store = nil
    }
}
