/// The codes for what Taskwarrior and a to-do cannot say of each other.
package enum TaskwarriorReason: FormatReason {
    // Of a whole file.

    /// Fields that Taskwarrior computes.
    case computed(count: Int)
    /// Midnights that are read as days.
    case midnights(count: Int)
    /// A message of Taskwarrior before its tasks, and so many more.
    case message(String, otherCount: Int)

    // Of a task that is read.

    /// A deleted task.
    case deleted
    /// A field that gets another value there.
    case becomes(String)
    /// A task without a description.
    case untitled
    /// A task that stays open after its `until`.
    case staysOpen(isTemplate: Bool)
    /// A `recur` without a series.
    case periodKept(String)
    /// A `parent` without a `recur`.
    case parentWithoutPeriod
    /// A field that means nothing here.
    case idle
    /// A `depends` that holds anything but UUIDs.
    case nothingWaits
    /// A `depends` on a task that is deleted.
    case waitsForDeleted
    /// A `depends` on a task that is not in the file.
    case waitsForMissing
    /// An `rtype` that is not periodic.
    case kindKept(String)
    /// A priority that is none here.
    case priorityKept(String)
    /// Tags that mean something to Taskwarrior alone.
    case ordinaryTags([String])

    // Of a series.

    /// A template whose `recur` has no form here.
    case templateKept(period: String, hasOpenTask: Bool)
    /// A template whose tasks come again.
    case repeatsByTasks(String)
    /// A template whose time is over.
    case repeatsNoMore(String)
    /// A template whose next task is made.
    case nextMade(String, due: String)
    /// A second task that says it is the same occurrence.
    case sameOccurrence

    // Of a to-do that is written.

    /// A field that Taskwarrior keeps, but makes no sense of.
    case aside
    /// A time that an import there sets.
    case becomesImportTimeThere
    /// A text whose words stand for brackets there.
    case brackets
    /// A day where Taskwarrior has instants.
    case dayBecomes(Int64)
    /// The field `tandem`, and the fields whose kinds it keeps.
    case added(kinds: [String])

    /// The code as half a sentence, for the user.
    package var words: String {
        switch self {
        case .computed(let count): "of \(count) not read, as Taskwarrior works them out"
        case .midnights(let count): "\(count) at midnight are read as whole days"
        case .message(let text, let count):
            "'\(text)'" + (count > 0 ? " and \(count) more before the tasks are" : " is")
                + " no task, and passed over"
        case .deleted: "deleted there: goes to the trash here, which an export leaves out"
        case .becomes(let value): "becomes \(FormatLoss.beginning(of: value))"
        case .untitled: "is empty: listed, and given out again, as '\(ToDoItem.untitled)'"
        case .staysOpen(let isTemplate):
            isTemplate
                ? "nothing comes again after it, but what is open stays, where Taskwarrior deletes it"
                : "kept, but the to-do stays open after it, where Taskwarrior deletes it"
        case .periodKept(let period):
            "\(Self.quoted(period)) is kept as a field, but nothing comes again by it here"
        case .parentWithoutPeriod:
            "kept as a field, but the task has no 'recur', so nothing goes by it"
        case .idle: "kept as a field and given out again, but nothing goes by it here"
        case .nothingWaits:
            "names no tasks by their UUIDs; it is kept as a field, and nothing waits for it"
        case .waitsForMissing:
            "leads to a task that is not in the file; it is kept, and counts once that is imported"
        case .waitsForDeleted:
            "leads to a deleted task, and to nothing here until that is restored"
        case .kindKept(let kind):
            "\(Self.quoted(kind)) is kept as a field, but nothing goes by it here"
        case .priorityKept(let word):
            "\(Self.quoted(word)) is kept as a field, but is no priority here"
        case .ordinaryTags(let tags): "\(tags.joined(separator: ", ")): like any other tag here"
        case .templateKept(let period, let hasOpenTask):
            "\(Self.quoted(period)) is kept, but nothing comes again by it here; the template "
                + (hasOpenTask ? "is kept as cancelled" : "is open, as it has no open task")
        case .repeatsByTasks(let rule): Self.series(rule)
        case .repeatsNoMore(let rule): Self.series(rule) + " and has no open task"
        case .nextMade(let rule, let due):
            Self.series(rule) + " and has no open task: the next, due \(due), is made"
        case .sameOccurrence: "another task is the same occurrence; this one is kept apart"
        case .aside: "kept in the field 'tandem' alone"
        case .becomesImportTimeThere: "becomes the time of the import there"
        case .brackets: "'&open;' and '&close;' become brackets there"
        case .dayBecomes(let instant):
            "becomes \(TimestampText.rfc3339(instant)); the field 'tandem' keeps that it is a day"
        case .added(let kinds):
            kinds.isEmpty ? "added" : "added; keeps the kinds of \(kinds.joined(separator: ", "))"
        }
    }

    private static func quoted(_ text: String) -> String { "'\(FormatLoss.beginning(of: text))'" }

    private static func series(_ rule: String) -> String {
        "\(rule), by its tasks; the template is kept as cancelled"
    }
}
