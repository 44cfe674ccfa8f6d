import Core
import Replica
import Session
import Storage
import TestSupport
import Testing

/// A lie: what the peer's hello says, and the messages behind it.
struct SummaryLie: Sendable {
    let name: String
    let summary: @Sendable (Greeting) -> SummaryHead
    let messages: @Sendable (Greeting) -> [Message]
    let code: PeerError.Code
    var reason: PeerError.Reason?
}

@Suite("Peers that lie about their state summaries")
struct ForgedSummaryTests {
    private static func entry(_ id: UInt128) -> StateSummaryEntry {
        StateSummaryEntry(replica: ReplicaID(value: id), counter: 5, checksum: 7, seen: 5)
    }

    private static func ranges(_ ranges: SummaryRanges.Range...) -> Message {
        .summaryRanges(SummaryRanges(ranges))
    }

    private static func memory(_ own: Greeting) -> Message {
        .peerCheckpoint(
            PeerCheckpoint(peer: own.replica, checkpoint: nil, counter: 0, epoch: nil))
    }

    /// The memory of a peer that has adopted the store's state summary.
    private static func adopted(_ own: Greeting) -> Message {
        let summary = Checkpoint(
            epoch: own.incarnation.epoch, sequence: own.summarySequence)
        return .peerCheckpoint(
            PeerCheckpoint(
                peer: own.replica, checkpoint: Checkpoint(epoch: summary.epoch, sequence: 0),
                counter: 0, epoch: nil, summary: summary))
    }

    private static func list(_ entries: StateSummaryEntry...) -> Message {
        .summaryList(SummaryList(entries))
    }

    private static func end(_ changed: [StateSummaryEntry], sum: UInt128) -> Message {
        let through = Checkpoint(epoch: EpochID(value: 0), sequence: 3)
        return .caughtUp(CaughtUp(through: through, changed: changed, digest: nil, sum: sum))
    }

    private static let none: @Sendable (Greeting) -> SummaryHead = { _ in
        SummaryHead(sum: 0, digest: 0, count: 0)
    }

