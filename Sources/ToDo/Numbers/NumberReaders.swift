import Core
import Storage

/// The readers of numbers on this device, such as terminals, and which to-dos each was shown with them.
///
/// Its tables stand beside those of ``ToDoNumbers``, whose transactions it is called in.
package struct NumberReaders {
    /// The most readers that are remembered; of more, the one that was not here for the longest time goes, and those
    /// without a terminal, as scripts are, before all others.
    package static let readerCountMax = 256
    /// The most single to-dos that a reader was shown which stand apart from those of lists.
    ///
    /// Noting one to-do then writes some hundred bytes, where all that a reader was shown are twenty thousand.
    package static let recentCountMax = 32
    /// The names of readers without a terminal begin so: the number of none, and what parts it from the next.
    private static let withoutTerminal = "0:"

    /// The to-dos that each was shown, single ones of late by themselves.
    static let tables = """
        CREATE TABLE reader (
            name BLOB PRIMARY KEY, time INTEGER NOT NULL, recent BLOB NOT NULL, latest BLOB) WITHOUT ROWID;
        CREATE TABLE shown (name BLOB PRIMARY KEY, numbers BLOB NOT NULL) WITHOUT ROWID;
        """ + tablesFromSecondForm
    /// The first form had all that a reader was shown in its row.
    static let tablesFromFirstForm = """
        CREATE TABLE shown (name BLOB PRIMARY KEY, numbers BLOB NOT NULL) WITHOUT ROWID;
        INSERT INTO shown SELECT name, shown FROM reader;
        ALTER TABLE reader RENAME COLUMN shown TO recent;
        UPDATE reader SET recent = x'';
        """ + tablesFromSecondForm
    /// The second form did not know the changes that a reader was shown.
    static let tablesFromSecondForm = """
        CREATE TABLE listed (name BLOB PRIMARY KEY, time INTEGER NOT NULL, changes BLOB NOT NULL) WITHOUT ROWID;
        """

    let connection: Connection

    // MARK: What they were shown

    /// All that a reader was shown.
    func shown(to reader: String) throws(StoreFault) -> ShownNumbers {
        let row = try connection.statement("SELECT numbers FROM shown WHERE name = ?")
        let lists = try numbers(in: row, of: reader)
        let recent = try recent(of: reader)
        return recent.count == 0 ? lists : lists.showing(recent.entries.map { ($0.number, $0.id) })
    }

    /// The single to-dos that a reader was shown since a list.
    func recent(of reader: String) throws(StoreFault) -> ShownNumbers {
        let row = try connection.statement("SELECT recent FROM reader WHERE name = ?")
        return try numbers(in: row, of: reader)
    }

    private func numbers(
        in row: PreparedStatement, of reader: String
    ) throws(StoreFault) -> ShownNumbers {
        row.bind(1, Array(reader.utf8))
        defer { row.reset() }
        return try row.step() ? ShownNumbers(row.bytes(0)) : ShownNumbers()
    }

    /// Notes all that a reader was shown, but the single to-dos since.
    func keep(_ ring: ShownNumbers, of reader: String) throws(StoreFault) {
        let row = try connection.statement(
            "INSERT OR REPLACE INTO shown (name, numbers) VALUES (?, ?)")
        row.bind(1, Array(reader.utf8))
        row.bind(2, ring.bytes)
        try row.run()
    }

    /// Notes the single to-dos that a reader was shown since a list, and that it is here.
    func note(
        _ recent: ShownNumbers, _ latest: RecordID?, of reader: String, at now: Int64
    ) throws(StoreFault) {
        let row = try connection.statement(
            """
            INSERT INTO reader (name, time, recent, latest) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (name) DO UPDATE SET time = ?2, recent = ?3, latest = coalesce(?4, latest)
            """)
        row.bind(1, Array(reader.utf8))
        row.bind(2, now)
        row.bind(3, recent.bytes)
        if let latest { row.bind(4, identifier: latest.value) } else { row.bindNull(4) }
        try row.run()
        try forgetOldReaders()
    }

    /// The numbers that any reader has before it.
    func shownToAnybody() throws(StoreFault) -> Set<Int> {
        let rows = try connection.statement(
            "SELECT numbers FROM shown UNION ALL SELECT recent FROM reader")
        defer { rows.reset() }
        var found: Set<Int> = []
        while try rows.step() {
            for entry in ShownNumbers(rows.bytes(0)).entries { found.insert(entry.number) }
        }
        return found
    }

    // MARK: Which are remembered

    /// Whether a reader is remembered.
    func isKnown(_ reader: String) throws(StoreFault) -> Bool {
        let row = try connection.statement("SELECT 1 FROM reader WHERE name = ?")
        row.bind(1, Array(reader.utf8))
        defer { row.reset() }
        return try row.step()
    }

    private func forgetOldReaders() throws(StoreFault) {
        guard try connection.number("SELECT count(*) FROM reader") > Self.readerCountMax else {
            return
        }
        try connection.run(
            """
            DELETE FROM reader WHERE name IN (
                SELECT name FROM reader ORDER BY CAST(name AS TEXT) GLOB '\(Self.withoutTerminal)*',
                    time DESC LIMIT -1 OFFSET \(Self.readerCountMax))
            """)
        for table in ["shown", "listed"] {
            try connection.run("DELETE FROM \(table) WHERE name NOT IN (SELECT name FROM reader)")
        }
    }

    // MARK: The latest

    /// Remembers the to-do that a reader last made or changed.
    func setLatest(_ id: RecordID, of reader: String, at now: Int64) throws(StoreFault) {
        let row = try connection.statement(
            """
            INSERT INTO reader (name, time, recent, latest) VALUES (?1, ?2, x'', ?3)
            ON CONFLICT (name) DO UPDATE SET time = ?2, latest = ?3
            """)
        row.bind(1, Array(reader.utf8))
        row.bind(2, now)
        row.bind(3, identifier: id.value)
        try row.run()
        try forgetOldReaders()
    }

    /// The to-do that a reader last made or changed.
    func latest(of reader: String) throws(StoreFault) -> RecordID? {
        let row = try connection.statement("SELECT latest FROM reader WHERE name = ?")
        row.bind(1, Array(reader.utf8))
        defer { row.reset() }
        return try row.step() ? row.identifier(0).map { RecordID(value: $0) } : nil
    }

    // MARK: Changes

    /// Whether a reader is a terminal, and not a script without one.
    static func isTerminal(_ reader: String) -> Bool { !reader.hasPrefix(withoutTerminal) }

    /// Remembers the changes that a reader was shown with numbers, in the order of those.
    func keepChanges(
        _ changes: some Sequence<HybridTimestamp>, of reader: String, at now: Int64
    ) throws(StoreFault) {
        let row = try connection.statement(
            "INSERT OR REPLACE INTO listed (name, time, changes) VALUES (?, ?, ?)")
        row.bind(1, Array(reader.utf8))
        row.bind(2, now)
        row.bind(
            3,
            changes.flatMap { withUnsafeBytes(of: $0.rawValue.bigEndian, Array.init) })
        try row.run()
        try note(try recent(of: reader), nil, of: reader, at: now)
    }

    /// The changes that a reader was shown last, in the order of their numbers, and when; nil if it was shown none.
    func changes(shownTo reader: String) throws(StoreFault) -> ListedChanges? {
        let row = try connection.statement("SELECT time, changes FROM listed WHERE name = ?")
        row.bind(1, Array(reader.utf8))
        defer { row.reset() }
        guard try row.step() else { return nil }
        let bytes = row.bytes(1)
        let changes = stride(from: 0, through: bytes.count - 8, by: 8).map { start in
            HybridTimestamp(rawValue: bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) })
        }
        return ListedChanges(time: row.int(0), changes: changes)
    }
}

/// The change that a number means in the list that a reader was shown last.
package enum NumberedChange: Hashable, Sendable {
    /// This one.
    case found(LocalChange)
    /// The reader was shown no list.
    case noList
    /// The list was shown too long ago, at this time, and edits were made since; milliseconds since 1970.
    case outdated(shown: Int64)
    /// The list has only so many changes.
    case beyond(count: Int)
    /// The journal does not keep the change any more.
    case forgotten
}

/// A list of changes with numbers from 1.
package struct ListedChanges: Sendable {
    /// When it was shown; milliseconds since 1970.
    package let time: Int64
    /// The changes by their numbers.
    package let changes: [HybridTimestamp]

    /// The number of a change; nil if it is not in the list.
    package func number(of change: LocalChange) -> Int? {
        changes.firstIndex(of: change.timestamp).map { $0 + 1 }
    }
}
