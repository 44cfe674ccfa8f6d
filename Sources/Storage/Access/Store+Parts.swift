import Core

// The questions of other modules to a store, each answered by the part that owns the matter.

// MARK: Sessions

extension Store {
    /// The store's replica and state summary, for a greeting; all of it is on the disk when this returns.
    package func greeting(to peer: ReplicaID?) throws(StoreFault) -> Greeting {
        try reader.greeting(to: peer)
    }

    /// The replicas whose entries in the state summary changed after a peer's summary checkpoint; nil if that is not
    /// known, or they are too many for a list.
    package func moved(since summary: Checkpoint) throws(StoreFault) -> [ReplicaID]? {
        try reader.moved(since: summary)
    }

    /// Forgets how far a peer was read and its summary adopted.
    package func dropCheckpoints(of peer: ReplicaID) throws(StoreFault) {
        // A peer of which nothing is remembered costs no write, whatever it says.
        let known = try database.reading { () throws(StoreFault) in
            try checkpoints.checkpoint(of: peer)
        }
        guard known.checkpoint != nil || known.summary != nil else { return }
        try database.changing { () throws(StoreFault) in try checkpoints.drop(peer) }
    }

    /// Reads the next changes that a peer may lack; every dot in them is on the disk when this returns.
    ///
    /// - Parameters:
    ///   - peerHas: records that this covers are passed over; values under it are left out.
    ///   - wanted: records to read whole, out of turn.
    ///   - isFull: whether every record is read, whole.
    ///   - byteCountMax: the most bytes of bodies; a single longer one is read alone.
    package func read(
        from start: ReadRequest.Start, peerHas: PeerHoldings, wanted: [RecordName] = [],
        isFull: Bool = false, byteCountMax: Int = WireLimits.batchByteCountMax
    ) throws(StoreFault) -> Reading {
        try reader.read(
            from: start, peerHas: peerHas, wanted: wanted, isFull: isFull,
            byteCountMax: byteCountMax)
    }

    /// The news after an arrival number, in one transaction that writes and flushes nothing.
    package func news(after sequence: UInt64) throws(StoreFault) -> News {
        try reader.news(after: sequence)
    }

    /// The format of the stores that this program writes.
    package static var formatMax: Int { Migrations.formatMax }

    /// The disk that the store is on.
    package var disk: any StoreDisk { database.environment.disk }

    /// The identity of the running system, another one after each start.
    package var boot: String { database.environment.boot }

    /// The counters up to which writes are integrated or deferred, as far as this process has looked.
    package var versionVector: VersionVector { knowledge.replicas.knowledge }

    /// Merges changes and remembers how far they reach, in one transaction; see `Integrator`.
    ///
    /// - Parameters:
    ///   - checkpoint: how far into the peer's sequence these reach; not remembered while a record is wanted.
    ///   - isRepair: whether records with equal clocks and different contents are united.
    ///   - startsSession: whether it is the first of a session.
    ///   - relayed: what else there is to know of a batch of a relay.
    ///   - mergesUnheld: whether deletes that are held are set aside, and the rest is merged.
    package func integrate(
        _ changes: [Change], from peer: ReplicaID, checkpoint: Checkpoint?,
        incarnations: [ChangeBatch.AnnouncedIncarnation] = [], isRepair: Bool = false,
        startsSession: Bool = false, relayed: RelayedBatch = RelayedBatch(),
        mergesUnheld: Bool = false
    ) throws(StoreFault) -> Integration {
        try integrator.integrate(
            changes, from: peer, checkpoint: checkpoint, incarnations: incarnations,
            isRepair: isRepair, startsSession: startsSession, relayed: relayed,
            mergesUnheld: mergesUnheld)
    }

    /// Takes over what a peer vouches for, entry by entry, where the checksums agree.
    package func join(
        _ stateSummary: StateSummary, from peer: ReplicaID, through: Checkpoint,
        summarySequence: UInt64? = nil
    ) throws(StoreFault) -> Joining {
        try joiner.join(
            stateSummary, from: peer, through: through, summarySequence: summarySequence)
    }

