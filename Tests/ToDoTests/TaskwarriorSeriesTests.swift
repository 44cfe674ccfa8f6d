import Core
import Storage
import Testing
import ToDo

@Suite("Tasks of Taskwarrior that come again")
struct TaskwarriorSeriesTests {
    private static let template = "2f414b1f-fe61-4881-b26c-10faf4151aac"

    private func format() throws -> TaskwarriorFormat {
        TaskwarriorFormat(zone: try Fixed.berlin())
    }

    private func read(_ text: String) throws -> FormatReading {
        try format().decode(Array(text.utf8))
    }

    /// A template due on Monday 9 November, midnight in Berlin.
    private static func template(
        recur: String = "weekly", mask: String, more: String = ""
    ) -> String {
        """
        {"uuid":"\(template)","description":"Rec","due":"20261108T230000Z","mask":"\(mask)",
        "recur":"\(recur)","rtype":"periodic","status":"recurring","entry":"20261101T080000Z"\(more)}
        """
    }

    private static func task(
        _ number: Int, due: String, status: String = "pending", recur: String = "weekly",
        uuid: Int? = nil
    ) -> String {
        """
        {"uuid":"00000000-0000-4000-8000-0000000000\(10 + (uuid ?? number))","description":"Rec",
        "due":"\(due)","imask":\(number),"parent":"\(template)","recur":"\(recur)","rtype":"periodic",
        "status":"\(status)","entry":"20261101T080000Z"\(status == "pending" ? "" : #","end":"20261110T080000Z""#)}
        """
    }

    @Test(
        "the periods of Taskwarrior are understood, hours are not",
        arguments: [
            ("daily", "every day"), ("weekly", "every week"), ("monthly", "every month"),
            ("yearly", "every year"), ("annual", "every year"), ("quarterly", "every 3 months"),
            ("weekdays", "every mon, tue, wed, thu, fri"), ("2w", "every 2 weeks"),
            ("2wks", "every 2 weeks"), ("biweekly", "every 2 weeks"), ("P1M", "every month"),
            ("P3D", "every 3 days"), ("3mo", "every 3 months"), ("2m", "every 2 months"),
            ("semiannual", "every 6 months"), ("biyearly", "every 2 years"), ("week", "every week"),
            ("hourly", ""), ("3h", ""), ("PT2H", ""), ("", ""), ("-2m", ""), ("fri", ""),
            ("0d", ""),
        ])
    func periods(period: String, rule: String) throws {
        let reading = try read(
            Self.task(0, due: "20261108T230000Z", recur: period))
        let item = try #require(reading.items.first)
        #expect(item.repeats == (period == "fri" ? "every fri" : rule))
        #expect((item.series == nil) == item.repeats.isEmpty)
    }

    @Test(
        "what is made pending of a template that has ended has no time of completion",
        arguments: ["weekly", "3h"])
    func endedTemplate(recur: String) throws {
        let end = #","end":"20261109T080000Z""#
        let reading = try read("[\(Self.template(recur: recur, mask: "", more: end))]")
        let open = try #require(reading.items.first { $0.status == .pending })
        #expect(open.completions.isEmpty)
        let told = reading.remarks.contains {
            $0.code as? CommonReason == .leftOutAsPending && $0.field == "completed"
        }
        // A series keeps its template, with that time.
        #expect(told == (recur == "3h"))
    }

    @Test("a template is no second open to-do beside its task, and both go back as they came")
    func templateAndTask() throws {
        let text = "[\(Self.template(mask: "-")),\(Self.task(0, due: "20261108T230000Z"))]"
        let reading = try read(text)
        #expect(reading.items.map(\.status) == [.cancelled, .pending])
        #expect(reading.items[1].repeats == "every week")
        #expect(reading.items[1].due == Fixed.day("2026-11-09"))
        #expect(reading.losses.isEmpty)
        #expect(
            reading.remarks.contains {
                $0.code as? TaskwarriorReason == .repeatsByTasks("every week")
            })
        let writing = try format().encode(reading.items)
        #expect(writing.losses.isEmpty)
        let back = String(decoding: writing.bytes, as: UTF8.self)
        for part in [
            #""status":"recurring""#, #""mask":"-""#, #""imask":0"#, #""recur":"weekly""#,
            #""uuid":"00000000-0000-4000-8000-000000000010""#, #""parent":"\#(Self.template)""#,
        ] { #expect(back.contains(part), "\(part)") }
        #expect(try format().decode(writing.bytes).items == reading.items)
    }

