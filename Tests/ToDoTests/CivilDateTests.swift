import Testing
import ToDo

@Suite("Civil date")
struct CivilDateTests {
    @Test("every day of 1600 to 2400 has one date, one weekday later than the day before")
    func everyDay() {
        var expected = CivilDate(1600, 1, 1)
        var weekday = Weekday.saturday
        let last = CivilDate(2400, 12, 31).day
        for day in expected.day...last {
            let date = CivilDate(day: day)
            guard date == expected, date.day == day, date.weekday == weekday else {
                Issue.record("day \(day): \(date), expected \(expected)")
                return
            }
            weekday = Weekday.allCases[weekday.rawValue % 7]
            expected.dayOfMonth += 1
            if CivilDate(checking: expected.year, expected.month, expected.dayOfMonth) == nil {
                expected = expected.startOfMonth(later: 1)
            }
        }
        #expect(CivilDate(1970, 1, 1).day == 0)
        #expect(CivilDate(day: Int(Int32.min)).day == Int(Int32.min))
        #expect(CivilDate(day: Int(Int32.max)).day == Int(Int32.max))
    }

    @Test(
        "ISO weeks belong to the year of their Thursday",
        arguments: [
            ("2026-01-01", 2026, 1), ("2026-11-30", 2026, 49), ("2026-12-31", 2026, 53),
            ("2027-01-03", 2026, 53), ("2027-01-04", 2027, 1), ("2024-12-30", 2025, 1),
            ("2021-01-03", 2020, 53), ("2010-01-03", 2009, 53), ("2008-12-29", 2009, 1),
        ])
    func isoWeeks(text: String, year: Int, week: Int) throws {
        let date = try #require(Fixed.date(text))
        #expect(date.isoWeek == (year, week))
        let monday = try #require(CivilDate.startOfISOWeek(week, year: year))
        #expect((0..<7).contains(date.day - monday.day))
    }

    @Test("a year without week 53 has none")
    func missingWeek() {
        #expect(CivilDate.startOfISOWeek(53, year: 2026) == CivilDate(2026, 12, 28))
        #expect(CivilDate.startOfISOWeek(53, year: 2027) == nil)
        #expect(CivilDate.startOfISOWeek(0, year: 2026) == nil)
    }

    @Test("adding months keeps the day where the month has it")
    func months() {
        #expect(CivilDate(2026, 1, 31).adding(months: 1) == CivilDate(2026, 2, 28))
        #expect(CivilDate(2024, 1, 31).adding(months: 1) == CivilDate(2024, 2, 29))
        #expect(CivilDate(2026, 12, 15).adding(months: 1) == CivilDate(2027, 1, 15))
        #expect(CivilDate(2026, 1, 15).adding(months: -1) == CivilDate(2025, 12, 15))
        #expect(CivilDate(2024, 2, 29).adding(months: 12) == CivilDate(2025, 2, 28))
        #expect(CivilDate(2026, 5, 9).endOfMonth(later: -3) == CivilDate(2026, 2, 28))
    }

    @Test(
        "Easter falls on the dates of the church tables",
        arguments: [
            "1818-03-22", "1943-04-25", "1954-04-18", "1981-04-19", "2000-04-23", "2024-03-31",
            "2025-04-20", "2026-04-05", "2027-03-28", "2038-04-25", "2049-04-18", "2076-04-19",
        ])
    func easter(text: String) throws {
        let date = try #require(Fixed.date(text))
        #expect(CivilDate.easter(date.year) == date)
    }
}
