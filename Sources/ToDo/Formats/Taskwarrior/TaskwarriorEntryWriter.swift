import Core
import JSON

/// Writes one task of `TaskwarriorFormat`.
struct TaskwarriorEntryWriter {
    private let item: ToDoItem
    private let zone: LocalTimeZone
    private let zoneName: String?
    private let names: TaskwarriorNames
    private var members: [JSONMember] = []
    private var days: [String] = []
    private var instants: [String] = []
    private var dates: [JSONMember] = []
    private var types: [JSONMember] = []
    private var custom: [JSONMember] = []
    private var losses: [FormatLoss] = []
    private var entry = 0

    /// Writes an item.
    ///
    /// - Parameter names: the ids that tasks of the same file have there.
    init(
        _ item: ToDoItem, zone: LocalTimeZone, zoneName: String?,
        names: TaskwarriorNames = TaskwarriorNames()
    ) {
        self.item = item
        self.zone = zone
        self.zoneName = zoneName
        self.names = names
    }

    /// The whole task, and what of it Taskwarrior itself does not understand.
    ///
    /// - Parameter entry: the item's number, from 1, for the fault.
    consuming func task(
        entry: Int
    ) throws(FormatFault) -> (members: [JSONMember], losses: [FormatLoss]) {
        self.entry = entry
        guard let identifier = item.identifier else {
            throw .cannotEncode(
                format: TaskwarriorFormat.name, entry: entry, key: "uuid",
                reason: "the item has no id, and an import without one crashes")
        }
        add("uuid", ownIdentifier ?? UUIDText.text(identifier))
        // Taskwarrior crashes on an empty description.
        add("description", item.hasTitle ? item.title : ToDoItem.untitled)
        add("status", status)
        addOccurrence()
        addInstant("entry", item.created)
        addInstant("modified", item.modified)
        addInstant("end", item.completed)
        // A task without these gets them when it is imported there.
        if item.created == nil { keepAside("created", .becomesImportTimeThere) }
        if status == "completed" || status == "deleted", item.completed == nil {
            keepAside("completed", .becomesImportTimeThere)
        }
        for field in ToDoDateField.allCases { addMoment(field.rawValue, item[field]) }
        addTexts()
        addCustom()
        addExtras()
        tellBrackets()
        return (members, losses)
    }

    private static let ownNames = [
        "entry": "created", "end": "completed", "description": "title", "annotations": "notes",
    ]

    /// Reports texts with `&open;` or `&close;`: Taskwarrior's file stands these for brackets, and reads such a text back
    /// with brackets in it.
    private mutating func tellBrackets() {
        for member in members {
            let text =
                if case .text(let text) = member.value { text } else { member.value.compactText }
            guard text.utf8.contains(UInt8(ascii: "&")),
                text.contains("&open;") || text.contains("&close;")
            else { continue }
            keepAside(member.name, .brackets)
        }
    }

    /// Keeps a detail in the field that only our own reader understands.
    private mutating func keepAside(
        _ field: String, _ code: TaskwarriorReason = .aside
    ) {
        losses.append(
            FormatLoss(
                entry: entry, title: item.title, field: Self.ownNames[field] ?? field,
                code))
    }

    private var status: String {
        let isTemplate = TaskwarriorRecurrence.isTemplate(item) && isRecurring
        return switch item.status {
        case .completed: "completed"
        case .cancelled: isTemplate ? "recurring" : "deleted"
        case .pending: isTemplate ? "recurring" : "pending"
        }
    }

    /// Whether Taskwarrior takes the period: it crashes without a date that it begins with.
    private var isRecurring: Bool {
        guard case .text(let text)? = item.custom[TaskwarriorRecurrence.period],
            TaskwarriorPeriod.isUnderstood(text), let due = item.due
        else { return false }
        return Self.safeInstants.contains(Self.instant(of: due, .due, zone))
    }

    private var isOccurrence: Bool { TaskwarriorRecurrence.isOccurrence(item) && isRecurring }

    /// The id that the occurrence has in Taskwarrior.
    var ownIdentifier: String? {
        guard isOccurrence,
            case .text(let text)? = item.custom[TaskwarriorRecurrence.identifier],
            UUIDText.value(text) != nil
        else { return nil }
        return text
    }

