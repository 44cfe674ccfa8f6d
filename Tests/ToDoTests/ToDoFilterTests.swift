import Testing
import ToDo

@Suite("Filter")
struct ToDoFilterTests {
    /// A small world; titles name the items.
    private var items: [ToDoItem] {
        get throws {
            let zone = try Fixed.berlin()
            var milk = ToDoItem(title: "Buy Milk")
            milk.project = "Home.Shop"
            milk.due = Fixed.day("2026-11-21")
            milk.setTags(["errand", "food"])
            milk.priority = .high
            var report = ToDoItem(title: "report")
            report.project = "Work"
            report.notes = "ask about MILK prices"
            report.due = .instant(Fixed.instant("2026-11-21", 5, in: zone))
            report.people = ["Ann"]
            report.start = .instant(Fixed.now - 1_000)
            var taxes = ToDoItem(title: "taxes")
            taxes.due = Fixed.day("2026-11-20")
            taxes.wait = Fixed.day("2026-12-01")
            taxes.custom = ["size": .int(5)]
            var done = ToDoItem(title: "done")
            done.due = Fixed.day("2026-11-20")
            done.status = .completed
            done.completed = Fixed.now
            var bare = ToDoItem(title: "homework")
            bare.scheduled = Fixed.day("2026-11-30")
            bare.priority = .low
            bare.location = "Desk"
            return [milk, report, taxes, done, bare]
        }
    }

    @Test(
        "words choose items",
        arguments: [
            ("", "Buy Milk,report,taxes,done,homework"), ("milk", "Buy Milk,report"),
            ("title:milk", "Buy Milk"), ("notes:milk", "report"), ("-- milk", "Buy Milk,report"),
            ("project:home", "Buy Milk"), ("project:Home.Shop", "Buy Milk"),
            ("project:Hom", ""), ("project:", "taxes,done,homework"),
            ("project.any:", "Buy Milk,report"), ("project.not:Home", "report,taxes,done,homework"),
            ("+errand", "Buy Milk"), ("-errand", "report,taxes,done,homework"),
            ("+Errand", ""), ("tags:", "report,taxes,done,homework"),
            ("tag:food +errand", "Buy Milk"),
            ("status:pending", "Buy Milk,report,taxes,homework"), ("status:done", "done"),
            ("priority:high", "Buy Milk"), ("priority.below:medium", "report,taxes,done,homework"),
            ("priority.above:none", "Buy Milk,homework"), ("pri:", "report,taxes,done"),
            ("person:ann", "report"), ("people.any:", "report"), ("location:desk", "homework"),
            ("location:", "Buy Milk,report,taxes,done"),
            ("x.size:5", "taxes"), ("x.size:", "Buy Milk,report,done,homework"),
            ("due:today", "Buy Milk,report"), ("due:yesterday", "taxes,done"),
            ("due:", "homework"), ("due.any:", "Buy Milk,report,taxes,done"),
            ("due.before:today", "taxes,done"), ("due.after:yesterday", "Buy Milk,report"),
            ("due.by:today", "Buy Milk,report,taxes,done"),
            ("due.not:today", "taxes,done,homework"),
            ("due.before:2026-11-21T05:00", "Buy Milk,taxes,done"),
            ("due.by:2026-11-21T05:00", "Buy Milk,report,taxes,done"),
            ("completed:today", "done"), ("end.none:", "Buy Milk,report,taxes,homework"),
            ("+OVERDUE", "report,taxes"), ("-OVERDUE", "Buy Milk,done,homework"),
            ("+TODAY", "Buy Milk,report"), ("+YESTERDAY", "taxes"), ("+TOMORROW", ""),
            ("+WEEK", "Buy Milk,report,taxes"), ("+DUE", "Buy Milk,report,taxes"),
            ("+AGENDA", "Buy Milk,report"), ("+WAITING", "taxes"),
            ("+READY", "Buy Milk,report"), ("+ACTIVE", "report"), ("+SCHEDULED", "homework"),
            ("+INBOX", "taxes,homework"), ("+COMPLETED", "done"), ("+CANCELLED", ""),
            ("+TAGGED", "Buy Milk"), ("+PROJECT -TAGGED", "report"),
            ("due:today milk +errand", "Buy Milk"), ("12:30", ""), ("http://x", ""),
            ("+errand or +OVERDUE", "Buy Milk,report,taxes"), ("milk and report", "report"),
            ("-due:today", "taxes,done,homework"),
            ("-project:Work -OVERDUE", "Buy Milk,done,homework"),
            ("not milk", "taxes,done,homework"),
            ("not +errand milk", "report"),
            ("project:Work or ( priority:low location:desk )", "report,homework"),
            ("(project:Work or priority:low) -OVERDUE", "homework"),
            ("not (milk or taxes)", "done,homework"), ("not not milk", "Buy Milk,report"),
            ("((milk)) and (not (+errand))", "report"), ("+errand,food or taxes", "Buy Milk,taxes"),
            ("status:done or +errand", "Buy Milk,done"), ("-- or", "report,homework"),
            ("x.size.above:4", "taxes"), ("size.above:5", ""), ("size.below:5.5", "taxes"),
            ("size.above:friday", ""), ("size.over:0 or homework", "taxes,homework"),
            ("f(x)", ""), ("project:$(x)", ""), ("size.above:-1", "taxes"),
            ("wait.after:due", "taxes"), ("wait.by:due+11d", "taxes"), ("wait:due+10d", ""),
            ("wait:due+11d", "taxes"), ("wait.before:due+11d", ""), ("due.before:wait-1w", "taxes"),
            ("due.not:wait-11d", "Buy Milk,report,done,homework"), ("completed.after:due", "done"),
        ])
    func choose(words: String, titles: String) throws {
        let zone = try Fixed.berlin()
        let filter = try ToDoFilter.parse(
            words.split(separator: " ").map(String.init), now: Fixed.now, zone: zone)
        let found = try items.filter { filter.matches($0, now: Fixed.now, zone: zone) }
        #expect(found.map(\.title).joined(separator: ",") == titles)
    }

