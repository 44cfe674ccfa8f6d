import Core

/// The part of a store that keeps the summary rows of relays: those that it has heard, and those that it has stated.
///
/// Owns the tables `summary_row` and `own_summary`. A row that cannot be joined yet is tried again after each reading of
/// the relay. An entry is stated if no device has stated an equal one: so one edit does not make every device state it.
/// Source: Protocol/10-Relay.md.
final class SummaryRows {
    /// The most own summaries that are remembered, to tell what other devices have seen.
    static let ownSummaryCountMax = 256

    /// A row of another device that is not joined yet.
    struct Unsettled {
        let key: SummaryRow.Key
        let entry: StateSummaryEntry
        /// Whether it did not add up where the relay was read from its start.
        var isMissing = false
    }

    /// What `is_settled` says of a row that did not add up where the relay was read from its start.
    private static let missing: Int64 = 2

    private let database: Database
    private let knowledge: Knowledge

    init(_ database: Database, _ knowledge: Knowledge) {
        self.database = database
        self.knowledge = knowledge
    }

    // MARK: Hearing

    /// Keeps rows as a relay sent them, of each key that with the highest number.
    ///
    /// One of this device tells what it has stated, if that was forgotten here.
    func keep(_ rows: [HeardSummaryRow], at relay: ReplicaID) throws(StoreFault) {
        for row in rows {
            let isOwn = row.key.replica == knowledge.replica
            let known = try self.row(row.key, at: relay)
            let isNews =
                known.map {
                    $0.number < row.number || $0.number == row.number && $0.hash != row.hash
                }
                ?? true
            // Digests that this device knows only from the relay tell nothing of its entries there.
            let isSettled = isOwn && row.key.about != nil
            if isNews { try put(row, replacing: known, at: relay, isSettled: isSettled) }
            // One that this device did not state, or that it forgot, is looked at beside its own summary.
            if isNews, isSettled {
                try note(0, SummaryRow.Key(knowledge.replica, about: nil), at: relay)
            }
        }
    }

    private func row(
        _ key: SummaryRow.Key, at relay: ReplicaID
    ) throws(StoreFault) -> (number: UInt64, hash: UInt128)? {
        let row = try database.connection.statement(
            """
            SELECT number, hash FROM summary_row WHERE relay = ? AND about = ? AND replica = ?
            """)
        row.bind(1, identifier: relay.value)
        Self.bind(2, key.about, to: row)
        row.bind(3, identifier: key.replica.value)
        defer { row.reset() }
        return try row.step() ? (row.unsigned(0), row.identifier(1) ?? 0) : nil
    }

    private func put(
        _ row: HeardSummaryRow, replacing known: (number: UInt64, hash: UInt128)?,
        at relay: ReplicaID, isSettled: Bool
    ) throws(StoreFault) {
        let put = try database.connection.statement(
            "INSERT OR REPLACE INTO summary_row VALUES (?, ?, ?, ?, ?, ?, ?)")
        put.bind(1, identifier: relay.value)
        Self.bind(2, row.key.about, to: put)
        put.bind(3, identifier: row.key.replica.value)
        put.bind(4, row.number)
        put.bind(5, identifier: row.hash)
        put.bind(6, row.content?.bytes ?? [])
        put.bind(7, isSettled || row.content == nil ? Int64(1) : 0)
        try put.run()
        if row.hash == known?.hash { return }
        let sum = try sum(at: relay) &+ row.hash &- (known?.hash ?? 0)
        let total = try database.connection.statement(
            "INSERT OR REPLACE INTO summary_row_sum VALUES (?, ?)")
        total.bind(1, identifier: relay.value)
        total.bind(2, identifier: sum)
        try total.run()
    }

    /// The sum of the hashes of all rows that are known of a relay, modulo 2^128.
    func sum(at relay: ReplicaID) throws(StoreFault) -> UInt128 {
        let row = try database.connection.statement(
            "SELECT sum FROM summary_row_sum WHERE relay = ?")
        row.bind(1, identifier: relay.value)
        defer { row.reset() }
        return try row.step() ? row.identifier(0) ?? 0 : 0
    }

