import Core

/// What is remembered of relays.
///
/// How far this store was uploaded a relay remembers as well, but of a replica id: of a machine that was set
/// back unnoticed it knows the other past. What the store itself remembers went back with it.
extension Store {
    /// The most stores of relays that are remembered; to others everything is uploaded once more.
    package static let relayCountMax = 64

    /// How many differences are remembered for which a relay was read anew: notices may come in several parts,
    /// each with another one.
    package static let differenceCountMax = 8

    /// Remembers that a relay has everything up to that place.
    package func noteUploaded(
        through: Checkpoint, to relay: ReplicaID
    ) throws(StoreFault) {
        if try reading({ () throws(StoreFault) in try uploadMark(at: relay) }) == through { return }
        try changing { () throws(StoreFault) in
            let row = try connection.statement(
                """
                INSERT INTO relay_mark(id, epoch, sequence) VALUES (?1, ?2, ?3)
                ON CONFLICT(id) DO UPDATE SET epoch = ?2, sequence = ?3
                """)
            row.bind(1, identifier: relay.value)
            row.bind(2, through.epoch.value)
            row.bind(3, through.sequence)
            try row.run()
            try forgetRelays(but: relay)
        }
    }

    /// How far this store was uploaded to a relay; nil if it remembers nothing.
    func uploadMark(at relay: ReplicaID) throws(StoreFault) -> Checkpoint? {
        let row = try connection.statement(
            "SELECT epoch, sequence FROM relay_mark WHERE id = ? AND epoch <> 0")
        row.bind(1, identifier: relay.value)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return Checkpoint(epoch: EpochID(value: row.unsigned(0)), sequence: row.unsigned(1))
    }

    /// Remembers which statements contents here differ from; if others than before, the relay is to be read
    /// anew, as every version of these contents is there: read once more, they are united.
    ///
    /// What a device stated that is no more stays at the relay: it costs one reading.
    /// - Returns: whether the relay is to be read anew.
    func noteDifferences(
        _ statements: [Statement], at relay: ReplicaID
    ) throws(StoreFault) -> Bool {
        let all = statements.map { Declaration(statement: $0, openings: []).bytes }
            .sorted { $0.lexicographicallyPrecedes($1) }
        let mark = String(SipHash().hash128(all.flatMap(\.self)), radix: 36)
        let known = try reading { () throws(StoreFault) in
            let row = try connection.statement("SELECT differences FROM relay_mark WHERE id = ?")
            row.bind(1, identifier: relay.value)
            defer { row.reset() }
            return try row.step() ? row.text(0).split(separator: " ").map { String($0) } : []
        }
        if known.contains(mark) { return false }
        try changing { () throws(StoreFault) in
            let row = try connection.statement(
                """
                INSERT INTO relay_mark(id, differences) VALUES (?1, ?2)
                ON CONFLICT(id) DO UPDATE SET differences = ?2
                """)
            row.bind(1, identifier: relay.value)
            row.bind(2, ([mark] + known.prefix(Self.differenceCountMax - 1)).joined(separator: " "))
            try row.run()
            try forgetRelays(but: relay)
            guard let place = state.replicas.place(of: relay) else { return }
            let bookmark = try connection.statement("DELETE FROM checkpoint WHERE replica = ?")
            bookmark.bind(1, Int64(place))
            try bookmark.run()
        }
        return true
    }

    /// What came from a relay into a store that had next to nothing: up to a place in this store's sequence, the
    /// relay has all but some records.
    struct Fetched {
        let through: Checkpoint
        let lacking: Set<RecordID>
    }

    /// Remembers, as long as the store is open, that up to that place all but some records are as a relay sent them.
    package func noteFetched(through: Checkpoint, lacking: Set<RecordID>, from relay: ReplicaID) {
        if fetched[relay] == nil, fetched.count >= Self.relayCountMax { fetched = [:] }
        fetched[relay] = Fetched(through: through, lacking: lacking)
    }

    /// What was fetched from a relay; asked for once, as from then on the relay itself is told how far it has all.
    func takeFetched(from relay: ReplicaID) -> Fetched? {
        fetched.removeValue(forKey: relay)
    }

    /// Keeps to the limit.
    private func forgetRelays(but relay: ReplicaID) throws(StoreFault) {
        let excess = try connection.statement(
            """
            DELETE FROM relay_mark WHERE id IN (
                SELECT id FROM relay_mark WHERE id <> ?1
                ORDER BY sequence DESC, id LIMIT -1 OFFSET ?2)
            """)
        excess.bind(1, identifier: relay.value)
        excess.bind(2, Int64(Self.relayCountMax - 1))
        try excess.run()
    }
}