    /// Takes over what a peer vouches for, of which only some entries are open; see `StateSummaryJoiner`.
    package func join(
        open: [StateSummaryEntry], of stateSummary: StateSummary, sum: UInt128,
        from peer: ReplicaID,
        through: Checkpoint, summarySequence: UInt64? = nil
    ) throws(StoreFault) -> Joining {
        try joiner.join(
            open: open, of: stateSummary, sum: sum, from: peer, through: through,
            summarySequence: summarySequence)
    }

    /// Takes over what devices vouch for in their summary rows at a relay; see `SummaryRowJoiner`.
    package func join(_ request: SummaryRowsRequest) throws(StoreFault) -> SummaryRowsAnswer {
        try rowJoiner.join(request)
    }

    /// The summary rows that this device is to state at a relay: those that differ from the last ones it stated there, and
    /// that no other device has stated with the same content.
    ///
    /// - Parameters:
    ///   - earlier: a summary that is stated already.
    ///   - withOthers: whether entries about other replicas and the digests are stated as well.
    package func dueSummaryRows(
        _ stateSummary: StateSummary, since earlier: StateSummary?, withOthers: Bool,
        at relay: ReplicaID
    ) throws(StoreFault) -> [DueSummaryRow] {
        try reader.dueSummaryRows(
            stateSummary, since: earlier, withOthers: withOthers, at: relay)
    }

    /// The changes that are deferred, oldest first.
    package func allDeferred() throws(StoreFault) -> [Deferred] { try deferred.all() }
}

// MARK: How far others have it

extension Store {
    /// Says under which id the session speaks that asks next: what it exchanges is not remembered under another one.
    package func speak(as replica: ReplicaID) { checkpoints.speaker = replica }

    /// Remembers that a relay has everything up to a checkpoint of this store, and rows of its summary.
    package func noteUploaded(
        through: Checkpoint, _ rows: [DueSummaryRow] = [], to relay: ReplicaID
    ) throws(StoreFault) {
        if rows.isEmpty, try outgoing.uploadMark(at: relay) == through { return }
        try database.changing { () throws(StoreFault) in
            guard checkpoints.isSpeaker else { return }
            try outgoing.noteUploaded(through: through, to: relay)
            try summaryRows.noteStated(rows, through: through.sequence, at: relay)
        }
    }

    /// Remembers, as long as the store is open, that up to a checkpoint all but some records are as a relay
    /// sent them.
    package func noteFetched(through: Checkpoint, lacking: Set<RecordName>, from relay: ReplicaID) {
        guard checkpoints.isSpeaker else { return }
        outgoing.noteFetched(through: through, lacking: lacking, from: relay)
    }

    /// The most devices of which it is remembered how far they have this store.
    package static let sentCountMax = OutgoingCheckpoints.deviceCountMax

    /// Remembers that a device has everything up to an arrival number of this store.
    package func noteSent(through sequence: UInt64, to device: ReplicaID) throws(StoreFault) {
        try outgoing.noteSent(through: sequence, to: device)
    }

    /// The arrival number of this store up to which a relay or a device has everything; nil if it is not known.
    package func sentThrough(to peer: ReplicaID) throws(StoreFault) -> UInt64? {
        try outgoing.sentThrough(to: peer)
    }

    /// How many records have changed behind an arrival number; those of devices do not count.
    package func changedCount(after sequence: UInt64) throws(StoreFault) -> Int {
        try records.changedCount(after: sequence)
    }

    /// Notes that this store and a peer had all of each other just now, also where neither had anything new.
    package func noteContact(with peer: ReplicaID) throws(StoreFault) {
        try checkpoints.noteContact(with: peer)
    }
}

// MARK: Deletes that are held

extension Store {
    /// The field of a device's record with the number of deletes that are held there; absent or null if
    /// none are.
    package static let heldField = MassDeleteGuard.heldField

    /// The field of a device's record with the keys that it revoked.
    package static let revokedField = RevokedKeys.number

    /// The keys that a device's record says are out.
    package static func revokedKeys(in record: RecordState) -> Set<[UInt8]> {
        RevokedKeys.keys(in: record)
    }

