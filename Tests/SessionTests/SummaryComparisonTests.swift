import Core
import Session
import TestSupport
import Testing

@Suite("Comparing state summaries range by range")
struct SummaryComparisonTests {
    /// Two summaries and the messages that compare them.
    private struct Pair {
        var sides: [SummaryComparison]
        /// The messages so far, pages counted as one, by side.
        var messages: [(side: Int, pages: [SummaryRanges])] = []

        init(_ first: StateSummary, _ second: StateSummary) {
            let hash = SipHash()
            sides = [
                SummaryComparison(of: first, with: second.head(hash), hash),
                SummaryComparison(of: second, with: first.head(hash), hash),
            ]
        }

        /// Lets them talk until neither has anything to say.
        mutating func run() throws {
            var side = 0
            var pages = sides[0].begin()
            while !pages.isEmpty {
                messages.append((side, pages))
                side = 1 - side
                var answer: [SummaryRanges] = []
                for page in pages {
                    // As it travels.
                    let message = try Message.decode(Message.encode(.summaryRanges(page)))
                    guard case .summaryRanges(let read) = message, read == page else {
                        Issue.record("a message that does not come as it was sent")
                        return
                    }
                    answer += try sides[side].receive(read)
                }
                pages = answer
            }
        }

        var byteCount: Int {
            messages.flatMap(\.pages).reduce(0) {
                $0 + Frame.encode(.summaryRanges($1), hasChecksum: true).count
            }
        }
    }

    private static func entry(_ id: UInt128, _ counter: UInt64) -> StateSummaryEntry {
        StateSummaryEntry(
            replica: ReplicaID(value: id), counter: counter, checksum: UInt128(counter) << 64 | id,
            seen: counter)
    }

    private static func summary(_ entries: [UInt128: UInt64]) -> StateSummary {
        StateSummary(entries: entries.map { entry($0.key, $0.value) }, digest: 7)
    }

    /// Ids spread over all bytes, or all but equal: a member chooses its own.
    private static func ids(_ count: Int, areClose: Bool, _ random: inout TestRandom) -> [UInt128] {
        (0..<count).map { index in
            areClose
                ? 0xabcd << 112 | UInt128(index)
                : UInt128.random(in: 1...UInt128.max, using: &random)
        }
    }

    @Test(
        "each side learns the other's summary, whatever differs", arguments: Array(UInt64(0)..<60))
    func learns(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let count = [0, 1, 4, 5, 17, 100, 1_500].randomElement(using: &random) ?? 0
        let ids = Self.ids(count, areClose: seed % 3 == 0, &random)
        var sides: [[UInt128: UInt64]] = [[:], [:]]
        let often = [2, 10, 100].randomElement(using: &random) ?? 2
        for id in ids {
            let differs = Int.random(in: 0..<often, using: &random) == 0
            for side in 0...1 where !differs || Bool.random(using: &random) {
                sides[side][id] = differs ? UInt64.random(in: 0...9, using: &random) : 5
            }
        }
        sides[0][1] = 3
        let summaries = sides.map(Self.summary)
        var pair = Pair(summaries[0], summaries[1])
        try pair.run()
        #expect(pair.sides[0].result == summaries[1])
        #expect(pair.sides[1].result == summaries[0])
        #expect(pair.messages.count <= 5)
    }

    @Test("one change among 10,000 ids costs what 16 ways and 4 entries a leaf cost")
    func oneAmongMany() throws {
        var random = TestRandom(seed: 5)
        let ids = Self.ids(10_000, areClose: false, &random)
        var sides = [UInt128: UInt64](uniqueKeysWithValues: ids.map { ($0, 1) })
        let first = Self.summary(sides)
        sides[ids[4711]] = 2
        var pair = Pair(first, Self.summary(sides))
        try pair.run()
        // The model: 1,091 bytes with two hellos of 120 and two entries of 37 in caught-up.
        #expect(pair.byteCount < 2 * (1_091 - 240 - 74))
        #expect(pair.messages.count == 5)
    }

