import Core
import JSON
import Storage
import Testing
import ToDo

@Suite("Days that a series leaves out")
struct ExceptionTests {
    private func item(
        _ words: [String], from item: ToDoItem = ToDoItem(title: "Water")
    ) throws -> ToDoItem {
        var item = item
        item.identifier = 1
        let purpose: ToDoWords.Purpose = item.repeats.isEmpty ? .adding : .editing
        try ToDoWords.parse(words, for: purpose, now: Fixed.now, zone: try Fixed.berlin())
            .change(&item, now: Fixed.now, zone: try Fixed.berlin())
        return item
    }

    private func days(_ item: ToDoItem) -> [String] {
        item.exceptions.map { TimestampText.day(Int($0)) }
    }

    private func next(_ item: ToDoItem) throws -> ToDoItem? {
        item.nextOccurrence(completed: Fixed.now, zone: try Fixed.berlin()) { _ in nil }
    }

    private static let weekly = ["due:2026-11-27", "repeat:weekly"]

    @Test(
        "they are typed as dates, in the rule or by themselves",
        arguments: [
            (["except:2026-12-25"], ["2026-12-25"]), (["except:25 dec"], ["2026-12-25"]),
            (["except:1 jan, 25 dec,2026-12-25"], ["2026-12-25", "2027-01-01"]),
            (["except:25 dec 18:00"], ["2026-12-25"]),
            (["repeat:every fri except 25 dec"], ["2026-12-25"]),
            (["repeat:weekly 5 times except for 25 dec, 1 jan"], ["2026-12-25", "2027-01-01"]),
            (["repeat:every fri but not 2026-12-25"], ["2026-12-25"]),
        ])
    func typed(words: [String], expected: [String]) throws {
        let rule = words[0].hasPrefix("repeat:") ? [] : ["repeat:weekly"]
        #expect(days(try item(["due:2026-11-27"] + rule + words)) == expected)
    }

    @Test("one day is added and taken away, all are replaced, and none is left with the rule gone")
    func changed() throws {
        var water = try item(Self.weekly + ["except:25 dec"])
        water = try item(["except+:1 jan"], from: water)
        #expect(days(water) == ["2026-12-25", "2027-01-01"])
        water = try item(["except-:25 dec"], from: water)
        #expect(days(water) == ["2027-01-01"])
        #expect(days(try item(["except:8 jan"], from: water)) == ["2027-01-08"])
        #expect(days(try item(["except:"], from: water)).isEmpty)
        #expect(days(try item(["repeat:monthly"], from: water)) == ["2027-01-01"])
        #expect(days(try item(["repeat:"], from: water)).isEmpty)
    }

