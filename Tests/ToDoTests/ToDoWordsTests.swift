import Testing
import ToDo

@Suite("Words of add and edit")
struct ToDoWordsTests {
    private func parse(
        _ words: [String], for purpose: ToDoWords.Purpose = .adding
    ) throws -> ToDoWords {
        try ToDoWords.parse(words, for: purpose, now: Fixed.now, zone: try Fixed.berlin())
    }

    @Test("free words are the title, keys and tags are changes")
    func capture() throws {
        let words = try parse([
            "Buy", "milk", "project:Home.shop", "+errand", "due:tomorrow", "pri:H", "x.size:5",
            "people:Ann, Bob", "wait:2h", "note:two  spaces",
        ])
        #expect(words.title == "Buy milk")
        #expect(
            words.assignments == [
                .project("Home.shop"), .addTag("errand"), .date(.due, Fixed.day("2026-11-22")),
                .priority(.high), .custom("size", .int(5)), .people(["Ann", "Bob"]),
                .date(.wait, .instant(Fixed.now + 7_200_000)), .notes("two  spaces"),
            ])
    }

    @Test("a phrase of several words is one quoted argument")
    func quoted() throws {
        let words = try parse(["Call  Bob now", "due:next friday 17:00"])
        #expect(words.title == "Call Bob now")
        let instant = Fixed.instant("2026-11-27", 17, in: try Fixed.berlin())
        #expect(words.assignments == [.date(.due, .instant(instant))])
    }

    @Test("an empty value clears")
    func clear() throws {
        let words = try parse(
            ["due:", "notes:", "project:", "x.size:", "tags:", "people:", "priority:", "-home"],
            for: .editing)
        #expect(
            words.assignments == [
                .date(.due, nil), .notes(""), .project(""), .custom("size", nil), .tags([]),
                .people([]), .priority(.none), .removeTag("home"),
            ])
        #expect(words.title == nil)
    }

    @Test("a year is a tag, or begins one")
    func years() throws {
        let words = try parse(["Report", "+2027", "+2026,2028-q1"])
        #expect(words.title == "Report")
        #expect(
            words.assignments == [.addTag("2027"), .addTag("2026"), .addTag("2028-q1")])
        #expect(
            try parse(["-2027"], for: .editing).assignments == [.removeTag("2027")])
        #expect(
            try ToDoFilter.parse(["+2027", "-2028"], now: Fixed.now, zone: .utc).conditions
                == [.tag("2027"), .not(.tag("2028"))])
    }

    @Test("digits with a letter right behind them begin a tag; an amount is none")
    func tagsWithDigits() throws {
        let words = try parse(["Fix", "+2fa", "login", "+1on1,5km", "+2nd"])
        #expect(words.title == "Fix login")
        #expect(
            words.assignments
                == ["2fa", "1on1", "5km", "2nd"].map { ToDoAssignment.addTag($0) })
        #expect(try parse(["-2fa"], for: .editing).assignments == [.removeTag("2fa")])
        #expect(
            try ToDoFilter.parse(["+2fa", "-5km"], now: Fixed.now, zone: .utc).conditions
                == [.tag("2fa"), .not(.tag("5km"))])
        for amount in ["+20%", "+1,5", "+1.5h", "+3-4", "+5€"] {
            #expect(try parse(["a", amount]).title == "a " + amount)
        }
        for nearly in ["+2fa:", "+😀"] {
            #expect(try parse(["a", nearly]).hints == [.unreadTag(nearly)])
        }
    }

    @Test(
        "what only looks like a key or a tag stays in the title",
        arguments: [
            "http://x", "https://example.com/a?b:c", "12:30", "Note:", "TODO:fix", "re:view",
            "note://x", "c++", "+49", "+1", "-1", "+493012345", "+1000", "+20270101", "-", "+",
            "a:b:c", "ratio:3", "example.com:80",
            "::", ":x", "x.:y", "über:x", "-tag", "Due:", "Note: call", "NOTE: call Anna",
            "Start: at the beginning", "Dude:", "HTTP://x", "Https://x/due:fri", "Fwd:offer",
            "10:30", "C:windows",
        ])
    func plain(word: String) throws {
        let words = try parse(["see", word])
        #expect(words.title == "see \(word)")
        #expect(words.assignments.isEmpty)
    }

    @Test("after -- everything is title")
    func literal() throws {
        let words = try parse(["+a", "--", "due:tomorrow", "+b", "--", "projcet:x"])
        #expect(words.title == "due:tomorrow +b -- projcet:x")
        #expect(words.assignments == [.addTag("a")])
    }

    @Test(
        "a key that is nearly right is refused with the right one",
        arguments: [
            ("projcet:x", "project"), ("proejct:", "project"), ("deu:fri", "due"),
            ("du:fri", "due"), ("schedule:mon", "scheduled"), ("prority:high", "priority"),
            ("tgas:x", "tags"), ("peple:x", "people"), ("satus:done", "status"),
        ])
    func misspelt(word: String, suggestion: String) throws {
        let name = String(word.prefix { $0 != ":" })
        #expect(throws: ToDoWordsError.misspeltKey(name, suggestion: suggestion)) {
            try parse(["a", word])
        }
    }

    @Test("a key is known in any case, if something stands right behind its colon")
    func otherCase() throws {
        let words = try parse([
            "Buy", "milk", "Due:tomorrow", "PRI:H", "Project:Home", "NOTES:two", "X.size:5",
            "Status:Done", "TAGS:a,B",
        ])
        #expect(words.title == "Buy milk")
        #expect(
            words.assignments == [
                .date(.due, Fixed.day("2026-11-22")), .priority(.high), .project("Home"),
                .notes("two"), .custom("size", .int(5)), .status(.completed), .tags(["a", "B"]),
            ])
        #expect(try parse(["Note:", "call", "Anna"]).title == "Note: call Anna")
        #expect(try parse(["Note:", "call"], for: .editing).title == "Note: call")
    }

    @Test(
        "a key of another case that is nearly right is refused too",
        arguments: [("Projcet:x", "project"), ("DEU:fri", "due"), ("Tgas:x", "tags")])
    func misspeltInOtherCase(word: String, suggestion: String) throws {
        let name = String(word.prefix { $0 != ":" })
        for purpose in [ToDoWords.Purpose.adding, .editing] {
            #expect(throws: ToDoWordsError.misspeltKey(name, suggestion: suggestion)) {
                try parse(["a", word], for: purpose)
            }
        }
    }

    @Test("a whole title is not replaced by what may be a key in another case")
    func lostTitles() throws {
        #expect(throws: ToDoWordsError.misspeltKey("Due", suggestion: "due")) {
            try parse(["Due:"], for: .editing)
        }
        #expect(throws: ToDoWordsError.unknownKey("Bogus")) {
            try parse(["Bogus:Home"], for: .editing)
        }
        #expect(throws: ToDoWordsError.misspeltKey("proj", suggestion: "project")) {
            try parse(["proj:"], for: .editing)
        }
        #expect(try parse(["Re:Offer", "of", "Ann"], for: .editing).title == "Re:Offer of Ann")
        #expect(try parse(["--", "Due:"], for: .editing).title == "Due:")
        #expect(try parse(["Bogus:Home"]).title == "Bogus:Home")
        #expect(try parse(["Re:Offer of Ann"], for: .editing).title == "Re:Offer of Ann")
        #expect(try parse(["fix: the Door"], for: .editing).title == "fix: the Door")
        #expect(throws: ToDoWordsError.unknownKey("bogus")) {
            try parse(["bogus:Home", "and", "more"], for: .editing)
        }
    }

    @Test("what people shorten a key to is the key, if something stands right behind its colon")
    func abbreviated() throws {
        let words = try parse([
            "Buy", "milk", "proj:Home", "prio:H", "sched:tomorrow", "t:2h", "loc:Shop",
        ])
        #expect(words.title == "Buy milk")
        #expect(
            words.assignments == [
                .project("Home"), .priority(.high), .date(.scheduled, Fixed.day("2026-11-22")),
                .date(.wait, .instant(Fixed.now + 7_200_000)), .location("Shop"),
            ])
        #expect(try parse(["Pro:Home", "x"]).assignments == [.project("Home")])
        let prose = try parse(["Write", "pro:", "and", "contra:", "t: and t://x"])
        #expect(prose.title == "Write pro: and contra: t: and t://x")
        #expect(prose.assignments.isEmpty && prose.hints.isEmpty)
    }

    @Test(
        "a key of another program that means nothing here is refused with what to write",
        arguments: [
            "blocks:3", "rec:1w", "Deadline:fri", "desc:x", "snooze:9am", "tags+:baz",
            "project+:Work", "tags-:errand",
        ])
    func foreign(word: String) throws {
        for purpose in [ToDoWords.Purpose.adding, .editing] {
            let error = #expect(throws: ToDoWordsError.self) {
                try parse(["a", word], for: purpose)
            }
            guard case .foreignKey? = error else {
                Issue.record("\(error as Any)")
                continue
            }
        }
        let name = word.prefix { $0 != ":" }
        #expect(try parse(["see", "\(name):", "more"]).title == "see \(name): more")
        #expect(try parse(["\(name): more"]).title == "\(name): more")
        #expect(try parse(["--", word]).title == word)
    }

    @Test("what stays in the title and may have been meant otherwise is told")
    func hints() throws {
        #expect(
            try parse(["x", "list:Home"]).hints == [.unknownKey("list", word: "list:Home")])
        #expect(
            try parse(["Buy milk proj:Home +errand due: now"]).hints
                == [.quoted(words: ["proj:Home", "+errand"])])
        let plain = [
            "https://example.org/a:b", "mailto:ann@example.org", "10:30",
            "see https://x/due:fri at 9:30",
            "Note: call", "C:windows", "Re:Offer", "TODO:fix", "ratio:", "1 +1",
        ]
        #expect(try parse(plain).hints == [])
        #expect(try parse(["--", "list:Home", "a due:fri"]).hints == [])
    }

    @Test(
        "a key with one value is refused where it stands twice; dependencies and reminders add up")
    func repeatedKeys() throws {
        for words in [
            ["due:fri", "due:sat"], ["project:a", "proj:b"], ["x.a:1", "x.a:2"],
            ["repeat:weekly", "a", "repeat:daily"], ["parent:1", "parent:2"],
            ["pri:H", "priority:L"],
        ] {
            #expect(throws: ToDoWordsError.self, "\(words)") { try parse(["t"] + words) }
            #expect(throws: ToDoWordsError.self, "\(words)") { try parse(words, for: .editing) }
        }
        #expect(
            try parse(["t", "depends:1", "depends:2,3"]).depends.map(\.change) == [.replace, .add])
        for words in [
            ["tags:a", "tags:b"], ["remind:-1h", "remind:-2h"], ["due:fri", "wait:thu"],
            ["people:a", "people:b"], ["due:fri", "--", "due:sat"],
        ] {
            _ = try parse(["t"] + words)
        }
    }

    @Test("the end of a series that stands outside of its quotes is told")
    func endOfSeries() throws {
        for (word, rest) in [("5", "times"), ("until", "2026-12-31"), ("for", "5 weeks")] {
            #expect(
                try parse(["Foo", "repeat:weekly", word, rest]).hints.contains(
                    .endBehind(key: "repeat", value: "weekly", word: word)))
        }
        for words in [["Foo", "repeat:weekly", "eggs"], ["5", "eggs", "repeat:weekly"]] {
            #expect(try parse(words).hints == [])
        }
    }

    @Test("a letter behind a hyphen in front of a new title is told: options have no short names")
    func shortOption() throws {
        #expect(try parse(["-t", "foo"]).hints == [.shortOption("-t")])
        #expect(try parse(["-t", "foo", "bar"]).title == "-t foo bar")
        #expect(try parse(["-t", "foo", "bar"]).hints.count == 1)
        #expect(try parse(["-t", "+home"]).hints == [.shortOption("-t")])
        for plain in [["-t"], ["foo", "-t", "bar"], ["--", "-5", "degrees"], ["-5", "degrees"]] {
            #expect(try parse(plain).hints == [])
        }
    }

    @Test("the first letter of a key is told as what it may have been meant for")
    func letterKey() throws {
        let words = try parse(["Review", "p:Work"])
        #expect(words.title == "Review p:Work")
        #expect(words.hints == [.letterKey("p", word: "p:Work", meant: "project")])
        #expect(words.hints[0].description.hasSuffix("did you mean project:Work?"))
        #expect(try parse(["Copy", "c:dir", "P:x", "p:", "x"]).hints == [])
    }

    @Test("a time behind a day is told when adding, and is no new title when editing")
    func timeBehindADay() throws {
        #expect(
            try parse(["Call", "due:fri", "17:00"]).hints
                == [.timeBehind(key: "due", value: "fri", time: "17:00")])
        for (words, time) in [
            (["at", "9:30"], "at 9:30"), (["At", "noon"], "At noon"),
            (["at", "9", "am"], "at 9 am"),
            (["9", "am"], "9 am"),
        ] {
            for key in ["due", "wait", "remind"] {
                #expect(
                    try parse(["Call", "\(key):fri"] + words).hints
                        == [.timeBehind(key: key, value: "fri", time: time)], "\(key) \(words)")
            }
        }
        for rest in [[], ["+x"], ["Ann"]] {
            #expect(
                try parse(["Call", "due:fri", "at", "9"] + rest).hints
                    == [.bareHour("at 9", day: "fri", hour: "9")])
        }
        for plain in [
            ["due:fri", "at", "home"], ["wait:fri", "at", "9"], ["due:fri 8:00", "at", "9"],
            ["due:fri", "+x", "at", "x"], ["due:fri", "at", "30"],
        ] {
            #expect(try parse(plain).hints == [], "\(plain)")
        }
        for plain in [["due:fri", "2", "eggs"], ["due:fri", "eggs"]] {
            #expect(try parse(plain).hints == [])
            #expect(try parse(plain, for: .editing).title != nil)
        }
        #expect(try parse(["due:2h", "17:00"]).hints == [])
        #expect(throws: ToDoWordsError.newTitle(key: "due", value: "fri", rest: "17:00")) {
            try parse(["due:fri", "17:00"], for: .editing)
        }
        #expect(try parse(["due:fri", "--", "17:00"], for: .editing).title == "17:00")
        #expect(throws: ToDoWordsError.newTitle(key: "title", value: "Call", rest: "Ann")) {
            try parse(["title:Call", "Ann"], for: .editing)
        }
    }

    @Test("a value that a key does not take is refused with those it takes")
    func badValues() throws {
        let value = #expect(throws: ToDoWordsError.self) { try parse(["priority:urgent"]) }
        guard case .badValue("priority", "urgent", _)? = value else {
            Issue.record("\(value as Any)")
            return
        }
        let date = #expect(throws: ToDoWordsError.self) { try parse(["due:tomorow"]) }
        guard case .badDate("due", .notUnderstood("tomorow", _))? = date else {
            Issue.record("\(date as Any)")
            return
        }
        for word in ["status:maybe", "title:", "completed:today", "due.before:fri"] {
            #expect(throws: ToDoWordsError.self) { try parse([word]) }
        }
    }

    @Test(
        "a custom value takes a type only if it reads back the same",
        arguments: [
            ("42", CustomValue.int(42)), ("-7", .int(-7)), ("2.5", .double(2.5)),
            ("true", .bool(true)), ("007", .text("007")), ("+49", .text("+49")),
            ("1.50", .text("1.50")), ("1e3", .text("1e3")), ("nan", .text("nan")),
            ("99999999999999999999", .text("99999999999999999999")), ("True", .text("True")),
        ])
    func customTypes(text: String, value: CustomValue) throws {
        #expect(try parse(["x.a.b:\(text)"]).assignments == [.custom("a.b", value)])
        #expect(value.displayText == text)
    }

    @Test("changes reach the item; a new status notes its time once")
    func apply() throws {
        var item = ToDoItem(title: "a")
        for assignment in try parse(["+b", "+a", "+b", "status:done", "due:today"]).assignments {
            item.apply(assignment, now: 5)
        }
        item.apply(.status(.completed), now: 9)
        #expect(item.tags == ["a", "b"])
        #expect(item.completed == 5)
        #expect(item.due == Fixed.day("2026-11-21"))
        item.apply(.status(.pending), now: 10)
        #expect(item.completed == nil)
    }

    @Test(
        "an unknown key that would replace a whole title is refused",
        arguments: ["list:Home", "bogus:x"])
    func unknownKeyInEdit(word: String) throws {
        let zone = try Fixed.berlin()
        let key = String(word.prefix { $0 != ":" })
        #expect(throws: ToDoWordsError.unknownKey(key)) {
            _ = try ToDoWords.parse([word], for: .editing, now: Fixed.now, zone: zone)
        }
        let kept = try ToDoWords.parse(["--", word], for: .editing, now: Fixed.now, zone: zone)
        #expect(kept.title == word)
        let inside = try ToDoWords.parse(["see", word], for: .editing, now: Fixed.now, zone: zone)
        #expect(inside.title == "see \(word)")
    }
}
