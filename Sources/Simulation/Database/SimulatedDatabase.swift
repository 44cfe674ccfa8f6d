import Core
import Relay
import Storage

/// A database that relays share, as a server that may die has it: a log of transactions, each visible from its commit on,
/// and a standby that may lack the last of them.
///
/// It promises what relays ask of a real one and no more: the row of a space is locked to the end of a transaction that
/// writes it, a reading sees the transactions that were committed at one moment, and whoever connects to a server
/// learns by its origin whether it is the one of before, in the state in which that was started.
package final class SimulatedDatabase {
    /// A transaction in the log.
    struct Transaction {
        /// When it is committed; milliseconds of the world.
        let time: Int64
        /// The space that it writes.
        let space: SpaceID
        /// The rows of a space that was made by it, or made anew; nil if it changes a space.
        let made: DatabaseSpace?
        /// The rows that it changes.
        let rows: [DatabaseSpace.Row]
    }

    /// A number that was given.
    struct Number: Hashable {
        let relay: ReplicaID
        let epoch: EpochID
        let sequence: UInt64
    }

    /// Its name in the scenario.
    let name: String
    /// The most records of one space; nil for as many as usual.
    var recordCountMax: Int?
    /// How many records the scenario's space had when it was last judged.
    var judgedRecordCount = 0
    /// What each number was ever seen to name.
    var named: [Number: UInt128] = [:]
    /// The transactions, by the time of their commit.
    private(set) var log: [Transaction] = []
    /// Counts the starts of servers: each is another origin.
    private(set) var origin = 1
    /// How many of the transactions the standby has; nil if it has all.
    private(set) var standbyCount: Int?
    /// The transactions that were put aside, by the names of backups.
    private var backups: [String: [Transaction]] = [:]
    private var openingCount = 0
    /// How long the row of each space is locked.
    private var lockedUntil: [SpaceID: Int64] = [:]
    private let now: () -> Int64

    /// All spaces after a number of transactions, the last that was asked for.
    private var cache: (count: Int, spaces: [SpaceID: DatabaseSpace]) = (0, [:])

    /// An empty database.
    ///
    /// - Parameter now: milliseconds of the world.
    package init(_ name: String, now: @escaping () -> Int64) {
        self.name = name
        self.now = now
    }

    /// Milliseconds of the world.
    var time: Int64 { now() }

    /// Counts one more opening of a store.
    func open() -> Int {
        openingCount += 1
        return openingCount
    }

    // MARK: Transactions

    /// All spaces, with what was committed by a time.
    func spaces(at time: Int64) -> [SpaceID: DatabaseSpace] {
        let count = log.firstIndex { $0.time > time } ?? log.count
        if count < cache.count { cache = (0, [:]) }
        for transaction in log[cache.count..<count] {
            if let made = transaction.made { cache.spaces[transaction.space] = made }
            for row in transaction.rows { cache.spaces[transaction.space]?.apply(row) }
        }
        cache.count = count
        return cache.spaces
    }

    /// When the row of a space is free for who asks for it at a time.
    func unlocked(_ space: SpaceID, at time: Int64) -> Int64 {
        max(time, lockedUntil[space] ?? time)
    }

    /// Commits a transaction, whose locks end with it.
    func commit(_ transaction: Transaction) {
        lockedUntil[transaction.space] = max(
            transaction.time, lockedUntil[transaction.space] ?? transaction.time)
        let index = log.lastIndex { $0.time <= transaction.time }.map { $0 + 1 } ?? 0
        if index < cache.count { cache = (0, [:]) }
        log.insert(transaction, at: index)
    }

    // MARK: Standby

    /// The standby gets nothing from now on, until it catches up.
    package func keepStandbyBack() {
        if standbyCount == nil { standbyCount = log.count { $0.time <= time } }
    }

    /// The standby has all, and gets what comes.
    func catchUp() {
        standbyCount = nil
    }

    /// The standby takes the place of the server that died.
    ///
    /// - Returns: how many transactions are lost.
    @discardableResult
    package func promote() -> Int {
        let kept = standbyCount ?? log.count
        let lost = log.count - kept
        goOn(with: Array(log.prefix(kept)))
        return lost
    }

    /// Keeps what there is under a name.
    func backUp(as name: String) {
        backups[name] = log.filter { $0.time <= time }
    }

    /// Another server goes on with what was kept under a name; false if nothing was.
    func restore(_ name: String) -> Bool {
        guard let backup = backups[name] else { return false }
        goOn(with: backup)
        return true
    }

    /// Another server goes on with nothing.
    func empty() {
        goOn(with: [])
    }

    private func goOn(with log: [Transaction]) {
        self.log = log
        origin += 1
        standbyCount = nil
        lockedUntil = [:]
        cache = (0, [:])
    }
}