    /// The entries of other devices that are not joined yet.
    func unsettled(at relay: ReplicaID) throws(StoreFault) -> [Unsettled] {
        let rows = try database.connection.statement(
            """
            SELECT about, replica, content FROM summary_row
            WHERE relay = ? AND is_settled = 0 AND about <> x''
            """)
        rows.bind(1, identifier: relay.value)
        return try entries(rows, areMissing: false)
    }

    /// The entries of other devices that did not add up where the relay was read from its start.
    ///
    /// To be asked for only where there are some: it looks at all rows of the relay.
    func missing(at relay: ReplicaID) throws(StoreFault) -> [Unsettled] {
        let rows = try database.connection.statement(
            """
            SELECT about, replica, content FROM summary_row
            WHERE relay = ? AND is_settled = ? AND about <> x''
            """)
        rows.bind(1, identifier: relay.value)
        rows.bind(2, Self.missing)
        return try entries(rows, areMissing: true)
    }

    private func entries(
        _ rows: PreparedStatement, areMissing: Bool
    ) throws(StoreFault) -> [Unsettled] {
        defer { rows.reset() }
        var found: [Unsettled] = []
        while try rows.step() {
            let (key, content) = try read(rows)
            guard case .entry(let entry, _, _) = content else { continue }
            found.append(Unsettled(key: key, entry: entry, isMissing: areMissing))
        }
        return found
    }

    /// Whether an entry about a replica, of another device than one or of this one, reaches so far.
    func hasEntry(
        about author: ReplicaID, reaching counter: UInt64, butOf speaker: ReplicaID,
        at relay: ReplicaID
    ) throws(StoreFault) -> Bool {
        try rows(about: author, at: relay).contains { row in
            guard row.key.replica != speaker, case .entry(let entry, _, _) = row.content else {
                return false
            }
            return entry.seen >= counter
        }
    }

    /// Whether every entry heard at a relay is joined.
    func isSettled(at relay: ReplicaID) throws(StoreFault) -> Bool {
        let row = try database.connection.statement(
            "SELECT 1 FROM summary_row WHERE relay = ? AND is_settled = 0 AND about <> x'' LIMIT 1")
        row.bind(1, identifier: relay.value)
        defer { row.reset() }
        return try !row.step()
    }

    /// Takes an entry for joined: it is not tried again.
    func settle(_ key: SummaryRow.Key, at relay: ReplicaID) throws(StoreFault) {
        try note(1, key, at: relay)
    }

    /// Takes note that an entry did not add up where the relay was read from its start: it is tried again, and is no
    /// reason to read the relay so once more.
    func noteMissing(_ key: SummaryRow.Key, at relay: ReplicaID) throws(StoreFault) {
        try note(Self.missing, key, at: relay)
    }

    private func note(
        _ state: Int64, _ key: SummaryRow.Key, at relay: ReplicaID
    ) throws(StoreFault) {
        let row = try database.connection.statement(
            "UPDATE summary_row SET is_settled = ? WHERE relay = ? AND about = ? AND replica = ?")
        row.bind(1, state)
        row.bind(2, identifier: relay.value)
        Self.bind(3, key.about, to: row)
        row.bind(4, identifier: key.replica.value)
        try row.run()
    }

    /// Tries entries as any others that are known to be missing.
    func forgetMissing(at relay: ReplicaID) throws(StoreFault) {
        let row = try database.connection.statement(
            "UPDATE summary_row SET is_settled = 0 WHERE relay = ? AND is_settled = ?")
        row.bind(1, identifier: relay.value)
        row.bind(2, Self.missing)
        try row.run()
    }

