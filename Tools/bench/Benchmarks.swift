import Core
import Devices
import Glibc
import Session
import Storage
import Transport

/// The measurements, in the order of the table of numbers to reach.
final class Benchmarks {
    static let schema = [
        CollectionSchema(
            .number(1), "todo",
            fields: [
                FieldSchema(2, "title", .text), FieldSchema(3, "notes", .text),
                FieldSchema(4, "project", .text), FieldSchema(5, "due", .moment),
                FieldSchema(6, "done", .bool), FieldSchema(7, "created", .moment),
                FieldSchema(8, "modified", .moment),
            ], indexes: [["done", "due"]])
    ]
    static let todo = CollectionID.number(1)

    let size: BenchSize
    private let scratch: ScratchFolder
    private var measurements = Measurements()

    init(size: BenchSize, scratch: ScratchFolder) {
        self.size = size
        self.scratch = scratch
    }

    static func open(_ folder: String) throws -> Store {
        try Store.open(folder: folder, schema: schema, environment: SystemEnvironment.environment())
    }

    func create(_ name: String) throws -> Store {
        try Store.create(
            folder: path(name), schema: Self.schema, space: SpaceID(value: 1), deviceName: name,
            environment: SystemEnvironment.environment())
    }

    private func path(_ name: String) -> String { scratch.path + "/" + name }

    func note(_ name: String, _ values: [(String, Double)]) {
        measurements.note(name, values)
    }

    /// Runs everything; gives JSON.
    func run() throws -> String {
        let items = (0..<size.bulkCount).map(SampleToDo.init)
        let floor = try bulkCreate(items)
        try singleCreate()
        try firstSync(items, floor: floor)
        let noOpByteCount = try noOpSync()
        try catchUp(noOpByteCount: noOpByteCount)
        try liveEdits(items)
        try liveQueries()
        return measurements.text
    }

    /// Runs what is about live edits alone; gives JSON.
    func runLive() throws -> String {
        let items = (0..<size.bulkCount).map(SampleToDo.init)
        try firstSync(items, floor: try bulkCreate(items))
        try liveEdits(items)
        return measurements.text
    }

    private func bulkCreate(_ items: [SampleToDo]) throws -> Cost {
        let plain = try PlainTable(path: path("floor.db"))
        let floor = try Cost.measure {
            try plain.execute("BEGIN")
            for item in items { try plain.add(item) }
            try plain.execute("COMMIT")
        }
        let store = try create("a")
        let ours = try Cost.measure {
            try store.write { transaction in
                for item in items {
                    try transaction.insert(item.assignments, into: Self.todo, id: item.id)
                }
            }
        }
        store.close()
        try plain.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let disk = Double(fileSize(path("a/store.db"))) / Double(fileSize(path("floor.db")))
        note(
            "bulk_create",
            [
                ("count", Double(items.count)), ("floor_cpu_s", floor.cpu), ("cpu_s", ours.cpu),
                ("cpu_ratio", ours.cpu / floor.cpu), ("disk_ratio", disk),
            ])
        return floor
    }