    @Test(
        "a whole filter in one pair of quotes is read as one, and a value with blanks as a value",
        arguments: [
            ("project:Work or +errand", "Buy Milk,report"), ("+errand +food", "Buy Milk"),
            ("not +errand", "report,taxes,done,homework"),
            ("not (project:Work or +errand)", "taxes,done,homework"),
            ("-project:Work -errand", "taxes,done,homework"), ("-project:Work notes:about", ""),
            ("status:pending -TAGGED milk", "report"),
            ("title:home or project:Work", "report,homework"),
            ("is:overdue and project:Work", "report"),
            ("title:'buy milk' or +x", "Buy Milk"), ("due:today priority:high", "Buy Milk"),
            ("project:Home Shop", ""), ("title:buy milk", "Buy Milk"),
            ("notes:about milk", "report"),
            ("ask about", "report"), ("title:buy -x", ""), ("don't project:Work", ""),
            ("see project:Work", ""), ("project:Home see: it", ""),
        ])
    func quoted(text: String, titles: String) throws {
        let zone = try Fixed.berlin()
        let filter = try ToDoFilter.parse([text], now: Fixed.now, zone: zone)
        let found = try items.filter { filter.matches($0, now: Fixed.now, zone: zone) }
        #expect(found.map(\.title).joined(separator: ",") == titles)
        // Behind -- it is a text.
        let plain = try ToDoFilter.parse(["--", text], now: Fixed.now, zone: zone)
        #expect(plain == ToDoFilter([.text(text)]))
    }

    @Test("a due day is overdue when it is over, a due time a millisecond later")
    func overdueEdges() throws {
        let zone = try Fixed.berlin()
        var item = ToDoItem(title: "a")
        item.due = Fixed.day("2026-11-21")
        let nextDay = Fixed.instant("2026-11-22", 0, in: zone)
        let overdue = ToDoVirtualTag.overdue
        #expect(!overdue.matches(item, now: nextDay - 1, zone: zone))
        #expect(overdue.matches(item, now: nextDay, zone: zone))
        item.due = .instant(1_000)
        #expect(!overdue.matches(item, now: 1_000, zone: zone))
        #expect(overdue.matches(item, now: 1_001, zone: zone))
    }