    @Test("what is no day, or too many, is refused")
    func refused() throws {
        #expect(throws: ToDoWordsError.self) { try item(Self.weekly + ["except:christmas eve"]) }
        #expect(throws: ToDoWordsError.self) { try item(["repeat:every fri except whenever"]) }
        let most = (0..<ExceptionDay.countMax).map { TimestampText.day(20_800 + $0) }
        #expect(try item(["except:" + most.joined(separator: ",")]).exceptions.count == most.count)
        #expect(throws: ToDoWordsError.self) {
            try item(["except:" + (most + ["2026-11-27"]).joined(separator: ",")])
        }
    }

    @Test("a form shows them, and reads them back")
    func form() throws {
        let water = try item(Self.weekly + ["except:25 dec, 1 jan"])
        let form = ToDoForm(water, zone: try Fixed.berlin())
        #expect(form.text.contains("\nexcept: 2026-12-25, 2027-01-01\n"))
        #expect(try form.read(form.text, now: Fixed.now) == water)
        let changed = form.text.replacing("except: 2026-12-25, ", with: "except: ")
        #expect(days(try form.read(changed, now: Fixed.now)) == ["2027-01-01"])
        #expect(water.repeatsShown(in: .utc) == "every week except Fri 25 Dec 2026, Fri 1 Jan 2027")
    }

    @Test("the next date is the first that is not left out; those still to come are handed on")
    func following() throws {
        let water = try item([
            "due:2026-12-18", "repeat:weekly", "except:25 dec, 2027-01-01, 2027-01-15",
        ])
        let first = try #require(try next(water))
        #expect(first.due == Fixed.day("2027-01-08") && days(first) == ["2027-01-15"])
        #expect(first.occurrence == 1 && first.identifier == water.nextIdentifier)
        let second = try #require(try next(first))
        #expect(second.due == Fixed.day("2027-01-22") && second.exceptions.isEmpty)
    }

    @Test("they count where the series ends after so many; it ends with the last that is left")
    func counted() throws {
        var water = try item(["due:2026-11-27", "repeat:daily 4 times", "except:2026-11-28"])
        water = try #require(try next(water))
        #expect(water.due == Fixed.day("2026-11-29") && water.repeats == "every day, 2 times")
        water.setExceptions([Int32(try #require(Fixed.date("2026-11-30")).day)])
        #expect(try next(water) == nil)
        let last = try item([
            "due:2026-11-27", "repeat:daily until 2026-11-28", "except:2026-11-28",
        ])
        #expect(try next(last) == nil)
    }

    @Test("from completion the next such day comes, and a day before that stays left out")
    func completion() throws {
        let water = try item(["due:2026-11-20", "repeat:3 days!", "except:2026-11-24,2026-11-25"])
        // It is Saturday the 21st.
        let first = try #require(try next(water))
        #expect(first.due == Fixed.day("2026-11-27"))
        #expect(days(first) == ["2026-11-24", "2026-11-25"])
    }

    @Test("a series all of whose next dates are left out ends, and no others do")
    func endless() throws {
        let begin = try #require(Fixed.date("2026-11-27")).day
        func leavingOut(_ count: Int) throws -> ToDoItem {
            var water = try item(["due:2026-11-27", "repeat:daily"])
            water.setExceptions((1...count).map { Int32(begin + $0) })
            return water
        }
        let most = try leavingOut(Repetition.leftOutCountMax)
        #expect(try next(most)?.due == .day(Int32(begin + Repetition.leftOutCountMax + 1)))
        let over = try leavingOut(Repetition.leftOutCountMax + 1)
        #expect(try next(over) == nil)
        #expect(over.toCome(on: begin..<begin + 5_000, zone: .utc) { _ in nil }.isEmpty)
    }

    @Test("calendars do not show them, and catching up does not land on them")
    func shownElsewhere() throws {
        let water = try item(["due:2026-11-13", "repeat:weekly", "except:2026-11-27,2026-12-11"])
        let from = try #require(Fixed.date("2026-11-14")).day
        let dues = water.toCome(on: from..<from + 42, zone: .utc) { _ in nil }.map(\.due)
        #expect(dues == ["2026-11-20", "2026-12-04", "2026-12-18", "2026-12-25"].map(Fixed.day))
        let counted = try item(["repeat:weekly 5 times"], from: water)
        let few = counted.toCome(on: from..<from + 42, zone: .utc) { _ in nil }.map(\.due)
        #expect(few == ["2026-11-20", "2026-12-04"].map(Fixed.day))
        let caughtUp = try counted.caughtUp(now: Fixed.now, zone: try Fixed.berlin()) { _ in nil }
        #expect(
            caughtUp.due == Fixed.day("2026-12-04") && caughtUp.repeats == "every week, 2 times")
    }

    @Test("a doubtful one is told: without a rule, on the due day itself, on a day between")
    func hints() throws {
        func hints(_ words: [String], before old: ToDoItem? = nil) throws -> [ToDoWordHint] {
            try item(words).exceptionHints(before: old, zone: try Fixed.berlin()) { _ in nil }
        }
        #expect(try hints(["except:25 dec"]) == [.idleException])
        #expect(try hints(Self.weekly + ["except:25 dec"]).isEmpty)
        #expect(
            try hints(Self.weekly + ["except:2026-11-27"]) == [.exceptionIsDue("Fri 27 Nov 2026")])
        #expect(
            try hints(Self.weekly + ["except:24 dec"]) == [.strayException("Thu 24 Dec 2026")])
        let known = try item(Self.weekly + ["except:24 dec"])
        #expect(try hints(Self.weekly + ["except:24 dec"], before: known).isEmpty)
        #expect(try hints(["repeat:weekly!", "except:24 dec"]).isEmpty)
    }

    @Test("a file's day that is none is refused, in JSON and in a table")
    func files() throws {
        let line = #"{"tandem":1,"title":"a","repeat":"every day","except":["DAY"]}"#
        let good = try JSONLinesFormat.decode(Array(line.replacing("DAY", with: "2026-12-24").utf8))
        #expect(good.items.first.map(days) == ["2026-12-24"])
        for bad in ["24 dec", "2026-12-24T09:00:00Z", ""] {
            let reading = try JSONLinesFormat.decode(Array(line.replacing("DAY", with: bad).utf8))
            #expect(reading.items.isEmpty && reading.faults.count == 1)
        }
    }
}

@Suite("Days left out on several devices")
struct ExceptionMergeTests {
    private func text(_ day: String) -> Assignment {
        Assignment(.element(.number(ToDoSchema.Number.exceptions), text: day), .bool(true))
    }