    private mutating func addOccurrence() {
        guard isOccurrence, let series = item.series, let number = item.occurrence
        else { return }
        add("parent", UUIDText.text(series))
        // The one number of its own that it exports as such.
        members.append(JSONMember("imask", .number(String(number - 1))))
    }

    private mutating func add(_ key: String, _ text: String) {
        members.append(JSONMember(key, .text(text)))
    }

    /// The instants that Taskwarrior 2.6 reads without crashing: 1980-01-01 to 9999-12-31.
    private static let safeInstants: Range<Int64> = 315_532_800_000..<253_402_214_400_000

    private mutating func addInstant(_ key: String, _ instant: Int64?) {
        addMoment(key, instant.map { .instant($0) })
    }

    /// The instant that stands for a moment: what ends with a day ends with its last second.
    static func instant(
        of moment: Moment, _ field: ToDoDateField?, _ zone: LocalTimeZone
    ) -> Int64 {
        if field == .until, case .day = moment { return moment.end(in: zone).minus(1_000) }
        return moment.start(in: zone)
    }

    private mutating func addMoment(_ key: String, _ moment: Moment?) {
        guard let moment else { return }
        let field = ToDoDateField(rawValue: key)
        let instant = Self.instant(of: moment, field, zone)
        guard Self.safeInstants.contains(instant) else {
            dates.append(JSONMember(key, .text(moment.rfc3339)))
            keepAside(key)
            return
        }
        add(key, TimestampText.compact(instant))
        let isDayField = field.map { TaskwarriorEntryReader.dayFields.contains($0) } ?? false
        guard case .day = moment else {
            if isDayField, zone.startOfDay(moment.day(in: zone)) == instant { instants.append(key) }
            return
        }
        if isDayField { return }
        days.append(key)
        keepAside(key, .dayBecomes(instant))
    }

    private mutating func addTexts() {
        if !item.project.isEmpty { add("project", item.project) }
        switch item.priority {
        case .high: add("priority", "H")
        case .medium: add("priority", "M")
        case .low: add("priority", "L")
        case .none: break
        }
        let tags = item.tags.filter(Self.isPlain)
        if !tags.isEmpty { members.append(JSONMember("tags", .array(tags.map { .text($0) }))) }
        var (notes, annotations) = AnnotationNotes.split(item.notes)
        if !annotations.allSatisfy({ Self.safeInstants.contains($0.entry) }) {
            (notes, annotations) = (item.notes, [])
        }
        if !notes.isEmpty { add("notes", notes) }
        if !annotations.isEmpty {
            let values = annotations.map { annotation in
                JSONValue.object([
                    JSONMember("entry", .text(TimestampText.compact(annotation.entry))),
                    JSONMember("description", .text(annotation.text)),
                ])
            }
            members.append(JSONMember("annotations", .array(values)))
        }
        if !item.depends.isEmpty {
            let ids = names.there(item.depends).map { JSONValue.text(UUIDText.text($0)) }
            members.append(JSONMember("depends", .array(ids)))
        }
        if !item.location.isEmpty { add("location", item.location) }
        if !item.people.isEmpty {
            let only = item.people[0]
            let isPlain = item.people.count == 1 && !only.isEmpty && !only.hasPrefix("[")
            add(
                "people",
                isPlain ? only : JSONValue.array(item.people.map { .text($0) }).compactText)
        }
    }

    /// Whether Taskwarrior keeps a tag as it is.
    private static func isPlain(_ tag: String) -> Bool {
        !tag.contains { $0 == "," || $0.isNewline }
    }

    private mutating func addCustom() {
        var taken = Set(members.map(\.name)).union(dates.map(\.name))
        taken.formUnion(["id", "urgency", "tandem", "annotations", "notes", "people", "location"])
        taken.formUnion(["tags", "uuid", "status", "description", "project", "entry", "modified"])
        taken.formUnion(["end"] + ToDoDateField.allCases.map(\.rawValue))
        for (key, value) in item.custom.sorted(by: { $0.key < $1.key }) {
            if key == TaskwarriorRecurrence.identifier, ownIdentifier != nil { continue }
            guard !taken.contains(key), Self.isFieldName(key), fits(key, value) else {
                custom.append(JSONMember(key, value.json))
                keepAside(key)
                continue
            }
            addCustom(key, value)
        }
    }

