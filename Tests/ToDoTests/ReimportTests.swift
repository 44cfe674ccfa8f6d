import Core
import Storage
import Testing
import ToDo

@Suite("What comes back from another program")
struct ReimportTests {
    private let world: ToDoWorld
    private let todos: ToDoStore

    init() throws {
        world = try ToDoWorld(zone: .utc)
        todos = world.todos(try world.store("laptop"))
        var third = ToDoItem(title: "two\nlines +x")
        third.identifier = 3
        third.setTags(["a b"])
        third.due = .day(20_788)
        third.created = 1_795_239_200_123
        _ = try todos.importItems(FormatSamples.items + [third])
    }

    private func echo(_ format: FormatSamples) -> FormatEcho {
        switch format {
        case .taskwarrior: TaskwarriorFormat(zone: .utc).echo
        case .chronoListXML, .chronoListBinary: ChronoListFormat(zone: .utc).echo
        case .csv: CSVFormat(zone: .utc).echo
        case .todoText: TodoTextFormat(zone: .utc).echo
        case .jsonLines, .todoist, .vtodo: .exact
        }
    }

    private func imported(_ format: FormatSamples, _ bytes: [UInt8]) throws -> FormatReading {
        var reading: FormatReading = try format.decode(bytes)
        if format == .chronoListXML || format == .chronoListBinary {
            ChronoListFormat.assignIdentifiers(&reading.items, hash: ToDoStore.contentHash)
        }
        return reading
    }

    private static let written: [FormatSamples] = [
        .taskwarrior, .jsonLines, .chronoListXML, .chronoListBinary, .csv, .todoText, .vtodo,
    ]

    @Test(
        "an export that is imported again changes nothing and doubles nothing", arguments: written)
    func unchanged(_ format: FormatSamples) throws {
        let items = try todos.export(ToDoFilter()).items
        let writing = try #require(try format.encode(items))
        let sequence = try todos.store.summary().sequence
        let steps = try todos.importFile(
            try imported(format, writing.bytes), echo: echo(format))
        #expect(
            steps.map(\.outcome) == items.map { .unchanged(RecordID(value: $0.identifier ?? 0)) })
        #expect(try todos.store.summary().sequence == sequence)
    }

    @Test("what was edited there is the only thing that changes here", arguments: written)
    func edited(_ format: FormatSamples) throws {
        let items = try todos.export(ToDoFilter()).items
        let writing = try #require(try format.encode(items))
        var reading = try imported(format, writing.bytes)
        let index = try #require(reading.items.firstIndex { $0.title.hasPrefix("two") })
        reading.items[index].status = .completed
        let before = try todos.export(ToDoFilter()).items
        let steps = try todos.importFile(reading, echo: echo(format))
        #expect(steps.count { $0.outcome == .updated(RecordID(value: 3)) } == 1)
        let after = try todos.export(ToDoFilter()).items
        #expect(after.count == before.count)
        for (old, new) in zip(before, after) {
            let fields = ItemDifference.between(old, new).map(\.field)
            #expect(fields == (old.identifier == 3 ? ["status"] : []), "\(old.title)")
        }
    }
}
