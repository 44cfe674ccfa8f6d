import Core
import Storage

/// The changes of a store that concern the to-dos of a filter, one to-do at a time, numbered without gaps.
package struct ToDoFeed {
    /// One to-do that changed.
    package struct Event: Sendable {
        /// The change to the to-do in the watched list.
        package enum Kind: String, Sendable {
            /// It came into the list.
            case insert
            /// It changed, and is still in the list.
            case update
            /// It left the list.
            case delete
        }

        /// From 1, one more each time.
        package let number: Int
        /// The kind of change.
        package let kind: Kind
        /// The to-do, as it is now.
        package let stored: Record
        /// Field by field, the earliest first; nothing for a new one.
        package let entries: [JournalEntry]

        /// The replica that made the last change, as far as it is known.
        package var author: ReplicaID? {
            entries.last?.author ?? stored.record.writes.last?.dot.replica
        }
    }

    private let filter: ToDoFilter
    private var store: Store
    private let zone: LocalTimeZone
    private var known: Set<RecordID>
    private var sequence: UInt64
    private var journal: Int64
    private var number = 0

    /// Begins now: to-dos that are in the list already are no change.
    package init(_ filter: ToDoFilter, of todos: ToDoStore) throws(StoreFault) {
        self.filter = filter
        store = todos.store
        zone = todos.zone
        sequence = try store.news(after: .max).sequence
        journal = try store.journal.lastNumber()
        known = Set(try todos.list(filter, pendingOnly: false).map(\.id))
    }

    /// Goes on with a later copy of the same store.
    package mutating func follow(_ todos: ToDoStore) { store = todos.store }

    /// Returns the changes since the last call.
    ///
    /// - Parameter now: the wall clock's time; milliseconds since 1970-01-01 UTC.
    package mutating func next(now: Int64) throws(StoreFault) -> [Event] {
        let news = try store.news(after: sequence)
        if news.sequence == sequence { return [] }
        let entries = try store.journal.entries(after: journal)
        sequence = news.sequence
        journal = entries.last?.number ?? journal
        var events: [Event] = []
        let todos = ToDoStore(store: store, now: now, zone: zone)
        let resolved = try todos.resolved(filter)
        for stored in news.records where stored.collection == ToDoSchema.collection {
            let isMatch = try !todos.matching([stored], resolved).isEmpty
            let isTaken = isMatch && !stored.verdict.isDeleted
            let wasTaken = known.contains(stored.id)
            guard isTaken || wasTaken else { continue }
            if isTaken { known.insert(stored.id) } else { known.remove(stored.id) }
            number += 1
            events.append(
                Event(
                    number: number, kind: !wasTaken ? .insert : isTaken ? .update : .delete,
                    stored: stored, entries: entries.filter { $0.record == stored.name }))
        }
        return events
    }
}
