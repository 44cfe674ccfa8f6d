import Core
import Storage

/// The only judge of a made-up world: it remembers every acknowledged write with what its writer had
/// seen, and says of what devices hold and show whether that is as it must be.
///
/// It calls no rule of merging or deleting of the engine, and works everything out anew in the plain
/// words of the design. Devices are numbered in the order in which they are added.
/// Devices of different spaces are kept apart.
package final class Oracle {
    let policy: DeletePolicy
    private(set) var devices: [OracleDevice] = []
    /// The expected description of the tables of stores: worked out once in a world, not at each thorough look.
    let tableModels = TableModels()
    private(set) var histories: [(space: SpaceID, history: WriteHistory)] = []
    /// Whether what two pasts wrote under one number must be kept of both.
    let judgesBothPasts: Bool

    /// How many replicas that are no devices have made themselves known: their ids may be remembered.
    package var strangerCount = 0

    /// Whether two writes may have one dot, as somebody was set back unnoticed: of one record a batch may bring
    /// both, and leave it as it was.
    package var allowsForks = false
    /// Whether a relay has versions that cannot be opened: records of them get a new number, to be uploaded again.
    package var allowsUploadingAgain = false

    /// A judge who has seen nothing yet.
    ///
    /// - Parameter judgesBothPasts: whether what two pasts wrote under one number must be kept of both.
    package init(policy: DeletePolicy, judgesBothPasts: Bool = true) {
        self.policy = policy
        self.judgesBothPasts = judgesBothPasts
    }

    /// Adds a device; its index is the number of those before it.
    package func addDevice() {
        devices.append(OracleDevice())
    }

    // MARK: Writes

    /// Takes note of an edit that was committed: of the record's writes that its past does not cover.
    ///
    /// - Parameters:
    ///   - store: the device's store, or another program's view of it.
    ///   - form: what was typed in, if fields were saved and it is known.
    ///   - past: the record's clock before the edit.
    /// - Throws: a violation if the edit did not write what it must.
    package func edited(
        _ deviceIndex: Int, _ store: Store, _ record: RecordName, _ kind: WriteHistory.Kind,
        _ form: WriteHistory.Form? = nil, past: VersionVector
    ) throws(Violation) {
        let stored = try reading(deviceIndex) { () throws(StoreFault) in try store.record(record) }
        if devices[deviceIndex].history == nil {
            devices[deviceIndex].history = history(of: store.space)
        }
        try wrote(
            deviceIndex, record, stored?.record ?? RecordState(), kind, form, past: past,
            by: store.replica)
    }

    /// Takes note of the copy that a device made of what was written to a purged record.
    ///
    /// - Parameters:
    ///   - record: the purged record.
    ///   - past: its clock before.
    package func copied(
        _ deviceIndex: Int, _ store: Store, _ record: RecordName, past: VersionVector,
        to copy: RecordName
    ) throws(Violation) {
        let made = try reading(deviceIndex) { () throws(StoreFault) in try store.record(copy) }
        let state = made?.record ?? RecordState()
        if let known = devices[deviceIndex].history?.records[record], !known.isSuspicious {
            let view = known.view(at: past, near: devices[deviceIndex].views[record])
            try about(deviceIndex, record) { () throws(Violation) in
                try known.judgeCopy(state.writes, of: view, policy)
            }
        }
        try wrote(deviceIndex, copy, state, .copy, past: VersionVector(), by: store.replica)
    }

    /// Remembers an edit during which the program died: what came through of it is learned when the
    /// device is looked at again, and must be all or nothing.
    package func editDied(
        _ deviceIndex: Int, _ record: RecordName, _ kind: WriteHistory.Kind, past: VersionVector
    ) {
        devices[deviceIndex].deadEdits.append(
            OracleDevice.DeadEdit(record: record, kind: kind, past: past))
    }

    /// Takes note of what an edit made of a record, wherever the record is kept.
    ///
    /// - Parameter replica: who wrote.
    package func wrote(
        _ deviceIndex: Int, _ id: RecordName, _ record: RecordState, _ kind: WriteHistory.Kind,
        _ form: WriteHistory.Form? = nil, past: VersionVector, by replica: ReplicaID
    ) throws(Violation) {
        let history = devices[deviceIndex].history ?? history(of: SpaceID(value: 0))
        devices[deviceIndex].history = history
        let known = history.record(id)
        let last = Dot(replica: replica, counter: record.clock.counter(of: replica))
        if known.isSuspicious || (history.isSuspicious(last) && !past.covers(record.clock)) {
            let writes = Self.writes(of: record, after: past, last)
            let before = devices[deviceIndex].records[id] ?? RecordState()
            return try noteSuspected(deviceIndex, id, writes, kind, history) { write in
                kind.one(write) == .late
                    ? RecordHistory.replaced(by: write, in: record, before: before)
                    : Self.past(of: write, among: writes, kind, past)
            }
        }
        let seen = known.view(at: past, near: devices[deviceIndex].views[id])
        if past.covers(record.clock) {
            return try about(deviceIndex, id) { () throws(Violation) in
                try history.record(id).judgeNothing(kind, form, past: seen, policy)
            }
        }
        let writes = Self.writes(of: record, after: past, last)
        for entry in record.clock.entries where entry.replica != replica {
            if entry.counter > past.counter(of: entry.replica) {
                throw violation(
                    deviceIndex, id, .unsound, "an edit brought in writes of another device")
            }
        }
        try about(deviceIndex, id) { () throws(Violation) in
            try history.record(id).judge(writes, kind, form, past: seen, policy)
            if kind == .late { try known.judgeLate(writes, in: record, form, past: seen) }
            for write in writes {
                let past =
                    kind.one(write) == .late
                    ? known.replaced(by: write, in: record, past: seen)
                    : Self.past(of: write, among: writes, kind, past)
                let entry = WriteHistory.Entry(
                    dot: write.dot, timestamp: write.timestamp, isRecovered: write.isRecovered,
                    kind: kind.one(write), assignments: write.assignments,
                    past: past, deviceIndex: deviceIndex)
                try history.add(entry, to: id, seen: seen)
            }
        }
    }

    /// The clock of the record as the author of one of an edit's writes had seen it.
    ///
    /// A take-back brings a record that it leaves in the trash back and deletes it again: the delete has seen the rest.
    static func past(
        of write: Write, among writes: [Write], _ kind: WriteHistory.Kind, _ past: VersionVector
    ) -> VersionVector {
        guard kind == .takeBack, write.value(of: .deleted)?.isNull == false else { return past }
        var seen = past
        for other in writes where other.dot < write.dot {
            seen.include(other.dot.counter, of: other.dot.replica)
        }
        return seen
    }

    /// The writes of a record since a clock.
    private static func writes(
        of record: RecordState, after past: VersionVector, _ last: Dot
    ) -> [Write] {
        var writes = record.writes.filter { !past.covers($0.dot) }
        if writes.last?.dot != last, last.counter > 0, !past.covers(last) {
            // A record made with no field shows in the clock alone.
            let timestamp = writes.last?.timestamp ?? HybridTimestamp(rawValue: 0)
            writes.append(Write(dot: last, timestamp: timestamp, assignments: []))
        }
        return writes
    }

    /// The expected state of a record at a clock.
    ///
    /// - Parameter deviceIndex: of which device's space; by default that which was seen first.
    package func expectedRecord(
        _ record: RecordName, at clock: VersionVector, on deviceIndex: Int? = nil
    ) -> ExpectedRecord {
        let history = deviceIndex.map { devices[$0].history } ?? histories.first?.history
        guard let known = history?.records[record] else { return ExpectedRecord() }
        return known.expected(known.view(at: clock), policy)
    }

    /// The clocks that a device was last seen to hold.
    package func holdings(of deviceIndex: Int) -> Holdings {
        devices[deviceIndex].holdings
    }

    // MARK: Words

    /// The writes of a space.
    func history(of space: SpaceID) -> WriteHistory {
        if let known = histories.first(where: { $0.space == space }) { return known.history }
        histories.append((space, WriteHistory()))
        return histories[histories.count - 1].history
    }

    /// Runs what reads a store; that it cannot be read is a violation.
    func reading<T>(
        _ deviceIndex: Int, _ body: () throws(StoreFault) -> T
    ) throws(Violation) -> T {
        do throws(StoreFault) {
            return try body()
        } catch {
            throw Violation(.crashed, "device \(deviceIndex) cannot read its store: \(error)")
        }
    }

    /// Runs what judges a record; a violation says whose and which.
    func about<T>(
        _ deviceIndex: Int, _ id: RecordName, _ body: () throws(Violation) -> T
    ) throws(Violation) -> T {
        do throws(Violation) {
            return try body()
        } catch {
            throw violation(deviceIndex, id, error.verdict, error.description)
        }
    }

    /// A violation about a record on a device.
    func violation(
        _ deviceIndex: Int, _ id: RecordName, _ verdict: Verdict, _ words: String
    ) -> Violation {
        Violation(verdict, "device \(deviceIndex), record \(id): \(words)")
    }
}

