import Core
import Storage
import TestSupport
import Testing

@Suite("Undoing, before and after a sync")
struct UndoTests {
    private let title = Field.number(2)
    private let notes = Field.number(3)

    private func last(_ store: Store) throws -> LocalChange {
        try #require(
            try store.localChanges(limit: 50).first { $0.undoneBy == nil && $0.undoes == nil })
    }

    private func shown(_ id: RecordID, _ store: Store, _ field: Field = .number(2)) throws -> Value?
    {
        try store.record(id)?.record.visible(field)
    }

    @Test("an edit is undone by a new write, also after a sync, and the undo is undone in turn")
    func edits() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("one", to: a)
        try StoreWorld.rename(id, "two", in: a)
        try StoreWorld.mingle([a, b])
        let change = try last(a)
        #expect(try a.undo(change.timestamp) == .done([RecordName(toDo: id)]))
        #expect(try shown(id, a) == .text("one"))
        try StoreWorld.mingle([a, b])
        #expect(try shown(id, b) == .text("one"))
        let undo = try #require(
            try a.localChanges(limit: 9).first { $0.undoes == change.timestamp })
        #expect(
            try a.localChanges(limit: 9).first { $0.timestamp == change.timestamp }?.undoneBy
                == undo.timestamp)
        #expect(try a.undo(undo.timestamp) == .done([RecordName(toDo: id)]))
        #expect(try shown(id, a) == .text("two"))
        // It stands again, and can be undone again.
        #expect(try last(a).timestamp == change.timestamp)
        #expect(try a.undo(change.timestamp) == .done([RecordName(toDo: id)]))
        #expect(try shown(id, a) == .text("one"))
        try StoreWorld.mingle([a, b])
        try StoreWorld.expectEqual([a, b])
    }

    @Test("one after the other, back to the making, which goes to the trash")
    func stack() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        let id = try StoreWorld.add("one", to: a)
        try StoreWorld.rename(id, "two", in: a)
        try a.write { _ = try $0.update(id, [Assignment(notes, .text("n"))]) }
        try a.write { _ = try $0.delete(id) }
        #expect(try a.undo(try last(a).timestamp) == .done([RecordName(toDo: id)]))
        #expect(try a.record(id)?.verdict.isDeleted == false)
        #expect(try a.undo(try last(a).timestamp) == .done([RecordName(toDo: id)]))
        #expect(try shown(id, a, notes) == .null)
        #expect(try a.undo(try last(a).timestamp) == .done([RecordName(toDo: id)]))
        #expect(try shown(id, a) == .text("one"))
        #expect(try a.undo(try last(a).timestamp) == .done([RecordName(toDo: id)]))
        #expect(try a.record(id)?.verdict.isDeleted == true)
        #expect(try a.localChanges(limit: 50).allSatisfy { $0.undoneBy != nil || $0.undoes != nil })
    }

    /// The purge that ends a plain undo, and the change before it; nil if none does.
    private func purge(
        _ store: Store
    ) throws -> (records: [RecordName], isOwn: Bool, before: LocalChange?)? {
        guard case .purge(let purge, let before) = try store.nextToUndo() else { return nil }
        return (purge.records, purge.isOwn, before)
    }

    @Test("a plain undo does not pass over a purge to an older edit without a word")
    func purges() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        #expect(try a.nextToUndo() == .nothing)
        let (one, two) = (try StoreWorld.add("one", to: a), try StoreWorld.add("two", to: a))
        try StoreWorld.rename(one, "renamed", in: a)
        let edit = try #require(try a.nextToUndo().change)
        #expect(edit.entries.map(\.record) == [RecordName(toDo: one)])
        try a.write { _ = try $0.delete(two) }
        try a.write { _ = try $0.purge(two) }
        let purge = try #require(try self.purge(a))
        #expect(purge == ([RecordName(toDo: two)], true, edit))
        #expect(try a.nextToUndo().change == nil)
        // An edit made since is undone as ever, and then the purge is in the way again.
        try StoreWorld.rename(one, "again", in: a)
        _ = try a.undo(try #require(try a.nextToUndo().change).timestamp)
        #expect(try #require(try self.purge(a)) == purge)
        // Whoever has undone the edit by its number has gone past the purge.
        _ = try a.undo(edit.timestamp)
        #expect(try shown(one, a) == .text("one"))
        #expect(try a.nextToUndo().change != nil)
        #expect(try a.examine() == [])
    }

    @Test("a purge by another device, or of what nothing is left to undo, is told of as well")
    func otherPurges() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let (one, two) = (try StoreWorld.add("one", to: a), try StoreWorld.add("two", to: a))
        try StoreWorld.mingle([a, b])
        try b.write { _ = try $0.purge(two, isForced: true) }
        try StoreWorld.mingle([a, b])
        // The last deed here was to make it: the one before it is not undone instead.
        let other = try #require(try purge(a))
        #expect(other.records == [RecordName(toDo: two)] && !other.isOwn && other.before != nil)
        #expect(try #require(try purge(b)) == ([RecordName(toDo: two)], true, nil))
        try a.write { _ = try $0.purge(one, isForced: true) }
        #expect(try purge(a)?.records == [RecordName(toDo: one)])
    }

    @Test(
        "a delete undone before anybody could hear of it leaves no conflict; one that was told is restored",
        arguments: [false, true], [false, true])
    func deletes(isTold: Bool, staysOpen: Bool) throws {
        let world = StoreWorld()
        var a = try world.create("a")
        let (b, c) = (try world.create("b"), try world.create("c"))
        let id = try StoreWorld.add("one", to: a)
        try a.write { _ = try $0.update(id, [Assignment(notes, .text("n"))]) }
        try StoreWorld.mingle([a, b, c])
        // Each command opens the store for itself, unless it is open for a daemon as well.
        func reopen() throws {
            if staysOpen { return }
            a.close()
            a = try world.open("a")
        }
        try reopen()
        try a.write { _ = try $0.delete(id) }
        if isTold { _ = try StoreWorld.pull(c, from: a) }
        try StoreWorld.rename(id, "of b", in: b)
        try reopen()
        let change = try last(a)
        #expect(try a.undo(change.timestamp) == .done([RecordName(toDo: id)]))
        #expect(try shown(id, a) == .text("one"))
        let entry = try #require(try a.journal.entries(of: id).first)
        #expect(entry.field == .deleted && entry.kind == .local && entry.after == .bool(false))
        try reopen()
        #expect(try a.examine() == [])
        try StoreWorld.mingle([a, b, c])
        try StoreWorld.expectEqual([a, b, c])
        for store in [a, b, c] {
            let record = try #require(try store.record(id))
            #expect(!record.verdict.isDeleted && !record.verdict.isContested)
            #expect(record.record.fieldConflicts.map(\.field) == (isTold ? [title] : []))
            #expect(record.record.visible(notes) == .text("n"))
        }
        // Undone in turn, it is deleted again.
        let undo = try #require(try a.localChanges(limit: 9).first { $0.undoes != nil })
        if !isTold { #expect(try a.undo(undo.timestamp) == .done([RecordName(toDo: id)])) }
    }

    @Test("records that were made and never touched are undone as one")
    func makings() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        let kept = try StoreWorld.add("kept", to: a)
        let ids = try a.write { transaction in
            try (0..<30).map {
                try transaction.insert([Assignment(title, .text("\($0)"))], into: StoreWorld.todo)
            }
        }
        // One of them has a history of its own.
        try StoreWorld.rename(ids[3], "renamed", in: a)
        #expect(try a.undo(try last(a).timestamp) == .done([RecordName(toDo: ids[3])]))
        let making = try last(a)
        #expect(making.entries.count == 30)
        guard case .done(let changed) = try a.undo(making.timestamp) else {
            Issue.record("refused")
            return
        }
        #expect(Set(changed) == Set(ids.map(RecordName.init(toDo:))))
        #expect(try StoreWorld.titles(a) == ["kept"])
        #expect(try a.record(kept)?.verdict.isDeleted == false)
        try StoreWorld.expectEqual([a])
    }

    /// How many operations of SQLite's machine an undo takes in a store with so many others that were never touched.
    private func cost(among count: Int) throws -> Int {
        let world = StoreWorld()
        let store = try world.create("a")
        try store.write { transaction in
            for number in 0..<count {
                try transaction.insert(
                    [Assignment(title, .text("\(number)"))], into: StoreWorld.todo)
            }
        }
        let id = try StoreWorld.add("one", to: store)
        let before = store.operationCount
        let change = try #require(try store.nextToUndo().change)
        #expect(change.entries.map(\.record) == [RecordName(toDo: id)])
        #expect(try store.undo(change.timestamp) == .done([RecordName(toDo: id)]))
        #expect(try store.nextToRedo()?.undoes == change.timestamp)
        return store.operationCount - before
    }

    @Test("an undo reads what it changes, however many records were made and never touched")
    func cost() throws {
        #expect(try cost(among: 2_000) <= cost(among: 20) + 20)
    }

    @Test("an import that is undone, redone and changed in part is undone by its own records alone")
    func importing() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        try StoreWorld.add("kept", to: a)
        let ids = try a.write { transaction in
            try (0..<Store.madeLookCount + 20).map {
                try transaction.insert([Assignment(title, .text("\($0)"))], into: StoreWorld.todo)
            }
        }
        let making = try last(a)
        #expect(making.entries.count == Store.madeLookCount)
        #expect(try a.localEntries(of: making.timestamp).count == ids.count)
        try StoreWorld.rename(ids[7], "renamed", in: a)
        try StoreWorld.add("kept as well", to: a)
        #expect(try a.isUndone(making.timestamp) == nil)
        guard case .done(let changed) = try a.undo(making.timestamp) else {
            Issue.record("refused")
            return
        }
        #expect(Set(changed) == Set(ids.map(RecordName.init(toDo:))))
        #expect(try StoreWorld.titles(a) == ["kept", "kept as well"])
        let undo = try #require(try a.nextToRedo())
        #expect(try a.undone(by: undo)?.timestamp == making.timestamp)
        #expect(try a.isUndone(making.timestamp) == true)
        guard case .done(let restored) = try a.undo(undo.timestamp) else {
            Issue.record("refused")
            return
        }
        #expect(restored.count == ids.count)
        #expect(try a.isUndone(making.timestamp) == false)
    }

    @Test(
        "of the transactions that made records 10,000 are remembered; what an older one made stays")
    func makingLimit() throws {
        var options = StoreOptions()
        #expect(options.makingCountMax == 10_000)
        options.makingCountMax = 100
        let world = StoreWorld()
        let store = try world.create("a", options: options)
        let first = try StoreWorld.add("first", to: store)
        let making = try #require(try store.nextToUndo().change)
        for number in 1..<300 { try StoreWorld.add("\(number)", to: store) }
        #expect((100...100 + 64).contains(try store.localChanges(limit: 300).count))
        #expect(throws: StoreFault.noSuchRecord) { try store.undo(making.timestamp) }
        #expect(try store.record(first)?.verdict.isDeleted == false)
    }

    @Test("what somebody else changed later is not overwritten, unless that is forced")
    func refusals() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("one", to: a)
        try StoreWorld.rename(id, "two", in: a)
        let change = try last(a)
        try StoreWorld.mingle([a, b])
        try StoreWorld.rename(id, "theirs", in: b)
        try StoreWorld.mingle([a, b])
        guard case .refused(let obstacles) = try a.undo(change.timestamp) else {
            Issue.record("not refused")
            return
        }
        #expect(obstacles.count == 1)
        guard case .changedLater(let author, _)? = obstacles.first?.reason else {
            Issue.record("another reason: \(obstacles)")
            return
        }
        #expect(author == b.replica)
        #expect(try shown(id, a) == .text("theirs"))
        #expect(try a.undo(change.timestamp, isForced: true) == .done([RecordName(toDo: id)]))
        #expect(try shown(id, a) == .text("one"))
    }

    @Test("what is in conflict, deleted or purged is not undone under the hand")
    func moreRefusals() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("one", to: a)
        try StoreWorld.mingle([a, b])
        try StoreWorld.rename(id, "mine", in: a)
        try StoreWorld.rename(id, "theirs", in: b)
        try StoreWorld.mingle([a, b])
        let change = try last(a)
        #expect(
            try a.undo(change.timestamp)
                == .refused([.init(record: RecordName(toDo: id), field: title, reason: .inConflict)]
                ))
        try b.write { _ = try $0.delete(id) }
        try StoreWorld.mingle([a, b])
        #expect(
            try a.undo(change.timestamp, isForced: true)
                == .refused([.init(record: RecordName(toDo: id), field: title, reason: .deleted)]))
        #expect(throws: StoreFault.noSuchRecord) { try a.undo(.zero) }
    }

    @Test(
        "a resolution is undone: the conflict is open again on every device, and can be decided anew"
    )
    func resolutions() throws {
        for choice in ["mine", "theirs", "third"] {
            let world = StoreWorld()
            let (a, b) = (try world.create("a"), try world.create("b"))
            let id = try StoreWorld.add("one", to: a)
            try StoreWorld.mingle([a, b])
            try StoreWorld.rename(id, "mine", in: a)
            try StoreWorld.rename(id, "theirs", in: b)
            try StoreWorld.mingle([a, b])
            let shownFirst = try shown(id, a)
            try a.write { _ = try $0.resolve(id, title, with: .text(choice)) }
            try StoreWorld.mingle([a, b])
            #expect(try b.record(id)?.record.fieldConflicts.isEmpty == true)
            let change = try last(a)
            #expect(try a.undo(change.timestamp) == .done([RecordName(toDo: id)]))
            try StoreWorld.mingle([a, b])
            for store in [a, b] {
                let conflict = try #require(try store.record(id)?.record.fieldConflicts.first)
                #expect(Set(conflict.candidates.map(\.value)) == [.text("mine"), .text("theirs")])
                #expect(conflict.candidates.first?.value == shownFirst)
            }
            // The undo of the undo resolves once more.
            let undo = try #require(
                try a.localChanges(limit: 9).first { $0.undoes == change.timestamp })
            #expect(try a.undo(undo.timestamp) == .done([RecordName(toDo: id)]), "\(choice)")
            #expect(try shown(id, a) == .text(choice))
            #expect(try a.record(id)?.record.fieldConflicts.isEmpty == true)
            try StoreWorld.mingle([a, b])
            try StoreWorld.expectEqual([a, b])
        }
    }

    @Test("a decision that a record stays deleted is undone: it is asked again on every device")
    func decisionsOnDeletes() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("one", to: a)
        let other = try StoreWorld.add("other", to: a)
        try StoreWorld.mingle([a, b])
        try b.write { _ = try $0.delete(id) }
        try StoreWorld.rename(id, "edited apart", in: a)
        try StoreWorld.mingle([a, b])
        #expect(try a.record(id)?.verdict.isContested == true)
        try StoreWorld.rename(other, "renamed", in: a)
        try a.write { _ = try $0.delete(id) }
        try StoreWorld.mingle([a, b])
        #expect(try b.record(id)?.verdict.isContested == false)
        let next = try #require(try a.nextToUndo().change)
        #expect(Set(next.entries.map(\.record)) == [RecordName(toDo: id)])
        #expect(try a.undo(next.timestamp) == .done([RecordName(toDo: id)]))
        try StoreWorld.mingle([a, b])
        for store in [a, b] {
            let record = try #require(try store.record(id))
            #expect(record.standing == .trashed && record.verdict.isContested)
            #expect(try StoreWorld.titles(store) == ["renamed"])
        }
        // And decided once more, by a redo.
        let undo = try #require(try a.nextToRedo())
        #expect(try a.undo(undo.timestamp) == .done([RecordName(toDo: id)]))
        try StoreWorld.mingle([a, b])
        for store in [a, b] { #expect(try store.record(id)?.verdict.isContested == false) }
        try StoreWorld.expectEqual([a, b])
        // What somebody else decided later stays.
        try b.write { _ = try $0.restore(id) }
        try StoreWorld.mingle([a, b])
        guard case .refused = try a.undo(next.timestamp, isForced: false) else {
            Issue.record("a restore of another device was passed over")
            return
        }
    }

    @Test(
        "a decision that a record is kept is undone: it is asked again on every device",
        arguments: [DeletePolicy.deletesWin, .editsWin], [false, true])
    func decisionsToKeep(policy: DeletePolicy, clears: Bool) throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a", policy: policy), try world.create("b", policy: policy))
        let id = try StoreWorld.add("one", to: a)
        try a.write { _ = try $0.update(id, [Assignment(notes, .text("n"))]) }
        try StoreWorld.mingle([a, b])
        try b.write { _ = try $0.delete(id) }
        let edit = clears ? Assignment(notes, .null) : Assignment(title, .text("edited apart"))
        try a.write { _ = try $0.update(id, [edit]) }
        try StoreWorld.mingle([a, b])
        let contested = try #require(try a.record(id)?.verdict)
        #expect(contested.isContested && contested.isDeleted == (policy == .deletesWin))
        try a.write { _ = try $0.restore(id) }
        let change = try #require(try a.nextToUndo().change)
        try StoreWorld.mingle([a, b])
        #expect(try b.record(id)?.standing == .live)
        #expect(try b.record(id)?.verdict.isContested == false)
        #expect(try a.undo(change.timestamp) == .done([RecordName(toDo: id)]))
        try StoreWorld.mingle([a, b])
        for store in [a, b] {
            #expect(try store.record(id)?.verdict == contested)
            #expect(try shown(id, store, edit.field) == edit.value)
        }
        // And decided once more, by a redo.
        let undo = try #require(try a.nextToRedo())
        #expect(try a.undo(undo.timestamp) == .done([RecordName(toDo: id)]))
        try StoreWorld.mingle([a, b])
        for store in [a, b] {
            #expect(try store.record(id)?.standing == .live)
            #expect(try store.record(id)?.verdict.isContested == false)
        }
        // Edits by somebody else since then are not deleted under the hand.
        try b.write { _ = try $0.update(id, [Assignment(notes, .text("later"))]) }
        try StoreWorld.mingle([a, b])
        guard case .refused = try a.undo(change.timestamp) else {
            Issue.record("an edit of another device was passed over")
            return
        }
        #expect(try a.undo(change.timestamp, isForced: true) == .done([RecordName(toDo: id)]))
        try StoreWorld.mingle([a, b])
        try StoreWorld.expectEqual([a, b])
    }

    @Test("several records in one transaction are undone together or not at all")
    func whole() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let ids = try (0..<3).map { try StoreWorld.add("\($0)", to: a) }
        try StoreWorld.mingle([a, b])
        try a.write { transaction in
            for id in ids { _ = try transaction.update(id, [Assignment(notes, .text("n"))]) }
        }
        try StoreWorld.mingle([a, b])
        try b.write { _ = try $0.update(ids[1], [Assignment(notes, .text("theirs"))]) }
        try StoreWorld.mingle([a, b])
        let change = try last(a)
        guard case .refused(let obstacles) = try a.undo(change.timestamp) else {
            Issue.record("not refused")
            return
        }
        #expect(obstacles.map(\.record) == [RecordName(toDo: ids[1])])
        #expect(try shown(ids[0], a, notes) == .text("n"))
    }

    @Test(
        "of 200 looked at, 100 undos in a row are taken back one by one; an older one is not found")
    func redoLimit() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try StoreWorld.add("0", to: store)
        let count = Store.redoLookCount / 2
        #expect(count == 100)
        for number in 1...count + 1 { try StoreWorld.rename(id, "\(number)", in: store) }
        for _ in 0...count {
            let change = try #require(try store.nextToUndo().change)
            _ = try store.undo(change.timestamp)
        }
        #expect(try shown(id, store) == .text("0"))
        for number in 1...count {
            let undo = try #require(try store.nextToRedo())
            _ = try store.undo(undo.timestamp)
            #expect(try shown(id, store) == .text("\(number)"))
        }
        #expect(try store.nextToRedo() == nil)
    }
}
