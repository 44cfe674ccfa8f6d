import Causality
import Records
import Simulation
import Storage

/// A device that goes through its life until its disk fails, and what it was told on the way.
///
/// Life: make, edit, speak to a peer, integrate from it, close, open, edit, speak, edit, close, open, edit.
final class DiskTrial {
    let device = DiskDevice()
    let options: StoreOptions
    /// The store that is open, or the last one that was.
    private(set) var store: Store?
    /// Whether making the store was acknowledged.
    private(set) var isCreated = false
    /// Titles whose commit was acknowledged.
    private(set) var acknowledged: Set<String> = []
    /// Titles that a peer was told of.
    private(set) var spoken: Set<String> = []
    /// Who wrote since it was opened last; nil if nothing was, or if it is being closed.
    private(set) var writer: ReplicaID?
    /// Who it is, as far as was acknowledged.
    private(set) var replica: ReplicaID?
    private let peer = DiskDevice(number: 2)

    init(options: StoreOptions = StoreOptions()) {
        self.options = options
    }

    /// Goes through it all; throws when the disk fails.
    func live() throws {
        let peer = try peer.create(space: SpaceID(value: 7))
        try DiskDevice.add("theirs", to: peer)
        let store = try device.create(options: options, space: SpaceID(value: 7))
        self.store = store
        isCreated = true
        writer = store.replica
        replica = store.replica
        let first = try add("first")
        try speak()
        // Which of the two titles is there is open until the change is acknowledged.
        acknowledged.remove("first")
        spoken.remove("first")
        try DiskDevice.rename(first, "first again", in: store)
        acknowledged.insert("first again")
        try integrate(from: peer)
        try add("second")
        close()
        try open()
        try add("third")
        try speak()
        try add("fourth")
        close()
        try open()
        try speak()
        try add("fifth")
    }

    func close() {
        writer = nil
        store?.close()
    }

    func open() throws {
        let opened = try device.open(options: options)
        store = opened
        replica = opened.replica
        if opened.doubt != nil { writer = opened.replica }
    }

    @discardableResult
    private func add(_ title: String) throws -> RecordID {
        guard let store else { throw StoreFault.closed }
        let id = try DiskDevice.add(title, to: store)
        acknowledged.insert(title)
        writer = store.replica
        return id
    }

    private func speak() throws {
        guard let store else { throw StoreFault.closed }
        _ = try store.introduction(to: nil)
        spoken = acknowledged
        _ = try store.read(from: .sequence(0), peerHas: VersionVector())
    }

    private func integrate(from peer: Store) throws {
        guard let store else { throw StoreFault.closed }
        let reading = try peer.read(from: .sequence(0), peerHas: VersionVector())
        _ = try store.integrate(
            reading.changes, from: peer.replica, checkpoint: reading.through,
            openings: reading.openings)
        acknowledged.insert("theirs")
        writer = store.replica
    }

    /// Opens the store after the disk failed, or makes it if its making was cut short.
    func recover() throws -> Store {
        do {
            return try device.open(options: options)
        } catch {
            if isCreated { throw error }
            return try device.create(options: options, space: SpaceID(value: 7))
        }
    }
}
