import Core
import Storage

/// Tracking time: one timer for a person.
///
/// Every stretch of work is an element of a set, so nothing of two devices is lost. Two devices that were apart may
/// each have started one: then both are shown as running until somebody stops, and the earlier one counts as
/// ended when the later one began.
extension ToDoStore {
    /// A to-do on which somebody works, and since when.
    package struct Timer: Sendable, Equatable {
        /// The to-do.
        package let id: RecordID
        /// As it is.
        package let item: ToDoItem
        /// Since when; milliseconds since 1970.
        package let start: Int64
    }

    /// The running to-dos, the latest first; more than one only if devices started them while apart.
    package func timers() throws(StoreFault) -> [Timer] {
        // Every list asks, and hardly ever does anybody work: an index tells.
        let running = try store.texts(of: [ToDoSchema.Number.work], in: Self.running)
        if running.isEmpty { return [] }
        let found = try store.fetch(Self.running)
        return zip(found, try items(found)).flatMap { stored, item in
            item.work.filter(\.isRunning).map {
                Timer(id: stored.id, item: item, start: $0.start)
            }
        }.sorted { ($0.start, $0.id) > ($1.start, $1.id) }
    }

    /// To-dos with a stretch of work that has no end.
    private static let running = FetchRequest(
        ToDoSchema.collection,
        where: .and([
            .not(.absent(.field(ToDoSchema.Number.work))),
            .contains(.field(ToDoSchema.Number.work), "/\""),
        ]))

    /// Starts the timer on a to-do; what ran until then is stopped.
    ///
    /// - Parameter time: since when; milliseconds since 1970, by default now.
    /// - Returns: what was stopped, and whether this was not running already.
    /// - Throws: `recordDeleted` if it is in the trash.
    package func start(
        _ id: RecordID, at time: Int64? = nil
    ) throws(StoreFault) -> (stopped: [Timer], isNew: Bool) {
        let time = time ?? now
        return try store.edit { transaction throws(StoreFault) in
            let running = try timers()
            let others = running.filter { $0.id != id }
            try stop(others, at: time, in: transaction)
            if running.contains(where: { $0.id == id }) { return (others, false) }
            try change(id, in: transaction) { item in
                item.work.append(WorkInterval(start: time, end: nil))
            }
            return (others, true)
        }
    }

    /// Stops all timers.
    ///
    /// - Parameter time: when; milliseconds since 1970, by default now.
    /// - Returns: what was stopped, the latest first.
    package func stop(at time: Int64? = nil) throws(StoreFault) -> [Timer] {
        try store.edit { transaction throws(StoreFault) in
            let running = try timers()
            try stop(running, at: time ?? now, in: transaction)
            return running
        }
    }

    /// Stops timers: the latest at `time`, each other one when the next began.
    private func stop(
        _ timers: [Timer], at time: Int64, in transaction: Transaction
    ) throws(StoreFault) {
        var end = time
        for timer in timers {
            let last = max(end, timer.start)
            try change(timer.id, in: transaction) { item in
                for index in item.work.indices
                where item.work[index].isRunning && item.work[index].start == timer.start {
                    item.work[index].end = last
                }
            }
            end = min(end, timer.start)
        }
    }

    private func change(
        _ id: RecordID, in transaction: Transaction, _ body: (inout ToDoItem) -> Void
    ) throws(StoreFault) {
        guard let stored = try transaction.record(id) else { throw .noSuchRecord }
        let old = ToDoMapping.item(stored)
        var new = old
        body(&new)
        new.sortWork()
        try transaction.update(id, ToDoMapping.assignments(from: old, to: new))
    }

    /// All to-dos on which somebody worked, deleted ones left out.
    package func worked() throws(StoreFault) -> [(id: RecordID, item: ToDoItem)] {
        let found = try store.fetch(
            FetchRequest(
                ToDoSchema.collection, where: .not(.absent(.field(ToDoSchema.Number.work)))))
        return zip(found, try items(found)).map { ($0.id, $1) }
    }

    /// A stretch of work on a to-do.
    package struct Stretch: Sendable {
        /// The to-do.
        package let id: RecordID
        /// The to-do, as it is now.
        package let item: ToDoItem
        /// The stretch; it has no end while it runs.
        package let work: WorkInterval
    }

    /// The stretches of work that begin or end within a time, the earliest first.
    ///
    /// - Parameters:
    ///   - filter: the to-dos that are meant.
    ///   - range: milliseconds since 1970-01-01 UTC.
    package func stretches(
        of filter: ToDoFilter, within range: Range<Int64>
    ) throws(StoreFault) -> [Stretch] {
        var found: [Stretch] = []
        let filter = try resolved(filter)
        for (id, item) in try worked() where filter.matches(item, now: now, zone: zone) {
            for work in item.work
            where range.contains(work.start) || range.contains(work.end ?? now) {
                found.append(Stretch(id: id, item: item, work: work))
            }
        }
        return found.sorted { ($0.work.start, $0.id) < ($1.work.start, $1.id) }
    }
}
