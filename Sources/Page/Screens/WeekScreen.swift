import HTTP
import ToDo

/// A week: what was planned and what was accomplished, and the time worked by project.
enum WeekScreen {
    private static func report(_ context: PageContext) throws -> (WeekReport, String?) {
        let (day, fault) = PageDays.day(context.request.query("week"), context)
        let days = context.calendar.week(0, around: day)
        let chosen = try context.chosenContext()
        let lists = try context.todos.lists(of: days, taking: chosen?.filter)
        return (
            WeekReport(lists.items + lists.toCome, around: day, in: context.calendar), fault
        )
    }

    static func show(_ context: PageContext) throws -> HTTPResponse {
        let (report, fault) = try report(context)
        let days = report.days
        let first = TimestampText.day(days.lowerBound)
        var content = PageDays.steps(
            "/week", "week", days.lowerBound - 7, days.lowerBound + 7, context.calendar)
        content += PageDays.form(
            "/week", "week", "A day of the week", context.request.query("week"), fault)
        content += .void(
            "img",
            [
                .src("/week.svg?week=\(first)"), .class("chart"),
                .set(
                    .alternative,
                    "Planned \(report.total.planned), accomplished \(report.total.accomplished); "
                        + "the table below has each day"),
            ])
        content += table(
            "Day",
            days.map { day in
                let name = DatePhrase.absolute(.day(Int32(clamping: day)), zone: context.zone)
                return (HTML(name), report.daily[day - days.lowerBound])
            }, total: report.total)
        if !report.projects.isEmpty {
            content += .heading("By project")
            if report.projects.contains(where: { $0.row.worked >= minute }) {
                content += .void(
                    "img",
                    [
                        .src("/projects.svg?week=\(first)"), .class("chart"),
                        .set(.alternative, "The minutes of work by project, as in the table below"),
                    ])
            }
            content += table(
                "Project",
                report.projects.map { project in
                    (project.name.isEmpty ? "no project" : .typed(project.name), project.row)
                }, total: nil)
        }
        let begin = DatePhrase.absolute(
            .day(Int32(clamping: days.lowerBound)), zone: context.zone)
        return try PageLayout.page("Week of \(begin)", screen: "week", content, context)
    }

    /// The picture of a week.
    static func picture(_ context: PageContext) throws -> HTTPResponse {
        let (report, _) = try report(context)
        return HTTPResponse(
            200, type: "image/svg+xml; charset=utf-8", ChartPicture(BarChart(report), .columns).svg)
    }

    /// A minute, in milliseconds.
    private static let minute: Int64 = 60_000

    /// The picture of the minutes of work by project.
    static func projects(_ context: PageContext) throws -> HTTPResponse {
        let (report, _) = try report(context)
        let bars = report.projects.filter { $0.row.worked >= minute }.map { project in
            BarChart.Bar(
                project.name.isEmpty ? "(no project)" : project.name,
                [Int(project.row.worked / minute)])
        }
        let chart = BarChart("Minutes by project", series: ["worked"], bars: bars)
        return HTTPResponse(
            200, type: "image/svg+xml; charset=utf-8", ChartPicture(chart, .rows).svg)
    }

    private static func table(
        _ name: HTML, _ rows: [(HTML, WeekReport.Row)], total: WeekReport.Row?
    ) -> HTML {
        let names: [HTML] = [
            name, "Planned", "Accomplished", "Early", "Late", "Worked (h:mm)", "Minutes",
        ]
        func row(_ name: HTML, _ row: WeekReport.Row) -> HTML {
            let numbers = [row.planned, row.accomplished, row.early, row.late].map { String($0) }
            let cells =
                (numbers + [
                    WorkInterval.clock(row.worked), String(row.worked / minute),
                ]).map { HTML.element("td", [], HTML($0)) }
            return .element(
                "tr", [], .element("th", [.set(.scope, "row")], name) + HTML(cells))
        }
        let foot =
            total.map { HTML.element("tfoot", [], row("Together", $0)) } ?? .nothing
        return .table("numbers", names, rows.map { row($0.0, $0.1) }, foot: foot)
    }
}

/// The stretches of work of the last days.
enum TimesScreen {
    /// The days that are shown.
    private static let dayCount = 7

    static func show(_ context: PageContext) throws -> HTTPResponse {
        let today = context.calendar.today
        let range = context.calendar.instants(today - dayCount + 1..<today + 1)
        let stretches = try context.todos.stretches(of: ToDoFilter(), within: range)
        let running = try context.todos.timers()
        var content: HTML =
            running.isEmpty
            ? .paragraph("No timer runs. A list or a to-do starts one.") : .nothing
        for timer in running {
            guard let stored = try context.todos.stored(timer.id) else { continue }
            content += context.form(
                "/do", class: "timer",
                [
                    .hidden("back", "/times"),
                    .paragraph(
                        "Running: " + .link(timer.id.path, .typed(timer.item.shownTitle))
                            + ", since " + context.time(timer.start)),
                    .button("Stop", name: "stop", value: ToDoRows.value(stored), class: "main"),
                ])
        }
        let rows = stretches.reversed().map { stretch in
            let end = stretch.work.end
            let length = WorkInterval.clock((end ?? context.now) - stretch.work.start)
            return HTML.element(
                "tr", [],
                [
                    .element(
                        "th", [.set(.scope, "row")],
                        HTML(DatePhrase.absolute(.instant(stretch.work.start), zone: context.zone))),
                    .element("td", [], HTML(end == nil ? "\(length), running" : length)),
                    .element("td", [], .link(stretch.id.path, .typed(stretch.item.shownTitle))),
                    .element("td", [], .typed(stretch.item.project)),
                ])
        }
        if !rows.isEmpty {
            content += .table("hours", ["Begun", "Length (h:mm)", "To-do", "Project"], rows)
        } else {
            content += .paragraph("No work in the last \(dayCount) days.", class: "empty")
        }
        return try PageLayout.page("Times", screen: "times", content, context)
    }
}
