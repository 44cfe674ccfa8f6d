/// Which references are followed: none to a missing or deleted record, and none that closes a cycle.
///
/// A pure function of what is visible, so every replica follows the same; nothing is rewritten.
package enum ReferenceRule {
    /// A visible reference from one record to another, with the write that made it.
    package struct Edge: Hashable, Sendable {
        /// The record that refers.
        package let source: RecordName

        /// The record referred to.
        package let target: RecordName

        /// When the reference was assigned.
        package let timestamp: HybridTimestamp

        /// The write that assigned it.
        package let dot: Dot

        /// A reference.
        package init(source: RecordName, target: RecordName, timestamp: HybridTimestamp, dot: Dot) {
            self.source = source
            self.target = target
            self.timestamp = timestamp
            self.dot = dot
        }
    }

    /// The references to follow where each record has at most one: source → target.
    ///
    /// First a reference to a record that is not live reads as absent; then in every cycle the edge
    /// whose assignment is greatest by (timestamp, replica, counter).
    /// - Complexity: O(n); n is the number of edges.
    package static func followed(
        _ edges: [Edge], live: (RecordName) -> Bool
    ) -> [RecordName: RecordName] {
        var next: [RecordName: Edge] = [:]
        for edge in edges where live(edge.target) { next[edge.source] = edge }
        var done: Set<RecordName> = []
        for start in next.keys.sorted() where !done.contains(start) {
            var path: [RecordName] = []
            var onPath: Set<RecordName> = []
            var index = start
            while !done.contains(index), !onPath.contains(index), let edge = next[index] {
                path.append(index)
                onPath.insert(index)
                index = edge.target
            }
            if onPath.contains(index), let first = path.firstIndex(of: index) {
                let cycle = path[first...].compactMap { next[$0] }
                if let worst = cycle.max(by: isOlder) { next[worst.source] = nil }
            }
            done.formUnion(path)
        }
        return next.mapValues(\.target)
    }

    /// The references to follow where a record may have several: source → targets, sorted.
    ///
    /// An edge is the greatest of a cycle if lesser ones lead from its target back to its source.
    /// - Complexity: O(n log n); n is the number of edges.
    package static func followedSets(
        _ edges: [Edge], live: (RecordName) -> Bool
    ) -> [RecordName: [RecordName]] {
        let sorted = edges.filter { live($0.target) }.sorted(by: isOlder)
        var numbers: [RecordName: Int] = [:]
        func number(_ name: RecordName) -> Int {
            let number = numbers[name] ?? numbers.count
            numbers[name] = number
            return number
        }
        let cut = CycleCuts.greatest(
            of: sorted.map { (source: number($0.source), target: number($0.target)) })
        var targets: [RecordName: [RecordName]] = [:]
        for (index, edge) in sorted.enumerated() where !cut.contains(index) {
            targets[edge.source, default: []].append(edge.target)
        }
        return targets.mapValues { $0.sorted() }
    }

    /// Orders by assignment; only writes of two histories under one replica id can be alike in that.
    private static func isOlder(_ left: Edge, _ right: Edge) -> Bool {
        if left.timestamp != right.timestamp { return left.timestamp < right.timestamp }
        if left.dot != right.dot { return left.dot < right.dot }
        return left.source == right.source
            ? left.target < right.target : left.source < right.source
    }
}
