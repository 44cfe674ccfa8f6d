import Devices
import Terminal
import ToDo

/// Lists what was looked at last.
enum RecentCommand: Command {
    static let name = "recent"
    static let summary = "List the to-dos that you last looked at here"
    static let help = """
          tandem recent

        Shows the last 20 to-dos of `tandem show`, latest first. The list does not sync.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let context = try CommandContext.openToRead(arguments)
        let entries = try context.device.recentRecords.all().compactMap { entry in
            try context.todos.stored(entry.id).map { (stored: $0, time: entry.time) }
        }.filter { !$0.stored.standing.isPurged }
        if arguments.has("json") {
            let lines = try entries.map { entry in
                try JSONOutput.item(
                    entry.stored, context.todos,
                    extra: [("lastViewed", JSONOutput.text(TimestampText.rfc3339(entry.time)))])
            }
            Screen.line(JSONOutput.array(lines))
            return entries.isEmpty ? .nothing : .ok
        }
        if entries.isEmpty {
            Screen.line("Nothing was looked at yet: \(AdvisedLine.program) show 1")
            return .nothing
        }
        let times = entries.map { entry in
            let isDeleted = entry.stored.verdict.isDeleted
            return ListedDate(
                .instant(entry.time), before: "seen ", after: isDeleted ? "; in the trash" : "")
        }
        ToDoTable.write(entries.map(\.stored), dates: times, context)
        return .ok
    }
}
