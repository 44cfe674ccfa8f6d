import Terminal
import ToDo

/// A command behind the to-do that an edit names, as in `edit 3 done`: it would be the title.
struct VerbBehindName {
    private let verb: String
    /// The word that names the to-do that was meant, and no other one.
    private let which: String
    /// The words behind the command.
    private let behind: [String]
    private let options: [String]

    init(
        _ verb: String, _ arguments: Arguments, _ target: (found: [Record], isByFilter: Bool),
        _ context: CommandContext
    ) {
        self.verb = verb
        let word = arguments.words[0]
        let isTitle =
            !target.isByFilter && target.found.count == 1 && !ForeignLine.isName(word)
        which = isTitle ? context.name(of: target.found[0]) : word
        var words = Array(arguments.words.dropFirst())
        if let index = words.firstIndex(of: verb) { words.remove(at: index) }
        behind = words
        options = arguments.options
    }

    /// The refusal, with what to type instead.
    var refusal: CommandFailure {
        CommandFailure(
            .usage, "'\(verb)' would be the title; \(next) (words after -- are plain text)")
    }

    private var next: String {
        switch verb {
        case UndoCommand.name: UndoCommand.advice
        case AddCommand.name: "to add a to-do, see: tandem help add"
        case StopCommand.name: "the timer that runs is stopped by: \(AdvisedLine.program) stop"
        case "log": "for what was changed in it: \(line([HistoryCommand.name, which]))"
        case "and", "or": several
        default: "a command comes first: \(command)"
        }
    }

    private func line(_ words: [String]) -> String {
        ForeignLine.advised(words.isEmpty ? options : [words[0]] + options + words.dropFirst())
    }

    /// `edit 2 and 3 due:fri` means two to-dos, `edit 2 and bread` more words.
    private var several: String {
        let numbers = behind.prefix(while: ToDoName.isNumberOrLast)
        if numbers.isEmpty {
            return "to put it behind the title: \(line([AppendCommand.name, which, verb] + behind))"
        }
        let changes = behind.dropFirst(numbers.count)
        let names = ([which] + numbers).joined(separator: ",")
        return "to change several to-dos: "
            + line(
                [EditCommand.name, names] + (changes.isEmpty ? [TypedText.placeholder] : changes))
    }

    /// The line with the command in front, and with an example of what it needs besides.
    private var command: String {
        if behind.isEmpty {
            switch verb {
            case "modify", "mod", "edit":
                return line([EditCommand.name, which, TypedText.placeholder])
            case "denotate": return line([EditCommand.name, which, "/WORDS//"])
            case AnnotateCommand.name, AppendCommand.name, PrependCommand.name:
                return line([verb, which, TypedText.placeholder])
            default: break
            }
        }
        if ["modify", "mod", "edit"].contains(verb), behind.allSatisfy(ToDoName.isNumberOrLast) {
            // As they stand they would be refused again, as the names of more to-dos.
            return line([EditCommand.name, which, "--"] + behind)
        }
        if let found = ForeignLine([which, verb] + behind + options) {
            return found.lines.map(ForeignLine.advised).joined(separator: " && ")
        }
        return Tandem.command(verb) == nil
            ? "tandem help" : line([verb, which] + behind)
    }
}
