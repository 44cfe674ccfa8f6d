/// How much is measured.
struct BenchSize {
    /// To-dos made in one transaction and synced first.
    let bulkCount: Int
    /// To-dos made in a transaction each.
    let singleCount: Int
    /// To-dos of which one field is edited before a second sync.
    let editCount: Int
    /// Live edits that are timed on their way to the other replica.
    var liveCount: Int
    /// Rows of the lists that are kept up with single edits.
    let listCounts: [Int]

    /// The sizes of the table of numbers to reach.
    static let full = BenchSize(
        bulkCount: 100_000, singleCount: 10_000, editCount: 100, liveCount: 500,
        listCounts: [1000, 10_000, 100_000])
    /// Small sizes, so that the benchmark itself stays tested.
    static let smoke = BenchSize(
        bulkCount: 2000, singleCount: 200, editCount: 20, liveCount: 20, listCounts: [1000])
}
