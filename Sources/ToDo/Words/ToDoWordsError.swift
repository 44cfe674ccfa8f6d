/// Why words of a command line were refused; every case says what to write instead.
package enum ToDoWordsError: Error, Equatable, Sendable {
    /// The value of a date key was not understood.
    case badDate(key: String, DatePhraseError)
    /// The key does not take that value; `hint` says which it takes.
    case badValue(key: String, value: String, hint: String)
    /// The key looks like a slip of a known one.
    case misspeltKey(String, suggestion: String)
    /// Other programs have the key, this one has not; `hint` says what to write.
    case foreignKey(String, hint: String)
    /// The word has the form of a key and a value, but there is no such key; a title would be lost to it.
    case unknownKey(String)
    /// A word behind a key and its value goes on with the value, and would be a title of its own.
    case newTitle(key: String, value: String, rest: String)
    /// The key does not take that modifier, the part after the dot.
    case badModifier(key: String, modifier: String, hint: String)
}

extension ToDoWordsError: CustomStringConvertible {
    /// What was refused and what to write, for the user.
    package var description: String {
        switch self {
        case .badDate(let key, let error):
            "\(key): \(error.description)"
        case .badValue(let key, let value, let hint):
            "\(key) cannot be '\(value)'; \(hint)"
        case .misspeltKey(let key, let suggestion):
            "there is no '\(key):'; did you mean '\(suggestion):'? (words after -- are plain text)"
        case .foreignKey(let key, let hint):
            "there is no '\(key):' here; \(hint) (words after -- are plain text)"
        case .unknownKey(let key):
            "there is no '\(key):'; write x.\(key): for a field of your own, or -- before a title"
        case .newTitle(let key, let value, let rest):
            "'\(rest)' would be the title, beside \(key):\(value); quote what belongs together: "
                + "\(key):\"\(value.isEmpty ? rest : "\(value) \(rest)")\" (words after -- are plain text)"
        case .badModifier(let key, let modifier, let hint):
            "there is no '\(key).\(modifier):'; \(hint)"
        }
    }
}
