import Testing
import ToDo

@Suite("What comes again on days of months")
struct MonthDaysTests {
    @Test(
        "what people say is read, and is written in one way that reads back",
        arguments: [
            ("last friday of the month", "every month on the last fri"),
            ("the last friday of each month", "every month on the last fri"),
            ("last fri", "every month on the last fri"),
            ("every last friday", "every month on the last fri"),
            ("first monday", "every month on the 1st mon"),
            ("Every First Monday In The Month", "every month on the 1st mon"),
            ("2nd tuesday of each month", "every month on the 2nd tue"),
            ("second tuesday", "every month on the 2nd tue"),
            ("every 2nd tuesday of the month", "every month on the 2nd tue"),
            ("monthly on the third wed", "every month on the 3rd wed"),
            ("every month on the 5th sun", "every month on the 5th sun"),
            ("1st and 3rd mondays of the month", "every month on the 1st mon, 3rd mon"),
            ("every last fri, 1st mon of a month", "every month on the 1st mon, last fri"),
            ("last weekday of the month", "every month on the last workday"),
            ("first working day of every month", "every month on the 1st workday"),
            ("last business day in each month", "every month on the last workday"),
            ("first monday of every 2 months", "every 2 months on the 1st mon"),
            ("first monday of every other month", "every 2 months on the 1st mon"),
            ("every second month on the first monday", "every 2 months on the 1st mon"),
            ("quarterly on the last friday", "every 3 months on the last fri"),
            ("yearly on the 4th thursday", "every year on the 4th thu"),
            ("last friday!", "every month on the last fri after completion"),
            ("last friday of the month 5 times", "every month on the last fri, 5 times"),
            (
                "first monday in the month until 2027-12-31 in Europe/Berlin",
                "every month on the 1st mon until 2027-12-31 in Europe/Berlin"
            ),
        ])
    func words(_ typed: String, _ text: String) throws {
        let rule = try #require(Repetition(text: typed))
        #expect(rule.text == text)
        #expect(Repetition(text: rule.text) == rule)
    }

    @Test(
        "what may mean something else, or nothing, is refused",
        arguments: [
            "every second tuesday", "every 3rd workday", "last friday of the year",
            "first monday of the quarter", "last friday of november", "6th monday", "last",
            "last of the month", "last day of the month", "friday last", "first monday friday",
            "first monday, last workday", "last working", "first working monday", "0th mon",
            "last friday of 0 months", "every month on", "every month on the",
            "last friday of every 1001 months", "2 weeks on the last friday",
        ])
    func refused(_ typed: String) {
        #expect(Repetition(text: typed) == nil)
    }

    private func series(
        _ text: String, from first: String, count: Int
    ) throws -> [String] {
        let rule = try #require(Repetition(text: text))
        var dues = [Fixed.day(first)]
        for _ in 1..<count {
            let next = rule.next(
                after: dues[dues.count - 1], anchor: dues[0], completed: 0, zone: .utc)
            guard let next else { break }
            dues.append(next.due)
        }
        return dues.map { TimestampText.day($0.day(in: .utc)) }
    }

    @Test(
        "the dates are those of a calendar, in months of every length",
        arguments: [
            ("last friday", ["2026-11-27", "2026-12-25", "2027-01-29", "2027-02-26"]),
            ("2nd tuesday", ["2026-11-10", "2026-12-08", "2027-01-12", "2027-02-09"]),
            // No month without it counts.
            ("5th monday", ["2026-11-30", "2027-03-29", "2027-05-31", "2027-08-30"]),
            ("1st and 3rd mon", ["2026-11-16", "2026-12-07", "2026-12-21", "2027-01-04"]),
            ("last workday", ["2027-01-29", "2027-02-26", "2027-03-31", "2027-04-30"]),
            ("first workday", ["2027-04-01", "2027-05-03", "2027-06-01", "2027-07-01"]),
            ("5th workday", ["2026-11-06", "2026-12-07", "2027-01-07", "2027-02-05"]),
            ("yearly on the 4th thu", ["2026-11-26", "2027-11-25", "2028-11-23", "2029-11-22"]),
            ("every 2 months on the 1st mon", ["2026-11-02", "2027-01-04", "2027-03-01"]),
            // One that began elsewhere comes onto its days.
            ("first monday", ["2026-11-25", "2026-12-07"]),
            ("last friday", ["2026-11-25", "2026-11-27"]),
            // Only a February of 29 days that begins on a Monday has five.
            ("yearly on the 5th mon", ["2016-02-29", "2044-02-29", "2072-02-29", "2112-02-29"]),
        ])
    func dates(typed: String, expected: [String]) throws {
        #expect(try series(typed, from: expected[0], count: expected.count) == expected)
    }

    @Test("where no such day ever comes the series ends, after a bounded look")
    func never() throws {
        // 80 years on, 2016 is 2096, 2176, 2256, 2336, 2416: a February has five Sundays in none of them.
        #expect(
            try series("every 80 years on the 5th sun", from: "2016-02-07", count: 3).count == 1)
        var item = ToDoItem(title: "x")
        item.identifier = 1
        item.due = Fixed.day("2016-02-07")
        item.repeats = "every 80 years on the 5th sun"
        #expect(item.nextOccurrence(completed: 0, zone: .utc) { _ in nil } == nil)
        #expect(item.toCome(on: 20_000..<90_000, zone: .utc) { _ in nil }.isEmpty)
        #expect(throws: ToDoItem.CatchUpObstacle.isOver) {
            try item.caughtUp(now: Fixed.now, zone: .utc) { _ in nil }
        }
    }

    @Test("from completion it is the next such day; of every few months not in the same one")
    func completion() throws {
        let done = Fixed.instant("2026-11-03", 12, in: .utc)
        func next(_ text: String) throws -> String {
            let next = try #require(Repetition(text: text)).next(
                after: Fixed.day("2026-10-30"), anchor: nil, completed: done, zone: .utc)
            return TimestampText.day(try #require(next).due.day(in: .utc))
        }
        #expect(try next("last friday!") == "2026-11-27")
        #expect(try next("quarterly on the last friday!") == "2027-02-26")
        #expect(try next("every year on the last fri after completion") == "2027-11-26")
    }

    @Test("a time of day stays what the clock shows, also where the clocks change")
    func clocks() throws {
        let berlin = try Fixed.berlin()
        let rule = try #require(Repetition(text: "last sunday"))
        let first = Moment.instant(Fixed.instant("2027-02-28", 2, 30, in: berlin))
        let next = try #require(rule.next(after: first, anchor: nil, completed: 0, zone: berlin))
        // 02:30 does not exist that night.
        #expect(next.due == .instant(Fixed.instant("2027-03-28", 3, 30, in: berlin)))
        let third = rule.next(after: next.due, anchor: first, completed: 0, zone: berlin)
        #expect(third?.due == .instant(Fixed.instant("2027-04-25", 2, 30, in: berlin)))
    }
}
