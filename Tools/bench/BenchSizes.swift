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

/// How much is measured of a relay.
struct RelaySize {
    /// Devices that are there and do nothing.
    var idleCount: Int
    /// Devices of one space.
    let idlePerSpace: Int
    /// Devices to which each change is sent.
    let subscriberCount: Int
    /// Changes that one more device uploads.
    let changeCount: Int
    /// Edits of which the way to another device is timed.
    let editCount: Int
    /// Devices that upload at once, each to a space of its own.
    let uploaderCount: Int
    /// Messages that each of them uploads.
    let uploadBatchCount: Int

    static let full = RelaySize(
        idleCount: 5000, idlePerSpace: 5, subscriberCount: 100, changeCount: 20_000, editCount: 500,
        uploaderCount: 24, uploadBatchCount: 100)
    static let smoke = RelaySize(
        idleCount: 50, idlePerSpace: 5, subscriberCount: 5, changeCount: 500, editCount: 20,
        uploaderCount: 6, uploadBatchCount: 4)
}
