import Core
import Storage

/// Letters for devices that have an older secret of the space; never opened here.
extension SQLiteRelaySpace {
    /// For whom there are letters, and what tells them from earlier ones.
    package var letterMarks: [Letter.Mark] { state.letters.map(\.mark) }

    /// Keeps a letter in place of the one for the same devices; inside of a transaction.
    ///
    /// Of more than `WireLimits.letterCountMax` those of the oldest generations go.
    ///
    /// - Returns: whether it is here now: not if it is for those who have the present secret or a later one, or if the
    ///   space may not have so many bytes.
    package func putLetter(_ letter: Letter, limits: RelayLimits) throws(StoreFault) -> Bool {
        // A space without encryption has no rekey messages.
        guard letter.generation <= generation, generation > 0, letter.verifier != verifier else {
            return false
        }
        let mark = letter.mark
        if state.letters.contains(where: {
            $0.mark == mark && $0.generation == letter.generation
        }) {
            return true
        }
        let old = state.letters.first { $0.mark.verifier == mark.verifier }
        let growth =
            RelayQuota.byteCount(ofLetter: letter.bytes.count)
            - (old.map { RelayQuota.byteCount(ofLetter: $0.byteCount) } ?? 0)
        if growth > 0, state.byteCount + growth > limits.spaceByteCountMax { return false }
        if old != nil { try dropLetter(to: mark.verifier) }
        let row = try connection.statement(
            "INSERT INTO letter(verifier, generation, hash, bytes) VALUES (?, ?, ?, ?)")
        row.bind(1, letter.verifier)
        row.bind(2, Int64(letter.generation))
        row.bind(3, identifier: mark.hash)
        row.bind(4, letter.bytes)
        try row.run()
        state.byteCount += RelayQuota.byteCount(ofLetter: letter.bytes.count)
        state.letters.append(
            SQLiteRelayLetter(
                mark: mark, generation: letter.generation, byteCount: letter.bytes.count))
        while state.letters.count > WireLimits.letterCountMax,
            let oldest = state.letters.min(by: { $0.generation < $1.generation })
        {
            try dropLetter(to: oldest.mark.verifier)
        }
        return letterMarks.contains(mark)
    }

    /// Returns the rekey message for devices that prove that key.
    package func letter(to verifier: [UInt8]) throws(StoreFault) -> Letter? {
        guard let known = state.letters.first(where: { $0.mark.verifier == verifier }) else {
            return nil
        }
        let row = try connection.statement("SELECT bytes FROM letter WHERE verifier = ?")
        row.bind(1, verifier)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return Letter(generation: known.generation, verifier: verifier, bytes: row.bytes(0))
    }

    private func dropLetter(to verifier: [UInt8]) throws(StoreFault) {
        guard let index = state.letters.firstIndex(where: { $0.mark.verifier == verifier }) else {
            return
        }
        let row = try connection.statement("DELETE FROM letter WHERE verifier = ?")
        row.bind(1, verifier)
        try row.run()
        let gone = state.letters.remove(at: index)
        state.byteCount -= RelayQuota.byteCount(ofLetter: gone.byteCount)
    }

    /// A letter that cannot be read as one means that the file is damaged.
    static func letters(
        from connection: Connection, path: String
    ) throws(StoreFault) -> [SQLiteRelayLetter] {
        let rows = try connection.statement(
            "SELECT verifier, generation, hash, length(bytes) FROM letter ORDER BY number")
        defer { rows.reset() }
        var letters: [SQLiteRelayLetter] = []
        while try rows.step() {
            guard let generation = UInt32(exactly: rows.int(1)), let hash = rows.identifier(2)
            else {
                throw .corrupt(path: path, detail: "the table of letters is damaged")
            }
            letters.append(
                SQLiteRelayLetter(
                    mark: Letter.Mark(verifier: rows.bytes(0), hash: hash),
                    generation: generation, byteCount: Int(rows.int(3))))
        }
        return letters
    }
}
