import Core
import Devices
import Storage
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
}

/// Finds what `doctor --fix` can repair: what the device finds, and to-dos.
struct RepairFinder {
    let place: CommandContext
    private static let titleCountMax = 20

    /// All of it.
    func all(_ examination: Examination) throws -> [RepairItem] {
        try examination.repairs.map(item) + twins() + orphans()
    }

    // MARK: The store, and files beside it

    private func item(_ repair: RepairStep) -> RepairItem {
        let device = place.device
        let (words, done) = Self.words(repair)
        return RepairItem(words: words, isDamage: repair.isDamage, question: nil) {
            try device.repair.perform(repair)
            return done
        }
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
        case .leftover(let path):
            ("left behind by a program that was killed: \(path)", "\(path) was removed")
        }
    }

    // MARK: To-dos

    private func twins() throws -> [RepairItem] {
        let todos = place.todos
        let twins = try todos.twins()
        if twins.isEmpty { return [] }
        let count = twins.reduce(0) { $0 + $1.others.count }
        let titles = twins.map { ($0.title, " \($0.others.count + 1) times") }
        return [
            RepairItem(
                words: "\(Echo.count(count)) there more than once:" + list(titles),
                isDamage: false,
                question: "Put \(Echo.count(count)) in the trash that others are the same as?"
            ) {
                let count = try todos.unite(twins)
                return "\(Echo.count(count)) went to the trash, the oldest of each stays with "
                    + "what the others had; to take that back: tandem undo"
            }
        ]
    }

    private func orphans() throws -> [RepairItem] {
        let todos = place.todos
        let orphans = try todos.orphans()
        if orphans.isEmpty { return [] }
        let titles = orphans.map { (ToDoMapping.item($0).shownTitle, "") }
        return [
            RepairItem(
                words: "\(Echo.count(orphans.count)) part of one that is deleted or not here:"
                    + list(titles), isDamage: false,
                question:
                    "Make to-dos of their own of \(orphans.count)? What is not here may still "
                    + "come with a sync."
            ) {
                let count = try todos.free(orphans)
                return "\(Echo.count(count)) no part of anything now; to take that back: "
                    + "tandem undo"
            }
        ]
    }

    private func list(_ titles: [(title: String, more: String)]) -> String {
        var lines = titles.prefix(Self.titleCountMax).map {
            "\n    \($0.title.shownInLine)\($0.more)"
        }
        if titles.count > Self.titleCountMax {
            lines.append("\n    and \(titles.count - Self.titleCountMax) more")
        }
        return lines.joined()
    }
}
