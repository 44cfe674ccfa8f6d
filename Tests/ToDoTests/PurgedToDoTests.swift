import Core
import JSON
import Storage
import Testing
import ToDo

@Suite("To-dos edited while apart from a purge")
struct PurgedToDoTests {
    private let world: ToDoWorld
    private let laptop: Store
    private let phone: Store
    private let id: RecordID
    private let title = Field.number(ToDoSchema.Number.title)

    /// The laptop purged a to-do whose title and tag the phone changed meanwhile.
    init() throws {
        world = try ToDoWorld(zone: try Fixed.berlin())
        laptop = try world.store("laptop")
        phone = try world.store("phone")
        id = try world.todos(laptop).add(ToDoItem(title: "Buy milk"))
        try world.meet(laptop, phone)
        _ = try world.todos(laptop).delete([id])
        _ = try world.todos(laptop).purge([id])
        world.now += 1_000
        let old = ToDoMapping.item(try #require(try world.todos(phone).stored(id)))
        var new = old
        new.title = "Buy oat milk"
        new.setTags(["shop"])
        #expect(try world.todos(phone).edit(id, from: old, to: new))
        try world.meet(laptop, phone)
    }

    @Test("the edit is listed on both devices with its author, and counted")
    func listed() throws {
        for store in [laptop, phone] {
            let todos = world.todos(store)
            let conflicts = try todos.conflicts()
            #expect(conflicts.map(\.standing) == [.editedAfterPurge])
            guard case .editedAfterPurge(let fields)? = conflicts.first?.kind else {
                Issue.record("it is not listed")
                return
            }
            #expect(fields.map(\.field).contains(title))
            #expect(fields[0].values.map(\.value) == [.text("Buy oat milk")])
            #expect(fields[0].values.map(\.device) == ["phone"])
            #expect(fields[0].values.map(\.isMine) == [store === phone])
            #expect(try todos.counts().conflicted == 1)
            #expect(try todos.trash(limit: nil).count == 0)
        }
    }

    @Test("a copy is a new to-do on both devices, and ends the conflict; two copies are one")
    func copied() throws {
        let copies = try [laptop, phone].map { try world.todos($0).copyFromPurged([id]) }
        #expect(copies[0].count == 1)
        #expect(copies[0] == copies[1])
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            let todos = world.todos(store)
            let item = ToDoMapping.item(try #require(try todos.stored(copies[0][0])))
            #expect(item.title == "Buy oat milk")
            #expect(item.tags == ["shop"])
            #expect(try todos.conflicts() == [])
            #expect(try todos.copyFromPurged([id]) == [])
        }
    }

    @Test("a purge of several leaves it alone, even by force; alone and by force it is let go")
    func lettingGo() throws {
        let todos = world.todos(laptop)
        let other = try todos.add(ToDoItem(title: "other"))
        _ = try todos.delete([other])
        let found = try [id, other].compactMap { try todos.stored($0) }
        func stops(_ records: [Record], isForced: Bool) -> Bool {
            guard
                case .editedAfterPurge(let stored)? = ToDoStore.obstacle(
                    toPurging: records, isForced: isForced)
            else { return false }
            return stored.id == id
        }
        #expect(stops(found, isForced: true) && stops(found, isForced: false))
        #expect(stops([found[0]], isForced: false))
        #expect(!stops([found[0]], isForced: true))
        #expect(throws: StoreFault.conflictOpen) { try todos.purge([id, other], isForced: true) }
        #expect(try todos.stored(other)?.standing == .trashed, "nothing of it was done")
        #expect(try todos.purge([id], isForced: true) == [id])
        #expect(try todos.conflicts() == [])
    }

    @Test("a whole export has it; another store makes a to-do of it, its own store none")
    func exported() throws {
        let writing = try world.todos(laptop).exportAll()
        let text = String(decoding: writing.bytes, as: UTF8.self)
        let line = try #require(
            text.split(separator: "\n").first { $0.contains(#""kind":"editedAfterPurge""#) })
        #expect(line.contains(#""title":"Buy oat milk""#))
        #expect(line.contains("\"purged\":\"\(id.uuidText)\",\"editedOn\":\"phone\""))
        let reading: FormatReading = try JSONLinesFormat.decode(writing.bytes)
        #expect(reading.faults.isEmpty)
        let other = world.todos(try world.store("other"))
        #expect(try other.importFile(reading).map(\.title) == ["Buy oat milk"])
        #expect(try other.export(ToDoFilter([])).items.map(\.title) == ["Buy oat milk"])
        let sequence = try laptop.summary().sequence
        let steps = try world.todos(laptop).importFile(reading)
        #expect(ImportSummary(steps).leftPurged.map(\.title) == ["Buy oat milk"])
        #expect(try laptop.summary().sequence == sequence)
        // The copy that is made here later is the one that was imported there.
        #expect(
            try world.todos(laptop).copyFromPurged([id]).map(\.value)
                == other.export(ToDoFilter([])).items.compactMap(\.identifier))
    }

    @Test("a purged to-do is left out of an import and told, and made anew if that was asked for")
    func imported() throws {
        let todos = world.todos(laptop)
        var item = ToDoItem(title: "from a file")
        item.identifier = 5
        _ = try todos.importItems([item])
        _ = try todos.purge([RecordID(value: 5)], isForced: true)
        #expect(try todos.importItems([item]) == [.skippedPurged(RecordID(value: 5))])
        let outcomes = try todos.importItems([item], revives: true)
        guard case .inserted(let anew)? = outcomes.first else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(anew != RecordID(value: 5))
        #expect(try todos.importItems([item]) == [.unchanged(anew)])
    }

    @Test("a restore says that it was purged")
    func restored() throws {
        #expect(throws: StoreFault.recordPurged) { try world.todos(laptop).restore([id]) }
    }
}
