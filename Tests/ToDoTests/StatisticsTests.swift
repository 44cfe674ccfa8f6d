import Core
import Storage
import Testing
import ToDo

@Suite("Statistics")
struct StatisticsTests {
    private let berlin: LocalTimeZone
    /// Saturday 21 November 2026.
    private let context: CalendarContext

    init() throws {
        berlin = try Fixed.berlin()
        context = CalendarContext(now: Fixed.now, zone: berlin)
    }

    private func life(
        _ created: String?, ended: String? = nil, _ status: ToDoStatus? = nil, project: String = "",
        due: String? = nil
    ) -> ToDoLife {
        ToDoLife(
            id: RecordID(value: 1), status: status ?? (ended == nil ? .pending : .completed),
            created: created.map { Fixed.instant($0, 12, in: berlin) },
            ended: ended.map { Fixed.instant($0, 18, in: berlin) }, project: project,
            due: due.map(Fixed.day))
    }

    @Test("a row counts what was pending at its end, and what was made and ended in it")
    func burndown() {
        let lives = [
            life("2026-11-01"), life("2026-11-10", ended: "2026-11-18"), life("2026-11-17"),
            life("2026-11-17", ended: "2026-11-20", .cancelled),
            // Before all rows; made when nobody noted; ended when nobody noted.
            life("2026-10-01", ended: "2026-10-02"), life(nil), life("2026-11-02", .completed),
        ]
        let burndown = Burndown(lives, by: .week, count: 2, in: context)
        #expect(burndown.rows.map(\.pending) == [3, 3])
        #expect(burndown.rows.map(\.added) == [1, 2])
        #expect(burndown.rows.map(\.completed) == [0, 1])
        #expect(burndown.rows.map(\.cancelled) == [0, 1])
        #expect(burndown.rows[1].days.lowerBound == Fixed.date("2026-11-16")?.day)
        #expect(burndown.emptyDay == nil)
    }

    @Test("a to-do that came without the time of its making counts from when it came")
    func imported() throws {
        let world = try ToDoWorld(zone: berlin)
        let store = try world.store("laptop")
        defer { store.close() }
        var items = (1...3).map { number in
            var item = ToDoItem(title: "t")
            item.identifier = UInt128(number)
            return item
        }
        items[1].due = Fixed.day("2026-06-01")
        items[2].created = Fixed.instant("2026-06-01", 12, in: berlin)
        _ = try world.todos(store).importItems(items)
        for filter in [ToDoFilter(), try ToDoFilter.parse(["t"], now: world.now, zone: berlin)] {
            let lives = try world.todos(store).lives(filter)
            let rows = Burndown(lives, by: .week, count: 4, in: context).rows
            #expect(rows.map(\.pending) == [1, 1, 1, 3])
            #expect(rows.map(\.added) == [0, 0, 0, 2])
        }
    }

    @Test("days are those of the zone, months have their length, and the last row is that of now")
    func periods() {
        let late = ToDoLife(
            id: RecordID(value: 1), status: .pending,
            created: Fixed.instant("2026-11-20", 23, 59, in: berlin), ended: nil)
        let days = Burndown([late], by: .day, count: 3, in: context)
        #expect(days.rows.map(\.added) == [0, 1, 0])
        let months = Burndown([], by: .month, count: 12, in: context).rows.map(\.days)
        #expect(months.first?.lowerBound == Fixed.date("2025-12-01")?.day)
        #expect(months.last == Fixed.date("2026-11-01")!.day..<Fixed.date("2026-12-01")!.day)
        #expect(Burndown([], by: .day, count: .max, in: context).rows.count == Burndown.rowCountMax)
    }

    @Test("the day on which none is left follows from the pace of the rows")
    func pace() {
        // 10 pending, of 14 that were there before; 4 done in 6 days since Monday.
        let done = (16...19).map { life("2026-11-01", ended: "2026-11-\($0)") }
        let lives = Array(repeating: life("2026-11-01"), count: 10) + done
        let burndown = Burndown(lives, by: .week, count: 1, in: context)
        #expect(burndown.emptyDay == context.today + 15)
        // One in ten years is no pace.
        let slow = Array(repeating: life("2020-01-01"), count: 10_000) + done
        #expect(Burndown(slow, by: .week, count: 1, in: context).emptyDay == nil)
    }

