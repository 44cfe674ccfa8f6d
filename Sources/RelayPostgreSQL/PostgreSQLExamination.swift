#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// A look at all rows of a space, whether they fit together.
    struct PostgreSQLExamination {
        private let space: PostgreSQLValue
        private var findings: [String] = []
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
                "SELECT '\($0.name)' FROM \($0.name) WHERE space = $1::uuid GROUP BY 1"
            }.joined(separator: " UNION ALL "))

        /// The first statements.
        var queries: [PostgreSQLQuery] {
            [
                PostgreSQLSpaceState.reading(space), Self.orphans(space),
                PostgreSQLReading.rekeyMessages(space), Self.rows(space),
                PostgreSQLSpaceState.readingEpochs(space),
            ]
        }

        /// The findings, in words; none if all is well, or there is no such space and nothing of it.
        func findings(
            _ answers: [PostgreSQLRows], on connection: PostgreSQLConnection
        ) throws(StoreFault) -> [String] {
            guard let state = try PostgreSQLSpaceState(answers[0], server: connection.server) else {
                return (0..<answers[1].count).map {
                    "the table \(answers[1].text($0, 0)) has rows of a space that is not there"
                }
            }
            var sums = Sums()
            try addVersions(of: state.relay, to: &sums, on: connection)
            for message in try PostgreSQLRekeyMessage.all(answers[2], server: connection.server) {
                sums.byteCount += message.countedByteCount
            }
            var rowSum: UInt128 = 0
            for row in 0..<answers[3].count {
                let numbered = try PostgreSQLReading.row(
                    answers[3], row, server: connection.server)
                rowSum &+= numbered.row.hash
                sums.byteCount += RelayQuota.byteCount(ofRow: numbered.row.bytes.count)
                sums.take(numbered.sequence)
            }
            var findings = sums.findings
            let isCounted =
                sums.byteCount == state.byteCount && sums.versionCount == state.versionCount
                && sums.recordCount == state.recordCount
            if !isCounted { findings.append("the sums are not those of the rows") }
            if rowSum != state.rowSum { findings.append("the sum of summary rows is another") }
            if sums.last > state.sequence { findings.append("a number beyond the last") }
            let epochs = PostgreSQLSpaceState.epochs(answers[4])
            if epochs.last?.id != state.epoch { findings.append("the last epoch is another") }
            if epochs.contains(where: { $0.firstSequence > state.sequence }) {
                findings.append("an epoch begins beyond the last number")
            }
            return findings
        }

        private struct Sums {
            var (byteCount, versionCount, recordCount) = (0, 0, 0)
            var last: UInt64 = 0
            var findings: [String] = []
            private var numbers: Set<UInt64> = []

            /// Counts an arrival number, which nothing else may have.
            mutating func take(_ number: UInt64) {
                last = max(last, number)
                if !numbers.insert(number).inserted {
                    findings.append("two things have the number \(number)")
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
                        sums.recordCount += 1
                    }
                    let isCovered = others.contains {
                        RelayCovering.replaces($0.change, change, isUnreadable: $0.isUnreadable)
                            || RelayCovering.replaces(
                                change, $0.change, isUnreadable: unreadable != 0)
                    }
                    // Under which one came that a device could not open is its own word.
                    if unreadable == 0, rows.identifier(row, 5) != VersionMark(of: change).hash {
                        sums.findings.append(
                            "record \(change.name) has a version that is not what came")
                    }
                    if isCovered {
                        sums.findings.append(
                            "record \(change.name) has a version that another one covers")
                    }
                    others.append((change, unreadable != 0))
                    sums.versionCount += 1
                    sums.byteCount += RelayQuota.byteCount(of: change)
                    after = (change.name.id.value, rows.unsigned(row, 0))
                    sums.take(after.sequence)
                    if unreadable != 0 { sums.take(unreadable.magnitude) }
                }
                if rows.count < Int(Self.pageCount) { return }
            }
        }
    }
#endif
