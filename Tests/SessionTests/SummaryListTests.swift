import Core
import Session
import TestSupport
import Testing

@Suite("Lists of what moved in state summaries")
struct SummaryListTests {
    /// Two summaries and the messages that bring them together: lists, then ranges if the rest differs.
    private struct Pair {
        var summaries: [StateSummary]
        var sides: [SummaryLists]
        /// What each side moved since the other's summary checkpoint.
        var moved: [[ReplicaID]]
        var learned: [StateSummary?] = [nil, nil]
        var openCounts: [Int?] = [nil, nil]
        var messageCount = 0
        var byteCount = 0
        var hasRanges = false

        init(_ first: StateSummary, _ second: StateSummary, moved: [[ReplicaID]]) {
            summaries = [first, second]
            self.moved = moved
            let hash = SipHash()
            sides = [
                SummaryLists(of: first, sum: first.sum(hash), with: second.head(hash), hash),
                SummaryLists(of: second, sum: second.sum(hash), with: first.head(hash), hash),
            ]
        }

        private mutating func send(_ message: Message) throws -> Message {
            messageCount += 1
            byteCount += Frame.encode(message, hasChecksum: true).count
            // As it travels.
            return try Message.decode(Message.encode(message))
        }

        private mutating func sendList(_ list: SummaryList) throws -> SummaryList {
            guard case .summaryList(let read) = try send(.summaryList(list)) else {
                throw PeerError.outOfOrder("a list that does not come as it was sent")
            }
            return read
        }

        mutating func run() throws {
            let first = try sendList(sides[0].tell(moved[0]))
            _ = try sides[1].receive(first)
            let reply = try sendList(sides[1].tell(moved[1]))
            if let answer = try sides[0].receive(reply) {
                _ = try sides[1].receive(try sendList(answer))
            }
            try compareRest()
        }

        private mutating func compareRest() throws {
            var rests: [SummaryComparison] = []
            for side in 0...1 {
                switch sides[side].outcome {
                case .known(let summary, let open):
                    learned[side] = summary
                    openCounts[side] = open.count
                case .restDiffers(let rest): rests.append(rest)
                case nil: return
                }
            }
            guard rests.count == 2 else { return }
            hasRanges = true
            var side = 0
            var pages = rests[0].begin()
            while !pages.isEmpty {
                side = 1 - side
                var answer: [SummaryRanges] = []
                for page in pages {
                    guard case .summaryRanges(let read) = try send(.summaryRanges(page)) else {
                        return
                    }
                    answer += try rests[side].receive(read)
                }
                pages = answer
            }
            for side in 0...1 {
                learned[side] = rests[side].result.map { sides[side].united(with: $0) }
            }
        }
    }

    private static func entry(_ id: UInt128, _ counter: UInt64) -> StateSummaryEntry {
        StateSummaryEntry(
            replica: ReplicaID(value: id), counter: counter, checksum: UInt128(counter) << 64 | id,
            seen: counter)
    }

    private static func summary(_ entries: [UInt128: UInt64], digest: Digest = 7) -> StateSummary {
        StateSummary(entries: entries.map { entry($0.key, $0.value) }, digest: digest)
    }

    private static func ids(_ values: some Sequence<UInt128>) -> [ReplicaID] {
        values.map { ReplicaID(value: $0) }
    }

    @Test(
        "each side learns the other's summary, whatever moved, was forgotten or is told too much",
        arguments: Array(UInt64(0)..<120))
    func learns(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let count = [1, 3, 10, 100, 1_000].randomElement(using: &random) ?? 1
        let all = (0..<count).map { _ in UInt128.random(in: 1...UInt128.max, using: &random) }
        var sides = [[UInt128: UInt64]](
            repeating: [UInt128: UInt64](uniqueKeysWithValues: all.map { ($0, 5) }), count: 2)
        var moved: [Set<UInt128>] = [[], []]
        // Seeds of three kinds: all that moved is listed, some of it is not, more is.
        for id in all where Int.random(in: 0..<4, using: &random) == 0 {
            let side = Int.random(in: 0...1, using: &random)
            sides[side][id] = Bool.random(using: &random) ? 6 : nil
            if seed % 3 != 1 || Bool.random(using: &random) { moved[side].insert(id) }
            if seed % 3 == 2 { moved[1 - side].insert(id) }
        }
        let isListed = seed % 3 != 1
        sides[0][1] = 3
        moved[0].insert(1)
        // What is gone at one side is listed by the other: entries never go in a store.
        for id in all where sides[0][id] == nil && isListed { moved[1].insert(id) }
        for id in all where sides[1][id] == nil && isListed { moved[0].insert(id) }
        let summaries = [Self.summary(sides[0], digest: 8), Self.summary(sides[1])]
        var pair = Pair(summaries[0], summaries[1], moved: moved.map { Self.ids($0) })
        try pair.run()
        #expect(pair.learned == [summaries[1], summaries[0]])
        if isListed {
            #expect(!pair.hasRanges)
            #expect(pair.messageCount <= 3)
        }
    }

