import Storage
import ToDo

/// Drops the content of deleted to-dos for ever.
enum PurgeCommand: Command {
    static let name = "purge"
    static let summary = "drops deleted to-dos for ever, on every device"
    static let help = """
          tandem purge 3
          tandem purge 3 5 --yes

        What stays is a mark of some 48 bytes, so that no device brings the to-do back.

        --force           also if a conflict is open or the to-do is not deleted
        """
    static let flags = ["force"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let place = try Workplace.open(arguments)
        let found = try place.findAll(arguments.words)
        let titles = found.map { "'\(ToDoMapping.item($0).title)'" }.joined(separator: ", ")
        try Workplace.confirm("Purge \(titles)? This cannot be undone.", arguments)
        let isForced = arguments.has("force")
        try place.store.edit { transaction throws(StoreFault) in
            for stored in found { try transaction.purge(stored.id, isForced: isForced) }
        }
        try report(found.map(\.id), arguments, place) {
            Terminal.line("Purged: \(titles)")
        }
        return .ok
    }
}
