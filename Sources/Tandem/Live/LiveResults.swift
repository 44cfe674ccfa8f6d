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
    /// The request.
    public let request: FetchRequest

    private let results: Storage.LiveResults
    private let signal: ChangeSignal
    private var isAttached = false
    /// Steps that nobody has taken yet.
    private var waiting: [LiveChange] = []
    private let startsWatch: () -> Void

    init(
        _ request: FetchRequest, _ compiled: Storage.FetchRequest, signal: ChangeSignal,
        startsWatch: @escaping () -> Void
    ) {
        self.request = request
        self.signal = signal
        self.startsWatch = startsWatch
        results = Storage.LiveResults(compiled)
    }

    /// Fetches the first rows; the steps to them wait for whoever asks.
    func attach(_ engine: Storage.Store, isFirst: Bool) throws(StoreFault) {
        let steps = try results.attach(engine).map(LiveChange.init)
        isAttached = true
        // The maker of results of an open store sees the rows at once, and has nothing to apply.
        if !isFirst { waiting += steps }
    }

    // MARK: Rows

    /// Whether the store was open, so that the rows are what is in it.
    public var isReady: Bool { isAttached }

    /// How many rows there are in all.
    public var count: Int { results.rowCount }

    /// All rows, sections one after the other.
    public var rows: [Record] { results.rows.map(Record.init) }

    /// The sections in order; one section if the request asks for none.
    public var sections: [ResultSection] {
        results.sections.map { ResultSection(value: Value($0.value), rowCount: $0.rowCount) }
    }

    /// The row at a place.
    public subscript(place: RowPlace) -> Record {
        let before = results.sections[..<place.section].reduce(0) { $0 + $1.rowCount }
        precondition(
            results.sections[place.section].rowCount > place.row && place.row >= 0,
            "there is no row \(place.row) in section \(place.section)")
        return Record(results[before + place.row])
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
                try results.refresh().map(LiveChange.init)
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
