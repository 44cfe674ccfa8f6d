import Core

/// Words → the conditions of a filter.
///
/// expression = all ("or" all)*; all = one ("and"? one)*; one = "not" one | "(" expression ")" | word
struct FilterReader {
    /// No more groups stand inside each other.
    static let groupDepthMax = 32

    private enum Token: Equatable {
        case word(String)
        case literal(String)
        case or, and, not
        case open, close
    }

    private var rest: ArraySlice<Token>
    private let context: DatePhraseContext

    /// The words of a command line, one argument each.
    init(_ words: [String], _ context: DatePhraseContext) {
        self.context = context
        var tokens: [Token] = []
        var isLiteral = false
        for word in words where !word.isEmpty {
            if isLiteral {
                tokens.append(.literal(word))
            } else if word == "--" {
                isLiteral = true
            } else {
                for part in Self.expression(in: word) ?? [word] { Self.append(part, to: &tokens) }
            }
        }
        rest = tokens[...]
    }

    /// The words of a whole filter that came in one pair of quotes: `"project:Home or +garden"`.
    ///
    /// Nil for any other text, also for one that has blanks in the value of its key: a filter begins with a condition or `not`,
    /// and names another condition behind that. The values of keys for free text end at `or`, `and` and `not` alone.
    private static func expression(in word: String) -> [String]? {
        guard word.contains(where: \.isWhitespace), word.first != "(" else { return nil }
        let parts =
            ShellWords.split(word) ?? word.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let first = parts.first, parts.count > 1 else { return nil }
        if first == "not" {
            return isCondition(String(parts[1].drop { $0 == "(" })) ? parts : nil
        }
        guard isCondition(first), parts.dropFirst().contains(where: isCondition) else { return nil }
        let isFreeText = ["title", "notes", "location"].contains { first.hasPrefix($0 + ":") }
        let isJoined = parts.contains { ["or", "and", "not"].contains($0) }
        return isJoined || !isFreeText ? parts : nil
    }

    /// Whether a whole filter came in one pair of quotes.
    static func isExpression(_ word: String) -> Bool { expression(in: word) != nil }

    /// Whether a word is a tag or a key that is spelt right, or the opposite of one.
    private static func isCondition(_ word: String) -> Bool {
        if TagWord(word) != nil || (try? ToDoFilter.virtualTag(named: word)) != nil { return true }
        return (try? KeyedWord(word)) != nil || negatedKey(in: word) != nil
    }

    /// The condition of which `-project:Home` is the opposite, as `-errand` is of a tag; nil for any other word.
    private static func negatedKey(in word: String) -> String? {
        guard word.first == "-", TagWord(word) == nil else { return nil }
        let rest = String(word.dropFirst())
        return (try? KeyedWord(rest)) != nil ? rest : nil
    }

    /// Parts a word at its parentheses; one within a word, as in `f(x)`, is a letter.
    private static func append(_ word: String, to tokens: inout [Token]) {
        let isPart = word.last == ")" && !word.contains(where: \.isWhitespace)
        if let key = negatedKey(in: word) {
            tokens.append(.not)
            return append(key, to: &tokens)
        }
        guard word.first == "(" || isPart else { return tokens.append(token(word)) }
        for part in word.split(whereSeparator: \.isWhitespace) {
            var part = part
            while part.first == "(" {
                tokens.append(.open)
                part = part.dropFirst()
            }
            // A word keeps as many as it opened itself: f(x).
            let opened = part.count { $0 == "(" }
            var closed = max(0, part.count { $0 == ")" } - opened)
            let ends = part.reversed().prefix { $0 == ")" }.count
            closed = min(closed, ends)
            part = part.dropLast(closed)
            if !part.isEmpty { tokens.append(token(String(part))) }
            tokens += Array(repeating: .close, count: closed)
        }
    }

    private static func token(_ word: String) -> Token {
        switch word {
        case "or": .or
        case "and": .and
        case "not": .not
        default: .word(word)
        }
    }

    /// All conditions; each must hold.
    mutating func read() throws(ToDoWordsError) -> [ToDoFilter.Condition] {
        if rest.isEmpty { return [] }
        let whole = try any(depth: 0)
        if rest.first != nil { throw .strayGroupEnd }
        if case .all(let parts) = whole { return parts }
        return [whole]
    }

