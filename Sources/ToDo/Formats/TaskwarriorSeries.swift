/// Ties templates and occurrences of one file together, once all are read.
struct TaskwarriorSeries {
    /// A template, where it stood in the file.
    private struct Template {
        let entry: Int
        let identifier: UInt128
    }

    private let zoneName: String?
    private let zone: LocalTimeZone
    private var templates: [Template] = []
    private(set) var remarks: [FormatLoss] = []

    init(zone: LocalTimeZone, zoneName: String?) {
        self.zone = zone
        self.zoneName = zoneName
    }

    /// Takes note of a template; one without an id has no occurrences.
    mutating func addTemplate(_ item: ToDoItem, entry: Int) {
        guard let identifier = item.identifier else { return }
        templates.append(Template(entry: entry, identifier: identifier))
    }

    /// Changes what the templates and their occurrences need of each other, and adds the next occurrence
    /// of a template that has no open one.
    mutating func tie(_ items: inout [ToDoItem]) {
        untieDoubles(&items)
        var members: [UInt128: [Int]] = [:]
        for (index, item) in items.enumerated() {
            if let series = item.series {
                members[series, default: []].append(index)
            } else if case .text(let text)? = item.custom["parent"],
                let parent = UUIDText.value(text)
            {
                members[parent, default: []].append(index)
            }
        }
        let places = Dictionary(
            items.indices.compactMap { index in items[index].identifier.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first })
        for template in templates {
            guard let place = places[template.identifier], items[place].status == .cancelled
            else { continue }
            tie(template, at: place, members[template.identifier] ?? [], &items)
        }
    }

    private mutating func tie(
        _ template: Template, at place: Int, _ members: [Int], _ items: inout [ToDoItem]
    ) {
        func remark(_ reason: String) -> FormatLoss {
            FormatLoss(
                entry: template.entry, title: items[place].title,
                field: TaskwarriorRecurrence.period, reason: reason)
        }
        let isOpen = members.contains { items[$0].status == .pending }
        let period = FormatLoss.beginning(
            of: items[place].custom[TaskwarriorRecurrence.period]?.displayText ?? "")
        guard let rule = TaskwarriorRecurrence.repetition(items[place]) else {
            if !isOpen { items[place].status = .pending }
            remarks.append(
                remark(
                    "'\(period)' is kept, but nothing comes again by it here; the template "
                        + (isOpen ? "is kept as cancelled" : "is open, as it has no open task")))
            return
        }
        for index in members { anchor(&items[index], to: items[place], rule) }
        let kept = "\(rule.text), by its tasks; the template is kept as cancelled"
        if isOpen { return remarks.append(remark(kept)) }
        guard let next = next(of: items[place], members.map { items[$0] }, rule) else {
            return remarks.append(remark(kept + " and has no open task"))
        }
        items.append(next)
        let due = next.due?.rfc3339 ?? ""
        remarks.append(remark(kept + " and has no open task: the next, due \(due), is made"))
    }

    /// Says where the schedule began where the occurrence's own date does not tell.
    private func anchor(_ item: inout ToDoItem, to template: ToDoItem, _ rule: Repetition) {
        guard item.series != nil, item.anchor == nil, let begin = template.due else { return }
        func next(_ anchor: Moment?) -> Moment {
            rule.next(after: item.due, anchor: anchor, completed: 0, zone: zone)
        }
        if next(nil) != next(begin) { item.anchor = begin }
    }

    /// The occurrence that Taskwarrior would make next; nil if its time is over.
    private func next(
        of template: ToDoItem, _ members: [ToDoItem], _ rule: Repetition
    ) -> ToDoItem? {
        guard let identifier = template.identifier, let begin = template.due else { return nil }
        let mask = template.custom[TaskwarriorRecurrence.mask]?.displayText.utf8.count ?? 0
        let number = max(mask, members.compactMap(\.occurrence).max() ?? 0)
        guard number < TaskwarriorRecurrence.countMax else { return nil }
        let due = rule.due(afterPlaces: number, from: begin, zone: zone)
        if let until = template.until, due.start(in: zone) >= until.end(in: zone) { return nil }
        var item = template
        item.identifier = ToDoItem.occurrenceIdentifier(series: identifier, number: number + 1)
        item.custom[TaskwarriorRecurrence.mask] = nil
        item.status = .pending
        item.series = identifier
        item.occurrence = number + 1
        item.repeats = rule.placed(of: due, zoneName: zoneName).text
        item.due = due
        let days = due.day(in: zone) - begin.day(in: zone)
        item.scheduled = template.scheduled?.moved(byDays: days, in: zone)
        item.wait = template.wait?.moved(byDays: days, in: zone)
        anchor(&item, to: template, rule)
        return item
    }

    /// Of several tasks that say they are the same occurrence, one is.
    private mutating func untieDoubles(_ items: inout [ToDoItem]) {
        var found: [UInt128: [Int]] = [:]
        for (index, item) in items.enumerated() where item.series != nil {
            if let identifier = item.identifier { found[identifier, default: []].append(index) }
        }
        func name(_ index: Int) -> String {
            items[index].custom[TaskwarriorRecurrence.identifier]?.displayText ?? ""
        }
        for indices in found.values where indices.count > 1 {
            for index in indices.sorted(by: { name($0) < name($1) }).dropFirst() {
                TaskwarriorRecurrence.untie(&items[index])
                remarks.append(
                    FormatLoss(
                        entry: 0, title: items[index].title, field: "imask",
                        reason: "another task is the same occurrence; this one is kept apart"))
            }
        }
        remarks.sort { ($0.title, $0.reason) < ($1.title, $1.reason) }
    }
}