    @Test("a first meeting tells each entry once, in pages in order of id")
    func firstMeeting() throws {
        var random = TestRandom(seed: 6)
        let many = Self.summary(
            [UInt128: UInt64](
                uniqueKeysWithValues: Self.ids(20_000, areClose: false, &random).map { ($0, 1) }))
        for isFirst in [true, false] {
            let one = Self.summary([77: 1])
            var pair = isFirst ? Pair(one, many) : Pair(many, one)
            try pair.run()
            #expect(pair.sides[isFirst ? 0 : 1].result == many)
            #expect(pair.sides[isFirst ? 1 : 0].result == one)
            let pages = pair.messages.flatMap(\.pages)
            let told = pages.flatMap(\.ranges).flatMap(\.content.entries)
            #expect(told.count <= 20_000 + 1 + 16)
            let longest = pages.map { Message.encode(.summaryRanges($0)).count }.max() ?? 0
            #expect(longest < 2 * WireLimits.summaryPageByteCountMax)
            #expect(pages.count > 2)
        }
    }

    /// Answers of a peer whose hello named two entries, to a side that has ten and has begun.
    private static let refused: [(String, [SummaryRanges.Range], PeerError.Code)] = [
        ("nothing for entries that were asked for", [.init(upper: nil, .known)], .malformed),
        (
            "more entries than the hello named",
            [.init(upper: nil, .answer((1...3).map { entry($0 << 100, 1) }))], .malformed
        ),
        (
            "entries outside of their range",
            [
                .init(upper: 1 << 100, .answer([entry(2 << 100, 1)])),
                .init(upper: nil, .answer([entry(3 << 100, 1)])),
            ], .malformed
        ),
        ("sums of what was told", [.init(upper: nil, .sum(5))], .malformed),
        ("entries that ask in return", [.init(upper: nil, .entries([]))], .malformed),
        (
            "a summary that does not fit its digest",
            [.init(upper: nil, .answer([entry(1, 1)]))], .malformed
        ),
        (
            "parts without end",
            (1...3).map { .init(upper: $0 << 100, .answer([])) }, .overLimit
        ),
    ]

    @Test("an answer that does not fit the question is refused", arguments: 0..<refused.count)
    func refusesAnswers(row: Int) {
        let (name, ranges, code) = Self.refused[row]
        let peer = SummaryHead(sum: 99, digest: 7, count: 2)
        var side = SummaryComparison(of: Self.summary([5: 1]), with: peer, SipHash())
        _ = side.begin()
        let error = #expect(throws: PeerError.self, "\(name)") {
            _ = try side.receive(SummaryRanges(ranges))
        }
        #expect(error?.known == code, "\(name)")
        #expect(side.result == nil)
    }

    /// First messages of a peer whose hello named two entries, to a side that has a hundred.
    private static let refusedQuestions: [(String, [SummaryRanges.Range], PeerError.Code)] = [
        ("entries that nobody asked for", [.init(upper: nil, .answer([]))], .malformed),
        ("more parts than 16", (1...17).map { .init(upper: $0, .sum(5)) }, .overLimit),
        (
            "two ranges of nothing for one", [.init(upper: 1, .known), .init(upper: nil, .known)],
            .malformed
        ),
    ]

    @Test("a question that is none is refused", arguments: 0..<refusedQuestions.count)
    func refusesQuestions(row: Int) {
        let (name, ranges, code) = Self.refusedQuestions[row]
        let own = Self.summary(
            [UInt128: UInt64](uniqueKeysWithValues: (1...100).map { (UInt128($0) << 90, 1) }))
        let peer = SummaryHead(sum: 99, digest: 7, count: 2)
        var side = SummaryComparison(of: own, with: peer, SipHash())
        let error = #expect(throws: PeerError.self, "\(name)") {
            _ = try side.receive(SummaryRanges(ranges))
        }
        #expect(error?.known == code, "\(name)")
    }

    @Test("pages out of order, and messages without end, are refused")
    func endless() throws {
        let own = Self.summary(
            [UInt128: UInt64](uniqueKeysWithValues: (1...100).map { (UInt128($0) << 90, 1) }))
        let peer = SummaryHead(sum: 99, digest: 7, count: 2)
        var side = SummaryComparison(of: own, with: peer, SipHash())
        #expect(try side.receive(SummaryRanges([.init(upper: 9, .sum(1))])).isEmpty)
        #expect(throws: PeerError.self) {
            _ = try side.receive(SummaryRanges([.init(upper: 8, .sum(1))]))
        }
        // Of a range that is split as often as it comes nothing is left to split.
        side = SummaryComparison(of: own, with: peer, SipHash())
        var count = 0
        #expect(throws: PeerError.self) {
            while count < 100 {
                count += 1
                _ = try side.receive(SummaryRanges([.init(upper: nil, .sum(UInt64(count)))]))
            }
        }
        #expect(count < 10)
    }
}
