import Core
import Storage
import Terminal
import ToDo

/// Editing a to-do as a form in the user's editor.
///
/// The form is a scratchpad: only what was changed on it is saved, so what others changed meanwhile stays; and a
/// save on a to-do that was deleted meanwhile is refused, with the text kept in a file.
enum EditForm {
    /// Opens the editor, and saves what was changed.
    static func run(
        _ stored: StoredRecord, _ arguments: Arguments, _ place: CommandContext
    ) throws -> ExitCode {
        let old = ToDoMapping.item(stored)
        let form = ToDoForm(old, zone: place.zone)
        var text = form.text
        while true {
            let (changed, path) = try Editor.change(text, in: place.store.paths.folder)
            if changed == form.text {
                Editor.discard(path)
                Screen.line("Nothing was changed: \(old.shownTitle)")
                return .ok
            }
            do {
                var new = try form.read(changed, now: place.now, weekStart: place.weekStart)
                try ItemWords.check(new, before: old)
                if new.repeats != old.repeats, let rule = new.repetition {
                    new.repeats = place.todos.placed(rule, of: new).text
                }
                let isChanged = try save(stored, old, new, path, place)
                Editor.discard(path)
                return try EditCommand.finish(
                    stored, old, new, isChanged: isChanged, arguments, place)
            } catch let error as ToDoWordsError {
                Screen.error("tandem: \(error)\n")
                guard Screen.canAsk, Screen.confirm("Edit it again?") else {
                    throw CommandFailure(.badData, "nothing was saved; your text is in \(path)")
                }
                text = changed
            }
        }
    }

    private static func save(
        _ stored: StoredRecord, _ old: ToDoItem, _ new: ToDoItem, _ path: String,
        _ place: CommandContext
    ) throws -> Bool {
        do {
            return try place.todos.edit(stored.id, from: old, to: new)
        } catch StoreFault.recordDeleted {
            var by = ""
            if let now = try place.todos.stored(stored.id),
                let deletion = try place.todos.deletion(of: now)
            {
                by = " on \(deletion.device.shownInLine)"
            }
            throw CommandFailure(
                .refused,
                """
                '\(old.shownTitle)' was deleted\(by) while you edited it, so nothing was saved; \
                your text is in \(path); to go on: tandem restore \(stored.id.short), then edit it again
                """)
        }
    }
}
