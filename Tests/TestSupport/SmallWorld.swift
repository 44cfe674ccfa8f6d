import Core

/// Few replicas and short histories, so that all of them can be tried.
package enum SmallWorld {
    /// Replica ids that sort as they are numbered, from 0.
    package static func replica(_ index: Int) -> ReplicaID {
        ReplicaID(value: UInt128(0xa0 + index) << 120 | UInt128(index))
    }

    /// Names of records that sort as they are numbered, from 0; some have one id in two collections.
    package static func record(_ index: Int) -> RecordName {
        RecordName(
            .number(1 + UInt32(index / 2)), RecordID(value: UInt128(0x10 + index % 2) << 120))
    }

    /// The vector with these counters, by the number of the replica.
    package static func vector(_ counters: [UInt64]) -> VersionVector {
        VersionVector(
            unsorted: counters.enumerated().map {
                VersionVector.Entry(replica: replica($0.offset), counter: $0.element)
            })
    }

    /// Every list of `count` counters from 0 to `max`.
    package static func counters(_ count: Int, max: UInt64) -> [[UInt64]] {
        (0..<count).reduce([[]]) { lists, _ in
            lists.flatMap { list in (0...max).map { list + [$0] } }
        }
    }

    /// Every vector over so many replicas with counters up to `counterMax`.
    package static func vectors(replicas: Int, counterMax: UInt64) -> [VersionVector] {
        counters(replicas, max: counterMax).map { vector($0) }
    }

    /// Every order of the items.
    package static func permutations<T>(_ items: [T]) -> [[T]] {
        if items.count < 2 { return [items] }
        return items.indices.flatMap { index in
            var rest = items
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }
}
