#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// A look at all rows of a space, whether they fit together.
    struct PostgreSQLExamination {
        private let space: PostgreSQLValue
        /// How many versions are read at a time.
        private static let pageCount: Int64 = 256

        init(of space: SpaceID) {
            self.space = .identifier(space.value)
        }

        private static let versions = PostgreSQLStatement(
            name: "examining versions",
            text: """
                SELECT \(PostgreSQLReading.versionColumns), coalesce(unreadable, 0)
                FROM version WHERE relay = $1::uuid AND (id, sequence) > ($2::uuid, $3::bigint)
                ORDER BY id, sequence LIMIT $4::bigint
                """)

        private static let rows = PostgreSQLStatement(
            name: "examining summary rows",
            text: """
                SELECT \(PostgreSQLReading.rowColumns) FROM summary_row
                WHERE relay = (SELECT relay FROM space WHERE space = $1::uuid)
                """)

        private static let orphans = PostgreSQLStatement(
            name: "looking for rows of no space",
            text: PostgreSQLSchema.tables.filter { $0.key == "space" }.map {
                "SELECT '\($0.name)', count(*) FROM \($0.name) WHERE space = $1::uuid GROUP BY 1"
            }.joined(separator: " UNION ALL "))

        /// The first statements.
        var queries: [PostgreSQLQuery] {
            [
                PostgreSQLSpaceState.reading(space), Self.orphans(space),
                PostgreSQLReading.rekeyMessages(space), Self.rows(space),
                PostgreSQLSpaceState.readingEpochs(space),
            ]
        }

        /// The findings; none if all is well, or there is no such space and nothing of it.
        func findings(
            _ answers: [PostgreSQLRows], on connection: PostgreSQLConnection
        ) throws(StoreFault) -> [RelayFinding] {
            guard let state = try PostgreSQLSpaceState(answers[0], server: connection.server) else {
                return (0..<answers[1].count).map {
                    .rowsOfNoSpace(
                        table: answers[1].text($0, 0), rowCount: Int(answers[1].number($0, 1)))
                }
            }
            var sums = Sums()
            try addVersions(of: state.relay, to: &sums, on: connection)
            for message in try PostgreSQLRekeyMessage.all(answers[2], server: connection.server) {
                sums.counted.byteCount += message.countedByteCount
            }
            var rowSum: UInt128 = 0
            for row in 0..<answers[3].count {
                let numbered = try PostgreSQLReading.row(
                    answers[3], row, server: connection.server)
                rowSum &+= numbered.row.hash
                sums.counted.byteCount += RelayQuota.byteCount(ofRow: numbered.row.bytes.count)
                sums.take(numbered.sequence)
            }
            var findings = sums.findings
            if sums.last > state.sequence {
                findings.append(.numberBeyondLast(sums.last, last: state.sequence))
            }
            let kept = RelayFinding.Sums(
                byteCount: state.byteCount, versionCount: state.versionCount,
                recordCount: state.recordCount)
            if sums.counted != kept { findings.append(.sums(counted: sums.counted, kept: kept)) }
            if rowSum != state.rowSum { findings.append(.rowSum) }
            let epochs = PostgreSQLSpaceState.epochs(answers[4])
            if epochs.last?.id != state.epoch { findings.append(.lastEpoch) }
            let starts = epochs.map(\.firstSequence)
            if let start = starts.max(), start > state.sequence {
                findings.append(.epochBeyondLast(start, last: state.sequence))
            }
            return findings
        }

        private struct Sums {
            var counted = RelayFinding.Sums()
            var last: UInt64 = 0
            var findings: [RelayFinding] = []
            private var numbers: Set<UInt64> = []

            /// Counts an arrival number, which nothing else may have.
            mutating func take(_ number: UInt64) {
                last = max(last, number)
                if !numbers.insert(number).inserted {
                    findings.append(.sharedNumber(number))
                }
            }
        }

        private func addVersions(
            of relay: ReplicaID, to sums: inout Sums, on connection: PostgreSQLConnection
        ) throws(StoreFault) {
            var after: (id: UInt128, sequence: UInt64) = (0, 0)
            var last: RecordName?
            var others: [(change: Change, isUnreadable: Bool)] = []
            while true {
                let rows = try connection.run(
                    Self.versions(
                        .identifier(relay.value), .identifier(after.id), .unsigned(after.sequence),
                        .number(Self.pageCount)))
                for row in 0..<rows.count {
                    let change = try PostgreSQLReading.change(
                        rows, row, server: connection.server)
                    let unreadable = rows.number(row, 6)
                    if change.name != last {
                        last = change.name
                        others = []
                        sums.counted.recordCount += 1
                    }
                    let isCovered = others.contains {
                        RelayCovering.replaces($0.change, change, isUnreadable: $0.isUnreadable)
                            || RelayCovering.replaces(
                                change, $0.change, isUnreadable: unreadable != 0)
                    }
                    // Under which one came that a device could not open is its own word.
                    if unreadable == 0, rows.identifier(row, 5) != VersionMark(of: change).hash {
                        sums.findings.append(.alteredVersion(change.name))
                    }
                    if isCovered { sums.findings.append(.coveredVersion(change.name)) }
                    others.append((change, unreadable != 0))
                    sums.counted.versionCount += 1
                    sums.counted.byteCount += RelayQuota.byteCount(of: change)
                    after = (change.name.id.value, rows.unsigned(row, 0))
                    sums.take(after.sequence)
                    if unreadable != 0 { sums.take(unreadable.magnitude) }
                }
                if rows.count < Int(Self.pageCount) { return }
            }
        }
    }
#endif
