import Core
import Crypto
import Devices
import Simulation
import Storage

extension FuzzTargets {
    /// Whatever members write into the records of devices, in any order and under any clock.
    static let deviceRecords = FuzzTarget(
        "device-records", byteCountMax: 512,
        decoders: [
            "Sources/Devices/Pairing/DeviceDirectory.swift",
            "Sources/Storage/Peers/RevokedKeys.swift",
        ]
    ) { bytes in
        var input = FuzzInput(bytes)
        let talk = try DeviceRecordTalk(&input)
        for _ in 0..<60 where !input.isEmpty { try talk.step(&input) }
        try talk.finish()
    }
}

/// A store that is brought records of devices, and what it then says of them.
private final class DeviceRecordTalk {
    private let device = FuzzDevice()
    private let store: Store
    private let names: [RecordName]
    private let keys = (0..<6).map { [UInt8](repeating: UInt8($0 + 1), count: 32) }
    private var counters: [UInt64] = [0, 0, 0, 0]
    /// The keys that were out at any time.
    private var revoked: Set<Fingerprint> = []

    init(_ input: inout FuzzInput) throws {
        device.disk.restore(StoredImage.withoutDeferred.image, .unnoticed)
        store = try device.open()
        names =
            [store.replica].map { RecordName(deviceOf: $0) }
            + (1...19).map { RecordName(deviceOf: ReplicaID(value: UInt128($0) << 64 | 0xd)) }
    }

    deinit { store.close() }

    func step(_ input: inout FuzzInput) throws {
        let manner = input.byte()
        switch manner & 7 {
        case 6:
            // This device puts one out.
            let mark = self.mark(input.below(keys.count))
            try store.edit { transaction throws(StoreFault) in
                try transaction.updateDevice(store.replica, [Assignment(mark, .bool(true))])
            }
        case 7:
            // It writes again what somebody took away.
            let lost = try DeviceDirectory(store).unnamedRevoked
            if lost.isEmpty { return }
            try store.edit { transaction throws(StoreFault) in
                try transaction.updateDevice(
                    store.replica,
                    lost.map {
                        Assignment(.element(.number(6), .bytes($0.bytes)), .bool(true))
                    })
            }
            try promise(
                try DeviceDirectory(store).unnamedRevoked.isEmpty, "a revocation has no name yet")
        default: try bring(manner, &input)
        }
        try look()
    }

    private func mark(_ key: Int) -> Field { .element(.number(6), .bytes(keys[key])) }

    /// A member brings a record: a write of its own beside what is there, instead of it, or without having seen it.
    private func bring(_ manner: UInt8, _ input: inout FuzzInput) throws {
        let name = names[input.below(names.count)]
        let author = input.below(counters.count)
        let replica = ReplicaID(value: UInt128(author + 1) << 64 | 0xa)
        counters[author] += 1
        let dot = Dot(replica: replica, counter: counters[author])
        let known = try store.record(name)?.record ?? RecordState()
        let hasSeen = manner & 8 == 0
        var clock = VersionVector(dot)
        if hasSeen { clock = clock.joined(with: known.clock) }
        var assignments: [Field: Value] = [:]
        for _ in 0...input.below(4) {
            let (field, value) = assignment(&input)
            assignments[field] = value
        }
        if manner & 16 == 16 {
            assignments = [.deleted: .clock(clock), .purged: .bool(true)]
        }
        let own = Write(
            dot: dot,
            timestamp: HybridTimestamp(milliseconds: 1_700_000_000_000 + Int64(input.byte())),
            assignments: assignments.map { Assignment($0.key, $0.value) }.sorted {
                $0.field < $1.field
            })
        // Without the writes that it has seen, it takes them away.
        let kept = hasSeen && manner & 32 == 32 ? known.writes : []
        let record = RecordState(clock: clock, writes: (kept + [own]).sorted { $0.dot < $1.dot })
        let change = Change(name, clock: clock, body: BodyCodec.encode(record, in: name.collection))
        _ = try store.integrate(
            [change], from: replica, checkpoint: nil, isRepair: manner & 64 == 64)
    }

    private func assignment(_ input: inout FuzzInput) -> (Field, Value) {
        let key = keys[input.below(keys.count)]
        switch input.below(12) {
        case 0, 1: return (.number(3), .bytes(key))
        case 2: return (.number(4), .bytes(key))
        case 3: return (.number(5), .bytes(Array(key.prefix(16))))
        case 4, 5: return (.element(.number(6), .bytes(key)), input.flag() ? .bool(true) : .null)
        case 6: return (.number(2), .text(["", "laptop", "phone"][input.below(3)]))
        case 7: return (.number(8), .int(Int64(bitPattern: input.number())))
        case 8: return (.number(9), .int(Int64(bitPattern: input.number())))
        case 9: return (.element(.number(7), .bytes(input.bytes())), .bool(true))
        case 10: return (.number(UInt32(2 + input.below(12))), .bytes(input.bytes()))
        default: return (.element(.number(6), .bytes(input.bytes())), .null)
        }
    }