    @Test("only what was listed is open, and a list that needs no answer gets none")
    func oneSide() throws {
        var sides = [UInt128: UInt64](uniqueKeysWithValues: (1...1_000).map { ($0 << 100, 1) })
        let before = Self.summary(sides)
        sides[5 << 100] = 2
        let moved = Self.ids([5 << 100])
        var pair = Pair(Self.summary(sides), before, moved: [moved, []])
        try pair.run()
        #expect(pair.openCounts == [1, 1])
        #expect(pair.messageCount == 2)
        // Two frames with one entry each.
        #expect(pair.byteCount < 2 * (StateSummaryEntry.byteCountMax + 20))
        pair = Pair(before, Self.summary(sides), moved: [[], moved])
        try pair.run()
        #expect(pair.openCounts == [1, 1])
        #expect(pair.messageCount == 3)
    }

    /// The bytes of frames in which ranges alone compare two summaries.
    private static func rangeByteCount(_ pair: Pair) throws -> Int {
        let hash = SipHash()
        let (one, other) = (pair.summaries[0], pair.summaries[1])
        var sides = [
            SummaryComparison(of: one, with: other.head(hash), hash),
            SummaryComparison(of: other, with: one.head(hash), hash),
        ]
        var (side, byteCount) = (0, 0)
        var pages = sides[0].begin()
        while !pages.isEmpty {
            side = 1 - side
            var answer: [SummaryRanges] = []
            for page in pages {
                byteCount += Frame.encode(.summaryRanges(page), hasChecksum: true).count
                answer += try sides[side].receive(page)
            }
            pages = answer
        }
        return byteCount
    }

    @Test(
        "a list costs what moved, ranges cost more, the more the more ids there are",
        arguments: [(10, 1), (1_000, 10), (10_000, 100)])
    func costs(count: Int, changedCount: Int) throws {
        var random = TestRandom(seed: 5)
        let ids = (0..<count).map { _ in UInt128.random(in: 1...UInt128.max, using: &random) }
        var entries = [UInt128: UInt64](uniqueKeysWithValues: ids.map { ($0, 1) })
        let before = Self.summary(entries)
        for id in ids.prefix(changedCount) { entries[id] = 2 }
        let moved = Self.ids(ids.prefix(changedCount))
        for isFirst in [true, false] {
            var pair =
                isFirst
                ? Pair(Self.summary(entries), before, moved: [moved, []])
                : Pair(before, Self.summary(entries), moved: [[], moved])
            try pair.run()
            let ranges = try Self.rangeByteCount(pair)
            #expect(!pair.hasRanges)
            #expect(pair.messageCount == (isFirst ? 2 : 3))
            #expect(pair.byteCount <= 72 * changedCount + 3 * 20)
            #expect(pair.byteCount * (count < 1_000 ? 1 : 3) < ranges)
        }
    }

    @Test("an id that one side does not have is told by its absence")
    func absent() throws {
        let (few, more) = (Self.summary([1: 1, 2: 1]), Self.summary([1: 1, 2: 1, 3: 4]))
        for isFirst in [true, false] {
            var pair =
                isFirst
                ? Pair(more, few, moved: [Self.ids([3]), []])
                : Pair(few, more, moved: [[], Self.ids([3])])
            try pair.run()
            #expect(pair.learned == pair.summaries.reversed().map { Optional($0) })
            #expect(!pair.hasRanges)
        }
    }

    /// What a peer whose hello named `peer` says to the list of one entry, 5, of a side with the ids 1 to 9.
    private static let refused: [(String, SummaryHead, [SummaryList], PeerError.Code)] = [
        (
            "more entries than its hello named", SummaryHead(sum: 0, digest: 7, count: 1),
            [SummaryList([entry(1, 1), entry(2, 1)])], .malformed
        ),
        (
            "more entries than one lists", SummaryHead(sum: 0, digest: 7, count: 9_000),
            [
                SummaryList(
                    (0...UInt128(WireLimits.summaryListEntryCountMax)).map { entry(100 + $0, 1) })
            ], .overLimit
        ),
        (
            "a second list", SummaryHead(sum: 0, digest: 7, count: 9),
            [SummaryList([]), SummaryList([])], .outOfOrder
        ),
    ]

