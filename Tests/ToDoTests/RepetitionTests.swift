import Testing
import ToDo

@Suite("What comes again")
struct RepetitionTests {
    @Test(
        "what is typed is read, and is written in one way that reads back",
        arguments: [
            ("daily", "every day"), ("weekly", "every week"), ("2w", "every 2 weeks"),
            ("every other day", "every 2 days"), ("every 3 days", "every 3 days"),
            ("monthly", "every month"), ("quarterly", "every 3 months"), ("yearly", "every year"),
            ("P1M", "every month"), ("mon,thu", "every mon, thu"),
            ("every thursday and mondays", "every mon, thu"),
            ("weekdays", "every mon, tue, wed, thu, fri"), ("weekends", "every sat, sun"),
            ("every! 3 days", "every 3 days after completion"),
            ("weekly!", "every week after completion"),
            ("every 2 weeks after completion", "every 2 weeks after completion"),
            ("mon,tue,wed,thu,fri,sat,sun", "every day"), ("18mo", "every 18 months"),
            ("every week in Europe/Berlin", "every week in Europe/Berlin"),
            (
                "1 month after completion in Asia/Tokyo",
                "every month after completion in Asia/Tokyo"
            ),
            ("weekly 5 times", "every week, 5 times"),
            ("mon,thu for 1 time", "every mon, thu, 1 time"),
            ("daily! until 2026-12-31", "every day after completion until 2026-12-31"),
            (
                "every week until 2026-12-31T10:00:00.000Z in Europe/Berlin",
                "every week until 2026-12-31T10:00:00Z in Europe/Berlin"
            ),
            ("every month, 12 times in Asia/Tokyo", "every month, 12 times in Asia/Tokyo"),
        ])
    func words(_ typed: String, _ text: String) throws {
        let rule = try #require(Repetition(text: typed))
        #expect(rule.text == text)
        #expect(Repetition(text: rule.text) == rule)
    }

    @Test(
        "what cannot be a rule is refused",
        arguments: [
            "", "!", "every", "sometimes", "0d", "2h", "every blue moon", "1001d", "mo tu xx",
            "5 times", "daily 0 times", "daily 100001 times", "daily until", "daily until soon",
            "until 2026-12-31", "daily 5 times until 2026-12-31 x",
        ])
    func refused(_ typed: String) {
        #expect(Repetition(text: typed) == nil)
    }

    private func series(
        _ rule: Repetition, from first: Moment, count: Int, zone: LocalTimeZone = .utc
    ) -> [Moment] {
        var dues = [first]
        for _ in 1..<count {
            let next = rule.next(
                after: dues[dues.count - 1], anchor: first, completed: 0, zone: zone)
            guard let next else { break }
            dues.append(next.due)
        }
        return dues
    }

