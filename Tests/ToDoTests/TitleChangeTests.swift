import TestSupport
import Testing
import ToDo

@Suite("Titles and notes that grow")
struct TitleChangeTests {
    private func parse(
        _ words: String..., for purpose: ToDoWords.Purpose = .editing
    ) throws(ToDoWordsError) -> ToDoWords {
        try ToDoWords.parse(words, for: purpose, now: Fixed.now, zone: .utc)
    }

    private func edited(_ item: ToDoItem, _ words: String...) throws -> ToDoItem {
        let world = try ToDoWorld(zone: .utc)
        let todos = world.todos(try world.store("laptop"))
        var item = item
        try todos.apply(
            try ToDoWords.parse(words, for: .editing, now: Fixed.now, zone: .utc), to: &item,
            parent: nil)
        return item
    }

    @Test("words behind or in front of a title leave it")
    func additions() throws {
        #expect(TitleChange.append.applied("and bread", to: "Buy milk") == "Buy milk and bread")
        #expect(TitleChange.prepend.applied("Soon:", to: "Buy milk") == "Soon: Buy milk")
        #expect(TitleChange.append.applied("milk", to: "") == "milk")
        let words = try parse("and", "bread", "+errand", "due:2027-01-01", for: .appending)
        #expect(words.title == "and bread")
        #expect(words.titleChange == .append)
        #expect(words.assignments.count == 2)
    }

    @Test(
        "a substitution changes the title, else the notes; as a shell parts it too",
        arguments: [
            (["/oat/soy/"], "Buy soy milk, oat"), (["/oat/soy/g"], "Buy soy milk, soy"),
            (["/oat", "milk/soy", "drink/"], "Buy soy drink, oat"), (["/oat //"], "Buy milk, oat"),
            ([#"/milk/milk\/cream/"#], "Buy oat milk/cream, oat"),
        ])
    func substitution(words: [String], title: String) throws {
        let parsed = try ToDoWords.parse(words, for: .editing, now: Fixed.now, zone: .utc)
        #expect(parsed.title == nil)
        var item = ToDoItem(title: "Buy oat milk, oat")
        try #require(parsed.substitution).apply(to: &item)
        #expect(item.title == title)
    }

    @Test("what a title lacks is replaced in the notes; what both lack is not found")
    func notes() throws {
        var item = ToDoItem(title: "Call")
        item.notes = "ask Anna\nor Ann"
        #expect(try edited(item, "/Anna/Bob/").notes == "ask Bob\nor Ann")
        #expect(try edited(item, "/Anna/Bob/").title == "Call")
        let missing = try #require(try parse("/Carl/Bob/").substitution)
        #expect(!missing.isFound(in: item))
    }

    @Test(
        "slashes that are no substitution are a title where it is said, and else destroy none",
        arguments: [["/etc/hosts", "again"], ["/usr"], ["//"], ["//a/"], ["/a/b/x"], ["a/b/c"]])
    func paths(words: [String]) throws {
        func title(_ words: [String], _ purpose: ToDoWords.Purpose) throws -> String? {
            let parsed = try ToDoWords.parse(words, for: purpose, now: Fixed.now, zone: .utc)
            #expect(parsed.substitution == nil)
            return parsed.title
        }
        let text = words.joined(separator: " ")
        #expect(try title(["--"] + words, .editing) == text)
        #expect(try title(words, .adding) == text)
        if words[0].hasPrefix("/") {
            #expect(throws: ToDoWordsError.halfSubstitution(words[0])) {
                try title(words, .editing)
            }
        } else {
            #expect(try title(words, .editing) == text)
        }
    }

    @Test("notes+: adds a line, annotate a line with its time behind all others")
    func lines() throws {
        var item = ToDoItem(title: "Call")
        item = try edited(item, "notes+:first", "line")
        #expect(item.notes == "first line")
        item = try edited(item, "notes+:second")
        #expect(item.notes == "first line\nsecond")
        item.apply(.annotate("Anna called"), now: 1_795_000_000_000)
        item.apply(.annotate("and again"), now: 1_795_000_060_000)
        #expect(
            item.notes
                == "first line\nsecond\n\n[2026-11-18T11:06:40Z] Anna called\n[2026-11-18T11:07:40Z] and again"
        )
    }

    @Test(
        "a date is counted from another one of the to-do, or from itself",
        arguments: [
            ("due:due+1d", "2026-12-05"), ("due:due+2w", "2026-12-18"),
            ("due:due-1mo", "2026-11-04"),
            ("due:wait+3days", "2026-12-04"), ("due:wait", "2026-12-01"),
        ])
    func counted(word: String, due: String) throws {
        var item = ToDoItem(title: "a")
        item.due = Fixed.day("2026-12-04")
        item.wait = Fixed.day("2026-12-01")
        #expect(try edited(item, word).due == Fixed.day(due))
    }