    @Test("a reply that does not fit is refused", arguments: 0..<refused.count)
    func refusesReplies(row: Int) {
        let (name, peer, lists, code) = Self.refused[row]
        let own = Self.summary([UInt128: UInt64](uniqueKeysWithValues: (1...9).map { ($0, 1) }))
        var side = SummaryLists(of: own, sum: own.sum(SipHash()), with: peer, SipHash())
        _ = side.tell(Self.ids([5]))
        let error = #expect(throws: PeerError.self, "\(name)") {
            for list in lists { _ = try side.receive(list) }
        }
        #expect(error?.known == code, "\(name)")
    }

    @Test("as many entries as a list may have are taken, and answers to the other list besides")
    func atTheLimit() throws {
        let count = UInt128(WireLimits.summaryListEntryCountMax)
        let listed = (1...count).map { Self.entry($0, 1) }
        let own = Self.summary(
            [UInt128: UInt64](uniqueKeysWithValues: (count + 1...2 * count).map { ($0, 1) }))
        let peer = SummaryHead(sum: 0, digest: 7, count: UInt64(3 * count))
        var second = SummaryLists(of: own, sum: own.sum(SipHash()), with: peer, SipHash())
        #expect(try second.receive(SummaryList(listed)) == nil)
        var first = SummaryLists(of: own, sum: own.sum(SipHash()), with: peer, SipHash())
        let told = first.tell(own.entries.map(\.replica))
        #expect(told.entries.count == Int(count))
        let answer = try first.receive(SummaryList(listed + told.entries))
        #expect(answer?.entries.isEmpty == true)
        #expect(throws: PeerError.self) {
            var over = SummaryLists(of: own, sum: own.sum(SipHash()), with: peer, SipHash())
            _ = try over.receive(SummaryList(listed + [Self.entry(count + 1, 1)]))
        }
    }

    @Test("an answer about ids that nobody asked for, and a list out of turn, are refused")
    func refusesAnswers() throws {
        let own = Self.summary([1: 1, 2: 1, 3: 1])
        let peer = SummaryHead(sum: 0, digest: 7, count: 9)
        var side = SummaryLists(of: own, sum: own.sum(SipHash()), with: peer, SipHash())
        #expect(try side.receive(SummaryList([Self.entry(9, 1)])) == nil)
        #expect(throws: PeerError.self) { _ = try side.receive(SummaryList([])) }
        #expect(side.tell(Self.ids([2])).entries == [Self.entry(2, 1)])
        #expect(side.outcome == nil)
        let error = #expect(throws: PeerError.self) {
            _ = try side.receive(SummaryList([Self.entry(3, 1)]))
        }
        #expect(error?.known == .malformed)
    }

    @Test("entries that are not so leave a rest that differs, and no summary that fits the hello")
    func lies() throws {
        let own = Self.summary([1: 1, 2: 1, 3: 1])
        let peer = Self.summary([1: 1, 2: 2, 3: 1])
        let hash = SipHash()
        var side = SummaryLists(of: own, sum: own.sum(hash), with: peer.head(hash), hash)
        _ = side.tell([])
        _ = try side.receive(SummaryList([Self.entry(2, 9)]))
        guard case .restDiffers(var rest)? = side.outcome else {
            Issue.record("\(String(describing: side.outcome))")
            return
        }
        _ = rest.begin()
        let error = #expect(throws: PeerError.self) {
            let told = [Self.entry(1, 1), Self.entry(3, 1)]
            _ = try rest.receive(SummaryRanges([.init(upper: nil, .answer(told))]))
        }
        #expect(error?.reason == .summaryDiffers)
    }
}

