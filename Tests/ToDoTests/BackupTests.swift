import Core
import Storage
import Testing
import ToDo

@Suite("A whole export and its import")
struct BackupTests {
    private let world: ToDoWorld
    private let laptop: Store
    private let titled = RecordID(value: 1)
    private let binned = RecordID(value: 2)
    private let contested = RecordID(value: 3)

    /// A store with a conflict, a to-do in the trash, a purged one, and one deleted against an edit.
    init() throws {
        world = try ToDoWorld(zone: .utc)
        laptop = try world.store("laptop")
        let phone = try world.store("phone")
        var items = ["plan", "old", "both", "gone"].map { ToDoItem(title: $0) }
        for index in items.indices { items[index].identifier = UInt128(index + 1) }
        items[1].notes = "kept in the trash"
        _ = try world.todos(laptop).add(items)
        try world.meet(laptop, phone)
        world.now += 1_000
        for (store, title) in [(laptop, "plan A"), (phone, "plan B")] {
            let todos = world.todos(store)
            let old = ToDoMapping.item(try #require(try todos.stored(titled)))
            var new = old
            new.title = title
            new.custom["size"] = title == "plan A" ? .int(1) : .text("1")
            #expect(try todos.edit(titled, from: old, to: new))
            world.now += 1_000
        }
        let gone = RecordID(value: 4)
        _ = try world.todos(laptop).delete([binned, contested, gone])
        _ = try world.todos(laptop).purge([gone])
        let old = ToDoMapping.item(try #require(try world.todos(phone).stored(contested)))
        var edited = old
        edited.notes = "edited while it was deleted"
        #expect(try world.todos(phone).edit(contested, from: old, to: edited))
        try world.meet(laptop, phone)
    }

    private func reading() throws -> FormatReading {
        let writing = try world.todos(laptop).exportAll()
        #expect(writing.losses.isEmpty)
        let reading: FormatReading = try JSONLinesFormat.decode(writing.bytes)
        #expect(reading.faults.isEmpty)
        return reading
    }

    @Test("every line is an object with a version, and says what kind it is")
    func lines() throws {
        let text = String(decoding: try world.todos(laptop).exportAll().bytes, as: UTF8.self)
        let lines = text.split(separator: "\n")
        func count(_ start: String) -> Int { lines.count { $0.hasPrefix(start) } }
        #expect(count(#"{"tandem":1,"id":"#) == 1)
        #expect(count(#"{"tandem":2,"kind":"deleted","id":"#) == 2)
        #expect(count(#"{"tandem":2,"kind":"conflict","id":"#) == 3)
        #expect(count(#"{"tandem":2,"kind":"change","id":"#) == lines.count - 6)
        #expect(text.contains(#""title":"old","notes":"kept in the trash""#))
        #expect(text.contains(#""deletedOn":"laptop","deletedAt":"2026-11-21T"#))
        #expect(
            text.contains(
                #""field":"title","values":[{"value":"plan B","device":"phone","replica":""#))
        #expect(text.contains(#"{"value":"plan A","device":"laptop""#))
        #expect(text.contains(#""field":"x.size","values":[{"value":"1","#))
        #expect(!text.contains("gone"), "nothing is left of what was purged")
    }

    @Test("imported into an empty store, the trash is the trash and every value is somewhere")
    func fresh() throws {
        let todos = world.todos(try world.store("other"))
        let reading = try reading()
        let rehearsed = try todos.rehearseImport(reading)
        let steps = try todos.importFile(reading)
        #expect(steps.map(\.outcome) == rehearsed.map(\.outcome))
        #expect(steps.map(\.isTrash) == [false, true, true])
        let plan = ToDoMapping.item(try #require(try todos.stored(titled)))
        #expect(plan.title == "plan B")
        #expect(plan.custom.count == 3)
        let kept = plan.custom.filter { $0.key.hasPrefix("conflict ") }
        #expect(Set(kept.values) == [.text("plan A"), .int(1)])
        #expect(kept.keys.allSatisfy { $0.contains("(laptop, 2026-11-21T05:34:08Z)") })
        let trash = try todos.trash(limit: nil).shown
        #expect(Set(trash.map(\.id)) == [binned, contested])
        #expect(try todos.restore([binned]) == [binned])
        let back = ToDoMapping.item(try #require(try todos.stored(binned)))
        #expect(back.notes == "kept in the trash")
        #expect(
            Set(reading.losses.map(\.field)) == [
                "modified", "history", "title", "x.size", "deleted",
            ])
        #expect(reading.losses.filter { $0.field == "title" }.map(\.title) == ["plan B"])
    }

    @Test("imported where it comes from, or twice, nothing changes")
    func again() throws {
        let reading = try reading()
        let todos = world.todos(laptop)
        let sequence = try laptop.summary().sequence
        for step in try todos.importFile(reading) {
            switch step.outcome {
            case .unchanged, .skippedDeleted: break
            default: Issue.record("\(step)")
            }
        }
        #expect(try laptop.summary().sequence == sequence)
        #expect(try todos.conflicts().count == 3, "the conflicts are open as before")
        let other = world.todos(try world.store("other"))
        _ = try other.importFile(reading)
        let after = try other.store.summary().sequence
        _ = try other.importFile(reading)
        #expect(try other.store.summary().sequence == after)
    }

    @Test("an import deletes nothing: what lives here stays alive")
    func alive() throws {
        let todos = world.todos(try world.store("other"))
        var item = ToDoItem(title: "old, but loved")
        item.identifier = binned.value
        _ = try todos.importItems([item])
        let steps = try todos.importFile(try reading())
        #expect(steps.first { $0.id == binned }?.outcome == .unchanged(binned))
        let here = try #require(try todos.stored(binned))
        #expect(!here.verdict.isDeleted)
        #expect(ToDoMapping.item(here).title == "old, but loved")
    }

    @Test(
        "lines of a kind, or a version, that is not known are bad and never a to-do",
        arguments: [
            #"{"tandem":2,"kind":"dream","id":"00000000-0000-0000-0000-000000000001"}"#,
            #"{"tandem":2,"title":"x"}"#, #"{"tandem":3,"kind":"deleted","title":"x"}"#,
            #"{"tandem":2,"kind":"deleted","title":"no id"}"#,
            #"{"tandem":2,"kind":"conflict","id":"1","field":"title","values":[]}"#,
            #"{"tandem":2,"kind":"conflict","id":"00000000-0000-0000-0000-000000000001","field":"t","values":[1,2]}"#,
        ])
    func unknown(_ line: String) throws {
        let good = #"{"tandem":1,"title":"good"}"#
        let reading: FormatReading = try JSONLinesFormat.decode(Array("\(good)\n\(line)\n".utf8))
        #expect(reading.items.map(\.title) == ["good"])
        #expect(reading.trash.isEmpty)
        #expect(reading.besides.isEmpty)
        #expect(reading.faults.map(\.line) == [2])
    }
}
