import Core
import Storage
import Terminal
import ToDo

/// The message for to-dos that are completed or deleted while parts of them are open.
enum PartsOutput {
    /// No more to-dos and no more parts of each are named.
    private static let namedCountMax = 5
    private static let titleWidthMax = 40

    /// Tells of the open parts of each, which stay as they are, and which command they are for.
    static func tell(of found: [StoredRecord], command: String, _ place: CommandContext) throws {
        let changed = Set(found.map(\.id))
        var toldCount = 0
        for stored in found {
            let parts = try place.todos.list(
                ToDoFilter([.parent(stored.id.value)]), pendingOnly: true
            )
            .filter { !changed.contains($0.id) }
            if parts.isEmpty { continue }
            toldCount += 1
            if toldCount > namedCountMax {
                return Screen.line("  others have open parts, too: tandem list +SUBTASK")
            }
            let named = parts.prefix(namedCountMax)
            let titles = named.map {
                Cells.cut(ToDoMapping.item($0).shownTitle, to: titleWidthMax)
            }
            let rest = parts.count > named.count ? ", and \(parts.count - named.count) more" : ""
            let title = Cells.cut(ToDoMapping.item(stored).shownTitle, to: titleWidthMax)
            Screen.paragraph(
                "'\(title)' has \(Echo.count(parts.count, "open part")), left as "
                    + (parts.count == 1 ? "it is" : "they are")
                    + ": \(titles.joined(separator: ", "))\(rest)",
                label: "  ", hanging: 4)
            Screen.paragraph(
                "tandem \(command) " + named.map { place.name(of: $0.id) }.joined(separator: " "),
                label: "    ", hanging: 6, style: Screen.faint)
        }
    }
}
