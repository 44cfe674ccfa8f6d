import Records
import ToDo

/// Tells what became of to-dos: as JSON if that was asked for, else in words.
func report(
    _ ids: [RecordID], _ arguments: Arguments, _ place: Workplace, _ words: () throws -> Void
) throws {
    guard arguments.has("json") else { return try words() }
    let stored = try ids.compactMap { try place.todos.stored($0) }
    Terminal.line(JSONOutput.array(stored.map { JSONOutput.item($0) }))
}