    @Test("the last day of a month stays the last, and a leap day comes back in leap years")
    func monthEnds() {
        #expect(
            series(Repetition(.months(1)), from: Fixed.day("2027-01-31"), count: 5)
                == ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"]
                .map(Fixed.day))
        #expect(
            series(Repetition(.months(12)), from: Fixed.day("2028-02-29"), count: 6)
                == [
                    "2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29",
                    "2033-02-28",
                ].map(Fixed.day))
        #expect(
            series(Repetition(.months(3)), from: Fixed.day("2026-11-30"), count: 3)
                == ["2026-11-30", "2027-02-28", "2027-05-30"].map(Fixed.day))
    }

    @Test(
        "of what is due at the end of a month a schedule is found that stays at the ends of months",
        arguments: [
            ("monthly", "2026-11-30", ["2026-12-31", "2027-01-31", "2027-02-28", "2027-03-31"]),
            ("monthly", "2027-02-28", ["2027-03-31", "2027-04-30", "2027-05-31", "2027-06-30"]),
            ("monthly", "2026-12-31", ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30"]),
            ("2mo", "2026-11-30", ["2027-01-31", "2027-03-31", "2027-05-31", "2027-07-31"]),
            ("2mo", "2027-02-28", ["2027-04-30", "2027-06-30", "2027-08-31", "2027-10-31"]),
            ("quarterly", "2027-06-30", ["2027-09-30", "2027-12-31", "2028-03-31", "2028-06-30"]),
            ("6mo", "2027-02-28", ["2027-08-31", "2028-02-29", "2028-08-31", "2029-02-28"]),
            ("yearly", "2027-02-28", ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28"]),
            ("yearly", "2027-04-30", ["2028-04-30", "2029-04-30", "2030-04-30", "2031-04-30"]),
        ])
    func monthEndsKept(typed: String, due: String, following: [String]) throws {
        var item = ToDoItem(title: "x")
        item.due = Fixed.day(due)
        item.repeats = try #require(Repetition(text: typed)).text
        item.identifier = 1
        item.repeatAtMonthEnds(in: .utc)
        var found: [Moment?] = []
        for _ in following {
            item = try #require(item.nextOccurrence(completed: 0, zone: .utc) { _ in nil })
            found.append(item.due)
        }
        #expect(found == following.map(Fixed.day))
    }

    @Test("which day of the month it is is shown where the words leave it open")
    func monthEndsShown() {
        var item = ToDoItem(title: "x")
        item.due = Fixed.day("2026-11-30")
        item.repeats = "every month"
        #expect(item.repeatsShown(in: .utc).hasSuffix(" 30"))
        item.repeatAtMonthEnds(in: .utc)
        #expect(item.anchor == Fixed.day("2026-10-31"))
        #expect(
            !item.repeatsShown(in: .utc).contains("30")
                && item.repeatsShown(in: .utc) != item.repeats)
        item.repeats = "every month after completion"
        #expect(item.repeatsShown(in: .utc) == item.repeats)
    }

    @Test("days of the week come in turn; a due day that was moved goes back onto the schedule")
    func weekdays() {
        let rule = Repetition(.weekdays([.monday, .thursday]))
        #expect(
            series(rule, from: Fixed.day("2026-11-23"), count: 4)
                == ["2026-11-23", "2026-11-26", "2026-11-30", "2026-12-03"].map(Fixed.day))
        let weekly = Repetition(.days(7))
        let moved = weekly.next(
            after: Fixed.day("2026-11-25"), anchor: Fixed.day("2026-11-23"), completed: 0,
            zone: .utc)?.due
        #expect(moved == Fixed.day("2026-11-30"))
        // Before its beginning, too.
        let early = weekly.next(
            after: Fixed.day("2026-11-02"), anchor: Fixed.day("2026-11-23"), completed: 0,
            zone: .utc)?.due
        #expect(early == Fixed.day("2026-11-09"))
    }

    @Test("a time of day stays what the clock shows, also where the clocks change")
    func clocks() throws {
        let berlin = try Fixed.berlin()
        let first = Moment.instant(Fixed.instant("2027-03-21", 9, in: berlin))
        let dues = series(Repetition(.days(7)), from: first, count: 3, zone: berlin)
        #expect(
            dues
                == ["2027-03-21", "2027-03-28", "2027-04-04"].map {
                    .instant(Fixed.instant($0, 9, in: berlin))
                })
        // 02:30 does not exist on 28 March: it is 03:30 there, and 02:30 again on the next day.
        let night = Moment.instant(Fixed.instant("2027-03-27", 2, 30, in: berlin))
        let nights = series(Repetition(.days(1)), from: night, count: 3, zone: berlin)
        #expect(nights[1] == .instant(Fixed.instant("2027-03-28", 3, 30, in: berlin)))
        #expect(nights[2] == .instant(Fixed.instant("2027-03-29", 2, 30, in: berlin)))
    }

    @Test("from completion it counts from the day on which it was done, and keeps the time of day")
    func completion() throws {
        let berlin = try Fixed.berlin()
        let done = Fixed.instant("2026-12-24", 23, 30, in: berlin)
        let rule = Repetition(.days(3), from: .completion)
        #expect(
            rule.next(after: Fixed.day("2026-12-01"), anchor: nil, completed: done, zone: berlin)?
                .due
                == Fixed.day("2026-12-27"))
        let due = Moment.instant(Fixed.instant("2026-12-01", 17, in: berlin))
        #expect(
            rule.next(after: due, anchor: nil, completed: done, zone: berlin)?.due
                == .instant(Fixed.instant("2026-12-27", 17, in: berlin)))
        #expect(
            rule.next(after: nil, anchor: nil, completed: done, zone: berlin)?.due
                == Fixed.day("2026-12-27"))
        #expect(
            Repetition(.months(1), from: .completion).next(
                after: nil, anchor: nil,
                completed: Fixed.instant("2027-01-31", 12, in: berlin), zone: berlin)?.due
                == Fixed.day("2027-02-28"))
    }

    @Test("the next occurrence takes along what plans it, and ends behind `until`")
    func occurrence() throws {
        var item = ToDoItem(title: "Water the plants")
        item.identifier = 7
        item.due = Fixed.day("2026-11-27")
        item.scheduled = Fixed.day("2026-11-26")
        item.addTag("home")
        item.custom["size"] = .int(3)
        item.repeats = "every week"
        item.start = .instant(0)
        item.until = Fixed.day("2026-12-06")
        let next = try #require(
            item.nextOccurrence(completed: Fixed.now, zone: .utc, named: { _ in nil }))
        #expect(next.due == Fixed.day("2026-12-04") && next.scheduled == Fixed.day("2026-12-03"))
        #expect(next.tags == ["home"] && next.custom == item.custom && next.start == nil)
        #expect(next.series == 7 && next.occurrence == 1 && next.created == nil)
        #expect(next.identifier == item.nextIdentifier && next.status == .pending)
        #expect(next.nextOccurrence(completed: Fixed.now, zone: .utc, named: { _ in nil }) == nil)
        item.repeats = "whenever the moon is full"
        #expect(item.nextOccurrence(completed: 0, zone: .utc, named: { _ in nil }) == nil)
    }
}
