import Core
import Replica
import Session
import Simulation
import Storage
import TestSupport

extension FuzzTargets {
    /// Doors behind which a real store stands, on a disk in memory.
    static let stores = [replicas, relayReplicas, deviceRecords, damagedStores, applying]

    private static let replicas = FuzzTarget(
        "replicas", byteCountMax: 1024,
        decoders: [
            "Sources/Replica/Replica.swift", "Sources/Replica/Replica+Store.swift",
            "Sources/Storage/Peers/Integrator.swift", "Sources/Storage/Peers/DeferredChanges.swift",
            "Sources/Storage/Peers/StateSummaryJoiner.swift",
        ]
    ) { bytes in
        var input = FuzzInput(bytes)
        let talk = try ReplicaTalk(&input)
        for _ in 0..<200 where !input.isEmpty { try talk.step(&input) }
        try talk.finish()
    }

    private static let relayReplicas = FuzzTarget(
        "relay-replicas", byteCountMax: 1024,
        decoders: [
            "Sources/Replica/Replica.swift", "Sources/Replica/Replica+Store.swift",
            "Sources/Replica/RelayVersion.swift",
            "Sources/Storage/Peers/Integrator.swift", "Sources/Storage/Peers/DeferredChanges.swift",
            "Sources/Storage/Peers/StateSummaryJoiner.swift",
            "Sources/Storage/Peers/SummaryRowJoiner.swift",
        ]
    ) { bytes in
        var input = FuzzInput(bytes)
        let talk = try RelayReplicaTalk(&input)
        for _ in 0..<200 where !input.isEmpty { try talk.step(&input) }
        try talk.finish()
    }

    /// A store with rows that no program writes, then its pages, or the log beside them, with some bytes changed or the end
    /// cut off: opened, looked through, rescued.
    private static let damagedStores = FuzzTarget(
        "damaged-stores", byteCountMax: 256,
        decoders: [
            "CellReader", "DatabaseImage", "SalvagedStore", "SalvagedTables", "StoreRescue",
            "WholeTables",
        ].map { "Sources/Storage/Salvage/\($0).swift" }
    ) { bytes in
        var input = FuzzInput(bytes)
        let manner = input.byte()
        let device = FuzzDevice()
        let stored = manner & 64 == 64 ? StoredImage.withSnapshot : StoredImage.shared
        device.disk.restore(manner & 4 == 4 ? stored.openImage : stored.image, .unnoticed)
        let database = StorePaths(folder: FuzzDevice.folder).database
        for _ in 0..<(manner & 128 == 128 ? input.below(4) : 0) {
            let change = input.byte()
            device.alter(areSnapshots: change & 128 == 128, by: Int(change & 127))
        }
        let path = manner & 12 == 12 ? database + "-wal" : database
        var pages = device.disk.read(path) ?? []
        while !input.isEmpty {
            let place = Int(input.byte()) << 8 | Int(input.byte())
            let value = input.byte()
            // Heads of pages matter most.
            let index = place & 1 == 1 ? (place >> 1) : (place >> 1) * 16
            if value == 0xee { pages.removeLast(min(pages.count, index)) }
            if index < pages.count { pages[index] ^= value }
        }
        try device.disk.replace(path, with: pages)
        if manner & 16 == 0 { try device.lookAround() }
        if manner & 1 == 1 {
            try device.rescue(
                isDry: manner & 2 == 2, space: manner & 32 == 0 ? MemoryStore.space : nil)
        }
    }
}

/// A device with a store on a disk in memory.
final class FuzzDevice {
    static let folder = "/home/store"
    static let schema = [
        CollectionSchema(
            .number(1), "note",
            fields: [
                FieldSchema(2, "title", .text), FieldSchema(3, "rank", .int),
                FieldSchema(4, "effort", .double), FieldSchema(5, "tags", .set),
            ], indexes: [["state", "rank"]])
    ]
    static let collection = CollectionID.number(1)

    let disk = SimulatedDisk(number: 1, mayLosePower: false)
    private var chance: Chance
    private var now: Int64 = 1_800_000_000_000

    /// - Parameter start: another for who opens a store than for who made it: a device that drew the same bits again would
    ///   take its old id for a new one.
    init(drawing start: String = "opened") { chance = Chance(seed: 1, start) }

    var environment: StoreEnvironment {
        StoreEnvironment(
            wallMilliseconds: {
                self.now += 1
                return self.now
            }, drawBits: { self.chance.next() }, machine: "machine", boot: "boot", disk: disk)
    }

