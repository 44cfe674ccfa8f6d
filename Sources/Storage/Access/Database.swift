import Core

/// The database of a store, as its parts share it: the connection, the store's surroundings and
/// transactions.
///
/// Every part holds it. A table and what is kept of it in memory belong to one part, which sees to it
/// that its memory follows the transactions; see `StorePart`.
final class Database {
    /// Where the store's files are.
    let paths: StorePaths
    /// Time, chance, machine and disk.
    let environment: StoreEnvironment
    /// How the store was opened.
    let options: StoreOptions
    /// The collections with columns: the one of devices first, the one for unknown collections last.
    let collections: [CollectionSchema]
    /// The connection to the database file.
    let connection: Connection
    /// Whether the tables were brought in line with the schema.
    var isAdopted = false
    /// Called after a commit of this process changed records.
    var onChange: (() -> Void)?
    /// Called when this process first sees what another process committed.
    var onForeignChange: (() -> Void)?

    /// The parts whose memory follows transactions, in the order in which they are loaded and saved.
    private var parts: [any StorePart] = []
    /// The value of SQLite's `data_version` when the parts were loaded.
    private var dataVersion: Int64 = -1

    /// Opens the database file; nothing of it is read yet.
    init(
        paths: StorePaths, collections: [CollectionSchema], environment: StoreEnvironment,
        options: StoreOptions, creates: Bool
    ) throws(StoreFault) {
        self.paths = paths
        self.collections = collections
        self.environment = environment
        self.options = options
        connection = try Connection(
            path: paths.database, on: environment.disk, creates: creates,
            busyMilliseconds: options.busyMilliseconds)
    }

    /// Names the parts that follow the transactions.
    func attach(_ parts: [any StorePart]) {
        self.parts = parts
    }

    /// Closes the connection and lets go of the parts, which hold this object.
    func close() {
        connection.close()
        parts = []
    }

