/// Writes one line of `TodoTextFormat`.
struct TodoTextWriter {
    private let item: ToDoItem
    private let zone: LocalTimeZone

    init(_ item: ToDoItem, zone: LocalTimeZone) {
        self.item = item
        self.zone = zone
    }

    /// The line, without its end.
    var line: String {
        var words = head
        let title = Self.inLine(item.title)
        words.append(item.hasTitle ? title : ToDoItem.untitled)
        if !item.project.isEmpty { words.append("+" + Self.word(item.project)) }
        words += item.tags.map { "@" + Self.word($0) }
        if let due = item.due { words.append("due:" + day(due)) }
        if let wait = item.wait { words.append("t:" + day(wait)) }
        if let repetition = item.repetition, let text = TodoTextRecurrence.text(repetition) {
            words.append("rec:" + text)
        }
        if item.status != .pending, let letter { words.append("pri:\(letter)") }
        for (key, value) in item.custom.sorted(by: { $0.key < $1.key }) where isSayable(key, value)
        {
            words.append("\(key):\(value.displayText)")
        }
        if let identifier = item.identifier { words.append("id:" + UUIDText.text(identifier)) }
        return words.joined(separator: " ")
    }

    private var head: [String] {
        var words: [String] = []
        if item.status != .pending {
            words.append("x")
            if let completed = item.completed {
                words.append(day(.instant(completed)))
                // A single day would be that of completion, so this one needs the other.
                if let created = item.created { words.append(day(.instant(created))) }
            }
        } else {
            if let letter { words.append("(\(letter))") }
            if let created = item.created { words.append(day(.instant(created))) }
        }
        return words
    }

    private var letter: Character? {
        switch item.priority {
        case .none: return nil
        case .high: return "A"
        case .medium: return "B"
        case .low:
            guard case .text(let text)? = item.custom["pri"], text.utf8.count == 1,
                let letter = text.first, ("D"..."Z").contains(letter)
            else { return "C" }
            return letter
        }
    }

    /// The day of a moment, in the user's zone.
    private func day(_ moment: Moment) -> String { TimestampText.day(moment.day(in: zone)) }

    private static let ownKeys: Set<String> = ["due", "t", "id", "pri", "rec"]

    private func isSayable(_ key: String, _ value: CustomValue) -> Bool {
        let text = value.displayText
        return TodoTextReader.isKey(key) && !Self.ownKeys.contains(key) && !text.isEmpty
            && !text.hasPrefix("//") && !text.contains(where: \.isWhitespace)
    }

    private static func inLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// A word without blanks.
    private static func word(_ text: String) -> String {
        String(text.map { $0.isWhitespace ? "_" : $0 })
    }
}
