/// Why words of a command line were refused; every case says what to write instead.
package enum ToDoWordsError: Error, Equatable, Sendable {
    /// The value of a date key was not understood.
    case badDate(key: String, DatePhraseError)
    /// The key does not take that value; `hint` says which it takes.
    case badValue(key: String, value: String, hint: String)
    /// The key stands twice, and has one value.
    case repeatedKey(String)
    /// The key looks like a slip of a known one.
    case misspeltKey(String, suggestion: String)
    /// Other programs have the key, this one has not; `hint` says what to write.
    case foreignKey(String, hint: String)
    /// The word has the form of a key and a value, but there is no such key; a title would be lost to it.
    case unknownKey(String)
    /// A word behind a key and its value goes on with the value, and would be a title of its own.
    case newTitle(key: String, value: String, rest: String)
    /// The words behind a key and its value go on with the value, which would be another one without them.
    case goesOn(key: String, value: String, rest: String)
    /// The line adds something and takes it away.
    case bothWays(String)
    /// The part of title and notes that is to be replaced or removed is in neither.
    case missingPart(String)
    /// More lines of the notes than one hold the words of the one that is to go.
    case severalLines(String)
    /// A parenthesis of a filter is left open.
    case openGroup
    /// A parenthesis of a filter closes none.
    case strayGroupEnd
    /// `or`, `and`, `not` or a parenthesis of a filter stands where a condition is missing.
    case missingOperand
    /// More groups of a filter stand inside each other than are read.
    case deepGroups(max: Int)
    /// The date to count from is not set.
    case missingDate(String)
    /// The word is a command, and would be the title.
    case verb(String)
    /// The words are a date, and would be the title.
    case dateAsTitle(String)
    /// The word is nearly the name of a day, and would be the title.
    case nearlyDate(String, suggestion: String)
    /// The word is a key with its value behind an equals sign, and would be in the title.
    case equalsSign(String, meant: String)
    /// There is one substitution already.
    case secondSubstitution
    /// The word begins as a substitution does, and has another form.
    case halfSubstitution(String)
    /// The words are no more than a sign, or the value of a key, and would be the title; "" and nil for no key.
    case unlikelyTitle(String, meant: String?)
    /// A word behind one that other programs take for an option, and that removes a tag here, would be the title.
    case strayOption(String, rest: String)
    /// The key does not take that modifier, the part after the dot.
    case badModifier(key: String, modifier: String, hint: String)
}

extension ToDoWordsError: CustomStringConvertible {
    /// The refused text and what to write instead, for the user.
    package var description: String {
        switch self {
        case .badDate(let key, let error):
            "\(key): \(error.description)"
        case .badValue(let key, let value, let hint):
            "\(key) cannot be '\(value)'; \(hint)"
        case .repeatedKey(let key):
            "'\(key):' stands twice and takes one value; say it once (words after -- are plain text)"
        case .misspeltKey(let key, let suggestion):
            "there is no '\(key):'; did you mean '\(suggestion):'? (words after -- are plain text)"
        case .foreignKey(let key, let hint):
            "there is no '\(key):' here; \(hint) (words after -- are plain text)"
        case .unknownKey(let key):
            "there is no '\(key):'; write x.\(key): for a field of your own, or -- before a title"
        case .newTitle(let key, let value, let rest) where key == "tags" || key == "tag":
            "'\(rest)' would be the title, beside \(key):\(value); several tags have a comma between them: "
                + "\(key):\(value.isEmpty ? rest : "\(value),\(rest)") (words after -- are plain text)"
        case .goesOn(let key, let value, let rest):
            "'\(rest)' goes on with \(key):\(value); quote what belongs together: "
                + "\(key):\"\(value) \(rest)\" (words after -- are plain text)"
        case .bothWays(let what):
            "\(what) would be added and removed; say one of the two"
        case .missingPart(let part): "'\(part)' is neither in the title nor in the notes"
        case .severalLines(let words):
            "'\(words)' is in several lines of the notes; write more of the one that is to go"
        case .newTitle(let key, let value, let rest):
            "'\(rest)' would be the title, beside \(key):\(value); quote what belongs together: "
                + "\(key):\"\(value.isEmpty ? rest : "\(value) \(rest)")\" (words after -- are plain text)"
        case .openGroup:
            "a '(' of the filter is left open (words after -- are plain text)"
        case .strayGroupEnd:
            "a ')' of the filter closes nothing (words after -- are plain text)"
        case .missingOperand:
            "something is missing beside 'or', 'and', 'not' or '(': write +home or +garden "
                + "(words after -- are plain text)"
        case .deepGroups(let max): "no more than \(max) '(' stand inside each other"
        case .missingDate(let key):
            "\(key) is not set, so nothing can be counted from it; count from today, as in \(key):today+2d"
        case .verb(let word):
            "'\(word)' would be the title; a command comes before the to-do (words after -- are plain text)"
        case .dateAsTitle(let text):
            "'\(text)' would be the title; for a date: due:\(text.contains(" ") ? "\"\(text)\"" : text) "
                + "(words after -- are plain text)"
        case .nearlyDate(let word, let suggestion):
            "'\(word)' would be the title; did you mean due:\(suggestion)? (words after -- are plain text)"
        case .equalsSign(let word, let meant):
            "'\(word)' would be in the title; did you mean \(meant)? (words after -- are plain text)"
        case .secondSubstitution: "one /old/new/ at a time"
        case .halfSubstitution(let word):
            "'\(word)' would be in the title; to replace a part of it: /OLD/NEW/ (words after -- are plain text)"
        case .unlikelyTitle(let text, let meant):
            "'\(text)' would be the title; "
                + (meant.map { $0.isEmpty ? "" : "did you mean \($0)? " }
                    ?? (text.first == "+" ? "a tag is +home, two are +home,garden; " : ""))
                + "for that title: title:\(text.quotedForShell) (words after -- are plain text)"
        case .strayOption(let option, let rest):
            "'\(rest)' would be the title, as \(option) removes a tag; a key has a colon: due:monday "
                + "(words after -- are plain text)"
        case .badModifier(let key, let modifier, let hint):
            "there is no '\(key).\(modifier):'; \(hint)"
        }
    }
}
