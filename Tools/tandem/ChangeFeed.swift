import Core
import JSON
import Storage
import Terminal
import ToDo

/// The changes of a store, one to-do at a time, numbered without gaps.
struct ChangeFeed {
    /// One to-do that changed.
    struct Event {
        /// The change to the to-do in the watched list.
        enum Kind: String {
            case insert
            case update
            case delete
        }

        /// From 1, one more each time.
        let number: Int
        let kind: Kind
        let stored: StoredRecord
        /// Field by field, the earliest first; nothing for a new one.
        let entries: [JournalEntry]
    }

    private let filter: ToDoFilter
    private let place: CommandContext
    private var known: Set<RecordID>
    private var sequence: UInt64
    private var journal: Int64
    private var number = 0

    /// Begins now: what is there already is no change.
    init(_ filter: ToDoFilter, _ place: CommandContext) throws {
        self.filter = filter
        self.place = place
        sequence = try place.store.news(after: .max).sequence
        journal = try place.store.journal.lastNumber()
        known = Set(try place.todos.list(filter, pendingOnly: false).map(\.id))
    }

    /// Returns the changes since the last call.
    mutating func next() throws -> [Event] {
        let news = try place.store.news(after: sequence)
        if news.sequence == sequence { return [] }
        let entries = try place.store.journal.entries(after: journal)
        sequence = news.sequence
        journal = entries.last?.number ?? journal
        var events: [Event] = []
        for stored in news.records where stored.collection == ToDoSchema.collection {
            let isTaken =
                !stored.verdict.isDeleted
                && filter.matches(
                    ToDoMapping.item(stored), now: SystemTime.now, zone: place.zone)
            let wasTaken = known.contains(stored.id)
            guard isTaken || wasTaken else { continue }
            if isTaken { known.insert(stored.id) } else { known.remove(stored.id) }
            number += 1
            events.append(
                Event(
                    number: number, kind: !wasTaken ? .insert : isTaken ? .update : .delete,
                    stored: stored, entries: entries.filter { $0.record == stored.id }))
        }
        return events
    }
}

extension ChangeFeed.Event {
    /// The event in a line.
    func line(_ place: CommandContext) throws -> String {
        let title = ToDoMapping.item(stored).shownTitle
        let word =
            switch kind {
            case .insert: "new"
            case .update: "changed"
            case .delete: stored.verdict.isDeleted ? "deleted" : "gone from here"
            }
        let shown = entries.filter {
            $0.kind != .made && $0.field != .deleted && JournalOutput.isShown($0)
        }
        let changes = shown.map { JournalOutput.words($0, place) }.joined(separator: "; ")
        let author = entries.last?.author ?? stored.record.writes.last?.dot.replica
        let device = try author.map { " on " + (try place.todos.deviceName($0)).shownInLine } ?? ""
        let clock = place.zone.localTime(at: SystemTime.now)
        let time = [clock.hour, clock.minute, clock.second].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
        let text = "\(Screen.faint(time))  \(word)\(device): \(Screen.bold(title))"
        return changes.isEmpty ? text : text + "  \(changes)"
    }

    /// The same as JSON.
    func json(_ place: CommandContext) throws -> JSONValue {
        let changes = try entries.map { try JournalOutput.json($0, place) }
        return JSONOutput.object([
            ("number", .number(number)), ("kind", JSONOutput.text(kind.rawValue)),
            ("time", JSONOutput.text(TimestampText.rfc3339(SystemTime.now))),
            ("changes", .array(changes)),
            ("item", JSONOutput.item(stored)),
        ])
    }
}