    @Test("dates are counted after those that the same words set, and not from one that is missing")
    func countedFrom() throws {
        var item = ToDoItem(title: "a")
        item = try edited(item, "wait:due-2d", "due:2026-12-04")
        #expect(item.wait == Fixed.day("2026-12-02"))
        #expect(throws: ToDoWordsError.missingDate("scheduled")) {
            try edited(item, "due:scheduled+1d")
        }
        #expect(throws: ToDoWordsError.self) { try edited(item, "due:due+9000y") }
    }

    @Test(
        "words that were meant as a command or a date never become the title",
        arguments: [
            ["done"], ["start"], ["append", "and", "bread"], ["annotate", "x"], ["monday"],
            ["tomorrow", "17:00"], ["modify", "due"],
        ])
    func kept(words: [String]) {
        #expect(throws: ToDoWordsError.self) {
            try ToDoWords.parse(words, for: .editing, now: Fixed.now, zone: .utc)
        }
    }

    @Test("the same words behind -- and longer ones are a title")
    func titles() throws {
        #expect(try parse("--", "done").title == "done")
        #expect(try parse("start", "the", "car").title == "start the car")
        #expect(try parse("monday", "plans").title == "monday plans")
    }

    @Test(
        "a date at the end of a new title is told and not guessed",
        arguments: [
            ("Buy milk tomorrow 5pm", "tomorrow 5pm"), ("Buy milk friday", "friday"),
            ("Call Anna 2026-12-24", "2026-12-24"), ("Pay 25.12.2026", "25.12.2026"),
            ("Pay 12/25", "12/25"), ("Pay 12/25/2026 17:00", "12/25/2026 17:00"),
            ("Read 1/2/3/4", nil), ("Version 1.2", nil), ("Mix 45/60", nil), ("Read 1984", nil),
            ("Buy milk", nil), ("friday", nil),
        ])
    func dates(title: String, date: String?) throws {
        let words = title.split(separator: " ").map { String($0) }
        let parsed = try ToDoWords.parse(words, for: .adding, now: Fixed.now, zone: .utc)
        #expect(parsed.title == title)
        #expect(parsed.hints == (date.map { [.dateAtEnd($0)] } ?? []))
        let dated = try ToDoWords.parse(
            words + ["due:sat"], for: .adding, now: Fixed.now, zone: .utc)
        #expect(dated.hints == [])
    }

    @Test(
        "a sign, or the value of a key, never becomes the title; quoted behind title: it does",
        arguments: [
            ["+"], ["-"], ["++"], ["!"], [":"], ["+😀"], ["+(x)"], ["+tag,"], ["+a:b"], ["+49"],
            ["10%"], ["3.5"], ["last"], ["Next"], ["all"], ["high"], ["pending"], ["weekly"],
            ["each", "monday"], ["+49", "30", "1234"],
        ])
    func signs(words: [String]) throws {
        let text = words.joined(separator: " ")
        for typed in [words, [text], words + ["due:fri"]] {
            do throws(ToDoWordsError) {
                _ = try ToDoWords.parse(typed, for: .editing, now: Fixed.now, zone: .utc)
                Issue.record("\(typed) became the title")
            } catch {
                guard case .unlikelyTitle(text, _) = error else { throw error }
                #expect("\(error)".contains("title:'\(text)'"))
            }
        }
        #expect(try parse("title:\(text)").assignments == [.title(text)])
        #expect(try parse("--", text).title == text)
    }

    @Test(
        "a time, a date in digits and a substitution of other programs never become the title",
        arguments: [
            "12:30", "2026-12-24", "12/25", "5/6", "25.12.", "s/item/x/", "s/oat milk/soy/g",
        ])
    func digits(word: String) {
        #expect(throws: ToDoWordsError.self) { try parse(word) }
    }

    @Test("what has a word in it may well be a title")
    func likelyTitles() throws {
        for title in [
            "Buy +1", "C++", "s/he", "Last call", "All hands", "high tea", "Weekly report", "😀",
            "牛乳", "every day carry", "Every week", "Weekly", "4 eggs", "R&D",
        ] {
            #expect(try parse(title).title == title)
        }
    }

    @Test("a value that goes on behind a key for another to-do is no title")
    func longerNames() throws {
        for key in ["depends", "parent"] {
            #expect(throws: ToDoWordsError.newTitle(key: key, value: "Paint", rest: "fence")) {
                try parse("\(key):Paint", "fence")
            }
            #expect(try parse("\(key):3", "fence").title == "fence")
        }
    }

    @Test(
        "a date at the other end, an hour without minutes and a repetition are told too",
        arguments: [
            ("Pay 25.12.", ToDoWordHint.dateAtEnd("25.12.")),
            ("Buy milk tomorrow at 5", .bareHour("tomorrow at 5", day: "tomorrow", hour: "5")),
            ("tomorrow buy milk", .dateAtStart("tomorrow")), ("fri pay", .dateAtStart("fri")),
            ("2026-12-24 pay", .dateAtStart("2026-12-24")),
            ("next week call Anna", .dateAtStart("next week")),
            ("25 dec pay", .dateAtStart("25 dec")), ("pay rent weekly", .repetitionAtEnd("weekly")),
            ("pay every monday", .repetitionAtEnd("every monday")),
            ("may call Anna", nil), ("2 weeks trip plan", nil), ("1/2 cup", nil), ("weekly", nil),
            ("Meet at 5", nil), ("Visit family", nil),
        ])
    func moreDates(title: String, hint: ToDoWordHint?) throws {
        let words = title.split(separator: " ").map { String($0) }
        for typed in [words, [title]] {
            let parsed = try ToDoWords.parse(typed, for: .adding, now: Fixed.now, zone: .utc)
            #expect(parsed.title == title && parsed.hints == (hint.map { [$0] } ?? []))
        }
        #expect(try parse("--", title).hints == [])
    }

    @Test("a date in a title that an edit gives, or at the end that it adds, is told")
    func datesOfEdits() throws {
        #expect(try parse("pay", "tomorrow").hints == [.dateAtEnd("tomorrow")])
        #expect(try parse("tomorrow", for: .appending).hints == [.dateAtEnd("tomorrow")])
        #expect(try parse("weekly", for: .appending).hints == [.repetitionAtEnd("weekly")])
        #expect(try parse("fri", for: .prepending).hints == [.dateAtStart("fri")])
        #expect(try parse("call", "fri", for: .prepending).hints == [])
        #expect(try parse("fri", "call", for: .appending).hints == [])
        #expect(try parse("pay", "weekly", "repeat:daily").hints == [])
    }
}