    /// Checks the file before anything is written to it, then makes the tables that are missing.
    func prepare() throws(StoreFault) {
        try checkIndex()
        try Migrations.check(connection, path: paths.database)
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = \(options.durability.rawValue);
            PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000;
            PRAGMA secure_delete = ON;
            """)
        if options.pageCountMax > 0 {
            try connection.execute("PRAGMA max_page_count = \(options.pageCountMax)")
        }
        try Migrations.run(on: connection, path: paths.database)
    }

    /// Refuses a log whose index may not be written: SQLite would wait for ten seconds, and then speak of locks.
    private func checkIndex() throws(StoreFault) {
        guard environment.disk.byteCount(of: paths.database + "-wal") > 0,
            let obstacle = environment.disk.writeObstacle(ofDatabase: paths.database),
            case .readOnly(let path, _) = obstacle, path.hasSuffix("-shm")
        else { return }
        throw obstacle
    }

    /// The fault for something in the database that does not fit.
    func corrupt(_ detail: String) -> StoreFault {
        .corrupt(path: paths.database, detail: detail)
    }

    // MARK: What other processes wrote

    /// Loads all parts anew; in one transaction, so that they fit each other.
    func reload() throws(StoreFault) {
        // The version first: a commit after it was read is looked for again next time.
        let version = try connection.number("PRAGMA data_version")
        for part in parts { try part.load() }
        dataVersion = version
    }

    /// Loads the parts anew if another process committed since; inside of a transaction.
    func refresh() throws(StoreFault) {
        if try !wasChangedByOthers() { return }
        try reload()
        onForeignChange?()
    }

    /// Takes note of what other processes committed.
    func catchUp() throws(StoreFault) {
        if connection.isInTransaction { return }
        if try !wasChangedByOthers() { return }
        try reading { () throws(StoreFault) in }
    }

    /// Whether another process committed since this one last looked.
    func wasChangedByOthers() throws(StoreFault) -> Bool {
        try connection.number("PRAGMA data_version") != dataVersion
    }

    // MARK: Transactions

    /// Runs `body` in a transaction that reads one state of the store throughout; in one for writing
    /// it is run as it is.
    func reading<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        if connection.isInTransaction { return try body() }
        return try connection.transact("BEGIN") { () throws(StoreFault) in
            try refresh()
            return try body()
        }
    }

    /// Runs `body` in a transaction that may change records and what the parts remember, which is
    /// written back at its end.
    func changing<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        try changing(deciding: { () throws(StoreFault) in .commit(try body()) })
    }

    /// Makes ready what has to be before anything of the file changes: the identity file says that the store is open.
    func prepareWriting() throws(StoreFault) {
        for part in parts { try part.prepareWriting() }
    }

    /// Runs `body` in such a transaction; it decides how the transaction ends.
    func changing<T>(
        deciding body: () throws(StoreFault) -> TransactionEnd<T>
    ) throws(StoreFault) -> T {
        try prepareWriting()
        var isCommitted = false
        var hasArrivals = false
        let result = try transactUnprepared(
            deciding: { () throws(StoreFault) -> TransactionEnd<T> in
                try refresh()
                let end = try body()
                if case .commit = end {
                    isCommitted = true
                    hasArrivals = try save()
                }
                return end
            })
        guard isCommitted else { return result }
        for part in parts { part.committed(hasArrivals: hasArrivals) }
        if hasArrivals { onChange?() }
        return result
    }

    /// Runs `body` in a transaction that changes tables which no part holds in memory, as an index.
    func changingTables<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        try prepareWriting()
        return try transactUnprepared(body)
    }

    /// Runs `body` in a transaction for writing that saves no part by itself; on any error nothing of
    /// it stays, on the disk or in memory.
    ///
    /// The caller does one of these: it writes into the identity file what holds after the transaction, it commits
    /// nothing, or it leaves a clone suspicion unresolved. Otherwise the identity file still says "sealed" although the
    /// store changed, and the store takes a new replica id at the next opening.
    func transactUnprepared<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        try transactUnprepared(deciding: { () throws(StoreFault) in .commit(try body()) })
    }

    /// Runs `body` in such a transaction; it decides how the transaction ends.
    func transactUnprepared<T>(
        deciding body: () throws(StoreFault) -> TransactionEnd<T>
    ) throws(StoreFault) -> T {
        if connection.isInTransaction { throw .nestedTransaction }
        let version = dataVersion
        for part in parts { part.begin() }
        do throws(StoreFault) {
            try connection.run("BEGIN IMMEDIATE")
            switch try body() {
            case .commit(let result):
                // SQLite itself ends a transaction that met a full disk, whatever `body` made of the error.
                if let fault = connection.lostTransaction() { throw fault }
                try connection.run("COMMIT")
                for part in parts { part.end() }
                return result
            case .rollBack(let result):
                rollBack(to: version)
                return result
            }
        } catch {
            rollBack(to: version)
            throw error
        }
    }

    private func rollBack(to version: Int64) {
        if connection.isInTransaction { try? connection.run("ROLLBACK") }
        dataVersion = version
        for part in parts {
            part.rollBack()
            part.end()
        }
    }

    /// Writes back what the parts remember; inside of a transaction.
    ///
    /// - Returns: whether records have changed.
    @discardableResult
    func save() throws(StoreFault) -> Bool {
        var hasArrivals = false
        for part in parts where try part.save() { hasArrivals = true }
        return hasArrivals
    }
}

/// How a transaction ends, and the value that it gives.
enum TransactionEnd<Value> {
    /// All of it stays.
    case commit(Value)
    /// Nothing of it stays, on the disk or in memory.
    case rollBack(Value)
}

/// A part of the store that holds something of its tables in memory, which follows the transactions.
protocol StorePart: AnyObject {
    /// Reads anew the part's memory of its tables, inside of a transaction.
    func load() throws(StoreFault)
    /// Does what has to precede a transaction that changes records.
    func prepareWriting() throws(StoreFault)
    /// Remembers the part's memory, as a transaction for writing begins.
    func begin()
    /// Writes back the part's memory.
    ///
    /// - Returns: whether records have changed.
    func save() throws(StoreFault) -> Bool
    /// Brings back the memory of `begin`.
    func rollBack()
    /// Forgets the memory of `begin`, as the transaction is over.
    func end()
    /// Takes note of a commit.
    ///
    /// - Parameter hasArrivals: whether records have changed.
    func committed(hasArrivals: Bool)
}

extension StorePart {
    func load() throws(StoreFault) {}
    func prepareWriting() throws(StoreFault) {}
    func begin() {}
    func save() throws(StoreFault) -> Bool { false }
    func rollBack() {}
    func end() {}
    func committed(hasArrivals: Bool) {}
}
