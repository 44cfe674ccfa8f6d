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

    /// Its identity.
    package let key: Key
    /// The to-do.
    package let item: ToDoItem
    /// The reminder.
    package let reminder: Reminder
    /// When it is told; milliseconds since 1970.
    package let time: Int64

    /// Nil if the to-do lacks the date that the reminder counts from, or a person has dismissed it.
    init?(_ reminder: Reminder, of item: ToDoItem, _ id: RecordID, zone: LocalTimeZone) {
        guard let base = reminder.base(in: item), let time = reminder.time(in: item, zone: zone),
            reminder.acknowledged ?? .min < time
        else { return nil }
        // FNV-1a, which every program can compute.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(Reminder(reminder.trigger).text)|\(base.rfc3339)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        key = Key(id: id, hash: hash)
        self.item = item
        self.reminder = reminder
        self.time = time
    }
}

/// Reminders: those to come, those that are due, and which were told.
///
/// A device tells each at most once: it notes so before it tells (`claim`), and where it is killed in between, another
/// device tells it. Behind that it writes into its device's record what it has told (`noteTold`), and devices that have
/// seen it stay silent. So that one of several that run is first, each waits a while of its own, at most
/// `delaySecondsMax`. Source: Protocol/7-ToDos.md.
extension ToDoStore {
    /// The longest that a device leaves a reminder to others; seconds.
    package static let reminderDelaySecondsMax = 10
    /// The step between the waits of two devices; seconds.
    package static let reminderDelaySeconds = 2
    /// A reminder that is missed for longer is not told any more; days.
    package static let missedReminderDaysMax = 7
    /// Told reminders are remembered for so long, which is longer than one can be late; days.
    package static let toldReminderDaysMax = 14
    /// The most that a device publishes as told, the latest.
    package static let toldReminderCountMax = 128

    /// The field of a device's record with what it has told.
    package static let toldField: UInt32 = 12

    private static let namespace = "reminders"
    private static let day: Int64 = 86_400_000

    // MARK: Those to come

    /// All reminders of pending to-dos, the earliest first; told ones too.
    package func scheduledReminders() throws(StoreFault) -> [ScheduledReminder] {
        let pending = FetchPredicate.absent(.field(ToDoSchema.Number.status))
        let reminding = FetchPredicate.not(.absent(.field(ToDoSchema.Number.reminders)))
        let found = try store.fetch(
            FetchRequest(ToDoSchema.collection, where: .and([pending, reminding])))
        var all: [ScheduledReminder] = []
        for stored in found {
            let item = ToDoMapping.item(stored)
            guard item.status == .pending else { continue }
            all += item.reminders.compactMap {
                ScheduledReminder($0, of: item, stored.id, zone: zone)
            }
        }
        return all.sorted { ($0.time, $0.key.id, $0.key.hash) < ($1.time, $1.key.id, $1.key.hash) }
    }

    /// The reminders that nobody has told, and that are not missed for too long: the earliest first.
    package func openReminders() throws(StoreFault) -> [ScheduledReminder] {
        try store.reading { () throws(StoreFault) in
            let all = try scheduledReminders()
            if all.isEmpty { return [] }
            let told = try toldReminders()
            let start = now.minus(Int64(Self.missedReminderDaysMax) * Self.day)
            return all.filter { $0.time > start && !told.contains($0.key) }
        }
    }

    /// The reminders that this device tells now, and when it has to look again.
    ///
    /// - Parameter waits: whether other devices may be first.
    /// - Returns: the next time in milliseconds since 1970; nil if there is no other reminder.
    package func dueReminders(
        waits: Bool
    ) throws(StoreFault) -> (due: [ScheduledReminder], next: Int64?) {
        let open = try openReminders()
        guard let first = open.first else { return ([], nil) }
        // Nothing is due yet: the other devices need not be counted.
        if first.time > now { return ([], first.time) }
        let delay = waits ? try ownDelay() : 0
        let due = open.prefix { $0.time.plus(delay) <= now }
        let rest = open.dropFirst(due.count).first
        return (Array(due), rest.map { $0.time <= now ? $0.time.plus(delay) : $0.time })
    }

