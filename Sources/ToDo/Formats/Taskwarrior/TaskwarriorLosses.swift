import JSON

/// The details of a task that its to-do lacks, found by writing the to-do again.
struct TaskwarriorLosses {
    let zone: LocalTimeZone
    let zoneName: String?

    /// The fields that Taskwarrior or our store computes.
    private static let computed: Set<String> = ["id", "urgency", "modified", "tandem"]
    /// Fields whose texts are dates.
    private static let dates = Set(ToDoDateField.allCases.map(\.rawValue) + ["entry", "end"])

    /// The losses of a task; an empty description is told otherwise.
    func losses(entry: Int, _ item: ToDoItem, of members: [JSONMember]) -> [FormatLoss] {
        var item = item
        item.identifier = item.identifier ?? 0
        // The store keeps no time of completion of what is pending.
        if item.status == .pending { item.completions = [] }
        guard
            let task = try? TaskwarriorEntryWriter(item, zone: zone, zoneName: zoneName).task(
                entry: entry)
        else {
            return []
        }
        return members.compactMap { member in
            guard !Self.computed.contains(member.name) else { return nil }
            if member.name == "description", !item.hasTitle { return nil }
            let written = task.members.first { $0.name == member.name }?.value
            let code: any FormatReason
            switch written {
            case nil where isEmpty(member.value) || item.custom[member.name] != nil: return nil
            // The builder tells of it in our own words.
            case nil where member.name == "end": return nil
            // Taskwarrior has no date of that year: it is kept here, and left out where it is written for that.
            case nil where hasDate(member.name, item): return nil
            case nil: code = CommonReason.leftOut
            case .some(let written):
                if isAlike(member.name, member.value, written) { return nil }
                code = TaskwarriorReason.becomes(text(written))
            }
            return FormatLoss(entry: entry, title: item.title, field: member.name, code)
        }
    }

    /// Whether the to-do has the date of a field.
    private func hasDate(_ name: String, _ item: ToDoItem) -> Bool {
        if name == "entry" { return item.created != nil }
        return ToDoDateField(rawValue: name).map { item[$0] != nil } ?? false
    }

    private func isEmpty(_ value: JSONValue) -> Bool {
        value == .text("") || value == .array([]) || value == .null
    }

    private func text(_ value: JSONValue) -> String {
        if case .text(let text) = value { text } else { value.compactText }
    }

    /// Whether two values say the same to Taskwarrior.
    private func isAlike(_ name: String, _ first: JSONValue, _ second: JSONValue) -> Bool {
        if first == second { return true }
        let reader = TaskwarriorEntryReader(entry: 0, zone: zone, zoneName: zoneName)
        if Self.dates.contains(name) {
            guard let one = try? reader.date(name, first),
                let other = try? reader.date(name, second)
            else { return false }
            return one.start(in: zone) == other.start(in: zone)
        }
        switch (name, first, second) {
        case ("tags", _, _), ("depends", _, _): return elements(first) == elements(second)
        case ("annotations", .array(let one), .array(let other)):
            return one.count == other.count
                && zip(one, other).allSatisfy { $0 == $1 || isAlikeAnnotation($0, $1) }
        case ("status", .text(let one), .text(let other)):
            return one == "waiting" && other == "pending"
        default: break
        }
        let (one, other) = (text(first), text(second))
        if one == other { return true }
        guard let one = Double(one), let other = Double(other) else { return false }
        return one == other
    }

    private func elements(_ value: JSONValue) -> Set<String> {
        if let texts = value.texts { return Set(texts) }
        return Set(text(value).split(separator: ",").map { String($0) })
    }

    private func isAlikeAnnotation(_ first: JSONValue, _ second: JSONValue) -> Bool {
        guard case .object(let one) = first, case .object(let other) = second else { return false }
        return ["entry", "description"].allSatisfy { key in
            guard let one = one.first(where: { $0.name == key })?.value,
                let other = other.first(where: { $0.name == key })?.value
            else { return false }
            return isAlike(key, one, other)
        }
    }
}

/// The details of a task that are kept, but work otherwise here or not at all.
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

    private mutating func add(_ field: String, _ code: TaskwarriorReason) {
        remarks.append(FormatLoss(entry: entry, title: item.title, field: field, code))
    }

    private mutating func addTitle() {
        if item.hasTitle { return }
        add("description", .untitled)
    }

    /// Taskwarrior deletes tasks after `until`; templates and occurrences end here as well.
    private mutating func addUntil() {
        guard item.until != nil, item.status == .pending || isTemplate else { return }
        add("until", .staysOpen(isTemplate: isTemplate))
    }

    private mutating func addRecurrence() {
        // The template tells it for all of its tasks.
        if isTemplate || item.series != nil { return }
        let period = item.custom[TaskwarriorRecurrence.period]?.displayText
        let isTied = item.custom["parent"] != nil
        if let period, !isTied {
            add("recur", .periodKept(period))
        }
        if isTied, period == nil {
            add("parent", .parentWithoutPeriod)
        }
        if item.custom["imask"] != nil, period == nil || !isTied {
            add("imask", .idle)
        }
    }

    /// Fields of Taskwarrior 2.6 and 3 that other fields of it have no meaning without.
    private static let idleNames = ["last", "template"]
    /// Tags that Taskwarrior goes by itself.
    private static let specialTags: Set<String> = ["next", "nag", "nonag", "nocolor", "nocal"]

    private mutating func addFields() {
        if item.custom["depends"] != nil {
            add("depends", .nothingWaits)
        }
        for name in Self.idleNames where item.custom[name] != nil { add(name, .idle) }
        if item.custom[TaskwarriorRecurrence.mask] != nil, !isTemplate {
            add(TaskwarriorRecurrence.mask, .idle)
        }
        if let kind = item.custom["rtype"]?.displayText, kind != "periodic" {
            add("rtype", .kindKept(kind))
        }
        if let word = item.custom["priority"]?.displayText {
            add("priority", .priorityKept(word))
        }
    }

    private mutating func addTags() {
        let special = item.tags.filter(Self.specialTags.contains)
        if special.isEmpty { return }
        add("tags", .ordinaryTags(special))
    }
}
