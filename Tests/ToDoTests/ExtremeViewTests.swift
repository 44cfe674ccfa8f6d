import Core
import Storage
import TestSupport
import Testing
import ToDo
import ToDoTestSupport

@Suite("Every extreme value in every field of a view")
struct ExtremeViewTests {
    private let world: ToDoWorld
    private let store: Store
    private let other: Store
    private let cases: [RecordID: ExtremeValues.Case]

    init() throws {
        world = try ToDoWorld(zone: .utc)
        other = try world.store("other")
        store = try world.store("own")
        cases = try ExtremeRecords.writeViews(to: other, every: ExtremeRecords.isWhole ? 1 : 5)
        try world.carry(from: other, to: store)
    }

    private var todos: ToDoStore { world.todos(store) }

    /// Reads views in all ways in which programs show them.
    private func read(_ views: [SavedView]) throws {
        for view in views {
            _ = try? view.filter(now: world.now, zone: .utc, weekStart: .monday)
            _ = view.layout
            _ = view.savedWords
            #expect(try todos.savedView(named: view.name)?.name == view.name)
        }
    }

    @Test(
        "views are listed, hold as a context, and are saved, removed and saved anew by their names")
    func saved() throws {
        let views = try todos.savedViews()
        #expect(views.count > cases.count / 2)
        try read(views)
        for view in views {
            try todos.choose(context: view.name)
            _ = try todos.context(weekStart: .monday)
            #expect(try todos.save(view: view.name, SavedViewChange(["+x"])).words == ["+x"])
            #expect(try todos.removeView(named: view.name))
        }
        for view in views {
            let again = try todos.save(view: view.name, SavedViewChange(["sort:due"]))
            #expect(again.sort == ["due"])
        }
        #expect(try store.examine() == [])
    }

    /// Leaves conflicts of every kind: fields, deletes and purges against changes of the other device.
    private func diverge() throws {
        world.now += 1_000
        let ids = cases.keys.sorted()
        let values = ids.compactMap { cases[$0] }
        try store.edit { transaction throws(StoreFault) in
            for (index, id) in ids.enumerated() {
                let name = RecordName(ToDoSchema.views, id)
                switch index % 3 {
                case 0: try transaction.delete(name)
                case 1: try transaction.purge(name, isForced: true)
                default: try transaction.update(name, [Assignment(values[index].field, .int(7))])
                }
            }
        }
        world.now += 1_000
        try other.edit { transaction throws(StoreFault) in
            for (index, id) in ids.enumerated() {
                let extreme = values[(index + 1) % values.count]
                try transaction.update(
                    RecordName(ToDoSchema.views, id), [Assignment(extreme.field, extreme.value)])
            }
        }
        try world.meet(store, other)
    }

    @Test("conflicts of views are listed and exported, and their decisions are made or refused")
    func conflicts() throws {
        try diverge()
        let found = try todos.viewConflicts()
        #expect(found.count > cases.count / 4)
        #expect(Set(found.map(\.conflict.id)).count == (try todos.viewConflictCount()))
        let kept = found.filter { $0.conflict.standing == .editedAfterPurge }
        #expect(kept.count > cases.count / 10)
        #expect(kept.allSatisfy { $0.word != nil && !$0.decisions.isEmpty })
        let writing = try todos.exportAll()
        let reading = try JSONLinesFormat.decode(writing.bytes)
        #expect(reading.faults.isEmpty, "\(reading.faults.prefix(3))")
        for one in found {
            for decision in one.decisions {
                guard let word = one.word else { continue }
                switch decision {
                case .save(let words):
                    guard one.name != nil else { continue }
                    _ = try todos.save(view: word, SavedViewChange(words))
                case .remove:
                    if try !todos.removeView(named: word) { _ = try todos.letGo(ofView: word) }
                }
            }
        }
        // What is left of the purged ones is let go by its id.
        for one in try todos.viewConflicts() where one.conflict.standing == .editedAfterPurge {
            #expect(try todos.letGo(ofView: one.conflict.id.uuidText))
        }
        let left = try todos.viewConflicts()
        #expect(left.allSatisfy { $0.conflict.standing != .editedAfterPurge })
        try read(todos.savedViews())
        #expect(try store.examine() == [])
    }
}
