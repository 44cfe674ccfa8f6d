/// A word for how a list is parted and ordered.
package enum ToDoGrouping: String, Sendable, CaseIterable {
    case urgency
    case day
    case project
    /// Not parted, in the user's own order.
    case manual
    case none

    /// The parts.
    package var sections: ToDoSections {
        switch self {
        case .urgency: .urgency
        case .day: .day
        case .project: .project
        case .manual, .none: .none
        }
    }
}

/// How a list is parted.
package enum ToDoSections: Sendable {
    /// By how soon it is due.
    case urgency
    /// By the day on which it is due or planned, whichever comes first from today on.
    case day
    /// By why it stands on today's list.
    case agenda
    /// By the day on which it was done.
    case completion
    /// By project.
    case project
    /// Not at all.
    case none

    /// How a view is parted.
    package init(_ view: ToDoView) {
        self =
            switch view {
            case .today: .agenda
            case .tomorrow, .yesterday: .none
            case .lastWeek, .thisWeek, .nextWeek, .upcoming: .day
            case .overdue, .other: .urgency
            case .inbox: .none
            case .log: .completion
            }
    }

    /// The parts: their headings, and where the items of each stand.
    ///
    /// By urgency, items of one day stand by their priority, and so do those without a date; otherwise they keep
    /// their order.
    /// - Parameter keepsOrder: whether somebody chose the order.
    package func parts(
        _ items: [ToDoItem], keepsOrder: Bool = false, in context: CalendarContext
    ) -> [(title: String, positions: [Int])] {
        var parts: [(rank: Int, title: String, positions: [Int])] = []
        var last = 0
        for position in items.indices {
            let (rank, title) = heading(of: items[position], in: context)
            // Items come in an order: most stand under the heading of the one before.
            if parts.isEmpty || parts[last].rank != rank || parts[last].title != title {
                last =
                    parts.firstIndex { $0.rank == rank && $0.title == title } ?? parts.count
                if last == parts.count { parts.append((rank, title, [])) }
            }
            parts[last].positions.append(position)
        }
        return parts.sorted { ($0.rank, $0.title) < ($1.rank, $1.title) }
            .map { part in
                let isRanked = if case .urgency = self { !keepsOrder } else { false }
                return (
                    part.title,
                    isRanked ? ranked(part.positions, items, in: context) : part.positions
                )
            }
    }

    /// Positions by the day on which their items are due, then by priority, then as they come.
    private func ranked(
        _ positions: [Int], _ items: [ToDoItem], in context: CalendarContext
    ) -> [Int] {
        let keys = positions.map { position in
            let item = items[position]
            return (
                item.due?.day(in: context.zone) ?? .max, -item.priority.rawValue, position
            )
        }
        return keys.sorted { $0 < $1 }.map(\.2)
    }

    private func heading(of item: ToDoItem, in context: CalendarContext) -> (Int, String) {
        switch self {
        case .none: return (0, "")
        case .project:
            return (item.project.isEmpty ? 0 : 1, item.project.isEmpty ? "Inbox" : item.project)
        case .urgency: return urgency(of: item, in: context)
        case .day:
            let days = [item.due, item.scheduled].compactMap { $0?.day(in: context.zone) }
            let day = days.filter { $0 >= context.today }.min() ?? days.max()
            guard let day else { return (.max, "No date") }
            return (day, Self.name(of: day, in: context))
        case .completion:
            guard let time = item.completed else { return (.max, "At some time") }
            let day = context.zone.localTime(at: time).day
            return (-day, Self.name(of: day, in: context))
        case .agenda:
            if item.isActive(now: context.now, zone: context.zone) { return (0, "Running") }
            if context.has(item, .overdue) { return (1, "Overdue") }
            if item.due?.day(in: context.zone) == context.today { return (2, "Due today") }
            return (3, "Planned")
        }
    }

    private func urgency(of item: ToDoItem, in context: CalendarContext) -> (Int, String) {
        if item.status != .pending { return (7, "Finished") }
        if context.has(item, .waiting) { return (6, "Waiting") }
        guard let due = item.due else { return (5, "No date") }
        if context.has(item, .overdue) { return (0, "Overdue") }
        switch due.day(in: context.zone) - context.today {
        case ...0: return (1, "Today")
        case 1: return (2, "Tomorrow")
        case 2..<7: return (3, "Next 7 days")
        default: return (4, "Later")
        }
    }

    /// `Today, Sat 21 Nov`, `Sun 22 Nov`.
    package static func name(of day: Int, in context: CalendarContext) -> String {
        let text = DatePhrase.absolute(.day(Int32(clamping: day)), zone: context.zone)
        switch day - context.today {
        case 0: return "Today, \(text)"
        case 1: return "Tomorrow, \(text)"
        case -1: return "Yesterday, \(text)"
        default: return text
        }
    }
}
