import Core

/// The part of a store that keeps changes which cannot be integrated here: they are kept as they came,
/// passed on, listed and tried again.
///
/// Owns the table `deferred_change`. Their clocks are with `Knowledge`, as they count in the checksums.
final class DeferredChanges: StorePart {
    private let database: Database
    private let knowledge: Knowledge
    private let records: Records

    init(_ database: Database, _ knowledge: Knowledge, _ records: Records) {
        self.database = database
        self.knowledge = knowledge
        self.records = records
    }

    /// How many deferred changes of one record are tried each time that it changes; all are at an opening.
    private static let recordRetryCountMax = 16

    // MARK: Listing

    /// The deferred changes that came after an arrival number, oldest first.
    func all(after sequence: UInt64 = 0) throws(StoreFault) -> [Store.Deferred] {
        try database.reading { () throws(StoreFault) in
            let rows = try database.connection.statement(
                """
                SELECT sequence, id, clock, body, collection, reason FROM deferred_change
                WHERE sequence > ? ORDER BY sequence
                """)
            rows.bind(1, sequence)
            return try changes(in: rows)
        }
    }

    /// The deferred changes of a record, oldest first.
    func all(of name: RecordName) throws(StoreFault) -> [Store.Deferred] {
        if knowledge.deferredClocks[name] == nil { return [] }
        let rows = try database.connection.statement(
            """
            SELECT sequence, id, clock, body, collection, reason FROM deferred_change
            WHERE id = ? AND collection = ? ORDER BY sequence
            """)
        rows.bind(1, identifier: name.id.value)
        rows.bind(2, name.collection.canonicalBytes)
        return try changes(in: rows)
    }

    /// The clocks of the deferred changes of a record, oldest first: bodies may be long, and are not read.
    private func clocks(
        of name: RecordName
    ) throws(StoreFault) -> [(sequence: UInt64, clock: VersionVector)] {
        if knowledge.deferredClocks[name] == nil { return [] }
        let rows = try database.connection.statement(
            """
            SELECT sequence, clock FROM deferred_change
            WHERE id = ? AND collection = ? ORDER BY sequence
            """)
        rows.bind(1, identifier: name.id.value)
        rows.bind(2, name.collection.canonicalBytes)
        defer { rows.reset() }
        var found: [(sequence: UInt64, clock: VersionVector)] = []
        while try rows.step() {
            guard let clock = knowledge.clock(in: rows, 1) else {
                throw database.corrupt("row \(rows.int(0)) of the deferred changes is damaged")
            }
            found.append((rows.unsigned(0), clock))
        }
        return found
    }

    /// The deferred change of an arrival number.
    func item(_ sequence: UInt64) throws(StoreFault) -> Store.Deferred? {
        let rows = try database.connection.statement(
            """
            SELECT sequence, id, clock, body, collection, reason FROM deferred_change
            WHERE sequence = ?
            """)
        rows.bind(1, sequence)
        return try changes(in: rows).first
    }

    private func changes(in rows: PreparedStatement) throws(StoreFault) -> [Store.Deferred] {
        defer { rows.reset() }
        var found: [Store.Deferred] = []
        while try rows.step() {
            found.append(
                Store.Deferred(
                    change: try change(in: rows), reason: DeferralReason(stored: rows.text(5)),
                    sequence: rows.unsigned(0)))
        }
        return found
    }

    /// The rows `sequence, id, clock, body, collection` that came after an arrival number, for a peer.
    func rows(after sequence: UInt64) throws(StoreFault) -> PreparedStatement {
        let rows = try database.connection.statement(
            """
            SELECT sequence, id, clock, body, collection FROM deferred_change
            WHERE sequence > ? ORDER BY sequence
            """)
        rows.bind(1, sequence)
        return rows
    }

    /// The change in a row of `sequence, id, clock, body, collection`.
    func change(in row: PreparedStatement) throws(StoreFault) -> Change {
        guard let id = row.identifier(1), let clock = knowledge.clock(in: row, 2),
            let collection = CollectionID(canonicalBytes: row.bytes(4))
        else {
            throw database.corrupt("row \(row.int(0)) of the deferred changes is damaged")
        }
        return Change(
            RecordName(collection, RecordID(value: id)), clock: clock, body: row.bytes(3))
    }

    /// The names of the deferred changes that came after an arrival number.
    func names(after sequence: UInt64) throws(StoreFault) -> [RecordName] {
        let rows = try database.connection.statement(
            "SELECT id, collection FROM deferred_change WHERE sequence > ?")
        rows.bind(1, sequence)
        return try rows.recordNames()
    }

