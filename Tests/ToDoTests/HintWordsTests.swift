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
            ("next", "quote a phrase of several words: \"due:next …\""),
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
            ("depends:3", "parent:NUMBER"), ("dep:3", "parent:NUMBER"), ("rec:1w", "repeat:1w"),
            ("Deadline:fri", "due:"), ("desc:x", "notes:"), ("threshold:fri", "wait:"),
            ("priority:urgent", "use none, low, medium or high"),
            ("due:tomorow", "did you mean 'tomorrow'?"),
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
        arguments: [("5/6", "'5 jun' or '6 may'"), ("11/12/2026", "'11 dec' or '12 nov'")])
    func ambiguous(text: String, hint: String) throws {
        do {
            _ = try DatePhrase.parse(text, now: Fixed.now, zone: .utc)
            Issue.record("\(text) was read")
        } catch {
            #expect(error.description.contains(hint))
        }
    }
}
