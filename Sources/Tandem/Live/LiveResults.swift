import Storage

/// The records of a request, kept up with edits made here, by other devices and by other processes.
///
/// A list view shows ``rows``, and applies the steps of each batch when it comes:
///
/// ```swift
/// let photos = try store.live(FetchRequest("photos", sort: [.descending("taken")]))
/// for try await batch in photos.batches {
///     for change in batch { list.apply(change) }
/// }
/// ```
///
/// It may be made before its store is open, and has no rows until then; the first batch brings them. It
/// belongs to where its store belongs, as to the main actor. ``rows`` are as of the last batch: between two
/// batches they never change. A batch goes to whoever asks first: one list view has one of these.
///
/// The cost of a batch grows with what has changed, not with how many rows there are; save where very much
/// changed at once, or rows behind a limit come into sight: then everything is fetched again.
public final class LiveResults {
    private let results: LiveQuery
    private let signal: ChangeSignal
    private var isAttached = false
    /// Steps that nobody has taken yet.
    private var waiting: [LiveChange] = []
    private let startsWatch: () -> Void

    init(
        _ request: FetchRequest, signal: ChangeSignal, startsWatch: @escaping () -> Void
    ) {
        self.signal = signal
        self.startsWatch = startsWatch
        results = LiveQuery(request)
    }

    /// Fetches the first rows; the steps to them wait for whoever asks.
    func attach(_ engine: Store, isFirst: Bool) throws(StoreFault) {
        let steps = try results.attach(engine)
        isAttached = true
        // The maker of results of an open store sees the rows at once, and has nothing to apply.
        if !isFirst { waiting += steps }
    }

    // MARK: Rows

    /// The request.
    public var request: FetchRequest { results.request }

    /// Whether the store was open, so that the rows are what is in it.
    public var isReady: Bool { isAttached }

    /// How many rows there are in all.
    public var count: Int { results.rowCount }

    /// All rows, sections one after the other.
    public var rows: [Record] { results.rows }

    /// The sections in order; one section if the request asks for none.
    public var sections: [LiveSection] { results.sections }

    /// The row at a position.
    public subscript(position: RowPosition) -> Record {
        let before = results.sections[..<position.section].reduce(0) { $0 + $1.rowCount }
        precondition(
            results.sections[position.section].rowCount > position.row && position.row >= 0,
            "there is no row \(position.row) in section \(position.section)")
        return results[before + position.row]
    }

    // MARK: Batches

    /// Looks for changes now.
    ///
    /// For programs that have a loop of their own; others wait for ``batches``.
    /// - Returns: the steps from the rows as they were to the rows as they are now; none if nothing changed.
    /// - Throws: `busy`, `schemaChanged`, `damaged`, `notOpen` after the store was closed.
    public func refresh() throws(TandemError) -> [LiveChange] {
        if isAttached {
            waiting += try TandemError.mapping { () throws(StoreFault) in
                try results.refresh()
            }
        }
        defer { waiting = [] }
        return waiting
    }

    /// The batches to come, each with at least one step; it ends when the store is closed.
    public var batches: LiveBatches {
        startsWatch()
        return LiveBatches(results: self, signal: signal)
    }
}

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
