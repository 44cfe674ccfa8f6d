import Devices
import Terminal
import ToDo

/// The reminders of a store, as notices.
final class ToDoNotices: NoticeSource {
    private let device: Device
    private let schedule: ReminderSchedule
    private let waits: Bool

    /// - Parameter waits: whether other devices may be first.
    init(_ device: Device, waits: Bool) {
        self.device = device
        schedule = ReminderSchedule(device.store, isKept: waits)
        self.waits = waits
    }

    private var now: Int64 { SystemEnvironment.wallMilliseconds() }
    /// Read each time, as a machine that travels gets another one; without a usable one times are those of UTC.
    private var zone: LocalTimeZone { (try? CommandContext.systemZone()) ?? .utc }
    private var todos: ToDoStore { ToDoStore(store: device.store, now: now, zone: zone) }

    func due() throws(StoreFault) -> (due: [ScheduledReminder], next: Int64?) {
        try schedule.due(of: todos, waits: waits)
    }

    func claim(_ items: [ScheduledReminder]) throws(StoreFault) -> [ScheduledReminder] {
        try todos.claim(items)
    }

    func release(_ items: [ScheduledReminder]) throws(StoreFault) { try todos.release(items) }

    func notice(_ items: [ScheduledReminder]) -> Notice {
        if items.count == 1, let only = items.first {
            return Notice(
                title: only.item.shownTitle, text: only.message(now: now, zone: zone).shown)
        }
        return Notice(
            title: EditMessages.count(items.count, "reminder"),
            text: EditMessages.titles(items.map(\.item)))
    }

    func noteTold(_ items: [ScheduledReminder]) throws(StoreFault) { try todos.noteTold(items) }
}

/// The program that tells reminders, and what commands say of them.
enum ReminderOutput {
    private static func words(_ arguments: Arguments) -> String? {
        if let option = arguments["notify"] { return option }
        return CommandContext.environment("TANDEM_NOTIFY").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether somebody has said which program it is.
    static func isNamed(_ arguments: Arguments) -> Bool { words(arguments) != nil }

    /// The program; nil for none.
    static func notifier(_ arguments: Arguments) throws -> Notifier? {
        guard let words = words(arguments) else { return Notifier() }
        if words == "none" { return nil }
        guard let command = ShellWords.split(words), !command.isEmpty else {
            throw CommandFailure(
                .usage,
                "--notify takes a program and its words, for example: --notify \"notify-send -u low\""
            )
        }
        return Notifier(command: command)
    }
}
