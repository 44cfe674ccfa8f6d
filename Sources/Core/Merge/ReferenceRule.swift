/// Which references are followed: none to a missing or deleted record, and none that closes a cycle.
///
/// A pure function of what is visible, so every replica follows the same; nothing is rewritten.
package enum ReferenceRule {
    /// A visible reference from one record to another, with the write that made it.
    package struct Edge: Hashable, Sendable {
        /// The record that refers.
        package let source: RecordID

        /// The record referred to.
        package let target: RecordID

        /// When the reference was assigned.
        package let timestamp: HybridTimestamp

        /// The write that assigned it.
        package let dot: Dot

        /// A reference; each record has at most one.
        package init(source: RecordID, target: RecordID, timestamp: HybridTimestamp, dot: Dot) {
            self.source = source
            self.target = target
            self.timestamp = timestamp
            self.dot = dot
        }
    }

    /// The references to follow: source → target.
    ///
    /// First a reference to a record that is not live reads as absent; then in every cycle the edge
    /// whose assignment is greatest by (timestamp, replica, counter).
    /// - Complexity: O(n); n is the number of edges.
    package static func followed(_ edges: [Edge], live: (RecordID) -> Bool) -> [RecordID: RecordID]
    {
        var next: [RecordID: Edge] = [:]
        for edge in edges where live(edge.target) { next[edge.source] = edge }
        var done: Set<RecordID> = []
        for start in next.keys.sorted() where !done.contains(start) {
            var path: [RecordID] = []
            var onPath: Set<RecordID> = []
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

    private static func isOlder(_ left: Edge, _ right: Edge) -> Bool {
        left.timestamp == right.timestamp ? left.dot < right.dot : left.timestamp < right.timestamp
    }
}