    /// The newest digests of each other device at a relay.
    func digests(
        at relay: ReplicaID
    ) throws(StoreFault) -> [(replica: ReplicaID, sum: UInt128, digest: Digest)] {
        var found: [(replica: ReplicaID, sum: UInt128, digest: Digest)] = []
        for row in try rows(about: nil, at: relay) where row.key.replica != knowledge.replica {
            guard case .digests(let sum, let digest) = row.content else { continue }
            found.append((row.key.replica, sum, digest))
        }
        return found
    }

    /// The sum of the newest summary that each other device has stated, once for each relay.
    func statedSums() throws(StoreFault) -> [(replica: ReplicaID, sum: UInt128)] {
        let rows = try database.connection.statement(
            "SELECT about, replica, content FROM summary_row WHERE about = x''")
        defer { rows.reset() }
        var found: [(replica: ReplicaID, sum: UInt128)] = []
        while try rows.step() {
            let (key, content) = try read(rows)
            guard key.replica != knowledge.replica, case .digests(let sum, _) = content else {
                continue
            }
            found.append((key.replica, sum))
        }
        return found
    }

    // MARK: Stating

    /// The rows that this device is to state at a relay: the entries that are others than it has stated, and that no
    /// other device has stated so, and the digests.
    ///
    /// - Parameters:
    ///   - earlier: a summary that is stated already, as far as anything of it is to be.
    ///   - withOthers: whether entries about other replicas and the digests are asked for.
    ///   - request: the number of the request for what is missing of this relay; nil if nothing is.
    ///   - incarnation: the newest incarnation that is known of a replica.
    func due(
        _ stateSummary: StateSummary, sum: UInt128, since earlier: StateSummary?, withOthers: Bool,
        at relay: ReplicaID, request: UInt64? = nil, incarnation: (ReplicaID) -> Incarnation?
    ) throws(StoreFault) -> [DueSummaryRow] {
        let own = knowledge.replica
        let digests = SummaryRowContent.digests(sum: sum, stateSummary.digest)
        let stated = try rows(about: nil, at: relay).first { $0.key.replica == own }
        let areStated = stated?.content == digests
        // The store remembers digests with all entries that they are of.
        let missing =
            try request != nil && withOthers
            ? Set(self.missing(at: relay).map(\.entry.replica)) : []
        let areAllStated =
            areStated ? try isSettled(SummaryRow.Key(own, about: nil), at: relay) : false
        if areAllStated, missing.isEmpty { return [] }
        var entries =
            areAllStated
            ? [] : Self.moved(stateSummary, since: earlier, of: withOthers ? nil : own)
        // Of what this device has nothing of, a row in its name says so as a request: an entry of nothing is none.
        let unknown =
            areAllStated || !withOthers || earlier != nil
            ? [] : try ownRows(at: relay).filter { stateSummary.entry(of: $0) == nil }
        let named = Set(missing.isEmpty ? [] : entries.map(\.replica))
        for replica in missing.subtracting(named).union(unknown).sorted() {
            entries.append(
                stateSummary.entry(of: replica)
                    ?? StateSummaryEntry(replica: replica, counter: 0, checksum: 0, seen: 0))
        }
        var due: [DueSummaryRow] = []
        for entry in entries {
            let rows = try rows(about: entry.replica, at: relay)
            let known = rows.first { $0.key.replica == own }
            let asked =
                missing.contains(entry.replica)
                ? request : entry.seen == 0 ? RelayLacks.emptyRequest : nil
            if case .entry(entry, _, asked) = known?.content { continue }
            let content = SummaryRowContent.entry(
                entry, incarnation(entry.replica), request: asked)
            // A request is stated at any rate: that of another device may be an old one.
            let isShared = rows.contains {
                if case .entry(entry, _, _) = $0.content { $0.key.replica != own } else { false }
            }
            // A row that claims more than this device has must not stay, whoever stated it in its name.
            let isFalse =
                if case .entry(let stated, _, _) = known?.content {
                    stated.counter > entry.counter || stated.seen > entry.seen
                } else { false }
            due.append(
                Self.due(content, after: known, isStated: !isShared || asked != nil || isFalse))
        }
        if areAllStated { return due }
        if withOthers {
            due.append(Self.due(digests, after: stated, isStated: !areStated))
        }
        return due
    }

