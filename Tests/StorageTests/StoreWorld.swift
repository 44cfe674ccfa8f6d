import Core
import Glibc
import Storage
import TestSupport
import Testing

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
                FieldSchema(10, "effort", .double),
            ], indexes: [["state", "due"]], counted: "rank", searched: ["title", "notes"])
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
            wallMilliseconds: {
                self.now += 1; return self.now
            },
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

    func open(
        _ name: String, schema: [CollectionSchema] = StoreWorld.schema,
        options: StoreOptions = StoreOptions()
    ) throws -> Store {
        try Store.open(
            folder: path(name), schema: schema, environment: environment, options: options)
    }

    /// Runs a program to its end; gives what it wrote and its exit code.
    @discardableResult
    func run(_ words: String...) -> (output: String, status: Int32) {
        let output = path("output-of-program")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        var status: Int32 = -1
        if posix_spawnp(&pid, words[0], &actions, nil, &arguments, environ) == 0 {
            waitpid(pid, &status, 0)
        }
        return (text(of: "output-of-program"), status >> 8 & 0xff)
    }

    /// A small file as text.
    ///
    /// Never for a database that is open: closing a second descriptor of it would end SQLite's
    /// locks. Source: fcntl(2).
    func text(of name: String) -> String {
        guard let file = fopen(path(name), "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Writes a small file.
    func put(_ text: String, in name: String) {
        guard let file = fopen(path(name), "w") else { return }
        defer { fclose(file) }
        let bytes = Array(text.utf8)
        fwrite(bytes, 1, bytes.count, file)
    }

    /// Makes a to-do with a title alone.
    @discardableResult
    static func add(_ title: String, to store: Store) throws -> RecordID {
        try store.write { try $0.insert([Assignment(.number(2), .text(title))], into: todo) }
    }

    /// Gives a to-do another title.
    static func rename(_ id: RecordID, _ title: String, in store: Store) throws {
        try store.write { _ = try $0.update(id, [Assignment(.number(2), .text(title))]) }
    }

    /// The titles that are not in the trash, sorted.
    static func titles(_ store: Store) throws -> [String] {
        try store.fetch(FetchRequest(todo)).compactMap { record in
            if case .text(let title)? = record[2] { title } else { nil }
        }.sorted()
    }

    /// Pulls between all stores, in rounds, until nothing changes any more.
    static func mingle(_ stores: [Store]) throws {
        for _ in 0..<12 {
            let before = try stores.map { try $0.summary().knowledge }
            for receiver in stores {
                for sender in stores where sender !== receiver { try pull(receiver, from: sender) }
            }
            if try stores.map({ try $0.summary().knowledge }) == before { break }
        }
    }

    /// Expects the same records, knowledge and sums everywhere, and that the sums are right.
    static func expectEqual(_ stores: [Store]) throws {
        for store in stores { #expect(try store.examine() == []) }
        guard let first = stores.first else { return }
        let everything = FetchRequest(todo, scope: .all)
        let records = try first.fetch(everything).map(\.record)
        for store in stores.dropFirst() {
            #expect(try store.fetch(everything).map(\.record) == records)
            #expect(try store.summary().digest == first.summary().digest)
            #expect(try store.summary().knowledge == first.summary().knowledge)
        }
    }

    /// Carries everything that `sender` has to `receiver` and lets it join the state summary.
    @discardableResult
    static func pull(
        _ receiver: Store, from sender: Store, isFull: Bool = false
    ) throws
        -> Joining
    {
        let hello = try sender.greeting(to: nil)
        let mine = try receiver.greeting(to: hello.replica)
        var start =
            isFull ? ReadRequest.Start.sequence(0) : .checkpoint(mine.peerCheckpoint?.checkpoint)
        var wanted: [RecordName] = []
        for _ in 0..<10_000 {
            let reading = try sender.read(
                from: start, peerHas: PeerHoldings(mine.stateSummary.knowledge), wanted: wanted,
                isFull: isFull)
            if !reading.wanted.isEmpty || !reading.changes.isEmpty {
                let late = try receiver.integrate(
                    reading.wanted, from: hello.replica, checkpoint: nil, isRepair: isFull)
                let result = try receiver.integrate(
                    reading.changes, from: hello.replica, checkpoint: reading.through,
                    incarnations: reading.incarnations, isRepair: isFull)
                wanted = late.wanted + result.wanted
            }
            start = .sequence(reading.through.sequence)
            if let stateSummary = reading.stateSummary, wanted.isEmpty {
                return try receiver.join(
                    stateSummary, from: hello.replica, through: reading.through,
                    summarySequence: reading.summarySequence)
            }
        }
        throw StoreFault.closed
    }
}

extension StoreWorld {
    /// So few pages that hardly anything more fits into the file.
    func tiny(_ pageCount: Int = 50) -> StoreOptions {
        var options = StoreOptions()
        options.pageCountMax = pageCount
        return options
    }
}
