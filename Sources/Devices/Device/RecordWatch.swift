import Core
import Storage

/// Watches a device's store for changes, whoever makes them.
package final class RecordWatch {
    private let store: Store
    private var sequence: UInt64

    /// Begins now.
    package init(_ device: Device) throws(StoreFault) {
        store = device.store
        sequence = try store.news(after: .max).sequence
    }

    /// The records that changed since the last call.
    package func next() throws(StoreFault) -> [RecordID] {
        let news = try store.news(after: sequence)
        sequence = news.sequence
        return news.records.map(\.id)
    }
}