    /// The parts that must all hold, each as it was written; one if `or` joins them.
    mutating func readParts() throws(ToDoWordsError) -> [ToDoFilter.Part] {
        let whole = rest
        var parts: [ToDoFilter.Part] = []
        while let next = rest.first {
            if next == .close { throw .strayGroupEnd }
            if next == .or {
                rest = whole
                return [ToDoFilter.Part(text: Self.text(whole), conditions: try read())]
            }
            if next == .and { rest.removeFirst() }
            let before = rest
            let conditions = try one(depth: 0)
            parts.append(
                ToDoFilter.Part(
                    text: Self.text(before[before.startIndex..<rest.startIndex]),
                    conditions: conditions))
        }
        return parts
    }

    private static func text(_ tokens: ArraySlice<Token>) -> String {
        tokens.map { token in
            switch token {
            case .word(let word), .literal(let word): word
            case .or: "or"
            case .and: "and"
            case .not: "not"
            case .open: "("
            case .close: ")"
            }
        }.joined(separator: " ")
    }

    private mutating func any(depth: Int) throws(ToDoWordsError) -> ToDoFilter.Condition {
        var parts = [try all(depth: depth)]
        while rest.first == .or {
            rest.removeFirst()
            parts.append(try all(depth: depth))
        }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func all(depth: Int) throws(ToDoWordsError) -> ToDoFilter.Condition {
        var parts = try one(depth: depth)
        while let next = rest.first, next != .or, next != .close {
            if next == .and { rest.removeFirst() }
            parts += try one(depth: depth)
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    /// One thing, which may be several conditions: `+these,both`.
    private mutating func one(depth: Int) throws(ToDoWordsError) -> [ToDoFilter.Condition] {
        guard let token = rest.popFirst() else { throw .missingOperand }
        switch token {
        case .literal(let text): return [.text(text)]
        case .word(let word): return try ToDoFilter.conditions(of: word, context)
        case .not:
            let inner = try one(depth: depth)
            return [.not(inner.count == 1 ? inner[0] : .all(inner))]
        case .open:
            if depth == Self.groupDepthMax { throw .deepGroups(max: Self.groupDepthMax) }
            let inner = try any(depth: depth + 1)
            guard rest.popFirst() == .close else { throw .openGroup }
            return [inner]
        case .or, .and, .close: throw .missingOperand
        }
    }
}

/// How a value of a field of the user's own compares with one that was typed.
package enum CustomOrder: String, Sendable, Hashable {
    case above
    case below

    /// The words behind the dot.
    private static let words: [(word: String, order: CustomOrder)] = [
        ("above", .above), ("over", .above), ("after", .above), ("below", .below),
        ("under", .below), ("before", .below),
    ]

    /// A field and its comparison: `size.above`; nil if that is the name of a field alone.
    static func read(_ name: String) -> (order: CustomOrder, field: String)? {
        for (word, order) in words where name.hasSuffix("." + word) {
            let field = name.dropLast(word.count + 1)
            if !field.isEmpty { return (order, String(field)) }
        }
        return nil
    }

    /// Whether a value compares so with another; values of different kinds never do.
    func holds(_ value: CustomValue, _ other: CustomValue, zone: LocalTimeZone) -> Bool {
        switch (value, other) {
        case (.int(let one), .int(let two)): holds(one, two)
        case (.int(let one), .double(let two)): holds(Double(one), two)
        case (.double(let one), .int(let two)): holds(one, Double(two))
        case (.double(let one), .double(let two)): holds(one, two)
        case (.text(let one), .text(let two)): holds(one.lowercased(), two.lowercased())
        default:
            if let one = value.moment, let two = other.moment {
                switch self {
                case .above: one.start(in: zone) >= two.end(in: zone)
                case .below: one.start(in: zone) < two.start(in: zone)
                }
            } else {
                false
            }
        }
    }

    private func holds<T: Comparable>(_ one: T, _ two: T) -> Bool {
        switch self {
        case .above: one > two
        case .below: one < two
        }
    }
}

extension CustomValue {
    fileprivate var moment: Moment? {
        switch self {
        case .day(let day): .day(day)
        case .instant(let instant): .instant(instant)
        default: nil
        }
    }
}

extension ToDoFilter {
    /// The conditions that one word means.
    fileprivate static func conditions(
        of word: String, _ context: DatePhraseContext
    ) throws(ToDoWordsError) -> [Condition] {
        if let tag = TagWord(word) {
            return tag.tags.map { name in
                let condition =
                    ToDoVirtualTag(rawValue: name).map { Condition.virtual($0) } ?? .tag(name)
                return tag.isPlus ? condition : .not(condition)
            }
        }
        if let named = try virtualTag(named: word) { return [.virtual(named)] }
        if let keyed = try KeyedWord(word) { return [try condition(keyed, context)] }
        // A field of the user's own needs no x. before a comparison.
        if let colon = word.firstIndex(of: ":"), let own = CustomOrder.read(String(word[..<colon])),
            own.field.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }),
            let keyed = try KeyedWord("x." + word)
        {
            return [try condition(keyed, context)]
        }
        return [.text(word)]
    }

    /// A word that has a key for other to-dos, and names them as a person does: `depends:3`, `-parent:Paint`.
    ///
    /// - Returns: the word up to its colon, whether it is the opposite of a condition, and the name behind the colon; nil
    ///   for any other word, as for one with a whole id.
    package static func named(
        in word: String
    ) -> (key: String, isNegated: Bool, name: String)? {
        let isNegated = word.first == "-" && TagWord(word) == nil
        guard let keyed = try? KeyedWord(isNegated ? String(word.dropFirst()) : word),
            keyed.key == .depends || keyed.key == .parent, keyed.change == nil,
            ![nil, "is", "has", "not", "isnt", "hasnt"].filter({ $0 == keyed.modifier }).isEmpty,
            !keyed.value.isEmpty, UUIDText.value(keyed.value) == nil
        else { return nil }
        let isOpposite = ["not", "isnt", "hasnt"].contains(keyed.modifier ?? "")
        return (
            String(word.prefix { $0 != ":" }) + ":", isNegated || isOpposite, keyed.value
        )
    }

    /// How a field of the user's own is asked for, where a word with a key that is none may have been meant so: `x.size:XL`
    /// of `size:XL`; nil for any other word.
    package static func ownFieldMeant(by word: String) -> String? {
        guard let colon = word.firstIndex(of: ":") else { return nil }
        let (key, value) = (word[..<colon], word[word.index(after: colon)...])
        let isName = { (name: Substring) in
            name.first?.isLowercase ?? false
                && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        }
        let parts = key.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, name.count > 1, parts.allSatisfy(isName),
            !value.isEmpty, !value.hasPrefix("//"), value.first?.isWhitespace == false,
            !ToDoWordHint.schemes.contains(String(name)),
            (try? KeyedWord(word)) == nil
        else { return nil }
        if parts.count == 1 { return "x.\(word)" }
        return CustomOrder.read(String(key)) == nil
            ? "x.\(name):\(value), x.\(name).above:\(value) or x.\(name).below:\(value)" : nil
    }

    /// The computed tag behind `is:`, in either case; nil for any other word.
    fileprivate static func virtualTag(
        named word: String
    ) throws(ToDoWordsError) -> ToDoVirtualTag? {
        guard word.hasPrefix(ToDoVirtualTag.key), !word.contains(where: \.isWhitespace) else {
            return nil
        }
        let name = word.dropFirst(ToDoVirtualTag.key.count)
        if name.isEmpty || name.hasPrefix("//") { return nil }
        if let tag = ToDoVirtualTag(rawValue: name.uppercased()) { return tag }
        throw .badValue(
            key: "is", value: String(name),
            hint: "it takes \(ToDoVirtualTag.words.joined(separator: ", "))")
    }
}

extension ToDoVirtualTag {
    /// The key before the word for a computed tag: `is:blocked`.
    package static let key = "is:"

