import CSQLite

/// The tables of a store, and the steps that bring those of an earlier format up to date; `user_version` is the format.
enum Migrations {
    /// Marks the file as a store of this program: "TNDM".
    static let applicationID: Int64 = 0x544e_444d

    /// The tables of the present format.
    private static let tables = """
        CREATE TABLE state(
            one INTEGER PRIMARY KEY CHECK (one = 1),
            space BLOB NOT NULL, policy INTEGER NOT NULL, checksum_key BLOB NOT NULL,
            replica INTEGER NOT NULL, device_name TEXT NOT NULL);
        CREATE TABLE replica(
            number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, counter INTEGER NOT NULL,
            seen INTEGER NOT NULL, checksum BLOB NOT NULL, epoch INTEGER, epoch_counter INTEGER,
            moved INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE epoch(
            number INTEGER PRIMARY KEY, id INTEGER NOT NULL, first_sequence INTEGER NOT NULL,
            first_counter INTEGER NOT NULL, replica INTEGER NOT NULL, named INTEGER NOT NULL,
            first_moved INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE peer_epoch(
            replica INTEGER NOT NULL, epoch INTEGER NOT NULL, first_counter INTEGER NOT NULL,
            PRIMARY KEY (replica, epoch)) WITHOUT ROWID;
        CREATE TABLE checkpoint(
            replica INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, sequence INTEGER NOT NULL,
            mismatches INTEGER NOT NULL, last_contact INTEGER NOT NULL,
            summary_epoch INTEGER, summary_sequence INTEGER);
        CREATE TABLE deferred_change(
            sequence INTEGER PRIMARY KEY, id BLOB NOT NULL, clock BLOB NOT NULL,
            body BLOB NOT NULL, reason TEXT NOT NULL, collection BLOB NOT NULL);
        CREATE INDEX deferred_change_id ON deferred_change(id);
        CREATE TABLE collection(name TEXT PRIMARY KEY, note TEXT NOT NULL) WITHOUT ROWID;
        -- How many records each collection has, by how they stand; `unset` are live ones whose counted column is empty.
        CREATE TABLE record_count(
            name TEXT PRIMARY KEY, live INTEGER NOT NULL, trashed INTEGER NOT NULL,
            purged INTEGER NOT NULL, conflicted INTEGER NOT NULL, unset INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE run_day(day INTEGER PRIMARY KEY);
        -- By whose word, if by a peer's, a new replica id was taken.
        CREATE TABLE identity_change(
            number INTEGER PRIMARY KEY, old BLOB NOT NULL, new BLOB NOT NULL,
            reason TEXT NOT NULL, time INTEGER NOT NULL, peer BLOB);
        CREATE TABLE address(address TEXT PRIMARY KEY, replica INTEGER NOT NULL) WITHOUT ROWID;
        -- The peer that first brought each replica id.
        CREATE TABLE brought_replica(replica BLOB PRIMARY KEY, peer BLOB NOT NULL) WITHOUT ROWID;

        -- The journal of visible changes; `previous` wrote the value that one replaced.
        CREATE TABLE journal(
            number INTEGER PRIMARY KEY, record BLOB NOT NULL, field BLOB NOT NULL,
            kind INTEGER NOT NULL, author INTEGER NOT NULL, counter INTEGER NOT NULL,
            timestamp INTEGER NOT NULL, arrived INTEGER NOT NULL, before BLOB, after BLOB,
            reach INTEGER NOT NULL, collection BLOB NOT NULL, previous INTEGER);
        CREATE INDEX journal_by_id ON journal(record);
        CREATE INDEX journal_local ON journal(timestamp) WHERE \(Journal.isEdit);
        CREATE INDEX journal_made ON journal(timestamp) WHERE \(Journal.isMaking);
        CREATE INDEX journal_erased ON journal(timestamp) WHERE \(Journal.isErasing);
        -- The arrival numbers of the records that one transaction made here, from the first to the last.
        CREATE TABLE making(timestamp INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL);
        CREATE TABLE conflict_base(
            record BLOB NOT NULL, collection BLOB NOT NULL, field BLOB NOT NULL,
            value BLOB NOT NULL, PRIMARY KEY (record, collection, field)) WITHOUT ROWID;
        CREATE TABLE undo(timestamp INTEGER PRIMARY KEY, undoes INTEGER NOT NULL);
        -- The latest write of each author of which the journal dropped an entry, by the author's clock.
        CREATE TABLE journal_dropped(author INTEGER PRIMARY KEY, milliseconds INTEGER NOT NULL);

        -- How far this store was uploaded to each store of a relay, and which differences of contents it was
        -- read anew for.
        CREATE TABLE relay_mark(
            id BLOB PRIMARY KEY, epoch INTEGER NOT NULL DEFAULT 0,
            sequence INTEGER NOT NULL DEFAULT 0, differences TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
        -- Versions at relays that could not be opened, and whether the relay says that it has them.
        CREATE TABLE unopened(
            number INTEGER PRIMARY KEY, relay BLOB NOT NULL, name BLOB NOT NULL,
            hash BLOB NOT NULL, clock BLOB NOT NULL, is_kept INTEGER NOT NULL,
            UNIQUE (relay, name, hash));
        -- What devices state of themselves at relays, and the sums of this store's own summaries.
        CREATE TABLE summary_row(
            relay BLOB NOT NULL, about BLOB NOT NULL, replica BLOB NOT NULL,
            number INTEGER NOT NULL, hash BLOB NOT NULL, content BLOB NOT NULL,
            is_settled INTEGER NOT NULL, PRIMARY KEY (relay, about, replica)) WITHOUT ROWID;
        CREATE TABLE summary_row_sum(relay BLOB PRIMARY KEY, sum BLOB NOT NULL) WITHOUT ROWID;
        CREATE INDEX summary_row_unsettled ON summary_row(relay) WHERE is_settled = 0;
        CREATE TABLE own_summary(sequence INTEGER PRIMARY KEY, sum BLOB NOT NULL);

        -- How much the sessions with a peer have deleted, and what waits for a person's word.
        CREATE TABLE mass_delete_count(
            peer BLOB PRIMARY KEY, deleted INTEGER NOT NULL, added INTEGER NOT NULL,
            live INTEGER, wanted INTEGER NOT NULL, since INTEGER NOT NULL,
            touched INTEGER NOT NULL, is_complete INTEGER NOT NULL, status INTEGER NOT NULL,
            snapshot TEXT, authors BLOB) WITHOUT ROWID;
        CREATE TABLE refused_author(
            replica BLOB PRIMARY KEY, counter INTEGER NOT NULL, reach INTEGER NOT NULL) WITHOUT ROWID;
        -- Keys of devices whose revocation a merge took away, in the order in which that happened.
        CREATE TABLE revoked_key(number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE);
        -- Records that were deleted by a refused author, as they were before.
        CREATE TABLE refused_delete(
            id BLOB NOT NULL, collection BLOB NOT NULL, body BLOB NOT NULL, clock BLOB NOT NULL,
            has_failed INTEGER NOT NULL, was_trash INTEGER NOT NULL,
            PRIMARY KEY (id, collection)) WITHOUT ROWID;
        CREATE TABLE held_change(
            peer BLOB NOT NULL, id BLOB NOT NULL, collection BLOB NOT NULL, clock BLOB NOT NULL,
            body BLOB NOT NULL, PRIMARY KEY (peer, id, collection, clock, body)) WITHOUT ROWID;
        CREATE TABLE held_example(
            peer BLOB NOT NULL, number INTEGER NOT NULL, id BLOB NOT NULL, collection BLOB NOT NULL,
            PRIMARY KEY (peer, number)) WITHOUT ROWID;
        -- Copies of what was kept of purged records.
        CREATE TABLE purged_copy(
            id BLOB NOT NULL, collection BLOB NOT NULL, copy BLOB NOT NULL,
            PRIMARY KEY (id, collection, copy)) WITHOUT ROWID;

        -- Local metadata of programs.
        CREATE TABLE local_metadata(
            namespace TEXT NOT NULL, name TEXT NOT NULL, content BLOB NOT NULL,
            PRIMARY KEY (namespace, name)) WITHOUT ROWID;
        """

