import Core
import Relay
import Storage

/// The store of one relay on a database that other relays may share.
///
/// A call takes as long as the database lets it. The relay that waits for the answer does nothing else meanwhile: its
/// world asks for that time after each event, and holds back what the relay says.
package final class SimulatedRelayStore: RelayStore {
    /// How much a space may have, and how much is read at a time.
    package var limits: RelayLimits
    let database: SimulatedDatabase
    /// How long a transaction stays open before its commit; milliseconds.
    package var commitMilliseconds: Int64 = 0
    /// How long an answer takes, after the commit if there is one; milliseconds.
    package var answerMilliseconds: Int64 = 0
    /// The time of the last commit since it was last asked for; milliseconds of the world.
    private var lastCommit: Int64?
    /// How far the relay is ahead of the world by its calls; milliseconds.
    private var elapsed: Int64 = 0
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

    /// The time for which the relay has waited for the database since this was last asked; milliseconds.
    package func dequeueElapsed() -> Int64 {
        defer { elapsed = 0 }
        return elapsed
    }

    /// The time of the last transaction that has written since this was last asked; nil if none has.
    func dequeueCommit() -> Int64? {
        defer { lastCommit = nil }
        return lastCommit
    }

    // MARK: Transactions

    /// The relay's own time.
    private var local: Int64 { database.time + elapsed }

    /// Reads as of one moment.
    private func reading<T>(_ body: ([SpaceID: DatabaseSpace]) -> T) -> T {
        let result = body(database.spaces(at: local))
        elapsed += answerMilliseconds
        return result
    }

    /// Writes to a space behind the lock of its row.
    ///
    /// - Parameter body: takes the spaces as they are then; gives the transaction's changes.
    private func writing<T>(
        _ space: SpaceID,
        _ body: ([SpaceID: DatabaseSpace]) throws(StoreFault) -> (Written, T)
    ) throws(StoreFault) -> T {
        elapsed = database.unlocked(space, at: local) - database.time
        let (written, result) = try body(database.spaces(at: local))
        if !written.isEmpty {
            elapsed += commitMilliseconds
            lastCommit = local
            database.commit(
                SimulatedDatabase.Transaction(
                    time: local, space: space, made: written.made, rows: written.rows))
        }
        elapsed += answerMilliseconds
        return result
    }

    /// The changes of a transaction.
    private struct Written {
        var made: DatabaseSpace?
        var rows: [DatabaseSpace.Row] = []
        var isEmpty: Bool { made == nil && rows.isEmpty }
    }

    private func transaction(on rows: DatabaseSpace) -> DatabaseTransaction {
        DatabaseTransaction(
            on: rows, opening: opening, origin: database.origin, drawBits: drawBits)
    }

    // MARK: Admission

    /// Decides on a device, and does what was decided behind the lock of the space.
    package func admit(
        _ relayHello: RelayHello, from visitor: RelayVisitor?,
        _ decide: (RelaySpaceHead?, _ otherSpaceCount: Int) -> RelayDecision
    ) throws(StoreFault) -> RelayAdmission {
        let first = reading { spaces in meet(relayHello, visitor, spaces, decide) }
        if let refused = first.refused { return refused }
        if case .enter = first.decision, first.isNoted { return .entered(first.entry(.found)) }
        // Decided once more, behind the lock.
        return try writing(relayHello.space) { spaces throws(StoreFault) in
            perform(relayHello, visitor, meet(relayHello, visitor, spaces, decide))
        }
    }

    /// The space as it was found, and the decision on it.
    private struct Look {
        let relayHello: RelayHello
        let origin: Int
        let rows: DatabaseSpace?
        let decision: RelayDecision
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
            isNoted: visitor.map { known?.lastDay == $0.day } ?? true)
    }

    private func perform(
        _ relayHello: RelayHello, _ visitor: RelayVisitor?, _ look: Look
    ) -> (Written, RelayAdmission) {
        var written = Written()
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
        if let visitor {
            let first = rows?.devices[visitor.fingerprint]?.firstDay ?? visitor.day
            let device = RelayDevice(
                fingerprint: visitor.fingerprint, firstDay: first, lastDay: visitor.day)
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
        let commit: RelayCommit?
        do throws(StoreFault) {
            commit = try writing(key.space) { spaces throws(StoreFault) in
                guard let rows = rows(of: key, in: spaces) else { return (Written(), nil) }
                let transaction = transaction(on: rows)
                let commit = try RelayCommit(uploads, in: transaction, limits: limits)
                return (Written(rows: transaction.committed), commit)
            }
        } catch {
            throw .failed(error)
        }
        guard let commit else { throw .replaced }
        return commit
    }

    /// Reads as of one moment.
    package func read(
        _ request: RelayReadRequest, of key: RelaySpaceKey
    ) throws(RelayStoreFault) -> RelayReading {
        let found = reading { rows(of: key, in: $0)?.read(request, limits) }
        guard let found else { throw .replaced }
        return found
    }

    /// The rows of a space; nil if it is no longer the one that the key names.
    private func rows(
        of key: RelaySpaceKey, in spaces: [SpaceID: DatabaseSpace]
    ) -> DatabaseSpace? {
        guard let rows = spaces[key.space], rows.key(of: key.space, at: database.origin) == key
        else { return nil }
        return rows
    }

    /// Nothing is open of a space alone.
    package func forget(_ space: SpaceID) {}
    /// Nothing is left open.
    package func close() {}

    // MARK: For a look from outside

    private var spaces: [SpaceID: DatabaseSpace] { database.spaces(at: database.time) }

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

    /// Counts all rows of a space; gives the findings in words.
    package func examine(_ space: SpaceID) throws(StoreFault) -> [String] {
        spaces[space]?.findings ?? []
    }
}