    @Test("each of two devices leaves out a day: both are, and nothing is in conflict")
    func both() throws {
        let world = try ToDoWorld(zone: try Fixed.berlin())
        let (laptop, phone) = (try world.store("laptop"), try world.store("phone"))
        var item = ToDoItem(title: "Water")
        item.due = Fixed.day("2026-12-18")
        item.repeats = "every week"
        let id = try world.todos(laptop).add(item)
        try world.meet(laptop, phone)
        for (store, day) in [(laptop, "2026-12-25"), (phone, "2027-01-01")] {
            let todos = world.todos(store)
            let old = ToDoMapping.item(try #require(try todos.stored(id)))
            var new = old
            new.setExceptions([Int32(try #require(Fixed.date(day)).day)])
            _ = try todos.edit(id, from: old, to: new)
        }
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            let todos = world.todos(store)
            let item = ToDoMapping.item(try #require(try todos.stored(id)))
            #expect(
                item.exceptions.map { TimestampText.day(Int($0)) } == ["2026-12-25", "2027-01-01"])
            #expect(try todos.conflicts().isEmpty)
            // Both finish it: one next occurrence, behind both days.
            let next = try #require(try todos.setStatus(.completed, of: [id]).next[id])
            #expect(
                ToDoMapping.item(try #require(try todos.stored(next))).due
                    == Fixed.day("2027-01-08"))
        }
        try world.meet(laptop, phone)
        let todos = world.todos(laptop)
        #expect(try todos.list(ToDoFilter(), pendingOnly: true).count == 1)
        #expect(try todos.conflicts().isEmpty)
    }

    @Test("a day that is left out of an occurrence finished elsewhere is told for the next one")
    func missed() throws {
        let world = try ToDoWorld(zone: try Fixed.berlin())
        let (laptop, phone) = (try world.store("laptop"), try world.store("phone"))
        var item = ToDoItem(title: "Water")
        item.due = Fixed.day("2026-11-27")
        item.repeats = "every week"
        let id = try world.todos(laptop).add(item)
        try world.meet(laptop, phone)
        let next = try #require(try world.todos(phone).setStatus(.completed, of: [id]).next[id])
        let todos = world.todos(laptop)
        let old = ToDoMapping.item(try #require(try todos.stored(id)))
        var new = old
        new.setExceptions([Int32(try #require(Fixed.date("2026-12-25")).day)])
        _ = try todos.edit(id, from: old, to: new)
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            let todos = world.todos(store)
            let stored = try #require(try todos.stored(next))
            #expect(try todos.missedChanges(of: stored) == [text("2026-12-25")])
        }
    }

    @Test("the last occurrence is told apart from one behind which another comes")
    func last() throws {
        let world = try ToDoWorld(zone: .utc)
        let todos = world.todos(try world.store("laptop"))
        var ids: [RecordID] = []
        for rule in ["every week", "every week", "every week", ""] {
            var item = ToDoItem(title: "Water")
            item.due = Fixed.day("2026-11-27")
            item.repeats = rule
            ids.append(try todos.add(item))
        }
        let (ended, weekly, cancelled, once) = (ids[0], ids[1], ids[2], ids[3])
        let old = ToDoMapping.item(try #require(try todos.stored(ended)))
        var new = old
        new.until = Fixed.day("2026-12-01")
        _ = try todos.edit(ended, from: old, to: new)
        let done = try todos.setStatus(.completed, of: [ended, weekly, once])
        #expect(done.last == [ended])
        #expect(Set(done.next.keys) == [weekly])
        #expect(try todos.setStatus(.cancelled, of: [cancelled]).last == [cancelled])
        // It was told once: what is finished already is not the last one again.
        #expect(try todos.setStatus(.cancelled, of: [ended]).last.isEmpty)
        #expect(try todos.setStatus(.pending, of: [ended]).last.isEmpty)
        let next = try #require(done.next[weekly])
        #expect(try todos.setStatus(.cancelled, of: [next], isSkip: true).last.isEmpty)
    }

    @Test("a stored text of another form is passed over and kept")
    func odd() throws {
        let world = try ToDoWorld(zone: .utc)
        let store = try world.store("laptop")
        let odd = [
            "", "soon", "2026-12-24T09:00:00Z", "+002026-12-24", " 2026-12-24", "2026-02-30",
        ]
        let id = try store.edit { transaction throws(StoreFault) in
            try transaction.insert(
                [Assignment(.number(ToDoSchema.Number.title), .text("a"))]
                    + (odd + ["2026-12-24"]).map(text), into: ToDoSchema.collection)
        }
        let todos = world.todos(store)
        let old = ToDoMapping.item(try #require(try todos.stored(id)))
        #expect(old.exceptions.map { TimestampText.day(Int($0)) } == ["2026-12-24"])
        var new = old
        new.setExceptions([])
        _ = try todos.edit(id, from: old, to: new)
        let record = try #require(try todos.stored(id))
        #expect(Set(record.texts(in: ToDoSchema.Number.exceptions)) == Set(odd))
    }
}