    private static let lies: [SummaryLie] = [
        SummaryLie(
            name: "a sum that its entries do not have",
            summary: { _ in SummaryHead(sum: 1, digest: 0, count: 1) },
            messages: { _ in [ranges(.init(upper: nil, .entries([entry(1)])))] },
            code: .malformed, reason: .summaryDiffers),
        SummaryLie(
            name: "another sum although all ranges are equal",
            summary: { SummaryHead(sum: $0.sum &+ 1, digest: 0, count: $0.summary.count) },
            messages: {
                [ranges(.init(upper: nil, .sum(UInt64(truncatingIfNeeded: $0.sum))))]
            }, code: .malformed, reason: .summaryDiffers),
        SummaryLie(
            name: "an equal sum and another count",
            summary: {
                SummaryHead(sum: $0.sum, digest: 0, count: $0.summary.count + 1)
            },
            messages: {
                [ranges(.init(upper: nil, .sum(UInt64(truncatingIfNeeded: $0.sum))))]
            }, code: .malformed, reason: .summaryDiffers),
        SummaryLie(
            name: "more entries than it named", summary: none,
            messages: { _ in [ranges(.init(upper: nil, .entries([entry(1)])))] }, code: .malformed),
        SummaryLie(
            name: "entries outside of their range",
            summary: { _ in SummaryHead(sum: 1, digest: 0, count: 1) },
            messages: { _ in
                [
                    ranges(
                        .init(upper: 1 << 100, .entries([entry(1 << 101)])),
                        .init(upper: nil, .entries([])))
                ]
            }, code: .malformed),
        SummaryLie(
            name: "an answer to nothing",
            summary: { _ in SummaryHead(sum: 1, digest: 0, count: 1) },
            messages: { _ in [ranges(.init(upper: nil, .answer([entry(1)])))] }, code: .malformed),
        SummaryLie(
            name: "ranges of what is known", summary: none,
            messages: { _ in [RawPeer.nothing, RawPeer.nothing] }, code: .outOfOrder),
        SummaryLie(
            name: "an end before the summaries are compared", summary: none,
            messages: { _ in [end([], sum: 0)] }, code: .outOfOrder),
        SummaryLie(
            name: "an end with a sum that its entries do not have", summary: none,
            messages: { [RawPeer.nothing, memory($0), end([entry(1)], sum: 1)] },
            code: .malformed, reason: .summaryDiffers),
        SummaryLie(
            name: "pages with a sum that their entries do not have", summary: none,
            messages: {
                [
                    RawPeer.nothing, memory($0), .summaryPage(SummaryPage([entry(1)])),
                    end([entry(2)], sum: 1),
                ]
            }, code: .malformed, reason: .summaryDiffers),
        SummaryLie(
            name: "pages out of order", summary: none,
            messages: {
                [
                    RawPeer.nothing, memory($0), .summaryPage(SummaryPage([entry(2)])),
                    .summaryPage(SummaryPage([entry(1)])),
                ]
            }, code: .malformed),
        SummaryLie(
            name: "more entries than a session keeps, by its hello",
            summary: { SummaryHead(sum: 1, digest: 0, count: $0.summary.count + 9) },
            messages: { _ in [] },
            code: .overLimit),
        SummaryLie(
            name: "more entries than a session keeps, in pages", summary: none,
            messages: {
                [RawPeer.nothing, memory($0)]
                    + (1...UInt128($0.summary.count + 9)).map {
                        .summaryPage(SummaryPage([entry($0)]))
                    }
            }, code: .overLimit),
        SummaryLie(
            name: "a list out of order",
            summary: { _ in SummaryHead(sum: 1, digest: 0, count: 2) },
            messages: { [adopted($0), list(entry(2), entry(1))] }, code: .malformed),
        SummaryLie(
            name: "a list with one entry twice",
            summary: { _ in SummaryHead(sum: 1, digest: 0, count: 2) },
            messages: { [adopted($0), list(entry(1), entry(1))] }, code: .malformed),
        SummaryLie(
            name: "a list of more entries than it named", summary: none,
            messages: { [adopted($0), list(entry(1))] }, code: .malformed),
        SummaryLie(
            name: "listed entries that are not so",
            summary: { _ in SummaryHead(sum: 1, digest: 0, count: 1) },
            messages: { [adopted($0), list(entry(1)), RawPeer.nothing] },
            code: .malformed, reason: .summaryDiffers),
        SummaryLie(
            name: "a rest that is equal by its ranges and not by the hello",
            summary: { SummaryHead(sum: $0.sum &+ 1, digest: 0, count: $0.summary.count) },
            messages: {
                [
                    adopted($0), list(),
                    ranges(.init(upper: nil, .sum(UInt64(truncatingIfNeeded: $0.sum)))),
                ]
            }, code: .malformed, reason: .summaryDiffers),
        SummaryLie(
            name: "a list where ranges are awaited",
            summary: { _ in SummaryHead(sum: 1, digest: 0, count: 1) },
            messages: { [adopted($0), list(entry(1)), list()] }, code: .outOfOrder),
        SummaryLie(
            name: "a list to a side that has none, and then another",
            summary: { _ in SummaryHead(sum: 1, digest: 0, count: 1) },
            messages: { [memory($0), list(entry(1)), list()] }, code: .outOfOrder),
    ]

