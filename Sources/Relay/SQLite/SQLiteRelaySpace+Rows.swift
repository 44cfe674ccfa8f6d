import Core
import Storage

/// The store's own rows, and clocks as bytes.
extension SQLiteRelaySpace {
    /// The size of one entry of a clock: a replica and a counter.
    static let clockEntryByteCount = 24

    static func bytes(of clock: VersionVector) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(clock.entries.count * clockEntryByteCount)
        for entry in clock.entries {
            withUnsafeBytes(of: entry.replica.value.bigEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: entry.counter.bigEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// Reads a clock; one that was not written by `bytes(of:)` means that the file is damaged.
    func clock(_ bytes: UnsafeRawBufferPointer) throws(StoreFault) -> VersionVector {
        var entries: [VersionVector.Entry] = []
        let size = Self.clockEntryByteCount
        for start in stride(from: 0, to: bytes.count - size + 1, by: size) {
            let replica = bytes.loadUnaligned(fromByteOffset: start, as: UInt128.self)
            let counter = bytes.loadUnaligned(fromByteOffset: start + 16, as: UInt64.self)
            entries.append(
                VersionVector.Entry(
                    replica: ReplicaID(value: UInt128(bigEndian: replica)),
                    counter: UInt64(bigEndian: counter)))
        }
        guard bytes.count % size == 0, let clock = VersionVector(sorted: entries), !clock.isEmpty
        else { throw .corrupt(path: path, detail: "the clock of a version is damaged") }
        return clock
    }

    /// Makes the row of a new store; `saveMeta` fills it in.
    func makeMeta() throws(StoreFault) {
        let row = try connection.statement(
            "INSERT INTO meta VALUES (1, ?, zeroblob(0), 0, zeroblob(0), 0, 0, 0, 0, zeroblob(16))")
        row.bind(1, identifier: space.value)
        try row.run()
        try saveMeta()
    }

    func saveMeta() throws(StoreFault) {
        let row = try connection.statement(
            """
            UPDATE meta SET relay = ?, generation = ?, verifier = ?, sequence = ?, bytes = ?,
                records = ?, versions = ?, row_sum = ?
            """)
        row.bind(1, identifier: state.relay.value)
        row.bind(2, Int64(state.generation))
        row.bind(3, state.verifier)
        row.bind(4, state.sequence)
        row.bind(5, Int64(state.byteCount))
        row.bind(6, Int64(state.recordCount))
        row.bind(7, Int64(state.versionCount))
        row.bind(8, identifier: state.rowSum)
        try row.run()
    }
}

extension SQLiteRelayState {
    /// Reads the store's row and its epochs.
    static func load(
        from connection: Connection, space: SpaceID, path: String
    ) throws(StoreFault) -> SQLiteRelayState {
        let row = try connection.statement(
            """
            SELECT space, relay, generation, verifier, sequence, bytes, records, versions, row_sum
            FROM meta
            """)
        defer { row.reset() }
        guard try row.step(), let found = row.identifier(0), let relay = row.identifier(1),
            let generation = UInt32(exactly: row.int(2)), row.int(4) >= 0
        else { throw .corrupt(path: path, detail: "the store's own row is missing or damaged") }
        guard found == space.value else {
            let name = SpaceID(value: found)
            throw .corrupt(path: path, detail: "it holds space \(name)")
        }
        var state = SQLiteRelayState(
            relay: ReplicaID(value: relay), generation: generation, verifier: row.bytes(3))
        state.sequence = row.unsigned(4)
        state.byteCount = Int(row.int(5))
        state.recordCount = Int(row.int(6))
        state.versionCount = Int(row.int(7))
        state.rowSum = row.identifier(8) ?? 0
        state.rekeyMessages = try SQLiteRelaySpace.rekeyMessages(from: connection, path: path)
        let epochs = try connection.statement(
            "SELECT id, first_sequence FROM epoch ORDER BY number")
        defer { epochs.reset() }
        while try epochs.step() {
            state.epochs.append(
                RelayEpoch(
                    id: EpochID(value: epochs.unsigned(0)), firstSequence: epochs.unsigned(1)))
        }
        if state.epochs.isEmpty {
            throw .corrupt(path: path, detail: "the table of openings is empty")
        }
        return state
    }
}
