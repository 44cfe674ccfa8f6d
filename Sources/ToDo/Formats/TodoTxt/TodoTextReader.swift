/// Reads one line of `TodoTextFormat`.
struct TodoTextReader {
    private let entry: Int
    private let zone: LocalTimeZone
    private var item = ToDoItem(title: "")
    private var tags: [String] = []
    /// The ids behind `dep:`, and the names there of lines that are known once all are read.
    private var depends: [UInt128] = []
    private var dependencyNames: [String] = []
    private var letter: Character?
    private(set) var losses: [FormatLoss] = []
    /// The details that are kept, but otherwise.
    private(set) var remarks: [FormatLoss] = []

    init(entry: Int, zone: LocalTimeZone) {
        self.entry = entry
        self.zone = zone
    }

    func fault(_ key: String?, _ reason: String) -> FormatFault {
        .badEntry(format: TodoTextFormat.name, entry: entry, key: key, reason: reason)
    }

    /// The to-do that a line says.
    mutating func item(_ line: String) -> ToDoItem {
        var words = line.split(separator: " ", omittingEmptySubsequences: false)[...]
        readHead(&words)
        var title: [Substring] = []
        for word in words where !readWord(word) { title.append(word) }
        item.title = Self.trimmed(title.joined(separator: " "))
        if item.title.isEmpty {
            item.title = Self.title(ofWords: words, in: line)
            remark("title", .titleOfWords(item.title))
        }
        item.setTags(tags)
        item.setDepends(depends)
        if !dependencyNames.isEmpty {
            item.custom[TodoTextDependencies.key] = .text(dependencyNames.joined(separator: ","))
        }
        func titled(_ loss: FormatLoss) -> FormatLoss {
            FormatLoss(
                entry: loss.entry, title: item.title, field: loss.field, loss.code)
        }
        losses = losses.map(titled)
        remarks = remarks.map(titled)
        return item
    }

    /// The title of a line without plain words: what other programs show of it, each word once.
    private static func title(ofWords words: ArraySlice<Substring>, in line: String) -> String {
        var seen: Set<Substring> = []
        let shown = words.filter { word in
            !word.isEmpty && !isIdentifier(word) && seen.insert(word).inserted
        }
        return trimmed(shown.isEmpty ? line : shown.joined(separator: " "))
    }

    private static func isIdentifier(_ word: Substring) -> Bool {
        word.hasPrefix("id:") && UUIDText.value(String(word.dropFirst(3))) != nil
    }

