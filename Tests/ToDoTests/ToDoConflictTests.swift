import Core
import Storage
import Testing
import ToDo

@Suite("To-dos on two devices")
struct ToDoConflictTests {
    private let world: ToDoWorld
    private let laptop: Store
    private let phone: Store
    private let id: RecordID

    init() throws {
        world = try ToDoWorld(zone: try Fixed.berlin())
        laptop = try world.store("laptop")
        phone = try world.store("phone")
        id = try world.todos(laptop).add(ToDoItem(title: "Buy milk"))
        try world.meet(laptop, phone)
    }

    private func item(_ store: Store) throws -> ToDoItem {
        ToDoMapping.item(try #require(try world.todos(store).stored(id)))
    }

    /// Edits the to-do on one device, a second after the last edit.
    private func edit(_ store: Store, _ change: (inout ToDoItem) -> Void) throws {
        world.now += 1_000
        let old = try item(store)
        var new = old
        change(&new)
        #expect(try world.todos(store).edit(id, from: old, to: new))
    }

    @Test("two titles are listed on both devices, each with its device and time, the later first")
    func twoTitles() throws {
        try edit(laptop) { $0.title = "Buy oat milk" }
        try edit(phone) { $0.title = "Buy eggs" }
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            let conflicts = try world.todos(store).conflicts()
            #expect(conflicts.count == 1)
            guard case .field(let field, let candidates)? = conflicts.first?.kind else {
                Issue.record("no field is in conflict")
                return
            }
            #expect(field == .number(ToDoSchema.Number.title))
            #expect(candidates.map(\.value) == [.text("Buy eggs"), .text("Buy oat milk")])
            #expect(candidates.map(\.device) == ["phone", "laptop"])
            #expect(candidates.map(\.isMine) == [store === phone, store === laptop])
            #expect(candidates.map(\.time) == [Fixed.now + 2_000, Fixed.now + 1_000])
            #expect(try world.todos(store).counts().conflicted == 1)
        }
    }

