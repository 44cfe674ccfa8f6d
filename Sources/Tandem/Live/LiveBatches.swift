/// The batches of ``LiveResults``, as they come.
///
/// It is to be iterated where its store belongs: rows are read there, never on another thread.
public struct LiveBatches: AsyncSequence {
    /// The steps of a batch.
    public typealias Element = [LiveChange]
    /// The error of reading rows.
    public typealias Failure = TandemError

    let results: LiveResults
    let signal: ChangeSignal

    /// Begins to wait for batches.
    public func makeAsyncIterator() -> Iterator {
        Iterator(results: results, signal: signal)
    }

    /// Waits for batches.
    public struct Iterator: AsyncIteratorProtocol {
        /// The steps of a batch.
        public typealias Element = [LiveChange]
        /// The error of reading rows.
        public typealias Failure = TandemError

        private let results: LiveResults
        private let signal: ChangeSignal
        private var ticks: AsyncStream<Void>.Iterator
        private var isOver = false

        init(results: LiveResults, signal: ChangeSignal) {
            self.results = results
            self.signal = signal
            ticks = signal.ticks().makeAsyncIterator()
        }

        /// The next batch; nil when the store was closed or the task cancelled.
        ///
        /// - Throws: `busy`, `schemaChanged`, `damaged`; waiting can go on after `busy`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TandemError) -> [LiveChange]? {
            while !isOver, !signal.isOver {
                let batch = try results.refresh()
                if !batch.isEmpty { return batch }
                if await ticks.next(isolation: actor) == nil { isOver = true }
            }
            return nil
        }

        /// The same, where it is not said to which actor the store belongs.
        public mutating func next() async throws(TandemError) -> [LiveChange]? {
            try await next(isolation: nil)
        }
    }
}
