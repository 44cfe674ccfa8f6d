#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// Moves the spaces of a relay on SQLite files into a database.
    ///
    /// Each space is one transaction, and keeps its id, numbers and epochs: devices go on where they were. A move that was
    /// broken off begins with the first space that is not there yet; the files stay as they are.
    ///
    /// The relay of the files may go on meanwhile: each space is copied as it was at one moment. Once that relay has
    /// ended, a second move copies what came since, of the spaces that no relay on the database has written to yet.
    /// Devices upload anew what fell between the two, as they do with a relay that was set back.
    package struct PostgreSQLMove {
        /// The outcome for one space.
        package enum Outcome: Hashable, Sendable {
            /// It is there now, with so many versions.
            case moved(versionCount: Int)
            /// It was there from an earlier move, and is as the file has it now, with so many versions.
            case renewed(versionCount: Int)
            /// It was there already, with the same id, and is the same or was written to since.
            case wasThere
            /// Another space of that name is there: devices have begun there anew, or another file was moved.
            case isAnother
            /// The sums in its file are not those of its rows: nothing was moved.
            case damaged([RelayFinding])
        }

        private let store: PostgreSQLRelayStore
        /// The most versions and bytes that go out at a time.
        private static let (countMax, byteCountMax) = (1000, 4 << 20)

        /// A move into this store.
        package init(into store: PostgreSQLRelayStore) {
            self.store = store
        }

        /// Whether a move of the other spaces can go on after a fault.
        package static func isOfOneSpace(_ fault: StoreFault) -> Bool {
            switch fault {
            case .corrupt, .notAStore, .newerStore: true
            default: false
            }
        }

        /// Moves a space.
        package func move(_ file: SQLiteRelaySpace) throws(StoreFault) -> Outcome {
            let findings = try file.examine()
            if !findings.isEmpty { return .damaged(findings) }
            let copy = try file.copy()
            let space = PostgreSQLValue.identifier(file.space.value)
            return try store.writing([PostgreSQLSpaceState.reading(space)]) {
                opened, answers throws(StoreFault) in
                let connection = opened.connection
                let old = try PostgreSQLSpaceState(answers[0], server: connection.server)
                if let old, let outcome = outcome(old, copy) { return ([], outcome) }
                if let old { try drop(old.relay, on: connection) }
                let versionCount = try send(file, on: connection)
                try send(copy, on: connection)
                // Only now: no space can be made behind this lock, by any process.
                let locked = try connection.run(
                    [PostgreSQLWriting.lockTotal(), PostgreSQLSpaceState.locking(space)])
                let now = try PostgreSQLSpaceState(locked[1], server: connection.server)
                guard now == old else {
                    // Devices were faster.
                    let isSame = now?.relay == copy.head.key.relay
                    return (
                        [PostgreSQLTransactionKind.rollback()], isSame ? .wasThere : .isAnother
                    )
                }
                let queries = queries(
                    copy, space, table: locked[0].unsigned(0, 1), isThere: old != nil)
                return (
                    queries,
                    old == nil
                        ? .moved(versionCount: versionCount)
                        : .renewed(versionCount: versionCount)
                )
            }
        }

        /// The outcome for a space that is there and is not copied again; nil if it is as it was copied before, and has
        /// changed in its file.
        private func outcome(_ old: PostgreSQLSpaceState, _ copy: RelaySpaceCopy) -> Outcome? {
            guard old.relay == copy.head.key.relay else { return .isAnother }
            let isWritten = old.opening != 0
            let isSame =
                old.sequence == copy.head.sequence && old.byteCount == copy.head.byteCount
                && old.rowSum == copy.rowSum
            return isWritten || isSame ? .wasThere : nil
        }

        /// Drops the versions and summary rows of an earlier copy, in parts.
        private func drop(
            _ relay: ReplicaID, on connection: PostgreSQLConnection
        ) throws(StoreFault) {
            let part = PostgreSQLSweep.part(of: relay)
            while try connection.run(part).contains(where: { $0.changedCount > 0 }) {}
        }

        private func send(
            _ file: SQLiteRelaySpace, on connection: PostgreSQLConnection
        ) throws(StoreFault) -> Int {
            let relay = PostgreSQLValue.identifier(file.relay.value)
            var (start, count): (UInt64, Int) = (0, 0)
            while true {
                let versions = try file.versionCopies(
                    after: start, countMax: Self.countMax, byteCountMax: Self.byteCountMax)
                guard let last = versions.last else { return count }
                _ = try connection.run(
                    versions.map { version in
                        PostgreSQLWriting.insert(
                            relay, .unsigned(version.sequence),
                            version.unreadable.map { .number($0) } ?? .null,
                            .flag(version.change.isDeferred),
                            .identifier(version.change.name.id.value), .identifier(version.hash),
                            .bytes(RelayClock.bytes(of: version.change.clock)),
                            .bytes(version.change.body))
                    })
                count += versions.count
                start = last.sequence
            }
        }

        /// Sends the summary rows, in parts.
        private func send(
            _ copy: RelaySpaceCopy, on connection: PostgreSQLConnection
        ) throws(StoreFault) {
            let relay = PostgreSQLValue.identifier(copy.head.key.relay.value)
            var left = copy.rows[...]
            while !left.isEmpty {
                _ = try connection.run(
                    left.prefix(Self.countMax).map {
                        PostgreSQLWriting.insertRow(
                            relay, .unsigned($0.sequence), .unsigned($0.row.number),
                            .identifier($0.row.key.replica.value),
                            .bytes(PostgreSQLReading.bytes(of: $0.row.key.about)),
                            .bytes($0.row.bytes))
                    })
                left = left.dropFirst(Self.countMax)
            }
        }

        /// Everything but the versions and summary rows: no more than some thousand rows.
        ///
        /// The first write begins an epoch, as the last one here has another origin.
        private func queries(
            _ copy: RelaySpaceCopy, _ space: PostgreSQLValue, table: UInt64, isThere: Bool
        ) -> [PostgreSQLQuery] {
            let head = copy.head
            var state = PostgreSQLSpaceState(
                space: head.key.space, relay: head.key.relay, generation: head.generation,
                verifier: head.verifier, table: table)
            state.sequence = head.sequence
            state.byteCount = head.byteCount
            state.recordCount = head.recordCount
            state.versionCount = head.versionCount
            state.rowSum = copy.rowSum
            state.epoch = head.epoch
            var queries =
                isThere
                ? PostgreSQLWriting.dropAll.map { $0(space) }
                    + [PostgreSQLWriting.dropRekeyMessages(space), state.saving]
                : [PostgreSQLWriting.raiseTotal(), state.making]
            for epoch in copy.epochs {
                queries.append(
                    PostgreSQLSpaceState.insertEpoch(
                        space, .unsigned(epoch.id.value), .unsigned(epoch.firstSequence)))
            }
            for (index, message) in copy.rekeyMessages.enumerated() {
                queries.append(
                    PostgreSQLWriting.insertRekeyMessage(
                        space, .number(Int64(index + 1)), .number(Int64(message.generation)),
                        .identifier(message.mark.hash), .bytes(message.verifier),
                        .bytes(message.bytes)))
            }
            queries += copy.uploaded.map {
                PostgreSQLWriting.noteUploaded(
                    space, .unsigned($0.checkpoint.epoch.value),
                    .unsigned($0.checkpoint.sequence), .unsigned($0.arrival),
                    .identifier($0.replica.value))
            }
            queries += copy.devices.map {
                PostgreSQLWriting.putDevice(
                    space, .bytes($0.fingerprint), .number($0.firstDay), .number($0.lastDay))
            }
            return queries
        }
    }
#endif