    /// The entries that differ from an earlier summary; only that of one replica if one is given.
    private static func moved(
        _ stateSummary: StateSummary, since earlier: StateSummary?, of replica: ReplicaID?
    ) -> [StateSummaryEntry] {
        if let replica { return stateSummary.entry(of: replica).map { [$0] } ?? [] }
        return earlier.map { stateSummary.changes(since: $0) } ?? stateSummary.entries
    }

    /// A row behind the device's last one of its key.
    ///
    /// It is not stated where no number is left: somebody lied to the relay in this device's name.
    private static func due(
        _ content: SummaryRowContent, after last: HeardSummaryRow?, isStated: Bool
    ) -> DueSummaryRow {
        let number = last?.number ?? 0
        let isStated = isStated && number < UInt64(Int64.max)
        return DueSummaryRow(
            content: content, number: number + (isStated ? 1 : 0), isStated: isStated)
    }

    /// The replicas that rows of this device at a relay are about.
    private func ownRows(at relay: ReplicaID) throws(StoreFault) -> [ReplicaID] {
        let rows = try database.connection.statement(
            "SELECT about FROM summary_row WHERE relay = ? AND replica = ? AND about <> x''")
        rows.bind(1, identifier: relay.value)
        rows.bind(2, identifier: knowledge.replica.value)
        defer { rows.reset() }
        var found: [ReplicaID] = []
        while try rows.step() {
            if let about = rows.identifier(0) { found.append(ReplicaID(value: about)) }
        }
        return found
    }

    /// Whether a row needs no further look.
    private func isSettled(_ key: SummaryRow.Key, at relay: ReplicaID) throws(StoreFault) -> Bool {
        let row = try database.connection.statement(
            "SELECT is_settled FROM summary_row WHERE relay = ? AND about = ? AND replica = ?")
        row.bind(1, identifier: relay.value)
        Self.bind(2, key.about, to: row)
        row.bind(3, identifier: key.replica.value)
        defer { row.reset() }
        return try row.step() && row.int(0) == 1
    }

    /// The rows of all devices about a replica id, or their digests if that is nil.
    private func rows(
        about: ReplicaID?, at relay: ReplicaID
    ) throws(StoreFault) -> [HeardSummaryRow] {
        let rows = try database.connection.statement(
            """
            SELECT about, replica, content, number, hash FROM summary_row
            WHERE relay = ? AND about = ?
            """)
        rows.bind(1, identifier: relay.value)
        Self.bind(2, about, to: rows)
        defer { rows.reset() }
        var found: [HeardSummaryRow] = []
        while try rows.step() {
            let (key, content) = try read(rows)
            found.append(
                HeardSummaryRow(
                    key: key, number: rows.unsigned(3), hash: rows.identifier(4) ?? 0,
                    content: content))
        }
        return found
    }

    /// Remembers rows that a relay has on its disk now, or that need not be stated there; and the summary, if it is
    /// still of that moment.
    ///
    /// - Parameter through: the last arrival number here that they cover.
    func noteStated(
        _ rows: [DueSummaryRow], through sequence: UInt64, at relay: ReplicaID
    ) throws(StoreFault) {
        for row in rows {
            let key = SummaryRow.Key(knowledge.replica, about: row.content.about)
            let known = try self.row(key, at: relay)
            // One that is not stated stands in place of what the relay has, with the number and the hash of that.
            let hash = row.isStated ? row.hash : known?.hash ?? 0
            let heard = HeardSummaryRow(
                key: key, number: row.number, hash: hash, content: row.content)
            try put(heard, replacing: known, at: relay, isSettled: true)
        }
        if knowledge.sequence == sequence { try noteOwn(knowledge.summary.sum, at: sequence) }
    }

