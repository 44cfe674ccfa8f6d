import CSQLite
import Core

/// One replica of a space, in a folder: the one door to its records.
///
/// A store belongs to one thread. Other processes may have the same store open; each write transaction
/// first looks whether one of them wrote.
package final class Store {
    /// Where the store is.
    package let paths: StorePaths
    /// The collections with columns, the one of device names first.
    package let collections: [CollectionSchema]
    /// Why the store took a new replica id when it was opened; nil if it kept the one it had.
    package internal(set) var doubt: IdentityDoubt?

    /// The space that the store is of.
    package var space: SpaceID { state.space }

    /// Who the store is, as far as this process has looked.
    package var replica: ReplicaID { state.replica }

    /// The last arrival number, as far as this process has looked.
    package var sequence: UInt64 { state.sequence }

    let connection: Connection
    let environment: StoreEnvironment
    let options: StoreOptions
    let codecs: [RowCodec]
    var smallCollections: SmallCollections
    /// What the change set that is being merged does to the number of live records.
    var arrivals: ArrivalCount?
    /// Where the journal ends; nil until a transaction has looked.
    var journalTail: JournalTail?
    var state = StoreState()
    let identity: IdentityGuard
    /// What SQLite's `data_version` was when the state in memory was read.
    private var dataVersion: Int64 = -1
    /// Whether no other process had the store open when this one opened it.
    private(set) var wasOpenedAlone = false
    /// Whether this process has seen to it that the stamp says "open".
    var isUnsealed = false
    /// The last arrival number that is known to be on the disk.
    var flushedSequence: UInt64 = 0
    /// How often this process brought the log to the disk before something left for a peer.
    package internal(set) var flushCount = 0
    /// How many statements of this process have looked records up by their ids.
    package internal(set) var lookupCount = 0
    /// What was fetched from relays and is not known to be with them by their own word.
    var fetched: [ReplicaID: Fetched] = [:]
    private var isClosed = false
    /// Whether the tables were brought in line with the schema.
    private var isAdopted = false

    /// Called after a commit of this process changed records.
    package var onChange: (() -> Void)?

    /// Called when this process first sees what another process committed.
    package var onForeignChange: (() -> Void)?

    /// The lowest-level way in: everything opened and checked, nothing loaded.
    private init(
        folder: String, schema: [CollectionSchema], environment: StoreEnvironment,
        options: StoreOptions, creates: Bool
    ) throws(StoreFault) {
        paths = StorePaths(folder: folder)
        self.environment = environment
        self.options = options
        collections = [.devices] + schema + [.foreign]
        codecs = collections.map(RowCodec.init)
        smallCollections = SmallCollections(count: collections.count)
        identity = try IdentityGuard(paths: paths, environment: environment)
        connection = try Connection(
            path: paths.database, on: environment.disk, creates: creates,
            busyMilliseconds: options.busyMilliseconds)
    }

    deinit {
        close()
    }

    // MARK: Making and opening

    /// Makes the store of a new space, or of a space that a peer told of.
    ///
    /// - Parameter deviceName: what the other devices call this one.
    package static func create(
        folder: String, schema: [CollectionSchema], space: SpaceID? = nil,
        policy: DeletePolicy = .deletesWin, deviceName: String, environment: StoreEnvironment,
        options: StoreOptions = StoreOptions()
    ) throws(StoreFault) -> Store {
        try environment.disk.makeFolder(folder)
        if try holdsOther(folder, on: environment.disk) { throw .storeExists(folder: folder) }
        let store = try Store(
            folder: folder, schema: schema, environment: environment, options: options,
            creates: true)
        let isAlone = try store.identity.enter()
        defer { if isAlone { store.identity.share() } }
        try store.prepare()
        try store.transact { () throws(StoreFault) in
            if try store.connection.number("SELECT count(*) FROM state") > 0 {
                throw .storeExists(folder: folder)
            }
            let space = space ?? SpaceID(value: environment.random128())
            try store.insertState(space, policy, deviceName)
            for collection in store.collections {
                try Migrations.makeTable(collection, on: store.connection)
            }
        }
        store.isAdopted = true
        try store.catchUp()
        try store.finishMaking()
        // A power cut that took the making back would leave something that looks like a damaged store.
        try store.connection.flushLog()
        return store
    }

    /// Whether there is anything in the folder but a store whose making was cut short.
    private static func holdsOther(
        _ folder: String, on disk: any StoreDisk
    ) throws(StoreFault) -> Bool {
        let path = StorePaths(folder: folder).database
        guard disk.exists(path) else { return false }
        do throws(StoreFault) {
            let connection = try Connection(
                path: path, on: disk, creates: false, busyMilliseconds: 0)
            try Migrations.check(connection, path: folder)
            if try connection.number("SELECT count(*) FROM sqlite_schema") == 0 { return false }
            return try connection.number("SELECT count(*) FROM state") > 0
        } catch {
            return true
        }
    }

    private func insertState(
        _ space: SpaceID, _ policy: DeletePolicy, _ deviceName: String
    )
        throws(StoreFault)
    {
        let row = try connection.statement(
            "INSERT INTO state VALUES (1, ?, ?, zeroblob(16), 0, ?)")
        row.bind(1, identifier: space.value)
        row.bind(2, Int64(policy.rawValue))
        row.bind(3, deviceName)
        try row.run()
        try StoreState.makeStoreRow(on: connection)
        state.space = space
        state.policy = policy
        state.deviceName = deviceName
        state.ownPlace = state.replicas.placeOrNew(of: ReplicaID(value: environment.random128()))
        try state.saveReplicas(to: connection)
    }

    /// Opens a store, and takes a new replica id if there is any doubt about who it is.
    package static func open(
        folder: String, schema: [CollectionSchema], environment: StoreEnvironment,
        options: StoreOptions = StoreOptions()
    ) throws(StoreFault) -> Store {
        guard environment.disk.exists(StorePaths(folder: folder).database) else {
            throw .noStore(folder: folder)
        }
        let store = try Store(
            folder: folder, schema: schema, environment: environment, options: options,
            creates: false)
        let isAlone = try store.identity.enter()
        defer { if isAlone { store.identity.share() } }
        store.wasOpenedAlone = isAlone
        try store.prepare()
        do throws(StoreFault) {
            try store.catchUp()
        } catch {
            guard try store.isUnmade() else { throw error }
            if store.identity.hasSeenWrites {
                throw .corrupt(
                    path: store.paths.database, detail: "it is empty, and was not when last used")
            }
            // Its making was cut short before there was anything in it: it can be made once more.
            throw .noStore(folder: folder)
        }
        if isAlone,
            let doubt = try store.identity.doubt(
                replica: store.state.replica, epoch: store.state.opening.epoch,
                counter: store.state.counter, sequence: store.state.sequence)
        {
            try store.adoptColumns(isInDoubt: true)
            try store.countParked()
            try store.checkPages(doubt)
            try store.takeNewIdentity(because: doubt)
        } else {
            try store.adoptColumns(isInDoubt: false)
        }
        store.isAdopted = true
        try store.countParked()
        try store.finishMaking()
        if isAlone { store.endKilledOpening() }
        try store.retryParked()
        if PlantedFault.tombstonesExpire.isPlanted {
            try store.changing { () throws(StoreFault) in try store.sweepTombstones() }
        }
        return store
    }

    /// Looks at the file before anything is written to it: what is no store stays as it was.
    private func prepare() throws(StoreFault) {
        try Migrations.check(connection, path: paths.database)
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = \(options.durability.rawValue);
            PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000;
            """)
        if options.pageCountMax > 0 {
            try connection.execute("PRAGMA max_page_count = \(options.pageCountMax)")
        }
        try Migrations.run(on: connection, path: paths.database)
    }

    /// After a copy or a restore the log beside the file may belong to another time: look before trusting.
    private func checkPages(_ doubt: IdentityDoubt) throws(StoreFault) {
        let result = try connection.text("PRAGMA quick_check(1)")
        if result != "ok" { throw .corrupt(path: paths.database, detail: result) }
        // What was put there by something else may fit together page by page and still be no state
        // that the store was ever in.
        if doubt == .powerCut { return }
        if let finding = try examine().first {
            throw .corrupt(path: paths.database, detail: finding)
        }
    }

    /// Closes the store; the last process to do so seals its stamp.
    ///
    /// Done by itself when let go.
    package func close() {
        if isClosed { return }
        isClosed = true
        let counter = prepareToSeal()
        // Closed before asking who is last: nobody writes to the file once the stamp is sealed.
        connection.close()
        if identity.leave(), let counter {
            // A stamp that cannot be sealed makes a later opening doubt: a new id, and nothing is lost.
            try? identity.seal(counter: counter, of: state.replica)
        }
        identity.release()
    }

    /// Lets go of the files as a killed process does: nothing is sealed, the log stays as it is.
    package func abandon() {
        if isClosed { return }
        isClosed = true
        connection.keepLog()
        connection.close()
        identity.release()
    }

    /// Brings the log to the disk if the stamp has to be sealed.
    ///
    /// - Returns: this replica's counter; nil if the stamp must stay as it is.
    private func prepareToSeal() -> UInt64? {
        // An opening that failed may have been in doubt: the next one has to find the same.
        guard isAdopted, identity.isStampOpen else { return nil }
        do throws(StoreFault) {
            try catchUp()
            try connection.flushLog()
            // A reader of another program may stay: it must find nothing left to write into the file.
            try connection.run("PRAGMA wal_checkpoint(PASSIVE)")
            return state.counter
        } catch {
            return nil
        }
    }

    // MARK: Transactions

    /// Reads the state anew; in one transaction, so that its parts fit each other.
    func reload() throws(StoreFault) {
        // The version first: what is committed after it was read is looked for again next time.
        let version = try connection.number("PRAGMA data_version")
        // A program with another schema may have taken the store over.
        if isAdopted, try !hasOwnColumns() { throw .schemaChanged }
        state = try StoreState.load(from: connection, path: paths.database)
        smallCollections.forget()
        if isAdopted { try countParked() }
        dataVersion = version
    }

    /// Reads the state anew if another process committed since; inside of a transaction.
    func refresh() throws(StoreFault) {
        let version = try connection.number("PRAGMA data_version")
        if version == dataVersion { return }
        try reload()
        onForeignChange?()
    }

    /// Takes note of what other processes committed.
    package func catchUp() throws(StoreFault) {
        if connection.isInTransaction { return }
        if try !wasChangedByOthers() { return }
        try reading { () throws(StoreFault) in }
    }

    /// Whether another process committed since this one last looked.
    package func wasChangedByOthers() throws(StoreFault) -> Bool {
        try connection.number("PRAGMA data_version") != dataVersion
    }

    /// Runs `body` in a transaction for writing; on any error nothing of it stays, on the disk or in memory.
    func transact<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        if connection.isInTransaction { throw .nestedTransaction }
        let before = (state, dataVersion)
        journalTail = nil
        do throws(StoreFault) {
            try connection.run("BEGIN IMMEDIATE")
            let result = try body()
            // SQLite itself ends a transaction that met a full disk, whatever `body` made of the error.
            if let fault = connection.lostTransaction() { throw fault }
            try connection.run("COMMIT")
            return result
        } catch {
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            (state, dataVersion) = before
            smallCollections.forget()
            throw error
        }
    }

    /// Runs `body` in a transaction that reads one state of the store throughout; in one for writing
    /// it is run as it is.
    func reading<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        if connection.isInTransaction { return try body() }
        do throws(StoreFault) {
            try connection.run("BEGIN")
            try refresh()
            let result = try body()
            try connection.run("COMMIT")
            return result
        } catch {
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body` in a transaction that may change the state, which is written back at its end.
    func changing<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        try openForWriting()
        var before: UInt64 = 0
        let result = try transact { () throws(StoreFault) -> T in
            try refresh()
            before = state.sequence
            let result = try body()
            try state.save(to: connection)
            return result
        }
        // A commit that flushes brings all earlier ones to the disk as well.
        if options.durability == .full { flushedSequence = state.sequence }
        if state.sequence != before {
            identity.note(sequence: state.sequence)
            onChange?()
        }
        return result
    }

    /// Edits records: all of it or nothing.
    ///
    /// - Throws: what `body` throws, or a `StoreFault`; nothing was written then.
    @discardableResult
    package func write<T, Fault: Error>(
        _ body: (Transaction) throws(Fault) -> T
    ) throws -> T {
        var failure: Fault?
        var result: T?
        do throws(StoreFault) {
            try changing { () throws(StoreFault) in
                let transaction = Transaction(self)
                do throws(Fault) {
                    result = try body(transaction)
                } catch {
                    failure = error
                    throw .closed
                }
                try transaction.finish()
            }
        } catch {
            if let failure { throw failure }
            throw error
        }
        guard let result else { throw StoreFault.closed }
        return result
    }

    /// Edits records, where only the store itself can fail.
    @discardableResult
    package func edit<T>(_ body: (Transaction) throws(StoreFault) -> T) throws(StoreFault) -> T {
        try changing { () throws(StoreFault) in
            let transaction = Transaction(self)
            let result = try body(transaction)
            try transaction.finish()
            return result
        }
    }
}
