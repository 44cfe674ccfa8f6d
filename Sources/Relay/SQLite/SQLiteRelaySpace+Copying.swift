import Core
import Storage

/// Reading all of a space, for a move into another store.
extension SQLiteRelaySpace {
    /// Reads in one transaction, from the state that the file has at its beginning.
    func asOfNow<T>(
        _ body: (SQLiteRelaySpace) throws(StoreFault) -> T
    ) throws(StoreFault) -> T {
        try connection.execute("BEGIN")
        // Ends with the connection, if it fails.
        state = try SQLiteRelayState.load(from: connection, space: space, path: path)
        let found = try body(self)
        try connection.execute("COMMIT")
        return found
    }

    /// Everything but the versions.
    package func copy() throws(StoreFault) -> RelaySpaceCopy {
        let head = RelaySpaceHead(
            key: RelaySpaceKey(space: space, relay: relay), generation: generation,
            verifier: verifier, epoch: epoch, sequence: sequence, byteCount: byteCount,
            recordCount: recordCount, versionCount: versionCount,
            rekeyMessageMarks: rekeyMessageMarks)
        var messages: [RekeyMessage] = []
        for mark in rekeyMessageMarks {
            if let message = try rekeyMessage(to: mark.verifier) { messages.append(message) }
        }
        return RelaySpaceCopy(
            head: head, rowSum: state.rowSum, epochs: state.epochs, rows: try allRows(),
            uploaded: try allUploaded(), rekeyMessages: messages, devices: try devices())
    }

    private func allUploaded() throws(StoreFault) -> [RelaySpaceCopy.Uploaded] {
        let rows = try connection.statement(
            "SELECT replica, epoch, sequence, arrival FROM uploaded ORDER BY replica")
        defer { rows.reset() }
        var found: [RelaySpaceCopy.Uploaded] = []
        while try rows.step() {
            guard let replica = rows.identifier(0) else {
                throw .corrupt(path: path, detail: "the replica of an upload is damaged")
            }
            found.append(
                RelaySpaceCopy.Uploaded(
                    replica: ReplicaID(value: replica),
                    checkpoint: Checkpoint(
                        epoch: EpochID(value: rows.unsigned(1)), sequence: rows.unsigned(2)),
                    arrival: rows.unsigned(3)))
        }
        return found
    }

    /// The versions behind an arrival number, in order.
    ///
    /// - Parameters:
    ///   - countMax: the most versions.
    ///   - byteCountMax: the most bytes of bodies; one longer body comes alone.
    package func versionCopies(
        after start: UInt64, countMax: Int, byteCountMax: Int
    ) throws(StoreFault) -> [RelaySpaceCopy.Version] {
        let rows = try connection.statement(
            """
            SELECT \(Self.versionColumns), hash, unreadable IS NOT NULL, coalesce(unreadable, 0)
            FROM version WHERE sequence > ? ORDER BY sequence
            """)
        rows.bind(1, start)
        defer { rows.reset() }
        var found: [RelaySpaceCopy.Version] = []
        var byteCount = 0
        while found.count < countMax, try rows.step() {
            let change = try change(rows)
            byteCount += change.body.count
            if !found.isEmpty, byteCount > byteCountMax { break }
            found.append(
                RelaySpaceCopy.Version(
                    sequence: rows.unsigned(0), change: change,
                    hash: rows.identifier(5) ?? VersionMark(of: change).hash,
                    unreadable: rows.int(6) != 0 ? rows.int(7) : nil))
        }
        return found
    }
}
