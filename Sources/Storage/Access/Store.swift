import CSQLite
import Core

/// One replica of a space, in a folder: the one door to its records.
///
/// A store belongs to one thread. Other processes may have the same store open; each write transaction
/// first looks whether one of them wrote. The tables and what is remembered of them belong to its parts.
package final class Store {
    let database: Database
    let identity: CloneDetector
    let knowledge: Knowledge
    let incarnations: Incarnations
    let records: Records
    let counts: RecordCounts
    let search: SearchIndex
    let schemaAdoption: SchemaAdoption
    let deferred: DeferredChanges
    let checkpoints: PeerCheckpoints
    let metadata: LocalMetadata
    let outgoing: OutgoingCheckpoints
    let unopened: UnopenedVersions
    let summaryRows: SummaryRows
    let lacks: RelayLacks
    let members: SpaceMembers
    let purgedCopies: PurgedCopies
    /// The journal of visible changes.
    package let journal: Journal
    let queries: RecordQueries
    private(set) lazy var reader = ChangeReader(self)
    private(set) lazy var deleteGuard = MassDeleteGuard(self)
    private(set) lazy var refusals = DeleteRefusals(self)
    private(set) lazy var takeBacks = TakeBackMarks(self)
    private(set) lazy var revokedKeys = RevokedKeys(self)
    private(set) lazy var forks = ForkMarks(self)
    private(set) lazy var origins = ReplicaOrigins(self)
    private(set) lazy var heldChanges = HeldChanges(self)
    private(set) lazy var integrator = Integrator(self)
    private(set) lazy var joiner = StateSummaryJoiner(self)
    private(set) lazy var rowJoiner = SummaryRowJoiner(self)
    private(set) lazy var replicaIdentity = ReplicaIdentity(self)
    private(set) lazy var maintenance = Maintenance(self)
    private(set) lazy var copies = Snapshots(self)
    private var isClosed = false

    /// The files of the store.
    package var paths: StorePaths { database.paths }
    /// The collections with columns, the one of device names first.
    package var collections: [CollectionSchema] { database.collections }
    /// The space that the store is of.
    package var space: SpaceID { knowledge.space }
    /// The replica that the store is, as far as this process has looked.
    package var replica: ReplicaID { knowledge.replica }
    /// The last arrival number, as far as this process has looked.
    package var sequence: UInt64 { knowledge.sequence }

    /// Called after a commit of this process changed records.
    package var onChange: (() -> Void)? {
        get { database.onChange }
        set { database.onChange = newValue }
    }

    /// Called when this process first sees what another process committed.
    package var onForeignChange: (() -> Void)? {
        get { database.onForeignChange }
        set { database.onForeignChange = newValue }
    }

    /// The lowest-level way in: everything opened and checked, nothing loaded.
    private init(
        folder: String, schema: [CollectionSchema], environment: StoreEnvironment,
        options: StoreOptions, creates: Bool
    ) throws(StoreFault) {
        let paths = StorePaths(folder: folder)
        try environment.disk.refuseUntrusted([paths.identityFile])
        identity = try CloneDetector(paths: paths, environment: environment)
        database = try Database(
            paths: paths, collections: [.devices] + schema + [.foreign], environment: environment,
            options: options, creates: creates)
        knowledge = Knowledge(database)
        incarnations = Incarnations(database, knowledge, identity)
        counts = RecordCounts(database)
        search = SearchIndex(database, counts)
        records = Records(database, knowledge, counts, search)
        journal = Journal(database, knowledge)
        queries = RecordQueries(database, records, search)
        schemaAdoption = SchemaAdoption(database, knowledge, records)
        deferred = DeferredChanges(database, knowledge, records)
        checkpoints = PeerCheckpoints(database, knowledge)
        metadata = LocalMetadata(database)
        outgoing = OutgoingCheckpoints(database, metadata)
        unopened = UnopenedVersions(database, knowledge)
        summaryRows = SummaryRows(database, knowledge)
        lacks = RelayLacks(database, metadata)
        members = SpaceMembers(database, knowledge, records)
        purgedCopies = PurgedCopies(database)
        database.attach(
            [
                schemaAdoption, knowledge, counts, incarnations, deferred, journal, purgedCopies,
                search,
            ])
    }

    deinit {
        close()
    }

    // MARK: Making and opening

    /// Makes the store of a new space, or of a space that a peer told of.
    ///
    /// - Parameters:
    ///   - deviceName: the name of this device on the others.
    ///   - localEntry: an empty entry of the local metadata that the store has from its first moment.
    package static func create(
        folder: String, schema: [CollectionSchema], space: SpaceID? = nil,
        policy: DeletePolicy = .deletesWin, deviceName: String, environment: StoreEnvironment,
        options: StoreOptions = StoreOptions(),
        localEntry: (namespace: String, name: String)? = nil
    ) throws(StoreFault) -> Store {
        try environment.disk.makeFolder(folder)
        if try holdsOther(folder, on: environment.disk) { throw .storeExists(folder: folder) }
        let wasThere = environment.disk.exists(StorePaths(folder: folder).database)
        let store = try Store(
            folder: folder, schema: schema, environment: environment, options: options,
            creates: true)
        let isAlone = try store.identity.enter()
        defer { if isAlone { store.identity.share() } }
        let database = store.database
        try database.prepare()
        try database.transactUnprepared { () throws(StoreFault) in
            if try store.knowledge.isCreated() {
                throw .storeExists(folder: folder)
            }
            if wasThere { try store.maintenance.refuseIfEmptied() }
            let space = space ?? SpaceID(value: environment.random128())
            try store.knowledge.create(space, policy, deviceName: deviceName)
            for collection in database.collections {
                try Migrations.makeTable(collection, on: database.connection)
            }
            if let localEntry {
                try store.metadata.set([], named: localEntry.name, in: localEntry.namespace)
            }
            // A process that is killed between the commit and the first write leaves a store that knows its id.
            // Its id was drawn just now, and marks the file as well.
            try store.identity.writeIdentityFile(
                store.ownState, mark: store.replica.hexadecimal)
        }
        database.isAdopted = true
        try database.catchUp()
        try store.finishMaking()
        // A power cut that took the making back would leave something that looks like a damaged store.
        try database.connection.flushLog()
        return store
    }

    /// Opens a store, and takes a new replica id if there is a clone suspicion.
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
        store.incarnations.wasOpenedAlone = isAlone
        try store.database.prepare()
        try store.loadFirst()
        try store.adoptTables(isAlone: isAlone)
        try store.finishMaking()
        if isAlone { store.incarnations.endKilledIncarnation() }
        try store.integrator.retryDeferred()
        return store
    }

    /// Loads the parts for the first time.
    private func loadFirst() throws(StoreFault) {
        do throws(StoreFault) {
            try database.catchUp()
        } catch {
            guard try maintenance.isUnmade() else { throw error }
            try maintenance.refuseIfEmptied()
            // Its making was cut short before there was anything in it: it can be made once more.
            throw .noStore(folder: paths.folder)
        }
    }

    /// Brings the tables in line with the schema; with a clone suspicion, takes a new id unless it is to keep its own.
    private func adoptTables(isAlone: Bool) throws(StoreFault) {
        let suspicion =
            isAlone ? try identity.suspicion(ownState) : nil
        let takesNew = suspicion != nil && !database.options.keepsReplica
        try schemaAdoption.adopt(writingIn: takesNew ? nil : incarnations)
        try deferred.recount()
        if let suspicion {
            try maintenance.checkPages(suspicion)
            if takesNew { try replicaIdentity.adoptNew(because: suspicion) }
        }
        database.isAdopted = true
        // Taking a new id reads the state again if another program committed meanwhile.
        if suspicion != nil { try deferred.recount() }
    }

    /// The store's standing, for the identity file beside it.
    var ownState: OwnState { OwnState(knowledge, incarnations) }

    /// Tells the other devices the name of this one, as the first write of all; a store whose
    /// making was cut short right before it catches up on it.
    private func finishMaking() throws(StoreFault) {
        if sequence > 0 { return }
        let name = knowledge.deviceName
        try edit { transaction throws(StoreFault) in try transaction.nameDevice(name) }
    }

    // MARK: Closing

    /// Closes the store; the last process to do so seals its identity file.
    ///
    /// Done by itself when let go.
    package func close() {
        if isClosed { return }
        isClosed = true
        let counter = prepareToSeal()
        // A file that changes behind a sealed identity file raises a suspicion: neither an opening that failed folds the log, nor
        // one that wrote nothing but an upgrade of the tables. The next one that writes opens the identity file and does.
        let hasCommits = database.connection.logByteCount > Connection.logHeadByteCount
        let isSealed = hasCommits && !identity.isIdentityFileOpen
        if !database.isAdopted || isSealed { database.connection.keepLog() }
        // Closed before asking who is last: nobody writes to the file once the identity file is sealed.
        database.close()
        if identity.leave(), let counter, emptyForeignLog() {
            // An identity file that cannot be sealed raises a suspicion at a later opening: a new id, and nothing is lost.
            try? identity.seal(counter: counter, of: replica)
        }
        identity.release()
    }

    /// Empties a log that stayed: another process committed while this one closed, and was killed, or a reader of another
    /// program has the file open.
    ///
    /// Else whoever closes the store next would bring it into the file, behind a sealed identity file.
    /// - Returns: whether there is no log any more; the identity file stays open else.
    private func emptyForeignLog() -> Bool {
        let disk = database.environment.disk
        guard disk.byteCount(of: paths.database + "-wal") > 0 else { return true }
        do throws(StoreFault) {
            let connection = try Connection(
                path: paths.database, on: disk, creates: false, busyMilliseconds: 0)
            defer { connection.close() }
            return try connection.emptyLog()
        } catch {
            return false
        }
    }

    /// Lets go of the files as a killed process does: nothing is sealed, the log stays as it is.
    package func abandon() {
        if isClosed { return }
        isClosed = true
        database.connection.keepLog()
        database.close()
        identity.release()
    }

    /// Brings the log to the disk if the identity file has to be sealed.
    ///
    /// - Returns: this replica's counter; nil if the identity file must stay as it is.
    private func prepareToSeal() -> UInt64? {
        // An opening that failed may have had a suspicion: the next one has to find the same.
        guard database.isAdopted, identity.isIdentityFileOpen else { return nil }
        do throws(StoreFault) {
            try database.catchUp()
            // A reader of another program may stay: it must find nothing left to write into the file.
            if try !database.connection.foldLog() { try database.connection.flushLog() }
            return knowledge.counter
        } catch {
            return nil
        }
    }

    // MARK: Transactions

    /// Takes note of what other processes committed.
    package func catchUp() throws(StoreFault) { try database.catchUp() }

    /// Whether another process committed since this one last looked.
    package func wasChangedByOthers() throws(StoreFault) -> Bool {
        try database.wasChangedByOthers()
    }

    /// Runs `body` in a transaction that reads one state of the store throughout; in one for writing
    /// it is run as it is.
    package func reading<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        try database.reading(body)
    }

    /// Runs `body` in a transaction that may change records and what the parts remember.
    func changing<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        try database.changing(body)
    }

    /// Edits records: all of it or nothing.
    ///
    /// - Throws: the error of `body`, or a `StoreFault`; nothing was written then.
    @discardableResult
    package func write<T, Fault: Error>(
        _ body: (Transaction) throws(Fault) -> T
    ) throws -> T {
        let result = try database.changing(
            deciding: { () throws(StoreFault) -> TransactionEnd<Result<T, Fault>> in
                let transaction = Transaction(self)
                do throws(Fault) {
                    let result = try body(transaction)
                    transaction.finish()
                    return .commit(.success(result))
                } catch {
                    return .rollBack(.failure(error))
                }
            })
        return try result.get()
    }

    /// Edits records, where only the store itself can fail.
    @discardableResult
    package func edit<T>(_ body: (Transaction) throws(StoreFault) -> T) throws(StoreFault) -> T {
        try database.changing { () throws(StoreFault) in
            let transaction = Transaction(self)
            let result = try body(transaction)
            transaction.finish()
            return result
        }
    }

    /// Makes edits, lets them be looked at, and takes them all back: nothing of them is written.
    ///
    /// The result is of the very code that would do it. No id, epoch or write number is used up, and
    /// nobody is told of a change.
    package func rehearse<T>(
        _ body: (Transaction) throws(StoreFault) -> T
    ) throws(StoreFault) -> T {
        try database.transactUnprepared(
            deciding: { () throws(StoreFault) in
                try database.refresh()
                return .rollBack(try body(Transaction(self)))
            })
    }
}
