import Core
import Glibc
import JSON
import Storage
import ToDo

/// Prints changes as they come.
enum WatchCommand: Command {
    static let name = "watch"
    static let summary = "prints changes as they come, from here and from other devices"
    static let help = """
          tandem watch
          tandem watch project:Home
          tandem watch --json
          tandem watch --count 1

        Edits of this device's other programs, and what arrives, until Ctrl-C. As JSON
        one object a line: number (0, 1, 2, … without gaps), kind (begin, then
        insert, update, delete), time, changes (with device and values), and the to-do.
        A to-do that the filter no longer takes counts as deleted from it. Edits of one
        to-do within a tenth of a second come as one.

        --count N         end after so many changes
        """
    static let values = ["count"]

    /// How often it looks; milliseconds.
    private static let intervalMilliseconds: UInt32 = 100

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let place = try Workplace.open(arguments)
        let filter = try ToDoFilter.parse(
            arguments.words, now: place.now, zone: place.zone, weekStart: place.weekStart)
        let countMax = try Limit.read(arguments["count"], standard: nil)
        var feed = try ChangeFeed(filter, place)
        if arguments.has("json") {
            Terminal.line(
                JSONOutput.object([
                    ("number", .number("0")), ("kind", JSONOutput.text("begin")),
                    ("time", JSONOutput.text(TimestampText.rfc3339(SystemTime.now))),
                ]))
            Terminal.flush()
        } else if Terminal.showsProgress {
            Terminal.error("watching; Ctrl-C ends it\n")
        }
        while true {
            for event in try feed.next() {
                Terminal.line(
                    arguments.has("json")
                        ? try event.json(place).compactText : try event.line(place))
                if event.number == countMax { return .ok }
            }
            Terminal.flush()
            usleep(Self.intervalMilliseconds * 1_000)
        }
    }
}
