import JSON
import Terminal
import ToDo

/// How what was typed was understood.
enum EditMessages {
    /// The dates of a to-do: ", due Fri 27 Nov 2026, in 6 days".
    static func dates(_ item: ToDoItem, _ context: CommandContext) -> String {
        context.echo.dates(item).map { "; \($0)" }.joined()
    }

    /// The rest of what a list shows of a to-do, and who and where: "project Home", "+errand", "priority high".
    static func details(_ item: ToDoItem, _ context: CommandContext) -> [String] {
        context.echo.details(item)
    }

    /// Returns the details of a to-do that differ from the old ones.
    static func details(
        _ item: ToDoItem, besides old: ToDoItem, _ context: CommandContext
    ) -> [String] {
        context.echo.details(item, besides: old)
    }

    /// The to-dos that one waits for now and did not before, and the other way round: "waits for Sand the boards (3)".
    static func waits(
        _ item: ToDoItem, besides old: ToDoItem?, _ context: CommandContext
    ) throws -> [String] {
        func titles(_ ids: [UInt128]) throws -> String {
            try ids.map { id in
                let stored = try context.todos.stored(RecordID(value: id))
                return stored.map { WaitingOutput.named($0, context) }
                    ?? context.end(of: RecordID(value: id))
            }.joined(separator: ", ")
        }
        let before = old?.depends ?? []
        let (new, finished) = try parted(item.depends.filter { !before.contains($0) }, context)
        let gone = before.filter { !item.depends.contains($0) }
        return (new.isEmpty ? [] : ["waits for \(try titles(new))"])
            + (finished.isEmpty ? [] : ["need not wait for \(try titles(finished)): finished"])
            + (gone.isEmpty ? [] : ["waits no more for \(try titles(gone))"])
    }

    /// The to-do of which one is a part now and was not before: "part of Build a shed (3)".
    static func whole(
        _ item: ToDoItem, besides old: ToDoItem?, _ context: CommandContext
    ) throws -> [String] {
        guard item.parent != old?.parent else { return [] }
        guard let parent = item.parent.map({ RecordID(value: $0) }) else { return ["no parent"] }
        let stored = try context.todos.stored(parent)
        let name = stored.map { WaitingOutput.named($0, context) } ?? context.end(of: parent)
        return ["part of \(name)"]
    }

    /// The to-dos that are still to be done, and those that nothing waits for.
    private static func parted(
        _ ids: [UInt128], _ context: CommandContext
    ) throws -> (open: [UInt128], finished: [UInt128]) {
        var (open, finished): ([UInt128], [UInt128]) = ([], [])
        for id in ids {
            let stored = try context.todos.stored(RecordID(value: id))
            let isPending = stored.map { ToDoMapping.item($0).status == .pending } ?? true
            if isPending { open.append(id) } else { finished.append(id) }
        }
        return (open, finished)
    }

    /// The most to-dos that are named where several are told as one.
    private static let titleCountMax = 3

    /// The first titles, and how many more there are: `Call Anna, Pay the rent, Water and 9 more`.
    static func titles(_ items: [ToDoItem]) -> String {
        let rest = items.count - titleCountMax
        return items.prefix(titleCountMax).map(\.shownTitle).joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }

    /// "1 to-do", "2 to-dos".
    static func count(_ number: Int, _ noun: String = "to-do") -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}

extension CommandContext {
    /// The most cells of notes that are shown where all of a to-do is told in a line.
    private static let notesCellCountMax = 48

    /// How what was typed was understood, in words for this screen.
    var echo: ToDoEcho {
        ToDoEcho(now: now, zone: zone) { Cells.cut($0, to: Self.notesCellCountMax) }
    }
}

/// Results for programs.
enum JSONOutput {
    /// A text.
    static func text(_ text: String) -> JSONValue { .text(text) }

    /// An object.
    static func object(_ members: [(String, JSONValue)]) -> JSONValue { .named(members) }

    /// An array that is shown with an element a line.
    static func array(_ elements: [JSONValue]) -> JSONLines { JSONLines(elements) }

    /// Returns the device that deleted a to-do, and the time.
    static func deletion(
        _ deletion: (device: String, time: Int64)
    ) -> [(String, JSONValue)] {
        [
            ("deletedOn", text(deletion.device)),
            ("deletedAt", text(TimestampText.rfc3339(deletion.time))),
        ]
    }

    /// A to-do with all its fields, and whether it is in the trash or purged.
    static func item(
        _ stored: Record, _ todos: ToDoStore, extra: [(String, JSONValue)] = []
    ) throws -> JSONValue {
        object(
            stored, try todos.item(stored),
            extra: ends(try todos.waiting(of: [stored])[stored.id]) + extra)
    }

    /// To-dos with all their fields.
    ///
    /// - Parameter searched: texts; the first place of one in the notes is told, with what is around it.
    static func items(
        _ found: [Record], _ todos: ToDoStore, searched: [String] = []
    ) throws -> [JSONValue] {
        let waiting = try todos.waiting(of: found)
        return zip(found, try todos.items(found)).map { stored, item in
            var extra = ends(waiting[stored.id])
            if !searched.isEmpty, let found = FoundText(of: searched, in: item.notes) {
                let excerpt = found.cut(to: FoundText.characterCountMax) { $0.count }
                extra.append(("found", text(excerpt.text)))
            }
            return object(stored, item, extra: extra)
        }
    }

    /// The pending to-dos that one waits for, and those that wait for it.
    private static func ends(_ waiting: ToDoStore.Waiting?) -> [(String, JSONValue)] {
        let ends = [("blockedBy", waiting?.waitsFor ?? []), ("blocks", waiting?.blocks ?? [])]
        return ends.filter { !$0.1.isEmpty }.map { name, others in
            (name, .array(others.map { text($0.id.uuidText) }))
        }
    }

    private static func object(
        _ stored: Record, _ item: ToDoItem, extra: [(String, JSONValue)] = []
    ) -> JSONValue {
        var extra = extra
        if stored.standing != .live {
            extra.append(("deleted", .bool(true)))
            extra.append(("standing", text(stored.standing.word)))
        }
        return .object(JSONLinesFormat.members(item) + extra.map { JSONMember($0.0, $0.1) })
    }
}

/// Tells what became of to-dos: as JSON if that was asked for, else in a line for each.
///
/// - Parameters:
///   - found: as they were before.
///   - next: what to type to go on from there or back, if that is not obvious.
///   - word: what was done.
func report(
    _ found: [Record], _ arguments: Arguments, _ context: CommandContext,
    next: (Record) -> String? = { _ in nil }, _ word: (Record) -> String
) throws {
    if arguments.has("json") {
        let stored = try found.compactMap { try context.todos.stored($0.id) }
        return Screen.line(JSONOutput.array(try JSONOutput.items(stored, context.todos)))
    }
    if let last = found.last { context.naming.setLatest(last.id) }
    for stored in found {
        let hint: ShownText = next(stored).map { "  " + Screen.faint("(\($0))") } ?? ""
        Screen.line("\(word(stored)): \(stored.shownTitle)\(hint)")
    }
}
