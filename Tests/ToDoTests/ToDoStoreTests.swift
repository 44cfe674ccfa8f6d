import Core
import Glibc
import Storage
import Testing
import ToDo

@Suite("To-dos in a store")
struct ToDoStoreTests {
    private let folder: String
    private let todos: ToDoStore

    init() throws {
        var template = Array("/tmp/tandem-todo-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        folder = try #require(made)
        var bits: UInt64 = 1
        let environment = StoreEnvironment(
            wallMilliseconds: { Fixed.now },
            drawBits: {
                bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return bits ^ bits >> 29
            }, machine: "m", boot: "b")
        let store = try Store.create(
            folder: folder + "/store", schema: ToDoSchema.collections, deviceName: "test",
            environment: environment)
        todos = ToDoStore(store: store, now: Fixed.now, zone: try Fixed.berlin())
    }

    private func remove() {
        todos.store.close()
        var identifier = pid_t()
        let command: [String] = ["rm", "-rf", folder]
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        words.append(nil)
        if posix_spawnp(&identifier, "rm", nil, nil, &words, nil) == 0 {
            waitpid(identifier, nil, 0)
        }
        for word in words { free(word) }
    }

    private func parse(_ words: [String]) throws -> ToDoItem {
        let typed = try ToDoWords.parse(words, now: todos.now, zone: todos.zone)
        var item = ToDoItem(title: typed.title ?? "x")
        for assignment in typed.assignments { item.apply(assignment, now: todos.now) }
        return item
    }

    @Test("a to-do comes back as it was put in, and a save that changes nothing writes nothing")
    func roundTrip() throws {
        defer { remove() }
        var item = try parse([
            "Paint", "the", "fence", "project:Home.Garden", "due:2026-12-01", "wait:tomorrow+10h",
            "priority:high", "+green", "+älter", "people:Anna,Bo", "location:garden",
            "notes:two\ncoats", "x.size:12", "x.price:1.5", "x.yes:true", "x.name:O'Neil",
        ])
        item.created = Fixed.now
        let id = try todos.add(item)
        let shown = ToDoMapping.item(try #require(try todos.stored(id)))
        item.identifier = id.value
        item.modified = shown.modified
        #expect(shown == item)
        let sequence = try todos.store.summary().sequence
        #expect(try !todos.edit(id, from: shown, to: shown))
        #expect(try todos.store.summary().sequence == sequence)
        var cleared = shown
        cleared.due = nil
        cleared.removeTag("green")
        cleared.custom["size"] = nil
        #expect(try todos.edit(id, from: shown, to: cleared))
        let again = ToDoMapping.item(try #require(try todos.stored(id)))
        cleared.modified = again.modified
        #expect(again == cleared)
    }

    @Test(
        "a to-do with a status that no program of ours writes is pending in lists, counts and order",
        arguments: [Value.text("pending"), .text("waiting"), .int(3)])
    func oddStatus(_ status: Value) throws {
        defer { remove() }
        let ids = try ["Odd", "Plain", "Done"].map { try todos.add(ToDoItem(title: $0)) }
        func write(_ value: Value, to id: RecordID) throws {
            try todos.store.write { transaction in
                _ = try transaction.update(
                    RecordName(ToDoSchema.collection, id),
                    [Assignment(.number(ToDoSchema.Number.status), value)])
            }
        }
        try write(status, to: ids[0])
        try write(.text("completed"), to: ids[2])
        let pending = try todos.list(ToDoFilter([]), pendingOnly: true)
        #expect(Set(pending.map(\.id)) == Set(ids.prefix(2)))
        #expect(try todos.counts().pending == 2)
        let filter = try ToDoFilter.parse(["status:pending"], now: todos.now, zone: todos.zone)
        #expect(try todos.list(filter, pendingOnly: false).count == 2)
        #expect(try todos.move([ids[0]], to: .after(ids[1])))
        #expect(try todos.ordered().map(\.id).contains(ids[0]))
        #expect(try todos.stored(ids[0])?[ToDoSchema.Number.status] == status)
        #expect(try todos.store.examine() == [])
        // Completed, and pending again, it is an ordinary one.
        try write(.text("completed"), to: ids[0])
        #expect(try todos.counts().pending == 1)
        try write(.null, to: ids[0])
        #expect(try todos.counts().pending == 2)
    }

    @Test("a filter that the store answers takes what the filter itself takes")
    func filtersAgree() throws {
        defer { remove() }
        let projects = ["", "project:Home", "project:home.Garden", "project:Homework"]
        let dues = ["", "due:today", "due:yesterday", "due:2026-12-01", "due:tomorrow+10h"]
        let tags = ["", "+a", "+b", "+a b"]
        for number in 0..<160 {
            var words = ["number", "\(number)", "Straße"]
            words += [projects[number % 4], dues[number % 5], tags[number / 4 % 4]]
            if number % 7 == 0 { words.append("status:completed") }
            if number % 11 == 0, number % 7 != 0 { words.append("status:cancelled") }
            if number % 3 == 0 { words.append("priority:high") }
            _ = try todos.add(try parse(words.filter { !$0.isEmpty }))
        }
        let all = try todos.store.fetch(FetchRequest(ToDoSchema.collection))
            .map(ToDoMapping.item)
        let filters = [
            [], ["project:home"], ["project:"], ["+a"], ["-a"], ["STRASSE"], ["straße", "-b"],
            ["status:completed"], ["due:today"], ["due.before:2026-12-02"], ["due.after:today"],
            ["+OVERDUE"], ["+TODAY"], ["+WEEK"], ["+READY"], ["+AGENDA"], ["+INBOX"],
            ["priority:high", "project:Home"], ["+COMPLETED"], ["-COMPLETED"], ["due:"],
        ]
        for words in filters {
            let filter = try ToDoFilter.parse(words, now: todos.now, zone: todos.zone)
            let expected = all.filter {
                filter.matches($0, now: todos.now, zone: todos.zone)
            }
            let found = try todos.list(filter, pendingOnly: false).map(ToDoMapping.item)
            #expect(
                Set(found.map(\.identifier)) == Set(expected.map(\.identifier)), "\(words)")
            let few = try todos.list(filter, pendingOnly: false, limit: 5)
            #expect(few.count == min(5, expected.count), "\(words)")
        }
    }

    @Test("an import that is repeated changes nothing, and leaves the trash alone")
    func importTwice() throws {
        defer { remove() }
        var items = try (0..<20).map { try parse(["item", "\($0)", "+t"]) }
        for index in items.indices { items[index].identifier = UInt128(index + 1) }
        let first = try todos.importItems(items)
        #expect(first.count == 20)
        let id = RecordID(value: 7)
        try todos.store.edit { transaction throws(StoreFault) in try transaction.delete(id) }
        let sequence = try todos.store.summary().sequence
        let second = try todos.importItems(items)
        #expect(second.filter { $0 == .skippedDeleted(id) }.count == 1)
        #expect(try todos.store.summary().sequence == sequence)
        let third = try todos.importItems(items, revives: true)
        #expect(third.contains(.updated(id)))
        #expect(try todos.list(ToDoFilter([]), pendingOnly: true).count == 20)
    }

    @Test("items without an id get the same one each time, and those alike stay two")
    func importWithoutIdentifiers() throws {
        defer { remove() }
        let items = try ["milk", "milk", "bread"].map { try parse([$0, "+shop"]) }
        #expect(try todos.importItems(items).count == 3)
        #expect(try todos.list(ToDoFilter(), pendingOnly: true).count == 3)
        let again = try todos.importItems(items)
        #expect(
            again.allSatisfy { outcome in
                if case .unchanged = outcome { true } else { false }
            })
        #expect(try todos.list(ToDoFilter(), pendingOnly: true).count == 3)
    }

    @Test("an import leaves a field alone that the file says nothing of")
    func importKeepsFields() throws {
        defer { remove() }
        var item = try parse(["milk", "due:2026-12-01"])
        item.identifier = 5
        _ = try todos.importItems([item])
        let id = RecordID(value: 5)
        let shown = ToDoMapping.item(try #require(try todos.stored(id)))
        var edited = shown
        edited.notes = "oat"
        edited.addTag("mine")
        #expect(try todos.edit(id, from: shown, to: edited))
        item.due = Fixed.day("2026-12-02")
        #expect(try todos.importItems([item]) == [.updated(id)])
        let merged = ToDoMapping.item(try #require(try todos.stored(id)))
        #expect(merged.notes == "oat")
        #expect(merged.tags == ["mine"])
        #expect(merged.due == Fixed.day("2026-12-02"))
    }
}