    /// How many changes are deferred.
    func count() throws(StoreFault) -> Int {
        try Int(database.connection.number("SELECT count(*) FROM deferred_change"))
    }

    // MARK: Deferring

    /// Defers a change.
    ///
    /// - Returns: false if it tells nothing new: it is there already, or a later state is.
    func add(_ change: Change, because reason: DeferralReason) throws(StoreFault) -> Bool {
        for other in try clocks(of: change.name) where other.clock.covers(change.clock) {
            guard let known = try item(other.sequence)?.change else { continue }
            let isLater = !change.clock.covers(other.clock) && !isReadable(known)
            if isLater || known.body == change.body { return false }
        }
        let clock = knowledge.clockBytes(change.clock)
        let row = try database.connection.statement(
            "INSERT INTO deferred_change VALUES (?, ?, ?, ?, ?, ?)")
        row.bind(1, knowledge.nextSequence())
        row.bind(2, identifier: change.name.id.value)
        row.bind(3, clock)
        row.bind(4, change.body)
        row.bind(5, reason.stored)
        row.bind(6, change.name.collection.canonicalBytes)
        try row.run()
        let stored = try integratedClock(of: change.name)
        let known = knowledge.deferredClocks[change.name] ?? VersionVector()
        knowledge.setDeferred(change.name, change.clock.joined(with: known), beside: stored)
        try dropSuperseded(change.name, by: change.clock)
        return true
    }

    /// Forgets the unreadable states of a record that a later state includes.
    func dropSuperseded(_ name: RecordName, by clock: VersionVector) throws(StoreFault) {
        if knowledge.deferredClocks[name] == nil { return }
        for other in try clocks(of: name) where clock.covers(other.clock) && clock != other.clock {
            guard let item = try item(other.sequence), !isReadable(item.change) else { continue }
            try remove(item)
        }
    }

    private func isReadable(_ change: Change) -> Bool {
        (try? change.record(allowElided: false)) != nil
    }

    /// The deferred changes that can be integrated now: this version may read what an older one could not, or a record
    /// that changed has room.
    ///
    /// - Parameter name: only those of a record, the oldest 16 of them, as each change of it asks for them; nil for all.
    func ready(of name: RecordName? = nil) throws(StoreFault) -> Ready {
        var ready = Ready()
        if knowledge.deferredClocks.isEmpty { return ready }
        let candidates = try candidates(of: name)
        for candidate in candidates.prefix(name == nil ? .max : Self.recordRetryCountMax) {
            guard let item = try item(candidate),
                let record = try? item.change.record(allowElided: false)
            else { continue }
            let old = try records.find(item.change.name)
            let merged = RecordMerge.merged(old?.record ?? RecordState(), record)
            let body = BodyCodec.encode(merged, in: item.change.name.collection)
            let fits = merged.isWithinLimits(
                bodyByteCount: body.count, replacing: old?.record, in: item.change.name.collection)
            if fits {
                ready.sequences.append(candidate)
            } else {
                ready.tried.append((candidate, old?.sequence ?? 0))
            }
        }
        return ready
    }

    /// Deferred changes that were tried.
    struct Ready {
        /// The arrival numbers of those that can be integrated, oldest first.
        fileprivate(set) var sequences: [UInt64] = []
        /// Those for which a record has no room, with the arrival number of that record.
        fileprivate(set) var tried: [(sequence: UInt64, record: UInt64)] = []
    }

    /// The arrival numbers of the deferred changes that are to be tried.
    ///
    /// One for which its record had no room is tried again only after the record has changed.
    private func candidates(of name: RecordName?) throws(StoreFault) -> [UInt64] {
        let ofOne = name == nil ? "" : "WHERE id = ? AND collection = ?"
        let rows = try database.connection.statement(
            "SELECT sequence, id, collection, reason FROM deferred_change \(ofOne) ORDER BY sequence"
        )
        if let name {
            rows.bind(1, identifier: name.id.value)
            rows.bind(2, name.collection.canonicalBytes)
        }
        var found: [(sequence: UInt64, name: RecordName, tried: UInt64?)] = []
        defer { rows.reset() }
        while try rows.step() {
            guard let id = rows.identifier(1),
                let collection = CollectionID(canonicalBytes: rows.bytes(2))
            else { continue }
            let name = RecordName(collection, RecordID(value: id))
            found.append((rows.unsigned(0), name, DeferralReason.recordTried(rows.text(3))))
        }
        rows.reset()
        var left: [UInt64] = []
        for (sequence, name, tried) in found {
            if let tried, try records.find(name)?.sequence ?? 0 == tried { continue }
            left.append(sequence)
        }
        return left
    }

