import Core
import Storage
import TestSupport
import Testing

@Suite("What a store misses at a relay")
struct RelayLackTests {
    private let relay = ReplicaID(value: 77)
    private let author = ReplicaID(value: 78)
    private let other = ReplicaID(value: 79)
    private let through = Checkpoint(epoch: EpochID(value: 9), sequence: 7)

    private func row(
        _ counter: UInt64, number: UInt64 = 1, hash: UInt128 = 1, request: UInt64? = nil
    ) -> HeardSummaryRow {
        let entry = StateSummaryEntry(replica: author, counter: counter, checksum: 5, seen: counter)
        return HeardSummaryRow(
            key: SummaryRow.Key(other, about: author), number: number, hash: hash,
            content: .entry(entry, nil, request: request))
    }

    private func join(
        _ rows: [HeardSummaryRow], sum: UInt128? = nil, isFromStart: Bool = false, into store: Store
    ) throws -> SummaryRowsAnswer {
        try store.join(
            SummaryRowsRequest(
                relay: relay, through: through, rows: rows, rowSum: sum, startsOver: isFromStart,
                isFromStart: isFromStart))
    }

    private func bookmark(_ store: Store) throws -> Checkpoint? {
        try store.greeting(to: relay).peerCheckpoint?.checkpoint
    }

    private func requests(_ store: Store) throws -> [UInt64] {
        let due = try store.dueSummaryRows(
            try store.stateSummary(), since: nil, withOthers: true, at: relay)
        try store.noteUploaded(through: through, due, to: relay)
        return due.compactMap { row in
            if case .entry(_, _, let request?) = row.content { request } else { nil }
        }
    }

    /// A store that has read the relay from its start twice in vain.
    private func lacking(_ world: StoreWorld) throws -> Store {
        let store = try world.create("a")
        #expect(try join([row(5)], into: store).joining.isMismatched)
        #expect(try bookmark(store) == nil)
        let anew = try join([row(5)], isFromStart: true, into: store).joining
        #expect(anew.isWithheld && !anew.isMismatched)
        return store
    }

    @Test("what does not add up after a reading from the start keeps the bookmark and is reported")
    func keepsBookmark() throws {
        let world = StoreWorld()
        let store = try lacking(world)
        #expect(try bookmark(store) == through)
        for _ in 0..<3 {
            let joining = try join([], into: store).joining
            #expect(joining.isWithheld && !joining.isMismatched)
        }
        #expect(try store.summary().peers.contains { $0.replica == relay && $0.isSuspect })
        #expect(try store.missingChanges().map(\.speaker) == [other])
        // A later row that adds up no more than that is news.
        #expect(try join([row(6, number: 2, hash: 2)], into: store).joining.isMismatched)
        #expect(try bookmark(store) == nil)
    }

    @Test("a relay is read from its start after 15 minutes, then twice as long, up to a day")
    func waits() throws {
        let world = StoreWorld()
        let store = try lacking(world)
        var minutes: Int64 = 15
        for _ in 0..<9 {
            world.now += minutes * 60_000 - 30_000
            #expect(try !join([], into: store).joining.isMismatched, "\(minutes) minutes")
            world.now += 60_000
            #expect(try join([], into: store).joining.isMismatched, "\(minutes) minutes")
            #expect(try join([row(5)], isFromStart: true, into: store).joining.isWithheld)
            minutes = min(minutes * 2, 24 * 60)
        }
    }

    @Test("a reading that breaks off counts, and costs no other one before the next wait")
    func cutReadings() throws {
        let world = StoreWorld()
        let store = try lacking(world)
        for minutes in [15, 30, 60] as [Int64] {
            world.now += minutes * 60_000 + 1
            #expect(try join([], into: store).joining.isMismatched, "\(minutes) minutes")
            #expect(try bookmark(store) == nil)
            // The session from the start broke off before any rows came; these go on behind it.
            for rows in [[row(5)], [], []] {
                let joining = try join(rows, into: store).joining
                #expect(joining.isWithheld && !joining.isMismatched)
            }
        }
        // A later row that adds up no more than that is news all the same.
        #expect(try join([row(6, number: 2, hash: 2)], into: store).joining.isMismatched)
    }

    @Test("it is asked for at once, and three times more, each after a day of waiting")
    func requestsEnd() throws {
        let world = StoreWorld()
        let store = try lacking(world)
        var found = try requests(store)
        for _ in 0..<16 {
            world.now += 86_400_001
            #expect(try join([], into: store).joining.isMismatched)
            #expect(try join([row(5)], isFromStart: true, into: store).joining.isWithheld)
            found += try requests(store)
        }
        #expect(found.count >= 4 && Set(found) == [2, 3, 4, 5])
        #expect(found.last == 5)
        // The next lack has numbers of its own: nobody takes its request for one that was answered.
        let row = HeardSummaryRow(
            key: SummaryRow.Key(other, about: author), number: 9, hash: 9, content: nil)
        #expect(try !join([row], into: store).joining.isWithheld)
        #expect(try join([self.row(5, number: 10, hash: 10)], into: store).joining.isMismatched)
        #expect(
            try join([self.row(5, number: 10, hash: 10)], isFromStart: true, into: store).joining
                .isWithheld)
        #expect(try requests(store) == [6])
    }

    @Test("a sum of rows that stays another one after a reading from the start keeps the bookmark")
    func rowSum() throws {
        let store = try StoreWorld().create("a")
        #expect(try join([], sum: 31, into: store).joining.isMismatched)
        #expect(try join([], sum: 31, isFromStart: true, into: store).joining.isWithheld)
        #expect(try bookmark(store) == through)
        let quiet = try join([], sum: 31, into: store).joining
        #expect(quiet.isWithheld && !quiet.isMismatched)
        #expect(try !join([], sum: 0, into: store).joining.isWithheld)
        #expect(try store.summary().peers.allSatisfy { !$0.isSuspect })
        #expect(try join([], sum: 40, into: store).joining.isMismatched, "another sum is news")
    }

    @Test("requests are answered once each, and eight times a day")
    func answers() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        for counter in 1...5 as ClosedRange<UInt64> {
            let write = Write(
                dot: Dot(replica: author, counter: counter), timestamp: .zero,
                assignments: [Assignment(.number(2), .text("x"))])
            let record = RecordState(clock: VersionVector(write.dot), writes: [write])
            _ = try store.integrate(
                [
                    Change(
                        id: RecordID(value: UInt128(counter)), clock: record.clock,
                        body: BodyCodec.encode(record, in: StoreWorld.todo))
                ], from: other, checkpoint: nil)
        }
        try store.noteUploaded(through: through, to: relay)
        #expect(try store.sentThrough(to: relay) == through.sequence)
        func ask(_ number: UInt64, of counter: UInt64 = 2) throws -> [ReplicaID: UInt64] {
            let asked = row(counter, number: number, hash: UInt128(number), request: 2)
            return try join([asked], into: store).uploadingAgain
        }
        #expect(try ask(1) == [author: 2])
        #expect(try store.sentThrough(to: relay) == nil, "the relay may lack any of it")
        #expect(try ask(1) == [:])
        #expect(try ask(2, of: 9) == [:], "this store has no more than that")
        for number in 3...9 as ClosedRange<UInt64> { #expect(try ask(number) == [author: 2]) }
        #expect(try ask(10) == [:])
        world.now += 86_400_001
        #expect(try ask(11) == [author: 2])
    }
}
