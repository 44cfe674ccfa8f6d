import Testing
import ToDo

@Suite("Keys that stand more than once in a line")
struct JoinedAssignmentsTests {
    private func parse(
        _ line: String, for purpose: ToDoWords.Purpose = .editing
    ) throws(ToDoWordsError) -> ToDoWords {
        let words = line.split(separator: " ").map { String($0) }
        return try ToDoWords.parse(words, for: purpose, now: Fixed.now, zone: .utc)
    }

    /// A to-do that has something of everything, changed as a line says.
    private func edited(_ line: String) throws -> ToDoItem {
        var item = ToDoItem(title: "a")
        item.setTags(["old"])
        item.people = ["Old"]
        item.repeats = "every day"
        item.due = Fixed.day("2026-12-01")
        item.setExceptions([1])
        item.notes = "old"
        try parse(line).change(&item, now: Fixed.now, zone: .utc)
        return item
    }

    @Test(
        "all tags are kept, whatever their order, and tags: replaces what the to-do had",
        arguments: [
            ("+errand tags:food,shop", ["errand", "food", "shop"]),
            ("+a tags:b +c", ["a", "b", "c"]),
            ("tags:b tags:c", ["b", "c"]), ("+z tags:y", ["y", "z"]), ("tags:y +z", ["y", "z"]),
            ("tags: +z", ["z"]), ("+z tags:", ["z"]), ("-old tags:y", ["y"]), ("+z", ["old", "z"]),
            ("tag:x,y tags:y", ["x", "y"]),
        ])
    func tags(line: String, expected: [String]) throws {
        #expect(try edited(line).tags.sorted() == expected)
    }

    @Test("people, reminders and days that are left out are kept alike")
    func others() throws {
        #expect(try edited("people:Ann person:Bob people:Ann").people == ["Ann", "Bob"])
        #expect(try edited("remind:-1h remind:-2h").reminders.count == 2)
        let days = try edited("except:2026-12-08 except:2026-12-09 except+:2026-12-10")
        let reversed = try edited("except+:2026-12-10 except:2026-12-09,2026-12-08")
        #expect(days.exceptions.count == 3)
        #expect(days.exceptions.sorted() == reversed.exceptions.sorted())
        #expect(try edited("except+:2026-12-10").exceptions.count == 2)
    }

    @Test("what replaces the to-dos that are waited for counts with what adds to them")
    func depends() throws {
        let three = DependencyWord(.add, ["3"])
        let expected = [DependencyWord(.replace, ["2"]), three]
        #expect(try parse("depends:2 depends+:3").depends == expected)
        #expect(try parse("depends+:3 depends:2").depends == expected)
        #expect(try parse("depends:2 depends:3").depends == expected)
        #expect(try parse("depends+:3").depends == [three])
    }

    @Test("notes that a line would take away again are refused; a line behind them is not")
    func notes() throws {
        for line in ["notes:a +x notes:b", "notes+:a +x notes:b"] {
            for purpose in [ToDoWords.Purpose.adding, .editing] {
                #expect(throws: ToDoWordsError.repeatedKey("notes")) {
                    try parse(line, for: purpose)
                }
            }
        }
        #expect(try edited("notes:a +x notes+:b").notes == "a\nb")
        #expect(try edited("notes+:a +x notes+:b").notes == "old\na\nb")
    }

    @Test(
        "what is added and removed in one line is refused",
        arguments: ["+a -a", "tags:a -a", "-a tags:b,a", "except:2026-12-08 except-:2026-12-08"])
    func bothWays(line: String) {
        #expect { try parse(line) } throws: { error in
            if case ToDoWordsError.bothWays = error { true } else { false }
        }
    }
}
