import Core

/// The state summaries of both hellos, compared range by range, until this side knows the peer's.
///
/// Of a range whose sums differ a side sends its entries, if these are few, or the sums of its parts. The parts are
/// equal in number of ids and not in length: ids can be chosen, and many may begin alike. The initiator begins, and
/// each message answers the one before it. Source: Protocol/5-Session.md.
package struct SummaryComparison: Sendable {
    /// The most parts of a range.
    private static let partCount = 16
    /// Of a range with so many ids, or fewer, the entries are sent.
    private static let entryCount = 4
    /// The most messages of a peer: each has ranges of a sixteenth of the ids that the one before it had.
    private static let messageCountMax = 64

    /// A range of which this side has said something that wants an answer.
    private struct Asked {
        var lower: UInt128
        var upper: UInt128?
        /// Whether the peer has this side's entries there; else their sum.
        var hasEntries: Bool
        /// How many parts the peer has made of it.
        var partCount = 0
    }

    /// A peer's message as far as its pages have come.
    private struct Page {
        /// The end of the last range.
        var lower: UInt128 = 0
        /// The answer so far.
        var answer: [SummaryRanges.Range] = []
        /// Whether something was said that wants an answer.
        var wantsAnswer = false
        /// Whether the last range was one of which nothing was said.
        var endsInKnown = false
        /// The first of the ranges asked that does not end before these.
        var askedIndex = 0
    }

    /// The peer's entries in a range.
    private struct Found {
        var lower: UInt128
        var upper: UInt128?
        var entries: [StateSummaryEntry]
    }

    private let own: StateSummary
    /// The sums of the hashes of the entries before each index, modulo 2^64.
    private let sums: [UInt64]
    /// How many entries the peer has by its hello, and the sum of their hashes.
    private let peer: SummaryHead
    private let hash: SipHash
    /// The ranges of the last message that left, as far as they want an answer; in order.
    private var asked: [Asked] = []
    private var found: [Found] = []
    private var foundCount: UInt64 = 0
    private var messageCount = 0
    /// The peer's message that is being read.
    private var page = Page()

    /// The peer's state summary; nil as long as it is not known.
    package private(set) var result: StateSummary?

    /// How many entries of the peer are kept.
    var heldCount: Int { Int(clamping: foundCount) }

    /// Begins a comparison of two summaries that differ.
    package init(of own: StateSummary, with peer: SummaryHead, _ hash: SipHash) {
        self.own = own
        self.peer = peer
        self.hash = hash
        var sums: [UInt64] = [0]
        sums.reserveCapacity(own.entries.count + 1)
        for entry in own.entries {
            sums.append(sums[sums.count - 1] &+ UInt64(truncatingIfNeeded: hash.entry(entry)))
        }
        self.sums = sums
        // The hello has said the sum of all.
        asked = [Asked(lower: 0, upper: nil, hasEntries: false)]
    }

    /// The initiator's first message: to the responder's hello.
    package mutating func begin() -> [SummaryRanges] {
        var answer: [SummaryRanges.Range] = []
        split(0, nil, into: &answer)
        return leave(answer)
    }

    /// Receives a message or a page of one; gives the answer, which may be none.
    package mutating func receive(_ message: SummaryRanges) throws(PeerError) -> [SummaryRanges] {
        guard result == nil, !asked.isEmpty else {
            throw .outOfOrder("ranges of a state summary that is known")
        }
        for range in message.ranges { try receive(range) }
        if message.goesOn { return [] }
        messageCount += 1
        guard messageCount <= Self.messageCountMax else {
            throw .overLimit("messages that compare state summaries", max: Self.messageCountMax)
        }
        let (answer, wantsAnswer) = (page.answer, page.wantsAnswer)
        page = Page()
        let messages = leave(answer)
        if asked.isEmpty { result = try united() }
        return wantsAnswer ? messages : []
    }

    private mutating func receive(_ range: SummaryRanges.Range) throws(PeerError) {
        let (lower, upper) = (page.lower, range.upper)
        if let upper, upper <= lower {
            throw .malformed("ranges of a state summary out of order")
        }
        while page.askedIndex < asked.count, let end = asked[page.askedIndex].upper, end <= lower {
            page.askedIndex += 1
        }
        switch range.content {
        case .known:
            try requireNothingAsked(before: upper)
            add(.known, upper, to: &page.answer)
        case .sum(let sum):
            try note(lower, upper, isAnswer: false)
            page.wantsAnswer = true
            if self.sum(lower, upper) == sum {
                add(.known, upper, to: &page.answer)
            } else {
                split(lower, upper, into: &page.answer)
            }
        case .entries(let entries):
            try note(lower, upper, isAnswer: false)
            page.wantsAnswer = true
            try keep(entries, lower, upper)
            tell(lower, upper, in: &page.answer)
        case .answer(let entries):
            try note(lower, upper, isAnswer: true)
            try keep(entries, lower, upper)
            add(.known, upper, to: &page.answer)
        }
        page.endsInKnown = range.content == .known
        if let upper { page.lower = upper }
    }

    // MARK: Saying

    private mutating func leave(_ answer: [SummaryRanges.Range]) -> [SummaryRanges] {
        asked = []
        var lower: UInt128 = 0
        for range in answer {
            switch range.content {
            case .known, .answer: break
            case .sum: asked.append(Asked(lower: lower, upper: range.upper, hasEntries: false))
            case .entries: asked.append(Asked(lower: lower, upper: range.upper, hasEntries: true))
            }
            lower = range.upper ?? 0
        }
        return SummaryRanges.pages(answer)
    }

    /// Adds a range; one of which nothing is to be said becomes one with another such before it.
    private func add(
        _ content: SummaryRanges.Content, _ upper: UInt128?, to answer: inout [SummaryRanges.Range]
    ) {
        if content == .known, answer.last?.content == .known {
            answer[answer.count - 1].upper = upper
        } else {
            answer.append(SummaryRanges.Range(upper: upper, content))
        }
    }

    /// Says the own entries of a range that differs, or the sums of its parts.
    private func split(
        _ lower: UInt128, _ upper: UInt128?, into answer: inout [SummaryRanges.Range]
    ) {
        let indexes = self.indexes(lower, upper)
        if indexes.count <= Self.entryCount {
            return add(.entries(Array(own.entries[indexes])), upper, to: &answer)
        }
        let count = min(Self.partCount, indexes.count)
        for number in 0..<count {
            let part = indexes.part(number, of: count)
            let end = number == count - 1 ? upper : bound(at: part.upperBound)
            add(.sum(sums[part.upperBound] &- sums[part.lowerBound]), end, to: &answer)
        }
    }

    /// Says all own entries of a range, in ranges that fit a page.
    private func tell(
        _ lower: UInt128, _ upper: UInt128?, in answer: inout [SummaryRanges.Range]
    ) {
        let indexes = self.indexes(lower, upper)
        let most = WireLimits.summaryEntriesPerPageMax
        let count = max(1, (indexes.count + most - 1) / most)
        for number in 0..<count {
            let part = indexes.part(number, of: count)
            let end = number == count - 1 ? upper : bound(at: part.upperBound)
            add(.answer(Array(own.entries[part])), end, to: &answer)
        }
    }

    /// The shortest bound between the id at an index and the one before it.
    private func bound(at index: Int) -> UInt128 {
        let (before, id) = (own.entries[index - 1].replica.value, own.entries[index].replica.value)
        let equalBits = (before ^ id).leadingZeroBitCount
        return id & ~(UInt128.max >> UInt128(8 * (equalBits / 8 + 1)))
    }

    private func sum(_ lower: UInt128, _ upper: UInt128?) -> UInt64 {
        let indexes = self.indexes(lower, upper)
        return sums[indexes.upperBound] &- sums[indexes.lowerBound]
    }

    /// The indexes of the own entries in a range.
    private func indexes(_ lower: UInt128, _ upper: UInt128?) -> Range<Int> {
        func index(_ bound: UInt128) -> Int {
            own.entries.firstIndex(notBelow: ReplicaID(value: bound), by: \.replica)
        }
        return index(lower)..<(upper.map(index) ?? own.entries.count)
    }

    // MARK: Hearing

    /// Refuses that nothing is said of a range for whose entries this side asked, and that it is said in parts.
    private func requireNothingAsked(before upper: UInt128?) throws(PeerError) {
        for asked in asked[page.askedIndex...] {
            if let upper, upper <= asked.lower { break }
            if asked.hasEntries {
                throw .malformed("ranges without the entries that were asked for")
            }
        }
        if page.endsInKnown { throw .malformed("two ranges of which nothing is said for one") }
    }

    /// Counts a range as a part of the one to which it answers.
    private mutating func note(
        _ lower: UInt128, _ upper: UInt128?, isAnswer: Bool
    ) throws(PeerError) {
        let index = page.askedIndex
        guard index < asked.count, asked[index].lower <= lower,
            asked[index].upper.map({ end in upper.map { $0 <= end } ?? false }) ?? true,
            asked[index].hasEntries == isAnswer
        else { throw .malformed("a range of a state summary that answers none") }
        asked[index].partCount += 1
        let most =
            isAnswer
            ? peer.count / UInt64(WireLimits.summaryEntriesPerPageMax) + 1
            : UInt64(Self.partCount)
        guard asked[index].partCount <= most else {
            throw .overLimit("parts of a range of a state summary", max: Int(clamping: most))
        }
    }

    /// Keeps the peer's entries of a range.
    private mutating func keep(
        _ entries: [StateSummaryEntry], _ lower: UInt128, _ upper: UInt128?
    ) throws(PeerError) {
        if let first = entries.first, let last = entries.last {
            guard first.replica.value >= lower, upper.map({ last.replica.value < $0 }) ?? true
            else { throw .malformed("entries of a state summary outside of their range") }
        }
        foundCount += UInt64(entries.count)
        guard foundCount <= peer.count else {
            throw .malformed("more entries of a state summary than its hello named")
        }
        found.append(Found(lower: lower, upper: upper, entries: entries))
    }

    /// The peer's summary: in the ranges that were found, what was found, elsewhere the own.
    private func united() throws(PeerError) -> StateSummary {
        var entries: [StateSummaryEntry] = []
        entries.reserveCapacity(own.entries.count + Int(foundCount))
        var next = 0
        for range in found.sorted(by: { $0.lower < $1.lower }) {
            let replaced = indexes(range.lower, range.upper)
            entries += own.entries[next..<replaced.lowerBound]
            entries += range.entries
            next = replaced.upperBound
        }
        entries += own.entries[next...]
        let result = StateSummary(sorted: entries, digest: peer.digest)
        guard result.head(hash) == peer else { throw .summaryDiffers }
        return result
    }
}

extension Range<Int> {
    /// One of so many parts of about the same length.
    fileprivate func part(_ number: Int, of count: Int) -> Range<Int> {
        lowerBound + self.count * number / count..<lowerBound + self.count * (number + 1) / count
    }
}