    @Test("of a template whose tasks are all done the next one is made, as Taskwarrior would")
    func nextOfTemplate() throws {
        let text =
            Self.template(mask: "++")
            + Self.task(1, due: "20261115T230000Z", status: "completed")
        let reading = try read(text)
        #expect(reading.items.map(\.status) == [.cancelled, .completed, .pending])
        #expect(reading.items[2].due == Fixed.day("2026-11-23"))
        #expect(reading.items[2].occurrence == 3)
        #expect(
            reading.remarks.contains {
                $0.code as? TaskwarriorReason == .nextMade("every week", due: "2026-11-23")
            })
        // Taskwarrior makes it later, too: that is the same one.
        let later = try read(Self.task(2, due: "20261122T230000Z"))
        #expect(later.items[0].identifier == reading.items[2].identifier)
        let writing = try format().encode(reading.items)
        #expect(String(decoding: writing.bytes, as: UTF8.self).contains(#""mask":"++-""#))
        #expect(writing.losses.map(\.field) == ["mask"])
    }

    @Test("a template past its end makes none, and one of hours stays open if nothing else is")
    func noNext() throws {
        let over = try read(Self.template(mask: "+", more: #","until":"20261112T230000Z""#))
        #expect(over.items.map(\.status) == [.cancelled])
        #expect(
            over.remarks.contains {
                $0.code as? TaskwarriorReason == .repeatsNoMore("every week")
            })
        let hours = try read(Self.template(recur: "3h", mask: "+"))
        #expect(hours.items.map(\.status) == [.pending])
        #expect(
            hours.remarks.contains {
                $0.code as? TaskwarriorReason == .templateKept(period: "3h", hasOpenTask: false)
            })
        let writing = try format().encode(hours.items)
        #expect(try format().decode(writing.bytes).items == hours.items)
        let both = try read(
            Self.template(recur: "3h", mask: "-")
                + Self.task(0, due: "20261108T230000Z", recur: "3h"))
        #expect(both.items.map(\.status) == [.cancelled, .pending])
        #expect(try format().decode(try format().encode(both.items).bytes).items == both.items)
    }

    @Test(
        "the next of a long mask is the one that counting gives, whatever the period",
        arguments: [
            ("daily", 3, "2026-11-12"), ("daily", 1_000, "2029-08-05"),
            ("weekdays", 1, "2026-11-10"), ("weekdays", 5, "2026-11-16"),
            ("weekdays", 1_004, "2030-09-13"), ("monthly", 13, "2027-12-09"),
            ("2w", 500, "2046-01-08"), ("quarterly", 9_999, "4526-08-09"),
        ])
    func longMask(period: String, count: Int, due: String) throws {
        let mask = String(repeating: "+", count: count)
        let reading = try read(Self.template(recur: period, mask: mask))
        #expect(reading.items.last?.due == Fixed.day(due))
        #expect(reading.items.last?.occurrence == count + 1)
    }

    @Test("many templates with the longest masks are read in no time", .timeLimit(.minutes(30)))
    func manyMasks() throws {
        let mask = String(repeating: "+", count: 9_999)
        let templates = (0..<100).map { number in
            Self.template(recur: "daily", mask: mask)
                .replacing("aac\"", with: "\(100 + number)\"")
        }
        let elapsed = try ContinuousClock().measure {
            let reading = try read(templates.joined())
            #expect(reading.items.count { $0.status == .pending } == 100)
        }
        #expect(elapsed < .seconds(5))
    }

    @Test("what is said of a period of many words names its beginning alone")
    func longPeriod() throws {
        let reading = try read(
            Self.template(recur: String(repeating: "never ", count: 50_000), mask: "-"))
        #expect(!reading.remarks.isEmpty)
        #expect((reading.remarks + reading.losses).allSatisfy { $0.reason.utf8.count < 500 })
        let period = "e" + String(repeating: "\u{301}", count: 50_000)
        let task = #"[{"description":"a","due":"20261108T230000Z","recur":"\#(period)"}]"#
        #expect(try read(task).remarks.contains { $0.field == "recur" })
        #expect(try read(task).remarks.allSatisfy { $0.reason.utf8.count < 500 })
    }

    @Test("a skipped task is cancelled, a deleted one goes to the trash and is told")
    func deleted() throws {
        let reading = try read(
            Self.task(0, due: "20261108T230000Z", status: "deleted")
                + #"{"description":"gone","status":"deleted","uuid":"\#(Self.template)"}"#)
        #expect(reading.items.map(\.status) == [.cancelled])
        #expect(reading.items[0].completed != nil)
        #expect(reading.trash.map(\.title) == ["gone"])
        #expect(reading.losses.map(\.field) == ["status"])
        let writing = try format().encode(reading.items)
        #expect(String(decoding: writing.bytes, as: UTF8.self).contains(#""status":"deleted""#))
        #expect(writing.losses.isEmpty)
        var cancelled = ToDoItem(title: "mine")
        cancelled.identifier = 5
        cancelled.status = .cancelled
        cancelled.completed = 1_795_239_248_000
        let own = try format().decode(try format().encode([cancelled]).bytes)
        #expect(own.items == [cancelled])
    }

    @Test("two tasks that say they are the same occurrence stay two")
    func doubles() throws {
        let text =
            Self.task(0, due: "20261108T230000Z", uuid: 5)
            + Self.task(0, due: "20261109T230000Z", uuid: 3)
        let reading = try read(text)
        #expect(Set(reading.items.map(\.identifier)).count == 2)
        #expect(reading.items.map { $0.repeats.isEmpty } == [true, false])
        #expect(reading.remarks.contains { $0.field == "imask" })
        #expect(
            try format().decode(try format().encode(reading.items).bytes).items == reading.items)
    }

    @Test("done here and made there, the next occurrence is one")
    func nextHere() throws {
        let world = try ToDoWorld(zone: try Fixed.berlin())
        let todos = world.todos(try world.store("laptop"))
        let first = "[\(Self.template(mask: "-")),\(Self.task(0, due: "20261108T230000Z"))]"
        _ = try todos.importFile(try read(first), echo: try format().echo)
        let open = try todos.export(try filter("status:pending")).items
        #expect(open.count == 1)
        let id = RecordID(value: try #require(open[0].identifier))
        let outcome = try todos.setStatus(.completed, of: [id])
        let made = try #require(outcome.next[id])
        let next = ToDoMapping.item(try #require(try todos.stored(made)))
        #expect(next.custom["uuid"] == nil)
        #expect(next.due == Fixed.day("2026-11-16"))
        let out = try format().encode(try todos.export(ToDoFilter()).items)
        let text = String(decoding: out.bytes, as: UTF8.self)
        #expect(text.contains(#""mask":"+-""#))
        #expect(text.contains(#""imask":1"#))
        let second =
            "[\(Self.template(mask: "+-")),\(Self.task(0, due: "20261108T230000Z", status: "completed")),"
            + "\(Self.task(1, due: "20261115T230000Z"))]"
        _ = try todos.importFile(try read(second), echo: try format().echo)
        #expect(try todos.export(try filter("status:pending")).items.count == 1)
        #expect(try todos.export(ToDoFilter()).items.count == 3)
    }

    @Test("tasks that were imported as to-dos of their own become occurrences, and are not doubled")
    func importedBefore() throws {
        let world = try ToDoWorld(zone: try Fixed.berlin())
        let todos = world.todos(try world.store("laptop"))
        let text =
            "[\(Self.template(mask: "+-")),"
            + "\(Self.task(0, due: "20261108T230000Z", status: "completed")),"
            + "\(Self.task(1, due: "20261115T230000Z"))]"
        var former = try read(text).items
        for index in former.indices {
            guard let number = former[index].occurrence else {
                former[index].status = .pending
                continue
            }
            let own = former[index].custom.removeValue(forKey: "uuid")?.displayText ?? ""
            former[index].identifier = UInt128(own.replacing("-", with: ""), radix: 16)
            #expect(former[index].identifier != nil)
            former[index].custom["parent"] = .text(Self.template)
            former[index].custom["imask"] = .int(Int64(number - 1))
            former[index].series = nil
            former[index].occurrence = nil
            former[index].repeats = ""
        }
        _ = try todos.importItems(former)
        let ids = Set(former.map(\.identifier))
        for _ in 1...2 {
            let steps = try todos.importFile(try read(text), echo: try format().echo)
            #expect(Set(steps.map(\.id.value)) == ids)
            #expect(Set(try todos.export(ToDoFilter()).items.map(\.identifier)) == ids)
        }
        let open = try #require(try todos.export(try filter("status:pending")).items.first)
        #expect(open.repeats == "every week" && open.occurrence == 2)
        #expect(open.custom["parent"] == nil && open.custom["imask"] == nil)
        let out = try format().encode(try todos.export(ToDoFilter()).items)
        #expect(try format().decode(out.bytes).items.count == 3)
        #expect(String(decoding: out.bytes, as: UTF8.self).contains(#""mask":"+-""#))
        // The first is done again: the next one is here, under the id that it has.
        let first = try #require(former.first { $0.status == .completed }?.identifier)
        let id = RecordID(value: try #require(open.identifier))
        _ = try todos.setStatus(.pending, of: [RecordID(value: first)])
        let again = try todos.setStatus(.completed, of: [RecordID(value: first)])
        #expect(again.next[RecordID(value: first)] == id)
        #expect(try todos.export(ToDoFilter()).items.count == 3)
        let next = try #require(try todos.setStatus(.completed, of: [id]).next[id])
        let third = try read(Self.task(2, due: "20261122T230000Z")).items
        #expect(try todos.importItems(third, echo: try format().echo).count == 1)
        #expect(third.map(\.identifier) == [next.value])
        #expect(try todos.export(try filter("status:pending")).items.count == 1)
    }

    private func filter(_ word: String) throws -> ToDoFilter {
        try ToDoFilter.parse([word], now: Fixed.now, zone: try Fixed.berlin())
    }
}
