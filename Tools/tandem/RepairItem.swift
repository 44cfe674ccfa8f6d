import Devices
import JSON
import Terminal
import ToDo

/// Something that is not as it should be and can be repaired, in words.
struct RepairItem {
    /// The problem, in words.
    let words: String
    /// Whether something is wrong with the store, rather than with what is in it.
    let isDamage: Bool
    /// The problem for programs: its code, and its path and mode or how many to-dos it concerns.
    let json: JSONValue
    /// The question to the user before the repair; nil if none is needed.
    let question: String?
    /// Repairs it, and says what was done.
    let perform: () throws -> String

    /// The most titles that are named.
    private static let titleCountMax = 20

    /// The repairs that the device and its to-dos know of.
    static func all(
        _ examination: Examination, _ context: CommandContext
    ) throws -> [RepairItem] {
        try examination.repairs.map { RepairItem($0, context) }
            + context.todos.repairs().map { RepairItem($0, context) }
    }

    /// A repair of the store, or of a file beside it.
    private init(_ repair: RepairStep, _ context: CommandContext) {
        let (found, done) = Self.words(repair)
        self.init(
            words: found, isDamage: repair.isDamage, json: Self.json(repair), question: nil
        ) {
            try context.device.repair.perform(repair)
            return done
        }
    }

    /// A repair among to-dos.
    private init(_ repair: ToDoStore.Repair, _ context: CommandContext) {
        let json = JSONOutput.object([
            ("code", JSONOutput.text(repair.code)), ("count", .number(repair.count)),
        ])
        switch repair {
        case .unite(let twins):
            let titles = twins.map { ($0.title, " \($0.others.count + 1) times") }
            self.init(
                words:
                    "no damage: \(EditMessages.count(twins.count, "title")) on more than one to-do, which may be "
                    + "meant. If they are one, \(AdvisedLine.program) doctor --fix asks, and keeps the oldest:"
                    + Self.list(titles),
                isDamage: false, json: json,
                question:
                    "Put \(EditMessages.count(repair.count)) in the trash that others are the same as?"
            ) {
                "\(EditMessages.count(try context.todos.perform(repair))) went to the trash, the oldest of each "
                    + "stays with what the others had; to take that back: \(AdvisedLine.program) undo"
            }
        case .free(let orphans):
            let titles = orphans.map { ($0.shownTitle, "") }
            self.init(
                words:
                    "no damage: \(EditMessages.count(orphans.count)) part of one that is deleted or not here. "
                    + "\(AdvisedLine.program) doctor --fix asks, and makes them to-dos of their own:"
                    + Self.list(titles), isDamage: false, json: json,
                question:
                    "Make to-dos of their own of \(orphans.count)? What is not here may still "
                    + "come with a sync."
            ) {
                "\(EditMessages.count(try context.todos.perform(repair))) no part of anything now; to take that "
                    + "back: \(AdvisedLine.program) undo"
            }
        }
    }

    private init(
        words: String, isDamage: Bool, json: JSONValue, question: String?,
        _ perform: @escaping () throws -> String
    ) {
        self.words = words
        self.isDamage = isDamage
        self.json = json
        self.question = question
        self.perform = perform
    }

    private static func json(_ repair: RepairStep) -> JSONValue {
        var members = [("code", JSONOutput.text(repair.code))]
        switch repair {
        case .exposedKey(let path, let mode), .exposedFile(let path, let mode),
            .exposedFolder(let path, let mode):
            members.append(("path", JSONOutput.text(path)))
            members.append(("mode", JSONOutput.text(String(mode, radix: 8))))
        case .leftover(let path): members.append(("path", JSONOutput.text(path)))
        case .indexes, .sums: break
        }
        return JSONOutput.object(members)
    }

    private static func words(_ repair: RepairStep) -> (found: String, done: String) {
        switch repair {
        case .indexes(let finding):
            ("an index does not fit: \(finding)", "all indexes were made anew")
        case .sums(let finding):
            (
                "the sums kept along do not fit: \(finding)",
                "the sums were counted anew; sync, so that other devices are compared"
            )
        case .exposedKey(let path, let mode):
            (
                "\(path) may be read by others (mode \(String(mode, radix: 8))); if somebody was able "
                    + "to, revoke this device on another one", "\(path) is for its owner alone now"
            )
        case .exposedFile(let path, let mode):
            (
                "\(path) may be read by others (mode \(String(mode, radix: 8)))",
                "\(path) is for its owner alone now"
            )
        case .exposedFolder(let path, let mode):
            (
                "others can remove and replace files in \(path), the store too (mode "
                    + "\(String(mode, radix: 8)))", "\(path) can be changed by its owner alone now"
            )
        case .leftover(let path):
            ("left behind by a program that was killed: \(path)", "\(path) was removed")
        }
    }

    private static func list(_ titles: [(title: String, more: String)]) -> String {
        var lines = titles.prefix(titleCountMax).map {
            "\n    \($0.title.shownInLine)\($0.more)"
        }
        if titles.count > titleCountMax {
            lines.append("\n    and \(titles.count - titleCountMax) more")
        }
        return lines.joined()
    }
}
