import Core
import Storage

/// The numbers by which people name to-dos on one device; they do not sync.
///
/// A to-do gets the next number when it is first shown, and keeps it while it is pending, whoever lists what. The
/// number of a finished or deleted one rests for a day, and is given again only if no reader has it among the last
/// numbers that it was shown. So a number that somebody reads names the same to-do when they type it.
///
/// The numbers stand in a database of their own beside the store: showing a list must not wait for a sync, and the
/// store is not written to by reading it. A power cut may take the last ones back, never mix them up.
package final class ToDoNumbers {
    /// A to-do that is shown.
    package struct Shown: Sendable {
        /// Its id.
        package let id: RecordID
        /// Whether it is neither finished nor deleted.
        package let isPending: Bool

        /// A to-do that is shown.
        package init(_ id: RecordID, isPending: Bool) {
            self.id = id
            self.isPending = isPending
        }
    }

    /// The to-do that a number stands for.
    package enum Owner: Hashable, Sendable {
        /// It stands for none.
        case nobody
        /// It stands for this one.
        case todo(RecordID)
        /// The reader was shown another one with it than it stands for now, if any; nil where it may have been shown one by
        /// numbers that are gone.
        case changed(shown: RecordID?, now: RecordID?)
    }

    /// How long a number rests after its to-do was seen finished or deleted; milliseconds.
    package static let restMilliseconds: Int64 = 86_400_000
    /// The most numbers of a reader that are remembered; those shown last.
    package static let shownCountMax = 1_000
    /// The greatest number; to-dos beyond have none and are named by their ids.
    package static let numberMax = 999_999
    /// How many numbers are looked at, besides as many as are given, to find those whose to-dos were finished elsewhere.
    private static let checkCount = 2
    /// So few to-dos are looked up one by one, whatever was shown before.
    private static let fewCount = 8
    /// How long to wait for another process that gives numbers; milliseconds.
    private static let busyMilliseconds = 2_000
    /// The greatest number that a damaged file may have given to somebody who still reads it.
    private static let damagedNumberMax: Int64 = 1_000
    /// How a change begins: nobody else changes numbers until its end.
    private static let begin = "BEGIN IMMEDIATE"
    /// The longest log that stays; bytes.
    ///
    /// A command that opens the numbers reads all of it.
    package static let logByteCountMax = 128 << 10
    /// How reading of one state begins.
    private static let beginReading = "BEGIN"
    /// The form of the tables.
    private static let version: Int64 = 4

    private let connection: Connection
    private let readers: NumberReaders

    /// Opens the numbers of the store in a folder, and makes the file if there is none.
    ///
    /// - Parameters:
    ///   - boot: the identity of the running system: the first to open the file after a start looks whether it is
    ///     whole, as a power cut may have taken any of its pages back.
    ///   - mayReplace: asked where there is no file: whether the store may have had other numbers before, as one that was
    ///     put in the place of another.
    /// - Throws: `readOnly`, `diskFull` and the like: there are no numbers then.
    package convenience init(
        folder: String, on disk: any StoreDisk, boot: String,
        mayReplace: () throws(StoreFault) -> Bool = { () throws(StoreFault) in false }
    ) throws(StoreFault) {
        let path = Self.path(in: folder)
        do throws(StoreFault) {
            try self.init(path, on: disk, boot: boot, mayReplace)
        } catch {
            guard error.tellsOfDamage else { throw error }
            for file in StorePaths.files(ofDatabase: path) { disk.remove(file) }
            try self.init(path, on: disk, boot: boot, mayReplace)
            try skipNumbersAfterDamage()
        }
    }

    /// The file of the numbers of the store in a folder.
    package static func path(in folder: String) -> String { folder + "/numbers" }

    private init(
        _ path: String, on disk: any StoreDisk, boot: String,
        _ mayReplace: () throws(StoreFault) -> Bool
    ) throws(StoreFault) {
        connection = try Connection(
            path: path, on: disk, creates: true, busyMilliseconds: Self.busyMilliseconds)
        readers = NumberReaders(connection: connection)
        // The log stays, so that ending a command flushes nothing.
        connection.keepLog()
        let found = try connection.number("PRAGMA user_version")
        // Nothing is flushed. Pages that a power cut takes back leave a row out of step with its index, or an older owner of a
        // number than the one that a reader was shown: the one is found by the look after a start, the other refused.
        try connection.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL")
        let mark = Self.mark(of: boot)
        if found != 0, try connection.number("PRAGMA application_id") != mark {
            let findings = try connection.lines("PRAGMA integrity_check(1)")
            guard findings == "ok" else { throw .corrupt(path: path, detail: findings) }
            try connection.execute("PRAGMA application_id = \(mark)")
        }
        if found == Self.version { return }
        guard found < Self.version else {
            throw .newerStore(found: Int(found), supported: Int(Self.version))
        }
        try connection.transact(Self.begin) { () throws(StoreFault) in
            switch try connection.number("PRAGMA user_version") {
            case 0:
                try connection.execute(Self.tables + NumberReaders.tables)
                if try mayReplace() { try connection.execute(Self.replacingMark) }
            case 1: try connection.execute(NumberReaders.tablesFromFirstForm + Self.formerOwners)
            case 2: try connection.execute(NumberReaders.tablesFromSecondForm + Self.formerOwners)
            case 3: try connection.execute(Self.formerOwners)
            default: return
            }
            try connection.execute(
                "PRAGMA user_version = \(Self.version); PRAGMA application_id = \(mark)")
        }
    }

    /// A number for the identity of a running system: positive, and of the 32 bits that SQLite's `application_id` has.
    private static func mark(of boot: String) -> Int64 {
        Int64(SipHash().hash64(Array(boot.utf8)) >> 33)
    }

    /// The owner of each number.
    private static let tables = """
        CREATE TABLE number (
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, freed INTEGER, checked INTEGER NOT NULL);
        CREATE INDEX number_freed ON number (freed) WHERE freed IS NOT NULL;
        CREATE INDEX number_checked ON number (checked) WHERE freed IS NULL;
        """ + formerOwners
    /// The owner that each number had before, and when it was given again.
    private static let formerOwners =
        "CREATE TABLE former (number INTEGER PRIMARY KEY, id BLOB NOT NULL, time INTEGER NOT NULL);"

    /// Says that a number means nothing to a reader who was not shown it: a screen may have it from numbers before these.
    private static let replacingMark = "CREATE TABLE replacing (one)"

    /// Whether that is said.
    private var isReplacing: Bool {
        get throws(StoreFault) {
            try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'replacing'") > 0
        }
    }

    deinit { connection.close() }

    /// Numbers that a damaged file gave may stand on somebody's screen still: others are given.
    private func skipNumbersAfterDamage() throws(StoreFault) {
        let row = try connection.statement(
            "INSERT INTO number (number, id, freed, checked) VALUES (?, zeroblob(16), NULL, 0)")
        row.bind(1, Self.damagedNumberMax)
        try row.run()
    }

    /// Runs a change in a transaction, and empties the log once it has grown long.
    private func change<T>(
        _ body: () throws(StoreFault) -> T
    ) throws(StoreFault) -> T {
        let result = try connection.transact(Self.begin, body)
        // SQLite folds a log that has a thousand pages, and leaves it as long as it is. Where it cannot be emptied now, as
        // while another process reads, a later change does it.
        if connection.logByteCount > Self.logByteCountMax { _ = try? connection.emptyLog() }
        return result
    }

    // MARK: Showing

    /// The numbers of to-dos that a reader is shown, in the order given; nil beyond ``numberMax``.
    ///
    /// - Parameters:
    ///   - reader: names who reads, such as a terminal.
    ///   - now: the wall clock; milliseconds since 1970-01-01 UTC.
    ///   - latest: the one among them that the reader has just made or changed, which is remembered.
    ///   - isPending: whether a to-do is neither finished nor deleted.
    package func show(
        _ shown: [Shown], to reader: String, at now: Int64, latest: RecordID? = nil,
        isPending: (RecordID) throws(StoreFault) -> Bool
    ) throws(StoreFault) -> [Int?] {
        // In one transaction: by itself each look-up would begin and end one.
        let (version, known, before) = try connection.transact(Self.beginReading) {
            () throws(StoreFault) in
            let (version, before) = (try dataVersion, try shownBefore(shown, to: reader))
            return (version, try numbers(of: shown, before: before), before)
        }
        if let whole = known.unchanged, before.isSame(showing: whole, shown.map(\.id)) {
            if let latest { try setLatest(latest, of: reader, at: now) }
            return whole
        }
        return try change { () throws(StoreFault) in
            // The numbers that were read still hold unless another process wrote meanwhile.
            let isCurrent = try dataVersion == version
            let before = isCurrent ? before : try shownBefore(shown, to: reader)
            let known = isCurrent ? known.found : try numbers(of: shown, before: before).found
            let joinsLists = shown.count != 1 || before.count >= NumberReaders.recentCountMax
            let checked = Self.checkedCount(
                giving: known.count { $0 == nil }, isOne: shown.count == 1, after: before.count)
            if checked > 0 { try checkOwners(checked, at: now, isPending) }
            let given = try give(shown, known: known, at: now)
            var pairs: [(Int, RecordID)] = []
            for (index, todo) in shown.enumerated() {
                if let number = given[index] { pairs.append((number, todo.id)) }
            }
            if joinsLists {
                let whole = shown.count == 1 ? try readers.shown(to: reader) : before
                try readers.keep(whole.showing(pairs), of: reader)
            }
            try readers.note(
                joinsLists ? ShownNumbers() : before.showing(pairs), latest, of: reader, at: now)
            return given
        }
    }

    /// What a reader was shown before some to-dos, as far as it matters for them: for one the single ones since a list.
    private func shownBefore(
        _ shown: [Shown], to reader: String
    ) throws(StoreFault) -> ShownNumbers {
        shown.count == 1 ? try readers.recent(of: reader) : try readers.shown(to: reader)
    }

    /// Changes when another process commits; inside of a transaction it is that of the state that is read.
    private var dataVersion: Int64 {
        get throws(StoreFault) { try connection.number("PRAGMA data_version") }
    }

    /// The numbers that to-dos have already; `unchanged` if each has one, and is held or rests as it should.
    ///
    /// - Parameter ring: the numbers that the reader was shown before.
    private func numbers(
        of shown: [Shown], before ring: ShownNumbers
    ) throws(StoreFault) -> (found: [(number: Int, isFree: Bool)?], unchanged: [Int]?) {
        var found = try numbersInRow(of: shown, before: ring)
        let row = try connection.statement(
            "SELECT number, freed IS NOT NULL FROM number WHERE id = ?")
        for (index, todo) in shown.enumerated() where found[index] == nil {
            row.bind(1, identifier: todo.id.value)
            if try row.step() { found[index] = (Int(row.int(0)), row.int(1) != 0) }
            row.reset()
        }
        var numbers: [Int] = []
        for (one, todo) in zip(found, shown) {
            guard let one, one.isFree != todo.isPending else { return (found, nil) }
            numbers.append(one.number)
        }
        return (found, numbers)
    }

    /// The numbers of those that the reader was shown before, if they stand near each other, as those of a long list do:
    /// reading them in a row costs a fifth of looking each one up.
    private func numbersInRow(
        of shown: [Shown], before ring: ShownNumbers
    ) throws(StoreFault) -> [(number: Int, isFree: Bool)?] {
        var found = [(number: Int, isFree: Bool)?](repeating: nil, count: shown.count)
        if shown.count <= Self.fewCount { return found }
        let ids = shown.map(\.id)
        lazy var positions = ShownPositions(ids)
        let range =
            ring.ends(with: ids)
            ? ring.range(ofLast: ids.count) : ring.range { positions[$0] != nil }
        guard let range, range.count <= 4 * shown.count else { return found }
        let rows = try connection.statement(
            "SELECT number, id, freed IS NOT NULL FROM number WHERE number BETWEEN ? AND ?")
        rows.bind(1, Int64(range.lowerBound))
        rows.bind(2, Int64(range.upperBound))
        defer { rows.reset() }
        var next = 0
        while try rows.step() {
            guard let id = rows.identifier(1).map({ RecordID(value: $0) }) else { continue }
            // The numbers of a list follow each other, as a rule.
            let isNext = next < ids.count && ids[next] == id
            guard let index = isNext ? next : positions[id] else { continue }
            next = index + 1
            found[index] = (Int(rows.int(0)), rows.int(2) != 0)
        }
        return found
    }

    /// How many owners of numbers are looked at before numbers are given: some more than are given.
    ///
    /// For single to-dos in a row all of them are looked at together, when what was shown joins the lists.
    private static func checkedCount(
        giving missing: Int, isOne: Bool, after recentCount: Int
    ) -> Int {
        if isOne, recentCount >= NumberReaders.recentCountMax {
            return (1 + checkCount) * NumberReaders.recentCountMax
        }
        return missing == 0 || (isOne && recentCount > 0) ? 0 : missing + checkCount
    }

    private func give(
        _ shown: [Shown], known: [(number: Int, isFree: Bool)?], at now: Int64
    ) throws(StoreFault) -> [Int?] {
        let missing = known.count { $0 == nil }
        var free = missing > 0 ? try rested(missing, at: now)[...] : []
        var next = try connection.number("SELECT coalesce(max(number), 0) + 1 FROM number")
        let tick = try nextTick()
        let update = try connection.statement("UPDATE number SET freed = ? WHERE number = ?")
        let insert = try connection.statement(
            "INSERT OR REPLACE INTO number (number, id, freed, checked) VALUES (?, ?, ?, ?)")
        let former = try connection.statement(
            "INSERT OR REPLACE INTO former SELECT number, id, ? FROM number WHERE number = ?")
        var given: [Int?] = []
        for (todo, one) in zip(shown, known) {
            let freed = todo.isPending ? nil : now
            if let one {
                if one.isFree == todo.isPending {
                    update.bind(1, ifPresent: freed)
                    update.bind(2, Int64(one.number))
                    try update.run()
                }
                given.append(one.number)
                continue
            }
            var number = free.popFirst()
            if let number {
                former.bind(1, now)
                former.bind(2, number)
                try former.run()
            }
            if number == nil, next <= Self.numberMax {
                number = next
                next += 1
            }
            if let number {
                insert.bind(1, number)
                insert.bind(2, identifier: todo.id.value)
                insert.bind(3, ifPresent: freed)
                insert.bind(4, tick)
                try insert.run()
            }
            given.append(number.map { Int($0) })
        }
        return given
    }

    private func nextTick() throws(StoreFault) -> Int64 {
        try connection.number(
            "SELECT coalesce(max(checked), 0) + 1 FROM number WHERE freed IS NULL")
    }

    /// Sets numbers free whose to-dos were finished or deleted by somebody else: those not looked at for longest.
    private func checkOwners(
        _ count: Int, at now: Int64, _ isPending: (RecordID) throws(StoreFault) -> Bool
    ) throws(StoreFault) {
        var owners: [(number: Int64, id: RecordID)] = []
        let rows = try connection.statement(
            "SELECT number, id FROM number WHERE freed IS NULL ORDER BY checked LIMIT ?")
        rows.bind(1, Int64(count))
        while try rows.step() {
            guard let id = rows.identifier(1) else { continue }
            owners.append((rows.int(0), RecordID(value: id)))
        }
        rows.reset()
        let tick = try nextTick()
        let row = try connection.statement(
            "UPDATE number SET freed = ?, checked = ? WHERE number = ?")
        for owner in owners {
            row.bind(1, ifPresent: try isPending(owner.id) ? nil : now)
            row.bind(2, tick)
            row.bind(3, owner.number)
            try row.run()
        }
    }

    /// The least numbers that have rested for long enough and that nobody has before them.
    private func rested(_ count: Int, at now: Int64) throws(StoreFault) -> [Int64] {
        // A clock that was ahead must not keep a number for ever.
        let late = try connection.statement("UPDATE number SET freed = ? WHERE freed > ?")
        late.bind(1, now)
        late.bind(2, now)
        try late.run()
        // The least are found by going through the numbers: not where none has rested, as an index tells.
        let any = try connection.statement("SELECT 1 FROM number WHERE freed <= ? LIMIT 1")
        any.bind(1, now - Self.restMilliseconds)
        let hasRested = try any.step()
        any.reset()
        if !hasRested { return [] }
        let rows = try connection.statement(
            "SELECT number FROM number WHERE freed <= ? ORDER BY number")
        rows.bind(1, now - Self.restMilliseconds)
        defer { rows.reset() }
        guard try rows.step() else { return [] }
        let shown = try readers.shownToAnybody()
        var found: [Int64] = []
        var hasRow = true
        while hasRow {
            if !shown.contains(Int(rows.int(0))) { found.append(rows.int(0)) }
            if found.count == count { break }
            hasRow = try rows.step()
        }
        return found
    }

    // MARK: Reading

    /// The to-do that a reader means by a number.
    ///
    /// Nobody knows what a reader was shown longer ago than is remembered: a number that was given again since it began means
    /// nothing to it until it is shown the new owner.
    ///
    /// - Parameter began: when the reader began; milliseconds since 1970. Where that is not known, one that was shown anything
    ///   may have begun before.
    package func owner(
        of number: Int, for reader: String, since began: Int64? = nil
    ) throws(StoreFault) -> Owner {
        let row = try connection.statement("SELECT id FROM number WHERE number = ?")
        row.bind(1, Int64(number))
        let found = try row.step() ? row.identifier(0).map { RecordID(value: $0) } : nil
        row.reset()
        let shown = try readers.shown(to: reader).id(of: number)
        if let shown, shown != found { return .changed(shown: shown, now: found) }
        if shown == nil, found != nil, let former = try former(of: number) {
            let isOlder = if let began { began <= former.time } else { try readers.isKnown(reader) }
            if isOlder { return .changed(shown: former.id, now: found) }
        }
        if shown == nil, found != nil, try isReplacing { return .changed(shown: nil, now: found) }
        return found.map { .todo($0) } ?? .nobody
    }

    /// The owner that a number had before, and when it was given to another one; nil if it had none.
    private func former(of number: Int) throws(StoreFault) -> (id: RecordID, time: Int64)? {
        let row = try connection.statement("SELECT id, time FROM former WHERE number = ?")
        row.bind(1, Int64(number))
        defer { row.reset() }
        guard try row.step(), let id = row.identifier(0) else { return nil }
        return (RecordID(value: id), row.int(1))
    }

    /// The numbers from one to another that stand for a to-do which was neither finished nor deleted when last seen.
    ///
    /// - Parameter resting: whether also those that stand for one which was.
    package func held(
        _ range: ClosedRange<Int>, resting: Bool = false, limit: Int
    ) throws(StoreFault) -> [Int] {
        let rows = try connection.statement(
            "SELECT number FROM number WHERE number BETWEEN ? AND ? AND (? OR freed IS NULL) LIMIT ?"
        )
        rows.bind(1, Int64(range.lowerBound))
        rows.bind(2, Int64(range.upperBound))
        rows.bind(3, Int64(resting ? 1 : 0))
        rows.bind(4, Int64(limit))
        defer { rows.reset() }
        var found: [Int] = []
        while try rows.step() { found.append(Int(rows.int(0))) }
        return found
    }

    /// The numbers from one to another that a reader was shown, in order.
    package func shown(
        in range: ClosedRange<Int>, to reader: String
    ) throws(StoreFault) -> [Int] {
        try readers.shown(to: reader).entries.map(\.number).filter(range.contains).sorted()
    }

    /// The number of a to-do, if it has one.
    package func number(of id: RecordID) throws(StoreFault) -> Int? {
        let row = try connection.statement("SELECT number FROM number WHERE id = ?")
        row.bind(1, identifier: id.value)
        defer { row.reset() }
        return try row.step() ? Int(row.int(0)) : nil
    }

    /// The first numbers that stand for a to-do, by number.
    package func all(limit: Int) throws(StoreFault) -> [(number: Int, id: RecordID)] {
        let rows = try connection.statement("SELECT number, id FROM number ORDER BY number LIMIT ?")
        rows.bind(1, Int64(limit))
        defer { rows.reset() }
        var found: [(number: Int, id: RecordID)] = []
        while try rows.step() {
            if let id = rows.identifier(1) { found.append((Int(rows.int(0)), RecordID(value: id))) }
        }
        return found
    }

    // MARK: The latest

    /// Remembers the to-do that a reader last made or changed.
    package func setLatest(_ id: RecordID, of reader: String, at now: Int64) throws(StoreFault) {
        try change { () throws(StoreFault) in try readers.setLatest(id, of: reader, at: now) }
    }

    /// The to-do that a reader last made or changed.
    package func latest(of reader: String) throws(StoreFault) -> RecordID? {
        try readers.latest(of: reader)
    }

    // MARK: Changes

    /// The most changes of a list that are remembered.
    package static let listedChangeCountMax = 10_000

    /// Remembers the changes that a reader was shown with numbers from 1; at most ``listedChangeCountMax`` of them.
    package func showChanges(
        _ changes: [HybridTimestamp], to reader: String, at now: Int64
    ) throws(StoreFault) {
        try change { () throws(StoreFault) in
            try readers.keepChanges(changes.prefix(Self.listedChangeCountMax), of: reader, at: now)
        }
    }

    /// The changes that a reader was shown last, and when; nil if it was shown none.
    package func changes(shownTo reader: String) throws(StoreFault) -> ListedChanges? {
        try readers.changes(shownTo: reader)
    }
}