    /// Notes that records have no room as they are.
    func note(_ tried: Ready) throws(StoreFault) {
        for (sequence, record) in tried.tried {
            let row = try database.connection.statement(
                "UPDATE deferred_change SET reason = ? WHERE sequence = ?")
            row.bind(1, DeferralReason.stored(recordTried: record))
            row.bind(2, sequence)
            try row.run()
        }
    }

    /// Gives the deferred changes of a record new arrival numbers; nothing else of them changes.
    func renumber(_ name: RecordName) throws(StoreFault) {
        for item in try all(of: name) {
            let row = try database.connection.statement(
                "UPDATE deferred_change SET sequence = ? WHERE sequence = ?")
            row.bind(1, knowledge.nextSequence())
            row.bind(2, item.sequence)
            try row.run()
        }
    }

    /// Takes a change out of the deferred ones, and its clock out of the checksums.
    func remove(_ item: Store.Deferred) throws(StoreFault) {
        let row = try database.connection.statement(
            "DELETE FROM deferred_change WHERE sequence = ?")
        row.bind(1, item.sequence)
        try row.run()
        let name = item.change.name
        let stored = try integratedClock(of: name)
        var left: VersionVector?
        for other in try clocks(of: name) { left = left?.joined(with: other.clock) ?? other.clock }
        knowledge.setDeferred(name, left, beside: stored)
    }

    /// Counts anew the share of all deferred changes in the checksums.
    func recount() throws(StoreFault) {
        try knowledge.countDeferred { name throws(StoreFault) in try integratedClock(of: name) }
    }

    private func integratedClock(of name: RecordName) throws(StoreFault) -> VersionVector {
        try records.find(name)?.record.clock ?? VersionVector()
    }

    // MARK: Transactions

    func load() throws(StoreFault) {
        let rows = try database.connection.statement(
            "SELECT id, clock, collection FROM deferred_change")
        defer { rows.reset() }
        var clocks: [RecordName: VersionVector] = [:]
        while try rows.step() {
            guard let id = rows.identifier(0), let clock = knowledge.clock(in: rows, 1),
                let collection = CollectionID(canonicalBytes: rows.bytes(2))
            else { continue }
            clocks[RecordName(collection, RecordID(value: id)), default: VersionVector()].join(
                clock)
        }
        knowledge.loadDeferred(clocks)
        // Before that the tables of records may have other columns.
        if database.isAdopted { try recount() }
    }
}

extension Store {
    /// A change that was deferred.
    package struct Deferred: Hashable, Sendable {
        /// The change as it came.
        package let change: Change
        /// Why it could not be integrated.
        package let reason: DeferralReason
        /// Its arrival number here.
        package let sequence: UInt64
    }
}

/// A reason for which a change was deferred.
package enum DeferralReason: Hashable, Sendable, CustomStringConvertible {
    /// This version cannot read it; the decoder's words.
    case unreadable(detail: String)
    /// Its body is of another collection than its name.
    case otherCollection
    /// With what is there the record would have more assignments than a record may.
    case overLimit

    private static let unreadableCode = "unreadable"
    private static let otherCollectionCode = "other-collection"
    private static let overLimitCode = "over-limit"

    /// The reason that a store kept.
    init(stored text: String) {
        if text == Self.otherCollectionCode {
            self = .otherCollection
        } else if text == Self.overLimitCode || Self.recordTried(text) != nil {
            self = .overLimit
        } else {
            let mark = Self.unreadableCode + " "
            self = .unreadable(
                detail: text.hasPrefix(mark) ? String(text.dropFirst(mark.count)) : text)
        }
    }

    /// The reason of one for which a record had no room when it had that arrival number.
    fileprivate static func stored(recordTried sequence: UInt64) -> String {
        overLimitCode + " \(sequence)"
    }

    /// That number in a stored reason; nil if it is another, or was not tried yet.
    fileprivate static func recordTried(_ text: String) -> UInt64? {
        guard text.hasPrefix(overLimitCode + " ") else { return nil }
        return UInt64(text.dropFirst(overLimitCode.count + 1))
    }

    /// The reason as a store keeps it: a code, with details after a space.
    var stored: String {
        if case .unreadable(let detail) = self { code + " " + detail } else { code }
    }

    /// The code of the reason, for programs.
    package var code: String {
        switch self {
        case .unreadable: Self.unreadableCode
        case .otherCollection: Self.otherCollectionCode
        case .overLimit: Self.overLimitCode
        }
    }

    /// The reason in words.
    package var description: String {
        switch self {
        case .unreadable(let detail): detail
        case .otherCollection: "its body is of another collection"
        case .overLimit:
            "the record would be larger than a record may be"
        }
    }
}
