import Core
import Storage

/// Rekey messages for devices that have an older secret of the space; never opened here.
extension SQLiteRelaySpace {
    /// For whom there are rekey messages, and what tells them from earlier ones.
    package var rekeyMessageMarks: [RekeyMessage.Mark] { state.rekeyMessages.map(\.mark) }

    /// Keeps a rekey message in place of the one for the same devices; inside of a transaction.
    ///
    /// Of more than `WireLimits.rekeyMessageCountMax` those of the oldest generations go.
    ///
    /// - Returns: whether it is here now: not if it is for those who have the present secret or a later one, or if the
    ///   space may not have so many bytes.
    package func putRekeyMessage(
        _ rekeyMessage: RekeyMessage, limits: RelayLimits
    ) throws(StoreFault) -> Bool {
        // A space without encryption has no rekey messages.
        guard rekeyMessage.generation <= generation, generation > 0,
            rekeyMessage.verifier != verifier
        else {
            return false
        }
        let mark = rekeyMessage.mark
        if state.rekeyMessages.contains(where: {
            $0.mark == mark && $0.generation == rekeyMessage.generation
        }) {
            return true
        }
        let old = state.rekeyMessages.first { $0.mark.verifier == mark.verifier }
        let growth =
            RelayQuota.byteCount(ofRekeyMessage: rekeyMessage.bytes.count)
            - (old.map { RelayQuota.byteCount(ofRekeyMessage: $0.byteCount) } ?? 0)
        if growth > 0, state.byteCount + growth > limits.spaceByteCountMax { return false }
        if old != nil { try dropRekeyMessage(to: mark.verifier) }
        let row = try connection.statement(
            "INSERT INTO rekey_message(verifier, generation, hash, bytes) VALUES (?, ?, ?, ?)")
        row.bind(1, rekeyMessage.verifier)
        row.bind(2, Int64(rekeyMessage.generation))
        row.bind(3, identifier: mark.hash)
        row.bind(4, rekeyMessage.bytes)
        try row.run()
        state.byteCount += RelayQuota.byteCount(ofRekeyMessage: rekeyMessage.bytes.count)
        state.rekeyMessages.append(
            SQLiteRelayRekeyMessage(
                mark: mark, generation: rekeyMessage.generation, byteCount: rekeyMessage.bytes.count
            ))
        while state.rekeyMessages.count > WireLimits.rekeyMessageCountMax,
            let oldest = state.rekeyMessages.min(by: { $0.generation < $1.generation })
        {
            try dropRekeyMessage(to: oldest.mark.verifier)
        }
        return rekeyMessageMarks.contains(mark)
    }

    /// Returns the rekey message for devices that prove that key.
    package func rekeyMessage(to verifier: [UInt8]) throws(StoreFault) -> RekeyMessage? {
        guard let known = state.rekeyMessages.first(where: { $0.mark.verifier == verifier }) else {
            return nil
        }
        let row = try connection.statement("SELECT bytes FROM rekey_message WHERE verifier = ?")
        row.bind(1, verifier)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return RekeyMessage(generation: known.generation, verifier: verifier, bytes: row.bytes(0))
    }

    private func dropRekeyMessage(to verifier: [UInt8]) throws(StoreFault) {
        guard let index = state.rekeyMessages.firstIndex(where: { $0.mark.verifier == verifier })
        else {
            return
        }
        let row = try connection.statement("DELETE FROM rekey_message WHERE verifier = ?")
        row.bind(1, verifier)
        try row.run()
        let gone = state.rekeyMessages.remove(at: index)
        state.byteCount -= RelayQuota.byteCount(ofRekeyMessage: gone.byteCount)
    }

    /// A rekey message that cannot be read as one means that the file is damaged.
    static func rekeyMessages(
        from connection: Connection, path: String
    ) throws(StoreFault) -> [SQLiteRelayRekeyMessage] {
        let rows = try connection.statement(
            "SELECT verifier, generation, hash, length(bytes) FROM rekey_message ORDER BY number")
        defer { rows.reset() }
        var rekeyMessages: [SQLiteRelayRekeyMessage] = []
        while try rows.step() {
            guard let generation = UInt32(exactly: rows.int(1)), let hash = rows.identifier(2)
            else {
                throw .corrupt(path: path, detail: "the table of rekey messages is damaged")
            }
            rekeyMessages.append(
                SQLiteRelayRekeyMessage(
                    mark: RekeyMessage.Mark(verifier: rows.bytes(0), hash: hash),
                    generation: generation, byteCount: Int(rows.int(3))))
        }
        return rekeyMessages
    }
}
