import Testing
import ToDo

@Suite("Date phrase")
struct DatePhraseTests {
    @Test(
        "names stand for days",
        arguments: [
            PhraseRow("today", "2026-11-21"), PhraseRow("sod", "2026-11-21"),
            PhraseRow("eod", "2026-11-21"), PhraseRow("Tomorrow", "2026-11-22"),
            PhraseRow("yesterday", "2026-11-20"), PhraseRow("  TODAY ", "2026-11-21"),
            PhraseRow("now", "2026-11-21 06:34:07"),
            PhraseRow("sow", "2026-11-16"), PhraseRow("eow", "2026-11-22"),
            PhraseRow("soww", "2026-11-16"), PhraseRow("eoww", "2026-11-27"),
            PhraseRow("sonw", "2026-11-23"), PhraseRow("eonw", "2026-11-29"),
            PhraseRow("som", "2026-11-01"), PhraseRow("eom", "2026-11-30"),
            PhraseRow("sonm", "2026-12-01"), PhraseRow("eonm", "2026-12-31"),
            PhraseRow("soq", "2026-10-01"), PhraseRow("eoq", "2026-12-31"),
            PhraseRow("sonq", "2027-01-01"), PhraseRow("eonq", "2027-03-31"),
            PhraseRow("soy", "2026-01-01"), PhraseRow("eoy", "2026-12-31"),
            PhraseRow("sony", "2027-01-01"), PhraseRow("eony", "2027-12-31"),
            PhraseRow("later", "9999-12-30"), PhraseRow("someday", "9999-12-30"),
            PhraseRow("easter", "2027-03-28"), PhraseRow("goodfriday", "2027-03-26"),
            PhraseRow("pentecost", "2027-05-16"), PhraseRow("midsommar", "2027-06-26"),
            PhraseRow("midsommarafton", "2027-06-25"), PhraseRow("juhannus", "2027-06-25"),
            PhraseRow("end of month", "2026-11-30"), PhraseRow("end of the year", "2026-12-31"),
            PhraseRow("start of next month", "2026-12-01"),
            PhraseRow("end of next week", "2026-11-29"),
            PhraseRow("next week", "2026-11-23"), PhraseRow("next month", "2026-12-01"),
            PhraseRow("next year", "2027-01-01"), PhraseRow("next quarter", "2027-01-01"),
        ])
    func names(row: PhraseRow) throws { try check(row) }

    @Test(
        "a weekday or month is the coming one, today excluded",
        arguments: [
            PhraseRow("fri", "2026-11-27"), PhraseRow("friday", "2026-11-27"),
            PhraseRow("next friday", "2026-11-27"), PhraseRow("next-fri", "2026-11-27"),
            PhraseRow("this fri", "2026-11-27"), PhraseRow("last friday", "2026-11-20"),
            PhraseRow("sat", "2026-11-28"), PhraseRow("this sat", "2026-11-21"),
            PhraseRow("next saturday", "2026-11-28"), PhraseRow("last sat", "2026-11-14"),
            PhraseRow("mon", "2026-11-23"), PhraseRow("tues", "2026-11-24"),
            PhraseRow("weds", "2026-11-25"), PhraseRow("thurs", "2026-11-26"),
            PhraseRow("sunday", "2026-11-22"), PhraseRow("on monday", "2026-11-23"),
            PhraseRow("friday next week", "2026-11-27"),
            PhraseRow("next week sunday", "2026-11-29"),
            PhraseRow("jan", "2027-01-01"), PhraseRow("december", "2026-12-01"),
            PhraseRow("nov", "2027-11-01"), PhraseRow("sept", "2027-09-01"),
            PhraseRow("15", "2026-12-15"), PhraseRow("21st", "2026-12-21"),
            PhraseRow("22nd", "2026-11-22"), PhraseRow("1st", "2026-12-01"),
            PhraseRow("31", "2026-12-31"), PhraseRow("the 30th", "2026-11-30"),
            PhraseRow("12-25", "2026-12-25"), PhraseRow("11-21", "2027-11-21"),
            PhraseRow("02-29", "2028-02-29"), PhraseRow("dec 25", "2026-12-25"),
            PhraseRow("25 Dec", "2026-12-25"), PhraseRow("3rd of march", "2027-03-03"),
            PhraseRow("Dec 25, 2028", "2028-12-25"), PhraseRow("1 may 2020", "2020-05-01"),
            PhraseRow("may 2027", "2027-05-01"),
        ])
    func recurring(row: PhraseRow) throws { try check(row) }

