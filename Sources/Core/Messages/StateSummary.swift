/// For every replica id a counter and a checksum, and the digest of all records, read in one transaction.
package struct StateSummary: Hashable, Sendable {
    /// The entries, sorted by replica.
    package private(set) var entries: [StateSummaryEntry]
    /// The digest of the contents.
    package var digest: Digest

    /// Takes entries in any order, none twice.
    package init(entries: [StateSummaryEntry], digest: Digest) {
        self.entries = entries.sorted { $0.replica < $1.replica }
        self.digest = digest
    }

    /// Takes entries that are sorted by replica, none twice.
    package init(sorted entries: [StateSummaryEntry], digest: Digest = 0) {
        self.entries = entries
        self.digest = digest
    }

    /// The writes that the speaker vouches for: its knowledge.
    package var knowledge: VersionVector {
        VersionVector(
            unsorted: entries.map { VersionVector.Entry(replica: $0.replica, counter: $0.counter) })
    }

    /// The highest counters in the speaker's clocks.
    package var seen: VersionVector {
        VersionVector(
            unsorted: entries.map { VersionVector.Entry(replica: $0.replica, counter: $0.seen) })
    }

    /// The entry of one replica id.
    ///
    /// - Complexity: O(log n).
    package func entry(of replica: ReplicaID) -> StateSummaryEntry? {
        entries.index(ofSorted: replica, by: \.replica).map { entries[$0] }
    }

    /// The entries that `earlier` lacks or has otherwise.
    package func changes(since earlier: StateSummary) -> [StateSummaryEntry] {
        var found: [StateSummaryEntry] = []
        forEachPair(with: earlier) { mine, old in
            if let mine, mine != old { found.append(mine) }
        }
        return found
    }

    /// The entries whose checksum another summary has as well.
    package func entries(equalIn other: StateSummary) -> [StateSummaryEntry] {
        var found: [StateSummaryEntry] = []
        forEachPair(with: other) { mine, theirs in
            if let mine, let theirs, mine.checksum != 0, mine.checksum == theirs.checksum {
                found.append(mine)
            }
        }
        return found
    }

    /// Puts `changed` entries, none twice, in place of theirs.
    ///
    /// - Complexity: O(m log n), and O(n) if some are of new ids.
    package mutating func update(with changed: [StateSummaryEntry]) {
        var new: [StateSummaryEntry] = []
        for entry in changed {
            if let index = entries.index(ofSorted: entry.replica, by: \.replica) {
                entries[index] = entry
            } else {
                new.append(entry)
            }
        }
        if new.isEmpty { return }
        var result: [StateSummaryEntry] = []
        result.reserveCapacity(entries.count + new.count)
        forEachPair(with: StateSummary(entries: new, digest: digest)) { old, new in
            if let entry = new ?? old { result.append(entry) }
        }
        entries = result
    }

    /// The summary with these entries, and no others, of `replicas`.
    ///
    /// - Complexity: O(m log n), and O(n) if ids come or go.
    package func replacing(
        _ replicas: Set<ReplicaID>, with entries: [StateSummaryEntry]
    ) -> StateSummary {
        var result = self
        let given = Set(entries.map(\.replica))
        let gone = replicas.filter { !given.contains($0) && entry(of: $0) != nil }
        if !gone.isEmpty { result.entries.removeAll { gone.contains($0.replica) } }
        result.update(with: entries)
        return result
    }

    /// The sum of the hashes of all entries.
    package func sum(_ hash: SipHash) -> UInt128 {
        entries.reduce(0) { $0 &+ hash.entry($1) }
    }

    /// The digests by which a hello tells of the summary.
    package func head(_ hash: SipHash) -> SummaryHead {
        SummaryHead(sum: sum(hash), digest: digest, count: UInt64(entries.count))
    }

    /// Visits each replica id that either of two summaries names, in order, with both entries.
    ///
    /// - Complexity: O(n + m).
    package func forEachPair(
        with other: StateSummary, _ body: (StateSummaryEntry?, StateSummaryEntry?) -> Void
    ) {
        var (left, right) = (0, 0)
        while left < entries.count || right < other.entries.count {
            let mine = left < entries.count ? entries[left] : nil
            let theirs = right < other.entries.count ? other.entries[right] : nil
            if let mine, let theirs, mine.replica == theirs.replica {
                body(mine, theirs)
                (left, right) = (left + 1, right + 1)
            } else if let mine, theirs.map({ mine.replica < $0.replica }) ?? true {
                body(mine, nil)
                left += 1
            } else {
                body(nil, theirs)
                right += 1
            }
        }
    }
}

/// The digests and the length of a state summary: equal ones are of equal summaries.
package struct SummaryHead: Hashable, Sendable {
    /// The sum of the hashes of all entries, modulo 2^128.
    package var sum: UInt128
    /// The digest of the contents.
    package var digest: Digest
    /// How many entries there are.
    package var count: UInt64

    /// The digests of a summary.
    package init(sum: UInt128, digest: Digest, count: UInt64) {
        self.sum = sum
        self.digest = digest
        self.count = count
    }
}

