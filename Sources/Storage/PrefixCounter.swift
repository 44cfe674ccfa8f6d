/// Counts at places, and their sums from the first on (Fenwick, "A new data structure for cumulative
/// frequency tables", 1994).
struct PrefixCounter {
    private var sums: [Int]

    init(count: Int) {
        sums = [Int](repeating: 0, count: count + 1)
    }

    /// Adds to the count at a place.
    mutating func add(_ amount: Int, at place: Int) {
        var node = place + 1
        while node < sums.count {
            sums[node] += amount
            node += node & -node
        }
    }

    /// The sum of the counts at the places below one.
    func sum(below place: Int) -> Int {
        var (node, sum) = (place, 0)
        while node > 0 {
            sum += sums[node]
            node -= node & -node
        }
        return sum
    }
}
