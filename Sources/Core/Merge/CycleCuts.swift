/// The edges that are the greatest of a cycle, in a graph whose edges have an order.
///
/// An edge is one if its ends are strongly connected by the edges up to itself. When the ends of each edge become so is
/// found for all edges together, by halving the order: no graph takes more than n log n steps.
enum CycleCuts {
    /// An edge between nodes that stand for those which are connected so far.
    private struct Edge {
        var source: Int
        var target: Int
        /// The edge's number in the order.
        let number: Int
    }

    /// The numbers of those edges.
    ///
    /// - Parameter edges: in order, the least first; nodes are any numbers.
    static func greatest(of edges: [(source: Int, target: Int)]) -> Set<Int> {
        let all = edges.enumerated().map {
            Edge(source: $0.element.source, target: $0.element.target, number: $0.offset)
        }
        var found: Set<Int> = []
        search(inCycles(all), from: 0, to: edges.count, &found)
        return found
    }

    /// The edges without those that lie on no cycle; as a rule all of them lie on none.
    private static func inCycles(_ edges: [Edge]) -> [Edge] {
        let (count, edges) = renumbered(edges)
        let component = components(count, edges)
        return edges.filter { component[$0.source] == component[$0.target] }
    }

    /// Finds, for edges whose ends become connected with an edge of the range or never, those that close a cycle.
    private static func search(
        _ edges: [Edge], from first: Int, to last: Int, _ found: inout Set<Int>
    ) {
        if edges.isEmpty { return }
        if first == last {
            for edge in edges where edge.number == first { found.insert(edge.number) }
            return
        }
        let middle = first + (last - first) / 2
        let (count, edges) = renumbered(edges)
        let component = components(count, edges.filter { $0.number <= middle })
        var early: [Edge] = []
        var late: [Edge] = []
        for edge in edges {
            if edge.number <= middle, component[edge.source] == component[edge.target] {
                early.append(edge)
            } else {
                late.append(
                    Edge(
                        source: component[edge.source], target: component[edge.target],
                        number: edge.number))
            }
        }
        search(early, from: first, to: middle, &found)
        search(late, from: middle + 1, to: last, &found)
    }

    /// The edges between nodes that are numbered from 0 on, and how many nodes these are.
    private static func renumbered(_ edges: [Edge]) -> (count: Int, edges: [Edge]) {
        var numbers: [Int: Int] = [:]
        func number(_ node: Int) -> Int {
            let number = numbers[node] ?? numbers.count
            numbers[node] = number
            return number
        }
        let renumbered = edges.map {
            Edge(source: number($0.source), target: number($0.target), number: $0.number)
        }
        return (numbers.count, renumbered)
    }

    /// The strongly connected component of each node, by Tarjan's algorithm without recursion.
    private static func components(_ count: Int, _ edges: [Edge]) -> [Int] {
        // The targets of each node stand together.
        var ends = [Int](repeating: 0, count: count + 1)
        for edge in edges { ends[edge.source + 1] += 1 }
        for node in 0..<count { ends[node + 1] += ends[node] }
        var next = Array(ends.dropLast())
        var targets = [Int](repeating: 0, count: edges.count)
        for edge in edges {
            targets[next[edge.source]] = edge.target
            next[edge.source] += 1
        }
        next = Array(ends.dropLast())
        var component = [Int](repeating: -1, count: count)
        var depth = [Int](repeating: -1, count: count)
        var lowest = [Int](repeating: 0, count: count)
        var open: [Int] = []
        var path: [Int] = []
        var depthCount = 0
        var componentCount = 0
        for start in 0..<count where depth[start] < 0 {
            path.append(start)
            while let node = path.last {
                if depth[node] < 0 {
                    depth[node] = depthCount
                    lowest[node] = depthCount
                    depthCount += 1
                    open.append(node)
                }
                if next[node] < ends[node + 1] {
                    let target = targets[next[node]]
                    next[node] += 1
                    if depth[target] < 0 {
                        path.append(target)
                    } else if component[target] < 0 {
                        lowest[node] = min(lowest[node], depth[target])
                    }
                    continue
                }
                path.removeLast()
                if let above = path.last { lowest[above] = min(lowest[above], lowest[node]) }
                guard lowest[node] == depth[node] else { continue }
                while let member = open.popLast() {
                    component[member] = componentCount
                    if member == node { break }
                }
                componentCount += 1
            }
        }
        return component
    }
}
