/// A tag that follows from an item's other fields: `+OVERDUE`.
package enum ToDoVirtualTag: String, Sendable, CaseIterable {
    /// Pending, and its due day or time is over.
    case overdue = "OVERDUE"
    /// Pending and due on the current day.
    case today = "TODAY"
    case tomorrow = "TOMORROW"
    case yesterday = "YESTERDAY"
    /// Pending and due in the current week.
    case week = "WEEK"
    /// Pending and due within seven days, or overdue.
    case due = "DUE"
    /// To-dos to look at today: pending, not waiting, and overdue, due today, planned to begin by
    /// today, or begun.
    case agenda = "AGENDA"
    /// Pending and hidden until later.
    case waiting = "WAITING"
    /// Pending, not waiting, not planned for later, and not blocked.
    case ready = "READY"
    /// Pending and begun.
    case active = "ACTIVE"
    case scheduled = "SCHEDULED"
    case tagged = "TAGGED"
    /// In some project.
    case project = "PROJECT"
    /// Pending and in no project.
    case inbox = "INBOX"
    /// It comes again.
    case repeating = "REPEATING"
    /// It has reminders.
    case reminding = "REMINDING"
    /// A part of another to-do.
    case subtask = "SUBTASK"
    /// Pending, and something that it waits for is pending.
    case blocked = "BLOCKED"
    /// Everything that is not blocked.
    case unblocked = "UNBLOCKED"
    /// Pending, and something that is pending waits for it.
    case blocking = "BLOCKING"
    case pending = "PENDING"
    case completed = "COMPLETED"
    case cancelled = "CANCELLED"
}

extension ToDoVirtualTag {
    /// Whether an item has the tag at an instant in milliseconds since 1970, as far as it tells by itself.
    ///
    /// Whether something is blocked lies in other to-dos: `ToDoStore.resolved` asks them before.
    package func matches(
        _ item: ToDoItem, now: Int64, zone: LocalTimeZone, weekStart: Weekday = .monday
    ) -> Bool {
        let isPending = item.status == .pending
        switch self {
        case .completed: return item.status == .completed
        case .cancelled: return item.status == .cancelled
        case .tagged: return !item.tags.isEmpty
        case .project: return !item.project.isEmpty
        case .pending: return isPending
        case .inbox: return isPending && item.project.isEmpty
        case .active: return isPending && item.isActive(now: now, zone: zone)
        case .repeating: return !item.repeats.isEmpty
        case .reminding: return !item.reminders.isEmpty
        case .subtask: return item.parent != nil
        case .blocked: return isPending && !item.depends.isEmpty
        case .unblocked: return !isPending || item.depends.isEmpty
        case .blocking: return false
        case .scheduled: return isPending && item.scheduled != nil
        case .waiting: return isPending && Self.isAhead(item.wait, now: now, zone: zone)
        case .ready:
            return isPending && !Self.isAhead(item.wait, now: now, zone: zone)
                && !Self.isAhead(item.scheduled, now: now, zone: zone)
        case .overdue:
            return isPending && item.due.map { $0.isOver(now: now, zone: zone) } ?? false
        case .agenda:
            return isPending && Self.isOnAgenda(item, now: now, zone: zone)
        case .today, .tomorrow, .yesterday, .week, .due:
            guard isPending, let due = item.due?.day(in: zone) else { return false }
            let context = DatePhraseContext(now: now, zone: zone, weekStart: weekStart)
            return days(context).contains(due)
        }
    }

    /// The due days that give one of the tags of time.
    func days(_ context: DatePhraseContext) -> Range<Int> {
        let today = context.today
        return switch self {
        case .tomorrow: today + 1..<today + 2
        case .yesterday: today - 1..<today
        case .week: context.startOfWeek()..<context.startOfWeek(later: 1)
        case .due: Int.min..<today + 7
        default: today..<today + 1
        }
    }

    /// Whether a day or time is still to come; nothing is not.
    static func isAhead(_ moment: Moment?, now: Int64, zone: LocalTimeZone) -> Bool {
        switch moment {
        case .day(let day)?: Int(day) > zone.localTime(at: now).day
        case .instant(let instant)?: instant > now
        case nil: false
        }
    }

    private static func isOnAgenda(_ item: ToDoItem, now: Int64, zone: LocalTimeZone) -> Bool {
        guard !isAhead(item.wait, now: now, zone: zone) else { return false }
        if item.isActive(now: now, zone: zone) { return true }
        let today = zone.localTime(at: now).day
        if let due = item.due, due.day(in: zone) <= today { return true }
        return item.scheduled.map { $0.day(in: zone) <= today } ?? false
    }
}
