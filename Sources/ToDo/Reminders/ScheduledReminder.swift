import Core
import Storage

/// A reminder of one to-do, and when it is told.
package struct ScheduledReminder: Sendable {
    /// The identity of a reminder: the to-do, the reminder, and the date that it counts from.
    ///
    /// It is the same on every device, in whichever zone; a to-do that is moved to another date has another one.
    package struct Key: Hashable, Sendable {
        /// The to-do.
        package let id: RecordID
        /// A hash of the reminder and of the date that it counts from.
        package let hash: UInt64
    }

    /// A reminder's identity and time, without the rest of its to-do.
    struct Slot: Sendable {
        /// The identity.
        let key: Key
        /// The reminder.
        let reminder: Reminder
        /// When it is told; milliseconds since 1970.
        let time: Int64

        /// Nil if the to-do lacks the date that the reminder counts from, or a person has dismissed it.
        init?(_ reminder: Reminder, of item: ToDoItem, _ id: RecordID, zone: LocalTimeZone) {
            guard let base = reminder.base(in: item),
                let time = reminder.time(in: item, zone: zone),
                reminder.acknowledged ?? .min < time
            else { return nil }
            // FNV-1a, which every program can compute.
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in "\(Reminder(reminder.trigger).text)|\(base.rfc3339)".utf8 {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
            key = Key(id: id, hash: hash)
            self.reminder = reminder
            self.time = time
        }
    }

    private let slot: Slot
    /// The record of the to-do.
    package let stored: Record
    /// The to-do.
    package let item: ToDoItem

    /// Its identity.
    package var key: Key { slot.key }
    /// The reminder.
    package var reminder: Reminder { slot.reminder }
    /// When it is told; milliseconds since 1970.
    package var time: Int64 { slot.time }

    init(_ slot: Slot, of stored: Record, _ item: ToDoItem) {
        self.slot = slot
        self.stored = stored
        self.item = item
    }
}

/// Reminders: those to come, those that are due, and which were told.
///
/// A device tells each at most once: it notes so before it tells (`claim`), and where it is killed in between, another
/// device tells it; where the telling fails, it is tried again (`release`). Behind that it writes into its device's
/// record what it has told (`noteTold`), and devices that have seen it stay silent. So that one of several that run is
/// first, each waits a while of its own, at most `reminderDelaySecondsMax`; with one that is late already from when it
/// learns of it. Source: Protocol/7-ToDos.md.
extension ToDoStore {
    /// The longest that a device leaves a reminder to others; seconds.
    package static let reminderDelaySecondsMax = 10
    /// The step between the waits of two devices; seconds.
    package static let reminderDelaySeconds = 2
    /// A reminder that is missed for longer is not told any more; days.
    package static let missedReminderDaysMax = 7
    /// How many to-dos are read at once.
    private static let reminderPageCount = 500

    /// The reminders with their to-dos.
    func filled(
        _ slots: [ScheduledReminder.Slot]
    ) throws(StoreFault) -> [ScheduledReminder] {
        var known: [RecordID: (stored: Record, item: ToDoItem)] = [:]
        let ids = Array(Set(slots.map(\.key.id)))
        for start in stride(from: 0, to: ids.count, by: Self.reminderPageCount) {
            let page = Array(ids[start..<min(start + Self.reminderPageCount, ids.count)])
            let request = FetchRequest(ToDoSchema.collection, where: .oneOf(page))
            for stored in try store.fetch(request) {
                known[stored.id] = (stored, ToDoMapping.item(stored))
            }
        }
        return slots.compactMap { slot in
            known[slot.key.id].map { ScheduledReminder(slot, of: $0.stored, $0.item) }
        }
    }

    /// The reminders that nobody has told, and that are not missed for too long: the earliest first.
    ///
    /// - Parameter limit: the most to give; nil for all.
    package func openReminders(limit: Int? = nil) throws(StoreFault) -> [ScheduledReminder] {
        try ReminderSchedule(store).open(of: self, limit: limit)
    }

    /// The reminders that this device tells now, and when it has to look again.
    ///
    /// - Parameter waits: whether other devices may be first.
    /// - Returns: the next time in milliseconds since 1970; nil if there is no other reminder.
    package func dueReminders(
        waits: Bool
    ) throws(StoreFault) -> (due: [ScheduledReminder], next: Int64?) {
        try ReminderSchedule(store).due(of: self, waits: waits)
    }

    /// How long this device leaves a reminder to others; milliseconds.
    func ownReminderDelay() throws(StoreFault) -> Int64 {
        let devices = try store.deviceRecords().filter { !$0.verdict.isDeleted }
            .map { ReplicaID(value: $0.id.value) }
        let rank = devices.count { $0 < store.replica }
        return Int64(min(rank * Self.reminderDelaySeconds, Self.reminderDelaySecondsMax)) * 1000
    }
}

extension ScheduledReminder {
    /// A reminder that is told so much later than it should be is told with its age; milliseconds.
    package static let lateMilliseconds: Int64 = 60_000

    /// The text below the title: the date, and how late it is told.
    package func message(now: Int64, zone: LocalTimeZone) -> String {
        var parts: [String] = []
        if let due = item.due {
            parts.append("due \(DatePhrase.describe(due, now: now, zone: zone))")
        } else if let scheduled = item.scheduled {
            parts.append("scheduled \(DatePhrase.describe(scheduled, now: now, zone: zone))")
        }
        if !item.project.isEmpty { parts.append(item.project) }
        if !item.location.isEmpty { parts.append(item.location) }
        if now.minus(time) >= Self.lateMilliseconds {
            parts.append(
                "reminder of \(DatePhrase.describe(.instant(time), now: now, zone: zone))")
        }
        return parts.joined(separator: "\n")
    }
}