    /// - Parameter freeDeleteCount: how many deletes pass in any case; nil for as many as everywhere.
    func open(freeDeleteCount: Int? = nil) throws(StoreFault) -> Store {
        var options = StoreOptions()
        if let freeDeleteCount {
            options.massDeleteGuard = MassDeleteLimits(freeCount: freeDeleteCount)
        }
        return try Store.open(
            folder: Self.folder, schema: Self.schema, environment: environment, options: options)
    }

    /// Changes what stands in the tables of the store, or of its snapshots.
    func alter(areSnapshots: Bool, by number: Int) {
        let snapshots = disk.contents().map(\.path).filter { $0.contains("/snapshots/") }
        let database = StorePaths(folder: Self.folder).database
        for path in areSnapshots ? snapshots : [database] {
            guard
                let connection = try? Connection(
                    path: path, on: disk, creates: false, busyMilliseconds: 0)
            else { continue }
            // Tables that cannot be changed so stay as they are.
            try? connection.execute(Self.alterations[number % Self.alterations.count])
            connection.close()
        }
    }

    /// Each for a whole kind of damage that single bytes seldom make.
    private static let alterations = [
        "DELETE FROM state",
        "UPDATE state SET device_name = hex(zeroblob(40000))",
        "UPDATE state SET space = x'000102030405060708090a0b0c0d0e0f'",
        "UPDATE state SET policy = 1 - policy",
        "UPDATE note_record SET state = 0",
        "UPDATE note_record SET id = substr(id, 9)",
        "UPDATE note_record SET meta = zeroblob(9)",
        "UPDATE note_record SET clock = x'0001ff'",
        "UPDATE note_record SET sequence = sequence + 100",
        "DELETE FROM note_record; DELETE FROM device_record; DELETE FROM unknown_record",
        "UPDATE collection SET note = 'x' WHERE name = 'note'",
        "UPDATE collection SET note = replace(note, char(10) || '4 effort double', '') WHERE name = 'note'",
        "UPDATE held_change SET peer = substr(peer, 9)",
        "UPDATE deferred_change SET clock = x''",
        "DELETE FROM replica WHERE number > 0",
        "UPDATE replica SET seen = seen + 1",
        "UPDATE replica SET checksum = zeroblob(16)",
        "UPDATE record_count SET live = live + 1",
        "UPDATE note_record SET title = title || '!'",
        "CREATE TABLE more(x); INSERT INTO more VALUES (zeroblob(9000)), (zeroblob(9000)); DROP TABLE more",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 0 WHERE name = 'note_record'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 0 WHERE tbl_name = 'note_record'",
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'state'",
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'held_change'",
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'replica'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')')",
        "UPDATE note_record SET meta = 'text'",
        "UPDATE note_record SET state = 'text', rank = 'text', effort = 'text'",
        "UPDATE state SET device_name = 1",
    ]

    /// Opens the store as it is, and uses it.
    func lookAround() throws {
        do throws(StoreFault) {
            let store = try open()
            defer { store.close() }
            _ = try store.fetch(FetchRequest(Self.collection))
            _ = try store.examine()
            _ = try store.edit { transaction throws(StoreFault) in
                try transaction.insert(
                    [Assignment(.number(2), .text("more"))], into: Self.collection)
            }
        } catch {
            try promise(!"\(error)".isEmpty, "a fault without words")
        }
    }

    /// Rescues the store; what comes of that is whole.
    func rescue(isDry: Bool, space: SpaceID?) throws {
        let before = disk.contents().map(\.path)
        do throws(StoreFault) {
            _ = try Store.rescue(
                folder: Self.folder, schema: Self.schema, space: space, deviceName: "rescued",
                scratch: "/home/scratch", environment: environment,
                isDry: isDry)
        } catch {
            try promise(!"\(error)".isEmpty, "a fault without words")
            return
        }
        if isDry {
            let after = disk.contents().map(\.path).filter { !$0.hasPrefix("/home/scratch") }
            return try promise(Set(after).isSubset(of: before), "a dry run made a file")
        }
        let store = try open()
        let findings = try store.examine()
        try promise(findings.isEmpty, "a rescued store is damaged: \(findings)")
        store.close()
    }
}

/// A store with a few records, made once.
struct StoredImage: Sendable {
    static let shared = StoredImage()
    static let withSnapshot = StoredImage(hasSnapshot: true)
    /// One in which every change could be read.
    static let withoutDeferred = StoredImage(hasDeferred: false)
    /// The store when it was closed.
    let image: DiskImage
    /// The store in use, its newest writes in the log.
    let openImage: DiskImage

