import Core
import Storage

/// The reminders that this device has told or begun to tell, those that it tries again, and those that others have said
/// that they told.
///
/// A reminder is claimed before it is told, and stays so: what may have been shown is not told again. Only where the
/// program that tells has said that it failed is the claim given back, to be tried again after a while.
extension ToDoStore {
    /// How often a device begins to tell a reminder whose telling fails.
    package static let reminderAttemptCountMax = 12
    /// The wait between the first attempt and the second, in seconds; each one behind it is twice as long.
    package static let reminderRetrySeconds = 15
    /// Told reminders are remembered for so long, which is longer than one can be late; days.
    package static let toldReminderDaysMax = 14
    /// The most that a device publishes as told, the latest.
    package static let toldReminderCountMax = 128

    /// The field of a device's record with what it has told.
    package static let toldField: UInt32 = 12

    private static let namespace = "reminders"

    /// The memory that this device has of one reminder.
    private struct Claim {
        /// Its bytes: the three numbers.
        static let byteCount = 24

        /// When the reminder is told; milliseconds since 1970.
        let time: Int64
        /// How often its telling failed.
        var failureCount: Int64 = 0
        /// When it is tried again; the latest time of all if it is not.
        var again: Int64 = .max

        /// A reminder that is told now.
        init(time: Int64) { self.time = time }

        /// Reads what `bytes` wrote; of anything else an old one, which is soon forgotten.
        init(_ bytes: [UInt8]) {
            guard bytes.count == Self.byteCount else {
                self.init(time: .min)
                return
            }
            self.init(time: ToDoStore.number(bytes[..<8]))
            failureCount = ToDoStore.number(bytes[8..<16])
            again = ToDoStore.number(bytes[16...])
        }

        var bytes: [UInt8] { [time, failureCount, again].flatMap(ToDoStore.bytes) }

        /// Notes that it failed, and when it is tried again, if it is.
        mutating func fail(now: Int64) {
            failureCount = failureCount.plus(1)
            guard (1..<Int64(ToDoStore.reminderAttemptCountMax)).contains(failureCount) else {
                again = .max
                return
            }
            let seconds = Int64(ToDoStore.reminderRetrySeconds) << (failureCount - 1)
            again = now.plus(seconds * 1000)
        }
    }

    /// Takes reminders for told, before they are; all of them or, where the store fails, none.
    ///
    /// - Returns: those that this device is to tell; not those that it has told, or has begun to.
    package func claim(
        _ scheduled: [ScheduledReminder]
    ) throws(StoreFault) -> [ScheduledReminder] {
        try store.edit { transaction throws(StoreFault) in
            var known = try claims()
            for (key, claim) in known where isOld(claim.time) {
                try transaction.setLocalMetadata(
                    nil, named: Self.name(key), in: Self.namespace)
            }
            var own: [ScheduledReminder] = []
            for one in scheduled {
                var claim = known[one.key] ?? Claim(time: one.time)
                if known[one.key] != nil, claim.again > now { continue }
                claim.again = .max
                known[one.key] = claim
                try transaction.setLocalMetadata(
                    claim.bytes, named: Self.name(one.key), in: Self.namespace)
                own.append(one)
            }
            return own
        }
    }

    /// Gives reminders back that were claimed and that nobody has seen: they are tried again after a while, each
    /// `reminderAttemptCountMax` times in all.
    package func release(_ scheduled: [ScheduledReminder]) throws(StoreFault) {
        try store.edit { transaction throws(StoreFault) in
            let known = try claims()
            for one in scheduled {
                guard var claim = known[one.key], claim.again == .max else { continue }
                claim.fail(now: now)
                try transaction.setLocalMetadata(
                    claim.bytes, named: Self.name(one.key), in: Self.namespace)
            }
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
            var known = Set(told.map(\.key))
            for one in scheduled where known.insert(one.key).inserted {
                told.append((one.key, one.time))
            }
            let bytes = told.suffix(Self.toldReminderCountMax).flatMap { entry in
                entry.key.id.bytes + Self.bytes(Int64(bitPattern: entry.key.hash))
                    + Self.bytes(entry.time)
            }
            try transaction.updateDevice(store.replica, [Assignment(field, .bytes(bytes))])
        }
    }

    /// The reminders that this device has told or begun to tell, and those that others have said that they told; and
    /// when others are tried again here, in milliseconds since 1970.
    func tellings() throws(StoreFault) -> (
        told: Set<ScheduledReminder.Key>, again: [ScheduledReminder.Key: Int64]
    ) {
        var told: Set<ScheduledReminder.Key> = []
        var again: [ScheduledReminder.Key: Int64] = [:]
        for (key, claim) in try claims() {
            if claim.again == .max { told.insert(key) } else { again[key] = claim.again }
        }
        for record in try store.deviceRecords() {
            for entry in Self.told(in: record) { told.insert(entry.key) }
        }
        return (told, again)
    }

    private func claims() throws(StoreFault) -> [ScheduledReminder.Key: Claim] {
        var found: [ScheduledReminder.Key: Claim] = [:]
        for (name, content) in try store.localMetadata(in: Self.namespace) {
            if let key = Self.key(name) { found[key] = Claim(content) }
        }
        return found
    }

    private func isOld(_ time: Int64) -> Bool {
        time < now.minus(Int64(Self.toldReminderDaysMax) * 86_400_000)
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
                let hash = UInt64(bitPattern: number(entry.dropFirst(16).prefix(8)))
                let key = ScheduledReminder.Key(id: RecordID(value: id), hash: hash)
                return (key, number(entry.suffix(8)))
            }
        }
    }

    fileprivate static func bytes(_ number: Int64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// The number in eight bytes, big-endian.
    fileprivate static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
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
