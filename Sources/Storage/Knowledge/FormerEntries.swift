/// Entries of a `ReplicaTable` as they were, by their indexes.
///
/// A dictionary with integers as keys would have the runtime look through every conformance of the program at its first
/// entry, which is 2 % of what an `add` takes: few entries are a list.
struct FormerEntries {
    /// The most entries that are looked through for one.
    private static let listedCountMax = 8

    /// The entries, in the order in which they were kept; none twice.
    private(set) var list: [(index: Int, entry: ReplicaTable.Entry)] = []
    /// Where each stands in the list, once there are more than are looked through.
    private var positions: [Int: Int] = [:]

    /// Whether there is none.
    var isEmpty: Bool { list.isEmpty }

    /// The entry of an index; nil if none was kept.
    subscript(index: Int) -> ReplicaTable.Entry? {
        if list.count <= Self.listedCountMax {
            for kept in list where kept.index == index { return kept.entry }
            return nil
        }
        return positions[index].map { list[$0].entry }
    }

    /// Keeps the entry of an index, unless there is one.
    mutating func keep(_ entry: ReplicaTable.Entry, at index: Int) {
        guard self[index] == nil else { return }
        list.append((index, entry))
        if list.count == Self.listedCountMax + 1 {
            for (position, kept) in list.enumerated() { positions[kept.index] = position }
        } else if list.count > Self.listedCountMax {
            positions[index] = list.count - 1
        }
    }

    /// Forgets all of them.
    mutating func removeAll() {
        list = []
        if !positions.isEmpty { positions = [:] }
    }
}