    private init(hasSnapshot: Bool = false, hasDeferred: Bool = true) {
        let device = FuzzDevice(drawing: "device")
        do {
            var options = StoreOptions()
            options.massDeleteGuard = MassDeleteLimits(freeCount: 1)
            let store = try Store.create(
                folder: FuzzDevice.folder, schema: FuzzDevice.schema, space: MemoryStore.space,
                deviceName: "device", environment: device.environment, options: options)
            for number in 0..<8 {
                let id = RecordID(value: UInt128(number))
                let change = Change(
                    id: id, clock: VersionVector(Dot(replica: ReplicaID(value: 77), counter: 1)),
                    body: hasDeferred && number == 7 ? [0xff] : Self.body(number))
                _ = try store.integrate(
                    [change], from: ReplicaID(value: 77), checkpoint: nil)
            }
            // A delete and an edit that have not seen each other, a record of a collection that nobody here knows, and a
            // delete that waits for an answer.
            let (author, editor) = (ReplicaID(value: 78), ReplicaID(value: 79))
            let deleted = Self.record(6, then: author, 1, .deleted, .clock(Self.clock))
            let edited = Self.record(6, then: editor, 1, .number(5), .text("edited"))
            let foreign = Change(
                RecordName(.text("plants"), RecordID(value: 9)), clock: edited.clock,
                body: BodyCodec.encode(edited, in: .text("plants")))
            for change in [Self.change(6, deleted), Self.change(6, edited), foreign] {
                _ = try store.integrate([change], from: author, checkpoint: nil)
            }
            let deletes = Self.deletes.enumerated().map { Self.change($0, $1) }
            _ = try store.integrate(
                deletes, from: Self.deleter, checkpoint: nil, mergesUnheld: true)
            _ = try store.edit { transaction throws(StoreFault) in
                _ = try transaction.insert(
                    [
                        Assignment(.number(2), .text("whole")), Assignment(.number(4), .double(2)),
                    ], into: FuzzDevice.collection)
                _ = try transaction.insert(
                    [
                        Assignment(.number(2), .text(String(repeating: "long ", count: 1_200))),
                        Assignment(.number(4), .double(1.5)),
                    ], into: FuzzDevice.collection)
                _ = try transaction.update(
                    RecordID(value: 1), [Assignment(.number(2), .text("mine"))])
            }
            if hasSnapshot { _ = try store.takeSnapshot() }
            openImage = device.disk.snapshot()
            store.close()
        } catch {
            preconditionFailure("a store on a disk in memory: \(error)")
        }
        image = device.disk.snapshot()
    }

    /// The clock of the records that were there first.
    private static let clock = VersionVector(Dot(replica: ReplicaID(value: 77), counter: 1))

    /// Who makes deletes that are set aside, and the first records with these.
    static let deleter = ReplicaID(value: 80)
    static let deletes = (0..<6).map { number in
        record(number, then: deleter, number + 1, .deleted, .clock(clock))
    }

    private static func change(_ number: Int, _ record: RecordState) -> Change {
        Change(
            id: RecordID(value: UInt128(number)), clock: record.clock,
            body: BodyCodec.encode(record, in: FuzzDevice.collection))
    }

    /// A record that was there first, and after that one more write.
    private static func record(
        _ number: Int, then replica: ReplicaID, _ counter: Int, _ field: Field, _ value: Value
    ) -> RecordState {
        var record = record(number)
        let dot = Dot(replica: replica, counter: UInt64(counter))
        record.clock.include(dot.counter, of: replica)
        record.writes.append(
            Write(
                dot: dot, timestamp: HybridTimestamp(rawValue: 2 << 20),
                assignments: [Assignment(field, value)]))
        return record
    }

    private static func body(_ number: Int) -> [UInt8] {
        BodyCodec.encode(record(number), in: FuzzDevice.collection)
    }

    private static func record(_ number: Int) -> RecordState {
        let dot = Dot(replica: ReplicaID(value: 77), counter: 1)
        return RecordState(
            clock: clock,
            writes: [
                Write(
                    dot: dot, timestamp: HybridTimestamp(rawValue: 1 << 20),
                    assignments: [
                        Assignment(.number(2), .text("title \(number)")),
                        Assignment(.number(3), .int(Int64(number))),
                    ])
            ])
    }
}

extension MemoryStore {
    /// Takes the deletes that the store under test has set aside.
    mutating func takeDeletes() {
        for (number, record) in StoredImage.deletes.enumerated() {
            put(record, RecordName(toDo: RecordID(value: UInt128(number))))
        }
        know(UInt64(StoredImage.deletes.count), of: StoredImage.deleter)
    }
}
