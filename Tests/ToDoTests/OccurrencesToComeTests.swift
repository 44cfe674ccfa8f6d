import Core
import Storage
import Testing
import ToDo

@Suite("Occurrences that nobody has made yet")
struct OccurrencesToComeTests {
    private func days(
        _ repeats: String, due: String, _ from: String, _ to: String,
        _ change: (inout ToDoItem) -> Void = { _ in }
    ) throws -> [String] {
        var item = ToDoItem(title: "Water")
        item.identifier = 1
        item.due = Fixed.day(due)
        item.repeats = try #require(Repetition(text: repeats)).text
        change(&item)
        let zone = try Fixed.berlin()
        let first = try #require(Fixed.date(from)).day
        let last = try #require(Fixed.date(to)).day
        return item.toCome(on: first..<last + 1, zone: zone, named: { _ in nil }).map {
            TimestampText.day($0.due?.day(in: zone) ?? 0)
        }
    }

    @Test(
        "the dates of a schedule behind the one that is pending, and no others",
        arguments: [
            ("weekly", "2026-11-27", "2026-11-01", "2026-12-11", ["2026-12-04", "2026-12-11"]),
            ("weekly", "2026-11-27", "2036-12-01", "2036-12-06", ["2036-12-05"]),
            (
                "monthly", "2026-08-31", "2026-09-01", "2026-11-30",
                ["2026-09-30", "2026-10-31", "2026-11-30"]
            ),
            ("mon,thu", "2026-11-23", "2026-11-23", "2026-12-01", ["2026-11-26", "2026-11-30"]),
            (
                "daily 3 times", "2026-11-27", "2026-11-01", "2026-12-31",
                ["2026-11-28", "2026-11-29"]
            ),
            ("daily 3 times", "2026-11-27", "2026-11-29", "2026-12-31", ["2026-11-29"]),
            ("weekly until 2026-12-04", "2026-11-27", "2026-11-01", "2026-12-31", ["2026-12-04"]),
            (
                "last friday of the month", "2026-11-27", "2026-11-01", "2027-02-26",
                ["2026-12-25", "2027-01-29", "2027-02-26"]
            ),
            (
                "first monday of the month 3 times", "2026-11-02", "2027-01-01", "2027-12-31",
                ["2027-01-04"]
            ),
            (
                "1st and 3rd wed of the month", "2026-11-04", "2036-11-01", "2036-11-30",
                ["2036-11-05", "2036-11-19"]
            ),
            ("weekly!", "2026-11-27", "2026-11-01", "2026-12-31", []),
            ("daily", "2026-11-27", "2026-11-01", "2026-11-27", []),
        ])
    func dates(
        rule: String, due: String, from: String, to: String, expected: [String]
    ) throws {
        #expect(try days(rule, due: due, from, to) == expected)
    }

    @Test("until, a status and a far end bound them; each has no id and the series of the first")
    func bounds() throws {
        #expect(
            try days("daily", due: "2026-11-27", "2026-11-01", "2026-12-31") {
                $0.until = Fixed.day("2026-11-29")
            } == ["2026-11-28", "2026-11-29"])
        #expect(
            try days("daily", due: "2026-11-27", "2026-11-01", "2026-12-31") {
                $0.status = .cancelled
            } == [])
        #expect(
            try days("daily", due: "2026-11-27", "2026-11-01", "2036-12-31").count
                == ToDoItem.toComeCountMax)
        #expect(
            try days("daily 100000 times", due: "1726-11-27", "2026-11-01", "2026-11-01").count == 0
        )
        var item = ToDoItem(title: "Water")
        item.identifier = 1
        item.due = .day(20_788)
        item.repeats = "every week"
        let found = item.toCome(on: 20_789..<20_800, zone: .utc, named: { _ in nil })
        #expect(found.map(\.identifier) == [nil] && found.map(\.series) == [1])
    }

    @Test("what is overdue has no dates before today")
    func today() throws {
        let world = try ToDoWorld(zone: .utc)
        let todos = world.todos(try world.store("laptop"))
        let today = LocalTimeZone.utc.localTime(at: world.now).day
        var item = ToDoItem(title: "Water")
        item.due = .day(Int32(today - 10))
        item.repeats = "every day"
        _ = try todos.add(item)
        let days = try todos.toCome(on: today - 20..<today + 3).map { $0.due?.day(in: .utc) }
        #expect(days == [today, today + 1, today + 2])
        #expect(try todos.toCome(on: today - 20..<today - 2).isEmpty)
    }
}
