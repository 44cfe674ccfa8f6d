import Core
import JSON
import Storage

/// The times of the reminders of pending to-dos, kept up with a store: after a change only what changed is looked at.
///
/// Whoever tells reminders for as long as it runs keeps one; each look reads what was told anew.
package final class ReminderSchedule {
    /// More to-dos than so many that changed at once are no longer followed: all are read anew.
    package static let followedCountMax = 1_000

    /// How often all reminding to-dos were read.
    package private(set) var fullReadCount = 0

    private let store: Store
    /// The zone in which the times were counted; nil before the first look.
    private var zone: LocalTimeZone?
    /// The arrival number up to which changes are in the slots.
    private var sequence: UInt64 = 0
    /// The earliest first.
    private var slots: [ScheduledReminder.Slot] = []
    /// The slots of each to-do.
    private var slotsByID: [RecordID: [ScheduledReminder.Slot]] = [:]
    /// When late reminders were first seen: from then on they are left to other devices for a while.
    private var arrivals: [ScheduledReminder.Key: Int64] = [:]
    private let isKept: Bool

    /// The schedule of a store, which is read when it is first looked at.
    ///
    /// - Parameter isKept: whether it is looked at again and again: then other devices may be first also with what was
    ///   missed before.
    package init(_ store: Store, isKept: Bool = false) {
        self.store = store
        self.isKept = isKept
    }

    /// The reminders that this device tells now, and when it has to look again.
    ///
    /// - Parameters:
    ///   - todos: the store's to-dos, with the time and the zone.
    ///   - waits: whether other devices may be first.
    /// - Returns: the next time in milliseconds since 1970; nil if there is no other reminder.
    package func due(
        of todos: ToDoStore, waits: Bool
    ) throws(StoreFault) -> (due: [ScheduledReminder], next: Int64?) {
        try store.reading { () throws(StoreFault) in
            let all = try slots(for: todos)
            guard let first = all.first else { return ([], nil) }
            // Nothing is due yet: neither what was told nor the other devices need be looked at.
            if first.time > todos.now { return ([], first.time) }
            let (told, again) = try todos.tellings()
            var delay: Int64?
            var due: [ScheduledReminder.Slot] = []
            var next: Int64?
            for slot in all where !told.contains(slot.key) {
                // The rest is later.
                if slot.time > todos.now {
                    next = min(next ?? .max, slot.time)
                    break
                }
                if delay == nil { delay = waits ? try todos.ownReminderDelay() : 0 }
                let start = max(slot.time, arrival(of: slot.key, now: todos.now))
                let time = max(start.plus(delay ?? 0), again[slot.key] ?? .min)
                if time <= todos.now { due.append(slot) } else { next = min(next ?? .max, time) }
            }
            return (try todos.filled(due), next)
        }
    }

    /// The reminders that nobody has told, the earliest first.
    ///
    /// - Parameter limit: the most to give; nil for all.
    package func open(
        of todos: ToDoStore, limit: Int?
    ) throws(StoreFault) -> [ScheduledReminder] {
        try store.reading { () throws(StoreFault) in
            let all = try slots(for: todos)
            if all.isEmpty { return [] }
            let told = try todos.tellings().told
            let open = all.filter { !told.contains($0.key) }
            return try todos.filled(Array(open.prefix(limit ?? open.count)))
        }
    }

    /// The reminders that are not missed for too long, the earliest first; told ones too.
    ///
    /// To be called inside of a reading of the store.
    /// - Complexity: O(k log n) and the room of n slots moved, for k to-dos of n that changed since the last look.
    private func slots(
        for todos: ToDoStore
    ) throws(StoreFault) -> ArraySlice<ScheduledReminder.Slot> {
        let newest = store.sequence
        if zone != todos.zone || newest < sequence {
            try readAll(todos)
        } else if newest > sequence {
            try follow(todos)
        }
        (zone, sequence) = (todos.zone, newest)
        // Dismissed reminders are never told again, and another date makes others of them.
        let start = todos.now.minus(Int64(ToDoStore.missedReminderDaysMax) * 86_400_000)
        return slots[firstIndex { $0.time <= start }...]
    }

    /// When a reminder was first seen that was late then; the earliest time of all if it was not.
    private func arrival(of key: ScheduledReminder.Key, now: Int64) -> Int64 {
        guard let time = arrivals[key] else { return .min }
        // The clock may have been set back since.
        if time > now { arrivals[key] = now }
        return min(time, now)
    }

    /// Notes that a reminder was seen for the first time, if it is late.
    private func noteArrival(of slot: ScheduledReminder.Slot, now: Int64) {
        if slot.time < now { arrivals[slot.key] = now }
    }

    private func readAll(_ todos: ToDoStore) throws(StoreFault) {
        fullReadCount += 1
        let known = Set(slots.map(\.key))
        let former = arrivals
        slots = try Self.read(.all, todos).sorted { $0.isBefore($1) }
        slotsByID = [:]
        arrivals = [:]
        for slot in slots {
            slotsByID[slot.key.id, default: []].append(slot)
            if known.contains(slot.key) {
                arrivals[slot.key] = former[slot.key]
            } else if isKept {
                noteArrival(of: slot, now: todos.now)
            }
        }
    }

    private func follow(_ todos: ToDoStore) throws(StoreFault) {
        var ids: [RecordID] = []
        let changed = FetchRequest(
            ToDoSchema.collection, scope: .all,
            where: .compare(.sequence, .greater, .int(Int64(clamping: sequence))),
            sort: [FetchRequest.SortDescriptor(.sequence)], limit: Self.followedCountMax + 1)
        try store.texts(of: [ToDoSchema.Number.due], in: changed) { id, _ in ids.append(id) }
        if ids.isEmpty { return }
        if ids.count > Self.followedCountMax { return try readAll(todos) }
        var former: [ScheduledReminder.Key: Int64?] = [:]
        for id in ids {
            for slot in slotsByID[id] ?? [] { former[slot.key] = .some(arrivals[slot.key]) }
            remove(id)
        }
        for slot in try Self.read(.oneOf(ids), todos) {
            slots.insert(slot, at: firstIndex { $0.isBefore(slot) })
            slotsByID[slot.key.id, default: []].append(slot)
            if let time = former[slot.key] {
                arrivals[slot.key] = time
            } else if isKept {
                noteArrival(of: slot, now: todos.now)
            }
        }
    }

    private func remove(_ id: RecordID) {
        for slot in slotsByID.removeValue(forKey: id) ?? [] {
            arrivals[slot.key] = nil
            let index = firstIndex { $0.isBefore(slot) }
            if index < slots.count, slots[index].key == slot.key { slots.remove(at: index) }
        }
    }

    /// How many of the first slots are so, found by halving: those that are come first.
    private func firstIndex(behind isSo: (ScheduledReminder.Slot) -> Bool) -> Int {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if isSo(slots[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Reading

    /// The columns that reminders are counted from: no look has to read whole to-dos.
    private static let columns = [
        ToDoSchema.Number.reminders, ToDoSchema.Number.due, ToDoSchema.Number.scheduled,
    ]

    private static func read(
        _ predicate: FetchPredicate, _ todos: ToDoStore
    ) throws(StoreFault) -> [ScheduledReminder.Slot] {
        let reminding = FetchPredicate.not(.absent(.field(ToDoSchema.Number.reminders)))
        let request = FetchRequest(
            ToDoSchema.collection, where: .and([ToDoStore.pending, reminding, predicate]))
        var found: [ScheduledReminder.Slot] = []
        try todos.store.texts(of: columns, in: request) { id, texts in
            var item = ToDoItem(title: "")
            item.due = texts[1].flatMap(MomentText.value).flatMap(ToDoMapping.moment)
            item.scheduled = texts[2].flatMap(MomentText.value).flatMap(ToDoMapping.moment)
            for text in elements(texts[0] ?? "") {
                if let reminder = Reminder(text: text),
                    let slot = ScheduledReminder.Slot(reminder, of: item, id, zone: todos.zone)
                {
                    found.append(slot)
                }
            }
        }
        return found
    }

    /// The texts in the column of a set, which is a JSON array.
    private static func elements(_ column: String) -> [String] {
        // No reminder has anything that is escaped: what stands between quotes is the text.
        if column.utf8.contains(UInt8(ascii: "\\")) {
            return JSONValue(compactText: column)?.texts ?? []
        }
        return column.split(separator: "\"").map { String($0) }
    }
}

extension ScheduledReminder.Slot {
    /// Whether it is told before another one; of those at one time an order that is always the same.
    fileprivate func isBefore(_ other: ScheduledReminder.Slot) -> Bool {
        (time, key.id, key.hash) < (other.time, other.key.id, other.key.hash)
    }
}
