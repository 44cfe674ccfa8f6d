import Testing
import ToDo

@Suite("Plain words behind a key")
struct WordsBehindKeysTests {
    private func parse(
        _ words: [String], for purpose: ToDoWords.Purpose = .adding
    ) throws -> ToDoWords {
        try ToDoWords.parse(words, for: purpose, now: Fixed.now, zone: try Fixed.berlin())
    }

    @Test(
        "behind notes: they are notes, up to the next key, tag or --",
        arguments: [ToDoWords.Purpose.adding, .editing])
    func notesRunOn(purpose: ToDoWords.Purpose) throws {
        let words = try parse(["notes:hello", "there", "at", "12:30"], for: purpose)
        #expect(words.title == nil)
        #expect(words.assignments == [.notes("hello there at 12:30")])
        let between = try parse(
            ["Buy", "milk", "note:oats,", "a:b", "project:Home", "notes+:", "or", "soy", "+shop"],
            for: purpose)
        #expect(between.title == "Buy milk")
        #expect(
            between.assignments == [
                .notes("oats, a:b"), .project("Home"), .addToNotes("or soy"), .addTag("shop"),
            ])
        #expect(between.hints.isEmpty)
        #expect(
            try parse(["notes:see", "below", "--", "Call", "Ann"], for: purpose).title
                == "Call Ann")
    }

    @Test("behind notes that were quoted they are the title")
    func quotedNotes() throws {
        let words = try parse(["notes:the green one", "Buy", "milk"])
        #expect(words.title == "Buy milk")
        #expect(words.assignments == [.notes("the green one")])
        #expect(
            try parse(["notes:the green one", "Buy"], for: .editing).title == "Buy")
    }

    @Test(
        "behind a key whose text may go on, or that is empty, they are no new title",
        arguments: [
            ("project", "Home"), ("location", "Main"), ("people", "Ann"), ("tags", "a"),
            ("x.size", "XL"), ("repeat", "weekly"), ("due", ""), ("project", ""),
        ])
    func noNewTitle(key: String, value: String) throws {
        do throws(ToDoWordsError) {
            _ = try ToDoWords.parse(
                ["\(key):\(value)", "street"], for: .editing, now: Fixed.now,
                zone: LocalTimeZone.utc)
            Issue.record("it became the title")
        } catch {
            #expect(error == .newTitle(key: key, value: value, rest: "street"))
        }
        #expect(try parse(["Go", "\(key):\(value)"], for: .editing).title == "Go")
        #expect(try parse(["New", "\(key):\(value)", "title"], for: .editing).title == "New title")
        #expect(
            try parse(["\(key):\(value)", "--", "New", "title"], for: .editing).title
                == "New title")
        #expect(try parse(["\(key):\(value)", "street"]).title == "street")
    }

    @Test("behind what cannot go on they are the new title")
    func newTitle() throws {
        for key in ["due:friday", "priority:H", "+errand", "-errand", "location:Main street"] {
            #expect(try parse([key, "Buy", "oats"], for: .editing).title == "Buy oats")
        }
        #expect(try parse(["project:Home", "Buy oats"], for: .editing).title == "Buy oats")
        #expect(throws: ToDoWordsError.newTitle(key: "due", value: "", rest: "next friday")) {
            try parse(["due:", "next friday"], for: .editing)
        }
    }

    @Test("a key with nothing behind it, before a word, is told when adding")
    func emptyKey() throws {
        let words = try parse(["Call", "Bob", "due:", "friday", "project:"])
        #expect(words.title == "Call Bob friday")
        #expect(words.hints == [.emptyKey("due", next: "friday")])
        #expect(words.hints.first?.description.contains("due:friday") == true)
    }

    @Test("a due date that is named as the end of a month is known as that")
    func monthEnd() throws {
        for due in ["eom", "EOM 17:00", "eonm", "eoq", "end of month", "end of next year"] {
            #expect(try parse(["x", "due:\(due)"]).isDueAtMonthEnd, "\(due)")
        }
        // Sunday 29 November, and the last day of that month, by other names.
        for due in ["eom-2d", "eow", "2026-11-30", "monday", "tomorrow"] {
            #expect(try !parse(["x", "due:\(due)"]).isDueAtMonthEnd, "\(due)")
        }
        #expect(try !parse(["x", "wait:eom"]).isDueAtMonthEnd)
    }

    @Test("tags may be parted by commas; what is nearly a tag is text and told")
    func tags() throws {
        #expect(
            try parse(["x", "+a,b", "tags:c,d"]).assignments
                == [.tags(["a", "b", "c", "d"])])
        #expect(
            try parse(["-a,b_1", "+_c"], for: .editing).assignments
                == [.removeTag("a"), .removeTag("b_1"), .addTag("_c")])
        for word in ["+a,", "+a,,b", "+a:b", "+a,1", "+a,b c"] {
            let words = try parse(["see", word])
            #expect(words.title == "see \(word)")
            #expect(words.assignments.isEmpty)
            if !word.contains(" ") { #expect(words.hints == [.unreadTag(word)]) }
        }
        let filter = try ToDoFilter.parse(
            ["+a,OVERDUE", "-b,c"], now: Fixed.now, zone: .utc)
        #expect(
            filter.conditions
                == [.tag("a"), .virtual(.overdue), .not(.tag("b")), .not(.tag("c"))])
    }
}
