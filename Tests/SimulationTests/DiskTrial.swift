import Core
import Simulation
import Storage
import TestSupport

/// A device whose disk fails at some moment of its life, a peer that it meets, and what it was told on
/// the way.
final class DiskTrial {
    let device = DiskDevice()
    let options: StoreOptions
    let life: DiskLife
    /// The peer's store; its disk never fails.
    let peer: Store
    /// The store that is open, or the last one that was.
    private(set) var store: Store?
    /// Whether making the store was acknowledged.
    private(set) var isCreated = false
    /// Titles whose commit was acknowledged, and that were not to change since.
    private(set) var acknowledged: Set<String> = []
    /// Titles that the peer was told of, and that were not to change since.
    private(set) var spoken: Set<String> = []
    /// The replica that wrote since the store was last opened; nil if none did, or while it is
    /// being closed.
    private(set) var writer: ReplicaID?
    /// The device's replica, as far as it was acknowledged.
    private(set) var replica: ReplicaID?
    private let space = SpaceID(value: 7)
    private let peerDevice = DiskDevice(number: 2)

    init(_ life: DiskLife, options: StoreOptions = StoreOptions()) throws {
        self.life = life
        self.options = options
        peer = try peerDevice.create(space: space)
        try DiskDevice.add("theirs", to: peer)
    }

    /// Makes the state before anything fails.
    func prepare() throws {
        switch life {
        case .ordinary: return
        case .copied:
            let other = DiskDevice(number: 3)
            let store = try other.create(space: space)
            try DiskDevice.add("original", to: store)
            device.disk.restore(other.disk.snapshot(), .replaced)
            isCreated = true
        case .revived:
            try make()
            try meet()
            device.disk.losePower(keeping: .everything)
            device.restart()
        case .upgraded, .forked, .large, .folding, .trash:
            try make()
            try add("early")
            try meet()
            close()
        }
    }

    /// Goes through it all; throws when the disk fails.
    func live() throws {
        switch life {
        case .ordinary: try liveOrdinary()
        case .copied, .revived:
            try open()
            try add("second")
            try meet()
        case .upgraded: try liveUpgraded()
        case .forked: try liveForked()
        case .large:
            try open()
            for number in 0..<12 {
                try add("long \(number)" + String(repeating: "x", count: 60_000))
            }
        case .folding: try liveFolding()
        case .trash: try liveTrash()
        }
        close()
        try open()
        try add("last")
    }

    private func liveOrdinary() throws {
        try make()
        let first = try add("first")
        try speak()
        try rename(first, "first", to: "first again")
        try listen()
        try add("second")
        close()
        try open()
        try add("third")
        try meet()
        try add("fourth")
        try speak()
        try add("fifth")
        close()
        try open()
        try speak()
        try add("sixth")
        try speak()
    }

    private func liveUpgraded() throws {
        device.isUpgraded = true
        try open()
        try add("in more columns")
        try speak()
    }

    private func liveForked() throws {
        try open()
        try add("unheard")
        guard let store else { throw StoreFault.closed }
        let known = try peer.history(of: store.replica)
        writer = nil
        _ = try store.resolve(
            History(
                replica: known.replica, counter: known.counter + 5, incarnations: known.incarnations
            ))
        replica = store.replica
        writer = store.replica
        try add("under the new id")
        try meet()
    }

    private func liveFolding() throws {
        try open()
        guard let store else { throw StoreFault.closed }
        try store.postponeFolding()
        for number in 0..<4 {
            try add("before folding \(number)")
            try store.foldLog()
            try add("after folding \(number)")
        }
    }

    private func liveTrash() throws {
        try open()
        guard let store else { throw StoreFault.closed }
        let (kept, gone) = (try add("kept"), try add("gone"))
        for title in ["kept", "gone"] {
            acknowledged.remove(title)
            spoken.remove(title)
        }
        try store.write { _ = try $0.delete(kept) }
        try speak()
        try store.write { _ = try $0.delete(gone) }
        try store.write { _ = try $0.restore(kept) }
        acknowledged.insert("kept")
        try store.write { _ = try $0.purge(gone, isForced: true) }
        try meet()
    }

    // MARK: Steps

    func close() {
        writer = nil
        store?.close()
    }

    private func make() throws {
        let made = try device.create(options: options, space: space)
        store = made
        isCreated = true
        writer = made.replica
        replica = made.replica
    }

    private func open() throws {
        let opened = try device.open(options: options)
        store = opened
        replica = opened.replica
        if opened.suspicion != nil { writer = opened.replica }
    }

    @discardableResult
    private func add(_ title: String) throws -> RecordID {
        guard let store else { throw StoreFault.closed }
        let id = try DiskDevice.add(title, to: store)
        acknowledged.insert(title)
        writer = store.replica
        return id
    }

    /// Which of the two titles is there is open until the change is acknowledged.
    private func rename(_ id: RecordID, _ old: String, to new: String) throws {
        guard let store else { throw StoreFault.closed }
        acknowledged.remove(old)
        spoken.remove(old)
        try DiskDevice.rename(id, new, in: store)
        acknowledged.insert(new)
    }

    private func meet() throws {
        try speak()
        try listen()
    }

    private func speak() throws {
        guard let store else { throw StoreFault.closed }
        let told = acknowledged
        try DiskDevice.pull(peer, from: store) { self.spoken = told }
    }

    private func listen() throws {
        guard let store else { throw StoreFault.closed }
        try DiskDevice.pull(store, from: peer) {}
        acknowledged.insert("theirs")
        writer = store.replica
    }

    /// Opens the store after the disk failed, or makes it if its making was cut short.
    func recover() throws -> Store {
        do {
            return try device.open(options: options)
        } catch StoreFault.noStore(let folder) {
            if isCreated { throw StoreFault.noStore(folder: folder) }
            return try device.create(options: options, space: space)
        }
    }
}