    /// The promises that hold whatever came.
    private func look() throws {
        let directory = try DeviceDirectory(store)
        let all = keys.compactMap { Fingerprint(bytes: $0) }
        for key in all {
            if directory.isRevoked(key) { revoked.insert(key) }
            try promise(
                !revoked.contains(key) || directory.isRevoked(key), "a revoked key is forgotten")
            try promise(
                !revoked.contains(key) || !directory.trusts(key), "a revoked key is let in")
            try promise(
                (directory.refusal(store.replica, key) == nil)
                    == (!directory.isRevoked(key) && directory[key]?.isLateUser != true),
                "a refusal without a reason")
        }
        var seen: Set<Fingerprint> = []
        var replicas: Set<ReplicaID> = []
        for device in directory.devices {
            if let key = device.fingerprint {
                try promise(seen.insert(key).inserted, "one key is two devices")
                try promise(device.isRevoked == revoked.contains(key), "a device is out and in")
            }
            for replica in device.replicas {
                try promise(replicas.insert(replica).inserted, "one replica is two devices")
                try promise(directory[replica] == device, "a replica is another device")
                _ = directory.refusal(replica, nil)
            }
            _ = directory.sharers(ofKeyOf: device)
            _ = device.exchangeKey.map { directory.isExposed($0, besides: device.fingerprint) }
        }
        _ = directory.keyHolder(besides: store.replica)
        for word in ["laptop", "00000000", "0101"] {
            _ = DeviceDirectory.find(word, in: directory.devices)
        }
        _ = try store.undocumentedReplicas()
    }

    func finish() throws {
        try promise(try store.examine() == [], "the store is not whole")
        let lost = Set(try store.lostRevocations())
        try promise(
            lost.intersection(keys).allSatisfy {
                Fingerprint(bytes: $0).map(revoked.contains) == true
            },
            "a key is remembered that never was out")
    }
}

extension FuzzSeeds {
    /// A record that a member brings: how, which, who, and its fields as (key, kind, more).
    private static func brought(
        _ manner: UInt8, _ name: UInt8, _ author: UInt8, _ fields: [[UInt8]], at time: UInt8 = 1
    ) -> [UInt8] {
        [manner, name, author, UInt8(fields.count - 1)] + fields.flatMap { $0 } + [time]
    }

    private static func talk(_ name: String, _ steps: [[UInt8]]) -> FuzzSeed {
        FuzzSeed("device-records", name, steps.flatMap { $0 })
    }

    /// Talks about records of devices: revocations and what becomes of them, keys, invitations, many devices.
    static let deviceRecords: [FuzzSeed] = [
        // A device is put out; a member takes that away by a purge, by a body, and is told again each time.
        talk(
            "taken-away",
            [
                brought(0, 1, 0, [[0, 0], [0, 2], [0, 6, 1]]), [6, 0],
                brought(16, 0, 1, [[0, 0]]), [7, 7], brought(0, 0, 2, [[1, 6, 2]], at: 9), [7],
                brought(32, 2, 3, [[0, 0], [2, 3]]), [6, 0],
            ]),
        // A purge that has not seen the revocation; a repair that keeps both.
        talk(
            "purged-meanwhile",
            [
                brought(0, 1, 0, [[0, 0]]), brought(0, 2, 0, [[0, 1]]),
                brought(0, 1, 1, [[0, 4, 1]]), brought(24, 1, 2, [[0, 0]]),
                brought(72, 1, 3, [[1, 5, 0]]), brought(64, 1, 3, [[1, 0]]),
            ]),
        // Of those with one invitation the first stays, in whichever order they come.
        talk(
            "late-users",
            [
                brought(0, 1, 0, [[0, 0], [5, 3]], at: 5),
                brought(0, 2, 1, [[1, 0], [5, 3]], at: 3),
                brought(0, 3, 2, [[2, 0], [5, 3]], at: 7), [6, 1],
            ]),
        // Values of every kind, in the wrong fields as well, and one key in two records.
        talk(
            "odd-fields",
            [
                brought(0, 1, 0, [[0, 0], [0, 7, 255], [0, 8, 254], [0, 9, 3, 1, 2, 3]]),
                brought(
                    0, 2, 1, [[0, 1], [0, 7, 3], [0, 8, 252, 1, 2], [0, 10, 0, 2, 1, 2]], at: 9),
                brought(
                    0, 3, 2, [[0, 2], [0, 10, 1, 4, 1, 2, 3, 4], [1, 11, 2, 9, 9], [2, 6, 0]]),
                brought(0, 4, 3, [[0, 0], [0, 2], [0, 6, 2], [0, 8, 253]], at: 1),
                brought(0, 0, 3, [[3, 0], [0, 2], [3, 7, 7]]), [6, 3],
            ]),
        // So many that they are looked up in a table.
        talk(
            "many",
            (1...19).map { number in
                let fields: [[UInt8]] = [[UInt8(number % 5), 0]]
                return brought(0, UInt8(number), UInt8(number % 4), fields, at: UInt8(number))
            } + [[6, 2]]),
    ]
}