    @Test(
        "ISO forms are read exactly",
        arguments: [
            PhraseRow("2026-12-01", "2026-12-01"), PhraseRow("20261201", "2026-12-01"),
            PhraseRow("2026-12", "2026-12-01"), PhraseRow("2026-W49", "2026-11-30"),
            PhraseRow("2026w49", "2026-11-30"), PhraseRow("2026-W49-3", "2026-12-02"),
            PhraseRow("2026W497", "2026-12-06"), PhraseRow("2026-335", "2026-12-01"),
            PhraseRow("2024-366", "2024-12-31"), PhraseRow("2024-02-29", "2024-02-29"),
            PhraseRow("2026-12-01T10:00", "2026-12-01 10:00"),
            PhraseRow("2026-12-01t10:00:30", "2026-12-01 10:00:30"),
            PhraseRow("2026-12-01T09:00:00Z", "2026-12-01 10:00"),
            PhraseRow("20261201T090000Z", "2026-12-01 10:00"),
            PhraseRow("20261201T1000", "2026-12-01 10:00"),
            PhraseRow("2026-12-01T10:00+02:00", "2026-12-01 09:00"),
            PhraseRow("2026-12-01T10:00-0500", "2026-12-01 16:00"),
            PhraseRow("2026-W49-2T10:00", "2026-12-01 10:00"),
            PhraseRow("2026-12-01 10:00", "2026-12-01 10:00"),
            PhraseRow("1796119200", "2026-12-01 11:00"),
        ])
    func iso(row: PhraseRow) throws { try check(row) }

    @Test(
        "a time alone is the next one, a time beside a day is on that day",
        arguments: [
            PhraseRow("14:30", "2026-11-21 14:30"), PhraseRow("04:30", "2026-11-22 04:30"),
            PhraseRow("noon", "2026-11-21 12:00"), PhraseRow("midnight", "2026-11-22 00:00"),
            PhraseRow("5pm", "2026-11-21 17:00"), PhraseRow("5:30 pm", "2026-11-21 17:30"),
            PhraseRow("12am", "2026-11-22 00:00"), PhraseRow("12pm", "2026-11-21 12:00"),
            PhraseRow("at 5 PM", "2026-11-21 17:00"), PhraseRow("fri 5pm", "2026-11-27 17:00"),
            PhraseRow("5pm fri", "2026-11-27 17:00"), PhraseRow("fri, 5 pm", "2026-11-27 17:00"),
            PhraseRow("next friday 17:00", "2026-11-27 17:00"),
            PhraseRow("next friday at 17:00", "2026-11-27 17:00"),
            PhraseRow("tomorrow noon", "2026-11-22 12:00"),
            PhraseRow("noon on tuesday", "2026-11-24 12:00"),
            PhraseRow("fri midnight", "2026-11-27 00:00"),
            PhraseRow("today 04:30", "2026-11-21 04:30"),
            PhraseRow("in 3 days at 17:00", "2026-11-24 17:00"),
            PhraseRow("eom 18:00", "2026-11-30 18:00"),
            PhraseRow("25 dec 2026 8am", "2026-12-25 08:00"),
            PhraseRow("17:00 15", "2026-12-15 17:00"),
        ])
    func times(row: PhraseRow) throws { try check(row) }

    @Test(
        "durations of whole days give days, shorter ones points in time",
        arguments: [
            PhraseRow("3d", "2026-11-24"), PhraseRow("3 days", "2026-11-24"),
            PhraseRow("in 3 days", "2026-11-24"), PhraseRow("2wks", "2026-12-05"),
            PhraseRow("P3D", "2026-11-24"), PhraseRow("p1w", "2026-11-28"),
            PhraseRow("P1M", "2026-12-21"), PhraseRow("P1Y2M3D", "2028-01-24"),
            PhraseRow("in a week", "2026-11-28"), PhraseRow("a fortnight", "2026-12-05"),
            PhraseRow("two months", "2027-01-21"), PhraseRow("1q", "2027-02-21"),
            PhraseRow("1 week 2 days", "2026-11-30"), PhraseRow("1y", "2027-11-21"),
            PhraseRow("1 week and 2 days", "2026-11-30"),
            PhraseRow("3 days ago", "2026-11-18"), PhraseRow("in 0 days", "2026-11-21"),
            PhraseRow("PT2H", "2026-11-21 08:34:07"), PhraseRow("2h", "2026-11-21 08:34:07"),
            PhraseRow("2h30min", "2026-11-21 09:04:07"),
            PhraseRow("in 90 minutes", "2026-11-21 08:04:07"),
            PhraseRow("P1DT2H", "2026-11-22 08:34:07"),
            PhraseRow("an hour ago", "2026-11-21 05:34:07"),
            PhraseRow("3 days from now", "2026-11-24"),
            PhraseRow("a week from friday", "2026-12-04"),
            PhraseRow("day after tomorrow", "2026-11-23"),
            PhraseRow("the day before yesterday", "2026-11-19"),
            PhraseRow("2 days before eom", "2026-11-28"),
            PhraseRow("2 hours before tomorrow noon", "2026-11-22 10:00"),
        ])
    func durations(row: PhraseRow) throws { try check(row) }

