#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// A store of relays in a PostgreSQL database, which any number of processes share.
    ///
    /// Everything that must hold is decided behind the lock of a space's row, in the transaction that writes: numbers,
    /// covering, quotas, admission. This object has connections and nothing else that correctness needs, so another
    /// process may serve the same spaces at the same time, and this one may die at any moment.
    ///
    /// On a loop, which `attach` gives, no call waits for the server: a few connections are shared by all calls
    /// (`PostgreSQLPool`). Without one, and in its synchronous forms, the same steps are run on one connection of the caller's
    /// own, who waits.
    ///
    /// A commit is two exchanges with the server: the lock and what the uploads meet, then all that is written and the
    /// commit itself. If the connection breaks during the second one nobody knows whether it happened; the uploads are
    /// not acknowledged then, and come again: what is here already takes no number. A database that is away fails each
    /// call with `unreachable`, at once for `PostgreSQLPatience.retryMilliseconds` after an attempt to connect.
    ///
    /// How a database that was set back is noticed: `PostgreSQLOrigin`.
    package final class PostgreSQLRelayStore: SynchronousRelayStore {
        /// How much a space may have, and how much is read at a time.
        package var limits: RelayLimits

        let address: PostgreSQLAddress
        private let drawBits: () -> UInt64
        /// Which opening of a store this is, counted in the database: the first write to a space begins an epoch.
        private let opening: Int64
        /// The connection of callers that wait.
        let waiting: PostgreSQLWaiting
        /// The connections on a loop; nil without one.
        private(set) var pool: PostgreSQLPool?
        private var lastTotals = RelayStoreTotals()
        private var totalsAskedAt = Int64.min
        private var isAskingTotals = false

        /// Opens the store; makes its tables, or brings them up to date.
        ///
        /// - Parameter drawBits: sixty-four random bits that nobody can guess or repeat.
        /// - Throws: `newerStore` if a newer program has the tables.
        package init(
            _ address: PostgreSQLAddress, limits: RelayLimits, drawBits: @escaping () -> UInt64
        ) throws(StoreFault) {
            self.address = address
            self.limits = limits
            self.drawBits = drawBits
            let opened = try PostgreSQLConnecting.connect(address, isMaking: true)
            let number = PostgreSQLStatement(
                name: "counting the opening",
                text: "UPDATE opening SET number = number + 1 RETURNING number", isPrepared: false)
            opening = try opened.connection.run(number()).number(0, 0)
            waiting = PostgreSQLWaiting(address, opened)
        }

        /// Answers later from now on, on the thread of this loop; with as many connections as the limits have now.
        package func attach(to loop: any RelayStoreLoop) {
            let pool = PostgreSQLPool(
                address, on: loop, connectionCountMax: limits.storeConnectionCountMax,
                waitingCountMax: limits.storeCallCountMax)
            self.pool = pool
            if let opened = waiting.handOver() { pool.add(opened) }
            askTotals(pool)
        }

        /// Waits for the calls that are under way, for `PostgreSQLPatience.endMilliseconds` at most.
        package func settle() { pool?.wait(milliseconds: PostgreSQLPatience.endMilliseconds) }

        /// Closes the connections.
        package func close() {
            pool?.close()
            waiting.close()
        }

        /// The next calls connect anew.
        package func forget(_ space: SpaceID) {
            pool?.dropIdle()
            waiting.disconnect()
        }

        private var workers: any PostgreSQLWorkers { pool ?? waiting }

        // MARK: Admission

        /// Decides on a device and does what was decided.
        package func admit(
            _ relayHello: RelayHello, from visitor: RelayVisitor?, _ decide: @escaping Decide,
            then: @escaping (Result<RelayAdmission, StoreFault>) -> Void
        ) {
            admit(relayHello, visitor, decide, by: workers, then)
        }

        /// Decides on a device and does what was decided, and waits for it.
        package func admit(
            _ relayHello: RelayHello, from visitor: RelayVisitor?,
            _ decide: (RelaySpaceHead?, _ otherSpaceCount: Int) -> RelayDecision
        ) throws(StoreFault) -> RelayAdmission {
            let result = withoutActuallyEscaping(decide) { decide in
                waited { admit(relayHello, visitor, decide, by: waiting, $0) }
            }
            return try result.get()
        }

        /// The answer of workers that answer inside of the call.
        private func waited<Value, Fault>(
            _ call: (@escaping (Result<Value, Fault>) -> Void) -> Void
        ) -> Result<Value, Fault> {
            var answer: Result<Value, Fault>?
            call { answer = $0 }
            guard let answer else { preconditionFailure("it is answered inside of the call") }
            return answer
        }

        /// A device that is let in without anything being written is decided as of one moment and locks nothing.
        ///
        /// Else all is decided once more behind the lock of the space's row; behind that of the number of spaces if it
        /// is not there, as of two processes that make a space one is first.
        private func admit(
            _ relayHello: RelayHello, _ visitor: RelayVisitor?, _ decide: @escaping Decide,
            by workers: any PostgreSQLWorkers,
            _ then: @escaping (Result<RelayAdmission, StoreFault>) -> Void
        ) {
            let admission = PostgreSQLAdmission(
                relayHello, visitor, limits, opening: opening, drawBits: drawBits)
            let looking = PostgreSQLWork.reading(admission.queries(locking: false)) {
                opened, answers throws(StoreFault) in
                let look = try admission.look(answers, opened, decide)
                return admission.refusal(look).then { refused throws(StoreFault) in
                    .done((look: look, refused: refused))
                }
            }
            workers.run(looking) { result in
                switch result {
                case .failure(let fault): then(.failure(fault))
                case .success((_, let refused?)): then(.success(refused))
                case .success((let look, nil)):
                    let isNoted = visitor.map { look.lastDay ?? .min >= $0.day } ?? true
                    let entry = look.entry(.found, relayHello)
                    if isNoted, let entry { return then(.success(.entered(entry))) }
                    let isMaking = look.state == nil
                    let performing = PostgreSQLWork.writing(
                        locking: relayHello.space,
                        admission.queries(locking: true, isMaking: isMaking)
                    ) { opened, answers throws(StoreFault) in
                        try admission.perform(answers, isMaking: isMaking, opened, decide)
                    }
                    workers.run(performing) { result in
                        // A visit that cannot be written down lets in all the same.
                        if case .failure(let fault) = result, fault.leavesReading, let entry {
                            return then(.success(.entered(entry)))
                        }
                        then(result)
                    }
                }
            }
        }

        // MARK: Commits

        /// Keeps uploads in one transaction.
        package func commit(
            _ uploads: [RelayUpload], to key: RelaySpaceKey,
            then: @escaping (Result<RelayCommit, RelayStoreFault>) -> Void
        ) {
            workers.run(keeping(uploads, to: key)) { then(Self.kept($0)) }
        }

        /// Keeps uploads in one transaction, and waits for it.
        package func commit(
            _ uploads: [RelayUpload], to key: RelaySpaceKey
        ) throws(RelayStoreFault) -> RelayCommit {
            try waited { then in
                waiting.run(keeping(uploads, to: key)) { then(Self.kept($0)) }
            }.get()
        }

        /// The answer under a key: nil stands for a space that is another one now.
        private static func kept<Value>(
            _ result: Result<Value?, StoreFault>
        ) -> Result<Value, RelayStoreFault> {
            switch result {
            case .success(let value?): .success(value)
            case .success(nil): .failure(.replaced)
            case .failure(let fault): .failure(.failed(fault))
            }
        }

        private func keeping(
            _ uploads: [RelayUpload], to key: RelaySpaceKey
        ) -> PostgreSQLWork<RelayCommit?> {
            let sought = PostgreSQLFindings(for: uploads)
            let locking = PostgreSQLSpaceState.locking(.identifier(key.space.value))
            let (opening, drawBits, limits) = (opening, drawBits, limits)
            return .writing(locking: key.space, [locking] + sought.queries(key)) {
                opened, answers throws(StoreFault) in
                guard let state = try PostgreSQLSpaceState(answers[0], server: opened.server),
                    state.key(opened.origin) == key
                else { return .done((last: [], value: nil)) }
                let taking = try sought.taking(
                    Array(answers.dropFirst()), of: key, opened.server)
                return taking.then { found throws(StoreFault) in
                    let transaction = PostgreSQLTransaction(
                        state, found, origin: opened.origin, opening: opening, drawBits: drawBits)
                    let commit = try RelayCommit(uploads, in: transaction, limits: limits)
                    return .done((last: transaction.queries, value: commit))
                }
            }
        }

        // MARK: Reading

        /// Reads as one device or several read.
        package func read(
            _ request: RelayReadRequest, of key: RelaySpaceKey,
            then: @escaping (Result<RelayReading, RelayStoreFault>) -> Void
        ) {
            read(request, of: key, by: workers, then)
        }

        /// Reads as one device or several read, and waits for it.
        package func read(
            _ request: RelayReadRequest, of key: RelaySpaceKey
        ) throws(RelayStoreFault) -> RelayReading {
            try waited { read(request, of: key, by: waiting, $0) }.get()
        }

        private func read(
            _ request: RelayReadRequest, of key: RelaySpaceKey, by workers: any PostgreSQLWorkers,
            _ then: @escaping (Result<RelayReading, RelayStoreFault>) -> Void
        ) {
            let page = PostgreSQLPage(request, of: key, limits)
            let reading = PostgreSQLWork<RelayReading?>.reading(page.queries) {
                opened, answers throws(StoreFault) in
                guard let state = try PostgreSQLSpaceState(answers[0], server: opened.server),
                    state.key(opened.origin) == key
                else { return .done(nil) }
                return try page.read(state, answers, opened.server).then {
                    found throws(StoreFault) in
                    .done(found)
                }
            }
            workers.run(reading) { result in
                guard case .success = result, !page.damage.isEmpty else {
                    return then(Self.kept(result))
                }
                // Where that cannot be written the devices that name them hear that they are not here, and read anew.
                workers.run(Self.notingDamage(page.damage, in: key)) { _ in
                    then(Self.kept(result))
                }
            }
        }

        /// Knows versions by the marks that they were found to have: by these devices name them.
        private static func notingDamage(
            _ hashes: [UInt64: UInt128], in key: RelaySpaceKey
        ) -> PostgreSQLWork<Void> {
            let sorted = hashes.sorted { $0.key < $1.key }
            let locking = PostgreSQLSpaceState.locking(.identifier(key.space.value))
            let note = PostgreSQLWriting.noteDamage(
                .identifier(key.relay.value), .unsigneds(sorted.map(\.key)),
                .identifiers(sorted.map(\.value)))
            return .writing(locking: key.space, [locking]) { opened, answers throws(StoreFault) in
                let state = try PostgreSQLSpaceState(answers[0], server: opened.server)
                // The numbers of another state name other versions.
                let isSame = state?.key(opened.origin) == key
                return .done((last: isSame ? [note] : [], value: ()))
            }
        }

        // MARK: Totals

        /// The sums over all spaces; as they were last, while the database is away.
        ///
        /// On a loop they are those of the last answer, and are asked for anew.
        package var totals: RelayStoreTotals {
            if let pool {
                askTotals(pool)
            } else if let totals = try? waiting.run(Self.summing) {
                lastTotals = totals
            }
            return lastTotals
        }

        private func askTotals(_ pool: PostgreSQLPool) {
            let now = PostgreSQLConnection.now
            guard !isAskingTotals, now - PostgreSQLPatience.totalsMilliseconds >= totalsAskedAt
            else { return }
            (isAskingTotals, totalsAskedAt) = (true, now)
            pool.run(Self.summing) { [weak self] result in
                self?.isAskingTotals = false
                if case .success(let totals) = result { self?.lastTotals = totals }
            }
        }

        private static var summing: PostgreSQLWork<RelayStoreTotals> {
            PostgreSQLWork { _ in
                .asking([PostgreSQLReading.totals()]) { answers throws(StoreFault) in
                    var totals = RelayStoreTotals()
                    totals.spaceCount = Int(answers[0].number(0, 0))
                    totals.openSpaceCount = totals.spaceCount
                    totals.byteCount = Int(answers[0].number(0, 1))
                    totals.versionCount = Int(answers[0].number(0, 2))
                    totals.recordCount = Int(answers[0].number(0, 3))
                    return .done(totals)
                }
            }
        }
    }
#endif
