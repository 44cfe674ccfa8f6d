import Terminal
import ToDo

/// Reads the words typed for a to-do or a filter, and resolves those that need the store: other to-dos, and the zone
/// in which it repeats.
enum ItemWords {
    /// Reads words.
    static func parse(
        _ words: [String], for purpose: ToDoWords.Purpose, _ context: CommandContext
    ) throws -> ToDoWords {
        try ToDoWords.parse(
            words, for: purpose, now: context.now, zone: context.zone,
            weekStart: context.weekStart, dateOrder: context.settings.dateOrder)
    }

    /// The most doubts that are told.
    private static let hintCountMax = 5

    /// Tells what was taken as text and may have been meant otherwise.
    ///
    /// - Parameter title: the title that one to-do has now, which `last` names; nil if there are several.
    static func tell(_ hints: [ToDoWordHint], title: String?) {
        for hint in hints.prefix(hintCountMax) {
            let line = title.map { next(hint, $0) } ?? ""
            Screen.error("tandem: \("\(hint)\(line)".shownInLine)\n")
        }
        let rest = hints.count - hintCountMax
        if rest > 0 {
            Screen.error("tandem: and \(EditMessages.count(rest, "word")) more like that\n")
        }
    }

    /// The command that makes of the words what they may have been meant as.
    private static func next(_ hint: ToDoWordHint, _ title: String) -> String {
        switch hint {
        case .exceptionIsDue: return "; to skip it: \(AdvisedLine.program) \(SkipCommand.name) last"
        case .dateAtEnd(let text): return next("due", text, title)
        case .dateAtStart(let text): return next("due", text, title)
        case .repetitionAtEnd(let text): return next("repeat", text, title)
        default: return ""
        }
    }

    /// The command that takes words out of a title and gives them to a key.
    private static func next(_ key: String, _ text: String, _ title: String) -> String {
        let change: String
        if title.hasSuffix(" " + text) {
            change = without(" " + text, in: title, rest: title.dropLast(text.count + 1))
        } else if title.hasPrefix(text + " ") {
            change = without(text + " ", in: title, rest: title.dropFirst(text.count + 1))
        } else {
            return ""
        }
        return "; next: \(AdvisedLine.program) edit last \(change) \(key):\(text.shellQuoted)"
    }

    /// The word of an edit that takes a part out of a title, of which the rest stays.
    private static func without(_ part: String, in title: String, rest: Substring) -> String {
        // Only the first place would be changed.
        title.ranges(of: part).count == 1
            ? "/\(part.replacing("/", with: "\\/"))//".quotedForShell
            : "title:\(String(rest).shellQuoted)"
    }

    /// Changes an item as the words say.
    static func apply(_ words: ToDoWords, to item: inout ToDoItem, _ context: CommandContext) throws
    {
        var above: UInt128??
        if let word = words.parent { above = .some(try parent(word, of: item, context)) }
        let depends =
            words.depends.isEmpty ? nil : try depends(words.depends, of: item, context)
        try context.todos.apply(words, to: &item, parent: above, depends: depends)
    }

    private static func depends(
        _ words: [DependencyWord], of item: ToDoItem, _ context: CommandContext
    ) throws -> [UInt128] {
        do {
            return try context.todos.depends(words, of: item) { name, change in
                let found =
                    try change == .remove ? context.findAll([name]) : context.findAlive([name])
                return found.map(\.id)
            }
        } catch let cycle as ToDoStore.DependencyCycle {
            if cycle.target.value == item.identifier {
                throw CommandFailure(.refused, "a to-do cannot wait for itself; nothing was saved")
            }
            let other = try context.todos.stored(cycle.target)
            let name = other.map { context.name(of: $0) } ?? context.end(of: cycle.target)
            throw CommandFailure(
                .refused,
                "'\(item.shownTitle)' cannot wait for '\(other?.shownTitle ?? "")', which waits for it "
                    + "already, itself or through others; nothing was saved; next: \(AdvisedLine.program) show \(name)"
            )
        }
    }

    private static func parent(
        _ word: String, of item: ToDoItem, _ context: CommandContext
    ) throws -> UInt128? {
        if word.isEmpty { return nil }
        // One that is finished or in the trash is named too, to say so.
        let parent = try context.findOne([word], as: "a to-do is part of one", "parent:")
        guard parent.standing == .live else {
            throw CommandFailure(parent, is: parent.standing, "nothing was saved", context)
        }
        guard try context.todos.canBePart(item.identifier, of: parent.id) else {
            throw CommandFailure(
                .refused, "a to-do cannot be a part of itself or of one of its parts")
        }
        return parent.id.value
    }

    /// Refuses an item without a title, unless it had none before, as another program left it.
    static func check(_ item: ToDoItem, before: ToDoItem? = nil) throws {
        guard ToDoStore.isComplete(item, before: before) else {
            let notes = before == nil && !item.notes.isEmpty
            throw CommandFailure(
                .usage,
                "a to-do needs a title: \(AdvisedLine.program) add Buy milk"
                    + (notes ? " notes:of oats (words behind notes: are notes)" : ""))
        }
    }
}
