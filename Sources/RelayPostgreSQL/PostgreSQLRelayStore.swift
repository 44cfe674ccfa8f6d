#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// A store of relays in a PostgreSQL database, which any number of processes share.
    ///
    /// Everything that must hold is decided behind the lock of a space's row, in the transaction that writes: numbers,
    /// covering, quotas, admission. This object has a connection and nothing else that correctness needs, so another
    /// process may serve the same spaces at the same time, and this one may die at any moment.
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
        private var open: Opened?
        private var isClosed = false
        private var lastTotals = RelayStoreTotals()
        private var lastFailure: (fault: StoreFault, at: Int64)?

        /// A connection and the server at its other end.
        struct Opened {
            let connection: PostgreSQLConnection
            let origin: PostgreSQLOrigin
        }

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
            let opened = try Self.connect(address)
            let number = PostgreSQLStatement(
                name: "counting the opening",
                text: "UPDATE opening SET number = number + 1 RETURNING number", isPrepared: false)
            opening = try opened.connection.run(number()).number(0, 0)
            open = opened
        }

        private static func connect(_ address: PostgreSQLAddress) throws(StoreFault) -> Opened {
            let connection = try PostgreSQLConnection(address)
            try PostgreSQLSchema.prepare(connection)
            return Opened(connection: connection, origin: try PostgreSQLOrigin(connection))
        }

        /// Closes the connection.
        package func close() {
            isClosed = true
            open = nil
        }

        /// The next call connects anew.
        package func forget(_ space: SpaceID) {
            open = nil
        }

        // MARK: The connection

        /// Runs with a connection.
        ///
        /// If it turns out to be broken, as the server was started again since, it is made anew
        /// and all is run once more, unless a commit may have happened.
        private func connected<T>(
            _ body: (Opened) throws(StoreFault) -> T
        ) throws(StoreFault) -> T {
            if let open, open.connection.isUsable {
                do throws(StoreFault) {
                    return try body(open)
                } catch {
                    guard case .unreachable = error, !open.connection.mayHaveCommitted else {
                        throw error
                    }
                }
            }
            return try body(try reconnected())
        }

        private func reconnected() throws(StoreFault) -> Opened {
            guard !isClosed else { throw .closed }
            open = nil
            let now = PostgreSQLConnection.now
            if let lastFailure, now < lastFailure.at + PostgreSQLPatience.retryMilliseconds {
                throw lastFailure.fault
            }
            do throws(StoreFault) {
                let opened = try Self.connect(address)
                lastFailure = nil
                open = opened
                return opened
            } catch {
                lastFailure = (error, PostgreSQLConnection.now)
                throw error
            }
        }

        /// Reads as of one moment.
        func reading<T>(
            _ first: [PostgreSQLQuery],
            _ body: (Opened, [PostgreSQLRows]) throws(StoreFault) -> T
        ) throws(StoreFault) -> T {
            try connected { opened throws(StoreFault) in
                try opened.connection.transact(.reading, first) { answers throws(StoreFault) in
                    ([], try body(opened, answers))
                }
            }
        }

        /// Writes in one transaction.
        func writing<T>(
            _ first: [PostgreSQLQuery],
            _ body: (Opened, [PostgreSQLRows]) throws(StoreFault) -> (last: [PostgreSQLQuery], T)
        ) throws(StoreFault) -> T {
            try connected { opened throws(StoreFault) in
                try opened.connection.transact(.writing, first) { answers throws(StoreFault) in
                    try body(opened, answers)
                }
            }
        }

        // MARK: Admission

        /// Decides on a device and does what was decided.
        ///
        /// A device that is let in without anything being written is decided as of one moment and locks nothing. Else all is
        /// decided once more behind the lock of the space's row; behind that of the number of spaces if it is not there,
        /// as of two processes that make a space one is first.
        package func admit(
            _ relayHello: RelayHello, from visitor: RelayVisitor?,
            _ decide: (RelaySpaceHead?, _ otherSpaceCount: Int) -> RelayDecision
        ) throws(StoreFault) -> RelayAdmission {
            let admission = PostgreSQLAdmission(
                relayHello, visitor, limits, opening: opening, drawBits: drawBits)
            let (look, refused) = try reading(admission.queries(locking: false)) {
                opened, answers throws(StoreFault) in
                let look = try admission.look(answers, opened, decide)
                return (look, try admission.refusal(look, on: opened.connection))
            }
            if let refused { return refused }
            let isNoted = visitor.map { look.lastDay == $0.day } ?? true
            if isNoted, let entry = look.entry(.found, relayHello) { return .entered(entry) }
            do throws(StoreFault) {
                return try connected { opened throws(StoreFault) in
                    let isMaking = look.state == nil
                    return try opened.connection.transact(
                        .writing, admission.queries(locking: true, isMaking: isMaking)
                    ) { answers throws(StoreFault) in
                        try admission.perform(answers, isMaking: isMaking, opened, decide)
                    }
                }
            } catch {
                // A visit that cannot be written down lets in all the same.
                guard error.leavesReading, let entry = look.entry(.found, relayHello) else {
                    throw error
                }
                return .entered(entry)
            }
        }

        // MARK: Commits

        /// Keeps uploads in one transaction.
        package func commit(
            _ uploads: [RelayUpload], to key: RelaySpaceKey
        ) throws(RelayStoreFault) -> RelayCommit {
            let commit: RelayCommit?
            do throws(StoreFault) {
                commit = try connected { opened throws(StoreFault) in
                    try keep(uploads, to: key, opened)
                }
            } catch {
                throw .failed(error)
            }
            guard let commit else { throw .replaced }
            return commit
        }

        /// Nil if the space is no longer the one that the key names.
        private func keep(
            _ uploads: [RelayUpload], to key: RelaySpaceKey, _ opened: Opened
        ) throws(StoreFault) -> RelayCommit? {
            var found = PostgreSQLFindings(for: uploads)
            let locking = PostgreSQLSpaceState.locking(.identifier(key.space.value))
            let connection = opened.connection
            return try connection.transact(
                .writing, [locking] + found.queries(key.space)
            ) { answers throws(StoreFault) in
                guard
                    let state = try PostgreSQLSpaceState(answers[0], server: connection.server),
                    state.key(opened.origin) == key
                else { return ([], nil) }
                try found.take(Array(answers.dropFirst()), of: key.space, on: connection)
                let transaction = PostgreSQLTransaction(
                    state, found, on: connection, origin: opened.origin, opening: opening,
                    drawBits: drawBits)
                let commit = try RelayCommit(uploads, in: transaction, limits: limits)
                return (transaction.queries, commit)
            }
        }

        // MARK: Reading

        /// Reads as one device or several read.
        package func read(
            _ request: RelayReadRequest, of key: RelaySpaceKey
        ) throws(RelayStoreFault) -> RelayReading {
            let page = PostgreSQLPage(request, of: key.space, limits)
            let found: RelayReading?
            do throws(StoreFault) {
                found = try reading(page.queries) { opened, answers throws(StoreFault) in
                    let connection = opened.connection
                    guard
                        let state = try PostgreSQLSpaceState(answers[0], server: connection.server),
                        state.key(opened.origin) == key
                    else { return nil }
                    return try page.read(state, answers, on: connection)
                }
                // Where that cannot be written the devices that name them hear that they are not here, and read anew.
                if !page.damage.isEmpty { try? noteDamage(page.damage, in: key.space) }
            } catch {
                throw .failed(error)
            }
            guard let found else { throw .replaced }
            return found
        }

        /// Knows versions by the marks that they were found to have: by these devices name them.
        private func noteDamage(
            _ hashes: [UInt64: UInt128], in space: SpaceID
        ) throws(StoreFault) {
            let sorted = hashes.sorted { $0.key < $1.key }
            let locking = PostgreSQLSpaceState.locking(.identifier(space.value))
            try connected { opened throws(StoreFault) in
                try opened.connection.transact(.writing, [locking]) { _ throws(StoreFault) in
                    let note = PostgreSQLWriting.noteDamage(
                        .identifier(space.value), .unsigneds(sorted.map(\.key)),
                        .identifiers(sorted.map(\.value)))
                    return ([note], ())
                }
            }
        }

        // MARK: For a look from outside

        /// The sums over all spaces; as they were last, while the database is away.
        package var totals: RelayStoreTotals {
            guard
                let rows = try? connected({ opened throws(StoreFault) in
                    try opened.connection.run(PostgreSQLReading.totals())
                })
            else { return lastTotals }
            lastTotals.spaceCount = Int(rows.number(0, 0))
            lastTotals.openSpaceCount = lastTotals.spaceCount
            lastTotals.byteCount = Int(rows.number(0, 1))
            lastTotals.versionCount = Int(rows.number(0, 2))
            lastTotals.recordCount = Int(rows.number(0, 3))
            return lastTotals
        }

        /// A space as it is now; nil if there is none.
        package func head(of space: SpaceID) throws(StoreFault) -> RelaySpaceHead? {
            let id = PostgreSQLValue.identifier(space.value)
            let queries = [PostgreSQLSpaceState.reading(id), PostgreSQLReading.rekeyMessages(id)]
            return try reading(queries) { opened, answers throws(StoreFault) in
                let server = opened.connection.server
                let rekeyMessages = try PostgreSQLRekeyMessage.all(answers[1], server: server)
                return try PostgreSQLSpaceState(answers[0], server: server)?
                    .head(opened.origin, rekeyMessages.map(\.mark))
            }
        }

        /// The versions of one record, in order of arrival.
        package func versions(
            of record: RecordName, in space: SpaceID
        ) throws(StoreFault) -> [Change] {
            let query = PostgreSQLReading.versionsOfRecord(
                .identifier(space.value), .identifier(record.id.value))
            return try reading([query]) { opened, answers throws(StoreFault) in
                var found: [Change] = []
                for row in 0..<answers[0].count {
                    found.append(
                        try PostgreSQLReading.change(
                            answers[0], row, server: opened.connection.server))
                }
                return found
            }
        }

        /// The summary rows of a device, sorted by key.
        package func rows(
            of replica: ReplicaID, in space: SpaceID
        ) throws(StoreFault) -> [SummaryRow] {
            let query = PostgreSQLReading.rowsOfReplica(
                .identifier(space.value), .identifier(replica.value))
            return try reading([query]) { opened, answers throws(StoreFault) in
                var found: [SummaryRow] = []
                for row in 0..<answers[0].count {
                    found.append(
                        try PostgreSQLReading.row(
                            answers[0], row, server: opened.connection.server
                        ).row)
                }
                return found
            }
        }

        /// The devices that were let in since the present generation began, by fingerprint.
        package func devices(of space: SpaceID) throws(StoreFault) -> [RelayDevice] {
            try reading([PostgreSQLReading.devices(.identifier(space.value))]) {
                _, answers throws(StoreFault) in
                (0..<answers[0].count).map {
                    RelayDevice(
                        fingerprint: answers[0].bytes($0, 0), firstDay: answers[0].number($0, 1),
                        lastDay: answers[0].number($0, 2))
                }
            }
        }

        /// Looks whether all rows of a space fit together; gives the findings in words.
        package func examine(_ space: SpaceID) throws(StoreFault) -> [String] {
            let examination = PostgreSQLExamination(of: space)
            return try reading(examination.queries) { opened, answers throws(StoreFault) in
                try examination.findings(answers, on: opened.connection)
            }
        }
    }
#endif