    /// The words behind `is:`.
    package static let words = allCases.map { $0.rawValue.lowercased() }
}

extension ToDoFilter {
    /// Reads the words of a command line.
    ///
    /// - `+tag`, `-tag`, `+these,both`, `-neither,nor`; names in capitals such as `+OVERDUE` are `ToDoVirtualTag`s.
    /// - `project:Home`, `project:` (none), `priority:high`, `status:completed`, `person:Ann`,
    ///   `tag:x`, `title:`, `notes:`, `location:` (a part of the text), `x.name:value`.
    /// - `due:friday`, `due:` (none); every date takes `before`, `after`, `by`, `on`, `any` and
    ///   `none` behind a dot, the other keys `not`, `any` and `none`, priorities `above`, `below`.
    /// - `depends:3`, `parent:Paint`: to-dos as a person names them, which `named` finds, or a whole id.
    /// - `cost.above:3`, `x.size.below:10`: a field of the user's own, compared as the kind of value that it holds.
    /// - `or`, `and`, `not` and parentheses join these; words beside each other must all hold.
    /// - Any other word, and every word after `--`, must be part of the title or the notes.
    package static func parse(
        _ words: [String], now: Int64, zone: LocalTimeZone, weekStart: Weekday = .monday,
        dateOrder: DateOrder? = nil
    ) throws(ToDoWordsError) -> ToDoFilter {
        let context = DatePhraseContext(
            now: now, zone: zone, weekStart: weekStart, dateOrder: dateOrder)
        var reader = FilterReader(words, context)
        return ToDoFilter(try reader.read(), weekStart: weekStart)
    }

