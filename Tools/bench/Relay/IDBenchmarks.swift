import Core
import Devices
import Glibc
import Relay
import Replica
import Session
import Storage

/// A relay's engine on SQLite files, and devices of a space that has known very many replica ids; in one process, without
/// sockets.
final class IDBenchmarks {
    /// How many ids the space has known.
    private let idCount: Int
    private let scratch: ScratchFolder
    private let engine: RelayEngine
    private var measurements = Measurements()

    private static let space = SpaceID(value: 1)
    /// The replica that brings the ids, and that is no device.
    private static let author = ReplicaID(value: 99)
    /// How many ids each record's clock names.
    private static let idsPerRecord = 4_000

    init(idCount: Int, scratch: ScratchFolder) throws {
        self.idCount = idCount
        self.scratch = scratch
        var options = RelayOptions(folder: scratch.path + "/relay")
        options.allowsPlainSpaces = true
        engine = RelayEngine(
            options: options, access: NobodysKeys(),
            store: try SQLiteRelayStore(
                in: options.folder, limits: options.limits,
                environment: SystemEnvironment.environment()))
    }

    /// Runs everything; gives JSON.
    func run() throws -> String {
        let names = ["laptop", "phone", "tablet"]
        let devices = try names.map { name in
            try Store.create(
                folder: scratch.path + "/" + name, schema: Benchmarks.schema, space: Self.space,
                deviceName: name, environment: SystemEnvironment.environment())
        }
        defer { for device in devices { device.close() } }
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        try fill(laptop)
        try measure("ids_first_upload", laptop)
        try measure("ids_new_device", phone)
        // Both hear of each other's records; then nothing is left to say.
        for device in [laptop, phone, laptop, phone] { _ = try visit(device) }
        try measure("ids_no_op", laptop, repeated: 20)
        try laptop.write { transaction in
            _ = try transaction.insert(
                [Assignment(.number(2), .text("new"))], into: Benchmarks.todo)
        }
        try measure("ids_edit_upload", laptop)
        try measure("ids_edit_download", phone)
        try measure("ids_third_device", tablet)
        let count = try tablet.stateSummary().entries.count
        guard count >= idCount else { throw BenchError.failed("\(count) ids came") }
        measurements.note(
            "ids_relay",
            [
                ("ids", Double(count)),
                ("disk_bytes", Double(try Cost.byteCount(in: scratch.path + "/relay"))),
            ])
        return measurements.text
    }

    private func measure(_ name: String, _ device: Store, repeated count: Int = 1) throws {
        Cost.resetPeak()
        let idle = Cost.memory("VmRSS")
        var visits: [IDVisit] = []
        let cost = try Cost.measure {
            for _ in 0..<count { visits.append(try visit(device)) }
        }
        guard let last = visits.last else { return }
        measurements.note(
            name,
            [
                ("wall_ms", cost.wall * 1000 / Double(count)),
                ("cpu_ms", cost.cpu * 1000 / Double(count)),
                ("bytes_to_relay", Double(last.sentByteCount)),
                ("bytes_to_device", Double(last.receivedByteCount)),
                ("peak_bytes_over_idle", Double(Cost.memory("VmHWM") - idle)),
            ])
    }

    // MARK: The ids

    /// Gives a store records with writes of all ids, and has it vouch for them.
    private func fill(_ store: Store) throws {
        for first in stride(from: 0, to: idCount, by: Self.idsPerRecord) {
            let entries = (first..<min(first + Self.idsPerRecord, idCount)).map { number in
                VersionVector.Entry(
                    replica: ReplicaID(value: SipHash(key0: 5).hash128(Array("\(number)".utf8))),
                    counter: 1)
            }
            let clock = VersionVector(unsorted: entries)
            let write = Write(
                dot: Dot(replica: entries[0].replica, counter: 1), timestamp: .zero,
                assignments: [Assignment(.number(2), .text("x"))])
            let change = Change(
                RecordName(Benchmarks.todo, RecordID(value: UInt128(first + 1))), clock: clock,
                body: BodyCodec.encode(
                    RecordState(clock: clock, writes: [write]), in: Benchmarks.todo))
            _ = try store.integrate([change], from: Self.author, checkpoint: nil)
        }
        let summary = try store.stateSummary()
        let entries = summary.entries.map {
            StateSummaryEntry(
                replica: $0.replica, counter: max($0.counter, $0.seen), checksum: $0.checksum,
                seen: $0.seen)
        }
        _ = try store.join(
            StateSummary(entries: entries, digest: summary.digest), from: Self.author,
            through: Checkpoint(epoch: EpochID(value: 1), sequence: 1))
    }

