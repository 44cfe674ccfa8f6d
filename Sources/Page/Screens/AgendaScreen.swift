import HTTP
import ToDo

/// A day by its hours: what is due, planned and worked on.
enum AgendaScreen {
    static func show(_ context: PageContext) throws -> HTTPResponse {
        let (day, fault) = PageDays.day(context.request.query("day"), context)
        let calendar = context.calendar
        let chosen = try context.chosenContext()
        let items = try context.todos.lists(of: day..<day + 1, taking: chosen?.filter)
        let agenda = DayAgenda(items.items, day: day, in: calendar)
        var content = PageDays.steps("/agenda", "day", day - 1, day + 1, calendar)
        content += PageDays.form("/agenda", "day", "Day", context.request.query("day"), fault)
        if !agenda.wholeDay.isEmpty {
            content += .heading("At no time of day")
            content += .list(agenda.wholeDay.map(link), class: "plain")
        }
        let toCome = items.toCome
        if !toCome.isEmpty {
            content += .heading("Comes again")
            content += .list(toCome.map(link), class: "plain")
        }
        if !agenda.entries.isEmpty {
            content += .heading("By the hour") + hours(agenda, context)
        }
        if agenda.wholeDay.isEmpty, agenda.entries.isEmpty, toCome.isEmpty {
            content += .paragraph("Nothing on this day.", class: "empty")
        }
        return try PageLayout.page(
            ToDoSections.name(of: day, in: calendar), screen: "agenda", content, context)
    }

    /// The hours that a day shows even with nothing in them.
    private static let usualHours = 8..<19

    private static func hours(_ agenda: DayAgenda, _ context: PageContext) -> HTML {
        let begin = context.calendar.instants(agenda.day..<agenda.day + 1).lowerBound
        var byHour: [Int: [HTML]] = [:]
        for entry in agenda.entries {
            let hour = context.zone.localTime(at: max(begin, entry.start)).hour
            byHour[hour, default: []].append(line(entry, context))
        }
        let first = min(byHour.keys.min() ?? usualHours.lowerBound, usualHours.lowerBound)
        let end = max((byHour.keys.max() ?? 0) + 1, usualHours.upperBound)
        let present =
            agenda.day == context.calendar.today
            ? context.zone.localTime(at: context.now).hour : nil
        let rows = (first..<end).map { hour in
            HTML.element(
                "tr", [.class(hour == present ? "now" : nil)],
                .element("th", [.set(.scope, "row")], HTML("\(hour):00"))
                    + .element("td", [], .list(byHour[hour] ?? [])))
        }
        return .table("hours", ["Hour", "To-dos"], rows)
    }

    /// An entry with its time and what it is.
    private static func line(_ entry: DayAgenda.Entry, _ context: PageContext) -> HTML {
        let end = entry.kind == .work ? (entry.end.map { "–\(clock($0, context))" } ?? "–now") : ""
        return .element(
            "div", [.class(entry.kind.rawValue)],
            link(entry.item) + " "
                + .span(
                    "when", HTML("\(entry.kind.rawValue) \(clock(entry.start, context))\(end)")))
    }

    private static func clock(_ time: Int64, _ context: PageContext) -> String {
        let local = context.zone.localTime(at: time)
        return "\(local.hour):\(local.minute < 10 ? "0" : "")\(local.minute)"
    }

    static func link(_ item: ToDoItem) -> HTML {
        guard let identifier = item.identifier else { return .typed(item.shownTitle) }
        return .link(RecordID(value: identifier).path, .typed(item.shownTitle))
            + (item.status == .pending ? .nothing : " (\(item.status.rawValue))")
    }
}

/// Days in addresses of screens.
enum PageDays {
    /// The day that a text names; today, and why, if it names none.
    static func day(_ text: String?, _ context: PageContext) -> (day: Int, fault: String?) {
        guard let text, text.contains(where: { !$0.isWhitespace }) else {
            return (context.calendar.today, nil)
        }
        do {
            let moment = try DatePhrase.parse(
                text, now: context.now, zone: context.zone,
                weekStart: context.settings.weekStart, dateOrder: context.settings.user.dateOrder)
            return (moment.day(in: context.zone), nil)
        } catch {
            return (context.calendar.today, PageFaultWords.words(error))
        }
    }

