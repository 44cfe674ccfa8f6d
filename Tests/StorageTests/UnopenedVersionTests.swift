import Core
import Storage
import TestSupport
import Testing

@Suite("Versions at relays that could not be opened")
struct UnopenedVersionTests {
    private let relay = ReplicaID(value: 77)
    private let author = ReplicaID(value: 78)
    private let through = Checkpoint(epoch: EpochID(value: 9), sequence: 7)

    private func version(_ id: UInt128, _ counter: UInt64, _ byte: UInt8 = 0xff) -> Change {
        Change(
            RecordName(.relayed, RecordID(value: id)),
            clock: VersionVector(Dot(replica: author, counter: counter)), body: [byte])
    }

    /// Joins an entry of a replica that another device states at a relay; nothing if it is nil.
    private func join(
        _ replica: ReplicaID?, _ counter: UInt64 = 5, at relay: ReplicaID,
        isFromStart: Bool = false, into store: Store
    ) throws -> Joining {
        let rows = replica.map { replica in
            let entry = StateSummaryEntry(
                replica: replica, counter: counter, checksum: 4711, seen: counter)
            return HeardSummaryRow(
                key: SummaryRow.Key(ReplicaID(value: 90), about: replica), number: 1, hash: 1,
                content: .entry(entry, nil))
        }
        return try store.join(
            SummaryRowsRequest(
                relay: relay, through: through, rows: rows.map { [$0] } ?? [],
                startsOver: isFromStart, isFromStart: isFromStart)
        ).joining
    }

    private func integrate(_ unopened: [Change], into store: Store) throws {
        var relayed = RelayedBatch()
        relayed.unopened = unopened
        _ = try store.integrate([], from: relay, checkpoint: through, relayed: relayed)
    }