    /// The deletes that are held until a person confirms them, oldest first.
    package func heldDeletes() throws(StoreFault) -> [HeldDeletes] { try deleteGuard.heldDeletes() }

    /// The records that held deletes have deleted already, the latest first: a refusal brings them back too.
    package func recordsTaken(by held: HeldDeletes) throws(StoreFault) -> [RecordName] {
        try database.reading { () throws(StoreFault) in try refusals.taken(held).map(\.name) }
    }

    /// Forgets that deletes of peers are held; those that are set aside stay until they are answered.
    package func forgetHeldDeletes(of peers: [ReplicaID]) throws(StoreFault) {
        try database.changing { () throws(StoreFault) in
            for peer in peers where try heldChanges.count(of: peer) == 0 {
                try deleteGuard.forget(peer)
            }
        }
    }

    /// Whether deletes of a peer are held.
    package func holdsDeletes(of peer: ReplicaID) throws(StoreFault) -> Bool {
        try deleteGuard.holdsDeletes(of: peer)
    }

    /// Confirms the deletes that are held: the next session with that peer merges them; those that were set aside are
    /// merged at once.
    ///
    /// - Parameter peers: whose; nil for all that are held.
    /// - Returns: how many peers' deletes were held.
    @discardableResult
    package func acceptDeletes(of peers: [ReplicaID]? = nil) throws(StoreFault) -> Int {
        let answered = try deleteGuard.heldDeletes(of: peers)
        if answered.isEmpty { return 0 }
        // A crash in between leaves the rest held.
        for held in answered { try integrator.integrateHeld(held) }
        try deleteGuard.acceptDeletes(of: peers)
        return answered.count
    }

    /// Refuses the deletes that are held: the next sessions merge them, whichever way they come, and
    /// `bringBackRefused` brings the records back, also for other devices that took the deletes.
    ///
    /// A refusal holds for the deletes of the same devices until a session has brought all that is known of them now,
    /// however many; no clock counts.
    /// - Parameters:
    ///   - peers: whose; nil for all that are held.
    ///   - outcasts: replicas whose later deletes are refused as well, as their devices were revoked.
    /// - Returns: how many peers' deletes were held.
    @discardableResult
    package func refuseDeletes(
        of peers: [ReplicaID]? = nil, outcasts: Set<ReplicaID> = []
    ) throws(StoreFault) -> Int {
        let answered = try deleteGuard.heldDeletes(of: peers)
        let count = try deleteGuard.refuseDeletes(of: peers, outcasts: outcasts, by: refusals)
        // A crash in between has them held anew when the store is opened.
        var due: [HeldDeletes] = []
        for held in answered where try integrator.preparesHeld(held) { due.append(held) }
        if due.isEmpty { return count }
        // In one transaction: a session of another process must not send the deletes without what brings them back.
        let broughtBackCount = try edit { transaction throws(StoreFault) in
            for held in due { try integrator.mergeHeld(held) }
            return try refusals.bringBackAll(in: transaction)
        }
        refusals.hasBroughtBack(broughtBackCount)
        return count
    }

    /// Refuses all deletes that some replicas have made or will have made, held or not, whichever way they come.
    package func refuseAllDeletes(by replicas: Set<ReplicaID>) throws(StoreFault) {
        let peers = try deleteGuard.peers(holdingDeletesOf: replicas)
        try refuseDeletes(of: peers, outcasts: replicas)
        let authors = VersionVector(
            unsorted: replicas.map {
                VersionVector.Entry(
                    replica: $0, counter: max(versionVector.counter(of: $0), 1))
            })
        try changing { () throws(StoreFault) in
            try refusals.refuse(authors, outcasts: replicas)
        }
    }

    /// The records that refused deletes have deleted here and that are not back yet.
    package func refusedRecords() throws(StoreFault) -> [RecordName] { try refusals.records() }

    /// Brings back the records that refused deletes have deleted here, by an edit of its own.
    ///
    /// - Returns: whether any record was.
    @discardableResult
    package func bringBackRefused() throws(StoreFault) -> Bool { try refusals.bringBack() }

