import Core
import Storage
import TestSupport
import Testing

@Suite("Summary rows at relays")
struct SummaryRowTests {
    private let relay = ReplicaID(value: 77)
    private let author = ReplicaID(value: 78)
    private let other = ReplicaID(value: 79)
    private let through = Checkpoint(epoch: EpochID(value: 9), sequence: 7)

    /// A record with one write of the author.
    private func change(_ counter: UInt64, _ id: UInt128 = 60) -> Change {
        let write = Write(
            dot: Dot(replica: author, counter: counter), timestamp: .zero,
            assignments: [Assignment(.number(2), .text("x"))])
        let record = RecordState(clock: VersionVector(write.dot), writes: [write])
        return Change(
            id: RecordID(value: id), clock: record.clock,
            body: BodyCodec.encode(record, in: StoreWorld.todo))
    }

    private func entry(_ counter: UInt64, of store: Store) throws -> StateSummaryEntry {
        let known = try store.stateSummary().entry(of: author)
        return StateSummaryEntry(
            replica: author, counter: counter, checksum: known?.checksum ?? 4711, seen: counter)
    }

    private func row(
        _ content: SummaryRowContent, by replica: ReplicaID, number: UInt64 = 1,
        hash: UInt128 = 1
    ) -> HeardSummaryRow {
        HeardSummaryRow(
            key: SummaryRow.Key(replica, about: content.about), number: number, hash: hash,
            content: content)
    }

    private func join(
        _ rows: [HeardSummaryRow], sum: UInt128? = nil, startsOver: Bool = false,
        into store: Store
    ) throws -> SummaryRowsAnswer {
        try store.join(
            SummaryRowsRequest(
                relay: relay, through: through, rows: rows, rowSum: sum, startsOver: startsOver))
    }

    /// States all that is due, as if the relay had it.
    private func stateAll(_ store: Store) throws {
        try store.noteUploaded(through: through, try due(store), to: relay)
    }

    private func due(
        _ store: Store, since earlier: StateSummary? = nil, withOthers: Bool = true
    ) throws -> [DueSummaryRow] {
        try store.dueSummaryRows(
            try store.stateSummary(), since: earlier, withOthers: withOthers, at: relay)
    }

    @Test(
        "an entry of which a write could not be opened is joined once that is here, without a further word"
    )
    func joinedLater() throws {
        let world = StoreWorld()
        let (store, model) = (try world.create("a"), try world.create("b"))
        let good = change(5)
        _ = try model.integrate([good], from: author, checkpoint: nil)
        let stated = try entry(5, of: model)
        var relayed = RelayedBatch()
        relayed.unopened = [
            Change(RecordName(.relayed, RecordID(value: 1)), clock: good.clock, body: [1])
        ]
        _ = try store.integrate([], from: relay, checkpoint: through, relayed: relayed)
        var answer = try join([row(.entry(stated, nil), by: other)], into: store)
        #expect(!answer.joining.isMismatched && !answer.joining.hasLearned)
        #expect(try store.summary().knowledge.counter(of: author) == 0)
        _ = try store.integrate([good], from: other, checkpoint: nil)
        answer = try join([], into: store)
        #expect(answer.joining.hasLearned)
        #expect(try store.summary().knowledge.counter(of: author) == 5)
        #expect(try !join([], into: store).joining.hasLearned)
    }

    @Test("an earlier row does not take the place of a later one")
    func newest() throws {
        let store = try StoreWorld().create("a")
        _ = try store.integrate([change(5)], from: author, checkpoint: nil)
        let stated = try entry(5, of: store)
        let later = row(.entry(stated, nil), by: other, number: 7, hash: 30)
        let boast = StateSummaryEntry(replica: author, counter: 9, checksum: 1, seen: 9)
        let earlier = row(.entry(boast, nil), by: other, number: 6, hash: 40)
        #expect(try join([later], into: store).joining.hasLearned)
        try stateAll(store)
        let answer = try join([earlier], sum: 30, into: store)
        #expect(!answer.joining.isMismatched, "it is the relay's no more")
    }

    @Test("a relay whose sum of rows is another is read anew, and named at the second time")
    func rowSum() throws {
        let store = try StoreWorld().create("a")
        let digests = row(.digests(sum: 1, 2), by: other, hash: 30)
        try stateAll(store)
        #expect(try !join([digests], sum: 30, into: store).joining.isMismatched)
        #expect(try store.greeting(to: relay).peerCheckpoint?.checkpoint == through)
        #expect(try !join([], sum: nil, into: store).joining.isMismatched, "rows are on their way")
        let first = try join([], sum: 31, into: store)
        #expect(first.joining.isMismatched && !first.joining.isWithheld)
        #expect(first.joining.isOfRowSumAlone)
        #expect(try store.greeting(to: relay).peerCheckpoint?.checkpoint == nil)
        try stateAll(store)
        // It may be a row of this device's own that was lost here, or that another process states now.
        #expect(try !join([digests], sum: 31, into: store).joining.isWithheld)
        try stateAll(store)
        let anew = try join([digests], sum: 31, startsOver: true, into: store).joining
        #expect(anew.isWithheld && !anew.isOfRowSumAlone)
        let again = try join([digests], sum: 30, startsOver: true, into: store)
        #expect(!again.joining.isMismatched)
    }