    @Test(
        "dates can be reckoned with",
        arguments: [
            PhraseRow("eom-2d", "2026-11-28"), PhraseRow("eom - 2d", "2026-11-28"),
            PhraseRow("tomorrow+10h", "2026-11-22 10:00"),
            PhraseRow("mon+10h", "2026-11-23 10:00"), PhraseRow("mon+30h", "2026-11-24 06:00"),
            PhraseRow("eod-2h", "2026-11-21 22:00"), PhraseRow("eom-2h", "2026-11-30 22:00"),
            PhraseRow("now+2h", "2026-11-21 08:34:07"), PhraseRow("+3d", "2026-11-24"),
            PhraseRow("now+1d", "2026-11-22 06:34:07"), PhraseRow("-1d", "2026-11-20"),
            PhraseRow("2026-12-01-2d", "2026-11-29"),
            PhraseRow("2026-12-01T10:00+2h", "2026-12-01 12:00"),
            PhraseRow("eom+1w-2d", "2026-12-05"), PhraseRow("easter-P2D", "2027-03-26"),
            PhraseRow("15-2d", "2026-12-13"), PhraseRow("2027-01-31+1mo", "2027-02-28"),
            PhraseRow("2027-03-27+27h", "2027-03-28 03:00"),
            PhraseRow("fri+P1W", "2026-12-04"), PhraseRow("next friday + 1 week", "2026-12-04"),
        ])
    func arithmetic(row: PhraseRow) throws { try check(row) }

    @Test("the week begins on the day the user says")
    func weekStart() throws {
        let zone = try Fixed.berlin()
        func day(_ text: String) throws -> Moment {
            try DatePhrase.parse(text, now: Fixed.now, zone: zone, weekStart: .sunday)
        }
        #expect(try day("sow") == Fixed.day("2026-11-15"))
        #expect(try day("eow") == Fixed.day("2026-11-21"))
        #expect(try day("sonw") == Fixed.day("2026-11-22"))
        #expect(try day("sunday next week") == Fixed.day("2026-11-22"))
        #expect(try day("saturday next week") == Fixed.day("2026-11-28"))
        #expect(try day("2026-W49") == Fixed.day("2026-11-30"))
    }

    @Test("the day is that of the zone, not of UTC")
    func zoneDecidesDay() throws {
        let east = LocalTimeZone(name: "E", secondsEast: 14 * 3_600)
        let late = Fixed.now + 6 * 3_600_000
        let moment = try DatePhrase.parse("today", now: late, zone: east)
        #expect(moment == Fixed.day("2026-11-22"))
    }

