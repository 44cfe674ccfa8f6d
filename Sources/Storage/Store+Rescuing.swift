import Core

/// Going on with what can be read of a damaged store.
extension Store {
    /// The greatest damaged database that is read, in bytes, and the longest log beside it: both are held in memory.
    package static let rescueByteCountMax = 1 << 30

    /// Looks what can be read of a store that does not open or is damaged, and puts a whole one in its place.
    ///
    /// The damaged files are moved to a folder beside it, and never changed. If the program ends on the way,
    /// either store is in place, and it can be done once more.
    /// - Parameters:
    ///   - space: which space it is of, if that is known from elsewhere.
    ///   - deviceName: what to call the device if that cannot be read.
    ///   - scratch: a folder that is made; the caller removes it before and after.
    ///   - isDry: whether to look alone: nothing is changed but in `scratch`.
    /// - Throws: `inUse` if any program has the store open; `noStore`; `corrupt` if nothing can be read and
    ///   there is no whole snapshot, or nobody knows of which space it is. Nothing was changed then.
    package static func rescue(
        folder: String, schema: [CollectionSchema], space: SpaceID?, deviceName: String,
        scratch: String, environment: StoreEnvironment, isDry: Bool
    ) throws(StoreFault) -> RescueReport {
        let paths = StorePaths(folder: folder)
        guard environment.disk.exists(paths.database) else { throw .noStore(folder: folder) }
        let identity = try IdentityGuard(paths: paths, environment: environment)
        let isAlone = try identity.enter()
        defer { identity.release() }
        guard isAlone else {
            throw .inUse(by: environment.disk.opener(ofWitness: paths.witness))
        }
        let rescue = StoreRescue(
            paths: paths, schema: schema, environment: environment, space: space,
            deviceName: deviceName, scratch: StorePaths(folder: scratch))
        return try rescue.run(identity, isDry: isDry)
    }

    /// Merges what could be read of a damaged store into this one, in one transaction.
    ///
    /// - Parameter statements: what the damaged store vouched for; believed where it had nothing beyond
    ///   that, and what is here now adds up to the same tally.
    /// - Returns: how many records are newer than before, and those that there is no room for.
    func take(
        _ records: SalvagedRecords, vouchedBy statements: [StatementEntry]
    ) throws(StoreFault) -> (newCount: Int, refused: Set<RecordID>) {
        let readIDs = records.readIDs
        return try changing { () throws(StoreFault) in
            var newer: Set<RecordID> = []
            var refused: Set<RecordID> = []
            for change in records.changes + records.parked {
                if let old = try find(change.id), old.record.clock.covers(change.clock) { continue }
                if !hasRoom(for: change.clock) {
                    refused.insert(change.id)
                    continue
                }
                for entry in change.clock.entries where entry.replica != state.replica {
                    state.replicas.doubtOpening(of: entry.replica, before: entry.counter)
                }
                var result = Integration()
                try integrateAgain(change, &result)
                if result.changedCount > 0, readIDs.contains(change.id) {
                    newer.insert(change.id)
                }
            }
            for entry in statements where entry.isComplete {
                guard let place = state.replicas.place(of: entry.replica), place != state.ownPlace
                else { continue }
                let mine = state.replicas[place]
                if mine.tally == entry.tally, mine.seen == entry.counter,
                    mine.counter < entry.counter
                {
                    state.replicas.change(place) { $0.counter = entry.counter }
                }
            }
            return (newer.count, refused)
        }
    }

    /// Whether the table of replicas has room for those in a clock.
    private func hasRoom(for clock: VersionVector) -> Bool {
        let newCount = clock.entries.count { state.replicas.place(of: $0.replica) == nil }
        return state.replicas.entries.count + newCount <= WireLimits.replicaCountMax
    }

    /// Remembers, for people, why this store is another replica than the damaged one.
    func noteRescue(of old: ReplicaID?) throws(StoreFault) {
        try changing { () throws(StoreFault) in
            let known = try connection.statement(
                "UPDATE identity_change SET reason = ? WHERE new = ? RETURNING old")
            known.bind(1, "\(IdentityDoubt.rescued)")
            known.bind(2, identifier: state.replica.value)
            var olds: Set<ReplicaID> = []
            while try known.step() {
                if let id = known.identifier(0) { olds.insert(ReplicaID(value: id)) }
            }
            guard let old, !olds.contains(old) else { return }
            try noteIdentityChange(from: old, because: .rescued)
        }
    }
}
