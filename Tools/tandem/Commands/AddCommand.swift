import Devices
import Terminal
import ToDo

/// Makes to-dos.
enum AddCommand: Command {
    static let name = "add"
    static let summary = "Create a to-do, or one for each line of input"
    static let help = """
          tandem add Buy milk project:Home +errand due:fri
          tandem add "Call Anna" due:"tomorrow 17:00" priority:high
          tandem add Water the plants due:sat repeat:weekly
          tandem add Sand the boards parent:3
          tandem add Paint depends:3
          tandem add x.size:XL Order the coat
          tandem add -- due:diligence is the title here
          tandem add - +idea < ideas.txt

        Words without a key are the title. `+tag` adds a tag. `--` ends keys and tags.
        Keys, in upper or lower case: due scheduled wait until start finish project
        priority notes location people tags repeat except remind parent depends, and
        x.NAME for a field of your own. Put a value of several words in quotes. Text
        after `notes:`, up to the next key or tag, is the notes and needs none.
        `-` creates a to-do from each line of the standard input, with the keys and tags
        beside it. If one line is wrong, nothing is saved.

        repeat: takes daily, weekly, monthly, yearly, 2w, "3 days", mon,thu, weekdays,
        or days of months: "last friday of the month", "2nd tue of every 2 months",
        "first working day", "yearly on the 4th thu".
        The next date counts from the due date, or with ! from the day it was done. Add
        5 times or until 2026-12-31 for an end: repeat:"weekly 5 times". Monthly with
        due:eom is the last day of each month, with due:2026-11-30 always day 30.

        except: leaves days out: except:2026-12-24,2026-12-31, or in the rule itself:
        repeat:"every fri except 25 dec". They count for 5 times.

        depends: names what has to be done before: depends:3, depends:1-2,5, an id or
        words of a title.

        remind: takes a time ("tomorrow 9am"), or how long before a date: -30m, -1d,
        "2h before scheduled". Parted by commas there may be several (tandem help
        remind).

        --done            create it as done
        """
    static let flags = ["done"]
    static let keepsSeparator = true

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        let chosen = try context.chosenContext()
        if let others = try wordsForLines(arguments, context) {
            return try addLines(others, arguments, chosen, context)
        }
        let (id, item, hints, given) = try add(arguments, chosen, context)
        guard let stored = try context.todos.stored(id) else { return .software }
        if arguments.has("json") {
            context.naming.setLatest(id)
            Screen.line(try JSONOutput.item(stored, context.todos))
        } else {
            let name = context.naming.name(of: stored, isLatest: true)
            try tell(item, name, given, context)
        }
        tellOutside([item], chosen, context)
        ItemWords.tell(hints, title: item.title)
        if let problem = try DeviceStanding.toldExclusion(of: context.device) {
            let words = StatusWords(context: context).short(problem)
            Screen.error(
                "tandem: it stays on this device alone: \(words). See: \(AdvisedLine.program) status\n"
            )
        }
        return .ok
    }

    /// Tells that new to-dos are in no list as long as the context holds, or that it does not.
    private static func tellOutside(
        _ items: [ToDoItem], _ chosen: ToDoContext?, _ context: CommandContext
    ) {
        guard let chosen else { return }
        guard let filter = chosen.filter else {
            Screen.error("tandem: \(chosen.remark)\n")
            return
        }
        let outside = items.filter {
            !filter.matches($0, now: context.now, zone: context.zone)
        }
        guard let first = outside.first else { return }
        let subject =
            items.count == 1
            ? "'\(Cells.cut(first.shownTitle, to: 40))' is"
            : "\(EditMessages.count(outside.count)) \(outside.count == 1 ? "is" : "are")"
        Screen.error(
            "tandem: \(subject) outside of context \(chosen.name), whose filter is: "
                + "\(SavedViewWords.words(ofFilter: chosen.words)). To see everything, run: \(AdvisedLine.program) context none\n"
        )
    }

    fileprivate static func add(
        _ arguments: Arguments, _ chosen: ToDoContext?, _ context: CommandContext
    ) throws -> (id: RecordID, item: ToDoItem, hints: [ToDoWordHint], given: ToDoContext?) {
        let (item, hints, given) = try item(arguments.words, arguments, chosen, context)
        return (try context.todos.add(item), item, hints, given)
    }

    private static func item(
        _ words: [String], _ arguments: Arguments, _ chosen: ToDoContext?,
        _ context: CommandContext
    ) throws -> (item: ToDoItem, hints: [ToDoWordHint], given: ToDoContext?) {
        var item = ToDoItem(title: "")
        let words = try ItemWords.parse(words, for: .adding, context)
        try ItemWords.apply(words, to: &item, context)
        if arguments.has("done") { item.apply(.status(.completed), now: context.now) }
        try ItemWords.check(item)
        let given = chosen?.apply(to: &item, typed: words)
        return (item, words.hints + context.todos.hints(item, before: nil), given)
    }

    /// Tells what was added, and what of that the context gave.
    private static func tell(
        _ item: ToDoItem, _ name: String, _ given: ToDoContext?, _ context: CommandContext
    ) throws {
        let again = item.repeats.isEmpty ? "" : "; \(item.repeatsShown(in: context.zone))"
        let others =
            try EditMessages.whole(item, besides: nil, context)
            + EditMessages.waits(item, besides: nil, context)
        let rest = (EditMessages.details(item, context) + others).map { "; \($0)" }.joined()
        let source = given.map { "; by context \($0.name): \($0.given ?? "")" } ?? ""
        Screen.paragraph(
            "Added \(name): \(item.shownTitle)\(EditMessages.dates(item, context))\(again)\(rest)"
                + source,
            hanging: 2)
    }

    /// The keys and tags beside the word that stands for the lines of the standard input; nil if none are to be read.
    private static func wordsForLines(
        _ arguments: Arguments, _ context: CommandContext
    ) throws -> [String]? {
        if arguments.words == [ToDoLines.mark] { return [] }
        guard ToDoLines.mayBeAsked(by: arguments.words) else { return nil }
        switch ToDoLines.meaning(
            of: arguments.words, try ItemWords.parse(arguments.words, for: .adding, context))
        {
        case .lines(let others): return others
        case .title: return nil
        case .unclear(let title):
            throw CommandFailure(
                .usage,
                "'-' stands for the lines of the standard input, beside which only keys and tags can stand; "
                    + "nothing was saved; for a title with it, write that in quotes: "
                    + title.quotedForShell.shownInLine)
        }
    }

    private static func addLines(
        _ others: [String], _ arguments: Arguments, _ chosen: ToDoContext?,
        _ context: CommandContext
    ) throws -> ExitCode {
        var items: [ToDoItem] = []
        var given: [ToDoContext?] = []
        var hints: [ToDoWordHint] = []
        var number = 0
        var lines = InputLines()
        while let bytes = try lines.next() {
            number += 1
            guard let line = String(validating: bytes, as: UTF8.self) else {
                throw CommandFailure(
                    .usage, "line \(number) is not UTF-8; nothing was saved; \(TextEncoding.advice)"
                )
            }
            guard let words = ShellWords.split(line) else {
                throw CommandFailure(
                    .badData, "line \(number): a quote is left open; nothing was saved")
            }
            if words.isEmpty { continue }
            do {
                let (item, unsure, gift) = try item(
                    ToDoLines.words(words, with: others), arguments, chosen, context)
                items.append(item)
                given.append(gift)
                hints += unsure
            } catch {
                throw CommandFailure(
                    .badData,
                    "line \(number): \(CommandFailure(error).message); nothing was saved")
            }
        }
        if items.isEmpty { throw CommandFailure(.noInput, "there were no lines") }
        let ids = try context.todos.add(items)
        let added = try ids.compactMap { try context.todos.stored($0) }
        if let last = ids.last { context.naming.setLatest(last) }
        if arguments.has("json") {
            Screen.line(JSONOutput.array(try JSONOutput.items(added, context.todos)))
        } else {
            // In one go, as each showing of numbers is a transaction.
            let names = context.naming.names(of: added)
            for (index, name) in names.enumerated() {
                try tell(items[index], name, given[index], context)
            }
        }
        tellOutside(items, chosen, context)
        ItemWords.tell(hints, title: items.count == 1 ? items[0].title : nil)
        return .ok
    }
}

extension CommandContext {
    /// Creates a to-do as the words behind `tandem add` say, and prints nothing.
    package func add(_ line: [String]) throws {
        _ = try AddCommand.add(
            Arguments(line, of: AddCommand.self, in: Tandem.self), chosenContext(), self)
    }
}
