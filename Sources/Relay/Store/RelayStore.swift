import Core
import Storage

/// All spaces that one relay keeps: what the engine of a relay asks of a database.
///
/// An implementation decides everything that must hold inside of its own transactions. The engine remembers nothing
/// that correctness needs, so that several processes may serve one space from one store:
///
/// - **Numbers.** Versions and summary rows of a space share arrival numbers from 1, without holes between two
///   commits. A number is given in the transaction that writes what it names, so that whatever a reader finds up to
///   a number is all there will ever be.
/// - **Epochs.** The first write of an opening begins an epoch. A store that was set back to an earlier state
///   begins a new epoch before it gives a number a second time: a checkpoint of a device counts only up to the end
///   of its epoch.
/// - **Covering, quotas.** `RelayCovering` and `RelayQuota` are the rules. The versions and sums that they look at
///   are those of the transaction.
/// - **Admission.** `admit` decides on the state of the space and changes it in one transaction. An implementation
///   may call the decision again if another process was first, so it changes nothing itself.
/// - **Keys.** Conversations name the state that they know by a `RelaySpaceKey`. A commit or reading with a key
///   that is no longer true fails with `replaced`, whoever changed it.
/// - **Group commits.** `commit` is one transaction: all of it is durable when it succeeds, and nothing is if it
///   fails; after `unreachable` all of it may be, and uploads that come again take no number a second time.
///
/// Each call is answered once, on the engine's thread: before it returns, as SQLite does (`SynchronousRelayStore`), or
/// later, as a store over a network does. Every answer comes in bounded time: a store that cannot tell gives a fault.
/// Many calls may be under way, and be answered in any order; of one space at most one commit is, as the engine waits
/// for its answer before it begins the next.
package protocol RelayStore: AnyObject {
    /// A decision on a device: on the space, nil if there is none, and the number of other spaces.
    typealias Decide = (RelaySpaceHead?, _ otherSpaceCount: Int) -> RelayDecision

    /// How much a space may have, and how much is read at a time; holds from the next call on.
    var limits: RelayLimits { get set }

    /// The totals of the store, for metrics.
    var totals: RelayStoreTotals { get }

    /// Gives a store that does not answer inside of its calls the program's loop; called once, before all other calls.
    func attach(to loop: any RelayStoreLoop)

    /// Decides whether a device is let into its space, and does what was decided: makes the space, or begins its next
    /// generation, which drops all but rekey messages.
    ///
    /// A device that is let in is remembered with the day, if the disk can be written; in the next generation only those
    /// are that were let in since.
    ///
    /// - Parameters:
    ///   - visitor: the device; nil if it has proved no key.
    ///   - decide: takes the space, nil if there is none, and the number of other spaces.
    ///   - then: takes the answer.
    func admit(
        _ relayHello: RelayHello, from visitor: RelayVisitor?, _ decide: @escaping Decide,
        then: @escaping (Result<RelayAdmission, StoreFault>) -> Void
    )

    /// Keeps uploads in their order, in one transaction; after the first that a quota stands against, the further
    /// ones of its sender are passed over.
    func commit(
        _ uploads: [RelayUpload], to key: RelaySpaceKey,
        then: @escaping (Result<RelayCommit, RelayStoreFault>) -> Void
    )

    /// Reads versions in the order of their numbers, and the summary rows behind them if nothing is left; all
    /// of it as it was at one moment.
    func read(
        _ request: RelayReadRequest, of key: RelaySpaceKey,
        then: @escaping (Result<RelayReading, RelayStoreFault>) -> Void
    )

    /// Waits until every call is answered, on no loop and no longer than a relay that ends may.
    func settle()

    /// Closes everything open of a space after a fault; the next call opens it anew.
    func forget(_ space: SpaceID)

    /// Closes the store, which is used no more; calls that are under way fail.
    func close()

    // MARK: For a look from outside

    /// A space as it is now; nil if there is none.
    func head(of space: SpaceID) throws(StoreFault) -> RelaySpaceHead?

    /// The versions of one record by its relay name, in order of arrival.
    func versions(of record: RecordName, in space: SpaceID) throws(StoreFault) -> [Change]

    /// The summary rows of a device, sorted by key.
    func rows(of replica: ReplicaID, in space: SpaceID) throws(StoreFault) -> [SummaryRow]

    /// The devices that were let in since the present generation began, by fingerprint.
    func devices(of space: SpaceID) throws(StoreFault) -> [RelayDevice]

    /// Looks whether everything kept of a space fits together; gives the findings.
    func examine(_ space: SpaceID) throws(StoreFault) -> [RelayFinding]
}

extension RelayStore {
    /// A store that answers inside of its calls needs no loop.
    package func attach(to loop: any RelayStoreLoop) {}
}

extension StoreFault {
    /// Whether reading goes on all the same: the disk is full, busy or cannot be written now, or a server is away for
    /// a while.
    ///
    /// Only who asked for what could not be done is told.
    package var leavesReading: Bool {
        switch self {
        case .diskFull, .busy, .readOnly, .unreachable: true
        default: false
        }
    }
}

/// The failure of a commit or a reading.
package enum RelayStoreFault: Error, Hashable, Sendable {
    /// The store failed.
    case failed(StoreFault)
    /// The space is no longer the one that the key names.
    case replaced
}

/// The sums over a relay's spaces.
package struct RelayStoreTotals: Hashable, Sendable {
    /// All spaces.
    package var spaceCount = 0
    /// Spaces whose file is open; those in use where spaces have no files.
    package var openSpaceCount = 0
    /// Bytes of the spaces that were opened since the start, as the quota counts them.
    package var byteCount = 0
    /// Versions of records in these spaces.
    package var versionCount = 0
    /// Records in these spaces.
    package var recordCount = 0

    /// An empty store.
    package init() {}
}