    private func fileSize(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private func singleCreate() throws {
        let items = (0..<size.singleCount).map { SampleToDo($0 + 1_000_000) }
        let plain = try PlainTable(path: path("floor-single.db"))
        let floor = try Cost.measure { for item in items { try plain.add(item) } }
        let store = try create("single")
        let ours = try Cost.measure {
            for item in items {
                try store.write {
                    try $0.insert(item.assignments, into: Self.todo, id: item.id)
                }
            }
        }
        store.close()
        note(
            "single_create",
            [
                ("count", Double(items.count)), ("floor_cpu_s", floor.cpu), ("cpu_s", ours.cpu),
                ("cpu_ratio", ours.cpu / floor.cpu), ("wall_ratio", ours.wall / floor.wall),
            ])
    }

    private func firstSync(_ items: [SampleToDo], floor: Cost) throws {
        try create("b").close()
        let server = try Peer(folder: path("a"))
        let client = try Caller(folder: path("b"), port: server.port)
        let idle = Cost.memory("VmRSS")
        Cost.resetPeak()
        let cost = try Cost.measure { try client.sync() }
        let peak = Cost.memory("VmHWM")
        let content = items.reduce(0) { $0 + $1.contentByteCount }
        note(
            "first_sync",
            [
                ("count", Double(items.count)), ("cpu_s", cost.cpu), ("wall_s", cost.wall),
                ("cpu_ratio", cost.cpu / floor.cpu), ("wall_ratio", cost.wall / floor.wall),
                ("memory_over_idle_mib", Double(peak - idle) / 1_048_576),
                ("wire_bytes", Double(client.byteCount)),
                ("wire_bytes_each", Double(client.byteCount) / Double(items.count)),
                ("wire_ratio_to_content", Double(client.byteCount) / Double(content)),
                ("wire_ratio_to_json", Double(client.byteCount) / Double(items.count * 213)),
            ])
        client.close()
        server.stop()
    }

    private func catchUp(noOpByteCount: Int) throws {
        let edited = try Self.open(path("a"))
        try edited.write { transaction in
            for number in 0..<size.editCount {
                let id = SampleToDo(number * (size.bulkCount / size.editCount)).id
                try transaction.update(
                    RecordName(.number(1), id),
                    [Assignment(.number(2), .text("edited \(number)"))])
            }
        }
        edited.close()
        let server = try Peer(folder: path("a"))
        let client = try Caller(folder: path("b"), port: server.port)
        let cost = try Cost.measure { try client.sync() }
        note(
            "catch_up",
            [
                ("count", Double(size.editCount)),
                ("after_connect_ms", client.sessionSeconds * 1000),
                ("cpu_ms", cost.cpu * 1000), ("wire_bytes", Double(client.byteCount)),
                (
                    "wire_bytes_each",
                    Double(client.byteCount - noOpByteCount) / Double(size.editCount)
                ),
            ])
        client.close()
        server.stop()
    }

    private func noOpSync() throws -> Int {
        let server = try Peer(folder: path("a"))
        let client = try Caller(folder: path("b"), port: server.port)
        try client.sync()
        var times: [Double] = []
        for _ in 0..<20 {
            client.byteCount = 0
            try client.sync()
            times.append(client.sessionSeconds * 1000)
        }
        times.sort()
        note(
            "no_op_sync",
            [
                ("wire_bytes", Double(client.byteCount)), ("after_connect_ms_p50", times[10]),
                ("after_connect_ms_min", times[0]),
            ])
        defer { client.close() }
        server.stop()
        return client.byteCount
    }

    private func liveEdits(_ items: [SampleToDo]) throws {
        let floor = try PlainLiveEdit.time(
            size.liveCount, items: items,
            in: (path("floor-writer.db"), path("floor-reader.db")))
        try note("live_edit_floor", floor)
        try liveEdits("live_edit", isSecure: false)
        #if Encryption
            try liveEdits("live_edit_tls", isSecure: true)
        #endif
    }

    private func liveEdits(_ name: String, isSecure: Bool) throws {
        let server = try Peer(folder: path("a"), isSecure: isSecure)
        let client = try Caller(folder: path("b"), port: server.port, isSecure: isSecure)
        let edits = try client.timeLiveEdits(
            size.liveCount, editing: SampleToDo(1).id, at: server)
        client.close()
        server.stop()
        try note(name, edits)
    }

    private func note(_ name: String, _ edits: [Caller.LiveEdit]) throws {
        guard !edits.isEmpty else { throw BenchError.failed("no live edit arrived") }
        let visible = edits.map(\.visible).sorted()
        let acknowledged = edits.map(\.acknowledged).sorted()
        note(
            name,
            [
                ("count", Double(edits.count)), ("p50_ms", visible[visible.count / 2] * 1000),
                ("p99_ms", visible[visible.count * 99 / 100] * 1000),
                ("acknowledged_p50_ms", acknowledged[acknowledged.count / 2] * 1000),
                ("acknowledged_p99_ms", acknowledged[acknowledged.count * 99 / 100] * 1000),
            ])
    }
}

// MARK: Live queries

/// The cost of updating a list after single edits, against the size of the list.
extension Benchmarks {
    private func liveQueries() throws {
        for count in size.listCounts { try liveQuery(rowCount: count) }
    }

    private func liveQuery(rowCount: Int) throws {
        let store = try create("list-\(rowCount)")
        defer { store.close() }
        let items = (0..<rowCount).map(SampleToDo.init)
        try store.write { transaction in
            for item in items {
                try transaction.insert(item.assignments, into: Self.todo, id: item.id)
            }
        }
        let request = FetchRequest(Self.todo, section: .init(.field(4)), sort: [.init(.field(2))])
        var limited = request
        limited.limit = 50
        let fetch = try Cost.measure { _ = try LiveQuery(store, request) }
        let (all, first) = (try LiveQuery(store, request), try LiveQuery(store, limited))
        let editCount = 200
        var (edits, refreshes, limitedRefreshes) = (0.0, 0.0, 0.0)
        var stepCount = 0
        for number in 0..<editCount {
            let item = items[number &* 7919 % items.count]
            edits += try Cost.measure {
                try store.write { transaction in
                    let title = Value.text("title \(number &* 104_729 % 1000)")
                    _ = try transaction.update(
                        RecordName(.number(1), item.id), [Assignment(.number(2), title)])
                }
            }.wall
            refreshes += try Cost.measure { stepCount += try all.refresh().count }.wall
            limitedRefreshes += try Cost.measure { _ = try first.refresh() }.wall
        }
        guard all.fullFetchCount == 1, stepCount >= editCount else {
            throw BenchError.failed("the list was fetched again, or missed an edit")
        }
        let each = 1_000_000 / Double(editCount)
        note(
            "live_query_\(rowCount)",
            [
                ("rows", Double(rowCount)), ("first_fetch_ms", fetch.wall * 1000),
                ("edit_us", edits * each), ("refresh_us", refreshes * each),
                ("refresh_limit_50_us", limitedRefreshes * each),
                ("fetch_ratio", fetch.wall * 1_000_000 / (refreshes * each)),
            ])
    }
}
