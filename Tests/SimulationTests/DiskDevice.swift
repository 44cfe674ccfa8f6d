import Core
import Simulation
import Storage
import TestSupport

/// A device with one store on a made-up disk, and the same chance and clock each time.
final class DiskDevice {
    static let schema = [
        CollectionSchema(
            .number(1), "note",
            fields: [FieldSchema(2, "title", .text), FieldSchema(3, "text", .text)], indexes: [],
            searched: ["title", "text"])
    ]
    static let newerSchema = [
        CollectionSchema(
            .number(1), "note",
            fields: schema[0].fields + [FieldSchema(4, "rank", .int)], indexes: [["rank"]],
            searched: ["title"]),
        CollectionSchema(
            .number(2), "label", fields: [FieldSchema(2, "word", .text)], indexes: []),
    ]
    static let collection = CollectionID.number(1)
    static let folder = "/home/store"
    static let paths = StorePaths(folder: folder)

    let disk: SimulatedDisk
    var boot = 1
    var machine = "machine-1"
    var now: Int64 = 1_800_000_000_000
    /// Whether the program knows more columns.
    var isUpgraded = false
    private var chance: Chance

    init(number: UInt64 = 1) {
        disk = SimulatedDisk(number: number)
        chance = Chance(seed: number, "device")
    }

    var environment: StoreEnvironment { environment(on: disk) }

    /// The device's world, with a disk of one's own choice; nil for the machine's.
    func environment(on disk: (any StoreDisk)?) -> StoreEnvironment {
        StoreEnvironment(
            wallMilliseconds: {
                self.now += 1
                return self.now
            }, drawBits: { self.chance.next() }, machine: machine, boot: "boot-\(boot)", disk: disk)
    }

    func create(
        options: StoreOptions = StoreOptions(), space: SpaceID? = nil, folder: String = folder
    ) throws -> Store {
        try Store.create(
            folder: folder, schema: Self.schema, space: space, deviceName: "device",
            environment: environment, options: options)
    }

    func open(options: StoreOptions = StoreOptions(), folder: String = folder) throws -> Store {
        try Store.open(
            folder: folder, schema: isUpgraded ? Self.newerSchema : Self.schema,
            environment: environment, options: options)
    }

    /// The machine restarts after its power went.
    func restart() { boot += 1 }

    /// Ends the program at a write, or cuts the power then.
    func fail(afterWrites count: Int, byPowerCut isPowerCut: Bool) {
        if isPowerCut {
            disk.losePowerAfterWrites(count)
        } else {
            disk.crashAfterWrites(count)
        }
    }

    /// Applies the crash: keeps on the disk only the data that survives it.
    func comeBack(fromPowerCut isPowerCut: Bool, seed: Int) {
        guard isPowerCut else { return disk.crash() }
        var chance = Chance(seed: UInt64(seed), "cut")
        disk.losePower(choosing: &chance)
        restart()
    }

    /// Makes a note with a title alone.
    @discardableResult
    static func add(_ title: String, to store: Store) throws -> RecordID {
        try store.write { try $0.insert([Assignment(.number(2), .text(title))], into: collection) }
    }

    /// Gives a note another title.
    static func rename(_ id: RecordID, _ title: String, in store: Store) throws {
        try store.write { _ = try $0.update(id, [Assignment(.number(2), .text(title))]) }
    }

    /// The titles, sorted.
    static func titles(_ store: Store) throws -> [String] {
        try store.fetch(FetchRequest(collection)).compactMap { record in
            if case .text(let title)? = record[2] { title } else { nil }
        }.sorted()
    }

    /// Carries all changes of `sender` to `receiver`, and its state summary.
    ///
    /// - Parameter told: called when the sender has said all.
    static func pull(_ receiver: Store, from sender: Store, told: () -> Void) throws {
        let hello = try sender.greeting(to: nil)
        let mine = try receiver.greeting(to: hello.replica)
        var start = ReadRequest.Start.checkpoint(mine.peerCheckpoint?.checkpoint)
        var wanted: [RecordName] = []
        for _ in 0..<1000 {
            let reading = try sender.read(
                from: start, peerHas: PeerHoldings(mine.stateSummary.knowledge), wanted: wanted)
            if reading.stateSummary != nil { told() }
            if !reading.wanted.isEmpty || !reading.changes.isEmpty {
                let late = try receiver.integrate(
                    reading.wanted, from: hello.replica, checkpoint: nil)
                let result = try receiver.integrate(
                    reading.changes, from: hello.replica, checkpoint: reading.through,
                    incarnations: reading.incarnations)
                wanted = late.wanted + result.wanted
            }
            start = .sequence(reading.through.sequence)
            if let stateSummary = reading.stateSummary, wanted.isEmpty {
                _ = try receiver.join(stateSummary, from: hello.replica, through: reading.through)
                return
            }
        }
        throw StoreFault.closed
    }
}
