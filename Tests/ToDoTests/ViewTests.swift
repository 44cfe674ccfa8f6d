import Testing
import ToDo

@Suite("Views and reports")
struct ViewTests {
    private let context: CalendarContext
    private let berlin: LocalTimeZone

    init() throws {
        berlin = try Fixed.berlin()
        // Saturday 21 November 2026, 06:34 in Berlin.
        context = CalendarContext(now: Fixed.now, zone: berlin)
    }

    private func item(
        _ title: String, due: String? = nil, _ change: (inout ToDoItem) -> Void = { _ in }
    )
        -> ToDoItem
    {
        var item = ToDoItem(title: title)
        item.due = due.map(Fixed.day)
        change(&item)
        return item
    }

    @Test("weeks begin on the day that the user's begin on")
    func weeks() {
        #expect(context.week(0).lowerBound == Fixed.date("2026-11-16")?.day)
        let sunday = CalendarContext(now: Fixed.now, zone: berlin, weekStart: .sunday)
        #expect(sunday.week(0).lowerBound == Fixed.date("2026-11-15")?.day)
        #expect(sunday.week(1).lowerBound == Fixed.date("2026-11-22")?.day)
        let next = item("next", due: "2026-11-22")
        #expect(
            ToDoView.thisWeek.takes(next, in: context)
                && !ToDoView.nextWeek.takes(next, in: context))
        #expect(
            !ToDoView.thisWeek.takes(next, in: sunday) && ToDoView.nextWeek.takes(next, in: sunday))
    }

    @Test("days are those of the user's zone")
    func zones() throws {
        // 23:30 on Saturday in Berlin is Sunday in Tokyo.
        let late = item("late") {
            $0.due = .instant(Fixed.instant("2026-11-21", 23, 30, in: berlin))
        }
        #expect(
            ToDoView.today.takes(late, in: context) && !ToDoView.tomorrow.takes(late, in: context))
        let tokyo = CalendarContext(
            now: Fixed.now, zone: LocalTimeZone(name: "JST", secondsEast: 32_400))
        #expect(!ToDoView.today.takes(late, in: tokyo) && ToDoView.tomorrow.takes(late, in: tokyo))
    }

    @Test("a list is parted by how soon things are due, and rows keep their order")
    func sections() {
        let items = [
            item("a", due: "2026-11-20"), item("b", due: "2026-11-21"),
            item("c", due: "2026-11-21"),
            item("d", due: "2026-11-22"), item("e", due: "2026-11-27"),
            item("f", due: "2026-11-28"),
            item("g"), item("h") { $0.wait = Fixed.day("2026-12-01") },
            item("i") { $0.status = .completed },
        ]
        let parts = ToDoSections.urgency.parts(items, in: context)
        #expect(
            parts.map { "\($0.title): \($0.positions.map { items[$0].title }.joined())" } == [
                "Overdue: a", "Today: bc", "Tomorrow: d", "Next 7 days: e", "Later: f",
                "No date: g",
                "Waiting: h", "Finished: i",
            ])
        let days = ToDoSections.day.parts(Array(items[0...3]), in: context)
        #expect(
            days.map(\.title) == [
                "Yesterday, Fri 20 Nov 2026", "Today, Sat 21 Nov 2026", "Tomorrow, Sun 22 Nov 2026",
            ])
    }

    @Test("by urgency, to-dos of one day and those without a date stand by their priority")
    func priorities() {
        let items = [
            item("late") { $0.due = .instant(Fixed.instant("2026-11-22", 18, in: berlin)) },
            item("high", due: "2026-11-22") { $0.priority = .high },
            item("next", due: "2026-11-23") { $0.priority = .high },
            item("plain"), item("low") { $0.priority = .low },
            item("urgent") { $0.priority = .high },
            item("plain too"), item("mid") { $0.priority = .medium },
        ]
        func rows(keepsOrder: Bool) -> [[String]] {
            ToDoSections.urgency.parts(items, keepsOrder: keepsOrder, in: context)
                .map { $0.positions.map { items[$0].title } }
        }
        #expect(
            rows(keepsOrder: false) == [
                ["high", "late"], ["next"], ["urgent", "mid", "low", "plain", "plain too"],
            ])
        #expect(
            rows(keepsOrder: true) == [
                ["late", "high"], ["next"], ["plain", "low", "urgent", "plain too", "mid"],
            ])
    }

    private func done(
        _ due: String, _ start: (String, Int)?, _ finish: (String, Int)?, completed: String
    ) -> ToDoItem {
        item("x", due: due) { item in
            item.status = .completed
            item.completed = Fixed.instant(completed, 12, in: berlin)
            item.start = start.map { .instant(Fixed.instant($0.0, $0.1, in: berlin)) }
            item.finish = finish.map { .instant(Fixed.instant($0.0, $0.1, in: berlin)) }
        }
    }

    @Test("what did not begin and end on its day was not accomplished")
    func accomplished() {
        let day = "2026-11-18"
        let cases: [(ToDoItem, Bool)] = [
            (done(day, (day, 9), (day, 11), completed: day), true),
            (done(day, ("2026-11-17", 9), (day, 11), completed: day), false),
            (done(day, (day, 9), ("2026-11-19", 1), completed: day), false),
            (done(day, nil, nil, completed: day), true),
            (done(day, nil, nil, completed: "2026-11-19"), false),
            (done(day, nil, (day, 23), completed: "2026-11-19"), true),
            (item("open", due: day), false),
        ]
        for (item, expected) in cases {
            #expect(WeekReport.isAccomplished(item, in: context) == expected, "\(item)")
        }
        var tracked = item("tracked", due: day)
        tracked.status = .completed
        tracked.completed = Fixed.instant("2026-11-20", 9, in: berlin)
        tracked.work = [
            WorkInterval(
                start: Fixed.instant(day, 9, in: berlin), end: Fixed.instant(day, 10, in: berlin))
        ]
        #expect(WeekReport.isAccomplished(tracked, in: context))
    }

    @Test("a week sums days and projects; overlapping work counts once, and only within the week")
    func week() {
        let monday = "2026-11-16"
        func work(_ from: (String, Int), _ to: (String, Int)) -> WorkInterval {
            WorkInterval(
                start: Fixed.instant(from.0, from.1, in: berlin),
                end: Fixed.instant(to.0, to.1, in: berlin))
        }
        var first = done(monday, (monday, 9), (monday, 10), completed: monday)
        first.project = "Home"
        first.work = [work((monday, 9), (monday, 11))]
        var second = item("open", due: "2026-11-17") { $0.project = "Work" }
        second.work = [
            work((monday, 10), (monday, 12)), work(("2026-11-15", 23), (monday, 1)),
        ]
        let cancelled = item("no", due: monday) { $0.status = .cancelled }
        let late = done("2026-11-17", nil, nil, completed: "2026-11-19")
        // Done before its day, or begun before it: not late.
        let early = done("2026-11-18", nil, nil, completed: "2026-11-16")
        let begun = done(
            "2026-11-18", ("2026-11-17", 9), ("2026-11-18", 9), completed: "2026-11-18")
        let report = WeekReport([first, second, cancelled, late, early, begun], in: context)
        #expect(report.total.planned == 5 && report.total.accomplished == 1)
        #expect(report.total.late == 1 && report.total.early == 2)
        #expect(report.daily[2].early == 2 && report.daily[1].late == 1)
        #expect(report.total.worked == 4 * 3_600_000)
        #expect(report.daily[0].worked == 4 * 3_600_000 && report.daily[0].planned == 1)
        #expect(report.projects.map(\.name) == ["", "Home", "Work"])
        #expect(report.projects.map(\.row.worked) == [0, 2 * 3_600_000, 3 * 3_600_000])
    }

    @Test("a day has what is due at no time, then what has one; work over midnight stands in both")
    func agenda() throws {
        let day = try #require(Fixed.date("2026-11-21")?.day)
        let whole = item("whole", due: "2026-11-21")
        let nine = item("nine") { $0.due = .instant(Fixed.instant("2026-11-21", 9, in: berlin)) }
        var night = item("night")
        night.work = [
            WorkInterval(
                start: Fixed.instant("2026-11-20", 23, in: berlin),
                end: Fixed.instant("2026-11-21", 1, in: berlin))
        ]
        let agenda = DayAgenda([whole, nine, night], day: day, in: context)
        #expect(agenda.wholeDay == [whole])
        #expect(agenda.entries.map(\.item.title) == ["night", "nine"])
        #expect(DayAgenda([night], day: day - 1, in: context).entries.count == 1)
        #expect(DayAgenda([night], day: day + 1, in: context).entries.isEmpty)
    }
}