    /// Links to what is before and after.
    static func steps(
        _ path: String, _ name: String, _ before: Int, _ after: Int, _ calendar: CalendarContext
    ) -> HTML {
        func link(_ day: Int, _ words: HTML) -> HTML {
            .link("\(path)?\(name)=\(TimestampText.day(day))", words)
        }
        return .element(
            "nav", [.class("steps"), .set(.label, "Other days")],
            .list([
                link(before, "Earlier"), .link(path, "Now"), link(after, "Later"),
            ]))
    }

    /// A form that asks for a day.
    static func form(
        _ path: String, _ name: String, _ label: HTML, _ value: String?, _ fault: String?
    ) -> HTML {
        let wrong: HTML =
            fault.map { .element("p", [.class("fault"), .set(.role, "alert")], HTML($0)) }
            ?? .nothing
        return .element(
            "form", [.set(.method, "get"), .action(path), .class("filter days")],
            .field(name, label, value ?? "", hint: "tomorrow, fri, 2026-12-24")
                + .button("Show")) + wrong
    }
}

/// A month with what is due on its days, as a table.
enum MonthScreen {
    /// The to-dos that a day shows; its agenda has all.
    private static let titleCountMax = 6

    static func show(_ context: PageContext) throws -> HTTPResponse {
        let (day, fault) = PageDays.day(context.request.query("month"), context)
        let first = CivilDate(day: day).startOfMonth()
        let days = first.day..<first.startOfMonth(later: 1).day
        let chosen = try context.chosenContext()
        let lists = try context.todos.lists(of: days, taking: chosen?.filter)
        var byDay: [Int: [HTML]] = [:]
        func add(_ items: [ToDoItem], _ mark: HTML) {
            for item in items where item.status != .cancelled {
                guard let due = item.due?.day(in: context.zone), days.contains(due) else {
                    continue
                }
                byDay[due, default: []].append(mark + AgendaScreen.link(item))
            }
        }
        add(lists.items, .nothing)
        add(lists.toCome, .span("again", "again: "))
        var content = PageDays.steps(
            "/month", "month", first.startOfMonth(later: -1).day, first.startOfMonth(later: 1).day,
            context.calendar)
        content += PageDays.form(
            "/month", "month", "A day of the month", context.request.query("month"), fault)
        content += table(days, byDay, context)
        let month = DatePhrase.absolute(.day(Int32(clamping: days.lowerBound)), zone: context.zone)
            .split(separator: " ")
        return try PageLayout.page(
            month.suffix(2).joined(separator: " "), screen: "month", content, context)
    }

    private static func table(
        _ days: Range<Int>, _ byDay: [Int: [HTML]], _ context: PageContext
    ) -> HTML {
        var week = context.calendar.week(0, around: days.lowerBound).lowerBound
        let names = (week..<week + 7).map { HTML(Weekday(day: $0).shortName) }
        var rows: [HTML] = []
        while week < days.upperBound {
            let cells = (week..<week + 7).map { day in
                days.contains(day) ? cell(day, byDay[day] ?? [], context) : .element("td", [])
            }
            rows.append(.element("tr", [], HTML(cells)))
            week += 7
        }
        return .table("month", names, rows)
    }

    private static func cell(_ day: Int, _ titles: [HTML], _ context: PageContext) -> HTML {
        let isToday = day == context.calendar.today
        let date = TimestampText.day(day)
        let some: HTML =
            titles.isEmpty
            ? .nothing : .span("some", HTML("\(titles.count)") + .span("unseen", " to-dos"))
        let number =
            HTML.element(
                "time", [.set(.datetime, date)], HTML("\(CivilDate(day: day).dayOfMonth)"))
            + some
        let rest =
            titles.count > titleCountMax
            ? .link(
                "/agenda?day=\(date)", HTML("\(titles.count - titleCountMax) more"),
                class: "others")
            : HTML.nothing
        return .element(
            "td", [.class(isToday ? "today" : nil)],
            .link("/agenda?day=\(date)", number, class: "day", isCurrent: false)
                + .list(Array(titles.prefix(titleCountMax))) + rest)
    }
}
