#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// An open transaction of one space, whose row is locked: what it meets was read at its start, and what it writes
    /// goes out at its end.
    ///
    /// Numbers are given here, and stand in the row of the space from the commit on; the row's lock ends after that. So
    /// whoever gives the next number sees this one, and no reader sees that without this one. A sequence of the database
    /// would give numbers that become visible in another order, and readers would pass some over for ever.
    final class PostgreSQLTransaction: RelayTransaction {
        private let origin: PostgreSQLOrigin
        private let opening: Int64
        private let drawBits: () -> UInt64
        private(set) var state: PostgreSQLSpaceState
        private let before: PostgreSQLSpaceState
        private var found: PostgreSQLFindings

        /// Versions that came in this transaction and are still there, by arrival number.
        private var fresh: [UInt64: Change] = [:]
        /// Versions that were there and are dropped.
        private var gone: [UInt64] = []
        /// The arrival numbers under which versions are said to be unreadable, by the version's own.
        private var noted: [UInt64: UInt64] = [:]
        private var freshRows: [SummaryRow.Key: RelayRows.Numbered] = [:]
        private var uploaded: [ReplicaID: (checkpoint: Checkpoint, arrival: UInt64)] = [:]
        private var freshRekeyMessages: [(number: Int64, message: RekeyMessage)] = []
        private var goneRekeyMessages: [[UInt8]] = []
        private var epochQueries: [PostgreSQLQuery] = []
        private var replicaCountMax = Int.max

        /// A transaction that has read what its uploads meet.
        init(
            _ state: PostgreSQLSpaceState, _ found: PostgreSQLFindings,
            origin: PostgreSQLOrigin, opening: Int64,
            drawBits: @escaping () -> UInt64
        ) {
            self.state = state
            before = state
            self.found = found
            self.origin = origin
            self.opening = opening
            self.drawBits = drawBits
        }

        var sequence: UInt64 { state.sequence }
        var epoch: EpochID { state.epoch }
        var byteCount: Int { state.byteCount }

        private func nextSequence() -> UInt64 {
            epochQueries += state.beginEpochIfDue(opening, origin, drawBits: drawBits)
            state.sequence += 1
            return state.sequence
        }

        // MARK: Versions

        func put(_ change: Change, limits: RelayLimits) throws(StoreFault) -> RelayPutOutcome {
            let mark = VersionMark(of: change)
            let known = found.versions[mark.id] ?? []
            let neighbours = try RelayNeighbours(of: change, among: known) {
                version throws(StoreFault) in
                version.mayBeCopy(of: change, mark)
                    && (fresh[version.sequence]?.body ?? found.bodies[version.sequence])
                        == change.body
            }
            guard let neighbours else { return .covered }
            let quota = RelayQuota.against(
                change, neighbours.versions, byteCount: state.byteCount,
                recordCount: state.recordCount, limits)
            if let quota { return .refused(quota) }
            for sequence in neighbours.replaced {
                if fresh.removeValue(forKey: sequence) == nil { gone.append(sequence) }
                noted[sequence] = nil
            }
            state.byteCount +=
                RelayQuota.byteCount(of: change) - neighbours.versions.freedByteCount
            state.versionCount += 1 - neighbours.replaced.count
            if neighbours.versions.count == 0 { state.recordCount += 1 }
            let sequence = nextSequence()
            fresh[sequence] = change
            let kept = RelayStoredVersion(
                sequence: sequence, clock: change.clock, bodyByteCount: change.body.count,
                hash: mark.hash, isDeferred: change.isDeferred, isUnreadable: false)
            // In place, as a record may have many versions.
            if !neighbours.replaced.isEmpty {
                let replaced = Set(neighbours.replaced)
                found.versions[mark.id]?.removeAll { replaced.contains($0.sequence) }
            }
            found.versions[mark.id, default: []].append(kept)
            return .kept(sequence, replaced: neighbours.replaced)
        }

        func noteUnreadable(_ marks: [VersionMark]) throws(StoreFault) -> [RelayNoteOutcome] {
            marks.map { note($0) }
        }

        private func note(_ mark: VersionMark) -> RelayNoteOutcome {
            let known = found.versions[mark.id] ?? []
            let same = known.indices.filter { known[$0].hash == mark.hash }
            let unnoted = same.first {
                let sequence = known[$0].sequence
                return noted[sequence] == nil && !found.noted.contains(sequence)
            }
            guard let index = unnoted else { return same.isEmpty ? .absent : .known }
            let version = known[index]
            let sequence = nextSequence()
            noted[version.sequence] = sequence
            found.versions[mark.id]?[index] = RelayStoredVersion(
                sequence: version.sequence, clock: version.clock,
                bodyByteCount: version.bodyByteCount, hash: version.hash,
                isDeferred: version.isDeferred, isUnreadable: true)
            return .noted(sequence)
        }

        // MARK: What devices state

        func noteUploaded(
            _ checkpoint: Checkpoint, by replica: ReplicaID, limits: RelayLimits
        ) throws(StoreFault) {
            uploaded[replica] = (checkpoint, state.sequence)
            replicaCountMax = limits.spaceReplicaCountMax
        }

        func put(_ row: SummaryRow, limits: RelayLimits) throws(StoreFault) -> RelayPutOutcome {
            let known = found.rows[row.key]
            var growth = RelayQuota.byteCount(ofRow: row.bytes.count)
            if row.isCovered(by: known) { return .covered }
            if let known { growth -= RelayQuota.byteCount(ofRow: known.bytes.count) }
            if growth > 0, state.byteCount + growth > limits.spaceByteCountMax {
                return .refused(.bytes)
            }
            state.byteCount += growth
            state.rowSum &+= row.hash &- (known?.hash ?? 0)
            let sequence = nextSequence()
            found.rows[row.key] = row
            freshRows[row.key] = RelayRows.Numbered(sequence: sequence, row: row)
            return .kept(sequence, replaced: [])
        }

        func putRekeyMessage(
            _ rekeyMessage: RekeyMessage, limits: RelayLimits
        ) throws(StoreFault) -> Bool {
            // A space without encryption has no rekey messages.
            guard rekeyMessage.generation <= state.generation, state.generation > 0,
                rekeyMessage.verifier != state.verifier
            else { return false }
            let mark = rekeyMessage.mark
            let isKnown = found.rekeyMessages.contains {
                $0.mark == mark && $0.generation == rekeyMessage.generation
            }
            if isKnown { return true }
            let byteCount = RelayQuota.byteCount(ofRekeyMessage: rekeyMessage.bytes.count)
            let old = found.rekeyMessages.first { $0.mark.verifier == mark.verifier }
            let growth = byteCount - (old?.countedByteCount ?? 0)
            if growth > 0, state.byteCount + growth > limits.spaceByteCountMax { return false }
            if let old { dropRekeyMessage(old) }
            let number = (found.rekeyMessages.last?.number ?? 0) + 1
            found.rekeyMessages.append(
                PostgreSQLRekeyMessage(
                    number: number, mark: mark, generation: rekeyMessage.generation,
                    byteCount: rekeyMessage.bytes.count))
            freshRekeyMessages.append((number, rekeyMessage))
            state.byteCount += byteCount
            while found.rekeyMessages.count > WireLimits.rekeyMessageCountMax,
                let oldest = found.rekeyMessages.min(by: { $0.generation < $1.generation })
            {
                dropRekeyMessage(oldest)
            }
            return found.rekeyMessages.contains { $0.mark == mark }
        }

        private func dropRekeyMessage(_ old: PostgreSQLRekeyMessage) {
            found.rekeyMessages.removeAll { $0.mark.verifier == old.mark.verifier }
            freshRekeyMessages.removeAll { $0.message.verifier == old.mark.verifier }
            goneRekeyMessages.append(old.mark.verifier)
            state.byteCount -= old.countedByteCount
        }

        // MARK: The end

        /// The statements for the end of the transaction.
        var queries: [PostgreSQLQuery] {
            let space = PostgreSQLValue.identifier(state.space.value)
            let relay = PostgreSQLValue.identifier(state.relay.value)
            var queries = epochQueries
            if !gone.isEmpty { queries.append(PostgreSQLWriting.drop(relay, .unsigneds(gone))) }
            for (sequence, change) in fresh.sorted(by: { $0.key < $1.key }) {
                queries.append(
                    PostgreSQLWriting.insert(
                        relay, .unsigned(sequence),
                        noted[sequence].map { .unsigned($0) } ?? .null,
                        .flag(change.isDeferred), .identifier(change.name.id.value),
                        .identifier(VersionMark(of: change).hash),
                        .bytes(RelayClock.bytes(of: change.clock)), .bytes(change.body)))
            }
            let old = noted.filter { fresh[$0.key] == nil }.sorted { $0.key < $1.key }
            if !old.isEmpty {
                queries.append(
                    PostgreSQLWriting.note(
                        relay, .unsigneds(old.map(\.key)), .unsigneds(old.map(\.value))))
            }
            for (_, numbered) in freshRows.sorted(by: { $0.value.sequence < $1.value.sequence }) {
                queries.append(
                    PostgreSQLWriting.insertRow(
                        relay, .unsigned(numbered.sequence), .unsigned(numbered.row.number),
                        .identifier(numbered.row.key.replica.value),
                        .bytes(PostgreSQLReading.bytes(of: numbered.row.key.about)),
                        .bytes(numbered.row.bytes)))
            }
            for verifier in goneRekeyMessages {
                queries.append(PostgreSQLWriting.dropRekeyMessage(space, .bytes(verifier)))
            }
            for (number, message) in freshRekeyMessages {
                queries.append(
                    PostgreSQLWriting.insertRekeyMessage(
                        space, .number(number), .number(Int64(message.generation)),
                        .identifier(message.mark.hash), .bytes(message.verifier),
                        .bytes(message.bytes)))
            }
            for (replica, noted) in uploaded.sorted(by: { $0.key < $1.key }) {
                queries.append(
                    PostgreSQLWriting.noteUploaded(
                        space, .unsigned(noted.checkpoint.epoch.value),
                        .unsigned(noted.checkpoint.sequence), .unsigned(noted.arrival),
                        .identifier(replica.value)))
            }
            if !uploaded.isEmpty {
                queries.append(
                    PostgreSQLWriting.forgetUploaded(space, .number(Int64(replicaCountMax))))
            }
            if state != before { queries.append(state.saving) }
            return queries
        }
    }
#endif
