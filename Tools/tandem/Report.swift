import Core
import Storage
import Terminal
import ToDo

/// Tells what became of to-dos: as JSON if that was asked for, else in a line for each.
///
/// - Parameters:
///   - found: as they were before.
///   - next: what to type to go on from there or back, if that is not obvious.
///   - word: what was done.
func report(
    _ found: [StoredRecord], _ arguments: Arguments, _ place: CommandContext,
    next: (StoredRecord) -> String? = { _ in nil }, _ word: (StoredRecord) -> String
) throws {
    if arguments.has("json") {
        let stored = try found.compactMap { try place.todos.stored($0.id) }
        return Screen.line(JSONOutput.array(stored.map { JSONOutput.item($0) }))
    }
    for stored in found {
        let hint = next(stored).map { "  " + Screen.faint("(\($0))") } ?? ""
        Screen.line("\(word(stored)): \(ToDoMapping.item(stored).shownTitle)\(hint)")
    }
}
