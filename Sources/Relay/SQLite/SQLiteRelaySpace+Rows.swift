import Core
import Storage

/// The store's own rows, and clocks.
extension SQLiteRelaySpace {
    /// Reads a clock; one that was never written means that the file is damaged.
    func clock(_ bytes: UnsafeRawBufferPointer) throws(StoreFault) -> VersionVector {
        guard let clock = RelayClock.clock(bytes) else {
            throw .corrupt(path: path, detail: "the clock of a version is damaged")
        }
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