    @Test("a part is asked for by the number or the title of the whole, too")
    func parents() throws {
        var part = ToDoItem(title: "part")
        part.parent = 7
        for (word, isMeant) in [("parent:3", true), ("parent:Roof", true), ("-parent:3", false)] {
            let filter = try ToDoFilter.parse([word], now: Fixed.now, zone: .utc)
            let named = filter.named { $0 == "3" || $0 == "Roof" ? [7, 8] : [] }
            #expect(named.matches(part, now: Fixed.now, zone: .utc) == isMeant, "\(word)")
            #expect(
                named.matches(ToDoItem(title: "x"), now: Fixed.now, zone: .utc) != isMeant)
        }
    }

    @Test(
        "a word that may be meant for a field of the user's own",
        arguments: [
            ("cost:10", "x.cost:10"), ("size:XL", "x.size:XL"),
            ("cost.by:3.5", "x.cost:3.5, x.cost.above:3.5 or x.cost.below:3.5"),
            ("cost.above:3", nil), ("x.cost:10", nil), ("due:fri", nil), ("Note:x", nil),
            ("https://x", nil), ("isbn:12", nil), ("a:b", nil), ("12:30", nil), ("cost:", nil),
            ("project.foo:x", nil),
        ])
    func ownFields(word: String, meant: String?) {
        #expect(ToDoFilter.ownFieldMeant(by: word) == meant)
    }

    @Test("filters are plain values")
    func values() throws {
        let zone = try Fixed.berlin()
        let filter = try ToDoFilter.parse(
            ["due.before:fri", "-x"], now: Fixed.now, zone: zone, weekStart: .sunday)
        let expected = ToDoFilter(
            [.date(.due, .before(Fixed.day("2026-11-27"))), .not(.tag("x"))], weekStart: .sunday)
        #expect(filter == expected)
    }

    @Test(
        "filters that mean nothing are refused",
        arguments: [
            "projcet:x", "due.befor:fri", "due:blue", "project.before:x", "status:", "title:",
            "priority:urgent", "priority.above:high", "priority.below:none", "status:x",
            "due.before:", "or", "not", "(", ")", "milk or", "or milk", "( milk", "milk )", "( )",
            "milk and",
            "not or milk", "size.above:", "x.size.above:true", "notes+:x",
            "due:due+1d", "due.above:wait+1d",
        ])
    func refused(word: String) throws {
        let zone = try Fixed.berlin()
        #expect(throws: ToDoWordsError.self) {
            try ToDoFilter.parse(
                word.split(separator: " ").map { String($0) }, now: Fixed.now, zone: zone)
        }
    }

    @Test("groups stand 32 deep, and no deeper")
    func depth() throws {
        func filter(_ depth: Int) throws -> ToDoFilter {
            let word =
                String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
            return try ToDoFilter.parse([word], now: Fixed.now, zone: .utc)
        }
        #expect(try filter(32) == ToDoFilter([.text("a")]))
        #expect(throws: ToDoWordsError.deepGroups(max: 32)) { try filter(33) }
        #expect(throws: ToDoWordsError.self) { try filter(100_000) }
    }

    @Test("a status named within a group is looked for among all to-dos")
    func status() throws {
        for (words, isOfPending) in [
            ("status:done or milk", false), ("(+COMPLETED due:today) or milk", false),
            ("milk or bread", true), ("not status:done", true),
        ] {
            let filter = try ToDoFilter.parse(
                words.split(separator: " ").map { String($0) }, now: Fixed.now, zone: .utc)
            #expect(filter.isOfPending(showsAll: false) == isOfPending, "\(words)")
        }
    }

    @Test("a filter that asks for no date, or for a range of dates, is told how to write it")
    func wordsOfOthers() throws {
        for (word, hint) in [
            ("due:none", "due: with nothing behind it"),
            ("due:2026-12-01..2026-12-05", "not due.before:2026-12-01 due.by:2026-12-05"),
            ("wait:..fri", "wait.by:fri"), ("wait:fri...", "not wait.before:fri"),
        ] {
            let fault = #expect(throws: ToDoWordsError.self) {
                try ToDoFilter.parse([word], now: Fixed.now, zone: .utc)
            }
            #expect(fault?.description.contains(hint) == true, "\(word)")
        }
    }
}
