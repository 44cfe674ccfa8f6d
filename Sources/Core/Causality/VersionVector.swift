/// For each replica the highest counter included: a set of writes without gaps.
///
/// Shape: entries sorted by replica, no replica twice, no counter of zero. A sorted array merges and
/// compares many times faster than a dictionary and is its own canonical order.
/// Source: Parker et al., "Detection of mutual inconsistency in distributed systems", 1983.
public struct VersionVector: Hashable, Sendable, CustomStringConvertible {
    /// One replica and how many of its writes are included.
    package struct Entry: Hashable, Sendable {
        /// The writer.
        package let replica: ReplicaID

        /// Writes 1 to `counter` are included; at least 1.
        package var counter: UInt64

        /// Includes the writes 1 to `counter` of `replica`.
        package init(replica: ReplicaID, counter: UInt64) {
            self.replica = replica
            self.counter = counter
        }
    }

    /// The entries, sorted by replica.
    package private(set) var entries: [Entry]

    /// Includes nothing.
    package init() {
        entries = []
    }

    /// Includes every write up to `dot` of its replica.
    package init(_ dot: Dot) {
        precondition(dot.counter > 0, "a counter starts at 1")
        entries = [Entry(replica: dot.replica, counter: dot.counter)]
    }

    /// Takes entries that are sorted already, as a decoder has them.
    ///
    /// - Returns: nil if they are not strictly sorted by replica, or a counter is zero.
    package init?(sorted entries: [Entry]) {
        for index in entries.indices {
            if entries[index].counter == 0 { return nil }
            if index > 0, entries[index - 1].replica >= entries[index].replica { return nil }
        }
        self.entries = entries
    }

    /// Takes entries in any order; of two for one replica the higher counts, zeros count nothing.
    package init(unsorted entries: [Entry]) {
        self.entries = []
        self.entries.reserveCapacity(entries.count)
        var sorted = entries
        let isSorted = zip(sorted, sorted.dropFirst()).allSatisfy { $0.replica < $1.replica }
        if !isSorted { sorted.sort { $0.replica < $1.replica } }
        for entry in sorted where entry.counter > 0 {
            if let last = self.entries.last, last.replica == entry.replica {
                self.entries[self.entries.count - 1].counter = max(last.counter, entry.counter)
            } else {
                self.entries.append(entry)
            }
        }
    }

    /// Whether no write is included.
    package var isEmpty: Bool { entries.isEmpty }

    /// How many writes of `replica` are included.
    ///
    /// - Complexity: O(log n).
    package func counter(of replica: ReplicaID) -> UInt64 {
        index(of: replica).map { entries[$0].counter } ?? 0
    }

    /// The index of the entry of `replica`.
    package func index(of replica: ReplicaID) -> Int? {
        entries.index(ofSorted: replica, by: \.replica)
    }

    /// Whether the write named by `dot` is included.
    package func covers(_ dot: Dot) -> Bool {
        counter(of: dot.replica) >= dot.counter
    }

    /// Whether everything that `other` includes is included here.
    ///
    /// - Complexity: O(n + m).
    package func covers(_ other: VersionVector) -> Bool {
        if other.entries.count > entries.count { return false }
        // One record's clock against all that a peer has.
        if other.entries.count < entries.count / 16 {
            return other.entries.allSatisfy { counter(of: $0.replica) >= $0.counter }
        }
        var index = 0
        for entry in other.entries {
            while index < entries.count, entries[index].replica < entry.replica { index += 1 }
            guard index < entries.count, entries[index].replica == entry.replica,
                entries[index].counter >= entry.counter
            else { return false }
        }
        return true
    }

    /// Includes the writes 1 to `counter` of `replica` as well.
    package mutating func include(_ counter: UInt64, of replica: ReplicaID) {
        if counter == 0 { return }
        let index = entries.firstIndex(notBelow: replica, by: \.replica)
        if index < entries.count, entries[index].replica == replica {
            entries[index].counter = max(entries[index].counter, counter)
        } else {
            entries.insert(Entry(replica: replica, counter: counter), at: index)
        }
    }

    /// Includes exactly the writes 1 to `counter` of `replica`: the one door that can shrink a vector.
    package mutating func set(_ counter: UInt64, of replica: ReplicaID) {
        entries.removeAll { $0.replica == replica }
        include(counter, of: replica)
    }

    /// Includes all that `other` includes as well.
    ///
    /// Keeps: commutative, associative, idempotent; no entry ever shrinks.
    /// - Complexity: O(n + m).
    package mutating func join(_ other: VersionVector) {
        if covers(other) { return }
        self = joined(with: other)
    }

    /// The writes that either of the two includes.
    package func joined(with other: VersionVector) -> VersionVector {
        if other.entries.isEmpty { return self }
        if entries.isEmpty { return other }
        var result: [Entry] = []
        result.reserveCapacity(entries.count + other.entries.count)
        var left = 0
        var right = 0
        while left < entries.count, right < other.entries.count {
            let (mine, theirs) = (entries[left], other.entries[right])
            if mine.replica == theirs.replica {
                result.append(mine.counter >= theirs.counter ? mine : theirs)
                left += 1
                right += 1
            } else if mine.replica < theirs.replica {
                result.append(mine)
                left += 1
            } else {
                result.append(theirs)
                right += 1
            }
        }
        result.append(contentsOf: entries[left...])
        result.append(contentsOf: other.entries[right...])
        var joined = VersionVector()
        joined.entries = result
        return joined
    }

    /// How this history stands to `other`.
    package func order(relativeTo other: VersionVector) -> CausalOrder {
        switch (covers(other), other.covers(self)) {
        case (true, true): .equal
        case (true, false): .after
        case (false, true): .before
        case (false, false): .concurrent
        }
    }

    public var description: String {
        let parts = entries.map { "\($0.replica.hexadecimal.prefix(8)):\($0.counter)" }
        return "[\(parts.joined(separator: " "))]"
    }
}

/// Names one write to one record: the replica that made it and the count of its writes.
package struct Dot: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The writer.
    package let replica: ReplicaID

    /// How many writes that replica had made, this one included; from 1.
    package let counter: UInt64

    /// Names the write number `counter` of `replica`.
    package init(replica: ReplicaID, counter: UInt64) {
        self.replica = replica
        self.counter = counter
    }

    package static func < (left: Dot, right: Dot) -> Bool {
        left.replica == right.replica ? left.counter < right.counter : left.replica < right.replica
    }

    package var description: String { "\(replica.hexadecimal.prefix(8)):\(counter)" }
}

/// How two histories stand to each other.
package enum CausalOrder: Hashable, Sendable {
    /// Both include the same writes.
    case equal

    /// The right one includes all of the left one, and more.
    case before

    /// The left one includes all of the right one, and more.
    case after

    /// Each includes a write that the other lacks.
    case concurrent
}