    /// A part of a filter that must hold beside the others.
    package struct Part {
        /// The words, as they were written.
        let text: String
        /// Their meaning.
        let conditions: [Condition]
    }

    /// Reads words as `parse` does, and keeps the parts that must all hold apart.
    package static func parts(
        of words: [String], now: Int64, zone: LocalTimeZone
    ) throws(ToDoWordsError) -> [Part] {
        var reader = FilterReader(
            words, DatePhraseContext(now: now, zone: zone, weekStart: .monday))
        return try reader.readParts()
    }

    /// Whether a word is a tag or a key of a filter, and no text to look for.
    package static func isTerm(_ word: String) -> Bool {
        if TagWord(word) != nil || word.hasPrefix("(") { return true }
        do throws(ToDoWordsError) {
            if try virtualTag(named: word) != nil { return true }
        } catch { return true }
        // A key that is spelt wrong is told of when the filter is read.
        do throws(ToDoWordsError) {
            return try KeyedWord(word) != nil || FilterReader.isExpression(word)
        } catch { return true }
    }

    fileprivate static func condition(
        _ word: KeyedWord, _ context: DatePhraseContext
    ) throws(ToDoWordsError) -> Condition {
        if let change = word.change {
            throw .badModifier(
                key: word.name, modifier: change == .addition ? "+" : "-",
                hint: "a filter takes \(word.name): alone")
        }
        if case .date(let attribute) = word.key { return try date(attribute, word, context) }
        if case .custom(let name) = word.key, let (order, field) = CustomOrder.read(name) {
            return try custom(field, order, word, context)
        }
        if word.key == .priority, let modifier = word.modifier,
            modifier == "above" || modifier == "below"
        {
            return try priority(word, isAbove: modifier == "above")
        }
        switch word.modifier {
        case nil, "is", "has": return try plain(word)
        case "not", "isnt", "hasnt": return .not(try plain(word))
        case "none": return try none(word)
        case "any": return .not(try none(word))
        case let modifier?:
            throw .badModifier(
                key: word.name, modifier: modifier, hint: "it takes not, any and none")
        }
    }

    /// A key without modifier; an empty value asks for items without the field.
    private static func plain(_ word: KeyedWord) throws(ToDoWordsError) -> Condition {
        if word.value.isEmpty { return try none(word) }
        switch word.key {
        case .title: return .titleContains(word.value)
        case .notes: return .notesContain(word.value)
        case .location: return .locationContains(word.value)
        case .project: return .project(word.value)
        case .people: return .person(word.value)
        case .tags: return .tag(word.value)
        case .status: return .status(try word.status())
        case .priority:
            let priority = try word.priority()
            return .priority(priority...priority)
        case .custom(let name): return .custom(name, word.value)
        case .date:
            throw .badValue(key: word.name, value: word.value, hint: "a date is needed")
        case .repeats, .exceptions:
            throw .badValue(key: word.name, value: word.value, hint: "use +REPEATING")
        case .reminders:
            throw .badValue(key: word.name, value: word.value, hint: "use +REMINDING")
        case .parent:
            if let id = UUIDText.value(word.value) { return .parent(id) }
            return .parentNamed(word.value)
        case .depends:
            if let id = UUIDText.value(word.value) { return .depends(on: [id]) }
            return .dependsNamed(word.value)
        }
    }

    private static func none(_ word: KeyedWord) throws(ToDoWordsError) -> Condition {
        switch word.key {
        case .project: return .project("")
        case .tags: return .not(.virtual(.tagged))
        case .priority: return .priority(.none ... .none)
        case .custom(let name): return .custom(name, nil)
        case .date(let attribute): return .not(.date(attribute, .isSet))
        case .notes: return .lacks(.notes)
        case .location: return .lacks(.location)
        case .people: return .lacks(.people)
        case .repeats: return .not(.virtual(.repeating))
        case .exceptions:
            throw .badValue(key: word.name, value: word.value, hint: "use +REPEATING")
        case .reminders: return .not(.virtual(.reminding))
        case .parent: return .not(.virtual(.subtask))
        case .depends: return .lacks(.depends)
        case .title, .status:
            throw .badValue(
                key: word.name, value: word.value, hint: "say what to look for")
        }
    }

