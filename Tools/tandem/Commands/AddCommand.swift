import Causality
import Records
import ToDo

/// Makes a to-do.
enum AddCommand: Command {
    static let name = "add"
    static let summary = "makes a to-do"
    static let help = """
          tandem add Buy milk project:Home +errand due:fri
          tandem add "Call Anna" due:"tomorrow 17:00" priority:high
          tandem add x.size:XL Order the coat
          tandem add -- due:diligence is the title here

        Free words are the title. Keys: due scheduled wait until start finish project
        priority notes location people tags, x.NAME for a field of your own; +tag adds
        a tag; -- ends them.

        --done            it is done already
        """
    static let flags = ["done"]
    static let keepsSeparator = true

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let place = try Workplace.open(arguments)
        let words = try ToDoWords.parse(
            arguments.words, for: .adding, now: place.now, zone: place.zone)
        var item = ToDoItem(title: words.title ?? "")
        for assignment in words.assignments { item.apply(assignment, now: place.now) }
        if arguments.has("done") { item.apply(.status(.completed), now: place.now) }
        guard !item.title.isEmpty else {
            throw CommandFailure(.usage, "a to-do needs a title: tandem add Buy milk")
        }
        let id = try place.todos.add(item)
        if arguments.has("json") {
            guard let stored = try place.todos.stored(id) else { return .software }
            Terminal.line(JSONOutput.item(stored))
        } else {
            Terminal.line("Added \(id.short): \(item.shownTitle)\(Echo.dates(item, place))")
        }
        return .ok
    }
}
