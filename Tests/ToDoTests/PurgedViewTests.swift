import Core
import Storage
import Testing
import ToDo

@Suite("Views changed while apart from a purge")
struct PurgedViewTests {
    private typealias Number = ToDoSchema.ViewNumber
    private let world: ToDoWorld
    private let laptop: Store
    private let phone: Store
    private let id = Store.derivedID(ToDoSchema.views, key: "home")

    /// The laptop removed a view and purged it, and the phone changed its filter meanwhile.
    init() throws {
        world = try ToDoWorld(zone: .utc)
        laptop = try world.store("laptop")
        phone = try world.store("phone")
        _ = try world.todos(laptop).save(view: "home", SavedViewChange(["project:Home"]))
        try world.meet(laptop, phone)
        try purge()
        world.now += 1_000
        _ = try world.todos(phone).save(view: "home", SavedViewChange(["project:Home", "+x"]))
        try world.meet(laptop, phone)
    }

    private func purge() throws {
        _ = try world.todos(laptop).removeView(named: "home")
        try laptop.edit { transaction throws(StoreFault) in
            try transaction.purge(RecordName(ToDoSchema.views, id))
        }
    }

    private func words(_ store: Store) throws -> [String]? {
        try world.todos(store).savedView(named: "home")?.words
    }

    /// The one conflict of views.
    private func conflict(_ store: Store) throws -> SavedViewConflict {
        let all = try world.todos(store).viewConflicts()
        #expect(all.count == 1)
        return try #require(all.first)
    }

    private func expectNone() throws {
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            let todos = world.todos(store)
            #expect(try todos.viewConflictCount() == 0 && todos.viewConflicts().isEmpty)
            #expect(try todos.keptView(named: "home") == nil)
        }
    }

    @Test(
        "the edit is listed on both devices by the view's name, with its author and two decisions")
    func listed() throws {
        for store in [laptop, phone] {
            let found = try conflict(store)
            #expect(found.name == "home" && found.conflict.title == "home")
            #expect(found.decisions == [.save(["project:Home", "+x"]), .remove])
            guard case .editedAfterPurge(let fields) = found.conflict.kind else {
                Issue.record("\(found.conflict.kind)")
                return
            }
            #expect(fields.map(\.field) == [.number(Number.words)])
            #expect(fields[0].values.map(\.device) == ["phone"])
            #expect(
                try world.todos(store).keptView(named: "Home")?.words == ["project:Home", "+x"])
        }
    }

    @Test("a save of the name makes the view anew and ends the conflict on every device")
    func saved() throws {
        for store in [laptop, phone] {
            _ = try world.todos(store).save(view: "home", SavedViewChange(["project:Work"]))
        }
        try expectNone()
        for store in [laptop, phone] { #expect(try words(store) == ["project:Work"]) }
    }

    @Test(
        "what was written is let go on every device, by the name or by the id", arguments: [0, 1])
    func letGo(_ way: Int) throws {
        let word = ["HOME", id.uuidText][way]
        #expect(try world.todos(laptop).letGo(ofView: word))
        #expect(try !world.todos(laptop).letGo(ofView: word))
        try expectNone()
        for store in [laptop, phone] { #expect(try words(store) == nil) }
    }

    @Test(
        "a view that has the name again stays, until all kept fields are named or it is kept as it is"
    )
    func shown() throws {
        let todos = world.todos(laptop)
        _ = try todos.save(view: "home", SavedViewChange(["sort:due"]))
        #expect(try conflict(laptop).decisions == [.save(["project:Home", "+x"]), .save([])])
        #expect(try todos.removeView(named: "home"))
        #expect(try conflict(laptop).decisions == [.save(["project:Home", "+x"]), .remove])
        _ = try todos.save(view: "home", SavedViewChange(["sort:title"]))
        _ = try todos.save(view: "home", SavedViewChange([]))
        try expectNone()
        let view = try #require(try world.todos(phone).savedView(named: "home"))
        #expect(view.words.isEmpty && view.sort == ["title"])
    }

    @Test("a view that was purged twice has its name and its decisions")
    func again() throws {
        _ = try world.todos(laptop).save(view: "home", SavedViewChange(["+second"]))
        try expectNone()
        let name = RecordName(ToDoSchema.views, id).successor(1)
        _ = try world.todos(laptop).removeView(named: "home")
        try laptop.edit { transaction throws(StoreFault) in try transaction.purge(name) }
        world.now += 1_000
        _ = try world.todos(phone).save(view: "home", SavedViewChange(["columns:due", "+y"]))
        try world.meet(laptop, phone)
        let found = try conflict(laptop)
        #expect(found.conflict.id == name.id && found.name == "home")
        #expect(found.decisions == [.save(["columns:due", "+y"]), .remove])
        _ = try world.todos(phone).save(view: "home", SavedViewChange(["columns:due", "+y"]))
        try expectNone()
        #expect(try words(laptop) == ["+y"])
    }

    @Test(
        "an edit of an older program, which has no name, is ended by its name, or let go by its id")
    func nameless() throws {
        #expect(try world.todos(laptop).letGo(ofView: "home"))
        try world.meet(laptop, phone)
        let other = "office"
        let name = RecordName(
            ToDoSchema.views, Store.derivedID(ToDoSchema.views, key: other))
        _ = try world.todos(laptop).save(view: other, SavedViewChange(["+a"]))
        try world.meet(laptop, phone)
        _ = try world.todos(laptop).removeView(named: other)
        try laptop.edit { transaction throws(StoreFault) in try transaction.purge(name) }
        try phone.edit { transaction throws(StoreFault) in
            try transaction.update(name, [Assignment(.number(Number.words), .text("+b"))])
        }
        try world.meet(laptop, phone)
        let found = try conflict(laptop)
        #expect(found.name == nil && found.decisions == [.remove])
        #expect(found.word == name.id.uuidText)
        #expect(try world.todos(laptop).keptView(named: other)?.words == ["+b"])
        _ = try world.todos(laptop).save(view: other, SavedViewChange(["+c"]))
        try expectNone()
        #expect(try world.todos(phone).savedView(named: other)?.words == ["+c"])
    }

    @Test("a whole export has it; a reader of to-dos tells that it is left out")
    func exported() throws {
        let writing = try world.todos(laptop).exportAll()
        let text = String(decoding: writing.bytes, as: UTF8.self)
        let lines = text.split(separator: "\n").filter {
            $0.contains(#""kind":"viewEditedAfterPurge""#)
        }
        #expect(lines.count == 2)
        let line = try #require(lines.first { $0.contains(#""field":"words""#) })
        #expect(line.contains(#""view":"home""#) && line.contains(#""value":"project:Home\n+x""#))
        #expect(line.contains(#""device":"phone""#))
        let reading = try JSONLinesFormat.decode(writing.bytes)
        #expect(reading.faults.isEmpty)
        #expect(
            reading.losses.contains {
                $0.code as? BackupReason == .viewEditsLeftOut(count: 2)
            })
    }
}