    @Test(
        "a lie about a state summary ends the session with its fault; nothing is lost or believed",
        arguments: 0..<20)
    func endsSession(row: Int) throws {
        #expect(Self.lies.count == 20)
        let lie = Self.lies[row]
        let world = SyncWorld(seed: 9)
        for _ in 0..<2 { _ = try world.makeDevice() }
        let store = try world.store(0)
        for number in 0..<5 {
            try world.save(0, SyncWorld.ids[number], [Assignment(.number(2), .int(Int64(number)))])
        }
        let before = try store.stateSummary()
        let own = try store.greeting(to: nil)
        var limits = SessionLimits()
        limits.summaryEntryCountMax = 8
        var peer = try RawPeer(calling: world.replica(0), limits: limits)
        var hello = RawPeer.hello(to: 7)
        hello.summary = lie.summary(own)
        try peer.say(.hello(hello))
        for message in lie.messages(own) where peer.end == nil { try peer.say(message) }
        #expect(peer.error?.known == lie.code, "\(lie.name): \(peer.error as Any)")
        #expect(peer.error?.reason == lie.reason, "\(lie.name)")
        #expect(try store.stateSummary() == before)
        #expect(try store.greeting(to: hello.replica).peerCheckpoint?.checkpoint == nil)
        #expect(try store.examine() == [])
        // An honest peer is served as ever.
        try world.sync(0, 1)
        #expect(try world.store(1).stateSummary() == store.stateSummary())
    }

    @Test(
        "a peer with as many entries beyond the hearer's as a session keeps is heard, however many the hearer has"
    )
    func entriesBeyondOwn() throws {
        #expect(SessionLimits().summaryEntryCountMax == 3_145_728)
        #expect(SessionLimits().summaryEntryCountMax >= WireLimits.clockEntryCountMax)
        for ownMax in [0, 20] {
            let world = SyncWorld(seed: 9)
            for _ in 0...ownMax { _ = try world.makeDevice() }
            for number in 0...ownMax {
                try world.save(
                    number, SyncWorld.ids[0], [Assignment(.number(2), .int(Int64(number)))])
                if number > 0 { try world.sync(0, number) }
            }
            let own = try world.store(0).greeting(to: nil)
            #expect(own.summary.count > ownMax)
            var limits = SessionLimits()
            limits.summaryEntryCountMax = 8
            for (excess, code) in [(8, nil), (9, PeerError.Code.overLimit)] {
                var peer = try RawPeer(calling: world.replica(0), limits: limits)
                var hello = RawPeer.hello(to: 7)
                hello.summary = SummaryHead(
                    sum: 1, digest: 0, count: own.summary.count + UInt64(excess))
                try peer.say(.hello(hello))
                #expect(peer.error?.known == code)
            }
        }
    }

    @Test("entries that come before the sync begins count as held memory, in pages and in ends")
    func heldBytes() throws {
        let world = SyncWorld(seed: 9)
        _ = try world.makeDevice()
        try world.save(0, SyncWorld.ids[0], [Assignment(.number(2), .int(1))])
        let own = try world.store(0).greeting(to: nil)
        var peer = try RawPeer(calling: world.replica(0))
        var hello = RawPeer.hello(to: 7)
        hello.summary = Self.none(own)
        try peer.say(.hello(hello))
        try peer.say(RawPeer.nothing)
        let stride = MemoryLayout<StateSummaryEntry>.stride
        let entries = (1...1000).map { Self.entry(UInt128($0)) }
        let before = peer.heldByteCount
        try peer.say(.summaryPage(SummaryPage(Array(entries[..<400]))))
        #expect(peer.heldByteCount - before >= 390 * stride)
        let sum = entries.reduce(UInt128(0)) { $0 &+ own.hash.entry($1) }
        try peer.say(Self.end(Array(entries[400...]), sum: sum))
        // They wait for the store, and are the peer's summary as last heard.
        #expect(peer.heldByteCount - before >= 1990 * stride)
        // Another end behind a batch: the summary before it stays beside it.
        try peer.say(.changes(ChangeBatch(changes: [], through: nil)))
        let more = (1001...1010).map { Self.entry(UInt128($0)) }
        let all = more.reduce(sum) { $0 &+ own.hash.entry($1) }
        try peer.say(Self.end(more, sum: all))
        #expect(peer.heldByteCount - before >= 2990 * stride)
        #expect(peer.end == nil)
    }
}