    /// Upgrade n makes format n + 1 out of format n; none is ever changed once a store of its format may exist.
    private static let upgrades: [String] = [
        // The words of the glossary for tables and columns; revocations that a merge took away.
        """
        DROP INDEX parked_id;
        ALTER TABLE parked RENAME TO deferred_change;
        CREATE INDEX deferred_change_id ON deferred_change(id);
        ALTER TABLE set_aside RENAME TO held_change;
        ALTER TABLE brake_count RENAME TO mass_delete_count;
        ALTER TABLE memo_note RENAME TO local_metadata;
        ALTER TABLE local_metadata RENAME COLUMN drawer TO namespace;
        ALTER TABLE state RENAME COLUMN tally_key TO checksum_key;
        ALTER TABLE replica RENAME COLUMN tally TO checksum;
        ALTER TABLE journal RENAME COLUMN stamp TO timestamp;
        ALTER TABLE making RENAME COLUMN stamp TO timestamp;
        ALTER TABLE undo RENAME COLUMN stamp TO timestamp;
        CREATE TABLE revoked_key(number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE);
        """
    ]

    /// The present names of tables that earlier formats have under others, for salvage, which cannot upgrade them.
    static let presentNames = ["parked": "deferred_change", "set_aside": "held_change"]

    /// The format that this program writes.
    static var formatMax: Int { upgrades.count + 1 }