    @Test("an entry is stated once, and not if another device has stated it so")
    func statedOnce() throws {
        let store = try StoreWorld().create("a")
        let own = try store.summary().replica
        _ = try StoreWorld.add("milk", to: store)
        _ = try store.integrate([change(5)], from: author, checkpoint: nil)
        var rows = try due(store)
        #expect(Set(rows.map(\.content.about)) == [own, author, nil])
        #expect(rows.last?.content.about == nil)
        #expect(rows.allSatisfy { $0.isStated && $0.number == 1 })
        try store.noteUploaded(through: through, rows, to: relay)
        #expect(try due(store).isEmpty)

        // What another device has stated so need not be stated, also when that states something else later.
        let before = try store.stateSummary()
        _ = try store.integrate([change(6, 61)], from: author, checkpoint: nil)
        let now = try #require(try store.stateSummary().entry(of: author))
        _ = try join([row(.entry(now, nil), by: other)], into: store)
        rows = try due(store, since: before)
        #expect(rows.map(\.content.about) == [author, nil])
        #expect(rows.map(\.isStated) == [false, true] && rows.map(\.number) == [1, 2])
        try store.noteUploaded(through: through, rows, to: relay)
        let later = StateSummaryEntry(replica: author, counter: 0, checksum: 1, seen: 5)
        _ = try join([row(.entry(later, nil), by: other, number: 2, hash: 2)], into: store)
        #expect(try due(store).isEmpty)

        // An entry that moves again gets the next number.
        _ = try StoreWorld.add("bread", to: store)
        rows = try due(store)
        #expect(rows.map(\.content.about) == [own, nil] && rows.map(\.number) == [2, 3])
    }

    @Test("between whole summaries a device states the entry about itself alone")
    func ownAlone() throws {
        let store = try StoreWorld().create("a")
        let own = try store.summary().replica
        _ = try store.integrate([change(5)], from: author, checkpoint: nil)
        for number in 1...2 as ClosedRange<UInt64> {
            _ = try StoreWorld.add("milk \(number)", to: store)
            let rows = try due(store, withOthers: false)
            #expect(rows.map(\.content.about) == [own] && rows.map(\.number) == [number])
            try store.noteUploaded(through: through, rows, to: relay)
        }
        let before = try store.stateSummary()
        #expect(try due(store, since: before, withOthers: false).isEmpty)
        #expect(Set(try due(store).map(\.content.about)) == [author, nil])
    }

    @Test("a device that has forgotten what it has stated learns it from the relay")
    func relearned() throws {
        let store = try StoreWorld().create("a")
        let own = try store.summary().replica
        _ = try StoreWorld.add("milk", to: store)
        let stated = try due(store)
        try store.noteUploaded(through: through, stated, to: relay)
        let heard = stated.map { row($0.content, by: own, number: 4) }
        _ = try join(heard, startsOver: true, into: store)
        #expect(try due(store).allSatisfy { !$0.isStated })
        _ = try StoreWorld.add("bread", to: store)
        #expect(try due(store).map(\.number) == [5, 5])
        _ = try join([], startsOver: true, into: store)
        #expect(try due(store).map(\.number) == [1, 1], "a relay that has lost all is told anew")
    }

    @Test("digests that are heard from the relay alone do not keep back entries that it has lost")
    func digestsWithoutEntries() throws {
        let store = try StoreWorld().create("a")
        let own = try store.summary().replica
        _ = try StoreWorld.add("milk", to: store)
        let stated = try due(store)
        #expect(stated.map(\.content.about) == [own, nil])
        try store.noteUploaded(through: through, stated, to: relay)
        #expect(try due(store).isEmpty)

        // The relay has lost the entry, and knows the digests.
        let digests = row(stated[1].content, by: own, number: 3)
        _ = try join([digests], startsOver: true, into: store)
        var rows = try due(store)
        #expect(rows.map(\.content.about) == [own, nil])
        #expect(rows.map(\.isStated) == [true, false] && rows.map(\.number) == [1, 3])
        try store.noteUploaded(through: through, rows, to: relay)
        #expect(try due(store).isEmpty)
        // Their hash is still that of the row at the relay.
        rows = [rows[0]]
        #expect(try !join([], sum: rows[0].hash &+ digests.hash, into: store).joining.isMismatched)
    }

    @Test("no row has a number above the last one, and what is known of the others stays")
    func numbersEnd() throws {
        let store = try StoreWorld().create("a")
        let own = try store.summary().replica
        _ = try StoreWorld.add("milk", to: store)
        let most = UInt64(Int64.max)
        let entry = StateSummaryEntry(replica: own, counter: 1, checksum: 1, seen: 1)
        _ = try join([row(.entry(entry, nil), by: own, number: most)], into: store)
        let rows = try due(store)
        #expect(rows.map(\.isStated) == [false, true] && rows.map(\.number) == [most, 1])
        try store.noteUploaded(through: through, rows, to: relay)
        #expect(try due(store).isEmpty)
    }

