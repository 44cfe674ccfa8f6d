import Storage
import ToDo

/// Brings to-dos back from the trash.
enum RestoreCommand: Command {
    static let name = "restore"
    static let summary = "brings to-dos back from the trash, whole"
    static let help = """
          tandem trash
          tandem restore 2
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let place = try Workplace.open(arguments)
        let found = try place.findAll(arguments.words)
        let count = try place.store.edit { transaction throws(StoreFault) in
            var count = 0
            for stored in found where try transaction.restore(stored.id) { count += 1 }
            return count
        }
        try report(found.map(\.id), arguments, place) {
            for stored in found {
                let word = count == 0 ? "Not deleted" : "Restored"
                Terminal.line("\(word): \(ToDoMapping.item(stored).title)")
            }
        }
        return .ok
    }
}