    @Test(
        "what is not understood is refused",
        arguments: [
            "tomorow", "firday 5pm", "next", "5m", "1430", "every friday",
            "1796119200000", "blue", "fri 5", "now 5pm", "P", "PT", "P3D2W",
        ])
    func refused(text: String) throws {
        let zone = try Fixed.berlin()
        let error = #expect(throws: DatePhraseError.self) {
            try DatePhrase.parse(text, now: Fixed.now, zone: zone)
        }
        guard case .notUnderstood(text, _)? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test(
        "a right form with no such day or time says so",
        arguments: [
            "2026-02-30", "2026-13-01", "2025-366", "2027-W53", "2026-W49-8", "02-30", "13-01",
            "32", "0", "25:00", "13pm", "0am", "fri 24:30", "feb 30", "2026-12-01T24:00",
            "2026-12-01T10:00+19:00", "2026-00",
        ])
    func noSuch(text: String) throws {
        let zone = try Fixed.berlin()
        do {
            let moment = try DatePhrase.parse(text, now: Fixed.now, zone: zone)
            Issue.record("read as \(moment)")
        } catch {
            guard case .noSuchDate(_, let hint) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!hint.isEmpty)
        }
    }

    @Test("years beyond 9999 and before 1 are refused")
    func outOfRange() throws {
        let zone = try Fixed.berlin()
        for text in ["someday+1mo", "999999y", "0000-01-01", "999999 years ago", "99999999999"] {
            let isRefused = (try? DatePhrase.parse(text, now: Fixed.now, zone: zone)) == nil
            #expect(isRefused == (text != "99999999999"), "\(text)")
        }
        #expect(throws: DatePhraseError.outOfRange("999999y")) {
            try DatePhrase.parse("999999y", now: Fixed.now, zone: zone)
        }
        #expect(throws: DatePhraseError.empty) {
            try DatePhrase.parse(" ,", now: Fixed.now, zone: zone)
        }
        let long = String(repeating: "+1d", count: 100)
        #expect(throws: DatePhraseError.self) {
            try DatePhrase.parse(long, now: Fixed.now, zone: zone)
        }
    }

    @Test(
        "the echo shows what was understood",
        arguments: [
            ("fri", "Fri 27 Nov 2026, in 6 days"), ("today", "Sat 21 Nov 2026, today"),
            ("tomorrow", "Sun 22 Nov 2026, tomorrow"),
            ("yesterday", "Fri 20 Nov 2026, yesterday"),
            ("next friday 17:00", "Fri 27 Nov 2026 17:00, in 6 days"),
            ("2h", "Sat 21 Nov 2026 08:34:07, in 2 hours"),
            ("now+90min", "Sat 21 Nov 2026 08:04:07, in 1 h 30 min"),
            ("20 minutes ago", "Sat 21 Nov 2026 06:14:07, 20 minutes ago"),
            ("now", "Sat 21 Nov 2026 06:34:07, now"),
            ("2026-11-01", "Sun 1 Nov 2026, 20 days ago"),
            ("2027-05-01", "Sat 1 May 2027, in about 5 months"),
            ("someday", "Thu 30 Dec 9999, someday"),
            ("2999-01-01", "Tue 1 Jan 2999, in about 972 years"),
            ("2126-11-21", "Thu 21 Nov 2126, in about 100 years"),
            ("2029-11-20", "Tue 20 Nov 2029, in about 3 years"),
            ("2028-11-19", "Sun 19 Nov 2028, in about 24 months"),
            ("2028-11-20", "Mon 20 Nov 2028, in about 2 years"),
            ("1027-01-01", "Mon 1 Jan 1027, about 1000 years ago"),
            ("tomorrow 17:00", "Sun 22 Nov 2026 17:00, tomorrow"),
        ])
    func echo(text: String, expected: String) throws {
        let zone = try Fixed.berlin()
        let moment = try DatePhrase.parse(text, now: Fixed.now, zone: zone)
        #expect(DatePhrase.describe(moment, now: Fixed.now, zone: zone) == expected)
    }

    // Fixed.now is Saturday, 21 November 2026, 6:34.
    @Test(
        "dates are read as people say them in passing",
        arguments: [
            PhraseRow("tonight", "2026-11-21 20:00"), PhraseRow("this evening", "2026-11-21 18:00"),
            PhraseRow("tomorrow morning", "2026-11-22 09:00"),
            PhraseRow("friday evening", "2026-11-27 18:00"),
            PhraseRow("morning", "2026-11-21 09:00"),
            PhraseRow("this weekend", "2026-11-21"), PhraseRow("weekend", "2026-11-21"),
            PhraseRow("next weekend", "2026-11-28"), PhraseRow("last weekend", "2026-11-14"),
            PhraseRow("in 3 working days", "2026-11-25"), PhraseRow("1 workday", "2026-11-23"),
            PhraseRow("in five business days", "2026-11-27"),
            PhraseRow("in 6 working days", "2026-11-30"),
            PhraseRow("2 working days ago", "2026-11-19"),
            PhraseRow("in a working day", "2026-11-23"),
            PhraseRow("25.12.2026", "2026-12-25"), PhraseRow("25.12.", "2026-12-25"),
            PhraseRow("1.2.27", "2027-02-01"), PhraseRow("1.2.", "2027-02-01"),
            PhraseRow("25.12.2026 17:00", "2026-12-25 17:00"),
            PhraseRow("12/25", "2026-12-25"), PhraseRow("25/12", "2026-12-25"),
            PhraseRow("12/25/2026", "2026-12-25"), PhraseRow("25/12/26", "2026-12-25"),
            PhraseRow("3/3", "2027-03-03"), PhraseRow("2027/01/02", "2027-01-02"),
            PhraseRow("12/25 5pm", "2026-12-25 17:00"),
        ])
    func everyday(row: PhraseRow) throws {
        try check(row)
    }

    @Test("tonight is later when the night began, and on a Sunday this weekend is today")
    func edges() throws {
        let zone = try Fixed.berlin()
        func parse(_ text: String, _ now: Int64) throws -> Moment {
            try DatePhrase.parse(text, now: now, zone: zone)
        }
        let late = Fixed.instant("2026-11-21", 21, in: zone)
        #expect(try parse("tonight", late) == .instant(Fixed.instant("2026-11-21", 23, in: zone)))
        #expect(throws: DatePhraseError.self) {
            try parse("tonight", Fixed.instant("2026-11-21", 23, in: zone))
        }
        let sunday = Fixed.instant("2026-11-22", 12, in: zone)
        #expect(try parse("this weekend", sunday) == Fixed.day("2026-11-22"))
        #expect(try parse("next weekend", sunday) == Fixed.day("2026-11-28"))
    }

    @Test(
        "a span of several days is no date, and its last day is named",
        arguments: [
            ("this week", "eow"), ("this month", "eom"), ("this quarter", "eoq"),
            ("this year", "eoy"),
        ])
    func spans(text: String, last: String) throws {
        let fault = #expect(throws: DatePhraseError.self) {
            try DatePhrase.parse(text, now: Fixed.now, zone: .utc)
        }
        guard case .notUnderstood(text, let hint)? = fault else {
            throw try #require(fault)
        }
        #expect(hint.hasSuffix(" \(last)"))
        _ = try DatePhrase.parse(last, now: Fixed.now, zone: .utc)
    }

    @Test("a day that no February has is told with those that it has")
    func february() throws {
        for text in ["30 feb", "feb 31"] {
            let fault = #expect(throws: DatePhraseError.self) {
                try DatePhrase.parse(text, now: Fixed.now, zone: .utc)
            }
            #expect(
                fault == .noSuchDate(text, hint: "February has 28 days, or 29 in a leap year"))
        }
        #expect(
            try DatePhrase.parse("feb 29", now: Fixed.now, zone: .utc) == Fixed.day("2028-02-29"))
    }

    @Test(
        "what only looks like a date in passing is refused",
        arguments: [
            "31.2.2026", "13/13", "0/5", "1.2.3.4", "25.12.126", "working days", "0 working days",
            "99999 working days", "1..2", "/5", "1/2/3/4", "next night",
        ])
    func refusedEveryday(text: String) {
        #expect(throws: DatePhraseError.self) {
            try DatePhrase.parse(text, now: Fixed.now, zone: .utc)
        }
    }

    @Test(
        "a date in a list has the clock where there is one, and the year if it is another",
        arguments: [
            (DatePhrase.Width.long, "Sun 22 Nov 09:05, in 27 hours"), (.middle, "Sun 22 Nov 09:05"),
            (.short, "22 Nov 09:05"),
        ])
    func listed(width: DatePhrase.Width, text: String) throws {
        let zone = try Fixed.berlin()
        func listed(_ phrase: String) throws -> String {
            let moment = try DatePhrase.parse(phrase, now: Fixed.now, zone: zone)
            return DatePhrase.listed(moment, now: Fixed.now, zone: zone, width: width)
        }
        #expect(try listed("tomorrow 9:05").hasPrefix(text.split(separator: ",")[0]))
        #expect(try listed("tomorrow 9:05").contains(",") == (width == .long))
        #expect(try listed("2027-03-01").contains("1 Mar 2027"))
        #expect(try !listed("tomorrow").contains("2026"))
    }

    @Test("a time that the clocks skip is echoed as the time it became")
    func skippedTime() throws {
        let zone = try Fixed.berlin()
        let moment = try DatePhrase.parse("2027-03-28 02:30", now: Fixed.now, zone: zone)
        #expect(DatePhrase.absolute(moment, zone: zone) == "Sun 28 Mar 2027 03:30")
    }

    private func check(_ row: PhraseRow) throws {
        let zone = try Fixed.berlin()
        let moment = try DatePhrase.parse(row.text, now: Fixed.now, zone: zone)
        let expected = row.moment(in: zone)
        #expect(
            moment == expected, "\(DatePhrase.describe(moment, now: Fixed.now, zone: zone))")
    }
}
