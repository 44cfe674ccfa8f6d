import Testing
import ToDo

@Suite("Words that go on with a date")
struct WordsBehindDateTests {
    private func parse(
        _ line: String, for purpose: ToDoWords.Purpose = .adding
    ) throws(ToDoWordsError) -> ToDoWords {
        let words = line.split(separator: " ").map { String($0) }
        return try ToDoWords.parse(words, for: purpose, now: Fixed.now, zone: .utc)
    }

    @Test(
        "a date, a span or a reminder in several words is refused with the quotes to type",
        arguments: [
            ("due:2 weeks", "due:\"2 weeks\""), ("wait:3 months", "wait:\"3 months\""),
            ("until:3 months", "until:\"3 months\""), ("remind:2 days", "remind:\"2 days\""),
            ("due:25 jan", "due:\"25 jan\""), ("due:1 june", "due:\"1 june\""),
            ("due:15th january", "due:\"15th january\""),
            ("due:15 january 2027", "due:\"15 january 2027\""),
            ("due:fri next week", "due:\"fri next week\""),
            ("due:17:00 tomorrow", "due:\"17:00 tomorrow\""),
            ("due:eom - 2d", "due:\"eom - 2d\""), ("due:fri +2d", "due:\"fri +2d\""),
            ("due:2 hours", "due:\"2 hours\""), ("except:24 dec", "except:\"24 dec\""),
            ("except:2026-12-08,24 dec", "except:\"2026-12-08,24 dec\""),
            ("remind:2h before due", "remind:\"2h before due\""),
            ("remind:-1d,2h before", "remind:\"-1d,2h before\""),
            ("repeat:yearly on the 4th thu", "repeat:\"yearly on the 4th thu\""),
            ("wait:next week", "wait:\"next week\""), ("due:in 3 days", "due:\"in 3 days\""),
            ("due:end of month", "due:\"end of month\""),
            ("repeat:every 2 weeks", "repeat:\"every 2 weeks\""),
        ])
    func goesOn(words: String, typed: String) throws {
        for (line, purpose) in [
            ("Rent \(words)", ToDoWords.Purpose.adding), (words, .adding), (words, .editing),
            ("Rent \(words) more", .editing), (words, .appending),
        ] {
            let error = #expect(throws: ToDoWordsError.self, "\(line)") {
                try parse(line, for: purpose)
            }
            #expect(error?.description.contains(typed) == true, "\(line): \(error as Any)")
        }
        // The words that are told are read.
        let (key, value) = (typed.prefix { $0 != ":" }, typed.split(separator: "\"")[1])
        _ = try ToDoWords.parse(
            ["Rent", "\(key):\(value)"], now: Fixed.now, zone: .utc)
    }

    @Test(
        "a title behind a date stays one",
        arguments: [
            ("due:fri Buy bread", "Buy bread"), ("due:fri 5 apples", "5 apples"),
            ("due:2 -- weeks", "weeks"), ("due:tomorrow next steps", "next steps"),
            ("due:25 cakes", "cakes"), ("due:fri , bread", ", bread"),
            ("wait:2d +home Paint", "Paint"),
            ("repeat:weekly Wash", "Wash"),
        ])
    func titles(line: String, title: String) throws {
        #expect(try parse(line).title == title)
    }

    @Test("a time of day behind a date is told in a new to-do, and refused as a new title")
    func times() throws {
        for (line, text) in [
            ("due:tomorrow at 9:30", "at 9:30"), ("due:friday 5 pm", "5 pm"),
            ("due:tonight 9pm", "9pm"), ("due:15 17:00", "17:00"), ("wait:3d noon", "noon"),
        ] {
            let words = try parse("Call " + line)
            #expect(words.title == "Call " + text)
            let key = String(line.prefix { $0 != ":" })
            let value = String(line.dropFirst(key.count + 1).prefix { $0 != " " })
            #expect(words.hints == [.timeBehind(key: key, value: value, time: text)])
            #expect(throws: ToDoWordsError.newTitle(key: key, value: value, rest: text)) {
                try parse(line + " and more", for: .editing)
            }
        }
        #expect(throws: ToDoWordsError.unlikelyTitle("at 9", meant: "due:\"friday 9pm\"")) {
            try parse("due:friday at 9", for: .editing)
        }
        #expect(
            try DatePhrase.parse("tonight 9pm", now: Fixed.now, zone: .utc)
                == DatePhrase.parse("today 21:00", now: Fixed.now, zone: .utc))
        #expect(throws: DatePhraseError.self) {
            try DatePhrase.parse("tonight 9am", now: Fixed.now, zone: .utc)
        }
    }

    @Test("a forgotten colon, and a field without a name, are no title")
    func forgotten() throws {
        #expect(throws: ToDoWordsError.equalsSign("due+2d", meant: "due:due+2d")) {
            try parse("due+2d", for: .editing)
        }
        #expect(try parse("Pay due+2d").hints == [.equalsSign("due+2d", meant: "due:2d")])
        #expect(try parse("Pay wait-1w").hints == [.equalsSign("wait-1w", meant: "wait:-1w")])
        #expect(throws: ToDoWordsError.self) { try parse("x.:3", for: .editing) }
        #expect(try parse("due-diligence", for: .editing).title == "due-diligence")
    }

    @Test("several tags are named with a comma between them, as one tag has no blank")
    func tags() throws {
        let error = #expect(throws: ToDoWordsError.self) { try parse("tags:a b", for: .editing) }
        #expect(error?.description.contains("tags:a,b ") == true)
    }

    @Test("words behind a tag that ended the notes are no new title, and told in a longer one")
    func endedNotes() throws {
        let error = #expect(throws: ToDoWordsError.self) {
            try parse("notes:see Bob +work about it", for: .editing)
        }
        #expect(error?.description.contains("notes:\"see Bob +work about it\"") == true)
        let added = try parse("Call notes:see Bob +work about it")
        #expect(added.title == "Call about it")
        #expect(added.hints == [.notesEnded(by: "+work", word: "about")])
        #expect(try parse("notes:see Bob +work Call him").hints.isEmpty)
    }

    @Test("notes-: removes the line of the notes that has the words, and leaves the title alone")
    func removedLine() throws {
        var item = ToDoItem(title: "Mend the roof")
        item.notes =
            "the roof leaks\n\n[2026-11-18T11:06:40Z] roof\n    of tiles\n[2026-11-18T11:07:40Z] call"
        try parse("notes-:roof", for: .editing).change(&item, now: Fixed.now, zone: .utc)
        #expect(item.notes == "the roof leaks\n\n[2026-11-18T11:07:40Z] call")
        try parse("notes-:call", for: .editing).change(&item, now: Fixed.now, zone: .utc)
        #expect(item.notes == "the roof leaks" && item.title == "Mend the roof")
        #expect(throws: ToDoWordsError.missingPart("Mend")) {
            try parse("notes-:Mend", for: .editing).change(&item, now: Fixed.now, zone: .utc)
        }
        item.notes = "a roof\nroofs"
        #expect(throws: ToDoWordsError.severalLines("roof")) {
            try parse("notes-:roof", for: .editing).change(&item, now: Fixed.now, zone: .utc)
        }
        #expect(throws: ToDoWordsError.self) { try parse("notes-:", for: .editing) }
        #expect(throws: ToDoWordsError.self) { try parse("notes-:roof leaks", for: .editing) }
    }
}