    @Test("the last fourteen days are counted one by one, and the chart has a bar for each")
    func days() {
        let figures = ListStatistics(
            [
                life("2026-11-08"), life("2026-11-07"), life("2026-11-20", ended: "2026-11-21"),
                life("2026-11-01", ended: "2026-11-21"),
                life("2026-11-20", ended: "2026-11-20", .cancelled),
            ], in: context)
        #expect(ListStatistics.dayCount == 14)
        #expect(figures.daily.map(\.added) == [1] + Array(repeating: 0, count: 11) + [2, 0])
        #expect(figures.daily.map(\.completed) == Array(repeating: 0, count: 13) + [2])
        let chart = BarChart(figures)
        #expect(chart.bars.first?.label == "Sun 8 Nov" && chart.bars.last?.label == "Sat 21 Nov")
        #expect(chart.bars.map(\.total) == figures.daily.map(\.completed))
        #expect(
            ChartPicture(chart, .columns).svg.contains("<title>Sat 21 Nov: 2 completed</title>"))
    }

    @Test("the next of a series, whose making nobody noted, began on its date, or is new today")
    func occurrences() {
        let lives = [
            life(nil, due: "2026-11-19"), life(nil, due: "2026-12-24"),
            life(nil, ended: "2026-11-18", due: "2026-11-20"),
        ]
        let burndown = Burndown(lives, by: .day, count: 5, in: context)
        #expect(burndown.rows.map(\.added) == [0, 1, 1, 0, 1])
        #expect(burndown.rows.map(\.pending) == [0, 0, 1, 1, 2])
        #expect(ListStatistics(lives, in: context).recent[0].added == 3)
    }

    @Test("a project counts what is below it, cancelled to-dos nowhere; what has none comes last")
    func projects() {
        let lives = [
            life("2026-11-19", project: "Home.Garden", due: "2026-11-20"),
            life("2026-11-01", ended: "2026-11-02", project: "Home"),
            life(nil, project: "Home.Garden.Shed"), life("2026-11-21"),
            life("2026-11-01", ended: "2026-11-02", .cancelled, project: "Gone"),
            life("2026-11-01", project: "Home-made"),
        ]
        let summary = ProjectSummary(lives, in: context)
        #expect(
            summary.rows.map(\.project) == [
                "Home", "Home.Garden", "Home.Garden.Shed", "Home-made", "",
            ])
        #expect(summary.rows.map(\.depth) == [0, 1, 2, 0, 0])
        #expect(summary.rows.map(\.pending) == [2, 2, 1, 1, 1])
        #expect(summary.rows.map(\.percent) == [33, 0, 0, 0, 0])
        #expect(summary.rows.map(\.overdue) == [1, 1, 0, 0, 0])
        #expect(summary.rows[1].meanAge.map { $0 / 3_600_000 } == 42)
        #expect(summary.rows[2].meanAge == nil)
        #expect(summary.total.pending == 4)
    }

    @Test("a project of dots alone has nothing above it")
    func dots() {
        let summary = ProjectSummary(
            ["..", ".a", "a.", "a..b"].map { life(nil, project: $0) }, in: context)
        #expect(Set(summary.rows.map(\.project)) == ["..", ".a", "a.", "a..b", "a"])
        #expect(summary.rows.first { $0.project == "a" }?.pending == 2)
    }

    @Test("a project of many levels is counted down to the last that has a row")
    func levels() {
        let name = Array(repeating: "a", count: 200_000).joined(separator: ".")
        let summary = ProjectSummary([life(nil, project: name)], in: context)
        #expect(summary.rows.count == ProjectSummary.depthMax)
        #expect(summary.rows.map(\.depth) == Array(0..<ProjectSummary.depthMax))
        #expect(summary.rows.allSatisfy { $0.pending == 1 })
    }

    @Test("figures tell of the last days, the half that was quick, streaks and the oldest")
    func figures() {
        let lives = [
            life("2026-11-18", ended: "2026-11-18"), life("2026-11-09", ended: "2026-11-19"),
            life("2026-11-01", ended: "2026-11-20"), life("2026-10-01", ended: "2026-10-05"),
            life("2026-10-01"), life("2026-11-21", due: "2026-11-20"),
            life("2026-10-01", ended: "2026-11-20", .cancelled),
        ]
        let figures = ListStatistics(lives, in: context)
        #expect((figures.pending, figures.completed, figures.cancelled) == (2, 4, 1))
        #expect((figures.overdue, figures.dated) == (1, 1))
        #expect(figures.recent.map(\.completed) == [3, 3])
        #expect(figures.recent.map(\.added) == [2, 4])
        #expect((figures.streak, figures.longestStreak) == (3, 3))
        #expect(figures.medianTime.map { $0 / 3_600_000 } == Int64(4 * 24 + 6))
        #expect(figures.oldest?.created == Fixed.instant("2026-10-01", 12, in: berlin))
        let none = ListStatistics([], in: context)
        #expect(none.bestWeekday == nil && none.medianTime == nil && none.oldest == nil)
        #expect((none.streak, none.longestStreak) == (0, 0))
    }

    @Test("the extremes of dates are counted without a trap", arguments: [Int64.min, -1, .max])
    func extremes(_ time: Int64) {
        for status in ToDoStatus.allCases {
            for other in [Int64.min, 0, .max] {
                let life = ToDoLife(
                    id: RecordID(value: 1), status: status, created: time, ended: other,
                    project: "a", due: .instant(time))
                for period in Burndown.Period.allCases {
                    let rows = Burndown([life], by: period, count: 3, in: context).rows
                    #expect(rows.allSatisfy { $0.pending >= 0 })
                }
                #expect(ProjectSummary([life], in: context).rows.count <= 1)
                #expect(ListStatistics([life], in: context).longestStreak <= 1)
            }
        }
    }

    @Test("the columns of the store and the to-dos themselves tell the same lives")
    func columns() throws {
        let world = try ToDoWorld(zone: berlin)
        let store = try world.store("laptop")
        let todos = world.todos(store)
        let items = (1...40).map { number in
            var item = ToDoItem(title: "t\(number)")
            item.created = Fixed.now - Int64(number) * 86_400_000
            item.project = ["", "Home", "Home.Garden"][number % 3]
            if number.isMultiple(of: 2) { item.due = .day(Int32(context.today + number)) }
            if number.isMultiple(of: 5) { item.due = .instant(Fixed.now) }
            if number.isMultiple(of: 7) {
                item.status = number.isMultiple(of: 2) ? .cancelled : .completed
                item.completions = [Fixed.now - 1_000, Fixed.now - 2_000]
            }
            return item
        }
        let ids = try todos.add(items)
        _ = try todos.delete([ids[0]])
        let byColumns = try todos.lives(ToDoFilter.parse([], now: Fixed.now, zone: berlin))
        #expect(byColumns.count == 39)
        let byItems = try todos.list(
            ToDoFilter.parse([], now: Fixed.now, zone: berlin), pendingOnly: false
        ).map { stored in
            let item = ToDoMapping.item(stored)
            return ToDoLife(
                id: stored.id, status: item.status, created: item.created, ended: item.completed,
                project: item.project, due: item.due)
        }
        #expect(Set(byColumns) == Set(byItems))
        #expect(byColumns.contains { $0.ended == Fixed.now - 2_000 })
    }

    @Test("a picture holds every number, nothing of the text is markup, and its scale is round")
    func picture() {
        let bars = [BarChart.Bar("<b>&\u{202e}\u{1b}<\u{301}", [3, 0]), .init("two", [1, 2])]
        let chart = BarChart("A \"title\"", series: ["done", "open"], bars: bars)
        for direction in [ChartPicture.Direction.columns, .rows] {
            let svg = ChartPicture(chart, direction).svg
            #expect(svg.contains("&lt;b&gt;&amp;") && !svg.contains("<b>"))
            // A mark on a sign does not make it another sign.
            #expect(svg.contains("&lt;\u{301}"))
            #expect(svg.contains("two: 2 open") && !svg.contains("0 open"))
            #expect(!svg.unicodeScalars.contains { $0 == "\u{202e}" || $0 == "\u{1b}" })
        }
        let scales = [1, 4, 5, 9, 10, 37, 100, 99_999].map { ChartPicture.scale($0) }
        #expect(scales.map(\.top) == [1, 4, 6, 10, 10, 40, 100, 100_000])
        #expect(scales.allSatisfy { $0.top / $0.step <= 5 })
        #expect(ChartPicture.scale(.max / 2).top >= .max / 2)
    }
}
