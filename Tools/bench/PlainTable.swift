import CSQLite
import Causality
import Records
import Storage

/// The floor: plain SQLite, the same rows into one table with the same indexes, nothing else.
final class PlainTable {
    private var handle: OpaquePointer?
    private var insert: OpaquePointer?

    init(path: String) throws {
        guard sqlite3_open(path, &handle) == SQLITE_OK else {
            throw BenchError.failed("open \(path)")
        }
        try execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000;
            CREATE TABLE todo(
                sequence INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, title TEXT, notes TEXT,
                project TEXT, due TEXT, done INTEGER, created TEXT, modified TEXT) STRICT;
            CREATE INDEX todo_due ON todo(done, due);
            """)
        let sql = "INSERT INTO todo VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)"
        guard sqlite3_prepare_v2(handle, sql, -1, &insert, nil) == SQLITE_OK else {
            throw BenchError.failed("prepare")
        }
    }

    deinit {
        sqlite3_finalize(insert)
        sqlite3_close(handle)
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw BenchError.failed(String(cString: sqlite3_errmsg(handle)))
        }
    }

    func add(_ item: SampleToDo) throws {
        withUnsafeBytes(of: item.id.value.bigEndian) { bytes in
            _ = sqlite3_bind_blob(insert, 1, bytes.baseAddress, 16, tandem_sqlite_transient())
        }
        bind(2, item.title)
        bind(3, item.notes)
        bind(4, item.project)
        bind(5, ColumnText.text(instant: item.due) ?? "")
        sqlite3_bind_int64(insert, 6, item.isDone ? 1 : 0)
        bind(7, ColumnText.text(instant: item.created) ?? "")
        bind(8, ColumnText.text(instant: item.modified) ?? "")
        guard sqlite3_step(insert) == SQLITE_DONE else { throw BenchError.failed("insert") }
        sqlite3_reset(insert)
    }

    private func bind(_ place: Int32, _ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                _ = sqlite3_bind_text(
                    insert, place, characters.baseAddress, Int32(characters.count),
                    tandem_sqlite_transient())
            }
        }
    }
}