    /// Sees to it, without writing anything, that the file is a store that this program can read.
    static func check(_ connection: Connection, path: String) throws(StoreFault) {
        let application = try connection.number("PRAGMA application_id")
        let format = Int(try connection.number("PRAGMA user_version"))
        guard application == applicationID || (application == 0 && format == 0) else {
            throw .notAStore(path: path)
        }
        if application == 0, try connection.number("SELECT count(*) FROM sqlite_schema") > 0 {
            throw .notAStore(path: path)
        }
        if format > formatMax { throw .newerStore(found: format, supported: formatMax) }
    }

    /// Makes the tables of a new store, or brings an older store's up to date, in one transaction.
    ///
    /// It runs before the store reads anything, its own replica id included, so the identity file may still say "sealed".
    /// The changes stay in the write-ahead log, and the database file as it was, until a process opens the store to write.
    static func run(on connection: Connection, path: String) throws(StoreFault) {
        if try connection.number("PRAGMA user_version") == formatMax { return }
        let pageCount = try connection.number("PRAGMA wal_autocheckpoint")
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        defer { try? connection.execute("PRAGMA wal_autocheckpoint = \(pageCount)") }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreFault) {
            // Another process may have taken the step while this one waited.
            let current = Int(try connection.number("PRAGMA user_version"))
            if current == 0 {
                try connection.execute(tables)
            } else {
                for upgrade in upgrades.dropFirst(current - 1) { try connection.execute(upgrade) }
            }
            if current > formatMax { throw .newerStore(found: current, supported: formatMax) }
            try connection.execute(
                "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(formatMax); COMMIT"
            )
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Makes a collection's table, view and indexes.
    static func makeTable(_ schema: CollectionSchema, on connection: Connection) throws(StoreFault)
    {
        let fields = schema.fields.map { ", \($0.quoted) \($0.kind.type)" }.joined()
        let isUnique = schema.isShared ? "" : " UNIQUE"
        let key = schema.isShared ? ", collection BLOB NOT NULL, UNIQUE (id, collection)" : ""
        let columns = schema.fields.map { ", \($0.quoted)" }.joined()
        try connection.execute(
            """
            CREATE TABLE \(schema.table)(
                sequence INTEGER PRIMARY KEY, id BLOB NOT NULL\(isUnique), state INTEGER NOT NULL,
                conflicts INTEGER NOT NULL, clock BLOB NOT NULL, meta BLOB NOT NULL,
                custom TEXT\(fields)\(key)) STRICT;
            CREATE INDEX \(schema.name)_conflicts ON \(schema.table)(conflicts) WHERE conflicts > 0;
            CREATE INDEX \(schema.name)_trash ON \(schema.table)(state) WHERE state = 1;
            -- Other programs look up the view's ids.
            CREATE INDEX \(schema.name)_by_id ON \(schema.table)(lower(hex(id))) WHERE state = 0;
            CREATE VIEW \(schema.name) AS SELECT lower(hex(id)) AS id\(columns), custom
                FROM \(schema.table) WHERE state = 0;
            """)
        for (number, columns) in schema.indexes.enumerated() {
            try connection.execute(
                """
                CREATE INDEX \(schema.name)_index_\(number)
                    ON \(schema.table)(\(columns.map(quoted).joined(separator: ", ")))
                """)
        }
        for (number, columns) in schema.sparseIndexes.enumerated() {
            guard let last = columns.last else { continue }
            try connection.execute(
                """
                CREATE INDEX \(schema.name)_sparse_\(number)
                    ON \(schema.table)(\(columns.map(quoted).joined(separator: ", ")))
                    WHERE \(quoted(last)) IS NOT NULL
                """)
        }
        for (number, columns) in schema.gapIndexes.enumerated() {
            guard let last = columns.last else { continue }
            let kept = columns.dropLast().map(quoted).joined(separator: ", ")
            try connection.execute(
                """
                CREATE INDEX \(schema.name)_gap_\(number) ON \(schema.table)(\(kept))
                    WHERE \(quoted(last)) IS NULL
                """)
        }
        let note = try connection.statement("INSERT OR REPLACE INTO collection VALUES (?, ?)")
        note.bind(1, schema.name)
        note.bind(2, schema.note)
        try note.run()
    }

    /// Takes a collection's view and indexes away, that of words among them, and its table aside, to be copied from.
    ///
    /// - Returns: the table's name from now on.
    static func moveAway(
        _ schema: CollectionSchema, on connection: Connection
    ) throws(StoreFault)
        -> String
    {
        let rows = try connection.statement(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
        )
        rows.bind(1, schema.table)
        var indexes: [String] = []
        while try rows.step() { indexes.append(rows.text(0)) }
        for index in indexes { try connection.execute("DROP INDEX \(quoted(index))") }
        try connection.execute(SearchTables.unmaking(ofCollection: schema.name))
        try connection.execute(
            """
            DROP VIEW IF EXISTS \(quoted(schema.name));
            ALTER TABLE \(quoted(schema.table)) RENAME TO \(quoted(schema.table + "_before"));
            """)
        return schema.table + "_before"
    }

    /// A name that was read from the file, as SQL: whatever is in it, it stays one name.
    private static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\"", with: "\"\"") + "\""
    }
}