/// The oracle's knowledge of one device.
final class OracleDevice {
    /// An edit during which the device's program died.
    struct DeadEdit {
        let record: RecordName
        let kind: WriteHistory.Kind
        let past: VersionVector
    }

    /// The writes of its space; nil until its store was seen.
    var history: WriteHistory?
    /// The clocks that it was seen to hold.
    var holdings = Holdings()
    /// The clocks that must survive a power cut.
    var left = Holdings()
    /// The knowledge that it stated: that must survive a power cut, too.
    var stated = VersionVector()
    /// The writes that must be left of the records that it holds.
    var views: [RecordName: RecordView] = [:]
    /// The records as they were last seen in its store.
    var records: [RecordName: RecordState] = [:]
    /// How far its store was looked at.
    var sequence: UInt64 = 0
    /// Up to where its knowledge was found to be sound.
    var knowledge = VersionVector()
    /// Edits that may or may not have been saved.
    var deadEdits: [DeadEdit] = []
    /// The store that was looked at last: another one is looked at from the beginning.
    weak var store: Store?
    /// Queries that are kept up with the store.
    var queries: [WatchedQuery] = []
    /// How many stores of it were seen.
    var openCount = 0
    /// How many times something new was found on it while queries were kept up.
    var newsCount = 0
    /// How many times everything was looked at.
    var lookCount = 0
    /// How many times writes that it held may have been taken from it.
    var lossCount = 0

