import JSON

/// Reads one task of `TaskwarriorFormat`.
struct TaskwarriorEntryReader {
    let entry: Int
    let zone: LocalTimeZone
    /// The name of the zone for rules; nil if it has none.
    let zoneName: String?
    /// Whether the task is a template of those that come again.
    private(set) var isTemplate = false
    /// Whether the task is deleted, and not one of those that come again, which is skipped then.
    private(set) var isDeleted = false
    /// How many dates at midnight became days.
    private(set) var dayCount = 0
    private var item = ToDoItem(title: "")
    private var plainNotes = ""
    private var annotations: [AnnotationNotes.Annotation] = []
    private var extras: [JSONMember] = []

    init(entry: Int, zone: LocalTimeZone, zoneName: String?) {
        self.entry = entry
        self.zone = zone
        self.zoneName = zoneName
    }

    /// Reads all members of the task's object.
    mutating func item(_ members: [JSONMember]) throws(FormatFault) -> ToDoItem {
        // Without either it is no task of Taskwarrior.
        guard members.contains(where: { $0.name == "description" || $0.name == "uuid" }) else {
            throw fault("description", "is missing")
        }
        for member in members { try read(member) }
        item.notes = AnnotationNotes.join(notes: plainNotes, annotations: annotations)
        readMidnights()
        let isApart = extras.contains { $0.name == "apart" }
        if !isTemplate, !isApart { TaskwarriorRecurrence.tie(&item, zoneName: zoneName) }
        if isDeleted, TaskwarriorRecurrence.isOccurrence(item) {
            item.status = .cancelled
            isDeleted = false
        }
        try applyExtras()
        if isDeleted { item.completions = [] }
        return item
    }

    private func fault(_ key: String?, _ reason: String) -> FormatFault {
        .badEntry(format: TaskwarriorFormat.name, entry: entry, key: key, reason: reason)
    }

    private mutating func read(_ member: JSONMember) throws(FormatFault) {
        let (key, value) = (member.name, member.value)
        if let field = ToDoDateField(rawValue: key) {
            item[field] = try date(key, value)
            return
        }
        switch key {
        case "id", "urgency": break
        case "uuid":
            guard let identifier = UUIDText.value(try text(key, value)) else {
                throw fault(key, "is not a UUID")
            }
            item.identifier = identifier
        case "description": item.title = try text(key, value)
        case "project": item.project = try text(key, value)
        case "notes": plainNotes = try text(key, value)
        case "location": item.location = try text(key, value)
        case "status": try readStatus(try text(key, value))
        case "priority": try readPriority(try text(key, value))
        case "entry": item.created = try instant(key, value)
        case "modified": item.modified = try instant(key, value)
        case "end": item.completed = try instant(key, value)
        case "tags": item.setTags(item.tags + (try texts(key, value)))
        case "people":
            let text = try text(key, value)
            item.people = JSONValue(compactText: text)?.texts ?? [text]
        case "annotations": try readAnnotations(value)
        case "depends":
            let texts = try texts(key, value)
            let ids = texts.compactMap(UUIDText.value)
            if ids.count == texts.count {
                item.setDepends(ids)
            } else {
                item.custom[key] = .text(texts.joined(separator: ","))
            }
        case "tandem":
            guard case .object(let members)? = JSONValue(compactText: try text(key, value)) else {
                // Somebody else's field of that name.
                item.custom[key] = try custom(key, value)
                return
            }
            extras = members
        default: item.custom[key] = try custom(key, value)
        }
    }

    private mutating func readStatus(_ word: String) throws(FormatFault) {
        switch word {
        case "pending", "waiting": item.status = .pending
        case "recurring":
            item.status = .cancelled
            isTemplate = true
        case "completed": item.status = .completed
        case "deleted": isDeleted = true
        default: throw fault("status", "'\(FormatLoss.beginning(of: word))' is no status")
        }
    }

    private mutating func readPriority(_ word: String) throws(FormatFault) {
        switch word {
        case "H": item.priority = .high
        case "M": item.priority = .medium
        case "L": item.priority = .low
        case "": break
        default: item.custom["priority"] = .text(word)
        }
    }

    private func text(_ key: String, _ value: JSONValue) throws(FormatFault) -> String {
        switch value {
        case .text(let text): return text
        case .number(let digits): return digits
        default: throw fault(key, "should be a text")
        }
    }

    /// An array of texts, or one text with commas, as older versions write it.
    private func texts(_ key: String, _ value: JSONValue) throws(FormatFault) -> [String] {
        if let texts = value.texts { return texts }
        guard case .text(let joined) = value else {
            throw fault(key, "should be an array of texts")
        }
        return joined.split(separator: ",").map(String.init)
    }

    func date(_ key: String, _ value: JSONValue) throws(FormatFault) -> Moment? {
        let text = try text(key, value)
        if text.isEmpty { return nil }
        if let instant = TimestampReader.compact(text) { return .instant(instant) }
        if text.utf8.count <= 11, let seconds = Int64(text), text.utf8.count >= 9 {
            return .instant(seconds * 1_000)
        }
        switch try? ISOText.parse(text.lowercased(), zone: zone) {
        case .day(let day): return Int32(exactly: day).map { .day($0) }
        case .instant(let instant): return .instant(instant)
        default: throw fault(key, "'\(FormatLoss.beginning(of: text))' is no date")
        }
    }

