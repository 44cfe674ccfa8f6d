import Storage

/// The tables of a relay's store, by numbered steps; `user_version` says how many were taken.
enum SQLiteRelayMigrations {
    /// Marks the file as a relay's store of one space: "TNDR".
    static let applicationID: Int64 = 0x544e_4452

    /// Step n makes format n + 1 out of format n.
    private static let steps: [String] = [
        """
        CREATE TABLE meta(
            one INTEGER PRIMARY KEY CHECK (one = 1), space BLOB NOT NULL, relay BLOB NOT NULL,
            generation INTEGER NOT NULL, verifier BLOB NOT NULL, sequence INTEGER NOT NULL,
            bytes INTEGER NOT NULL, records INTEGER NOT NULL, versions INTEGER NOT NULL);
        CREATE TABLE version(
            sequence INTEGER PRIMARY KEY, id BLOB NOT NULL, clock BLOB NOT NULL,
            body BLOB NOT NULL);
        CREATE INDEX version_id ON version(id);
        CREATE TABLE notice(
            sequence INTEGER PRIMARY KEY, replica BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL);
        CREATE TABLE uploaded(
            replica BLOB PRIMARY KEY, epoch INTEGER NOT NULL, sequence INTEGER NOT NULL,
            arrival INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE epoch(
            number INTEGER PRIMARY KEY, id INTEGER NOT NULL, first_sequence INTEGER NOT NULL);
        """,
        // Whether the device that uploaded a version has deferred it.
        "ALTER TABLE version ADD COLUMN aside INTEGER NOT NULL DEFAULT 0;",
        // Rekey messages that devices left for devices with older secrets; kept in the next
        // generation.
        """
        CREATE TABLE letter(
            number INTEGER PRIMARY KEY, verifier BLOB NOT NULL UNIQUE, generation INTEGER NOT NULL,
            hash BLOB NOT NULL, bytes BLOB NOT NULL);
        """,
        // The arrival number under which a device said that it could not open a version, and the hash of the version
        // of which it said so: it may be damaged after that.
        """
        ALTER TABLE version ADD COLUMN unreadable INTEGER;
        ALTER TABLE version ADD COLUMN unreadable_hash BLOB;
        CREATE UNIQUE INDEX version_unreadable ON version(unreadable) WHERE unreadable IS NOT NULL;
        """,
        // Devices that were let in, by the fingerprints of their certificates.
        """
        CREATE TABLE device(
            fingerprint BLOB PRIMARY KEY, first_day INTEGER NOT NULL, last_day INTEGER NOT NULL)
            WITHOUT ROWID;
        """,
        // The hash under which a version came, or was last said to be unreadable. What is looked at often stands before
        // the body, which may be long.
        """
        CREATE TABLE versions(
            sequence INTEGER PRIMARY KEY, id BLOB NOT NULL, hash BLOB, unreadable INTEGER,
            aside INTEGER NOT NULL, clock BLOB NOT NULL, body BLOB NOT NULL);
        INSERT INTO versions
            SELECT sequence, id, unreadable_hash, unreadable, aside, clock, body FROM version;
        DROP TABLE version;
        ALTER TABLE versions RENAME TO version;
        CREATE INDEX version_id ON version(id, hash);
        CREATE UNIQUE INDEX version_unreadable ON version(unreadable) WHERE unreadable IS NOT NULL;
        """,
        // Summary rows in place of whole summaries, which grew with the replica ids of a space; `about` is empty for a
        // device's digests.
        """
        UPDATE meta SET bytes = bytes - (SELECT total(length(bytes) + 16) FROM notice);
        DROP TABLE notice;
        CREATE TABLE summary_row(
            sequence INTEGER PRIMARY KEY, replica BLOB NOT NULL, about BLOB NOT NULL,
            number INTEGER NOT NULL, bytes BLOB NOT NULL, UNIQUE (replica, about));
        ALTER TABLE meta ADD COLUMN row_sum BLOB NOT NULL
            DEFAULT x'00000000000000000000000000000000';
        """,
        // The words of the glossary.
        """
        ALTER TABLE letter RENAME TO rekey_message;
        ALTER TABLE version RENAME COLUMN aside TO deferred;
        """,
    ]

    /// The format that this program writes.
    static var formatMax: Int { steps.count }

    /// Sees to it, without writing anything, that the file is a store that this program can read.
    ///
    /// - Returns: whether it was ever finished; a file without a table is one whose making was cut off.
    static func check(_ connection: Connection, path: String) throws(StoreFault) -> Bool {
        let application = try connection.number("PRAGMA application_id")
        let format = Int(try connection.number("PRAGMA user_version"))
        if application == 0, format == 0 {
            let isEmpty = try connection.number("SELECT count(*) FROM sqlite_schema") == 0
            guard isEmpty else { throw .notAStore(path: path) }
            return false
        }
        guard application == applicationID else { throw .notAStore(path: path) }
        if format > formatMax { throw .newerStore(found: format, supported: formatMax) }
        return true
    }

    /// Takes the steps that the file lacks; inside of a transaction.
    static func run(on connection: Connection) throws(StoreFault) {
        let current = Int(try connection.number("PRAGMA user_version"))
        for step in steps[min(current, steps.count)...] { try connection.execute(step) }
        try connection.execute(
            "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(formatMax)")
    }

    /// Whether a step is lacking.
    static func isDue(on connection: Connection) throws(StoreFault) -> Bool {
        try connection.number("PRAGMA user_version") != formatMax
    }
}
