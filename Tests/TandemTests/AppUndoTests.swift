import Tandem
import Testing

@Suite("Undo in an app")
struct AppUndoTests {
    private static let schema = Schema(
        .collection("notes", Attribute("title", .text), Attribute("tags", .set)))

    private let folder = TestFolder()

    private func store() throws -> TandemStore { try folder.store("a", Self.schema) }

    private func code(_ body: () throws -> UndoResult) -> TandemError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? TandemError)?.code
        }
    }

    private func rename(_ id: RecordName, _ title: String, in store: TandemStore) throws {
        try store.write { edit in try edit.update(id, ["title": .text(title)]) }
    }

    @Test("a store without edits has none to list, to undo or to redo")
    func nothing() throws {
        let store = try store()
        #expect(try store.localChanges().isEmpty)
        #expect(try store.undo() == .nothing)
        #expect(try store.redo() == .nothing)
        try store.rename(to: "other")
        #expect(try store.localChanges().isEmpty)
    }

    @Test("each undo reverts one more transaction, and each redo one more undo, until an edit")
    func stack() throws {
        let store = try store()
        let id = try store.write { edit in try edit.insert(into: "notes", ["title": "one"]) }
        try rename(id, "two", in: store)
        try rename(id, "three", in: store)
        for title in ["two", "one"] as [Value] {
            #expect(try store.undo() == .done([id]))
            #expect(try store.record(id)?["title"] == title)
        }
        for title in ["two", "three"] as [Value] {
            #expect(try store.redo() == .done([id]))
            #expect(try store.record(id)?["title"] == title)
        }
        #expect(try store.redo() == .nothing)
        #expect(try store.undo() == .done([id]))
        try rename(id, "four", in: store)
        #expect(try store.redo() == .nothing)
    }

    @Test("the list names the edits of each transaction, and which are undone")
    func list() throws {
        let store = try store()
        let id = try store.write { edit in
            try edit.insert(into: "notes", ["title": "one"], sets: ["tags": ["a"]])
        }
        try store.write { edit in
            try edit.update(id, ["title": "two"], sets: ["tags": ["b"]])
        }
        try store.write { edit in try edit.delete(id) }
        try store.write { edit in try edit.restore(id) }
        let changes = try store.localChanges()
        #expect(changes.map { $0.edits.first?.record } == [id, id, id, id])
        #expect(changes[0].edits.map(\.kind) == [.restored])
        #expect(changes[1].edits.map(\.kind) == [.deleted])
        #expect(
            Set(changes[2].edits.map(\.kind)) == [
                .changed(attribute: "title", from: "one", to: "two"),
                .added(attribute: "tags", text: "b"), .removed(attribute: "tags", text: "a"),
            ])
        #expect(changes[3].edits.map(\.kind) == [.made])
        #expect(try store.localChanges(limit: 2) == Array(changes.prefix(2)))
        #expect(try store.localChanges(limit: -1).isEmpty)
        // Not the latest: the restore and the delete stay.
        #expect(try store.undo(changes[2]) == .done([id]))
        #expect(try store.record(id)?["title"] == "one")
        #expect(try store.record(id)?.texts("tags") == ["a"])
        let after = try store.localChanges()
        #expect(after.map(\.isUndo) == [true, false, false, false, false])
        #expect(after.map(\.isUndone) == [false, false, false, true, false])
        // The old list does not say so yet.
        #expect(try store.undo(changes[2]) == .nothing)
    }

    @Test("a transaction that made records is undone as a whole: they go to the trash")
    func makings() throws {
        let store = try store()
        let ids = try store.write { edit in
            try ["one", "two"].map { try edit.insert(into: "notes", ["title": .text($0)]) }
        }
        guard case .done(let changed) = try store.undo() else {
            Issue.record("not done")
            return
        }
        #expect(Set(changed) == Set(ids))
        #expect(try store.count(FetchRequest("notes")) == 0)
        #expect(try store.count(FetchRequest("notes", scope: .trash)) == 2)
        guard case .done = try store.redo() else {
            Issue.record("not done again")
            return
        }
        #expect(try store.count(FetchRequest("notes")) == 2)
    }

    @Test("an edit of a record that is in the trash or purged is not undone, even by force")
    func obstacles() throws {
        let store = try store()
        let id = try store.write { edit in try edit.insert(into: "notes", ["title": "one"]) }
        try rename(id, "two", in: store)
        let renaming = try #require(try store.localChanges().first)
        try store.write { edit in try edit.delete(id) }
        guard case .refused(let found) = try store.undo(renaming, isForced: true) else {
            Issue.record("not refused")
            return
        }
        #expect(found.map(\.record) == [id])
        #expect(found.map(\.attribute) == ["title"])
        #expect(found.map(\.reason) == [.deleted])
        #expect(found.map(\.yieldsToForce) == [false])
        try store.write { edit in try edit.purge(id) }
        #expect(code { try store.undo(renaming) } == .noSuchRecord)
    }

    @Test("an undo without a transaction does not pass over a purge to an older edit")
    func purges() throws {
        let store = try store()
        let (one, two) = try store.write { edit in
            (
                try edit.insert(into: "notes", ["title": "one"]),
                try edit.insert(into: "notes", ["title": "two"])
            )
        }
        try rename(one, "renamed", in: store)
        let renaming = try #require(try store.localChanges().first)
        try store.write { edit in try edit.delete(two) }
        try store.write { edit in try edit.purge(two) }
        guard case .refused(let found) = try store.undo() else {
            Issue.record("not refused")
            return
        }
        #expect(found.map(\.record) == [two] && found.map(\.reason) == [.purged])
        #expect(try store.undo(renaming) == .done([one]))
    }

    @Test("an edit on top of which another device edited is undone by force alone, and that syncs")
    func laterEdits() throws {
        try folder.withRelay { relay in
            let address = try #require(relay)
            let one = try folder.store("one", Self.schema)
            let id = try one.write { edit in try edit.insert(into: "notes", ["title": "a"]) }
            try rename(id, "b", in: one)
            let two = try folder.join(one, at: address, "two", schema: Self.schema)
            try one.meet()
            try two.meet()
            try rename(id, "theirs", in: two)
            try two.meet()
            try one.meet()
            guard case .refused(let found) = try one.undo() else {
                Issue.record("not refused")
                return
            }
            #expect(found.map(\.attribute) == ["title"])
            #expect(found.map(\.yieldsToForce) == [true])
            guard case .changedLater(let device, let time)? = found.first?.reason else {
                Issue.record("another reason: \(found)")
                return
            }
            #expect(device == "two")
            #expect(time > 0)
            #expect(try one.record(id)?["title"] == "theirs")
            #expect(try one.undo(isForced: true) == .done([id]))
            try one.meet()
            try two.meet()
            #expect(try two.record(id)?["title"] == "a")
            #expect(try two.localChanges().count == 1)
        }
    }

    @Test("an undo inside of a write, or of a closed store, is refused as any edit")
    func misuse() throws {
        let store = try store()
        try store.write { edit in try edit.insert(into: "notes", ["title": "one"]) }
        try store.write { _ in #expect(code { try store.undo() } == .nestedTransaction) }
        store.close()
        #expect(code { try store.undo() } == .notOpen)
        #expect(code { try store.redo() } == .notOpen)
    }
}
