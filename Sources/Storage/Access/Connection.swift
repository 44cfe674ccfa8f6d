import CSQLite
import Core
import Glibc

/// One connection to a database file, owned by one thread.
///
/// Statements are compiled once and kept by their text. Source: sqlite.org/c3ref/sqlite3.html.
package final class Connection {
    private var handle: OpaquePointer?
    let statements = StatementTable()
    /// The path of the database.
    let path: String
    private let disk: any StoreDisk
    private let busyMilliseconds: Int
    private var lastFault: StoreFault?
    /// Whether this connection may have flushed the log.
    private var hasFlushedLog = false

    /// The path of a database that has no file.
    package static let inMemory = ":memory:"

    /// Opens a file; makes it, for its owner alone, if `creates`.
    package init(
        path: String, on disk: any StoreDisk, creates: Bool, busyMilliseconds: Int
    ) throws(StoreFault) {
        self.path = path
        self.disk = disk
        self.busyMilliseconds = busyMilliseconds
        if path != Self.inMemory {
            // SQLite would make it by the umask.
            if creates {
                try disk.makePrivateFile(path)
            } else {
                try disk.refuseUntrusted(StorePaths.files(ofDatabase: path))
            }
        }
        try open(
            path,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (creates ? SQLITE_OPEN_CREATE : 0))
        sqlite3_busy_timeout(handle, Int32(busyMilliseconds))
        SearchFunctions.add(to: handle)
    }

    /// Opens a file to copy from: nothing is written to it or beside it, unless there is a log beside it.
    package init(copyAt path: String, on disk: any StoreDisk) throws(StoreFault) {
        self.path = path
        self.disk = disk
        busyMilliseconds = 0
        if disk.exists(path + "-wal") {
            try open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX)
        } else {
            // Without a log nobody writes to it: it may be on a medium that cannot be written.
            try open(
                DatabaseAddress.text(path, "immutable=1"),
                SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX)
        }
    }

    private func open(_ name: String, _ flags: Int32) throws(StoreFault) {
        let code = sqlite3_open_v2(name, &handle, flags, disk.databaseSystem)
        guard code == SQLITE_OK else {
            let fault = fault(code, statement: "open")
            sqlite3_close_v2(handle)
            handle = nil
            throw fault
        }
        sqlite3_extended_result_codes(handle, 1)
    }

    deinit {
        close()
    }

    /// Has SQLite count no bytes in use, for which each allocation takes a lock.
    ///
    /// For a program that is alone with its databases, before the first is opened; later it changes nothing.
    package static func countNoMemory() { _ = tandem_sqlite_stop_counting() }

    /// Closes the file; the last connection folds the log into it.
    package func close() {
        statements.forget()
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// Leaves the log beside the file when the last connection closes.
    package func keepLog() {
        _ = tandem_sqlite_keep_log(handle, 1)
    }

    /// The length of a log without a commit; bytes. Source: https://sqlite.org/fileformat2.html#walformat
    static let logHeadByteCount = 32

    /// The length of the log; bytes.
    ///
    /// A process that opens the file while no other has it open reads all of the log.
    package var logByteCount: Int { disk.byteCount(of: path + "-wal") }

    /// Whether the file is open.
    package var isOpen: Bool { handle != nil }

    /// The compiled form of `sql`, ready to be bound.
    package func statement(_ sql: String) throws(StoreFault) -> PreparedStatement {
        if let found = statements.find(sql) { return found }
        guard let handle else { throw .closed }
        var compiled: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
        guard code == SQLITE_OK, let compiled else { throw fault(code, statement: sql) }
        let statement = PreparedStatement(compiled, of: self)
        statements.keep(statement, for: sql)
        return statement
    }

    /// The compiled form of a statement that is run once.
    func unkept(_ sql: String) throws(StoreFault) -> PreparedStatement {
        guard let handle else { throw .closed }
        var compiled: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, 0, &compiled, nil)
        guard code == SQLITE_OK, let compiled else { throw fault(code, statement: sql) }
        return PreparedStatement(compiled, of: self)
    }

    /// Runs `body` in a transaction, of which on any error nothing stays.
    ///
    /// - Parameter begin: the statement that begins it.
    package func transact<T>(
        _ begin: String, _ body: () throws(StoreFault) -> T
    ) throws(StoreFault) -> T {
        try run(begin)
        do throws(StoreFault) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Lets go of all compiled statements that nobody uses; a table that one of them reads can be dropped.
    func forgetStatements() {
        statements.forget()
    }

    /// Runs one or more statements without parameters or rows.
    package func execute(_ sql: String) throws(StoreFault) {
        guard let handle else { throw .closed }
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw fault(code, statement: sql) }
    }

    /// Runs one statement, compiled once.
    package func run(_ sql: String) throws(StoreFault) {
        try statement(sql).run()
    }

    /// The first column of the first row.
    package func number(_ sql: String) throws(StoreFault) -> Int64 {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    /// The first column of the first row, as text.
    package func text(_ sql: String) throws(StoreFault) -> String {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : ""
    }

    /// The first column of all rows, a line each.
    package func lines(_ sql: String) throws(StoreFault) -> String {
        let statement = try statement(sql)
        defer { statement.reset() }
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(0)) }
        return lines.joined(separator: "\n")
    }

    /// How many rows the last statement changed.
    package var changeCount: Int { Int(sqlite3_changes(handle)) }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

    /// The fault that made SQLite roll a transaction back by itself; nil while the transaction is open.
    func lostTransaction() -> StoreFault? {
        isInTransaction ? nil : lastFault ?? .closed
    }

    /// Whether the next commit flushes the folder before it adds to the log: SQLite does so at a connection's first flush
    /// of the log, and flushes the head of a log that begins.
    ///
    /// Asked inside of a transaction for writing.
    var willFlushFolder: Bool {
        !hasFlushedLog && logByteCount == 0
    }

    /// Brings the log into the file, as far as nobody reads older parts of it.
    ///
    /// - Returns: whether all of it is in the file, and on the disk.
    func foldLog() throws(StoreFault) -> Bool {
        let row = try statement("PRAGMA wal_checkpoint(PASSIVE)")
        defer { row.reset() }
        hasFlushedLog = true
        return try row.step() && row.int(0) == 0 && row.int(1) == row.int(2)
    }

    /// Brings the log into the file, and empties it.
    ///
    /// - Returns: whether it is empty; it is not while somebody reads from it.
    @discardableResult
    package func emptyLog() throws(StoreFault) -> Bool {
        let row = try statement("PRAGMA wal_checkpoint(TRUNCATE)")
        defer { row.reset() }
        return try row.step() && row.int(0) == 0 && row.int(1) == 0
    }

    /// Flushes what was committed to the disk.
    func flushLog() throws(StoreFault) {
        hasFlushedLog = true
        let code = tandem_sqlite_flush_log(handle)
        if code != SQLITE_OK { throw fault(code, statement: "flush of the write-ahead log") }
    }

    /// Copies the whole database into a new file, as of one point in time.
    func backup(to target: Connection) throws(StoreFault) {
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.fault(sqlite3_errcode(target.handle), statement: "backup")
        }
        let code = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        if code != SQLITE_DONE { throw fault(code, statement: "backup") }
    }

    /// Copies the whole database into a new file that nobody has open.
    func backup(toFile path: String, on disk: any StoreDisk) throws(StoreFault) {
        let target = try Connection(path: path, on: disk, creates: true, busyMilliseconds: 0)
        defer { target.close() }
        try backup(to: target)
    }

    /// The fault that an error code of SQLite stands for.
    func fault(_ code: Int32, statement: String) -> StoreFault {
        let fault = meaning(of: code, statement: statement)
        lastFault = fault
        return fault
    }

    private func meaning(of code: Int32, statement: String) -> StoreFault {
        let detail = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .busy(
                holder: disk.holder(ofDatabase: path), waitedMilliseconds: busyMilliseconds)
        // It gave up on the index of the log: beside one that it may not write it cannot read the log.
        case SQLITE_PROTOCOL:
            return disk.writeObstacle(ofDatabase: path)
                ?? .busy(holder: disk.holder(ofDatabase: path), waitedMilliseconds: 10_000)
        case SQLITE_FULL: return .diskFull(path: path)
        case SQLITE_CORRUPT: return .corrupt(path: path, detail: detail)
        case SQLITE_NOTADB: return .notAStore(path: path)
        // The file's head names a form of its tables that SQLite does not know: nobody ever wrote such a one.
        case SQLITE_ERROR where SQLiteMessage.unsupportedFormat.occurs(in: detail):
            return .corrupt(path: path, detail: detail)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            return disk.writeObstacle(ofDatabase: path) ?? .readOnly(path: path)
        case SQLITE_IOERR:
            if disk.isOutOfSpace { return .diskFull(path: path) }
            // A page that cannot be read any more is as good as damaged.
            if Self.unreadable.contains(code >> 8) {
                return .corrupt(path: path, detail: "a page cannot be read: \(detail)\(cause)")
            }
            return .inputOutput(call: "reading or writing", path: path, detail: detail + cause)
        case SQLITE_CANTOPEN:
            return disk.writeObstacle(ofDatabase: path)
                ?? .inputOutput(call: "open", path: path, detail: detail + cause)
        case SQLITE_ERROR where Self.speaksOfMissingParts(detail):
            return .misdescribed(path: path, detail: detail)
        default: return .database(code: code, detail: detail, statement: statement)
        }
    }

    /// The extended codes of SQLITE_IOERR for a file that cannot be read: READ, SHORT_READ, DATA, CORRUPTFS.
    private static let unreadable: Set<Int32> = [1, 2, 32, 33]

    /// The error text of the last system call that failed.
    private var cause: String {
        let number = sqlite3_system_errno(handle)
        return number == 0 ? "" : ": \(String(cString: strerror(number)))"
    }

    /// Whether SQLite did not find a table, column or the like: all that statements here name was made
    /// with the store, so that its own description of them must be damaged.
    private static func speaksOfMissingParts(_ detail: String) -> Bool {
        SQLiteMessage.missing.begins(detail) || SQLiteMessage.missingColumn.occurs(in: detail)
            || SQLiteMessage.brokenDescription.begins(detail)
            || SQLiteMessage.missingConstraint.begins(detail)
    }
}

/// The address of a database file, which says how it is to be opened.
///
/// Source: sqlite.org/uri.html.
enum DatabaseAddress {
    /// The address of the file at `path`.
    ///
    /// - Parameter parameters: as `mode=ro`, joined by `&`.
    static func text(_ path: String, _ parameters: String) -> String {
        "file:\(escaped(path))?\(parameters)"
    }

    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                return String(UnicodeScalar(byte))
            default: return (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }.joined()
    }
}