    // MARK: Own summaries

    private func noteOwn(_ sum: UInt128, at sequence: UInt64) throws(StoreFault) {
        let row = try database.connection.statement(
            "INSERT OR REPLACE INTO own_summary(sequence, sum) VALUES (?, ?)")
        row.bind(1, sequence)
        row.bind(2, identifier: sum)
        try row.run()
        let excess = try database.connection.statement(
            """
            DELETE FROM own_summary WHERE sequence IN (
                SELECT sequence FROM own_summary ORDER BY sequence DESC LIMIT -1 OFFSET ?)
            """)
        excess.bind(1, Int64(Self.ownSummaryCountMax))
        try excess.run()
    }

    /// The last arrival number here up to which a device with a summary of this sum has everything; nil if this store
    /// never had that summary, or had it long ago.
    func seenThrough(_ sum: UInt128) throws(StoreFault) -> UInt64? {
        if knowledge.summary.sum == sum { return knowledge.sequence }
        let row = try database.connection.statement(
            "SELECT max(sequence) FROM own_summary WHERE sum = ?")
        row.bind(1, identifier: sum)
        defer { row.reset() }
        guard try row.step(), !row.isNull(0) else { return nil }
        return row.unsigned(0)
    }

    // MARK: Forgetting

    /// Forgets the rows of a relay, and those of relays that are remembered no more.
    ///
    /// To be called where its checkpoint is forgotten because it may have lost rows: those that it has come again.
    func forget(_ relay: ReplicaID) throws(StoreFault) {
        for table in ["summary_row", "summary_row_sum"] {
            let row = try database.connection.statement("DELETE FROM \(table) WHERE relay = ?")
            row.bind(1, identifier: relay.value)
            try row.run()
            try database.connection.run(
                """
                DELETE FROM \(table) WHERE relay NOT IN (
                    SELECT replica.id FROM checkpoint
                    JOIN replica ON replica.number = checkpoint.replica)
                """)
        }
    }

    /// Forgets all of it.
    func forgetAll() throws(StoreFault) {
        try database.connection.execute(
            "DELETE FROM summary_row; DELETE FROM summary_row_sum; DELETE FROM own_summary")
    }

    // MARK: Columns

    /// Digests, which are about no replica id, have an empty one in the table.
    private static func bind(_ index: Int32, _ about: ReplicaID?, to row: PreparedStatement) {
        if let about {
            row.bind(index, identifier: about.value)
        } else {
            row.bind(index, [UInt8]())
        }
    }

    /// The key and the content of a row; no content if it was not to be opened.
    private func read(
        _ rows: PreparedStatement
    ) throws(StoreFault) -> (SummaryRow.Key, SummaryRowContent?) {
        guard let replica = rows.identifier(1) else {
            throw database.corrupt("a summary row is damaged")
        }
        let about = rows.identifier(0).map { ReplicaID(value: $0) }
        let key = SummaryRow.Key(ReplicaID(value: replica), about: about)
        let bytes = rows.bytes(2)
        if bytes.isEmpty { return (key, nil) }
        guard let content = try? SummaryRowContent(decoding: bytes, about: about) else {
            throw database.corrupt("a summary row is damaged")
        }
        return (key, content)
    }
}

/// A summary row as a relay sent it, opened.
package struct HeardSummaryRow: Hashable, Sendable {
    /// The device that stated it, and what it is about.
    package let key: SummaryRow.Key
    /// Grows with each row of the key.
    package let number: UInt64
    /// The hash of the row as the relay has it.
    package let hash: UInt128
    /// The content; nil if it cannot be opened, or is nonsense.
    package let content: SummaryRowContent?

    /// A row.
    package init(
        key: SummaryRow.Key, number: UInt64, hash: UInt128, content: SummaryRowContent?
    ) {
        self.key = key
        self.number = number
        self.hash = hash
        self.content = content
    }
}