    @Test("rows are forgotten with how far the relay was read")
    func forgottenWithCheckpoint() throws {
        let store = try StoreWorld().create("a")
        let digests = row(.digests(sum: 1, 2), by: other, hash: 30)
        try stateAll(store)
        #expect(try join([digests], sum: 31, into: store).joining.isMismatched)
        // The relay has lost the row since.
        #expect(try !join([], sum: 0, into: store).joining.isMismatched)
    }

    @Test("digests tell what another device has seen, and whether contents differ")
    func digests() throws {
        let store = try StoreWorld().create("a")
        _ = try StoreWorld.add("milk", to: store)
        let rows = try due(store)
        guard case .digests(let sum, let digest) = rows.last?.content else {
            Issue.record("no digests")
            return
        }
        let sequence = try store.summary().sequence
        try store.noteUploaded(
            through: Checkpoint(epoch: EpochID(value: 9), sequence: sequence), rows, to: relay)
        #expect(try due(store).isEmpty)
        _ = try StoreWorld.add("bread", to: store)
        let mine = try store.summary().sequence
        var answer = try join([row(.digests(sum: sum, digest), by: other)], into: store)
        #expect(answer.seen == [other: sequence] && sequence < mine)
        let now = try store.dueSummaryRows(
            try store.stateSummary(), since: nil, withOthers: true, at: relay)
        guard case .digests(let newSum, let newDigest) = now.last?.content else {
            Issue.record("no digests")
            return
        }
        answer = try join(
            [row(.digests(sum: newSum, newDigest), by: other, number: 2, hash: 2)], into: store)
        #expect(answer.seen == [other: mine] && !answer.joining.isDiverged)
        let wrong = Digest(contents: newDigest.contents &+ 1)
        answer = try join(
            [row(.digests(sum: newSum, wrong), by: other, number: 3, hash: 3)], into: store)
        #expect(answer.joining.isDiverged && answer.joining.isRepairDue)
    }

    /// The record of a replica's device.
    ///
    /// - Parameter writer: the replica that wrote it.
    private func device(
        _ replica: ReplicaID, by writer: ReplicaID, counter: UInt64, _ assignments: [Assignment]
    ) -> Change {
        let write = Write(
            dot: Dot(replica: writer, counter: counter), timestamp: .zero,
            assignments: assignments)
        let record = RecordState(clock: VersionVector(write.dot), writes: [write])
        return Change(
            RecordName(deviceOf: replica), clock: record.clock,
            body: BodyCodec.encode(record, in: .devices))
    }

    @Test("an entry of an id that its own device marked as forked says nothing of the relay")
    func forkedIDs() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let key = Assignment(.number(3), .bytes([UInt8](repeating: 7, count: 32)))
        let bytes = withUnsafeBytes(of: author.value.bigEndian, Array.init)
        let mark = Assignment(.element(.number(13), .bytes(bytes)), .bool(true))
        func integrate(_ change: Change) throws {
            _ = try store.integrate([change], from: other, checkpoint: nil)
        }
        try integrate(change(5))
        let stated = StateSummaryEntry(replica: author, counter: 5, checksum: 4711, seen: 5)
        func isMismatched() throws -> Bool {
            try join([row(.entry(stated, nil), by: author)], into: store).joining.isMismatched
        }
        #expect(try isMismatched())
        try integrate(device(author, by: author, counter: 4, [key]))
        // Any member can write that, and any member can write it into the record of another device.
        try integrate(device(other, by: other, counter: 1, [mark]))
        #expect(try isMismatched())
        // So can a member that nobody knows.
        try integrate(device(other, by: ReplicaID(value: 80), counter: 1, [mark]))
        #expect(try isMismatched())
        // The device of the id shows its key.
        try integrate(device(other, by: other, counter: 2, [key, mark]))
        #expect(try !isMismatched())
        let joining = try join([], into: store).joining
        #expect(!joining.isMismatched && !joining.isWithheld && !joining.hasLearned)
        #expect(try store.summary().knowledge.counter(of: author) == 0)
    }

    @Test("where no device shows a key, whoever marked an id as forked is believed")
    func forkedIDsWithoutKeys() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let mark = Assignment(.element(.number(13), .bytes(author.bytes)), .bool(true))
        let stated = StateSummaryEntry(replica: author, counter: 5, checksum: 4711, seen: 5)
        func isMismatched() throws -> Bool {
            try join([row(.entry(stated, nil), by: author)], into: store).joining.isMismatched
        }
        _ = try store.integrate([change(5)], from: other, checkpoint: nil)
        #expect(try isMismatched())
        // In the record of a third device.
        _ = try store.integrate(
            [device(ReplicaID(value: 80), by: other, counter: 1, [mark])], from: other,
            checkpoint: nil)
        #expect(try !isMismatched())
    }
}
