/// What a task says and the to-do made of it does not: found by writing it again.
struct TaskwarriorLosses {
    let zone: LocalTimeZone
    let zoneName: String?

    /// What Taskwarrior works out itself, and what our store does.
    private static let computed: Set<String> = ["id", "urgency", "modified", "tandem"]
    /// Fields whose texts are dates.
    private static let dates = Set(ToDoDateField.allCases.map(\.rawValue) + ["entry", "end"])

    /// What is lost of a task; an empty description is told otherwise.
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
            let reason: String
            switch written {
            case nil where isEmpty(member.value) || item.custom[member.name] != nil: return nil
            // The builder tells of it in our own words.
            case nil where member.name == "end": return nil
            case nil: reason = "left out"
            case .some(let written):
                if isAlike(member.name, member.value, written) { return nil }
                reason = "becomes \(FormatLoss.beginning(of: text(written)))"
            }
            return FormatLoss(entry: entry, title: item.title, field: member.name, reason: reason)
        }
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