    /// How many versions at a relay could not be opened, and have not come another way since.
    package func unopenedCount(at relay: ReplicaID) throws(StoreFault) -> Int {
        try database.reading { () throws(StoreFault) in try unopened.missedCount(at: relay) }
    }

    /// How many records that refused deletes have deleted here could not be brought back.
    package func unrestoredCount() throws(StoreFault) -> Int { try refusals.failedCount() }

    /// How many records were brought back since the store was opened.
    package var broughtBackCount: Int { refusals.broughtBackCount }

    /// Publishes the number of held deletes in this device's record.
    ///
    /// - Returns: whether anything was written.
    @discardableResult
    package func tellHeldDeletes() throws(StoreFault) -> Bool {
        try deleteGuard.publishHeldDeletes()
    }
}

// MARK: Identity

extension Store {
    /// Why the store took a new replica id while it was open, or as it was opened; nil if it kept its own.
    package var suspicion: CloneSuspicion? { replicaIdentity.suspicion }

    /// A stranger may greet with our id as often as he likes; a copy does so once.
    package static let identityChangeMillisecondsMin = ReplicaIdentity.identityChangeMillisecondsMin

    /// The most openings that are remembered.
    package static let epochCountMax = Incarnations.epochCountMax

    /// The ids that this store gave up, oldest first.
    package func identityChanges() throws(StoreFault) -> [IdentityChange] {
        try replicaIdentity.changes()
    }

    /// Whether an epoch is one of those remembered in which this replica wrote under its present id.
    package func isOwn(_ epoch: EpochID) throws(StoreFault) -> Bool {
        try replicaIdentity.isOwn(epoch)
    }

    /// Whether a peer's memory of this replica is not of its own past.
    ///
    /// - Parameters:
    ///   - counter: the highest counter of ours that the peer has integrated.
    ///   - epoch: our epoch in which that was given, if the peer knows it.
    package func isSuspicious(counter: UInt64, epoch: EpochID?) throws(StoreFault) -> Bool {
        try replicaIdentity.isSuspicious(counter: counter, epoch: epoch)
    }

    /// The incarnations of a peer that are known here, for the peer's suspicion about itself.
    package func history(of peer: ReplicaID) throws(StoreFault) -> History {
        try reading { () throws(StoreFault) in try knowledge.history(of: peer) }
    }

    /// Compares a peer's knowledge of this replica's incarnations with its own, and takes a new id if they
    /// are of different pasts.
    ///
    /// - Parameters:
    ///   - isCertain: whether a new id is taken in any case, as when a peer greets with ours.
    ///   - peer: the device key of the peer by whose word this is, or what stands for one; nil if that is not known.
    /// - Returns: whether a new id was taken.
    package func resolve(
        _ history: History, isCertain: Bool = false, toldBy peer: [UInt8]? = nil
    ) throws(StoreFault) -> Bool {
        try replicaIdentity.resolve(history, isCertain: isCertain, toldBy: peer)
    }

    /// The most new ids that a peer's word brings about within `peerChangeMilliseconds`; then the peer is refused.
    package static let peerChangeCountMax = ReplicaIdentity.peerChangeCountMax

    /// The time for which a new id counts against the peer that brought it about; milliseconds.
    package static let peerChangeMilliseconds = ReplicaIdentity.peerChangeMilliseconds

    /// The peers by whose word this store took so many new ids within a day that they are refused.
    package func identitySpenders() throws(StoreFault) -> [IdentitySpender] {
        try reading { () throws(StoreFault) in try replicaIdentity.spenders() }
    }

    /// Forgets that new ids were taken by a peer's word.
    package func forgiveIdentityChanges(toldBy peer: [UInt8]) throws(StoreFault) {
        try replicaIdentity.forgive(peer)
    }

    /// Takes a new id if changes name writes of this replica that it never made: it was set back.
    package func resolve(writesIn changes: [Change]) throws(StoreFault) {
        try replicaIdentity.resolve(writesIn: changes)
    }
}