    /// How long this device leaves a reminder to others; milliseconds.
    private func ownDelay() throws(StoreFault) -> Int64 {
        let devices = try store.deviceRecords().filter { !$0.verdict.isDeleted }
            .map { ReplicaID(value: $0.id.value) }
        let rank = devices.count { $0 < store.replica }
        return Int64(min(rank * Self.reminderDelaySeconds, Self.reminderDelaySecondsMax)) * 1000
    }

    // MARK: Those that were told

    /// Takes a reminder for told, before it is.
    ///
    /// - Returns: whether this device is to tell it; false if it has done so, or has begun to.
    package func claim(_ scheduled: ScheduledReminder) throws(StoreFault) -> Bool {
        try store.edit { transaction throws(StoreFault) in
            let known = try store.localMetadata(in: Self.namespace)
            let name = Self.name(scheduled.key)
            if known[name] != nil { return false }
            for (name, content) in known where isOld(Self.time(content)) {
                try transaction.setLocalMetadata(nil, named: name, in: Self.namespace)
            }
            try transaction.setLocalMetadata(
                Self.bytes(scheduled.time), named: name, in: Self.namespace)
            return true
        }
    }

    /// Lets the other devices know that reminders were told here.
    package func noteTold(_ scheduled: [ScheduledReminder]) throws(StoreFault) {
        let own = RecordName(deviceOf: store.replica)
        let field = Field.number(Self.toldField)
        try store.edit { transaction throws(StoreFault) in
            let record = try transaction.record(own)
            var told = record.map { Self.told(in: $0) } ?? []
            told = told.filter { !isOld($0.time) }
            for one in scheduled where !told.contains(where: { $0.key == one.key }) {
                told.append((one.key, one.time))
            }
            let bytes = told.suffix(Self.toldReminderCountMax).flatMap { entry in
                entry.key.id.bytes + Self.bytes(Int64(bitPattern: entry.key.hash))
                    + Self.bytes(entry.time)
            }
            try transaction.update(own, [Assignment(field, .bytes(bytes))])
        }
    }

    /// The reminders that this device has told or begun to, and those that others have said that they told.
    private func toldReminders() throws(StoreFault) -> Set<ScheduledReminder.Key> {
        var keys: Set<ScheduledReminder.Key> = []
        for name in try store.localMetadata(in: Self.namespace).keys {
            if let key = Self.key(name) { keys.insert(key) }
        }
        for record in try store.deviceRecords() {
            for entry in Self.told(in: record) { keys.insert(entry.key) }
        }
        return keys
    }

    private func isOld(_ time: Int64) -> Bool {
        time < now.minus(Int64(Self.toldReminderDaysMax) * Self.day)
    }

    // MARK: Bytes

    /// An entry: the to-do's id, the hash and the time, all big-endian.
    private static let entryByteCount = 32

    private static func told(
        in record: Record
    ) -> [(key: ScheduledReminder.Key, time: Int64)] {
        // A copy of a store may have written beside its original: what either says was told.
        record.record.candidates(of: .number(toldField)).flatMap { candidate in
            guard case .bytes(let bytes) = candidate.value else {
                return [(key: ScheduledReminder.Key, time: Int64)]()
            }
            let count = min(bytes.count / entryByteCount, toldReminderCountMax)
            return (0..<count).map { index in
                let entry = bytes[index * entryByteCount..<(index + 1) * entryByteCount]
                let id = entry.prefix(16).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
                let hash = UInt64(bitPattern: time(Array(entry.dropFirst(16).prefix(8))))
                let key = ScheduledReminder.Key(id: RecordID(value: id), hash: hash)
                return (key, time(Array(entry.suffix(8))))
            }
        }
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    /// The number in eight bytes; the earliest of all if they are others.
    private static func time(_ bytes: [UInt8]) -> Int64 {
        bytes.count == 8
            ? Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) : .min
    }

    private static func name(_ key: ScheduledReminder.Key) -> String {
        "\(key.id.hexadecimal)-\(String(key.hash, radix: 16))"
    }

    private static func key(_ name: String) -> ScheduledReminder.Key? {
        let parts = name.split(separator: "-")
        guard parts.count == 2, let id = UInt128(parts[0], radix: 16),
            let hash = UInt64(parts[1], radix: 16)
        else { return nil }
        return ScheduledReminder.Key(id: RecordID(value: id), hash: hash)
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
