import Testing
import ToDo

@Suite("Taskwarrior format")
struct TaskwarriorFormatTests {
    private func format() throws -> TaskwarriorFormat {
        TaskwarriorFormat(zone: try Fixed.berlin())
    }

    private func decode(_ text: String) throws -> [ToDoItem] {
        try format().decode(Array(text.utf8)).items
    }

    @Test("a real export is read whole")
    func realExport() throws {
        let items = try decode(TaskwarriorExport.text)
        #expect(items.count == 6)
        let milk = items[0]
        #expect(milk.identifier == 0x281f_ce64_8188_47eb_8eb4_4b9e_531f_1d7f)
        #expect(milk.title == #"Buy "milk" /  ünï 🎉 foo.bar:x"#)
        #expect(milk.project == "Home.shop")
        #expect(milk.priority == .high)
        #expect(milk.tags == ["errand", "home"])
        #expect(milk.due == .instant(1_795_305_600_000))
        #expect(
            milk.notes == """
                [2026-11-21T05:34:08Z] first note
                [2026-11-21T05:34:09Z] http://x/y "q"
                """)
        #expect(items[1].start == .instant(1_795_239_248_000))
        #expect(items[1].depends == [0x281f_ce64_8188_47eb_8eb4_4b9e_531f_1d7f])
        #expect(
            items[1].custom == [
                "estimate": .double(1.5), "when": .text("20261122T000000Z"),
            ])
        #expect(
            items.map(\.status).suffix(4) == [.cancelled, .pending, .pending, .completed])
        #expect(items[5].completed == 1_795_239_248_000)
        #expect(items[3].occurrence == 1)
        #expect(items[3].repeats.hasPrefix("every week"))
        let trash = try format().decode(Array(TaskwarriorExport.text.utf8)).trash
        #expect(trash.map(\.title) == ["gone"])
    }

    @Test("messages before the tasks are passed over and told, and any other text is named")
    func messages() throws {
        let task = #"{"description":"a","status":"pending"}"#
        let head = "TASKRC override: /home/ann/.taskrc\r\nTASKDATA override: /x\n\n"
        for text in [head + "[\n\(task)\n]\n", "\u{feff}" + head + task, head + "\n  [\(task)]"] {
            let reading = try format().decode(Array(text.utf8))
            #expect(reading.items.map(\.title) == ["a"])
            #expect(reading.faults.isEmpty)
            let remark = try #require(reading.remarks.first { $0.field == "messages" })
            guard case TaskwarriorReason.message(let words, otherCount: 1) = remark.code else {
                Issue.record("\(remark)")
                continue
            }
            #expect(words.hasPrefix("TASKRC override: /home/ann/.taskrc"))
        }
        #expect(try format().decode(Array(task.utf8)).remarks.isEmpty)
        for (text, line, part) in [
            (head, 1, "'TASKRC override: /home/ann/.taskrc'"),
            (
                "[\(task)]\nConfiguration override rc.x=1\n", 2,
                "'Configuration override rc.x=1'"
            ),
            (String(repeating: "word\n", count: 200) + "[]", 1, "'word'"),
            ("[nonsense]", 1, "'nonsense]'"),
        ] {
            let format = try format()
            do throws(FormatFault) {
                _ = try format.decode(Array(text.utf8))
                Issue.record("it was read: \(text.prefix(40))")
            } catch {
                #expect(error.line == line)
                #expect(error.reason.hasPrefix(part), "\(error.reason)")
            }
        }
    }

    @Test("midnight is a day, and no other time is; both go back as they came")
    func midnights() throws {
        let text = """
            [{"description":"a","uuid":"281fce64-8188-47eb-8eb4-4b9e531f1d7f","status":"pending",
            "entry":"20261101T080000Z","due":"20261130T230000Z","scheduled":"20261201T000000Z",
            "wait":"20260630T220000Z","until":"20261130T230000Z","start":"20261130T230000Z"}]
            """
        let reading = try format().decode(Array(text.utf8))
        let item = try #require(reading.items.first)
        #expect(item.due == Fixed.day("2026-12-01"))
        #expect(item.scheduled == .instant(1_796_083_200_000))
        #expect(item.wait == Fixed.day("2026-07-01"))
        #expect(item.until == .instant(1_796_079_600_000))
        #expect(item.start == .instant(1_796_079_600_000))
        #expect(reading.remarks.last?.code as? TaskwarriorReason == .midnights(count: 2))
        let writing = try format().encode([item])
        #expect(writing.losses.isEmpty)
        let back = String(decoding: writing.bytes, as: UTF8.self)
        #expect(back.contains(#""due":"20261130T230000Z""#))
        #expect(!back.contains("tandem"))
        #expect(try format().decode(writing.bytes).items == [item])
    }

    @Test("a to-do that ends with a day ends with its last second, not with its first")
    func lastDay() throws {
        var item = ToDoItem(title: "a")
        item.identifier = 1
        item.created = 1_795_239_248_000
        item.until = Fixed.day("2026-12-01")
        item.due = .instant(1_796_079_600_000)
        let writing = try format().encode([item])
        let text = String(decoding: writing.bytes, as: UTF8.self)
        #expect(text.contains(#""until":"20261201T225959Z""#))
        #expect(try format().decode(writing.bytes).items == [item])
    }

    @Test(
        "annotations in notes that were edited stay annotations, and nothing is lost unsaid",
        arguments: [
            ("a\n\n[2026-11-21T05:34:08Z] one\n    two\nmore", "a\n\nmore"),
            ("[2026-11-21T05:34:08Z] one\n    two\n\nmore\n", "more"),
            ("a\n[2026-11-21T05:34:08Z] one\n    two", "a"),
            ("a\n\n\nb\n\n[2026-11-21T05:34:08Z] one\n    two\n\nc\n\nd", "a\n\n\nb\n\nc\n\nd"),
        ])
    func editedNotes(notes: String, plain: String) throws {
        var item = ToDoItem(title: "a")
        item.identifier = 1
        item.created = 1_795_239_248_000
        item.notes = notes
        let writing = try format().encode([item])
        let text = String(decoding: writing.bytes, as: UTF8.self)
        #expect(
            text.contains(
                #""annotations":[{"entry":"20261121T053408Z","description":"one\ntwo"}]"#))
        let back = try format().decode(writing.bytes).items[0]
        #expect(back.notes == plain + "\n\n[2026-11-21T05:34:08Z] one\n    two")
        #expect(writing.losses.map(\.field) == ["notes"])
        #expect(try format().echo.forms(item) == [back])
    }

    @Test("very many annotations of one second, too", .timeLimit(.minutes(30)))
    func manyEqualAnnotations() throws {
        let annotation = #"{"entry":"20261121T053408Z","description":"1"}"#
        let annotations = Array(repeating: annotation, count: 7_500).joined(separator: ",")
        let elapsed = try ContinuousClock().measure {
            let format = TaskwarriorFormat(zone: .utc)
            let items = try format.decode(
                Array(#"[{"description":"a","annotations":[\#(annotations)]}]"#.utf8)
            ).items.map { item in
                var item = item
                item.identifier = 1
                return item
            }
            let text = String(decoding: try format.encode(items).bytes, as: UTF8.self)
            #expect(text.contains("20261121T073907Z"))
        }
        #expect(elapsed < .seconds(5))
    }

    @Test("annotations of one second are told apart, as Taskwarrior would do it")
    func equalAnnotations() throws {
        var item = ToDoItem(title: "a")
        item.identifier = 1
        item.created = 1_795_239_248_000
        item.notes = "[2026-11-21T05:34:08Z] one\n[2026-11-21T05:34:08Z] two"
        let writing = try format().encode([item])
        #expect(writing.losses.map(\.field) == ["notes"])
        #expect(
            try format().decode(writing.bytes).items[0].notes
                == "[2026-11-21T05:34:08Z] one\n[2026-11-21T05:34:09Z] two")
    }

    @Test("a real export written again says the same of every task")
    func exportOfImport() throws {
        let items = try decode(TaskwarriorExport.text)
        let bytes = try format().encode(items).bytes
        #expect(try format().decode(bytes).items == items)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""status":"recurring""#))
        #expect(text.contains(#""depends":["281fce64-8188-47eb-8eb4-4b9e531f1d7f"]"#))
        #expect(text.hasPrefix("[\n{\"uuid\":"))
        #expect(text.hasSuffix("}\n]\n"))
    }

    @Test("what Taskwarrior cannot hold survives the way there and back")
    func lossless() throws {
        var item = ToDoItem(title: "odd +x due:fri")
        item.identifier = 7
        item.notes = "body\n\n[2026-01-01T00:00:00Z] one\n    two\n[2026-01-02T00:00:00Z] three"
        item.due = Fixed.day("2026-12-01")
        item.scheduled = Fixed.day("1950-01-01")
        item.wait = .instant(1_795_239_248_000)
        item.until = .instant(9_999_999_999_999_000)
        item.finish = Fixed.day("2026-11-22")
        item.created = -5_000
        item.setTags(["a,b", "c d", "ünï"])
        item.people = ["Ann", "Bob, Jr"]
        item.location = "desk"
        item.priority = .medium
        item.custom = [
            "a": .int(.max), "b": .double(0.1), "c": .bool(true), "d": .instant(1_795_239_248_000),
            "e": .instant(1_795_239_248_001), "f g": .text("x"), "due": .text("clash"),
            "i": .text(""), "n": .text("5"), "depends": .text("no uuid"), "tandem": .int(1),
            "inf": .double(.infinity), "ümlaut": .text("x"),
        ]
        let writing = try format().encode([item])
        // Nothing is gone, but Taskwarrior itself does not understand all of it.
        #expect(
            writing.losses.allSatisfy {
                if $0.field == "tandem" { return true }
                switch $0.code {
                case TaskwarriorReason.aside, TaskwarriorReason.dayBecomes: return true
                default: return false
                }
            })
        #expect(
            Set(writing.losses.map(\.field)).isSuperset(
                of: ["due", "until", "created", "tags", "f g", "tandem"]))
        #expect(try format().decode(writing.bytes).items == [item])
    }

    @Test("what a task says and no to-do can is told field by field")
    func importLosses() throws {
        let reading = try format().decode(
            Array(
                """
                [{"description":"a","uuid":"281fce64-8188-47eb-8eb4-4b9e531f1d7f",
                "status":"pending","end":"20261101T080000Z","id":3,"urgency":4.5,"x":1.50,
                "tags":["b","a"],"due":"1796119200","modified":"20261101T080000Z","y":""},
                {"description":"b","status":"waiting","depends":"x,y"}]
                """.utf8))
        #expect(
            reading.losses == [
                FormatLoss(
                    entry: 1, title: "a", field: "completed",
                    CommonReason.leftOutAsPending),
                FormatLoss(
                    entry: 0, title: "", field: "modified",
                    CommonReason.becomesImportTime(count: 1)),
                FormatLoss(
                    entry: 0, title: "", field: "id, urgency",
                    TaskwarriorReason.computed(count: 1)),
            ])
        #expect(reading.losses.allSatisfy { !$0.reason.isEmpty })
        #expect(reading.items[0].completions.isEmpty)
    }

    @Test("a bad task is on the line where it begins, whatever stands before and in it")
    func lines() throws {
        let text = "[\n\n{\"description\":\n\"good\"}\n,\n\n {\"x\":1},{\"y\":1},\n5]\n{\"z\":1}\n"
        let reading = try format().decode(Array(text.utf8))
        #expect(reading.items.count == 1)
        #expect(reading.faults.map(\.line) == [7, 7, 8, 9])
        #expect(reading.faults.map(\.entry) == [2, 3, 4, 5])
    }

    @Test("a day that was moved to a time of day in Taskwarrior is that time")
    func movedDay() throws {
        var item = ToDoItem(title: "a")
        item.identifier = 1
        item.due = Fixed.day("2026-12-01")
        let text = String(decoding: try format().encode([item]).bytes, as: UTF8.self)
        #expect(text.contains("20261130T230000Z"))
        let moved = text.replacing("20261130T230000Z", with: "20261201T090000Z")
        #expect(try decode(moved)[0].due == .instant(1_796_115_600_000))
    }

    @Test("older forms and bare lines are read")
    func otherForms() throws {
        let items = try decode(
            """
            {"description":"a","status":"waiting","depends":"x,y","tags":"p,q","due":"1796119200"}
            {"description":"b","entry":"2026-12-01T10:00:00+01:00","nested":{"k":[1,2.50]}},
            {"description":"c","due":"2026-12-01","priority":"XL","x":1e400,"y":null}
            """)
        #expect(items.map(\.title) == ["a", "b", "c"])
        #expect(items[0].tags == ["p", "q"])
        #expect(items[0].custom["depends"] == .text("x,y"))
        #expect(items[0].due == .instant(1_796_119_200_000))
        #expect(items[1].created == 1_796_115_600_000)
        #expect(items[1].custom["nested"] == .text(#"{"k":[1,2.50]}"#))
        #expect(items[2].due == Fixed.day("2026-12-01"))
        #expect(items[2].custom["priority"] == .text("XL"))
        #expect(items[2].custom["x"] == .text("1e400"))
        #expect(try decode(" \n").isEmpty)
        #expect(try decode("[]").isEmpty)
    }

    @Test(
        "a bad task is named by its number and key",
        arguments: [
            (#"[{"description":"a"},{"description":"b","due":"soon"}]"#, 2, "due"),
            (#"[{"uuid":"x","description":"a"}]"#, 1, "uuid"),
            (#"{"description":"a"} {"status":"pending"}"#, 2, "description"),
            (#"[{"description":"a","status":"gone"}]"#, 1, "status"),
            (#"[{"description":["a"]}]"#, 1, "description"),
            (#"[{"description":"a","tags":[1]}]"#, 1, "tags"),
            (
                #"[{"description":"a","annotations":[{"entry":"20260101T000000Z"}]}]"#, 1,
                "annotations"
            ),
            (#"[{"description":"a","tandem":"{\"later\":1}"}]"#, 1, "tandem"),
        ])
    func badEntries(text: String, entry: Int, key: String) throws {
        let reading = try format().decode(Array(text.utf8))
        #expect(reading.items.count == entry - 1)
        let fault = try #require(reading.faults.first)
        #expect(fault.entry == entry)
        #expect(fault.line == 1)
        #expect(fault.key == key)
        #expect(!fault.reason.isEmpty)
    }

    @Test("broken JSON says at which byte")
    func brokenJSON() throws {
        for (text, byte) in [(#"[{"description":"a"x}]"#, 19), (#"[{"descri"#, 9)] {
            let fault = #expect(throws: FormatFault.self) { try decode(text) }
            guard case .cannotDecode("Taskwarrior", _, 1, byte)? = fault else {
                Issue.record("\(fault as Any)")
                continue
            }
        }
    }

    @Test("what has no id crashes an import, and is refused at export")
    func refusedExport() throws {
        do {
            _ = try format().encode([ToDoItem(title: "a")])
            Issue.record("was written")
        } catch FormatFault.cannotEncode(_, let entry, let found, _) {
            #expect(entry == 1)
            #expect(found == "uuid")
        }
    }
}
