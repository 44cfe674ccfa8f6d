import Causality
import Records
import Storage
import Wire
import Glibc

/// Temporary folders, a made-up clock and seeded chance for the tests of the store.
final class StoreWorld {
    /// The made-up collection of the tests.
    static let schema = [
        CollectionSchema(
            .number(1), "todo",
            fields: [
                FieldSchema(2, "title", .text), FieldSchema(3, "notes", .text),
                FieldSchema(4, "project", .text), FieldSchema(5, "due", .moment),
                FieldSchema(6, "done", .bool), FieldSchema(7, "rank", .int),
                FieldSchema(8, "tags", .set), FieldSchema(9, "parent", .reference(.number(1))),
            ], indexes: [["state", "due"]])
    ]
    static let todo = CollectionID.number(1)

    var now: Int64 = 1_800_000_000_000
    var boot = "boot-1"
    var machine = "machine-1"
    private var seed: UInt64
    let folder: String

    init(seed: UInt64 = 1) {
        self.seed = seed &* 0x9e37_79b9_7f4a_7c15
        var template = Array("/tmp/tandem-test-XXXXXX".utf8CString)
        folder = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, let made = mkdtemp(base) else { return "/tmp" }
            return String(cString: made)
        }
    }

    deinit {
        var pid = pid_t()
        let words = ["rm", "-rf", folder]
        var arguments = words.map { strdup($0) } + [nil]
        if posix_spawnp(&pid, "rm", nil, nil, &arguments, nil) == 0 {
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
        for argument in arguments { free(argument) }
    }

    var environment: StoreEnvironment {
        StoreEnvironment(
            wallMilliseconds: { self.now += 1; return self.now },
            drawBits: {
                self.seed &+= 0x9e37_79b9_7f4a_7c15
                var mixed = self.seed
                mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
                mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
                return mixed ^ mixed >> 31
            }, machine: machine, boot: boot)
    }

    func path(_ name: String) -> String { folder + "/" + name }

    func create(
        _ name: String, space: SpaceID = SpaceID(value: 7), policy: DeletePolicy = .deletesWin,
        options: StoreOptions = StoreOptions()
    ) throws -> Store {
        try Store.create(
            folder: path(name), schema: Self.schema, space: space, policy: policy,
            deviceName: name, environment: environment, options: options)
    }

    func open(_ name: String, options: StoreOptions = StoreOptions()) throws -> Store {
        try Store.open(
            folder: path(name), schema: Self.schema, environment: environment, options: options)
    }

    /// Carries everything that `sender` has to `receiver` and lets it join the statement.
    @discardableResult
    static func pull(_ receiver: Store, from sender: Store, isFull: Bool = false) throws
        -> Store.Joining
    {
        let hello = try sender.introduction(to: nil)
        let mine = try receiver.introduction(to: hello.replica)
        var start = Store.ReadStart.checkpoint(mine.recollection?.checkpoint)
        var wanted: [RecordID] = []
        for _ in 0..<10_000 {
            let reading = try sender.read(
                from: start, peerHas: mine.statement.knowledge, wanted: wanted, isFull: isFull)
            let late = try receiver.integrate(
                reading.wanted, from: hello.replica, checkpoint: nil, isRepair: isFull)
            let result = try receiver.integrate(
                reading.changes, from: hello.replica, checkpoint: reading.through,
                openings: reading.openings, isRepair: isFull)
            wanted = late.wanted + result.wanted
            start = .sequence(reading.through.sequence)
            if let statement = reading.statement, wanted.isEmpty {
                return try receiver.join(statement, from: hello.replica, through: reading.through)
            }
        }
        throw StoreFault.closed
    }
}