    @Test("a decision ends the conflict on both devices; a save of the shown value does not")
    func resolved() throws {
        try edit(laptop) { $0.title = "Buy oat milk" }
        try edit(phone) { $0.title = "Buy eggs" }
        try world.meet(laptop, phone)
        let shown = try item(laptop)
        #expect(try !world.todos(laptop).edit(id, from: shown, to: shown))
        #expect(try world.todos(laptop).conflicts().count == 1)
        let title = Field.number(ToDoSchema.Number.title)
        #expect(try world.todos(laptop).resolve(id, title, with: .text("Buy eggs")))
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            #expect(try world.todos(store).conflicts() == [])
            #expect(try item(store).title == "Buy eggs")
        }
    }

    private func candidates(_ store: Store) throws -> [ToDoConflict.Candidate] {
        guard case .field(_, let candidates)? = try world.todos(store).conflicts().first?.kind
        else { return [] }
        return candidates
    }

    /// Takes back what a device did last.
    private func undo(_ store: Store) throws {
        world.now += 1_000
        let change = try #require(try world.todos(store).store.nextToUndo().change)
        guard case .done = try store.undo(change.timestamp) else {
            Issue.record("was refused")
            return
        }
    }

    @Test(
        "a decision that is undone gives back the sides, with the devices that gave them",
        arguments: ["Buy oat milk", "Buy eggs", "Buy tea"])
    func undone(decision: String) throws {
        try edit(laptop) { $0.title = "Buy oat milk" }
        try edit(phone) { $0.title = "Buy eggs" }
        try world.meet(laptop, phone)
        let before = try candidates(laptop)
        let title = Field.number(ToDoSchema.Number.title)
        for _ in 0..<2 {
            world.now += 1_000
            try world.todos(laptop).resolve(id, title, with: .text(decision))
            try undo(laptop)
            let after = try candidates(laptop)
            #expect(after.map(\.value) == before.map(\.value))
            #expect(after.map(\.device) == ["phone", "laptop"])
            #expect(after.map(\.isMine) == [false, true])
            #expect(after.map(\.time) == before.map(\.time))
            #expect(after.map { $0.putBack?.device } == ["laptop", "laptop"])
            #expect(after.allSatisfy { $0.putBack?.isOriginKnown == true })
            #expect(after.allSatisfy { $0.putBack?.time == world.now })
        }
        try world.meet(laptop, phone)
        let there = try candidates(phone)
        #expect(there.map(\.value) == before.map(\.value))
        #expect(there[0].isMine && there[0].time == before[0].time)
        // The journal there does not tell laptop's typing from laptop's undoing.
        #expect(there[1].putBack?.isOriginKnown == false && !there[1].isMine)
        #expect(there[1].device == "laptop")
        // A stranger that comes to it late knows neither.
        let tablet = try world.store("tablet")
        try world.meet(laptop, tablet)
        #expect(try candidates(tablet).map { $0.putBack?.isOriginKnown } == [false, false])
        #expect(try candidates(tablet).map(\.isMine) == [false, false])
    }

    @Test("who gave a value that several gave is left open, rather than guessed")
    func ambiguous() throws {
        try edit(phone) { $0.title = "Buy eggs" }
        try world.meet(laptop, phone)
        try edit(laptop) { $0.title = "Buy tea" }
        try world.meet(laptop, phone)
        try edit(laptop) { $0.title = "Buy eggs" }
        try edit(phone) { $0.title = "Buy oat milk" }
        try world.meet(laptop, phone)
        let title = Field.number(ToDoSchema.Number.title)
        world.now += 1_000
        try world.todos(laptop).resolve(id, title, with: .text("Buy eggs"))
        try undo(laptop)
        let after = try candidates(laptop)
        #expect(after.map(\.value) == [.text("Buy oat milk"), .text("Buy eggs")])
        #expect(after.map { $0.putBack?.isOriginKnown } == [true, false])
        #expect(after.map(\.isMine) == [false, false])
    }

    @Test("a delete against an edit is listed, its fields are not, and a restore brings both back")
    func deletedAndEdited() throws {
        #expect(try world.todos(phone).delete([id]) == [id])
        try edit(laptop) { $0.title = "Buy oat milk" }
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            let conflicts = try world.todos(store).conflicts()
            #expect(conflicts.map(\.kind) == [.wasDeleted])
            #expect(conflicts.map(\.standing) == [.trashed])
            #expect(conflicts.map(\.title) == ["Buy oat milk"])
            let deleters = conflicts[0].deleters
            #expect(deleters.map(\.device) == ["phone"])
            #expect(deleters.map(\.isMine) == [store === phone])
            let edits = conflicts[0].unseenEdits
            #expect(edits.map(\.author.device) == ["laptop"])
            #expect(edits.map(\.author.isMine) == [store === laptop])
            #expect(edits.map(\.field) == [.number(ToDoSchema.Number.title)])
            #expect(edits.map(\.value) == [.text("Buy oat milk")])
            let trash = try world.todos(store).trash(limit: nil)
            #expect(trash.count == 1)
            let deletion = try world.todos(store).deletion(of: trash.shown[0])
            #expect(deletion?.device == "phone")
            #expect(deletion?.time == Fixed.now)
        }
        #expect(try world.todos(phone).restore([id]) == [id])
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            #expect(try world.todos(store).conflicts() == [])
            #expect(try world.todos(store).trash(limit: nil).count == 0)
            #expect(try item(store).title == "Buy oat milk")
        }
    }

    @Test("tags, people and fields of one's own merge one by one")
    func setsMerge() throws {
        try edit(laptop) {
            $0.addTag("errand")
            $0.people = ["Ann"]
            $0.custom["size"] = .int(2)
        }
        try edit(phone) {
            $0.addTag("food")
            $0.people = ["Bo"]
            $0.custom["color"] = .text("red")
        }
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            let merged = try item(store)
            #expect(merged.tags == ["errand", "food"])
            #expect(merged.people == ["Ann", "Bo"])
            #expect(merged.custom == ["size": .int(2), "color": .text("red")])
            #expect(try world.todos(store).conflicts() == [])
        }
    }

    @Test("a save on a to-do in the trash is refused, and nothing is written")
    func staleSave() throws {
        let old = try item(laptop)
        _ = try world.todos(laptop).delete([id])
        var new = old
        new.title = ""
        #expect(throws: StoreFault.recordDeleted) {
            try world.todos(laptop).edit(id, from: old, to: new)
        }
        #expect(throws: StoreFault.recordDeleted) {
            try world.todos(laptop).setStatus(.completed, of: [id])
        }
        #expect(try item(laptop).title == "Buy milk")
    }

    @Test("doing, reopening, deleting and restoring tell what they changed")
    func outcomes() throws {
        let todos = world.todos(laptop)
        let other = try todos.add(ToDoItem(title: "Walk"))
        #expect(try todos.setStatus(.completed, of: [id]).changed == [id])
        #expect(try todos.setStatus(.completed, of: [id, other]).changed == [other])
        #expect(try item(laptop).completed == world.now)
        #expect(try todos.setStatus(.pending, of: [id]).changed == [id])
        #expect(try item(laptop).completed == nil)
        #expect(try todos.restore([id]) == [])
        #expect(try todos.delete([id, other]) == [id, other])
        #expect(try todos.delete([id]) == [])
        #expect(try todos.purge([id]) == [id])
        #expect(throws: StoreFault.recordPurged) { try todos.restore([other, id]) }
        #expect(try todos.trash(limit: nil).shown.map(\.id) == [other])
    }

    @Test("what is typed to settle a conflict is read as the field reads it")
    func typedValues() throws {
        func value(_ text: String, _ number: UInt32) throws -> Value {
            try ToDoMapping.value(
                typed: text, for: .number(number), now: world.now, zone: world.zone)
        }
        typealias Number = ToDoSchema.Number
        #expect(try value("7", Number.title) == .text("7"))
        #expect(try value("", Number.notes) == .null)
        #expect(try value("2026-12-01", Number.due) == .day(20_788))
        #expect(try value("high", Number.priority) == .int(3))
        #expect(try value("none", Number.priority) == .null)
        #expect(try value("pending", Number.status) == .null)
        #expect(throws: ToDoWordsError.self) { try value("urgent", Number.priority) }
        #expect(throws: ToDoWordsError.self) { try value("finished", Number.status) }
        #expect(throws: ToDoWordsError.self) { try value("someday soonish", Number.due) }
        let custom = try ToDoMapping.value(
            typed: "12", for: .custom("size"), now: world.now, zone: world.zone)
        #expect(custom == .int(12))
    }

    @Test("a delete against a restore names who brought it back, and not every field that it wrote")
    func deletedAndRestored() throws {
        _ = try world.todos(phone).delete([id])
        try world.meet(laptop, phone)
        world.now += 1_000
        _ = try world.todos(phone).restore([id])
        _ = try world.todos(laptop).restore([id])
        _ = try world.todos(laptop).delete([id])
        try world.meet(laptop, phone)
        let conflict = try #require(try world.todos(phone).conflicts().first)
        #expect(conflict.kind == .wasDeleted)
        #expect(conflict.deleters.map(\.device) == ["laptop"])
        #expect(conflict.unseenEdits.map(\.field) == [.deleted])
        #expect(conflict.unseenEdits.map(\.author.device) == ["phone"])
    }

    @Test("what a copy of the store replaces is named with the values of an open conflict")
    func copiedFields() throws {
        let copy = try world.store("copy")
        try world.meet(laptop, copy)
        try edit(laptop) { ($0.title, $0.notes) = ("Buy oat milk", "two") }
        try edit(phone) { $0.title = "Buy soy milk" }
        try world.meet(laptop, phone)
        let name = RecordName(ToDoSchema.collection, id)
        let fields = try CopiedField.all(of: name, from: copy, to: world.todos(laptop))
        #expect(fields.map(\.difference.field) == ["title", "notes"])
        #expect(fields[0].difference.before == "Buy soy milk")
        #expect(fields[0].difference.after == "Buy milk")
        #expect(fields[0].others == [.text("Buy oat milk")])
        #expect(fields[1].others.isEmpty && fields[1].difference.after.isEmpty)
        // A field in conflict that shows the copy's value stays in conflict.
        let shown = try world.store("shown")
        try world.meet(phone, shown)
        let same = try CopiedField.all(of: name, from: shown, to: world.todos(laptop))
        #expect(same.isEmpty)
    }
}
