import Testing
import ToDo

@Suite("A to-do as a form")
struct ToDoFormTests {
    private let zone: LocalTimeZone
    private let item: ToDoItem

    init() throws {
        zone = try Fixed.berlin()
        var item = ToDoItem(title: "Paint: the fence")
        item.notes = "two\n\ncoats  "
        item.project = "Home.Garden"
        item.due = .instant(Fixed.instant("2026-12-01", 17, in: try Fixed.berlin()))
        item.scheduled = .instant(Fixed.instant("2026-12-01", 9, 0, 30, in: try Fixed.berlin()))
        item.wait = Fixed.day("2026-11-30")
        item.setTags(["a", "b c"])
        item.people = ["Anna", "Bo"]
        item.custom = ["size": .int(3), "odd\nname": .text("x"), "lines": .text("a\nb")]
        item.repeats = "every week in Europe/Berlin"
        item.parent = 7
        self.item = item
    }

    private func read(_ text: String) throws -> ToDoItem {
        try ToDoForm(item, zone: zone).read(text, now: Fixed.now)
    }

    @Test("a form that was not changed reads back as the item, whatever is in it")
    func unchanged() throws {
        #expect(try read(ToDoForm(item, zone: zone).text) == item)
        var plain = ToDoItem(title: "x")
        #expect(
            try ToDoForm(plain, zone: zone).read(ToDoForm(plain, zone: zone).text, now: 0) == plain)
        plain.notes = "ends with a break\n"
        #expect(
            try ToDoForm(plain, zone: zone).read(ToDoForm(plain, zone: zone).text, now: 0) == plain)
    }

    @Test("what is changed on it is changed, what is taken out is cleared, the rest stays")
    func changed() throws {
        let text = ToDoForm(item, zone: zone).text
            .replacing("title: Paint: the fence", with: "title: Paint the gate")
            .replacing("due: 2026-12-01T17:00", with: "due: fri 18:00")
            .replacing("people: Anna, Bo\n", with: "")
            .replacing("x.size: 3", with: "x.size: 4\nx.new: yes")
            .replacing("tags: a, b c", with: "tags: a")
        let new = try read(text)
        #expect(new.title == "Paint the gate" && new.people.isEmpty && new.tags == ["a"])
        #expect(new.due == .instant(Fixed.instant("2026-11-27", 18, in: zone)))
        #expect(new.custom["size"] == .int(4) && new.custom["new"] == .text("yes"))
        #expect(new.custom["lines"] == item.custom["lines"])
        #expect(new.scheduled == item.scheduled && new.notes == item.notes && new.parent == 7)
    }

    @Test("what cannot be read is refused with what to write")
    func refused() {
        let text = ToDoForm(item, zone: zone).text
        for (old, bad) in [
            ("wait: 2026-11-30", "wait: whenever"), ("priority: ", "priority: huge"),
            ("location: ", "nonsense"), ("location: ", "locaton: x"),
            ("repeat: every week in Europe/Berlin", "repeat: sometimes"),
        ] {
            #expect(throws: ToDoWordsError.self) { try read(text.replacing(old, with: bad)) }
        }
    }
}
