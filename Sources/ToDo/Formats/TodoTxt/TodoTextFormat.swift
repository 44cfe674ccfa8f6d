/// The file `todo.txt`: a to-do a line, as far as a line goes.
///
/// | ours | theirs |
/// |---|---|
/// | completed, cancelled | `x ` at the beginning, then the day of completion |
/// | created | a day before the title |
/// | priority high, medium, low | `(A)`, `(B)`, `(C)`; `pri:A` once done |
/// | project | the first `+Word`; blanks become `_` |
/// | tags | `@word`; blanks become `_`; a second `+Word` is read as a tag |
/// | due, wait | `due:2026-12-01`, `t:2026-12-01`; times of day are left out |
/// | repeats | `rec:1w` after completion, `rec:+1w` from due |
/// | depends | `dep:` with the `id:` of another line, once for each |
/// | custom fields | `key:value`, where neither has blanks |
/// | id | `id:`, so that what we wrote is known again |
///
/// There is no way to write a title that holds such words itself, so each export is read again, and
/// whatever differs is told as a loss. A title that begins as a line does (`x`, `(A)`, a day) stands behind
/// the first of the other words. A line without plain words has those that it has as its title; a date in
/// words is kept as a custom field.
package struct TodoTextFormat: Sendable {
    static let name = "todo.txt"

    /// The zone in which days begin.
    let zone: LocalTimeZone

    /// Reads and writes days of `zone`.
    package init(zone: LocalTimeZone) {
        self.zone = zone
    }

    /// Reads a file; empty lines are passed over.
    ///
    /// - Throws: `cannotDecode` for the file; bad lines are among the faults.
    package func decode(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading {
        try FormatLimits.check(bytes, format: Self.name)
        var reader = TodoTextLineReader(ReadingBuilder(Self.name), zone: zone)
        var lines = TextLines(bytes)
        while let line = lines.next() { try reader.read(line.bytes, line: line.number) }
        reader.builder.changeItems(TodoTextDependencies.tie)
        return reader.builder.reading
    }

    /// How lines are known again.
    package var echo: FormatEcho {
        FormatEcho(forms: { item in
            var reader = TodoTextReader(entry: 0, zone: zone)
            return [reader.item(TodoTextWriter(item, zone: zone).line)]
        })
    }

    /// The details of an item that a line does not give back.
    private static func losses(
        of item: ToDoItem, _ line: String, entry: Int, zone: LocalTimeZone
    ) -> [FormatLoss] {
        var reader = TodoTextReader(entry: entry, zone: zone)
        return FormatLoss.losses(entry: entry, of: item) { () throws(FormatFault) in
            reader.item(line)
        }
    }

    /// Writes a file.
    package func encode(_ items: [ToDoItem]) throws(FormatFault) -> FormatWriting {
        var bytes: [UInt8] = []
        var losses: [FormatLoss] = []
        for (index, item) in items.enumerated() {
            let line = TodoTextWriter(item, zone: zone).line
            bytes.append(contentsOf: line.utf8)
            bytes.append(UInt8(ascii: "\n"))
            losses += Self.losses(of: item, line, entry: index + 1, zone: zone)
        }
        return FormatWriting(bytes, losses: losses)
    }
}

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
        let title = item.hasTitle ? Self.inLine(item.title) : ToDoItem.untitled
        var words = keyed
        words.insert(title, at: readsAsHead(title) && !words.isEmpty ? 1 : 0)
        return (head + words).joined(separator: " ")
    }

    /// Whether a reader would take the beginning of a title for a mark, a priority or a day in front of it.
    private func readsAsHead(_ title: String) -> Bool {
        let first = title.split(separator: " ").first
        if item.status != .pending {
            return (item.completed == nil || item.created == nil)
                && TodoTextReader.day(first) != nil
        }
        if item.created != nil { return false }
        if TodoTextReader.day(first) != nil { return true }
        return letter == nil
            && (first == TodoTextReader.completionMark
                || TodoTextReader.priorityLetter(first) != nil)
    }

    /// The words with a key or a sign in front.
    private var keyed: [String] {
        var words: [String] = []
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
        words += item.depends.map { "dep:" + UUIDText.text($0) }
        if let identifier = item.identifier { words.append("id:" + UUIDText.text(identifier)) }
        return words
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

    private static let ownKeys: Set<String> = ["due", "t", "id", "pri", "rec", "dep"]

    private func isSayable(_ key: String, _ value: CustomValue) -> Bool {
        let text = value.displayText
        guard TodoTextReader.isKey(key), !text.isEmpty, !text.hasPrefix("//"),
            !text.contains(where: \.isWhitespace)
        else { return false }
        return !Self.ownKeys.contains(key) || TodoTextReader.isKept(key, text, zone: zone)
    }

    private static func inLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// A word without blanks.
    private static func word(_ text: String) -> String {
        String(text.map { $0.isWhitespace ? "_" : $0 })
    }
}

extension TodoTextFormat: ToDoFormat {
    /// The names of the format, and what is known of it without a file.
    package static let profile = FormatProfile(
        "todotxt", otherNames: ["todo.txt"], family: "todo.txt",
        losses: "times of day, notes, and most fields", nameEndings: ["todo.txt", "done.txt"])

    /// A format as a command line asks for it.
    package init(_ settings: FormatSettings) throws(FormatOptionFault) {
        self.init(zone: settings.zone)
    }

    /// Reads a file piece by piece.
    package func stream() -> (any EntryStream)? { TodoTextStream(zone: zone) }
}

/// The codes for what todo.txt and a to-do cannot say of each other.
package enum TodoTextReason: FormatReason {
    /// A second priority, which is left out.
    case secondPriority(Character, after: Character)
    /// A letter that has no priority of its own here.
    case becomesLow(Character)
    /// A second project, which becomes a tag.
    case secondProject(String)
    /// A second value of one key, which is left out.
    case secondValue(String)
    /// A date in words, which is kept as a field of the user's own.
    case dateKept(String)
    /// A repetition that is not known, which is kept as a field of the user's own.
    case repeatKept(String)
    /// A title made of the words with signs and keys, as there are no others.
    case titleOfWords(String)

    /// The code as half a sentence, for the user.
    package var words: String {
        switch self {
        case .secondPriority(let letter, let first): "is (\(first)); 'pri:\(letter)' is left out"
        case .becomesLow(let letter): "becomes low; the letter \(letter) is kept as the field 'pri'"
        case .secondProject(let name):
            "a second one; '\(FormatLoss.beginning(of: name))' becomes a tag"
        case .secondValue(let value):
            "a second one; '\(FormatLoss.beginning(of: value))' is left out"
        case .dateKept(let value):
            "'\(FormatLoss.beginning(of: value))' is no date; it is kept as a field of your own"
        case .repeatKept(let value):
            "'\(FormatLoss.beginning(of: value))' is not understood, so it does not repeat; it is kept as a field of your own"
        case .titleOfWords(let title):
            "is '\(FormatLoss.beginning(of: title))', as the line has no other words"
        }
    }
}