    private func instant(_ key: String, _ value: JSONValue) throws(FormatFault) -> Int64? {
        try date(key, value)?.start(in: zone)
    }

    private mutating func readAnnotations(_ value: JSONValue) throws(FormatFault) {
        guard case .array(let elements) = value else {
            throw fault("annotations", "should be an array")
        }
        for element in elements {
            guard case .object(let members) = element,
                let entry = members.first(where: { $0.name == "entry" }),
                let description = members.first(where: { $0.name == "description" }),
                let instant = try instant("annotations", entry.value)
            else { throw fault("annotations", "should hold objects with entry and description") }
            annotations.append(
                AnnotationNotes.Annotation(
                    entry: instant, text: try text("annotations", description.value)))
        }
    }

    /// Unknown values; arrays and objects stay as JSON text, which is what Taskwarrior makes of them.
    private func custom(_ key: String, _ value: JSONValue) throws(FormatFault) -> CustomValue {
        switch value {
        case .text(let text): .text(text)
        case .null, .array, .object: .text(value.compactText)
        // Too many digits for our numbers: the text keeps them all.
        case .bool, .number: CustomValue(json: value) ?? .text(value.compactText)
        }
    }
}

extension TaskwarriorEntryReader {
    /// Puts back what our own export said in the field `tandem`.
    private mutating func applyExtras() throws(FormatFault) {
        for extra in extras {
            switch (extra.name, extra.value) {
            case ("days", let value): restoreDays(value.texts ?? [])
            case ("instants", let value): restoreInstants(value.texts ?? [])
            case ("status", .text(let word)): restoreStatus(word)
            case ("apart", _): break
            case ("tags", let value): item.setTags(item.tags + (value.texts ?? []))
            case ("dates", .object(let members)): try restoreDates(members)
            case ("types", .object(let members)): restoreTypes(members)
            case ("custom", .object(let members)):
                for member in members { item.custom[member.name] = CustomValue(json: member.value) }
            case ("plan", .object(let members)):
                try JSONLinesEntryReader.readPlan(members, into: &item, entry: entry)
            default: throw fault("tandem", "'\(extra.name)' was written by a newer version")
            }
        }
    }

    /// The dates that Taskwarrior sets to midnight where a person names a day.
    static let dayFields: Set<ToDoDateField> = [.due, .scheduled, .wait]

    /// Midnight is how Taskwarrior says a day.
    private mutating func readMidnights() {
        for field in ToDoDateField.allCases where Self.dayFields.contains(field) {
            if restoreDay(field) { dayCount += 1 }
        }
    }

    /// A date that was moved away from midnight since our export is no day any more.
    private mutating func restoreDays(_ keys: [String]) {
        for field in ToDoDateField.allCases where keys.contains(field.rawValue) {
            _ = restoreDay(field)
        }
    }

    private mutating func restoreDay(_ field: ToDoDateField) -> Bool {
        guard case .instant(let instant)? = item[field] else { return false }
        let day = zone.localTime(at: instant).day
        guard let short = Int32(exactly: day) else { return false }
        guard TaskwarriorEntryWriter.instant(of: .day(short), field, zone) == instant else {
            return false
        }
        item[field] = .day(short)
        return true
    }

    /// Midnights that are no days.
    private mutating func restoreInstants(_ keys: [String]) {
        for field in Self.dayFields where keys.contains(field.rawValue) {
            if let moment = item[field] { item[field] = .instant(moment.start(in: zone)) }
        }
    }

    /// The status that Taskwarrior has one word for; it stands unless that was changed there.
    private mutating func restoreStatus(_ word: String) {
        guard isDeleted || isTemplate, let status = ToDoStatus(rawValue: word) else { return }
        item.status = status
        isDeleted = false
    }

    /// Dates that Taskwarrior cannot hold; one that was set there since stands.
    private mutating func restoreDates(_ members: [JSONMember]) throws(FormatFault) {
        for member in members {
            guard case .text(let text) = member.value,
                let moment = TimestampReader.rfc3339(text)
            else { throw fault("tandem", "'\(FormatLoss.beginning(of: member.name))' is no date") }
            if let field = ToDoDateField(rawValue: member.name) {
                item[field] = item[field] ?? moment
                continue
            }
            guard case .instant(let instant) = moment else { continue }
            switch member.name {
            case "entry": item.created = instant
            case "modified": item.modified = instant
            case "end": item.completed = instant
            default: break
            }
        }
    }

    /// A value that no longer reads as its kind was changed since, and stays text.
    private mutating func restoreTypes(_ members: [JSONMember]) {
        for member in members {
            guard case .text(let kind) = member.value, let value = item.custom[member.name] else {
                continue
            }
            let text = value.displayText
            let typed: CustomValue? =
                switch kind {
                case "bool": text == "true" || text == "false" ? .bool(text == "true") : nil
                case "int": Int64(text).map { .int($0) }
                case "double": Double(text).map { .double($0) }
                case "instant": TimestampReader.compact(text).map { .instant($0) }
                default: nil
                }
            if let typed { item.custom[member.name] = typed }
        }
    }
}
