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
        var low = entries.startIndex
        var high = entries.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].replica < replica { low = middle + 1 } else { high = middle }
        }
        return low < entries.endIndex && entries[low].replica == replica ? entries[low] : nil
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

    /// The statement after `changed` entries took the place of theirs.
    package func updated(with changed: [StateSummaryEntry], digest: Digest) -> StateSummary {
        let change = StateSummary(entries: changed, digest: digest)
        var result: [StateSummaryEntry] = []
        result.reserveCapacity(max(entries.count, changed.count))
        forEachPair(with: change) { old, new in
            if let entry = new ?? old { result.append(entry) }
        }
        return StateSummary(entries: result, digest: digest)
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

    /// An entry of a statement.
    package init(replica: ReplicaID, counter: UInt64, checksum: UInt128, seen: UInt64) {
        self.replica = replica
        self.counter = counter
        self.checksum = checksum
        self.seen = seen
    }

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
    /// Writes entries of a statement; beside a hello's speaker, its own has null for its name.
    mutating func entries(_ entries: [StateSummaryEntry], speaker: ReplicaID? = nil) {
        array(entries.count)
        for entry in entries {
            array(entry.isComplete ? 3 : 4)
            if entry.replica == speaker {
                null()
            } else {
                identifier(entry.replica.value)
            }
            unsigned(entry.counter)
            identifier(entry.checksum)
            if !entry.isComplete { unsigned(entry.seen) }
        }
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
    /// Takes entries of a statement; beside a hello's speaker, its own has null for its name.
    mutating func entries(
        speaker: ReplicaID? = nil
    ) throws(WireFault)
        -> [StateSummaryEntry]
    {
        let count = try array(max: WireLimits.replicaCountMax, .summaryEntries)
        var entries: [StateSummaryEntry] = []
        for _ in 0..<count {
            let length = try array(max: 4, .summaryEntry)
            guard length >= 3 else { throw .outOfRange(.summaryEntry) }
            let replica: ReplicaID
            if let speaker, null() {
                replica = speaker
            } else {
                replica = ReplicaID(value: try identifier())
                guard replica != speaker else { throw .notDeterministic }
            }
            if let last = entries.last, last.replica >= replica { throw .notSorted }
            let counter = try counter()
            let checksum = try identifier()
            let seen = length == 4 ? try self.counter() : counter
            guard length == 3 || seen > counter else { throw .notDeterministic }
            entries.append(
                StateSummaryEntry(
                    replica: replica, counter: counter, checksum: checksum, seen: seen))
        }
        return entries
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
