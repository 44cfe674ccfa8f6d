/// State summaries compared range by range: a message answers the ranges of the one before it.
///
/// Shape: `[bound, kind, value, bound, kind, value, …]`. A range goes from the bound before it, at first from
/// the least id, up to its own, which is not in it. Source: Protocol/3-Messages.md.
package struct SummaryRanges: Hashable, Sendable {
    /// A range of replica ids.
    package struct Range: Hashable, Sendable {
        /// The first id behind the range; nil if it goes on to the greatest.
        package var upper: UInt128?
        /// The part of the speaker's state summary in the range.
        package var content: Content

        /// A range up to a bound.
        package init(upper: UInt128?, _ content: Content) {
            self.upper = upper
            self.content = content
        }
    }

    /// The part of a speaker's state summary in a range.
    package enum Content: Hashable, Sendable {
        /// Nothing: the range is equal on both sides, or known.
        case known
        /// The sum of the hashes of its entries, modulo 2^64.
        case sum(UInt64)
        /// All its entries there; it wants the hearer's.
        case entries([StateSummaryEntry])
        /// All its entries there, in answer to `entries`.
        case answer([StateSummaryEntry])
    }

    /// The ranges, in order and without a gap; the last one reaches the end, or a message follows that goes on.
    package var ranges: [Range]

    /// A message, or a page of one.
    package init(_ ranges: [Range]) {
        self.ranges = ranges
    }

    /// Whether another page follows.
    package var goesOn: Bool { ranges.last.map { $0.upper != nil } ?? true }

    /// Cuts ranges into messages.
    package static func pages(_ ranges: [Range]) -> [SummaryRanges] {
        var pages: [SummaryRanges] = []
        var page: [Range] = []
        var byteCount = 0
        for range in ranges {
            page.append(range)
            byteCount += range.byteCountMax
            if byteCount >= WireLimits.summaryPageByteCountMax {
                pages.append(SummaryRanges(page))
                (page, byteCount) = ([], 0)
            }
        }
        if !page.isEmpty { pages.append(SummaryRanges(page)) }
        return pages
    }
}

extension SummaryRanges.Content {
    /// The entries that it brings.
    package var entries: [StateSummaryEntry] {
        switch self {
        case .known, .sum: []
        case .entries(let entries), .answer(let entries): entries
        }
    }
}

extension SummaryRanges.Range {
    fileprivate var byteCountMax: Int {
        switch content {
        case .known: 19
        case .sum: 27
        case .entries(let entries), .answer(let entries):
            24 + entries.count * StateSummaryEntry.byteCountMax
        }
    }
}

extension SummaryRanges: WireMessage {
    enum Key: UInt64 {
        case ranges = 1
    }

    static let kind: UInt64 = 16
    static let name = "summary-ranges"
    var asMessage: Message { .summaryRanges(self) }
    var byteCountEstimate: Int { ranges.reduce(32) { $0 + $1.byteCountMax } }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.ranges)
        writer.item.array(ranges.count * 3)
        for range in ranges {
            writer.item.byteString(Self.bound(range.upper))
            switch range.content {
            case .known:
                writer.item.unsigned(0)
                writer.item.null()
            case .sum(let sum):
                writer.item.unsigned(1)
                writer.item.unsigned(sum)
            case .entries(let entries):
                writer.item.unsigned(2)
                writer.item.entries(entries)
            case .answer(let entries):
                writer.item.unsigned(3)
                writer.item.entries(entries)
            }
        }
    }

    /// The bytes of a bound without the zeros at its end; none for the end of all ids.
    private static func bound(_ upper: UInt128?) -> [UInt8] {
        guard let upper else { return [] }
        var bytes = ReplicaID(value: upper).bytes
        while bytes.last == 0 { bytes.removeLast() }
        return bytes
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var ranges: [Range]?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .ranges: ranges = try reader.item.summaryRanges()
            }
        }
        self.ranges = try reader.required(ranges, Key.ranges)
    }

    var fields: [MessageField] {
        [
            .init(
                "ranges",
                .list(
                    ranges.map { range in
                        .list([.bytes(Self.bound(range.upper)), range.content.shown])
                    }))
        ]
    }
}

extension SummaryRanges.Content {
    fileprivate var shown: MessageField.Content {
        switch self {
        case .known: .nothing
        case .sum(let sum): .number(sum)
        case .entries(let entries): .object([.init("entries", .entries(entries))])
        case .answer(let entries): .object([.init("answer", .entries(entries))])
        }
    }
}

extension CanonicalReader {
    fileprivate mutating func summaryRanges() throws(WireFault) -> [SummaryRanges.Range] {
        let count = try array(of: 3, takingEach: 3)
        guard count % 3 == 0, count > 0 else { throw .outOfRange(.summaryRanges) }
        var ranges: [SummaryRanges.Range] = []
        for _ in 0..<count / 3 {
            let upper = try summaryBound()
            if let last = ranges.last {
                guard let before = last.upper, upper.map({ before < $0 }) ?? true else {
                    throw .notSorted
                }
            }
            ranges.append(SummaryRanges.Range(upper: upper, try summaryContent()))
        }
        return ranges
    }

    private mutating func summaryBound() throws(WireFault) -> UInt128? {
        let bytes = try byteString(max: 16, .summaryBound)
        guard let last = bytes.last else { return nil }
        guard last != 0 else { throw .notDeterministic }
        let value = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        return value << UInt128(8 * (16 - bytes.count))
    }

    private mutating func summaryContent() throws(WireFault) -> SummaryRanges.Content {
        switch try unsigned() {
        case 0:
            guard null() else {
                throw remaining == 0 ? .truncated : .unexpectedType(expected: .summaryRanges)
            }
            return .known
        case 1: return .sum(try unsigned())
        case 2: return .entries(try entries())
        case 3: return .answer(try entries())
        default: throw .outOfRange(.summaryRanges)
        }
    }
}

/// Entries of a state summary that belong to the next `caught-up`, before its own: there are too many for one message.
package struct SummaryPage: Hashable, Sendable {
    /// The entries, sorted by replica.
    package var entries: [StateSummaryEntry]

    /// A page of entries.
    package init(_ entries: [StateSummaryEntry]) {
        self.entries = entries
    }
}

extension SummaryPage: WireMessage {
    enum Key: UInt64 {
        case entries = 1
    }

    static let kind: UInt64 = 17
    static let name = "summary-page"
    var asMessage: Message { .summaryPage(self) }
    var byteCountEstimate: Int { 32 + entries.count * StateSummaryEntry.byteCountMax }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.entries)
        writer.item.entries(entries)
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var entries: [StateSummaryEntry]?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .entries: entries = try reader.item.entries()
            }
        }
        self.entries = try reader.required(entries, Key.entries)
        // An empty one would let a peer go on for ever.
        guard !self.entries.isEmpty else { throw .outOfRange(.summaryEntries) }
    }

    var fields: [MessageField] { [.init("entries", .entries(entries))] }
}