    private func visit(_ store: Store) throws -> IDVisit {
        let visit = IDVisit(store, engine)
        try visit.run()
        return visit
    }
}

/// One whole conversation of a device with the engine of a relay.
private final class IDVisit {
    private(set) var sentByteCount = 0
    private(set) var receivedByteCount = 0

    private let store: Store
    private let replica: Replica
    private let engine: RelayEngine
    private var toRelay: [[UInt8]] = []
    private var toDevice: [[UInt8]] = []
    private var end: SessionEnd?
    private var relay: ReplicaID?
    private var deviceWake: Instant?
    private var relayWake: Instant?
    private var lastOutput = SystemEnvironment.now()
    /// A visit in which nothing is said for so long is over.
    private static let patienceMilliseconds: Int64 = 2_000
    /// Why it may have failed.
    private var reasons: [String] = []

    init(_ store: Store, _ engine: RelayEngine) {
        self.store = store
        self.engine = engine
        replica = Replica(store: store)
    }

    func run() throws {
        let (there, opened) = engine.open(
            RelayChannel(address: "here"), now: SystemEnvironment.now())
        take(opened)
        let (here, first) = replica.openRelay(
            RelayAccount(), seal: nil, isLive: false, guess: try store.replica(at: "relay"),
            now: SystemEnvironment.now())
        take(first)
        while end == nil {
            let now = SystemEnvironment.now()
            if !toRelay.isEmpty {
                let bytes = toRelay.removeFirst()
                sentByteCount += bytes.count
                take(engine.receive(there, bytes, now: now))
            } else if !toDevice.isEmpty {
                let bytes = toDevice.removeFirst()
                receivedByteCount += bytes.count
                take(bytes.withUnsafeBytes { replica.receive(here, $0, now: now) })
            } else if engine.hasWaiting {
                take(engine.commit(now: now))
            } else if engine.hasAnswers {
                take(engine.takeAnswers(now: now))
            } else if let due = relayWake, due <= now {
                relayWake = nil
                take(engine.run(there, .wake, now: now))
            } else if let due = deviceWake, due <= now {
                deviceWake = nil
                take(replica.run(here, .wake, now: now))
            } else if now < lastOutput.advanced(byMilliseconds: Self.patienceMilliseconds) {
                usleep(1_000)
            } else {
                // A device that has all waits for the end of the link.
                take(replica.run(here, .lost, now: now))
                if end == nil { reasons.append("neither side has anything to say") }
                break
            }
        }
        guard end == .finished else {
            throw BenchError.failed("a visit ended: \(end.debugDescription), \(reasons)")
        }
        take(engine.run(there, .lost, now: SystemEnvironment.now()))
        if let relay { try store.remember(relay, at: "relay") }
    }

    private func take(_ outputs: [Replica.Output]) {
        if !outputs.isEmpty { lastOutput = SystemEnvironment.now() }
        for (_, effect) in outputs {
            switch effect {
            case .send(let bytes): toRelay.append(bytes)
            case .report(let report): relay = report.peer ?? relay
            case .close(let how): end = how
            case .fault(let fault): reasons.append("\(fault)")
            case .wake(let time): deviceWake = time
            }
        }
    }

    private func take(_ outputs: [RelayEngine.Output]) {
        if !outputs.isEmpty { lastOutput = SystemEnvironment.now() }
        for (_, effect) in outputs {
            switch effect {
            case .send(let bytes): toDevice.append(bytes)
            case .close(let how): reasons.append("the relay ended it: \(how)")
            case .wake(let time): relayWake = time
            case .log: break
            }
        }
    }
}

/// A relay of spaces without keys, to which nobody shows a proof.
private struct NobodysKeys: RelayAccess {
    func verify(
        verifier: [UInt8], space: SpaceID, generation: UInt32, proof: [UInt8],
        channelBinding: [UInt8]?
    ) -> Bool { false }

    func verifySuccession(
        verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
        succession: [UInt8]
    ) -> Bool { false }
}
