import Terminal
import ToDo

/// Dependencies of to-dos, in lists and as messages of commands.
enum WaitingOutput {
    /// No more to-dos are named.
    private static let namedCountMax = 5
    /// No more are named in a line of a list.
    static let listedCountMax = 3
    private static let titleWidthMax = 40

    /// A to-do by its title, and by the word that names it: "Sand the boards (3)".
    static func named(_ stored: Record, _ context: CommandContext) -> String {
        "\(Cells.cut(stored.shownTitle, to: titleWidthMax)) (\(context.name(of: stored)))"
    }

    private static func named(_ all: [Record], _ context: CommandContext) -> String {
        let rest = all.count - namedCountMax
        return all.prefix(namedCountMax).map { named($0, context) }.joined(separator: ", ")
            + (rest > 0 ? ", and \(rest) more" : "")
    }

    /// Tells what to-dos waited for that is still to be done, now that they are done all the same.
    ///
    /// - Parameter waiting: as it was before.
    static func tellWaits(
        of done: [Record], _ waiting: [RecordID: ToDoStore.Waiting], _ context: CommandContext
    ) {
        let ids = Set(done.map(\.id))
        for stored in done.prefix(namedCountMax) {
            let open = (waiting[stored.id]?.waitsFor ?? []).filter { !ids.contains($0.id) }
            if open.isEmpty { continue }
            let title = Cells.cut(stored.shownTitle, to: titleWidthMax)
            Screen.paragraph(
                "'\(title)' waited for what is still to be done: \(named(open, context))",
                label: "  ", hanging: 4)
        }
    }

    /// Tells which to-dos wait for nothing any more, now that others are finished or in the trash.
    ///
    /// - Parameter waiting: as it was before.
    static func tellFreed(
        by gone: [Record], _ waiting: [RecordID: ToDoStore.Waiting], _ context: CommandContext
    ) throws {
        var seen = Set(gone.map(\.id))
        let held = gone.flatMap { waiting[$0.id]?.blocks ?? [] }
            .filter { seen.insert($0.id).inserted }
        if held.isEmpty { return }
        let now = try context.todos.waiting(of: held)
        let free = held.filter { now[$0.id]?.waitsFor.isEmpty ?? true }
        if free.isEmpty { return }
        Screen.paragraph("free now: \(named(free, context))", label: "  ", hanging: 4)
    }
}

/// The column of a list that tells what waits for what.
struct WaitingColumn {
    /// The texts behind the to-dos, in their order.
    let texts: [String]
    /// The words that name the to-dos.
    let names: [String]

    /// The column of rows; those that they wait for, or that wait for them, get numbers as well.
    init(_ rows: [ToDoRow], _ context: CommandContext) {
        let isHeld = rows.contains { !$0.waiting.isEmpty }
        guard isHeld else {
            names = context.naming.names(of: rows.map(\.stored))
            texts = rows.map { _ in "" }
            return
        }
        var ids = Set(rows.map(\.id))
        let others = rows.flatMap { $0.waiting.waitsFor + $0.waiting.blocks }
            .filter { ids.insert($0.id).inserted }
        let all = rows.map(\.stored) + others
        let names = context.naming.names(of: all)
        let name = Dictionary(zip(all.map(\.id), names)) { first, _ in first }
        func listed(_ word: String, _ ends: [Record]) -> String? {
            if ends.isEmpty { return nil }
            let rest = ends.count - WaitingOutput.listedCountMax
            let named = ends.prefix(WaitingOutput.listedCountMax).compactMap { name[$0.id] }
            return "\(word) \(named.joined(separator: ","))\(rest > 0 ? " +\(rest)" : "")"
        }
        self.names = Array(names.prefix(rows.count))
        texts = rows.map { row in
            [listed("waits for", row.waiting.waitsFor), listed("blocks", row.waiting.blocks)]
                .compactMap { $0 }.joined(separator: "; ")
        }
    }
}
