import Core
import Relay
import Storage

/// A database that relays share, as a server that may die has it: a log of transactions, in the order of their commits, and
/// a standby that may lack the last of them.
///
/// It promises what relays ask of a real one and no more: the row of a space is locked to the end of a transaction that
/// writes it, a reading sees the transactions that were committed at one moment, and whoever connects to a server
/// learns by its origin whether it is the one of before, in the state in which that was started.
package final class SimulatedDatabase {
    /// The rows that a transaction writes.
    struct Written {
        /// A space that is made by it, or made anew; nil if it changes one that is there.
        var made: DatabaseSpace?
        /// The rows that it changes then.
        var rows: [DatabaseSpace.Row] = []

        var isEmpty: Bool { made == nil && rows.isEmpty }
    }

    /// A transaction in the log.
    private struct Committed {
        let space: SpaceID
        let written: Written
    }

    /// A transaction that writes: it waits for the lock of a space, holds it, commits, and lets go of it.
    final class Writing {
        let space: SpaceID
        let owner: ObjectIdentifier
        /// How long it stays open with the lock; milliseconds.
        let milliseconds: Int64
        /// Gives its rows, for the spaces as they are when it has the lock.
        let decide: ([SpaceID: DatabaseSpace]) -> Written
        /// Takes whether it came to its end: if not, the server is gone.
        let end: (_ isCommitted: Bool) -> Void
        fileprivate var written = Written()
        /// The limit by which it was decided.
        fileprivate var recordCountMax: Int?

        init(
            _ space: SpaceID, by owner: AnyObject, open milliseconds: Int64,
            _ decide: @escaping ([SpaceID: DatabaseSpace]) -> Written,
            end: @escaping (_ isCommitted: Bool) -> Void
        ) {
            self.space = space
            self.owner = ObjectIdentifier(owner)
            self.milliseconds = milliseconds
            self.decide = decide
            self.end = end
        }
    }

    /// A number that was given.
    struct Number: Hashable {
        let relay: ReplicaID
        let epoch: EpochID
        let sequence: UInt64
    }

    /// Its name in the scenario.
    let name: String
    /// Has something happen so many milliseconds later.
    let later: (Int64, @escaping () -> Void) -> Void
    /// All spaces, as they are after the last commit.
    private(set) var spaces: [SpaceID: DatabaseSpace] = [:]
    /// Counts the starts of servers: each is another origin.
    private(set) var origin = 1
    /// The heads that spaces had until they were made anew, or another server took the place of theirs, in order.
    private(set) var formerHeads: [SpaceID: [DatabaseSpace.Head]] = [:]
    /// The most records of one space; nil for as many as usual.
    var recordCountMax: Int?
    /// Whether there was ever such a limit.
    var wasLimited = false
    /// How many records the scenario's space had when it was last judged.
    var judgedRecordCount = 0
    /// A hash of the thing that each number was ever seen to name.
    var named: [Number: UInt128] = [:]

    private var log: [Committed] = []
    /// How many of the transactions the standby has; nil if it has all.
    private var standbyCount: Int?
    /// The logs that were put aside, by the names of backups.
    private var backups: [String: [Committed]] = [:]
    private var openingCount = 0
    /// The transactions that hold the lock of a space or wait for it, the holder first.
    private var writings: [SpaceID: [Writing]] = [:]

    /// An empty database.
    ///
    /// - Parameter later: has something happen so many milliseconds later.
    package init(_ name: String, later: @escaping (Int64, @escaping () -> Void) -> Void) {
        self.name = name
        self.later = later
    }

    /// Counts one more opening of a store.
    func open() -> Int {
        openingCount += 1
        return openingCount
    }

    // MARK: Transactions

    /// Begins a transaction, which waits until the row of its space is free.
    func begin(_ writing: Writing) {
        writings[writing.space, default: []].append(writing)
        if writings[writing.space]?.first === writing { hold(writing) }
    }

    private func hold(_ writing: Writing) {
        writing.written = writing.decide(spaces)
        writing.recordCountMax = recordCountMax
        if writing.written.isEmpty || writing.milliseconds == 0 { return commit(writing) }
        later(writing.milliseconds) { [weak self] in
            // It may have been rolled back meanwhile.
            guard let self, writings[writing.space]?.first === writing else { return }
            commit(writing)
        }
    }

    private func commit(_ writing: Writing) {
        commit(writing.written, to: writing.space)
        // It was decided by the limit of its beginning.
        if writing.recordCountMax != recordCountMax {
            judgedRecordCount = max(
                judgedRecordCount, spaces[writing.space]?.head.recordCount ?? 0)
        }
        writing.end(true)
        leave(writing)
    }

    /// Commits rows at once, whoever waits.
    func commit(_ written: Written, to space: SpaceID) {
        if written.isEmpty { return }
        if written.made != nil, let former = spaces[space] { leaveBehind(former, of: space) }
        log.append(Committed(space: space, written: written))
        apply(written, to: space)
    }

    private func apply(_ written: Written, to space: SpaceID) {
        if let made = written.made { spaces[space] = made }
        for row in written.rows { spaces[space]?.apply(row) }
    }

    private func leaveBehind(_ rows: DatabaseSpace, of space: SpaceID) {
        formerHeads[space, default: []].append(rows.head)
    }

    /// The next transaction of the space has the lock.
    private func leave(_ writing: Writing) {
        let isHolder = writings[writing.space]?.first === writing
        writings[writing.space]?.removeAll { $0 === writing }
        if isHolder, let next = writings[writing.space]?.first { hold(next) }
    }

    /// Commits the transactions of a relay at once, and before them those for whose locks they wait.
    func hurry(_ owner: AnyObject) {
        for writing in writings(of: owner) {
            while let first = writings[writing.space]?.first,
                writings[writing.space]?.contains(where: { $0 === writing }) == true
            {
                commit(first)
            }
        }
    }

    /// Rolls back the transactions of a relay that is no more.
    func rollBack(_ owner: AnyObject) {
        for writing in writings(of: owner) { leave(writing) }
    }

    private func writings(of owner: AnyObject) -> [Writing] {
        writings.sorted { $0.key < $1.key }.flatMap(\.value).filter {
            $0.owner == ObjectIdentifier(owner)
        }
    }

    // MARK: Standby

    /// The standby gets nothing from now on, until it catches up.
    package func keepStandbyBack() {
        standbyCount = standbyCount ?? log.count
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
        backups[name] = log
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

    private func goOn(with log: [Committed]) {
        let broken = writings.sorted { $0.key < $1.key }.flatMap(\.value)
        writings = [:]
        self.log = log
        origin += 1
        standbyCount = nil
        for (space, rows) in spaces { leaveBehind(rows, of: space) }
        spaces = [:]
        for transaction in log { apply(transaction.written, to: transaction.space) }
        for writing in broken { writing.end(false) }
    }
}
