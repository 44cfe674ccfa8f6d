import Core

/// What came from a relay and waits for the store.
struct Download: Sendable {
    /// What waits its turn.
    enum Item: Sendable {
        case batch(ChangeBatch)
        case standing(Standing)
    }

    /// In the order in which they came; bounded by the window.
    private var items: [Item] = []
    /// The batches among them, and the bytes of their bodies.
    private(set) var batchCount = 0
    private(set) var byteCount = 0
    /// A change that is coming in parts, and one that is whole and belongs to the next batch.
    var assembly: BodyAssembly?
    var assembled: Change?
    /// Whether the store is at work on an item.
    var isBusy = false
    /// How many batches were integrated.
    var integratedCount: UInt64 = 0
    /// Whether the relay's last standing was judged and nothing came since.
    var hasStood = false
    /// Whether something came that cannot be what a device of the space uploaded.
    var isTampered = false
    /// Whether a device states writes that the relay has not sent.
    var isMismatched = false

    /// Whether and since when nothing is taken any more, as deletes are held.
    var hold: DeletionHold?
    /// Whether nothing is taken any more.
    var isHeld: Bool { hold != nil }

    /// Takes nothing more: what waits is let go of.
    ///
    /// - Returns: how many batches waited.
    mutating func stop(by hold: DeletionHold) -> Int {
        self.hold = hold
        hasStood = false
        defer {
            items = []
            batchCount = 0
            byteCount = 0
            assembly = nil
            assembled = nil
        }
        return batchCount
    }

    /// Whether nothing waits and the store is not at work.
    var isIdle: Bool { items.isEmpty && !isBusy && assembly == nil && assembled == nil }

    mutating func append(_ item: Item) {
        if case .batch(let batch) = item {
            batchCount += 1
            byteCount += Self.byteCount(of: batch)
        }
        items.append(item)
    }

    /// How many standings wait.
    var standingCount: Int { items.count - batchCount }

    /// What is next, if the store is free.
    mutating func next() -> Item? {
        guard !items.isEmpty, !isBusy else { return nil }
        let item = items.removeFirst()
        if case .batch(let batch) = item {
            batchCount -= 1
            byteCount -= Self.byteCount(of: batch)
        }
        isBusy = true
        return item
    }

    private static func byteCount(of batch: ChangeBatch) -> Int {
        batch.changes.reduce(0) { $0 + $1.body.count }
    }
}
