import Core
import Relay
import Storage

/// The store of one relay on a database that other relays may share.
///
/// The relay goes on while the database works, and is answered later. Asked to answer inside of a call, as the conformance
/// suite does, it takes no time and waits for nobody.
package final class SimulatedRelayStore: SynchronousRelayStore {
    /// How much a space may have, and how much is read at a time.
    package var limits: RelayLimits
    let database: SimulatedDatabase
    /// How long a transaction that writes stays open before its commit; milliseconds.
    package var commitMilliseconds: Int64 = 0
    /// How long an answer takes, after the commit if there is one; milliseconds.
    package var answerMilliseconds: Int64 = 0
    /// Whether it has committed anything since this was last asked.
    private var hasCommitted = false
    /// The calls that are not answered, by number: each takes whether the server was there to the end.
    private var calls: [Int: (_ isWhole: Bool) -> Void] = [:]
    private var callCount = 0
    private let opening: Int
    private let drawBits: () -> UInt64

    /// Opens the store.
    package init(
        _ database: SimulatedDatabase, limits: RelayLimits, drawBits: @escaping () -> UInt64
    ) {
        self.database = database
        self.limits = limits
        self.drawBits = drawBits
        opening = database.open()
    }

    /// Whether it has committed anything since this was last asked.
    func dequeueCommit() -> Bool {
        defer { hasCommitted = false }
        return hasCommitted
    }

    // MARK: Calls

    private static let broken = StoreFault.unreachable(
        server: "the database", detail: "the connection broke")

    /// Takes down a call.
    private func begin(_ then: @escaping (_ isWhole: Bool) -> Void) -> Int {
        callCount += 1
        calls[callCount] = then
        return callCount
    }

    /// Answers a call after the time that it takes, unless it is answered by then.
    private func answer(_ call: Int, isWhole: Bool) {
        if answerMilliseconds == 0 || !isWhole { return end(call, isWhole: isWhole) }
        let origin = database.origin
        database.later(answerMilliseconds) { [self] in
            end(call, isWhole: database.origin == origin)
        }
    }

    private func end(_ call: Int, isWhole: Bool) {
        calls.removeValue(forKey: call)?(isWhole)
    }

    /// Writes behind the lock of a space, and answers then.
    private func write<T, Fault: Error>(
        to space: SpaceID, then: @escaping (Result<T, Fault>) -> Void,
        failing fault: Fault,
        _ decide:
            @escaping ([SpaceID: DatabaseSpace]) -> (
                SimulatedDatabase.Written, Result<T, Fault>
            )
    ) {
        var result: Result<T, Fault> = .failure(fault)
        let call = begin { then($0 ? result : .failure(fault)) }
        database.begin(
            SimulatedDatabase.Writing(space, by: self, open: commitMilliseconds) { spaces in
                let (written, decided) = decide(spaces)
                result = decided
                return written
            } end: { [self] isCommitted in
                if isCommitted, case .success = result { hasCommitted = true }
                answer(call, isWhole: isCommitted)
            })
    }

    /// Ends all that is under way: what holds a lock is committed.
    package func settle() {
        database.hurry(self)
        for call in calls.keys.sorted() { end(call, isWhole: true) }
    }

    /// Closes the connections; what is under way is rolled back, and answered no more.
    package func close() {
        calls = [:]
        database.rollBack(self)
    }

    /// Nothing is open of a space alone.
    package func forget(_ space: SpaceID) {}

    private func transaction(on rows: DatabaseSpace) -> DatabaseTransaction {
        DatabaseTransaction(
            on: rows, opening: opening, origin: database.origin, drawBits: drawBits)
    }

    // MARK: Admission

    /// Decides on a device, and does what was decided.
    package func admit(
        _ relayHello: RelayHello, from visitor: RelayVisitor?,
        _ decide: (RelaySpaceHead?, _ otherSpaceCount: Int) -> RelayDecision
    ) throws(StoreFault) -> RelayAdmission {
        let look = meet(relayHello, visitor, database.spaces, decide)
        let (written, admission) = perform(relayHello, visitor, look)
        database.commit(written, to: relayHello.space)
        return admission
    }

    /// Decides on a device as of one moment; once more behind the lock of its space, if that is to be written.
    package func admit(
        _ relayHello: RelayHello, from visitor: RelayVisitor?, _ decide: @escaping Decide,
        then: @escaping (Result<RelayAdmission, StoreFault>) -> Void
    ) {
        let first = meet(relayHello, visitor, database.spaces, decide)
        let (written, admission) = perform(relayHello, visitor, first)
        if written.isEmpty {
            let call = begin { then($0 ? .success(admission) : .failure(Self.broken)) }
            return answer(call, isWhole: true)
        }
        write(to: relayHello.space, then: then, failing: Self.broken) { [self] spaces in
            let look = meet(relayHello, visitor, spaces, decide)
            let (written, admission) = perform(relayHello, visitor, look)
            return (written, .success(admission))
        }
    }

    /// The space as it was found, and the decision on it.
    private struct Look {
        let relayHello: RelayHello
        let origin: Int
        let rows: DatabaseSpace?
        let decision: RelayDecision
        /// Whether the device is known to have been there today.
        let isNoted: Bool

        /// The refusal, with the rekey message that the device is to have.
        var refused: RelayAdmission? {
            guard case .refuse(let rejection) = decision else { return nil }
            return .refused(
                rejection,
                rows?.rekeyMessages.first { $0.verifier == rejection.rekeyMessageVerifier })
        }

        func entry(_ cause: RelayEntry.Cause) -> RelayEntry {
            guard let rows else { preconditionFailure("only a space that is there is entered") }
            return RelayEntry(
                cause: cause, head: rows.relayHead(of: relayHello.space, at: origin),
                uploaded: rows.uploaded[relayHello.replica]?.checkpoint,
                start: RelayEpoch.start(
                    of: relayHello.read, relay: rows.head.relay, in: rows.epochs,
                    through: rows.head.sequence))
        }
    }

    private func meet(
        _ relayHello: RelayHello, _ visitor: RelayVisitor?, _ spaces: [SpaceID: DatabaseSpace],
        _ decide: (RelaySpaceHead?, _ otherSpaceCount: Int) -> RelayDecision
    ) -> Look {
        let rows = spaces[relayHello.space]
        let known = visitor.flatMap { rows?.devices[$0.fingerprint] }
        var head = rows?.relayHead(of: relayHello.space, at: database.origin)
        head?.isVisitorKnown = known != nil
        return Look(
            relayHello: relayHello, origin: database.origin, rows: rows,
            decision: decide(head, spaces.count - (rows == nil ? 0 : 1)),
            isNoted: visitor.map { known.map(\.lastDay) ?? .min >= $0.day } ?? true)
    }

    private func perform(
        _ relayHello: RelayHello, _ visitor: RelayVisitor?, _ look: Look
    ) -> (SimulatedDatabase.Written, RelayAdmission) {
        var written = SimulatedDatabase.Written()
        var rows = look.rows
        var cause = RelayEntry.Cause.found
        switch look.decision {
        case .refuse: return (written, look.refused ?? .entered(look.entry(.found)))
        case .enter: break
        case .make(let generation, let verifier):
            rows = made(generation, verifier, keeping: [])
            (written.made, cause) = (rows, .made)
        case .begin(let generation, let verifier):
            cause = .begun(after: look.rows?.head.generation ?? 0)
            rows = made(generation, verifier, keeping: look.rows?.rekeyMessages ?? [])
            written.made = rows
        }
        if let visitor, !look.isNoted || !written.isEmpty {
            let known = rows?.devices[visitor.fingerprint]
            let device = RelayDevice(
                fingerprint: visitor.fingerprint, firstDay: known?.firstDay ?? visitor.day,
                lastDay: max(known?.lastDay ?? visitor.day, visitor.day))
            let row = DatabaseSpace.Row.device(device, countMax: limits.spaceDeviceCountMax)
            rows?.apply(row)
            written.rows.append(row)
        }
        let after = Look(
            relayHello: relayHello, origin: look.origin, rows: rows, decision: .enter,
            isNoted: true)
        return (written, .entered(after.entry(cause)))
    }

    /// A new state of a space, with an epoch.
    private func made(
        _ generation: UInt32, _ verifier: [UInt8], keeping rekeyMessages: [RekeyMessage]
    ) -> DatabaseSpace {
        var rows = DatabaseSpace(
            DatabaseSpace.Head(
                relay: ReplicaID(value: UInt128(drawBits()) << 64 | UInt128(drawBits())),
                generation: generation, verifier: verifier))
        for rekeyMessage in rekeyMessages {
            rows.apply(.rekeyMessage(rekeyMessage))
            rows.head.byteCount += RelayQuota.byteCount(
                ofRekeyMessage: rekeyMessage.bytes.count)
        }
        let transaction = transaction(on: rows)
        transaction.beginEpochIfDue()
        return transaction.rows
    }

    // MARK: Commits and readings

    /// Keeps uploads in one transaction.
    package func commit(
        _ uploads: [RelayUpload], to key: RelaySpaceKey
    ) throws(RelayStoreFault) -> RelayCommit {
        let (written, result) = keep(uploads, to: key, in: database.spaces)
        database.commit(written, to: key.space)
        return try result.get()
    }

    /// Keeps uploads in one transaction, behind the lock of the space.
    package func commit(
        _ uploads: [RelayUpload], to key: RelaySpaceKey,
        then: @escaping (Result<RelayCommit, RelayStoreFault>) -> Void
    ) {
        write(to: key.space, then: then, failing: .failed(Self.broken)) { [self] spaces in
            keep(uploads, to: key, in: spaces)
        }
    }

    private func keep(
        _ uploads: [RelayUpload], to key: RelaySpaceKey, in spaces: [SpaceID: DatabaseSpace]
    ) -> (SimulatedDatabase.Written, Result<RelayCommit, RelayStoreFault>) {
        guard let rows = rows(of: key, in: spaces) else {
            return (SimulatedDatabase.Written(), .failure(.replaced))
        }
        let transaction = transaction(on: rows)
        do throws(StoreFault) {
            let commit = try RelayCommit(uploads, in: transaction, limits: limits)
            return (SimulatedDatabase.Written(rows: transaction.committed), .success(commit))
        } catch {
            return (SimulatedDatabase.Written(), .failure(.failed(error)))
        }
    }

    /// Reads as of one moment.
    package func read(
        _ request: RelayReadRequest, of key: RelaySpaceKey
    ) throws(RelayStoreFault) -> RelayReading {
        guard let rows = rows(of: key, in: database.spaces) else { throw .replaced }
        return rows.read(request, limits)
    }

    /// Reads as of the moment at which it is asked.
    package func read(
        _ request: RelayReadRequest, of key: RelaySpaceKey,
        then: @escaping (Result<RelayReading, RelayStoreFault>) -> Void
    ) {
        let result = Result { () throws(RelayStoreFault) in try read(request, of: key) }
        let call = begin { then($0 ? result : .failure(.failed(Self.broken))) }
        answer(call, isWhole: true)
    }

    /// The rows of a space; nil if it is no longer the one that the key names.
    private func rows(
        of key: RelaySpaceKey, in spaces: [SpaceID: DatabaseSpace]
    ) -> DatabaseSpace? {
        guard let rows = spaces[key.space], rows.key(of: key.space, at: database.origin) == key
        else { return nil }
        return rows
    }

    // MARK: For a look from outside

    private var spaces: [SpaceID: DatabaseSpace] { database.spaces }

    /// The sums over all spaces.
    package var totals: RelayStoreTotals {
        var totals = RelayStoreTotals()
        totals.spaceCount = spaces.count
        totals.openSpaceCount = spaces.count
        for rows in spaces.values {
            totals.byteCount += rows.head.byteCount
            totals.versionCount += rows.head.versionCount
            totals.recordCount += rows.head.recordCount
        }
        return totals
    }

    /// A space as it is now; nil if there is none.
    package func head(of space: SpaceID) throws(StoreFault) -> RelaySpaceHead? {
        spaces[space]?.relayHead(of: space, at: database.origin)
    }

    /// The versions of one record, in order of arrival.
    package func versions(of record: RecordName, in space: SpaceID) throws(StoreFault) -> [Change] {
        spaces[space]?.versions.map(\.change).filter { $0.name == record } ?? []
    }

    /// The summary rows of a device, sorted by key.
    package func rows(of replica: ReplicaID, in space: SpaceID) throws(StoreFault) -> [SummaryRow] {
        let rows = spaces[space]?.rows.map(\.row) ?? []
        return rows.filter { $0.key.replica == replica }.sorted { $0.key < $1.key }
    }

    /// The devices that were let in since the present generation began, by fingerprint.
    package func devices(of space: SpaceID) throws(StoreFault) -> [RelayDevice] {
        let devices = spaces[space]?.devices.values.map { $0 } ?? []
        return devices.sorted {
            $0.fingerprint.lexicographicallyPrecedes($1.fingerprint)
        }
    }

    /// Counts all rows of a space; gives the findings.
    package func examine(_ space: SpaceID) throws(StoreFault) -> [RelayFinding] {
        spaces[space]?.findings ?? []
    }
}