    private static func trimmed(_ text: String) -> String {
        var rest = text[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    private mutating func lose(_ field: String, _ code: TodoTextReason) {
        losses.append(FormatLoss(entry: entry, title: "", field: field, code))
    }

    private mutating func remark(_ field: String, _ code: TodoTextReason) {
        remarks.append(FormatLoss(entry: entry, title: "", field: field, code))
    }

    /// The mark of completion, the priority and the dates in front.
    private mutating func readHead(_ words: inout ArraySlice<Substring>) {
        while words.first?.isEmpty == true { words.removeFirst() }
        if words.first == Self.completionMark, words.dropFirst().contains(where: { !$0.isEmpty }) {
            words.removeFirst()
            item.status = .completed
        } else if let letter = Self.priorityLetter(words.first) {
            words.removeFirst()
            setPriority(letter)
        }
        let first = consumeDay(&words)
        if item.status == .completed {
            item.completed = first.map { zone.startOfDay($0) }
            item.created = consumeDay(&words).map { zone.startOfDay($0) }
        } else {
            item.created = first.map { zone.startOfDay($0) }
        }
    }

    /// The word in front of what was completed.
    static let completionMark: Substring = "x"

    private func consumeDay(_ words: inout ArraySlice<Substring>) -> Int? {
        guard let day = Self.day(words.first) else { return nil }
        words.removeFirst()
        return day
    }

    /// The day that a word says; nil for any other.
    static func day(_ word: Substring?) -> Int? {
        guard let word, word.utf8.count == 10,
            case .day(let day)? = TimestampReader.rfc3339(String(word))
        else { return nil }
        return Int(day)
    }

    /// The letter of a priority; nil for any other word.
    static func priorityLetter(_ word: Substring?) -> Character? {
        guard let word, word.utf8.count == 3, word.hasPrefix("("), word.hasSuffix(")"),
            let letter = word.dropFirst().first, ("A"..."Z").contains(letter)
        else { return nil }
        return letter
    }

    /// Letters after C have no priority of their own here; the letter itself is kept.
    private mutating func setPriority(_ letter: Character) {
        if let first = self.letter {
            if first != letter { lose("priority", .secondPriority(letter, after: first)) }
            return
        }
        self.letter = letter
        switch letter {
        case "A": item.priority = .high
        case "B": item.priority = .medium
        case "C": item.priority = .low
        default:
            item.priority = .low
            item.custom["pri"] = .text(String(letter))
            remark("priority", .becomesLow(letter))
        }
    }

    /// Whether a word says something beside the title.
    private mutating func readWord(_ word: Substring) -> Bool {
        if word.utf8.count > 1, word.hasPrefix("@") {
            tags.append(String(word.dropFirst()))
            return true
        }
        if word.utf8.count > 1, word.hasPrefix("+") {
            let project = String(word.dropFirst())
            if item.project.isEmpty {
                item.project = project
            } else if project != item.project {
                tags.append(project)
                lose("project", .secondProject(String(project)))
            }
            return true
        }
        guard let colon = word.firstIndex(of: ":") else { return false }
        let (key, value) = (String(word[..<colon]), String(word[word.index(after: colon)...]))
        guard Self.isKey(key), !value.isEmpty, !value.hasPrefix("//") else { return false }
        read(key, value)
        return true
    }

    /// Whether a text may stand before the colon: `12:30` is a time, not a field.
    static func isKey(_ text: String) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7a).contains(first | 0x20) else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x2d
                || byte == 0x5f || byte == 0x2e
        }
    }

    private mutating func read(_ key: String, _ value: String) {
        switch key {
        case "due":
            if let due = moment(value) { item.due = due } else { keepDate(key, value) }
        case "t":
            if let wait = moment(value) { item.wait = wait } else { keepDate(key, value) }
        case "id":
            if let identifier = UUIDText.value(value) {
                item.identifier = identifier
            } else {
                keep(key, value)
            }
        case TodoTextDependencies.key:
            for name in value.split(separator: ",").map({ String($0) }) {
                if let id = UUIDText.value(name) {
                    depends.append(id)
                } else {
                    dependencyNames.append(name)
                }
            }
        case "pri":
            let letter = value.utf8.count == 1 ? value.first : nil
            guard let letter, ("A"..."Z").contains(letter) else { return keep(key, value) }
            setPriority(letter)
        case "rec":
            guard let repetition = TodoTextRecurrence.repetition(value) else {
                remark(key, .repeatKept(value))
                return keep(key, value)
            }
            item.repeats = repetition.text
        default: keep(key, value)
        }
    }

    /// A field of the user's own; the first of a name counts.
    private mutating func keep(_ key: String, _ value: String) {
        guard item.custom[key] == nil else {
            return lose(key, .secondValue(String(value)))
        }
        item.custom[key] = CustomValue(typed: value)
    }

    /// A date in words, which other programs count from a day that the file does not say.
    private mutating func keepDate(_ key: String, _ value: String) {
        remark(key, .dateKept(value))
        keep(key, value)
    }

    private func moment(_ value: String) -> Moment? { try? CSVDates(zone: zone).moment(value) }

    /// Whether a value of one of the format's own keys becomes a field of the user's own.
    static func isKept(_ key: String, _ value: String, zone: LocalTimeZone) -> Bool {
        var reader = TodoTextReader(entry: 0, zone: zone)
        reader.read(key, value)
        if !reader.dependencyNames.isEmpty { return reader.depends.isEmpty }
        return reader.item.custom[key] != nil && reader.letter == nil
    }
}

/// `rec:1w` of todo.txt: strict with a plus, else counted from completion.
enum TodoTextRecurrence {
    static func repetition(_ text: String) -> Repetition? {
        let isStrict = text.hasPrefix("+")
        let amount = isStrict ? text.dropFirst() : text[...]
        guard let unit = amount.last, let count = Int(amount.dropLast()),
            (1...1_000).contains(count)
        else { return nil }
        let step: Repetition.Step
        switch unit {
        case "d": step = .days(count)
        case "w": step = .days(7 * count)
        case "m": step = .months(count)
        case "y": step = .months(12 * count)
        default: return nil
        }
        return Repetition(step, from: isStrict ? .due : .completion)
    }

    /// Nil for what cannot be said so.
    static func text(_ repetition: Repetition) -> String? {
        let amount: String
        switch repetition.step {
        case .days(let count): amount = count % 7 == 0 ? "\(count / 7)w" : "\(count)d"
        case .months(let count): amount = count % 12 == 0 ? "\(count / 12)y" : "\(count)m"
        case .weekdays, .monthDays: return nil
        }
        return (repetition.basis == .due ? "+" : "") + amount
    }
}
