import CSQLite
import Causality
import Merge
import Records
import Wire

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

    let connection: Connection
    let environment: StoreEnvironment
    let options: StoreOptions
    let codecs: [RowCodec]
    let insertStatements: [String]
    let updateStatements: [String]
    var state = StoreState()
    private let identity: IdentityGuard
    private var dataVersion: Int64 = -1
    /// Whether this process has seen to it that the stamp says "open".
    private var isUnsealed = false
    /// The last arrival number that is known to be on the disk.
    private var flushedSequence: UInt64 = 0
    private var isClosed = false

    /// Called after a commit of this process changed records.
    package var onChange: (() -> Void)?

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
        insertStatements = collections.map { schema in
            let marks = Array(repeating: "?", count: 7 + schema.fields.count)
            return """
                INSERT INTO \(schema.table)(\(Self.columns(schema)))
                VALUES (\(marks.joined(separator: ", "))) ON CONFLICT(id) DO NOTHING
                """
        }
        updateStatements = collections.map { schema in
            let columns = RowCodec.fixedColumns + schema.fields.map(\.column)
            let sets = columns.map { "\($0) = ?" }.joined(separator: ", ")
            return "UPDATE \(schema.table) SET \(sets) WHERE sequence = ?"
        }
        identity = try IdentityGuard(paths: paths, environment: environment)
        connection = try Connection(
            path: paths.database, creates: creates, busyMilliseconds: options.busyMilliseconds)
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
        try StoreFolder.make(folder)
        if StoreFolder.holdsStore(folder) { throw .storeExists(folder: folder) }
        let store = try Store(
            folder: folder, schema: schema, environment: environment, options: options,
            creates: true)
        let isAlone = try store.identity.enter()
        defer { if isAlone { store.identity.share() } }
        try store.prepare()
        try store.transact { () throws(StoreFault) in
            let space = space ?? SpaceID(value: environment.random128())
            try store.insertState(space, policy, deviceName)
            for collection in store.collections {
                _ = try Migrations.makeTable(collection, on: store.connection)
            }
        }
        store.dataVersion = try store.connection.number("PRAGMA data_version")
        try store.edit { transaction throws(StoreFault) in try transaction.nameDevice(deviceName) }
        return store
    }

    private func insertState(_ space: SpaceID, _ policy: DeletePolicy, _ deviceName: String)
        throws(StoreFault)
    {
        let row = try connection.statement(
            "INSERT INTO state VALUES (1, ?, ?, zeroblob(16), 0, 0, zeroblob(16), 0, ?)")
        row.bind(1, identifier: space.value)
        row.bind(2, Int64(policy.rawValue))
        row.bind(3, deviceName)
        try row.run()
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
        guard StoreFolder.holdsStore(folder) else { throw .noStore(folder: folder) }
        let store = try Store(
            folder: folder, schema: schema, environment: environment, options: options,
            creates: false)
        let isAlone = try store.identity.enter()
        defer { if isAlone { store.identity.share() } }
        try store.prepare()
        try store.reload()
        if isAlone, let doubt = try store.identity.doubt(
            replica: store.state.replica, epoch: store.state.opening.epoch,
            counter: store.state.counter)
        {
            try store.checkPages()
            try store.adoptColumns()
            try store.takeNewIdentity(because: doubt)
        } else {
            try store.adoptColumns()
        }
        try store.retryParked()
        return store
    }

    private func prepare() throws(StoreFault) {
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
    private func checkPages() throws(StoreFault) {
        let result = try connection.text("PRAGMA quick_check(1)")
        if result != "ok" { throw .corrupt(path: paths.database, detail: result) }
    }

    /// Closes the store; the last process to do so seals its stamp. Done by itself when let go.
    package func close() {
        if isClosed { return }
        isClosed = true
        let isLast = identity.leave()
        let (replica, epoch, counter) = (state.replica, state.opening.epoch, state.counter)
        let mustSeal = isLast && isStampOpen
        connection.close()
        // A stamp that cannot be sealed makes the next opening doubt: a new id, and nothing is lost.
        if mustSeal {
            try? identity.stamp(
                replica: replica, epoch: epoch, next: nil, counter: counter, isSealed: true)
        }
        identity.release()
    }

    private var isStampOpen: Bool {
        guard let bytes = FileBytes.read(paths.stamp),
            let stamp = IdentityStamp(text: String(decoding: bytes, as: UTF8.self))
        else { return false }
        return stamp.sealed == nil
    }

    // MARK: Transactions

    /// Reads the state anew.
    func reload() throws(StoreFault) {
        state = try StoreState.load(from: connection, path: paths.database)
        dataVersion = try connection.number("PRAGMA data_version")
    }

    /// Reads the state anew if another process committed since.
    func refresh() throws(StoreFault) {
        let version = try connection.number("PRAGMA data_version")
        if version != dataVersion { try reload() }
    }

    /// Takes note of what other processes committed.
    package func catchUp() throws(StoreFault) {
        try refresh()
    }

    /// Whether another process committed since this one last looked.
    package func wasChangedByOthers() throws(StoreFault) -> Bool {
        try connection.number("PRAGMA data_version") != dataVersion
    }

    /// Runs `body` in a transaction for writing; on any error nothing of it stays.
    func transact<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreFault) {
            let result = try body()
            try connection.execute("COMMIT")
            return result
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body` in a transaction that reads one state of the store throughout.
    func reading<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        try connection.execute("BEGIN")
        do throws(StoreFault) {
            try refresh()
            let result = try body()
            try connection.execute("COMMIT")
            return result
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body` in a transaction that may change the state, which is written back at its end.
    func changing<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        let before = state.sequence
        try openForWriting()
        do throws(StoreFault) {
            let result = try transact { () throws(StoreFault) -> T in
                try refresh()
                let result = try body()
                try state.save(to: connection)
                return result
            }
            if state.sequence != before { onChange?() }
            return result
        } catch {
            // What `body` did to the state in memory is undone with the transaction.
            if connection.isOpen { try reload() }
            throw error
        }
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

    // MARK: Opening for writing

    /// Before the first write of this process: the stamp says "open", and there is an epoch to write in.
    ///
    /// The stamp comes first and names the epoch to come, so that a crash between the two raises no doubt.
    private func openForWriting() throws(StoreFault) {
        if isUnsealed, !state.epochs.isEmpty { return }
        // Inside a transaction, so that two processes never put their stamps in place at once.
        try transact { () throws(StoreFault) in
            try refresh()
            let needsEpoch =
                state.epochs.isEmpty || (state.epochs.last?.isNamed == true && !isStampOpen)
            guard needsEpoch else { return try rewriteStamp() }
            let next = EpochID(value: environment.drawBits() | 1)
            try rewriteStamp(next: next)
            try addEpoch(next)
        }
    }

    /// Says in the stamp who the store is now, and that it is open.
    func rewriteStamp(next: EpochID? = nil) throws(StoreFault) {
        try identity.stamp(
            replica: state.replica, epoch: state.opening.epoch, next: next,
            counter: state.counter, isSealed: false)
        isUnsealed = true
    }

    /// The most openings that are remembered.
    package static let epochCountMax = 256

    /// Begins a new epoch.
    func addEpoch(_ id: EpochID) throws(StoreFault) {
        let row = try connection.statement(
            """
            INSERT INTO epoch(id, first_sequence, first_counter, replica, named)
            VALUES (?, ?, ?, ?, 0) RETURNING number
            """)
        row.bind(1, id.value)
        row.bind(2, state.sequence)
        row.bind(3, state.counter)
        row.bind(4, Int64(state.ownPlace))
        guard try row.step() else { return }
        let number = row.int(0)
        row.reset()
        state.epochs.append(
            StoreState.Epoch(
                number: number, id: id, firstSequence: state.sequence,
                firstCounter: state.counter, isNamed: false))
        if state.epochs.count > Self.epochCountMax {
            let old = try connection.statement("DELETE FROM epoch WHERE number = ?")
            old.bind(1, state.epochs.removeFirst().number)
            try old.run()
        }
    }

    /// Sees to it that the present epoch exists and is marked as heard of by peers.
    func nameEpoch() throws(StoreFault) {
        try refresh()
        if isUnsealed, state.epochs.last?.isNamed == true { return }
        try changing { () throws(StoreFault) in
            guard let last = state.epochs.indices.last, !state.epochs[last].isNamed else { return }
            let row = try connection.statement("UPDATE epoch SET named = 1 WHERE number = ?")
            row.bind(1, state.epochs[last].number)
            try row.run()
            state.epochs[last].isNamed = true
        }
        flushedSequence = 0
        try connection.flushLog()
    }

    /// Brings everything that was committed to the disk, unless it is there already.
    func flush() throws(StoreFault) {
        if options.durability == .full || flushedSequence == state.sequence { return }
        try connection.flushLog()
        flushedSequence = state.sequence
    }

    /// Forces the next `flush` to flush, after something else than a record was written.
    func forgetFlush() {
        flushedSequence = 0
    }
}
