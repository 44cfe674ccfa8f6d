import Core
import Storage
import Testing
import ToDo

@Suite("Importing a file piece by piece")
struct StreamedImportTests {
    private let format: JSONLinesFormat

    init() throws {
        format = try JSONLinesFormat(FormatSettings(zone: .utc, now: Fixed.now))
    }

    /// A whole export: with a conflict, a to-do in the trash, entries without an id, and what the journal had.
    private func export() throws -> [UInt8] {
        let world = try ToDoWorld(zone: .utc)
        let (laptop, phone) = (try world.store("laptop"), try world.store("phone"))
        let todos = world.todos(laptop)
        var items = (0..<20).map { ToDoItem(title: "ü \($0)") }
        for index in items.indices { items[index].identifier = UInt128(index + 1) }
        _ = try todos.add(items)
        try world.meet(laptop, phone)
        let shared = RecordID(value: 3)
        for (store, notes) in [(laptop, "left"), (phone, "right")] {
            world.now += 1_000
            let old = ToDoMapping.item(try #require(try world.todos(store).stored(shared)))
            var new = old
            new.notes = notes
            #expect(try world.todos(store).edit(shared, from: old, to: new))
        }
        _ = try todos.delete([RecordID(value: 5)])
        try world.meet(laptop, phone)
        let twin = #"{"tandem":1,"title":"twin"}"#
        return try todos.exportAll().bytes + Array("\(twin)\n\r\n\(twin)\r\n\(twin)".utf8)
    }

    @Test(
        "pieces of any length give what the whole file gives",
        arguments: [1, 2, 7, 100, 1_000, 1 << 20])
    func pieces(count: Int) throws {
        let bytes = [0xef, 0xbb, 0xbf] + (try export())
        let whole = try JSONLinesFormat.decode(bytes)
        let pages = try format.pages(bytes, of: count)
        #expect(pages.flatMap(\.items) == whole.items)
        #expect(whole.items.count == 22)
        #expect(pages.flatMap(\.trash) == whole.trash)
        #expect(pages.flatMap(\.besides) == whole.besides)
        #expect(whole.besides.count == 1)
        #expect(pages.flatMap(\.faults).isEmpty)
        #expect(pages.flatMap(\.losses).map(\.reason) == whole.losses.map(\.reason))
    }

    @Test("an import by pages makes what an import of the whole file makes, and once more nothing")
    func importing() throws {
        let bytes = try export()
        let world = try ToDoWorld(zone: .utc)
        let (one, other) = (try world.store("one"), try world.store("other"))
        #expect(try other.cacheKibibyteCount() == 8_000)
        let whole = ImportSummary(
            try world.todos(one).importFile(try JSONLinesFormat.decode(bytes)))
        for round in 0..<2 {
            var survey = FileSurvey()
            for page in try format.pages(bytes, of: 100) { survey.add(page) }
            #expect(survey.faultCount == 0)
            let summary = try world.todos(other).importPages(besides: survey.reading.besides) {
                body in
                for page in try format.pages(bytes, of: 100) { try body(page) }
            }
            #expect(summary.stepCount == whole.stepCount)
            #expect(summary.madeCount == (round == 0 ? whole.madeCount : 0))
            #expect(summary.madeInTrashCount == (round == 0 ? 1 : 0))
            #expect(summary.unchangedCount == (round == 0 ? 0 : whole.stepCount))
        }
        #expect(try other.cacheKibibyteCount() == Store.bulkCacheKibibyteCount)
        #expect(Store.bulkCacheKibibyteCount == 131_072)
        func shown(_ store: Store) throws -> [ToDoItem] {
            try store.fetch(FetchRequest(ToDoSchema.collection, scope: .all)).map {
                var item = ToDoMapping.item($0)
                item.modified = nil
                return item
            }
        }
        #expect(try shown(one) == shown(other))
        #expect(try shown(one).contains { $0.custom.keys.contains { $0.hasPrefix("conflict") } })
        // All of it is one change.
        #expect(try other.localChanges(limit: 9).count == 1)
    }

    @Test("a rehearsal by pages tells what the import does, and changes nothing")
    func rehearsal() throws {
        let bytes = try export()
        let store = try ToDoWorld(zone: .utc).store("one")
        let todos = ToDoStore(store: store, now: Fixed.now, zone: .utc)
        var known = ToDoItem(title: "ü 0")
        known.identifier = 1
        known.notes = "of this device"
        _ = try todos.add(known)
        var besides: [BesideValue] = []
        for page in try format.pages(bytes, of: 100) { besides += page.besides }
        func pages(_ body: (FormatReading) throws -> Void) throws {
            for page in try format.pages(bytes, of: 100) { try body(page) }
        }
        let before = try store.summary()
        let plan = try todos.rehearsePages(besides: besides, pages)
        #expect(
            try todos.rehearsePages(besides: besides, pages).steps.map(\.title)
                == plan.steps.map(\.title))
        #expect(try store.summary() == before)
        #expect(try store.count(FetchRequest(ToDoSchema.collection, scope: .all)) == 1)
        #expect(plan.unlistedStepCount == 0)
        struct Failed: Error {}
        #expect(throws: Failed.self) {
            try todos.rehearsePages(besides: []) { body in
                try pages(body)
                throw Failed()
            }
        }
        let summary = try todos.importPages(besides: besides, pages)
        #expect(plan.summary.madeCount == summary.madeCount && summary.madeCount > 10)
        #expect(plan.summary.madeInTrashCount == summary.madeInTrashCount)
        #expect(plan.summary.updatedCount == summary.updatedCount)
        #expect(plan.summary.stepCount == summary.stepCount)
        #expect(plan.steps.map(\.title).contains("ü 3") && plan.steps.contains { $0.isTrash })
        #expect(plan.steps.count == summary.stepCount - summary.unchangedCount)
        #expect(try todos.rehearsePages(besides: besides, pages).steps.isEmpty)
        #expect(try store.examine() == [])
    }

    @Test("a rehearsal of a long file lists its first 10,000 to-dos, and counts the others")
    func longRehearsal() throws {
        let store = try ToDoWorld(zone: .utc).store("one")
        let todos = ToDoStore(store: store, now: Fixed.now, zone: .utc)
        let items = (0..<2_100).map { ToDoItem(title: "\($0)") }
        let plan = try todos.rehearsePages(besides: []) { body in
            for _ in 0..<5 { try body(FormatReading(items)) }
        }
        #expect(FormatLimits.listedStepCountMax == 10_000)
        #expect(plan.summary.madeCount == 10_500)
        #expect(plan.steps.count == 10_000 && plan.unlistedStepCount == 500)
        #expect(plan.steps[2_099].title == "2099")
    }

    @Test("a page that fails leaves nothing of those before it")
    func failing() throws {
        let world = try ToDoWorld(zone: .utc)
        let store = try world.store("one")
        let bytes = try export()
        struct Failed: Error {}
        #expect(throws: Failed.self) {
            try world.todos(store).importPages(besides: []) { body in
                for page in try format.pages(bytes, of: 500) { try body(page) }
                throw Failed()
            }
        }
        #expect(try store.count(FetchRequest(ToDoSchema.collection, scope: .all)) == 0)
        #expect(try store.examine() == [])
    }

    /// A file that gives other bytes with each reading, the last of them for ever.
    private func file(_ readings: [String], takesPart: Bool = false) throws -> LongImport {
        var rest = readings[...]
        return try LongImport(format, takesPart: takesPart) { body in
            let text = rest.count > 1 ? rest.removeFirst() : rest[rest.startIndex]
            try body(ArraySlice(text.utf8))
        }
    }

    @Test(
        "a long file is imported if it has no bad entry, or the good ones alone where they are asked for"
    )
    func longFiles() throws {
        let world = try ToDoWorld(zone: .utc)
        let store = try world.store("one")
        let todos = world.todos(store)
        func count() throws -> Int {
            try store.count(FetchRequest(ToDoSchema.collection, scope: .all))
        }
        let good = #"{"tandem":1,"title":"good"}"# + "\n"
        let bad = try file([good + "no json\n"])
        #expect(bad.isRefused)
        #expect(try todos.rehearse(bad).summary.madeCount == 1)
        do {
            _ = try todos.carryOut(bad)
            Issue.record("imported")
        } catch LongImportFault.badEntries(let reading, let goodCount) {
            #expect(reading.faults.count == 1 && goodCount == 1)
        }
        #expect(try count() == 0)
        let partial = try file([good + "no json\n"], takesPart: true)
        #expect(!partial.isRefused && partial.reading.faults.count == 1)
        #expect(try todos.carryOut(partial).madeCount == 1)
        #expect(try todos.carryOut(try file([good])).unchangedCount == 1)
        #expect(try count() == 1)
    }

    @Test("a long file that is changed between its two readings is not imported")
    func changedFiles() throws {
        let world = try ToDoWorld(zone: .utc)
        let store = try world.store("one")
        let todos = world.todos(store)
        let (one, two) = (#"{"tandem":1,"title":"one"}"#, #"{"tandem":1,"title":"two"}"#)
        for isRehearsal in [false, true] {
            let changed = try file([one, two])
            #expect {
                if isRehearsal {
                    _ = try todos.rehearse(changed)
                } else {
                    _ = try todos.carryOut(changed)
                }
            } throws: {
                if case LongImportFault.changed = $0 { true } else { false }
            }
        }
        let spoilt = try file([one, two + "\nno json"])
        #expect {
            _ = try todos.carryOut(spoilt)
        } throws: {
            if case LongImportFault.badEntries = $0 { true } else { false }
        }
        #expect(try store.count(FetchRequest(ToDoSchema.collection, scope: .all)) == 0)
        #expect(try store.examine() == [])
    }

    @Test("bad lines are told with their numbers, at most 10,000 of them; the rest are counted")
    func faults() throws {
        let good = #"{"tandem":1,"title":"good"}"#
        let bytes = Array("no json\n\(good)\n{\"tandem\":1}\n".utf8)
        let whole = try JSONLinesFormat.decode(bytes)
        #expect(try format.pages(bytes, of: 5).flatMap(\.faults) == whole.faults)
        #expect(FormatLimits.listedFaultCountMax == 10_000)
        let many = Array((String(repeating: "[]\n", count: 10_100) + good).utf8)
        var survey = FileSurvey()
        for page in try format.pages(many, of: 999) { survey.add(page) }
        #expect(survey.faultCount == 10_100)
        #expect(survey.reading.faults.count == FormatLimits.listedFaultCountMax)
        let loss = FormatLoss(entry: 1, title: "", field: "", CommonReason.leftOutAsPending)
        var page = FormatReading(losses: Array(repeating: loss, count: 3_000))
        page.remarks = Array(repeating: loss, count: 4_000)
        for _ in 0..<4 { survey.add(page) }
        #expect(survey.reading.losses.count == FormatLimits.listedFaultCountMax)
        #expect(survey.reading.unlistedLossCount == 2_000)
        #expect(survey.reading.remarks.count == FormatLimits.listedFaultCountMax)
        #expect(survey.reading.unlistedRemarkCount == 6_000)
        // Another file is told as one.
        #expect(throws: FormatFault.self) { try format.pages(Array("a\nb\n".utf8), of: 3) }
    }

    @Test("a line longer than an entry may be is refused, and no more of it is held")
    func longLine() throws {
        var stream = try #require(format.stream())
        let piece = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)[...]
        let title = String(repeating: "x", count: 100)
        try stream.add(Array("{\"tandem\":1,\"title\":\"".utf8)[...])
        for _ in 0...FormatLimits.entryByteCountMax / piece.count { try stream.add(piece) }
        try stream.add(Array("\"}\n{\"tandem\":1,\"title\":\"\(title)\"}".utf8)[...])
        try stream.finish()
        let page = stream.take()
        #expect(page.items.map(\.title) == [title])
        #expect(page.faults.count == 1)
    }
}
