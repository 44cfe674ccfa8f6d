/// Reads the words of a command line one by one, for `ToDoWords`.
struct ToDoWordReader {
    let purpose: ToDoWords.Purpose
    let context: DatePhraseContext

    private var result = ToDoWords()
    private var plain: [String] = []
    /// Whether `--` has been read.
    private var isLiteral = false
    /// The key that stands right before the next word.
    private var before: KeyedWord?
    /// Whether plain words go on with the notes that were read last.
    private var isInNotes = false

    init(for purpose: ToDoWords.Purpose, _ context: DatePhraseContext) {
        self.purpose = purpose
        self.context = context
    }

    /// Reads the next word.
    mutating func read(_ word: String) throws(ToDoWordsError) {
        let (last, isBehindNotes) = (before, isInNotes)
        before = nil
        isInNotes = false
        if isLiteral {
            plain.append(word)
        } else if word == "--" {
            isLiteral = true
        } else if let tag = TagWord(word), tag.isPlus || purpose == .editing {
            result.assignments += tag.tags.map { tag.isPlus ? .addTag($0) : .removeTag($0) }
        } else if let keyed = try KeyedWord(word) {
            try read(keyed)
        } else if isBehindNotes, case .notes(let text)? = result.assignments.last {
            result.assignments.removeLast()
            result.assignments.append(.notes(text.isEmpty ? word : "\(text) \(word)"))
            isInNotes = true
        } else {
            try read(plain: word, behind: last)
        }
    }

    /// What all words said together.
    func finished() throws(ToDoWordsError) -> ToDoWords {
        if purpose == .editing, !isLiteral, plain.count == 1,
            let refusal = KeyedWord.refusal(asTitle: plain[0])
        {
            throw refusal
        }
        for case .title(let title) in result.assignments {
            guard let rest = plain.first else { break }
            throw .newTitle(key: "title", value: title, rest: rest)
        }
        let title = plain.flatMap { $0.split(whereSeparator: \.isWhitespace) }
            .joined(separator: " ")
        var words = result
        words.title = title.isEmpty ? nil : title
        return words
    }

    private mutating func read(_ keyed: KeyedWord) throws(ToDoWordsError) {
        if let modifier = keyed.modifier {
            throw .badModifier(
                key: keyed.name, modifier: modifier,
                hint: "a filter takes it; here write \(keyed.name):value")
        }
        if keyed.key == .parent {
            result.parent = keyed.value
        } else {
            let assignment = try ToDoAssignment(keyed, context)
            result.assignments.append(assignment)
            if case .date(.due, let due) = assignment {
                result.isDueAtMonthEnd = due.map { keyed.namesMonthEnd($0, context) } ?? false
            }
        }
        before = keyed
        isInNotes = keyed.key == .notes && !keyed.isQuoted
    }

    private mutating func read(
        plain word: String, behind last: KeyedWord?
    ) throws(ToDoWordsError) {
        // As the first plain word it would replace the whole title.
        let wouldReplace = purpose == .editing && plain.isEmpty
        if wouldReplace, let key = KeyedWord.unknownKey(in: word), key == key.lowercased() {
            throw .unknownKey(key)
        }
        if let last {
            let isTime = last.isContinued(by: word, context)
            if wouldReplace, isTime || last.mayGoOn(with: word) {
                throw .newTitle(key: last.writtenName, value: last.value, rest: word)
            }
            if isTime {
                result.doubts.append(.timeBehind(key: last.name, value: last.value, time: word))
            }
            if purpose == .adding, last.value.isEmpty {
                result.doubts.append(.emptyKey(last.writtenName, next: word))
            }
        }
        plain.append(word)
        result.doubts += ToDoWordDoubt.all(in: word)
    }
}
