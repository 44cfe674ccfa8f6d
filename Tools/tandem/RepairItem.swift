import Devices
import Terminal
import ToDo

/// Something that is not as it should be and can be repaired, in words.
struct RepairItem {
    /// The problem, in words.
    let words: String
    /// Whether something is wrong with the store, rather than with what is in it.
    let isDamage: Bool
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
        self.init(words: found, isDamage: repair.isDamage, question: nil) {
            try context.device.repair.perform(repair)
            return done
        }
    }

    /// A repair among to-dos.
    private init(_ repair: ToDoStore.Repair, _ context: CommandContext) {
        switch repair {
        case .unite(let twins):
            let titles = twins.map { ($0.title, " \($0.others.count + 1) times") }
            self.init(
                words: "\(EditMessages.count(repair.count)) there more than once:"
                    + Self.list(titles),
                isDamage: false,
                question:
                    "Put \(EditMessages.count(repair.count)) in the trash that others are the same as?"
            ) {
                "\(EditMessages.count(try context.todos.perform(repair))) went to the trash, the oldest of each "
                    + "stays with what the others had; to take that back: tandem undo"
            }
        case .free(let orphans):
            let titles = orphans.map { ($0.shownTitle, "") }
            self.init(
                words:
                    "\(EditMessages.count(orphans.count)) part of one that is deleted or not here:"
                    + Self.list(titles), isDamage: false,
                question:
                    "Make to-dos of their own of \(orphans.count)? What is not here may still "
                    + "come with a sync."
            ) {
                "\(EditMessages.count(try context.todos.perform(repair))) no part of anything now; to take that "
                    + "back: tandem undo"
            }
        }
    }

    private init(
        words: String, isDamage: Bool, question: String?, _ perform: @escaping () throws -> String
    ) {
        self.words = words
        self.isDamage = isDamage
        self.question = question
        self.perform = perform
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