    /// A field of the user's own behind a comparison: a number is compared with numbers, a date with dates.
    private static func custom(
        _ name: String, _ order: CustomOrder, _ word: KeyedWord, _ context: DatePhraseContext
    ) throws(ToDoWordsError) -> Condition {
        switch CustomValue(typed: word.value) {
        case .text where word.value.isEmpty:
            throw .badValue(
                key: word.writtenName, value: "", hint: "say with what: \(word.writtenName):3")
        case .text(let text):
            // A word such as `friday` is a date for those who have dates there, and a text for others.
            if let moment = try? word.moment(context) {
                return .any([
                    .customCompare(name, order, CustomValue(moment)),
                    .customCompare(name, order, .text(text)),
                ])
            }
            return .customCompare(name, order, .text(text))
        case .bool, .bytes, .reference:
            throw .badValue(
                key: word.writtenName, value: word.value,
                hint: "numbers, dates and texts have an order")
        case let value: return .customCompare(name, order, value)
        }
    }

    private static func priority(
        _ word: KeyedWord, isAbove: Bool
    ) throws(ToDoWordsError) -> Condition {
        let priority = try word.priority()
        if isAbove {
            guard let next = ToDoPriority(rawValue: priority.rawValue + 1) else {
                throw .badValue(key: word.name, value: word.value, hint: "nothing is above high")
            }
            return .priority(next ... .high)
        }
        guard let next = ToDoPriority(rawValue: priority.rawValue - 1) else {
            throw .badValue(key: word.name, value: word.value, hint: "nothing is below none")
        }
        return .priority(.none...next)
    }

    private static func date(
        _ attribute: ToDoDateAttribute, _ word: KeyedWord, _ context: DatePhraseContext
    ) throws(ToDoWordsError) -> Condition {
        if let beside = DateBeside(word.value) { return try date(attribute, beside, word) }
        switch word.modifier {
        case "none": return try none(word)
        case "any": return .date(attribute, .isSet)
        case nil where word.value.isEmpty: return try none(word)
        default: break
        }
        if word.value.lowercased() == "none" {
            throw .badValue(
                key: word.name, value: word.value,
                hint: "\(word.name): with nothing behind it finds those without one")
        }
        if let dots = word.value.firstRange(of: "..") {
            let first = word.value[..<dots.lowerBound]
            let last = word.value[dots.upperBound...].drop { $0 == "." }
            throw .badValue(
                key: word.name, value: word.value,
                hint:
                    "from one day to another is not \(word.name).before:\(first.isEmpty ? "monday" : first) "
                    + "\(word.name).by:\(last.isEmpty ? "friday" : last)")
        }
        let (comparison, isNegated) = try comparison(word, others: ", not, any and none")
        let condition = Condition.date(attribute, comparison.test(try word.moment(context)))
        return isNegated ? .not(condition) : condition
    }

    /// A date compared with another one of the same to-do: `wait.after:due-2d`.
    private static func date(
        _ attribute: ToDoDateAttribute, _ beside: DateBeside, _ word: KeyedWord
    ) throws(ToDoWordsError) -> Condition {
        if attribute.field == beside.base {
            throw .badValue(
                key: word.writtenName, value: word.value,
                hint: "a filter compares two dates of a to-do, like due.before:scheduled+1w")
        }
        let (comparison, isNegated) = try comparison(word, others: " and not")
        let condition = Condition.dateBeside(attribute, comparison, beside.base, beside.duration)
        return isNegated ? .not(condition) : condition
    }

    /// How a date is compared, by the modifier behind its key; `others` ends the list of them for a person.
    private static func comparison(
        _ word: KeyedWord, others: String
    ) throws(ToDoWordsError) -> (DateComparison, isNegated: Bool) {
        switch word.modifier {
        case nil, "on", "is": return (.on, false)
        case "not": return (.on, true)
        case "before", "under": return (.before, false)
        case "by": return (.by, false)
        case "after", "over": return (.after, false)
        case let modifier?:
            throw .badModifier(
                key: word.name, modifier: modifier,
                hint: "dates take before, after, by, on\(others)")
        }
    }
}
