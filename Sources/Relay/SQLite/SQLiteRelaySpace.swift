import Core
import Storage

/// The file of one space at a relay: versions of records, never opened, by order of arrival.
///
/// A version whose clock is covered by another's is dropped; concurrent ones are kept. Nothing is known
/// of their contents. What a transaction wrote is on the disk when it returns.
package final class SQLiteRelaySpace: RelayTransaction {
    let connection: Connection
    let path: String
    let environment: StoreEnvironment
    /// The space.
    package let space: SpaceID
    var state: SQLiteRelayState
    /// The versions that this transaction has read.
    var knownVersions = SQLiteRelayVersions()
    /// How many versions were read to put others beside them, since the file was opened.
    package var readVersionCount: Int { knownVersions.readCount }

    /// Where the file of a space is.
    package static func path(of space: SpaceID, in folder: String) -> String {
        folder + "/" + space.hexadecimal + fileEnding
    }

    /// How the names of the files end.
    package static let fileEnding = ".relay"

    /// Which space the file of a name is of; nil if none.
    static func space(ofFile name: String) -> SpaceID? {
        guard name.hasSuffix(fileEnding), name.utf8.count == 32 + fileEnding.utf8.count else {
            return nil
        }
        return SpaceID(uuidText: name.dropLast(fileEnding.count))
    }

    private init(
        _ connection: Connection, path: String, space: SpaceID, environment: StoreEnvironment,
        state: SQLiteRelayState
    ) {
        self.connection = connection
        self.path = path
        self.space = space
        self.environment = environment
        self.state = state
    }

    // MARK: Opening

    /// The longest wait for another process that writes the file.
    private static let busyMilliseconds = 2000

    /// Opens the store of a space; nil if there is none, or its making was cut off.
    ///
    /// - Parameter mark: where this process left the store when it closed it: if it is still there, the
    ///   opening goes on and no new epoch is used up.
    package static func open(
        _ space: SpaceID, in folder: String, environment: StoreEnvironment,
        resuming mark: SQLiteRelayMark? = nil
    ) throws(StoreFault) -> SQLiteRelaySpace? {
        let path = path(of: space, in: folder)
        guard environment.disk.exists(path) else { return nil }
        let connection = try connect(path, environment, creates: false)
        do throws(StoreFault) {
            guard try SQLiteRelayMigrations.check(connection, path: path) else {
                connection.close()
                return nil
            }
            try prepare(connection)
            if try SQLiteRelayMigrations.isDue(on: connection) {
                try connection.execute("BEGIN IMMEDIATE")
                try SQLiteRelayMigrations.run(on: connection)
                try connection.execute("COMMIT")
            }
            var state = try SQLiteRelayState.load(from: connection, space: space, path: path)
            state.hasOwnEpoch = mark?.hasOwnEpoch == true && mark?.fits(state) == true
            return SQLiteRelaySpace(
                connection, path: path, space: space, environment: environment, state: state)
        } catch {
            connection.close()
            throw error
        }
    }

    /// Makes the store of a space, which must not be there.
    package static func make(
        _ space: SpaceID, generation: UInt32, verifier: [UInt8], in folder: String,
        environment: StoreEnvironment
    ) throws(StoreFault) -> SQLiteRelaySpace {
        let path = path(of: space, in: folder)
        let connection = try connect(path, environment, creates: true)
        do throws(StoreFault) {
            guard try !SQLiteRelayMigrations.check(connection, path: path) else {
                throw .storeExists(folder: path)
            }
            try prepare(connection)
            let store = SQLiteRelaySpace(
                connection, path: path, space: space, environment: environment,
                state: SQLiteRelayState(
                    relay: ReplicaID(value: environment.random128()), generation: generation,
                    verifier: verifier))
            try connection.execute("BEGIN IMMEDIATE")
            try SQLiteRelayMigrations.run(on: connection)
            try store.makeMeta()
            try store.addEpoch()
            try connection.execute("COMMIT")
            try environment.disk.flushFolder(of: path)
            return store
        } catch {
            connection.close()
            throw error
        }
    }

    private static func connect(
        _ path: String, _ environment: StoreEnvironment, creates: Bool
    ) throws(StoreFault) -> Connection {
        try Connection(
            path: path, on: environment.disk, creates: creates, busyMilliseconds: busyMilliseconds)
    }

    /// FULL: each transaction is on the disk when it returns.
    private static func prepare(_ connection: Connection) throws(StoreFault) {
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF;
            PRAGMA temp_store = MEMORY; PRAGMA cache_size = -1024;
            """)
    }

    /// Closes the file.
    package func close() {
        connection.close()
    }

    // MARK: What is known

    /// The id of the store of this space and generation; one made anew has another.
    package var relay: ReplicaID { state.relay }
    /// The generation of the space's secret; 0 without encryption.
    package var generation: UInt32 { state.generation }
    /// The key that devices prove to have; empty without encryption.
    package var verifier: [UInt8] { state.verifier }
    /// The opening in which the store speaks.
    package var epoch: EpochID { state.epoch }
    /// The last arrival number given; versions and summary rows share the numbers.
    package var sequence: UInt64 { state.sequence }
    /// The bytes of all versions and summary rows, as the quota counts them.
    package var byteCount: Int { state.byteCount }
    /// How many records there are.
    package var recordCount: Int { state.recordCount }
    /// How many versions there are.
    package var versionCount: Int { state.versionCount }
    /// Where the store stands, to go on after it was closed.
    package var mark: SQLiteRelayMark { SQLiteRelayMark(state) }

    // MARK: Transactions

    /// Runs a transaction; when it returns all is on the disk, and if it throws nothing was changed.
    package func transact<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        let before = state
        knownVersions.forgetAll()
        defer { knownVersions.forgetAll() }
        do throws(StoreFault) {
            try connection.run("BEGIN IMMEDIATE")
            let result = try body()
            if state != before { try saveMeta() }
            try connection.run("COMMIT")
            return result
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            state = before
            throw error
        }
    }

    /// The next arrival number, in an epoch of this opening.
    func nextSequence() throws(StoreFault) -> UInt64 {
        if !state.hasOwnEpoch { try addEpoch() }
        state.sequence += 1
        return state.sequence
    }

    func addEpoch() throws(StoreFault) {
        let epoch = RelayEpoch(
            bits: environment.drawBits(), firstSequence: state.sequence)
        let row = try connection.statement("INSERT INTO epoch(id, first_sequence) VALUES (?, ?)")
        row.bind(1, epoch.id.value)
        row.bind(2, epoch.firstSequence)
        try row.run()
        state.epochs.append(epoch)
        state.hasOwnEpoch = true
        if state.epochs.count > RelayEpoch.countMax {
            state.epochs.removeFirst()
            try connection.run("DELETE FROM epoch WHERE number = (SELECT min(number) FROM epoch)")
        }
    }

    /// Drops all that is kept but rekey messages, and begins with a new generation of the secret.
    package func begin(generation: UInt32, verifier: [UInt8]) throws(StoreFault) {
        try transact { () throws(StoreFault) in
            for table in ["version", "summary_row", "uploaded", "epoch", "device"] {
                try connection.run("DELETE FROM \(table)")
            }
            let rekeyMessages = state.rekeyMessages
            state = SQLiteRelayState(
                relay: ReplicaID(value: environment.random128()), generation: generation,
                verifier: verifier)
            state.rekeyMessages = rekeyMessages
            state.byteCount = rekeyMessages.reduce(0) {
                $0 + RelayQuota.byteCount(ofRekeyMessage: $1.byteCount)
            }
            try addEpoch()
        }
    }
}

/// The part of a space's file that is in memory.
struct SQLiteRelayState: Hashable, Sendable {
    /// The id of the store of this space and generation.
    var relay: ReplicaID
    /// The generation of the space's secret; 0 without encryption.
    var generation: UInt32
    /// The key that devices prove to have; empty without encryption.
    var verifier: [UInt8]
    /// The last arrival number given.
    var sequence: UInt64 = 0
    /// The bytes of all versions, summary rows and rekey messages.
    var byteCount = 0
    /// The sum of the hashes of all summary rows, modulo 2^128.
    var rowSum: UInt128 = 0
    /// How many records there are.
    var recordCount = 0
    /// How many versions there are.
    var versionCount = 0
    /// The rekey messages for devices with older secrets, oldest first.
    var rekeyMessages: [SQLiteRelayRekeyMessage] = []
    /// The openings known, oldest first; never empty.
    var epochs: [RelayEpoch] = []
    /// Whether the last of these is this opening's own.
    var hasOwnEpoch = false

    /// The opening in which the store speaks: until something is written, that of who wrote last.
    var epoch: EpochID { epochs.last?.id ?? EpochID(value: 3) }
}

/// Where a store stood when this process closed it.
///
/// A file that stands just there has not been put in place by anybody else.
package struct SQLiteRelayMark: Hashable, Sendable {
    private let relay: ReplicaID
    private let epoch: EpochID
    private let sequence: UInt64
    /// Whether the last epoch was this process's own.
    let hasOwnEpoch: Bool

    init(_ state: SQLiteRelayState) {
        relay = state.relay
        epoch = state.epoch
        sequence = state.sequence
        hasOwnEpoch = state.hasOwnEpoch
    }

    /// Whether the store is as it was.
    func fits(_ state: SQLiteRelayState) -> Bool {
        relay == state.relay && epoch == state.epoch && sequence == state.sequence
    }
}

/// The part of a rekey message that is in memory.
struct SQLiteRelayRekeyMessage: Hashable, Sendable {
    /// For whom it is, and what tells it from an earlier one.
    var mark: RekeyMessage.Mark
    /// The generation of the secret under which it is sealed.
    var generation: UInt32
    /// How long it is, in bytes.
    var byteCount: Int
}
