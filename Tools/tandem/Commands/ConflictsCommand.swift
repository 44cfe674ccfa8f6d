import Causality
import Records
import Storage
import ToDo

/// Lists what devices disagree on.
enum ConflictsCommand: Command {
    static let name = "conflicts"
    static let summary = "lists what devices changed alike in time"
    static let help = """
          tandem conflicts
          tandem resolve 1 --field title --theirs

        Every value is kept, with the device that gave it, until somebody decides. A decision travels
        to every device like any other edit.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let place = try Workplace.open(arguments)
        let conflicts = try place.todos.conflicts()
        var ids: [RecordID] = []
        for conflict in conflicts where ids.last != conflict.id { ids.append(conflict.id) }
        Listing.write(place.store.paths.folder, ids)
        if arguments.has("json") {
            Terminal.line(JSONOutput.array(conflicts.map { ConflictOutput.json($0, place) }))
            return conflicts.isEmpty ? .nothing : .ok
        }
        var shown: RecordID?
        for conflict in conflicts {
            let number = (ids.firstIndex(of: conflict.id) ?? 0) + 1
            if shown != conflict.id {
                Terminal.line("\(number)  \(Terminal.bold(conflict.title))")
                shown = conflict.id
            }
            ConflictOutput.write(conflict, number: number, place)
        }
        if conflicts.isEmpty { Terminal.line("No conflicts.") }
        return conflicts.isEmpty ? .nothing : .ok
    }
}
