#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// A rekey message without its content.
    struct PostgreSQLRekeyMessage {
        /// Its place in the order in which they came.
        let number: Int64
        /// For whom it is, and what tells it from an earlier one.
        let mark: RekeyMessage.Mark
        /// The generation of the secret under which it is sealed.
        let generation: UInt32
        /// How long it is, in bytes.
        let byteCount: Int

        /// The bytes that it counts in the quota.
        var countedByteCount: Int { RelayQuota.byteCount(ofRekeyMessage: byteCount) }

        /// Reads the answer to `PostgreSQLReading.rekeyMessages`.
        static func all(
            _ rows: PostgreSQLRows, server: String
        ) throws(StoreFault) -> [PostgreSQLRekeyMessage] {
            var found: [PostgreSQLRekeyMessage] = []
            for row in 0..<rows.count {
                guard let generation = UInt32(exactly: rows.number(row, 2)),
                    let hash = rows.identifier(row, 3)
                else { throw PostgreSQLReading.damaged("the table of rekey messages", server) }
                found.append(
                    PostgreSQLRekeyMessage(
                        number: rows.number(row, 0),
                        mark: RekeyMessage.Mark(verifier: rows.bytes(row, 1), hash: hash),
                        generation: generation, byteCount: Int(rows.number(row, 4))))
            }
            return found
        }
    }

    /// The part of a space that the uploads of one commit meet, read behind the lock of its row.
    struct PostgreSQLFindings {
        /// The versions of the records that uploads name.
        var versions: [RecordID: [RelayStoredVersion]] = [:]
        /// The versions of which somebody was told, under the mark that they have, that they cannot be opened.
        private(set) var noted: Set<UInt64> = []
        /// The bodies of those that may be copies of an upload.
        private(set) var bodies: [UInt64: [UInt8]] = [:]
        /// The summary rows for the keys of uploads.
        var rows: [SummaryRow.Key: SummaryRow] = [:]
        /// All rekey messages, oldest first.
        var rekeyMessages: [PostgreSQLRekeyMessage] = []

        private let changes: [Change]
        private let ids: [UInt128]
        private let keys: [SummaryRow.Key]
        private let hasRekeyMessages: Bool

        /// A search for all that these uploads meet.
        init(for uploads: [RelayUpload]) {
            var (changes, rows): ([Change], [SummaryRow]) = ([], [])
            var ids: Set<UInt128> = []
            var hasRekeyMessages = false
            for upload in uploads {
                switch upload.item {
                case .changes(let batch):
                    changes += batch.changes
                    for change in batch.changes { ids.insert(change.name.id.value) }
                case .uploadDone(let end): rows += end.rows
                case .unreadable(let marks): for mark in marks { ids.insert(mark.id.value) }
                case .rekeyMessage: hasRekeyMessages = true
                }
            }
            self.changes = changes
            self.ids = ids.sorted()
            self.hasRekeyMessages = hasRekeyMessages
            keys = Set(rows.map(\.key)).sorted()
        }

        /// The statements of the search, in the generation that the key names.
        func queries(_ key: RelaySpaceKey) -> [PostgreSQLQuery] {
            let relay = PostgreSQLValue.identifier(key.relay.value)
            var queries: [PostgreSQLQuery] = []
            if !ids.isEmpty {
                queries.append(PostgreSQLReading.versions(relay, .identifiers(ids)))
            }
            if !keys.isEmpty {
                queries.append(
                    PostgreSQLReading.rowsOfKeys(
                        relay, .identifiers(keys.map(\.replica.value)),
                        .byteStrings(keys.map { PostgreSQLReading.bytes(of: $0.about) })))
            }
            if hasRekeyMessages {
                queries.append(PostgreSQLReading.rekeyMessages(.identifier(key.space.value)))
            }
            return queries
        }

        /// Takes the answers, and reads the bodies of what may be a copy of an upload.
        func taking(
            _ answers: [PostgreSQLRows], of key: RelaySpaceKey, _ server: String
        ) throws(StoreFault) -> PostgreSQLStep<PostgreSQLFindings> {
            var taken = self
            try taken.take(answers, server)
            let copies = taken.possibleCopies()
            if copies.isEmpty { return .done(taken) }
            let bodies = PostgreSQLReading.bodies(
                .identifier(key.relay.value), .unsigneds(copies.sorted()))
            return .asking([bodies]) { [taken] answers throws(StoreFault) in
                var taken = taken
                let found = answers[0]
                for row in 0..<found.count {
                    taken.bodies[found.unsigned(row, 0)] = found.bytes(row, 1)
                }
                return .done(taken)
            }
        }

        private mutating func take(
            _ answers: [PostgreSQLRows], _ server: String
        ) throws(StoreFault) {
            var left = answers[...]
            if !ids.isEmpty, let found = left.popFirst() { try takeVersions(found, server) }
            if !keys.isEmpty, let found = left.popFirst() {
                for row in 0..<found.count {
                    let numbered = try PostgreSQLReading.row(found, row, server: server)
                    rows[numbered.row.key] = numbered.row
                }
            }
            if hasRekeyMessages, let found = left.popFirst() {
                rekeyMessages = try PostgreSQLRekeyMessage.all(found, server: server)
            }
        }

        private mutating func takeVersions(
            _ found: PostgreSQLRows, _ server: String
        ) throws(StoreFault) {
            for row in 0..<found.count {
                guard let id = found.identifier(row, 0), let hash = found.identifier(row, 4),
                    let clock = found.withBytes(row, 2, { RelayClock.clock($0) })
                else { throw PostgreSQLReading.damaged("the clock of a version", server) }
                let sequence = found.unsigned(row, 1)
                let unreadable = found.number(row, 6)
                if unreadable > 0 { noted.insert(sequence) }
                versions[RecordID(value: id), default: []].append(
                    RelayStoredVersion(
                        sequence: sequence, clock: clock, bodyByteCount: Int(found.number(row, 3)),
                        hash: hash, isDeferred: found.flag(row, 5), isUnreadable: unreadable != 0))
            }
        }

        /// The arrival numbers of versions whose bodies are to be compared with one that came.
        private func possibleCopies() -> Set<UInt64> {
            var found: Set<UInt64> = []
            if versions.isEmpty { return found }
            for change in changes {
                guard let known = versions[change.name.id] else { continue }
                let mark = VersionMark(of: change)
                for version in known where version.mayBeCopy(of: change, mark) {
                    found.insert(version.sequence)
                }
            }
            return found
        }
    }
#endif
