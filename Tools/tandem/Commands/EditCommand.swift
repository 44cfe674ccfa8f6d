import Causality
import Merge
import Storage
import ToDo

/// Changes a to-do.
enum EditCommand: Command {
    static let name = "edit"
    static let summary = "changes a to-do"
    static let help = """
          tandem edit 3 due:monday
          tandem edit 3 Buy oat milk +errand -later project:
          tandem edit 6f1c x.size:L notes:"the green one"

        Words as when adding; free words are a new title, key: with nothing behind it
        clears a field, -tag removes a tag. A field that shows the same already is
        left alone.
        """
    static let keepsSeparator = true

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let place = try Workplace.open(arguments)
        guard let which = arguments.words.first else {
            throw CommandFailure(.usage, "say which, and what: tandem edit 3 due:monday")
        }
        guard let stored = try place.findAlive([which]).first else { return .nothing }
        let words = try ToDoWords.parse(
            Array(arguments.words.dropFirst()), for: .editing, now: place.now, zone: place.zone)
        let old = ToDoMapping.item(stored)
        var new = old
        if let title = words.title {
            if !arguments.words.contains("--"), title.allSatisfy({ $0.isNumber || $0 == " " }) {
                throw CommandFailure(
                    .usage,
                    "edit changes one to-do; for the title '\(title)' write: "
                        + "tandem edit \(which) -- \(title)")
            }
            new.title = title
        }
        for assignment in words.assignments { new.apply(assignment, now: place.now) }
        if words.title == nil, words.assignments.isEmpty {
            throw CommandFailure(.usage, "say what to change: tandem edit \(which) due:monday")
        }
        let isChanged = try place.todos.edit(stored.id, from: old, to: new)
        if arguments.has("json") {
            guard let stored = try place.todos.stored(stored.id) else { return .software }
            Terminal.line(JSONOutput.item(stored))
        } else if isChanged {
            var changed = old
            for field in ToDoDateField.allCases {
                changed[field] = new[field] == old[field] ? nil : new[field]
            }
            let before = old.title == new.title ? "" : " (was: \(old.shownTitle))"
            Terminal.line("Changed: \(new.shownTitle)\(before)\(Echo.dates(changed, place))")
        } else {
            Terminal.line("Nothing to change: \(new.shownTitle)")
            if !stored.record.fieldConflicts.isEmpty {
                Terminal.error(
                    "tandem: it has a conflict; decide it with: tandem resolve \(which)\n")
            }
        }
        return .ok
    }
}