@Suite("State summaries of devices that met before")
struct SummaryTurnTests {
    private static func author(_ index: Int) -> ReplicaID {
        ReplicaID(value: UInt128(index + 1) &* 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    }

    /// The record of another device's writes, at its n-th.
    private static func write(_ index: Int, _ counter: UInt64) -> RecordState {
        let author = author(index)
        return RecordState(
            clock: VersionVector(Dot(replica: author, counter: counter)),
            writes: [
                Write(
                    dot: Dot(replica: author, counter: counter),
                    timestamp: HybridTimestamp(rawValue: counter << 16),
                    assignments: [Assignment(.number(2), .int(Int64(counter)))])
            ])
    }

    private static func name(_ index: Int) -> RecordName {
        RecordName(toDo: RecordID(value: UInt128(index) << 64 | 0xff))
    }

    /// Two stores that have met and know the writes of so many devices.
    private static func met(_ count: Int) -> (MemoryStore, MemoryStore) {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        first.write(1, [2: .int(1)])
        for index in 0..<count {
            first.put(write(index, 1), name(index))
            first.know(1, of: author(index))
        }
        for seed in 1...2 { _ = SessionPair.sync(&first, &second, seed: UInt64(seed)) }
        return (first, second)
    }

    /// Lets a store have got writes of so many devices from elsewhere.
    private static func change(_ store: inout MemoryStore, _ indexes: Range<Int>) {
        for index in indexes {
            store.put(write(index, 2), name(index))
            store.know(2, of: author(index))
        }
    }

    /// How many messages go to and fro before the first changes, and which bring the summaries together.
    private static func turns(_ pair: SessionPair) -> (lists: Int, ranges: Int) {
        let all = pair.ends.flatMap(\.said)
        return (
            all.count { if case .summaryList = $0 { true } else { false } },
            all.count { if case .summaryRanges = $0 { true } else { false } }
        )
    }

    @Test("what moved since the last meeting is listed, whoever has it, and no range is compared")
    func lists() {
        for (firstCount, secondCount) in [(1, 0), (0, 1), (2, 3)] {
            var (first, second) = Self.met(30)
            Self.change(&first, 0..<firstCount)
            Self.change(&second, 10..<10 + secondCount)
            let pair = SessionPair.sync(&first, &second)
            #expect(pair.isEqual)
            #expect(Self.turns(pair) == (lists: firstCount == 0 ? 2 : 3, ranges: 0))
            // Neither waits for a third message of the other before its changes.
            #expect(pair.kinds(1).prefix(2) == [1, 18])
            #expect(pair.kinds(0).prefix(2) == [1, 18])
        }
    }

    @Test("an initiator that did not know whom it calls lists first, behind its peer checkpoint")
    func unguessed() {
        var (first, second) = Self.met(30)
        Self.change(&first, 0..<1)
        Self.change(&second, 3..<4)
        let pair = SessionPair.sync(&first, &second, guess: false)
        #expect(pair.isEqual)
        #expect(pair.kinds(0).prefix(3) == [1, 14, 18])
        #expect(pair.kinds(1).prefix(2) == [1, 18])
        #expect(Self.turns(pair) == (lists: 3, ranges: 0))
    }

    @Test("at a first meeting ranges are compared", arguments: [true, false])
    func firstMeeting(hasGuess: Bool) {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        first.write(1, [2: .int(1)])
        second.write(2, [2: .int(2)])
        let pair = SessionPair.sync(&first, &second, guess: hasGuess)
        #expect(pair.isEqual)
        #expect(Self.turns(pair).lists == 0)
        #expect(Self.turns(pair).ranges > 0)
    }

    @Test(
        "a side without a list compares ranges in its turn, first or second",
        arguments: [0, 1], [true, false])
    func noList(side: Int, hasGuess: Bool) {
        var stores = Self.met(30)
        Self.change(&stores.0, 0..<2)
        Self.change(&stores.1, 2..<4)
        if side == 0 { stores.0.hasNoList = true } else { stores.1.hasNoList = true }
        let pair = SessionPair.sync(&stores.0, &stores.1, guess: hasGuess)
        #expect(pair.isEqual)
        // The responder lists first if it was expected.
        let isFirst = (side == 1) == hasGuess
        #expect(Self.turns(pair).lists == (isFirst ? 0 : 1))
        #expect(Self.turns(pair).ranges > 0)
    }

    @Test("a side that was set back, or whose epoch has ended, is still known as it is")
    func setBack() {
        var (first, second) = Self.met(30)
        let backup = second
        Self.change(&second, 0..<2)
        for seed in 1...2 { _ = SessionPair.sync(&first, &second, seed: UInt64(seed)) }
        // Unnoticed: nothing of its own was lost.
        second = backup
        Self.change(&second, 5..<6)
        let pair = SessionPair.sync(&first, &second)
        #expect(Self.turns(pair).ranges > 0)
        #expect(pair.ends.allSatisfy { !$0.report.isWithheld && !$0.report.isDiverged })
        // The first has read more of the second's sequence than there is: it starts over once.
        #expect(first.checkpoints[second.replica] == nil)
        #expect(first.summaryCheckpoints[second.replica] == nil)
        for seed in 1...2 { _ = SessionPair.sync(&first, &second, seed: UInt64(seed)) }
        #expect(first.contents == second.contents)
        second.reopen()
        Self.change(&second, 7..<8)
        second.reopen()
        Self.change(&first, 8..<9)
        let other = SessionPair.sync(&first, &second)
        #expect(other.isEqual)
        #expect(Self.turns(other).ranges == 0)
    }

    @Test("a state summary that does not fit its hello drops both checkpoints")
    func drops() {
        var (first, second) = Self.met(30)
        Self.change(&second, 0..<1)
        var pair = SessionPair(first, second, guess: second.replica)
        let peer = second.replica
        #expect(pair.ends[0].store.checkpoints[peer] != nil)
        #expect(pair.ends[0].store.summaryCheckpoints[peer] != nil)
        pair.open()
        pair.deliver(1, 10_000)
        // The responder's list, with an entry that is not so.
        guard case .hello(let hello) = pair.ends[1].said[0],
            case .summaryList(var list) = pair.ends[1].said[1]
        else {
            Issue.record("\(pair.kinds(1))")
            return
        }
        let told = list.entries[0]
        list.entries[0] = StateSummaryEntry(
            replica: told.replica, counter: told.counter + 5, checksum: told.checksum,
            seen: told.seen + 5)
        pair.tell(0, .received(.hello(hello)))
        pair.tell(0, .received(.summaryList(list)))
        guard case .summaryRanges? = pair.ends[0].said.last ?? nil else {
            // The rest differs; the responder, which listed first, is to begin.
            let rest = SummaryRanges([.init(upper: nil, .sum(0))])
            pair.tell(0, .received(.summaryRanges(rest)))
            let answer = SummaryRanges([.init(upper: nil, .entries([]))])
            pair.tell(0, .received(.summaryRanges(answer)))
            #expect(pair.ends[0].end != nil)
            return
        }
        Issue.record("the second side began")
    }

    /// Bytes of both directions, hellos and what brings the summaries together; and of the whole session.
    private struct Cost {
        var byteCount: Int
        var halfRoundTrips: [Int]
    }

    /// A session in steps: all that one side has to say arrives at once, in turn.
    private static func cost(_ first: MemoryStore, _ second: MemoryStore) -> Cost {
        var pair = SessionPair(first, second, guess: second.replica)
        var firstChange: [Int?] = [nil, nil]
        pair.open()
        var turn = 0
        while turn < 40, pair.ends.contains(where: { !$0.incoming.isEmpty }) {
            turn += 1
            let side = turn % 2
            let before = pair.ends[side].said.count
            pair.deliver(side, Int.max / 2)
            let knows = pair.ends[side].said.dropFirst(before).contains { message in
                switch message {
                case .changes, .caughtUp: true
                default: false
                }
            }
            if knows, firstChange[side] == nil { firstChange[side] = turn + 1 }
        }
        let comparing = pair.ends.flatMap(\.said).filter { message in
            switch message {
            case .hello, .summaryList, .summaryRanges: true
            default: false
            }
        }
        return Cost(
            byteCount: comparing.reduce(0) {
                $0 + Frame.encode($1, hasChecksum: true).count
            },
            halfRoundTrips: firstChange.map { $0 ?? 0 })
    }

    @Test(
        "lists cost fewer bytes, and let changes leave half a round trip earlier, than ranges",
        arguments: [(10, 1), (1_000, 10)])
    func costs(count: Int, changedCount: Int) {
        for side in 0...1 {
            var stores = Self.met(count)
            if side == 0 {
                Self.change(&stores.0, 0..<changedCount)
            } else {
                Self.change(&stores.1, 0..<changedCount)
            }
            let lists = Self.cost(stores.0, stores.1)
            stores.0.dropCheckpoints(of: stores.1.replica)
            stores.1.dropCheckpoints(of: stores.0.replica)
            let ranges = Self.cost(stores.0, stores.1)
            // Hellos of 302 bytes, three frames of 17 or 19, and each changed entry both ways.
            #expect(lists.byteCount <= 360 + 72 * changedCount)
            #expect(lists.byteCount < ranges.byteCount)
            if count >= 1_000 { #expect(lists.byteCount * 4 < ranges.byteCount) }
            // The page names these: what only the responder has changed is known after its first words.
            #expect(lists.halfRoundTrips == [side == 0 ? 5 : 3, 4])
            #expect(ranges.halfRoundTrips == [count >= 1_000 ? 7 : 5, 6])
        }
    }
}
