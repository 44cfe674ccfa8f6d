import CSQLite
import Core
import Storage

/// The floor: plain SQLite, the same rows into one table with the same indexes, nothing else.
final class PlainTable {
    private var handle: OpaquePointer?
    private var insert: OpaquePointer?
    private var update: OpaquePointer?

    /// Makes a table in a new file.
    convenience init(path: String) throws {
        try self.init(incarnation: path) { table in
            try table.execute(
                """
                CREATE TABLE todo(
                    sequence INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, title TEXT, notes TEXT,
                    project TEXT, due TEXT, done INTEGER, created TEXT, modified TEXT) STRICT;
                CREATE INDEX todo_due ON todo(done, due);
                """)
        }
    }

    /// Opens a file; `prepare` makes the table if there is none.
    init(incarnation path: String, prepare: (PlainTable) throws -> Void = { _ in }) throws {
        guard sqlite3_open(path, &handle) == SQLITE_OK else {
            throw BenchError.failed("open \(path)")
        }
        try execute(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000")
        try prepare(self)
        insert = try compiled("INSERT INTO todo VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)")
        update = try compiled("UPDATE todo SET title = ? WHERE id = ?")
    }

    private func compiled(_ sql: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw BenchError.failed("prepare")
        }
        return statement
    }

    deinit {
        sqlite3_finalize(insert)
        sqlite3_finalize(update)
        sqlite3_close(handle)
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw BenchError.failed(String(cString: sqlite3_errmsg(handle)))
        }
    }

    func add(_ item: SampleToDo) throws {
        bind(insert, 1, item.id)
        bind(insert, 2, item.title)
        bind(insert, 3, item.notes)
        bind(insert, 4, item.project)
        bind(insert, 5, MomentText.text(instant: item.due) ?? "")
        sqlite3_bind_int64(insert, 6, item.isDone ? 1 : 0)
        bind(insert, 7, MomentText.text(instant: item.created) ?? "")
        bind(insert, 8, MomentText.text(instant: item.modified) ?? "")
        try run(insert)
    }

    /// Gives a row another title.
    func rename(_ item: SampleToDo, _ title: String) throws {
        bind(update, 1, title)
        bind(update, 2, item.id)
        try run(update)
    }

    /// Brings what was committed to the disk.
    func flush() throws {
        guard tandem_sqlite_flush_log(handle) == SQLITE_OK else {
            throw BenchError.failed("flush")
        }
    }

    private func run(_ statement: OpaquePointer?) throws {
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw BenchError.failed(String(cString: sqlite3_errmsg(handle)))
        }
        sqlite3_reset(statement)
    }

    private func bind(_ statement: OpaquePointer?, _ index: Int32, _ id: RecordID) {
        withUnsafeBytes(of: id.value.bigEndian) { bytes in
            _ = sqlite3_bind_blob(
                statement, index, bytes.baseAddress, 16, tandem_sqlite_transient())
        }
    }

    private func bind(_ statement: OpaquePointer?, _ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                _ = sqlite3_bind_text(
                    statement, index, characters.baseAddress, Int32(characters.count),
                    tandem_sqlite_transient())
            }
        }
    }
}
