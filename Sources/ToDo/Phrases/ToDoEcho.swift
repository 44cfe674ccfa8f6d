import Core

/// How what was typed was understood, in words.
package struct ToDoEcho {
    private let now: Int64
    private let zone: LocalTimeZone
    private let cutNotes: (String) -> String

    /// Words for one time and zone.
    ///
    /// - Parameter cutNotes: cuts notes so that there is room for them in a line.
    package init(now: Int64, zone: LocalTimeZone, cutNotes: @escaping (String) -> String) {
        self.now = now
        self.zone = zone
        self.cutNotes = cutNotes
    }

    /// The dates of a to-do: "due Fri 27 Nov 2026, in 6 days".
    package func dates(_ item: ToDoItem) -> [String] {
        ToDoDateField.allCases.compactMap { field in
            item[field].map {
                "\(field.rawValue) \(DatePhrase.describe($0, now: now, zone: zone))"
            }
        }
    }

    /// The rest of what a list shows of a to-do, and who and where: "project Home", "+errand", "priority high".
    package func details(_ item: ToDoItem) -> [String] {
        var parts: [String] = []
        if !item.project.isEmpty { parts.append("project \(VisibleText.escaped(item.project))") }
        if !item.tags.isEmpty {
            parts.append(
                item.tags.map { "+" + VisibleText.escaped($0) }.joined(separator: " "))
        }
        if item.priority != .none { parts.append("priority \(item.priority)") }
        if !item.location.isEmpty {
            parts.append("location \(VisibleText.escaped(item.location))")
        }
        if !item.people.isEmpty {
            let names = item.people.map { VisibleText.escaped($0) }
            parts.append("people \(names.joined(separator: ", "))")
        }
        if !item.reminders.isEmpty {
            let texts = item.reminders.map { ReminderWords.describe($0, zone: zone) }
            parts.append("remind \(texts.joined(separator: ", "))")
        }
        for (name, value) in item.custom.sorted(by: { $0.key < $1.key }) {
            parts.append("x.\(VisibleText.escaped(name)) \(beginning(of: value.displayText))")
        }
        if !item.notes.isEmpty { parts.append("notes \"\(beginning(of: item.notes))\"") }
        return parts
    }

    /// Returns the details of a to-do that differ from the old ones.
    package func details(_ item: ToDoItem, besides old: ToDoItem) -> [String] {
        var before = details(old)
        // Longer notes may differ behind what is shown of them.
        if item.notes != old.notes, !old.notes.isEmpty { before.removeLast() }
        let removed = old.tags.filter { !item.tags.contains($0) }
        let replaced = replacedNotes(of: item, before: old)
        let changed = details(item).filter { !before.contains($0) }.map { part in
            // The tags that are gone stand beside those that are there.
            guard part.hasPrefix("+"), !removed.isEmpty else { return part }
            return part + removed.map { " -" + VisibleText.escaped($0) }.joined()
        }
        return changed + (replaced.map { [$0] } ?? [])
    }

    /// What the notes were, unless they only grew: "the notes were "Milk for the cake"".
    private func replacedNotes(of item: ToDoItem, before old: ToDoItem) -> String? {
        guard !old.notes.isEmpty, !item.notes.contains(old.notes) else { return nil }
        let was = beginning(of: old.notes)
        // A change behind what is shown, as by a substitution, is not told twice.
        guard item.notes.isEmpty || beginning(of: item.notes) != was else { return nil }
        return "the notes were \"\(was)\""
    }

    /// The beginning of a text of any length, in one line.
    private func beginning(of text: String) -> String {
        let lines = FormatLoss.beginning(of: text).split(whereSeparator: \.isNewline)
        return cutNotes(VisibleText.escaped(lines.joined(separator: " ")))
    }
}
