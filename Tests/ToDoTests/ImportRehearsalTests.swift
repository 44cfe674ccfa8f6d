import Core
import Storage
import Testing
import ToDo

@Suite("Rehearsal of an import")
struct ImportRehearsalTests {
    private let world: ToDoWorld
    private let todos: ToDoStore

    init() throws {
        world = try ToDoWorld(zone: .utc)
        todos = world.todos(try world.store("laptop"))
    }

    private func item(_ identifier: UInt128, _ title: String) -> ToDoItem {
        var item = ToDoItem(title: title)
        item.identifier = identifier
        return item
    }

    @Test("it tells what the import then does, and changes nothing itself")
    func rehearsal() throws {
        let before = [item(1, "one"), item(2, "two"), item(3, "three")]
        _ = try todos.importItems(before)
        _ = try todos.delete([RecordID(value: 3)])
        var changed = item(1, "one")
        changed.due = Fixed.day("2026-12-01")
        let items = [changed, item(2, "two"), item(3, "three"), item(4, "four"), item(4, "4")]
        let file = FormatReading(items)
        let summary = try todos.store.summary()
        for revives in [false, true] {
            let steps = try todos.rehearseImport(file, revives: revives)
            #expect(
                try todos.rehearseImport(file, revives: revives).map(\.outcome)
                    == steps.map(\.outcome))
            #expect(steps.map(\.title) == ["one", "two", "three", "four", "4"])
            #expect(
                steps[0].changes
                    == [ItemDifference(field: "due", before: "", after: "2026-12-01")])
            #expect(steps[4].changes.map(\.field) == ["title"])
            #expect(
                steps[2].outcome
                    == (revives
                        ? .updated(RecordID(value: 3)) : .skippedDeleted(RecordID(value: 3))))
            #expect(try todos.store.summary().sequence == summary.sequence)
            #expect(try todos.stored(RecordID(value: 4)) == nil)
        }
        let steps = try todos.rehearseImport(file)
        #expect(try todos.importItems(items) == steps.map(\.outcome))
        #expect(try todos.store.summary().sequence > summary.sequence)
    }

    @Test("an empty cell clears nothing, and the rehearsal says what stays")
    func emptyCells() throws {
        let format = CSVFormat(zone: .utc, isExcelSafe: true)
        var full = item(1, "=one")
        full.due = Fixed.day("2026-12-01")
        full.setTags(["a", "b"])
        full.location = "desk"
        _ = try todos.importItems([full])
        let text = "id,title,due,tags\n00000000-0000-0000-0000-000000000001,'=one,,a\n"
        let reading = try format.decode(Array(text.utf8))
        let steps = try todos.rehearseImport(reading, echo: format.echo)
        #expect(steps.map(\.outcome) == [.unchanged(RecordID(value: 1))])
        #expect(steps[0].kept == ["due", "tags"])
        _ = try todos.importFile(reading, echo: format.echo)
        let stored = try #require(try todos.stored(RecordID(value: 1)))
        #expect(ToDoMapping.item(stored).due == full.due)
        let own = try format.decode(try format.encode([full]).bytes)
        #expect(try todos.rehearseImport(own, echo: format.echo)[0].kept.isEmpty)
    }

    @Test("a rehearsal that the store refuses says why, and leaves the store open for edits")
    func refused() throws {
        let long = item(1, String(repeating: "x", count: FormatLimits.textByteCountMax + 1))
        #expect(throws: StoreFault.overLimit(.valueBytes, max: 256 * 1024)) {
            try todos.rehearseImport(FormatReading([long]))
        }
        #expect(try todos.importItems([item(1, "short")]).count == 1)
    }

    @Test("it shows the parent that the import then gives, also where that is made anew")
    func parents() throws {
        var child = item(2, "child")
        child.parent = 1
        let parent = item(1, "parent")
        for items in [[parent, child], [child, parent]] {
            let todos = world.todos(try world.store("laptop \(items[0].title)"))
            _ = try todos.importItems([parent])
            _ = try todos.purge([RecordID(value: 1)], isForced: true)
            _ = try todos.importItems([item(2, "child")])
            let file = FormatReading(items)
            let steps = try todos.rehearseImport(file, revives: true)
            let told = try #require(steps.first { $0.title == "child" }).changes
            let before = ToDoMapping.item(try #require(try todos.stored(RecordID(value: 2))))
            _ = try todos.importFile(file, revives: true)
            let after = ToDoMapping.item(try #require(try todos.stored(RecordID(value: 2))))
            #expect(after.parent != nil && after.parent != 1)
            #expect(told == ItemDifference.between(before, after))
            // Imported once more from a file of its own, it stays where it is.
            #expect(try todos.importItems([child]) == [.unchanged(RecordID(value: 2))])
        }
    }
}