// MARK: The space

extension Store {
    /// Refuses what only a program that is alone with the store may do.
    ///
    /// - Throws: `inUse` if another program had the store open when this one opened it.
    package func refuseIfOpenElsewhere() throws(StoreFault) {
        guard incarnations.wasOpenedAlone else {
            throw .inUse(
                by: .processes(database.environment.disk.opener(ofLockFile: paths.lockFile)))
        }
    }

    /// Takes the store, with all its records and writes, into another space.
    ///
    /// Nothing of a record changes but what `body` edits. What peers were read of is forgotten, as none of them is of
    /// the new space; the rows are written anew if its rule for deletes is another.
    ///
    /// - Parameter body: edits that are part of the move: a crash leaves both or neither.
    /// - Throws: as `refuseIfOpenElsewhere`.
    package func enter(
        space: SpaceID, policy: DeletePolicy,
        editing body: (Transaction) throws(StoreFault) -> Void = { _ throws(StoreFault) in }
    ) throws(StoreFault) {
        try refuseIfOpenElsewhere()
        let isNewRule = policy != knowledge.policy
        try changing { () throws(StoreFault) in
            try knowledge.enter(space, policy)
            try checkpoints.forgetAll()
            try outgoing.forgetRelays()
            try unopened.forgetAll()
            try summaryRows.forgetAll()
            try deleteGuard.forgetAll()
            try heldChanges.forgetAll()
            try revokedKeys.forgetAll()
            try refusals.forgetAll()
            try members.forgetAddresses()
            if isNewRule { try schemaAdoption.rebuildAll() }
            let transaction = Transaction(self)
            try body(transaction)
            transaction.finish()
        }
    }

    /// The last arrival number in the collection of devices: another one means that a record there has changed.
    package func deviceSequence() throws(StoreFault) -> UInt64 { try members.deviceSequence() }

    /// Every record of the collection of devices, whatever its state.
    package func deviceRecords() throws(StoreFault) -> [Record] {
        try members.deviceRecords()
    }

    /// The keys of devices whose revocation stood in a record once, and was taken away by a merge.
    package func lostRevocations() throws(StoreFault) -> [[UInt8]] { try revokedKeys.all() }

    /// The replica ids that wrote something which is here, and that have no device record.
    package func undocumentedReplicas() throws(StoreFault) -> [UndocumentedReplica] {
        try origins.undocumented()
    }

    /// The name of a device; nil if it has none here yet.
    package func deviceName(of replica: ReplicaID) throws(StoreFault) -> String? {
        try members.deviceName(of: replica)
    }

    /// Remembers the replica that answers at an address, for the next greeting.
    package func remember(_ replica: ReplicaID, at address: String) throws(StoreFault) {
        try members.remember(replica, at: address)
    }

    /// The replica that answered at an address last time.
    package func replica(at address: String) throws(StoreFault) -> ReplicaID? {
        try members.replica(at: address)
    }

    /// All addresses at which a replica has answered, each with the last one.
    package func knownAddresses() throws(StoreFault) -> [(address: String, replica: ReplicaID)] {
        try members.knownAddresses()
    }

    /// Forgets addresses of relays, and the stores of relays that are at no address any more: those too that a relay had
    /// under an earlier secret.
    package func forgetRelays(at addresses: [String]) throws(StoreFault) {
        if addresses.isEmpty { return }
        try database.changing { () throws(StoreFault) in
            var gone: [ReplicaID] = []
            for address in addresses {
                if let replica = try members.replica(at: address) { gone.append(replica) }
                try members.forget(address)
            }
            let kept = Set(try members.knownAddresses().map(\.replica))
            // Devices say their names, so a peer that has neither a name nor an address is the store of a relay.
            for peer in try checkpoints.contacts()
            where try members.deviceName(of: peer.replica) == nil {
                gone.append(peer.replica)
            }
            for relay in gone where !kept.contains(relay) {
                try checkpoints.forget(relay)
                try summaryRows.forget(relay)
            }
        }
    }

