/// What is kept of a task although nothing goes by it here, or not as it does in Taskwarrior.
struct TaskwarriorRemarks {
    private let entry: Int
    private let item: ToDoItem
    private let isTemplate: Bool
    private var remarks: [FormatLoss] = []

    init(entry: Int, _ item: ToDoItem, isTemplate: Bool) {
        self.entry = entry
        self.item = item
        self.isTemplate = isTemplate
    }

    /// All of one task, field by field.
    consuming func all() -> [FormatLoss] {
        addTitle()
        addUntil()
        addRecurrence()
        addFields()
        addTags()
        return remarks
    }

    private mutating func add(_ field: String, _ reason: String) {
        remarks.append(FormatLoss(entry: entry, title: item.title, field: field, reason: reason))
    }

    private mutating func addTitle() {
        if item.hasTitle { return }
        add("description", "is empty: listed, and given out again, as '\(ToDoItem.untitled)'")
    }

    /// What is over is deleted there; templates and occurrences end here as well.
    private mutating func addUntil() {
        guard item.until != nil, item.status == .pending || isTemplate else { return }
        add(
            "until",
            isTemplate
                ? "nothing comes again after it, but what is open stays, where Taskwarrior deletes it"
                : "kept, but the to-do stays open after it, where Taskwarrior deletes it")
    }

    private mutating func addRecurrence() {
        // The template tells it for all of its tasks.
        if isTemplate || item.series != nil { return }
        let period = item.custom[TaskwarriorRecurrence.period]?.displayText
        let isTied = item.custom["parent"] != nil
        if let period, !isTied {
            let shown = FormatLoss.beginning(of: period)
            add("recur", "'\(shown)' is kept as a field, but nothing comes again by it here")
        }
        if isTied, period == nil {
            add("parent", "kept as a field, but the task has no 'recur', so nothing goes by it")
        }
        if item.custom["imask"] != nil, period == nil || !isTied {
            add("imask", Self.idle)
        }
    }

    private static let idle = "kept as a field and given out again, but nothing goes by it here"
    /// Fields of Taskwarrior 2.6 and 3 that other fields of it have no meaning without.
    private static let idleNames = ["last", "template"]
    /// Tags that Taskwarrior goes by itself.
    private static let specialTags: Set<String> = ["next", "nag", "nonag", "nocolor", "nocal"]

    private mutating func addFields() {
        if item.custom["depends"] != nil {
            add("depends", "kept as a field and given out again, but nothing waits for it here")
        }
        for name in Self.idleNames where item.custom[name] != nil { add(name, Self.idle) }
        if item.custom[TaskwarriorRecurrence.mask] != nil, !isTemplate {
            add(TaskwarriorRecurrence.mask, Self.idle)
        }
        if let kind = item.custom["rtype"]?.displayText, kind != "periodic" {
            add(
                "rtype",
                "'\(FormatLoss.beginning(of: kind))' is kept as a field, but nothing goes by it here"
            )
        }
        if let word = item.custom["priority"]?.displayText {
            add(
                "priority",
                "'\(FormatLoss.beginning(of: word))' is kept as a field, but is no priority here")
        }
    }

    private mutating func addTags() {
        let special = item.tags.filter(Self.specialTags.contains)
        if special.isEmpty { return }
        add("tags", "\(special.joined(separator: ", ")): like any other tag here")
    }
}