    /// Fields whose value Taskwarrior interprets take only what it can.
    private func fits(_ key: String, _ value: CustomValue) -> Bool {
        switch (key, value) {
        case ("parent", .text(let text)): return UUIDText.value(text) != nil
        case ("depends", _), ("parent", _): return false
        case (TaskwarriorRecurrence.period, _): return isRecurring
        // It exports these without quotes, whatever they are, and nothing reads that file then.
        case ("imask", .text(let text)), ("last", .text(let text)): return Self.isNumber(text)
        case ("imask", .bool), ("imask", .instant), ("last", .bool), ("last", .instant):
            return false
        case (_, .text(let text)): return !text.isEmpty
        case (_, .instant(let instant)):
            return Self.safeInstants.contains(instant) && instant % 1_000 == 0
        default: return true
        }
    }

    private mutating func addCustom(_ key: String, _ value: CustomValue) {
        switch value {
        case .text(let text): add(key, text)
        case .int(let number) where key == "imask":
            // The one number of its own that it exports as such.
            members.append(JSONMember(key, .number(String(number))))
        case .bool: addTyped(key, value, "bool")
        case .int: addTyped(key, value, "int")
        case .double: addTyped(key, value, "double")
        case .instant(let instant):
            add(key, TimestampText.compact(instant))
            types.append(JSONMember(key, .text("instant")))
        default:
            custom.append(JSONMember(key, value.json))
            keepAside(key)
        }
    }

    /// As text, since Taskwarrior rounds numbers; it reads them where a field is set up as numeric.
    private mutating func addTyped(_ key: String, _ value: CustomValue, _ kind: String) {
        add(key, value.displayText)
        types.append(JSONMember(key, .text(kind)))
    }

    private static func isNumber(_ text: String) -> Bool {
        (1...9).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// Names of its own files, which it takes apart.
    private static let innerPrefixes = ["annotation_", "dep_", "tag_", "tags_"]

    private static func isFieldName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(48...57).contains(first),
            !innerPrefixes.contains(where: { name.hasPrefix($0) })
        else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case 48...57, UInt8(ascii: "_"): true
            default: false
            }
        }
    }

    /// Reads the task without any of Tandem's own attributes in it.
    private func bareReading() -> (item: ToDoItem, isBuried: Bool) {
        var reader = TaskwarriorEntryReader(entry: entry, zone: zone, zoneName: zoneName)
        var read = (try? reader.item(members)) ?? ToDoItem(title: "")
        read.setDepends(names.here(read.depends))
        return (read, reader.isDeleted)
    }

    private mutating func addExtras() {
        var extras: [JSONMember] = []
        if !days.isEmpty { extras.append(JSONMember("days", .array(days.map { .text($0) }))) }
        if !instants.isEmpty {
            extras.append(JSONMember("instants", .array(instants.map { .text($0) })))
        }
        if !dates.isEmpty { extras.append(JSONMember("dates", .object(dates))) }
        let tags = item.tags.filter { !Self.isPlain($0) }
        if !tags.isEmpty {
            extras.append(JSONMember("tags", .array(tags.map { .text($0) })))
            keepAside("tags")
        }
        if !types.isEmpty { extras.append(JSONMember("types", .object(types))) }
        let bare = bareReading()
        if bare.isBuried || bare.item.status != item.status {
            extras.append(JSONMember("status", .text(item.status.rawValue)))
        }
        if bare.item.series != nil, item.series == nil {
            extras.append(JSONMember("apart", .bool(true)))
        }
        let known = JSONLinesFormat.planMembers(bare.item)
        let plan = JSONLinesFormat.planMembers(item).filter { !known.contains($0) }
        if !plan.isEmpty {
            extras.append(JSONMember("plan", .object(plan)))
            // Where the schedule began is what the template says there.
            for member in plan where !(isOccurrence && member.name == "anchor") {
                keepAside(member.name)
            }
        }
        if !custom.isEmpty { extras.append(JSONMember("custom", .object(custom))) }
        if extras.isEmpty { return }
        add("tandem", JSONValue.object(extras).compactText)
        keepAside("tandem", .added(kinds: types.map(\.name)))
    }
}