extension SipHash {
    /// The summand of a state summary's sum: the hash of an entry as it is sent.
    package func entry(_ entry: StateSummaryEntry) -> UInt128 {
        var writer = CanonicalWriter()
        writer.bytes.reserveCapacity(64)
        writer.entry(entry)
        return hash128(writer.bytes)
    }
}

/// A replica's count of the writes of one replica id, read together with all its other entries.
package struct StateSummaryEntry: Hashable, Sendable {
    /// The writer.
    package let replica: ReplicaID
    /// The speaker has integrated or deferred the writes 1 to `counter`.
    package let counter: UInt64
    /// The sum of H(record id, clock[replica]) over all the speaker's records, modulo 2^128.
    package let checksum: UInt128
    /// The highest counter in any of the speaker's clocks; more than `counter` while a sync was cut.
    package let seen: UInt64

    /// An entry of a state summary.
    package init(replica: ReplicaID, counter: UInt64, checksum: UInt128, seen: UInt64) {
        self.replica = replica
        self.counter = counter
        self.checksum = checksum
        self.seen = seen
    }

    /// The fewest bytes of an entry: a head, an id, a counter and a checksum.
    static let byteCountMin = 36
    /// The most bytes of an entry.
    package static let byteCountMax = 53

    /// Whether the speaker holds nothing beyond what it vouches for.
    package var isComplete: Bool { seen <= counter }
}

/// The sums that two stores compare to see whether the same history gave the same contents.
///
/// Shape on the wire: a byte string of 16 bytes (`contents`), or of 32 (`contents`, then `clocks`).
/// Source: Protocol/2-Values.md.
package struct Digest: Hashable, Sendable {
    /// The sum of H(canonical bytes) over all integrated records, modulo 2^128.
    package var contents: UInt128
    /// The hash of the checksums over integrated records alone; nil if nothing is deferred, as these are
    /// the stated checksums then.
    package var clocks: UInt128?

    /// The digest of a store; `clocks` only where something is deferred.
    package init(contents: UInt128, clocks: UInt128? = nil) {
        self.contents = contents
        self.clocks = clocks
    }
}

extension Digest: ExpressibleByIntegerLiteral {
    /// The digest of a store in which nothing is deferred.
    package init(integerLiteral contents: UInt128) {
        self.init(contents: contents)
    }
}

extension CanonicalWriter {
    /// Writes entries of a state summary.
    mutating func entries(_ entries: [StateSummaryEntry]) {
        array(entries.count)
        for entry in entries { self.entry(entry) }
    }

    /// Writes an entry of a state summary.
    mutating func entry(_ entry: StateSummaryEntry) {
        array(entry.isComplete ? 3 : 4)
        identifier(entry.replica.value)
        unsigned(entry.counter)
        identifier(entry.checksum)
        if !entry.isComplete { unsigned(entry.seen) }
    }

    /// Writes a digest, with or without the second number.
    mutating func digest(_ digest: Digest) {
        guard let clocks = digest.clocks else { return identifier(digest.contents) }
        head(2, 32)
        raw(digest.contents)
        raw(clocks)
    }
}

extension CanonicalReader {
    /// Takes entries of a state summary, sorted.
    mutating func entries() throws(WireFault) -> [StateSummaryEntry] {
        let count = try array(takingEach: StateSummaryEntry.byteCountMin)
        var entries: [StateSummaryEntry] = []
        for _ in 0..<count {
            let entry = try summaryEntry()
            if let last = entries.last, last.replica >= entry.replica { throw .notSorted }
            entries.append(entry)
        }
        return entries
    }

    private mutating func summaryEntry() throws(WireFault) -> StateSummaryEntry {
        let length = try array(max: 4, .summaryEntry)
        guard length >= 3 else { throw .outOfRange(.summaryEntry) }
        let replica = ReplicaID(value: try identifier())
        let counter = try counter()
        let checksum = try identifier()
        let seen = length == 4 ? try self.counter() : counter
        guard length == 3 || seen > counter else { throw .notDeterministic }
        return StateSummaryEntry(
            replica: replica, counter: counter, checksum: checksum, seen: seen)
    }

    /// Takes a digest, with or without the second number.
    mutating func digest() throws(WireFault) -> Digest {
        let (contents, clocks) = try digestPair()
        return Digest(contents: contents, clocks: clocks)
    }
}

extension MessageField.Content {
    static func entries(_ entries: [StateSummaryEntry]) -> Self {
        .list(
            entries.map { entry in
                let parts: [Self] = [
                    .id(entry.replica), .number(entry.counter), .wide(entry.checksum),
                ]
                return .list(parts + (entry.isComplete ? [] : [.number(entry.seen)]))
            })
    }
}
