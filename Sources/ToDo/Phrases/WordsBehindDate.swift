/// The plain words behind the key of a date, as long as they may say a time of its day: `at`, `at 9`, `9`.
struct WordsBehindDate {
    private let keyed: KeyedWord
    private var words: [String] = []

    /// Nil if the key takes no date.
    init?(_ keyed: KeyedWord) {
        switch keyed.key {
        case .date, .reminders: self.keyed = keyed
        default: return nil
        }
    }

    /// Whether the next word may go on with these.
    private(set) var isOpen = true

    /// Takes the next plain word.
    ///
    /// - Returns: the hint for the words so far; nil if there is none.
    mutating func add(_ word: String, _ context: DatePhraseContext) -> ToDoWordHint? {
        let before = bareHour(context)
        words.append(word)
        let text = words.joined(separator: " ")
        if words.count > 1, keyed.isContinued(by: text, context) {
            isOpen = false
            return .timeBehind(key: keyed.name, value: keyed.value, time: text)
        }
        switch words.count {
        case 1: isOpen = isAt || Self.isHour(word)
        case 2: isOpen = isAt && Self.isHour(word)
        default: isOpen = false
        }
        return isOpen ? nil : before
    }

    /// The hour that says neither am nor pm, where the words end with it: `due:friday at 9`; nil if they do not.
    func bareHour(_ context: DatePhraseContext) -> ToDoWordHint? {
        guard words.count == 2, isAt, keyed.key == .date(.due),
            case .day? = try? keyed.moment(context)
        else { return nil }
        return .bareHour(words.joined(separator: " "), day: keyed.value, hour: words[1])
    }

    private var isAt: Bool { words.first?.lowercased() == "at" }

    private static func isHour(_ word: String) -> Bool {
        guard word.utf8.count <= 2, let hour = UInt8(word) else { return false }
        return (1...23).contains(hour)
    }
}