    /// Forgets what was seen in the files, as others are there now.
    func forgetFiles() {
        views = [:]
        records = [:]
        sequence = 0
        knowledge = VersionVector()
        store = nil
        queries = []
    }
}

/// A query that is kept up with a store, to be compared with one that is made afresh.
struct WatchedQuery {
    let request: FetchRequest
    private let results: LiveQuery

    /// Fetches the first rows.
    init(_ store: Store, _ request: FetchRequest) throws(StoreFault) {
        self.request = request
        results = try LiveQuery(store, request)
    }

    /// Brings the rows up to date; what is wrong with them or with the steps that led there, or nil.
    func fault(in store: Store) throws(StoreFault) -> String? {
        let before = Self.shown(results)
        let steps = try results.refresh()
        let fresh = try store.fetch(request)
        if results.rows != fresh {
            return "its \(results.rows.count) rows are not the \(fresh.count) of a fresh fetch"
        }
        guard let stepped = Self.applied(steps, to: before) else {
            return "a step of \(steps.count) leads beyond the rows"
        }
        return stepped == Self.shown(results)
            ? nil : "its \(steps.count) steps do not lead to its rows"
    }

    /// The rows by sections.
    private static func shown(_ results: LiveQuery) -> [[Record]] {
        var rest = results.rows[...]
        return results.sections.map { section in
            defer { rest = rest.dropFirst(section.rowCount) }
            return Array(rest.prefix(section.rowCount))
        }
    }

    /// The rows after some steps; nil if one of them cannot be taken.
    private static func applied(
        _ steps: [LiveChange], to rows: [[Record]]
    ) -> [[Record]]? {
        var rows = rows
        func has(_ position: RowPosition) -> Bool {
            rows.indices.contains(position.section)
                && rows[position.section].indices.contains(position.row)
        }
        func insert(_ row: Record, at position: RowPosition) -> Bool {
            guard rows.indices.contains(position.section),
                (0...rows[position.section].count).contains(position.row)
            else { return false }
            rows[position.section].insert(row, at: position.row)
            return true
        }
        for step in steps {
            switch step {
            case .deleteRow(let position):
                guard has(position) else { return nil }
                rows[position.section].remove(at: position.row)
            case .insertRow(let row, let position):
                guard insert(row, at: position) else { return nil }
            case .moveRow(let from, let to):
                guard has(from), insert(rows[from.section].remove(at: from.row), at: to) else {
                    return nil
                }
            case .updateRow(let row, let position):
                guard has(position) else { return nil }
                rows[position.section][position.row] = row
            case .insertSection(_, let position):
                guard (0...rows.count).contains(position) else { return nil }
                rows.insert([], at: position)
            case .deleteSection(let position):
                guard rows.indices.contains(position), rows[position].isEmpty else { return nil }
                rows.remove(at: position)
            }
        }
        return rows
    }
}
