import Testing
import ToDo

/// The hints for what was typed wrongly; everywhere else tests compare codes.
@Suite("Words of hints")
struct HintWordsTests {
    private static let examples = "try tomorrow, 'fri 17:00', 'in 3 days', 2026-12-24 or eom-2d"

    @Test(
        "what is not understood is refused with something to write instead",
        arguments: [
            ("tomorow", "did you mean 'tomorrow'?"), ("firday 5pm", "did you mean 'friday 5pm'?"),
            ("next", "quote a phrase of several words: \"next …\""),
            ("5m", "write 5min for minutes or 5mo for months"),
            ("1430", "write 14:30 for a time or 1430-01-01 for a day"),
            // No hint proposes what is refused in turn.
            ("2830", "write 2830-01-01 for a day"), ("0060", "write 0060-01-01 for a day"),
            ("last friday of monht", examples), ("last fri of monht", examples),
            ("lsat friday of month", examples),
            ("12/25/126", "write dates as 2026-12-24 or '24 dec'"),
            ("1.2.3.4", "write dates as 2026-12-24 or '24 dec'"),
            ("every friday", "that repeats; a date is one day, such as tomorrow or mon"),
            (
                "1796119200000",
                "a number of that length is no date; seconds since 1970 have 9 to 11 digits"
            ),
            ("blue", examples),
            ("fri 5", examples),
            ("now 5pm", examples),
            ("P", examples),
            ("PT", examples),
            ("P3D2W", examples),
        ])
    func refused(text: String, hint: String) throws {
        let zone = try Fixed.berlin()
        #expect(throws: DatePhraseError.notUnderstood(text, hint: hint)) {
            try DatePhrase.parse(text, now: Fixed.now, zone: zone)
        }
    }

    @Test(
        "a key of another program that means nothing here is refused with what to write",
        arguments: [
            ("blocks:3", "depends:"), ("rec:1w", "repeat:1w! from"), ("rec:+2d", "repeat:2d "),
            ("rec:weekdays", "write repeat:weekdays"), ("rec:3d!", "write repeat:'3d!'"),
            ("rec:1b", "repeat:1w"), ("due:2026-12-03T14:00-15:00", "from -12:00 to +14:00"),
            ("due:2026-12-03T14:00+14:30", "has no end"),
            ("Deadline:fri", "due:"), ("desc:x", "notes:"), ("threshold:fri", "wait:"),
            ("priority:urgent", "use none, low, medium or high"),
            ("due:tomorow", "did you mean 'tomorrow'?"), ("wait:next", "wait:\"next …\""),
            ("start:none", "start: with nothing behind it"), ("due:never", "due: with nothing"),
            ("repeat:none", "repeat: with nothing"),
            // Another word is no slip: none is proposed.
            ("due:soon", Self.examples), ("due:day", Self.examples),
        ])
    func foreignKeys(word: String, hint: String) throws {
        let error = #expect(throws: ToDoWordsError.self) {
            try ToDoWords.parse(
                ["a", word], for: .adding, now: Fixed.now, zone: try Fixed.berlin())
        }
        #expect(error?.description.contains(hint) == true)
    }

    @Test("an option that cannot be read is refused with what was meant")
    func options() {
        var settings = FormatSettings(zone: .utc, now: Fixed.now)
        settings.options = ["map": "Name=titel"]
        let error = #expect(throws: FormatOptionFault.self) { try CSVFormat(settings) }
        #expect(error?.description.contains("did you mean 'title'") == true)
    }

    @Test("a date until which something holds is told if it has passed, and taken all the same")
    func pastDates() throws {
        let zone = try Fixed.berlin()
        func hints(_ words: [String], before old: ToDoItem? = nil) throws -> [ToDoWordHint] {
            var item = ToDoItem(title: "a")
            try ToDoWords.parse(words, now: Fixed.now, zone: zone)
                .change(&item, now: Fixed.now, zone: zone)
            #expect(item.wait != nil || item.until != nil)
            return item.pastHints(before: old, now: Fixed.now, zone: zone)
        }
        let day = "Fri 20 Nov 2026"
        #expect(try hints(["until:yesterday"]) == [.pastDate(.until, day)])
        #expect(
            try hints(["wait:2026-11-20", "until:2026-11-20"])
                == [.pastDate(.wait, day), .pastDate(.until, day)])
        // Today has begun, and is not over.
        #expect(try hints(["wait:today"]).count == 1 && hints(["until:today"]).isEmpty)
        #expect(try hints(["wait:tomorrow", "until:tomorrow"]).isEmpty)
        var old = ToDoItem(title: "a")
        old.until = Fixed.day("2026-11-20")
        #expect(try hints(["until:2026-11-20"], before: old).isEmpty)
    }

    @Test("a date that means someday is told so, and not in years")
    func someday() throws {
        func relative(_ words: String) throws -> String {
            DatePhrase.relative(
                try DatePhrase.parse(words, now: Fixed.now, zone: .utc), now: Fixed.now, zone: .utc)
        }
        #expect(try relative("someday") == "someday" && relative("later") == "someday")
        #expect(try relative("9999-12-31") == "someday")
        #expect(try relative("9998-12-31") == "in about 7972 years")
    }

    @Test(
        "a slip is no new title: a day nearly, a key with an equals sign",
        arguments: [
            (["tmorrow"], ToDoWordsError.nearlyDate("tmorrow", suggestion: "tomorrow")),
            (["firday"], .nearlyDate("firday", suggestion: "friday")),
            (["due=fri"], .equalsSign("due=fri", meant: "due:fri")),
            (["due==fri"], .equalsSign("due==fri", meant: "due:fri")),
            (["Buy", "milk", "project=Home"], .equalsSign("project=Home", meant: "project:Home")),
        ])
    func slips(words: [String], expected: ToDoWordsError) throws {
        let zone = try Fixed.berlin()
        #expect(throws: expected) {
            try ToDoWords.parse(words, for: .editing, now: Fixed.now, zone: zone)
        }
        let plain = try ToDoWords.parse(["--"] + words, for: .editing, now: Fixed.now, zone: zone)
        #expect(plain.title == words.joined(separator: " "))
    }

    @Test("a title of its own stays one, and what is added with an equals sign is told")
    func noSlips() throws {
        let zone = try Fixed.berlin()
        for title in ["Tmorrow", "market", "a=b", "due=", "due==", "x==y", "Holiday", "son"] {
            let words = try ToDoWords.parse([title], for: .editing, now: Fixed.now, zone: zone)
            #expect(words.title == title && words.hints.isEmpty)
        }
        let added = try ToDoWords.parse(["Pay", "due=fri"], now: Fixed.now, zone: zone)
        #expect(added.title == "Pay due=fri")
        #expect(added.hints == [.equalsSign("due=fri", meant: "due:fri")])
    }

    @Test("which day of the month it is is said where the rule leaves it open")
    func monthEnds() {
        var item = ToDoItem(title: "x")
        item.due = Fixed.day("2026-11-30")
        item.repeats = "every month"
        #expect(item.repeatsShown(in: .utc) == "every month, on day 30")
        item.repeatAtMonthEnds(in: .utc)
        #expect(item.repeatsShown(in: .utc) == "every month, on the last day of the month")
    }

    @Test(
        "a date that two people would read differently is refused with both",
        arguments: [
            ("5/6", "'5 jun' or '6 may'"), ("11/12/2026", "'11 dec 2026' or '12 nov 2026'"),
            ("1/2/29", "'1 feb 2029' or '2 jan 2029'"),
        ])
    func ambiguous(text: String, hint: String) throws {
        do {
            _ = try DatePhrase.parse(text, now: Fixed.now, zone: .utc)
            Issue.record("\(text) was read")
        } catch {
            #expect(error.description.contains(hint))
        }
    }

    @Test(
        "with an order such a date is read",
        arguments: [
            ("5/6", "2027-06-05", "2027-05-06"), ("11/12/2026", "2026-12-11", "2026-11-12"),
            ("5.6.", "2027-06-05", "2027-06-05"), ("2027/5/6", "2027-05-06", "2027-05-06"),
        ])
    func ordered(text: String, dayMonth: String, monthDay: String) throws {
        for (order, day) in [(DateOrder.dayMonth, dayMonth), (.monthDay, monthDay)] {
            let read = try DatePhrase.parse(text, now: Fixed.now, zone: .utc, dateOrder: order)
            #expect(read == Fixed.day(day), "\(order.rawValue)")
        }
    }

    @Test(
        "a date that the order says to be none is refused, as in tables, with how to write it",
        arguments: [
            ("13/5", DateOrder.dayMonth, "13 may"), ("5/13", .monthDay, "13 may"),
            ("25/12/2026", .dayMonth, "25 dec 2026"), ("12/25/26", .monthDay, "25 dec 2026"),
        ])
    func otherOrder(text: String, order: DateOrder, meant: String) throws {
        func read(_ text: String, _ order: DateOrder?) throws -> Moment {
            try DatePhrase.parse(text, now: Fixed.now, zone: .utc, dateOrder: order)
        }
        let day = try read(meant, nil)
        #expect(try read(text, order) == day && read(text, nil) == day)
        let other = order == .dayMonth ? DateOrder.monthDay : .dayMonth
        do {
            _ = try read(text, other)
            Issue.record("\(text) was read")
        } catch {
            #expect("\(error)".contains("'\(meant)'"))
        }
    }

    @Test("an order holds for words, filters and forms alike")
    func orderEverywhere() throws {
        let zone = LocalTimeZone.utc
        let words = try ToDoWords.parse(
            ["Pay", "due:5/6"], now: Fixed.now, zone: zone, dateOrder: .monthDay)
        var item = ToDoItem(title: "")
        try words.change(&item, now: Fixed.now, zone: zone)
        #expect(item.due == Fixed.day("2027-05-06"))
        let filter = try ToDoFilter.parse(
            ["due:5/6"], now: Fixed.now, zone: zone, dateOrder: .monthDay)
        #expect(filter.matches(item, now: Fixed.now, zone: zone))
        let form = ToDoForm(item, zone: zone)
        let text = form.text.replacing("2027-05-06", with: "5/6")
        let read = try form.read(text, now: Fixed.now, dateOrder: .dayMonth)
        #expect(read.due == Fixed.day("2027-06-05"))
    }
}
