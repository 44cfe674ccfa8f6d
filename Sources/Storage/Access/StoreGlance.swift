import CSQLite
import Core
import Glibc

/// A look at the rows of a store that is not opened for it: nothing is written, nobody is waited for.
///
/// Made for what runs while a person types. What cannot be had at once is left out: no store, one that is
/// being changed in a way that shuts others out, one of another version, or damage all give nothing.
package final class StoreGlance {
    /// The most steps of SQLite's machine that one question may take; about a tenth of a second.
    private static let operationCountMax: Int32 = 10_000_000

    private let handle: OpaquePointer

    /// Nil if there is nothing to look at.
    package convenience init?(folder: String) {
        self.init(database: StorePaths(folder: folder).database)
    }

    /// A look at a database beside a store; nil if there is nothing to look at.
    package init?(database path: String) {
        guard access(path, R_OK) == 0 else { return nil }
        // Without a log all is in the file, and nothing but the file need be looked at; the log of a store
        // that is in use is read through the index that its users keep, which is not written either.
        let isClosed = access(path + "-wal", F_OK) != 0
        let address = DatabaseAddress.text(
            path, isClosed ? "immutable=1" : "mode=ro&readonly_shm=1")
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        var opened: OpaquePointer?
        guard sqlite3_open_v2(address, &opened, flags, nil) == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            return nil
        }
        handle = opened
        sqlite3_busy_timeout(handle, 0)
        // The handler is asked once, and says that it is enough.
        sqlite3_progress_handler(handle, Self.operationCountMax, { _ in 1 }, nil)
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// The rows of a question in SQL, as texts; as far as they could be read at once.
    ///
    /// - Parameters:
    ///   - texts: what stands for `?1`, `?2` and so on.
    ///   - rowCountMax: the most rows to read.
    package func rows(_ sql: String, _ texts: [String] = [], rowCountMax: Int) -> [[String]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
        defer { sqlite3_finalize(statement) }
        for (index, text) in texts.enumerated() {
            sqlite3_bind_text(
                statement, CInt(index + 1), text, -1, tandem_sqlite_transient())
        }
        var rows: [[String]] = []
        while rows.count < rowCountMax, sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    guard let start = sqlite3_column_text(statement, column) else { return "" }
                    let count = Int(sqlite3_column_bytes(statement, column))
                    return String(
                        decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
                })
        }
        return rows
    }
}
