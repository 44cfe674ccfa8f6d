import CSQLite
import Core
import Glibc
import Simulation
import Storage
import TestSupport
import Testing

/// Devices with real stores in a scratch folder, and an oracle that looks at them.
final class OracleWorld {
    static let todo = CollectionID.number(1)
    static let title = Field.number(2)
    static let notes = Field.number(3)
    static let schema = [
        CollectionSchema(
            todo, "todo",
            fields: [
                FieldSchema(2, "title", .text), FieldSchema(3, "notes", .text),
                FieldSchema(8, "tags", .set), FieldSchema(9, "parent", .reference(.number(1))),
            ], indexes: [["state", "title"]])
    ]

    let oracle: Oracle
    let policy: DeletePolicy
    let folder: String
    var chance: SplitMix64
    var stores: [Store] = []
    private var now: Int64 = 1_800_000_000_000

    init(
        seed: UInt64 = 1, policy: DeletePolicy = .deletesWin, devices: Int = 2,
        judgesBothPasts: Bool = true
    ) throws {
        chance = SplitMix64(seed: seed)
        self.policy = policy
        oracle = Oracle(policy: policy, judgesBothPasts: judgesBothPasts)
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/tandem-oracle-XXXXXX".utf8CString)
        folder = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, let made = mkdtemp(base) else { return parent }
            return String(cString: made)
        }
        for deviceIndex in 0..<devices {
            oracle.addDevice()
            stores.append(
                try Store.create(
                    folder: path(deviceIndex), schema: Self.schema, space: SpaceID(value: 7),
                    policy: policy, deviceName: "device \(deviceIndex)", environment: environment))
            try oracle.look(deviceIndex, stores[deviceIndex])
        }
    }

    deinit {
        for store in stores { store.abandon() }
        for name in Self.names(in: folder) {
            for file in Self.names(in: folder + "/" + name) { unlink("\(folder)/\(name)/\(file)") }
            rmdir(folder + "/" + name)
        }
        rmdir(folder)
    }

    private static func names(in path: String) -> [String] {
        guard let listing = opendir(path) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    func path(_ deviceIndex: Int) -> String { "\(folder)/\(deviceIndex)" }

    private var environment: StoreEnvironment {
        StoreEnvironment(
            wallMilliseconds: { [unowned self] in
                now += 1
                return now
            }, drawBits: { [unowned self] in chance.next() }, machine: "machine", boot: "boot")
    }

    /// Opens a device's store again.
    func open(_ deviceIndex: Int) throws {
        stores[deviceIndex] = try Store.open(
            folder: path(deviceIndex), schema: Self.schema, environment: environment)
    }

    /// The store of another space in a folder.
    func createForeign(_ folder: String) throws -> Store {
        try Store.create(
            folder: folder, schema: Self.schema, space: SpaceID(value: 8), policy: policy,
            deviceName: "stranger", environment: environment)
    }

    // MARK: Files

    private static let files = ["store.db", "store.db-wal", "identity", "lock"]

    /// The bytes of a device's files, by name; its store is closed.
    func image(_ deviceIndex: Int) -> [String: [UInt8]] {
        var image: [String: [UInt8]] = [:]
        for name in Self.files {
            guard let file = fopen(path(deviceIndex) + "/" + name, "r") else { continue }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
            image[name] = bytes
        }
        return image
    }

    /// Puts files into a device's folder, in the place of those that are there.
    func put(_ image: [String: [UInt8]], on deviceIndex: Int) {
        // File systems tell the time of a change in ticks of up to ten milliseconds.
        usleep(12_000)
        mkdir(path(deviceIndex), 0o700)
        for name in Self.names(in: path(deviceIndex)) { unlink(path(deviceIndex) + "/" + name) }
        for name in Self.files {
            guard let bytes = image[name], let file = fopen(path(deviceIndex) + "/" + name, "w")
            else {
                continue
            }
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
        }
        usleep(12_000)
    }

    // MARK: Edits

    static func recordName(_ number: Int) -> RecordName {
        RecordName(todo, Store.derivedID(todo, key: "record \(number)"))
    }

    /// Runs an edit and shows it to the oracle.
    func edit(
        _ deviceIndex: Int, _ name: RecordName, _ kind: Simulation.WriteHistory.Kind,
        _ form: Simulation.WriteHistory.Form? = nil,
        _ body: (Transaction) throws(StoreFault) -> Void
    ) throws {
        let past = try stores[deviceIndex].record(name)?.record.clock ?? VersionVector()
        try stores[deviceIndex].edit(body)
        try oracle.edited(deviceIndex, stores[deviceIndex], name, kind, form, past: past)
        try oracle.look(deviceIndex, stores[deviceIndex])
    }

    /// Makes a record, or saves fields of it.
    func save(
        _ deviceIndex: Int, _ name: RecordName, _ fields: [Assignment], resolves: Bool = false
    ) throws {
        let isNew = try stores[deviceIndex].record(name) == nil
        let form = Simulation.WriteHistory.Form(fields, resolves: resolves)
        try edit(deviceIndex, name, .edit, form) { edit throws(StoreFault) in
            if isNew {
                try edit.insert(fields, into: name.collection, id: name.id)
            } else {
                try edit.update(name, fields, resolves: resolves)
            }
        }
    }

    /// Gives a record a title.
    func name(_ deviceIndex: Int, _ name: RecordName, _ title: String) throws {
        try save(deviceIndex, name, [Assignment(Self.title, .text(title))])
    }

    func delete(_ deviceIndex: Int, _ name: RecordName) throws {
        try edit(deviceIndex, name, .delete) { edit throws(StoreFault) in try edit.delete(name) }
    }

    func restore(_ deviceIndex: Int, _ name: RecordName) throws {
        try edit(deviceIndex, name, .restore) { edit throws(StoreFault) in try edit.restore(name) }
    }

    func purge(_ deviceIndex: Int, _ name: RecordName) throws {
        try edit(deviceIndex, name, .purge) { edit throws(StoreFault) in
            try edit.purge(name, isForced: true)
        }
    }

    // MARK: Meetings

    /// Carries what one device has to another, and has the oracle look at it.
    func carry(from: Int, to: Int, joins: Bool = true) throws {
        let (sender, receiver) = (stores[from], stores[to])
        let hello = try sender.greeting(to: nil)
        oracle.left(from)
        var start = ReadRequest.Start.sequence(0)
        while true {
            let known = PeerHoldings(try receiver.news(after: 0).knowledge)
            let reading = try sender.read(from: start, peerHas: known)
            let result = try receiver.integrate(
                reading.changes, from: hello.replica, checkpoint: reading.through,
                incarnations: reading.incarnations)
            try oracle.look(to, receiver)
            if !result.wanted.isEmpty {
                let again = try sender.read(
                    from: start, peerHas: PeerHoldings(), wanted: result.wanted)
                _ = try receiver.integrate(again.wanted, from: hello.replica, checkpoint: nil)
            }
            start = .sequence(reading.through.sequence)
            guard let stateSummary = reading.stateSummary else { continue }
            if joins {
                _ = try receiver.join(stateSummary, from: hello.replica, through: reading.through)
            }
            return try oracle.look(to, receiver)
        }
    }

    /// Everybody meets everybody, and then all is judged.
    func heal() throws {
        for _ in 0..<3 {
            for from in stores.indices {
                for to in stores.indices where to != from { try carry(from: from, to: to) }
            }
        }
        try oracle.judgeHealed(stores)
    }

    /// Puts a record into a store as if a peer had sent it.
    func plant(_ record: RecordState, _ name: RecordName, on deviceIndex: Int) throws {
        let change = Change(
            name, clock: record.clock,
            body: BodyCodec.encode(record, in: name.collection))
        _ = try stores[deviceIndex].integrate([change], from: ReplicaID(value: 99), checkpoint: nil)
    }

    /// The record as a device holds it.
    func record(_ deviceIndex: Int, _ name: RecordName) throws -> RecordState {
        try #require(try stores[deviceIndex].record(name)).record
    }

    /// Changes the database of a device behind its store's back.
    func tamper(_ deviceIndex: Int, _ sql: String) throws {
        var handle: OpaquePointer?
        #expect(sqlite3_open(path(deviceIndex) + "/store.db", &handle) == SQLITE_OK)
        #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
        sqlite3_close(handle)
    }
}