    @Test("it costs no checkpoint, and is to be told until the relay says that it has it")
    func remembered() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try integrate([version(1, 5), version(2, 6)], into: store)
        try integrate([version(1, 5)], into: store)
        #expect(try store.greeting(to: relay).peerCheckpoint?.checkpoint == through)
        let marks = [VersionMark(of: version(1, 5)), VersionMark(of: version(2, 6))]
        #expect(try store.unopened(at: relay).untold == marks)
        #expect(try store.unopened(at: author).count == 0)
        var answer = UnreadableVersions([marks[0]])
        #expect(try !store.settleUnopened(answer, at: relay, uploadingAgain: []))
        #expect(try store.unopened(at: relay).untold == [marks[1]])
        #expect(try store.unopened(at: relay, isSetBack: true).untold == marks)
        // Versions that the relay does not have came altered: the relay is read anew, and asked again only if that comes again.
        answer = UnreadableVersions([], unknown: [marks[1], VersionMark(of: version(3, 7))])
        #expect(try store.settleUnopened(answer, at: relay, uploadingAgain: []))
        #expect(try store.unopened(at: relay).count == 2)
        #expect(try store.greeting(to: relay).peerCheckpoint?.checkpoint == nil)
        try integrate([version(2, 6)], into: store)
        #expect(try store.unopened(at: relay).untold == marks)
        // From the second time on it is read so once a wait is over, and counts as read until then.
        #expect(try !store.settleUnopened(answer, at: relay, uploadingAgain: []))
        #expect(try store.greeting(to: relay).peerCheckpoint?.checkpoint == through)
        store.close()
        #expect(try world.open("a").unopened(at: relay).untold == [marks[0]])
    }

    @Test(
        "a relay that alters what it sends is read from its start after a wait that doubles, until it sends nothing altered"
    )
    func altered() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let answer = UnreadableVersions([], unknown: [VersionMark(of: version(1, 5))])
        try integrate([version(1, 5)], into: store)
        _ = try join(author, at: relay, into: store)
        #expect(try store.settleUnopened(answer, at: relay, uploadingAgain: []))
        var minutes: Int64 = 15
        for round in 0..<9 {
            // An altered version stays unread, is excused and known, and nobody asks anew.
            try integrate([version(1, 5)], into: store)
            let anew = try join(author, at: relay, isFromStart: true, into: store)
            #expect(!anew.isMismatched && !anew.isWithheld)
            #expect(try !store.settleUnopened(answer, at: relay, uploadingAgain: []))
            let unopened = try store.unopened(at: relay)
            #expect(unopened.count == 1 && unopened.untold.isEmpty)
            #expect(try store.summary().peers.allSatisfy(\.isSuspect))
            #expect(try store.greeting(to: relay).peerCheckpoint?.checkpoint == through)
            if round == 8 { break }
            world.now += minutes * 60_000 - 30_000
            #expect(try !join(nil, at: relay, into: store).isMismatched, "\(minutes) minutes")
            world.now += 60_000
            #expect(try join(nil, at: relay, into: store).isMismatched, "\(minutes) minutes")
            #expect(try store.greeting(to: relay).peerCheckpoint?.checkpoint == nil)
            minutes = min(minutes * 2, 24 * 60)
        }
        // An honest reading ends it. The wait stays for a day: the next lie costs no reading, one after that day does.
        for isLater in [false, true] {
            if isLater { world.now += 24 * 3_600_000 }
            _ = try join(nil, at: relay, isFromStart: true, into: store)
            #expect(try store.unopened(at: relay).count == 0)
            #expect(try store.summary().peers.allSatisfy { !$0.isSuspect })
            try integrate([version(1, 5)], into: store)
            #expect(try store.settleUnopened(answer, at: relay, uploadingAgain: []) == isLater)
        }
    }

    @Test("a relay that alters now and then is read from its start by the waits, not for each lie")
    func alteredNowAndThen() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        var counter: UInt64 = 5
        /// One visit with a lie; whether the relay is to be read from its start.
        func lie() throws -> Bool {
            counter += 1
            try integrate([version(1, counter)], into: store)
            let joining = try join(author, counter, at: relay, into: store)
            let answer = UnreadableVersions([], unknown: [VersionMark(of: version(1, counter))])
            let isNew = try store.settleUnopened(answer, at: relay, uploadingAgain: [])
            return joining.isMismatched || isNew
        }
        /// One honest visit; whether the relay is to be read from its start.
        func honest(isFromStart: Bool) throws -> Bool {
            try join(nil, at: relay, isFromStart: isFromStart, into: store).isMismatched
        }
        #expect(try lie())
        #expect(try !honest(isFromStart: true))
        for minutes in [15, 30, 60] as [Int64] {
            world.now += minutes * 60_000 + 1
            #expect(try lie(), "\(minutes) minutes")
            #expect(try !honest(isFromStart: true))
            for _ in 0..<3 {
                world.now += 60_000
                #expect(try !lie())
                #expect(try !honest(isFromStart: false))
            }
        }
    }

    @Test("a mismatch of the replicas in its clock is excused, one of others is not")
    func excused() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try integrate([version(1, 5)], into: store)
        for _ in 0..<3 {
            let joining = try join(author, at: relay, into: store)
            #expect(!joining.isMismatched && !joining.isWithheld && !joining.hasLearned)
        }
        #expect(try store.summary().knowledge.counter(of: author) == 0)
        #expect(try store.greeting(to: relay).peerCheckpoint?.checkpoint == through)
        let other = ReplicaID(value: 80)
        #expect(try join(other, at: relay, into: store).isMismatched)
        #expect(try store.greeting(to: relay).peerCheckpoint?.checkpoint == nil)
        #expect(try join(other, at: relay, into: store).isWithheld)
        // At another relay it excuses nothing.
        let elsewhere = ReplicaID(value: 81)
        #expect(
            try join(author, at: elsewhere, into: store).isMismatched)
    }

    @Test(
        "what it excuses is read for from the relay's start after a wait, and asked for, and nobody is blamed"
    )
    func excusedIsReadFor() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try integrate([version(1, 5)], into: store)
        #expect(try !join(author, at: relay, into: store).isMismatched)
        var minutes: Int64 = 15
        for round in 0..<9 {
            world.now += minutes * 60_000 - 30_000
            #expect(try !join(nil, at: relay, into: store).isMismatched, "\(minutes) minutes")
            world.now += 60_000
            let due = try join(nil, at: relay, into: store)
            #expect(
                due.isMismatched && due.isOfRowSumAlone && !due.isWithheld, "\(minutes) minutes")
            #expect(try store.greeting(to: relay).peerCheckpoint?.checkpoint == nil)
            #expect(try requests(store).isEmpty == (round == 0), "missing ones stay so until then")
            let anew = try join(author, at: relay, isFromStart: true, into: store)
            #expect(!anew.isMismatched && !anew.isWithheld)
            #expect(try store.greeting(to: relay).peerCheckpoint?.checkpoint == through)
            #expect(try requests(store) == (round < 6 ? [2] : [UInt64(round) - 3]))
            minutes = min(minutes * 2, 24 * 60)
        }
        #expect(try store.summary().peers.allSatisfy { !$0.isSuspect })
        #expect(try store.missingChanges().isEmpty)
        // An entry that nothing excuses is known as missing when the relay was read for it as well.
        let other = ReplicaID(value: 80)
        #expect(try join(other, at: relay, into: store).isMismatched)
        #expect(try join(other, at: relay, isFromStart: true, into: store).isWithheld)
    }

    /// The numbers of the requests that are to be stated.
    private func requests(_ store: Store) throws -> [UInt64] {
        let due = try store.dueSummaryRows(
            try store.stateSummary(), since: nil, withOthers: true, at: relay)
        return due.compactMap { row in
            if case .entry(_, _, let request?) = row.content { request } else { nil }
        }
    }

    @Test("it is forgotten once its record is here with a clock that covers its own")
    func healed() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("milk", to: a)
        let reading = try a.read(from: .sequence(0), peerHas: PeerHoldings())
        let good = try #require(reading.changes.first { $0.name.id == id })
        let relayName = RecordName(.relayed, RecordID(value: 1))
        let bad = Change(relayName, clock: good.clock, body: [1])
        let replica = try a.summary().replica
        var later = good.clock
        later.set(9, of: replica)
        try integrate([bad, Change(relayName, clock: later, body: [2])], into: b)
        var relayed = RelayedBatch()
        relayed.names = [relayName]
        _ = try b.integrate([good], from: relay, checkpoint: through, relayed: relayed)
        #expect(try b.unopened(at: relay).untold.count == 1, "one says that more is missing")
        // What is known by another path, whatever its relay name, is missed no more.
        let own = try b.summary().replica
        let known = try #require(
            try b.read(from: .sequence(0), peerHas: PeerHoldings()).changes.last)
        let mine = Change(
            RecordName(.relayed, RecordID(value: 2)),
            clock: VersionVector(Dot(replica: own, counter: 1)), body: known.body)
        try integrate([mine], into: b)
        _ = try join(nil, at: relay, into: b)
        #expect(try b.unopened(at: relay).count == 2, "the relay has not heard of it")
        _ = try b.settleUnopened(
            UnreadableVersions([VersionMark(of: mine)]), at: relay, uploadingAgain: [])
        _ = try join(nil, at: relay, into: b)
        #expect(try b.unopened(at: relay).count == 1)
    }

    @Test("of more than are remembered the oldest are forgotten")
    func limit() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let most = 16_384
        try integrate((1...most + 3).map { version(UInt128($0), 1) }, into: store)
        let found = try store.unopened(at: relay)
        #expect(found.count == most)
        #expect(found.untold.first == VersionMark(of: version(4, 1)))
    }

    @Test(
        "a record that is uploaded again gets a new arrival number, and nothing else of it changes")
    func uploadedAgain() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try StoreWorld.add("milk", to: store)
        _ = try StoreWorld.add("bread", to: store)
        let before = try #require(try store.record(id))
        let (sequence, digest) = (store.sequence, try store.stateSummary())
        let mark = VersionMark(of: version(1, 5))
        _ = try store.settleUnopened(
            UnreadableVersions([mark]), at: relay, uploadingAgain: [before.name])
        let after = try #require(try store.record(id))
        #expect(after.sequence == sequence + 1 && after.record == before.record)
        #expect(try store.stateSummary() == digest)
        let reading = try store.read(from: .sequence(sequence), peerHas: PeerHoldings())
        #expect(reading.changes.map(\.name) == [before.name])
        var clocks: [VersionVector] = []
        try store.forEachChange(of: [before.name]) { change throws(StoreFault) in
            clocks.append(change.clock)
        }
        #expect(clocks == [before.record.clock])
        store.close()
        #expect(try world.open("a").record(id)?.sequence == sequence + 1)
    }

    @Test("names are read once: later only those of records and deferred changes that came since")
    func namesSince() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        for number in 0..<5 { try StoreWorld.add("t\(number)", to: store) }
        let (all, through) = try store.recordNames()
        #expect(all.count == 6 && through == store.sequence)
        #expect(try store.recordNames(after: through).names.isEmpty)
        let id = try StoreWorld.add("later", to: store)
        let unreadable = Change(
            RecordName(StoreWorld.todo, RecordID(value: 5)),
            clock: VersionVector(Dot(replica: relay, counter: 1)), body: [0xff])
        _ = try store.integrate([unreadable], from: relay, checkpoint: nil)
        let since = Set(try store.recordNames(after: through).names)
        #expect(since == [RecordName(StoreWorld.todo, id), unreadable.name])
        var found: [Change] = []
        try store.forEachChange(of: since) { change throws(StoreFault) in found.append(change) }
        #expect(found.map(\.isDeferred) == [true, false])
    }
}