    /// Forgets when peers were met, and how far they were read.
    package func forgetContacts(with peers: [ReplicaID]) throws(StoreFault) {
        try database.changing { () throws(StoreFault) in
            for peer in peers { try checkpoints.forget(peer) }
        }
    }

    /// Whether deletes that were refused here are yet to come, so that their records stay only once the next exchange has
    /// sent them back.
    package func awaitsRefusedDeletes() throws(StoreFault) -> Bool {
        try refusals.isAwaited()
    }

    /// Records of devices as changes, whole, in the order of their ids.
    package static func changes(of devices: [Record]) -> [Change] {
        SpaceMembers.changes(of: devices)
    }

    /// Brings to the disk what was read for a rekey message, as it is to leave.
    package func leaveInRekeyMessages() throws(StoreFault) {
        try incarnations.speaking { () throws(StoreFault) in }
    }

    /// Merges the records of devices that came in a rekey message; nothing else is taken from there.
    package func applyRekeyMessage(_ changes: [Change]) throws(StoreFault) {
        let devices = SpaceMembers.deviceChanges(in: changes)
        if devices.isEmpty { return }
        try resolve(writesIn: devices)
        // Whoever wrote them: no session with that one begins or ends here, and no live to-do is among them.
        _ = try integrate(devices, from: replica, checkpoint: nil, isRepair: true)
    }
}

// MARK: Local metadata, counts, upkeep

extension Store {
    /// All entries of a namespace of the local metadata, by name.
    package func localMetadata(in namespace: String) throws(StoreFault) -> [String: [UInt8]] {
        try metadata.all(in: namespace)
    }

    /// The entry of a name in a namespace of the local metadata; nil if there is none.
    package func localMetadata(
        named name: String, in namespace: String
    ) throws(StoreFault) -> [UInt8]? {
        try metadata.entry(named: name, in: namespace)
    }

    /// How often this process brought the log to the disk before something left for a peer.
    package var flushCount: Int { incarnations.flushCount }

    /// How many statements of this process have looked records up by their ids.
    package var lookupCount: Int { records.lookupCount }

    /// Whether edits or deletes win in the store's space.
    package var policy: DeletePolicy { knowledge.policy }

    /// The facts about the store that people ask for.
    package func summary() throws(StoreFault) -> StoreSummary {
        try database.reading { () throws(StoreFault) in
            StoreSummary(
                space: knowledge.space, policy: knowledge.policy, replica: knowledge.replica,
                deviceName: knowledge.deviceName, counter: knowledge.counter,
                sequence: knowledge.sequence, knowledge: knowledge.replicas.knowledge,
                peers: try checkpoints.contacts(), digest: knowledge.digest,
                deferredCount: try deferred.count())
        }
    }

    /// The state summary, read in one transaction that writes and flushes nothing.
    package func stateSummary() throws(StoreFault) -> StateSummary {
        try database.reading { () throws(StoreFault) in knowledge.stateSummary }
    }

    /// Looks for damage: pages, rows, and the sums that are kept along.
    ///
    /// - Parameter models: descriptions of tables from the examination of other stores.
    /// - Returns: nothing if all is well.
    package func examine(
        models: TableModels = TableModels()
    ) throws(StoreFault) -> [StoreFinding] {
        try maintenance.examine(models: models)
    }

    /// Makes all indexes anew from the rows.
    package func rebuildIndexes() throws(StoreFault) { try maintenance.rebuildIndexes() }

    /// Counts the sums anew that are kept along with the records.
    package func recount() throws(StoreFault) { try maintenance.recount() }

    /// From now on commits of this process leave the folding of the log into the file to `foldLog`.
    package func postponeFolding() throws(StoreFault) { try maintenance.postponeFolding() }

    /// Folds the log into the file, as far as nobody reads older parts of it.
    package func foldLog() throws(StoreFault) { try maintenance.foldLog() }

    /// Purges what has long been in the trash, once a day; see `Maintenance`.
    ///
    /// - Returns: how many records were purged.
    package func purgeOldTrash() throws(StoreFault) -> Int { try maintenance.purgeOldTrash() }
}
