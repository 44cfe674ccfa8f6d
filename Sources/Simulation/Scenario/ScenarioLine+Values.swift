import ToDo

/// Fields, values, numbers and times.
extension ScenarioLine {
    // MARK: Fields

    /// The name of a field.
    mutating func field() throws(ParseError) -> Mention {
        guard let token = current, let name = token.word else {
            throw unfit(hint: "here comes the name of a field")
        }
        if ScenarioWords.reservedForFields.contains(name) {
            throw ParseError(
                token.range, "\(spelling(of: token.range)) cannot be the name of a field",
                hint: "it is a word of the language")
        }
        if name.unicodeScalars.count > ScenarioLimits.nameLengthMax {
            throw ParseError(
                token.range, "the name is too long",
                hint: "a name has at most \(ScenarioLimits.nameLengthMax) letters")
        }
        if ScenarioField.kind(of: name) == nil,
            let nearest = ScenarioScope.nearest(to: name, among: ScenarioField.builtIn)
        {
            throw ParseError(
                token.range, "there is no field \(spelling(of: token.range))",
                hint: "did you mean `\(nearest)`? Give a field of your own a name less like it")
        }
        index += 1
        return Mention(name: name, range: token.range)
    }

    /// The name of a field that is built in, or that an earlier line has set.
    mutating func knownField() throws(ParseError) -> String {
        let mention = try field()
        if ScenarioField.kind(of: mention.name) == nil { expectedFields.append(mention) }
        return mention.name
    }

    /// Fields and what is done to them: `title "Oat milk" notes none tags +shop -food`.
    mutating func settings() throws(ParseError) -> [Setting] {
        var settings: [Setting] = []
        var done: Set<[String]> = []
        repeat {
            let mention = try field()
            let field = mention.name
            if field == "deleted" || field == "purged" {
                throw ParseError(
                    mention.range, "`\(field)` is no field to be edited",
                    hint: "write `… \(field == "deleted" ? "deletes" : "purges") milk`")
            }
            setFields.append(mention)
            repeat {
                let (setting, part) = try setting(of: field)
                guard done.insert(part).inserted else {
                    throw ParseError(
                        mention.range, "`\(part.joined(separator: " "))` is set twice",
                        hint: "leave it out once")
                }
                settings.append(setting)
                if settings.count > ScenarioLimits.listCountMax {
                    throw ParseError(
                        mention.range, "the list is too long",
                        hint: "a list has at most \(ScenarioLimits.listCountMax) members")
                }
            } while current?.isSymbol("+") ?? false || current?.isSymbol("-") ?? false
        } while current != nil && current?.word != "but"
        return settings
    }

    /// One setting, and the field or element that it is about.
    private mutating func setting(
        of field: String
    ) throws(ParseError) -> (Setting, part: [String]) {
        let sign = position
        let isAdded = skips(symbol: "+")
        guard isAdded || skips(symbol: "-") else {
            return (.value(field: field, try value(of: field)), [field])
        }
        if ScenarioField.kind(of: field) != nil, !ScenarioField.isSet(field) {
            let (what, hint) = ScenarioField.requirement(of: field)
            throw ParseError(sign, "`\(field)` is no set, it takes \(what)", hint: hint)
        }
        let element = try element()
        return (
            isAdded
                ? .add(field: field, element: element) : .remove(field: field, element: element),
            [field, element]
        )
    }

    /// An element of a set: a name, or a text in quotes.
    private mutating func element() throws(ParseError) -> String {
        if case .text(let text)? = current?.kind {
            index += 1
            return text
        }
        guard let word = current?.word, !ScenarioWords.reservedForFields.contains(word) else {
            throw unfit(hint: "here comes an element; what is no name stands in quotes")
        }
        index += 1
        return word
    }

    /// `shop, food and drinks`, each with or without a plus sign, none of them twice.
    mutating func elements() throws(ParseError) -> [String] {
        var elements: Set<String> = []
        return try list { line throws(ParseError) in
            _ = line.skips(symbol: "+")
            let position = line.position
            let element = try line.element()
            guard elements.insert(element).inserted else {
                throw ParseError(
                    position, "\(line.spelling(of: position)) is named twice",
                    hint: "leave it out once")
            }
            return element
        }
    }

    // MARK: Values

    /// A value that the field can hold.
    mutating func value(of field: String) throws(ParseError) -> Literal {
        let start = position
        let (what, hint) = ScenarioField.requirement(of: field)
        guard current != nil else { throw unfit(hint: "here comes \(what): " + hint) }
        guard let value = try literal(), ScenarioField.fits(value, field) else {
            let message =
                ScenarioField.kind(of: field) == nil
                ? "\(spelling(of: start)) is no value" : "`\(field)` takes \(what)"
            throw ParseError(start, message, hint: hint)
        }
        return value
    }

    /// At least two values that compete.
    mutating func values(of field: String) throws(ParseError) -> [Literal] {
        let values = try list { line throws(ParseError) in try line.value(of: field) }
        if values.count == 1 {
            throw unfit(hint: "here comes `and` and another value: one alone is no conflict")
        }
        return values
    }

    /// The visible part of a field: a value, or the elements of a set.
    mutating func shown(of field: String) throws(ParseError) -> ScenarioArgument {
        if field == "deleted" || field == "purged" {
            throw unfit(hint: "write `has milk \(field)`, or `has milk alive`")
        }
        if current?.isWord("none") ?? false { expectedFields.removeAll() }
        if skips("empty") { return .elements([]) }
        let word = current?.word
        let isElement =
            current?.isSymbol("+") ?? false
            || word.map {
                !["none", "true", "false", "newer", "long"].contains($0) && other == nil
            }
                ?? false
        if ScenarioField.isSet(field) || ScenarioField.kind(of: field) == nil && isElement {
            return .elements(try elements().sorted())
        }
        var values = [try value(of: field)]
        while skips("or") { values.append(try value(of: field)) }
        return values.count == 1 ? .value(values[0]) : .values(values)
    }

    /// A value; nil if none begins here.
    private mutating func literal() throws(ParseError) -> Literal? {
        switch current?.kind {
        case .text(let text):
            index += 1
            return .text(text)
        case .figure(let figure) where figure.dropFirst().contains("-"): return .day(try day())
        case .figure: return .number(try number(in: Int64.min...Int64.max))
        case .symbol("@"):
            index += 1
            guard let token = current, let name = token.word else {
                throw unfit(hint: "here comes the name of an item")
            }
            references.append(Mention(name: name, range: token.range))
            index += 1
            return .item(name)
        case .word("none"): return constant(.none)
        case .word("true"): return constant(.bool(true))
        case .word("false"): return constant(.bool(false))
        case .word("newer"):
            index += 1
            return .newer(UInt8(try number(in: 0...255)))
        case .word("long"):
            index += 1
            return .long(Int(try number(in: 0...Int64(ScenarioLimits.longTextByteCountMax))))
        default:
            guard let other else { return nil }
            index += 2
            return other
        }
    }

    /// The value of a kind that is named here, with its text behind the name; nil if none begins here.
    private var other: Literal? {
        guard let name = current?.word, index + 1 < tokens.count,
            case .text(let text) = tokens[index + 1].kind
        else { return nil }
        return Literal(kind: name, text: text)
    }

    private mutating func constant(_ literal: Literal) -> Literal {
        index += 1
        return literal
    }

    /// A text in quotes.
    mutating func quoted() throws(ParseError) -> String {
        guard case .text(let text)? = current?.kind else {
            throw unfit(hint: "here comes a text in quotes")
        }
        index += 1
        return text
    }

    // MARK: Numbers

    /// A whole number within the range.
    mutating func number(in range: ClosedRange<Int64>) throws(ParseError) -> Int64 {
        let digits = try figure()
        guard let number = Int64(digits), range.contains(number) else {
            throw outOfRange(digits, "\(range.lowerBound)", "\(range.upperBound)")
        }
        index += 1
        return number
    }

    /// A number that chance can begin with.
    mutating func seed() throws(ParseError) -> UInt64 {
        let digits = try figure()
        guard let seed = UInt64(digits) else { throw outOfRange(digits, "0", "\(UInt64.max)") }
        index += 1
        return seed
    }

    /// A number and a unit: `5 ms`, `3 weeks`; milliseconds.
    mutating func span(in range: ClosedRange<Int64>) throws(ParseError) -> Int64 {
        let start = position
        let digits = try figure()
        index += 1
        guard let token = current, let unit = token.word.flatMap(ScenarioSpan.milliseconds) else {
            let words = ScenarioSpan.units.map { "`\($0.words[0])`" }
            let nearest = current?.word.flatMap { word in
                ScenarioScope.nearest(to: word, among: ScenarioSpan.units.flatMap(\.words))
            }
            let hint = nearest.map { "did you mean `\($0)`? The " } ?? "the "
            throw unfit(hint: hint + "units are " + Self.enumeration(words, "and"))
        }
        let (span, isTooLong) = (Int64(digits) ?? .max).multipliedReportingOverflow(by: unit)
        guard !isTooLong, range.contains(span) else {
            let most = ScenarioSpan.text(range.upperBound)
            let least = ScenarioSpan.text(range.lowerBound)
            throw ParseError(
                start.lowerBound..<token.range.upperBound, "this time is out of range",
                hint: "from \(least) to \(most)")
        }
        index += 1
        return span
    }

    /// The digits of a number, with its sign.
    private func figure() throws(ParseError) -> String {
        guard case .figure(let figure)? = current?.kind else {
            throw unfit(hint: "here comes a number")
        }
        let digits = figure.hasPrefix("-") ? figure.dropFirst() : figure[...]
        guard digits.unicodeScalars.allSatisfy(ScenarioText.isDigit) else {
            let number = figure.prefix { $0.isASCII && $0.isNumber || $0 == "-" }
            throw ParseError(
                position, "\(spelling(of: position)) is no number",
                hint: "a unit is a word of its own: `\(number) \(figure.dropFirst(number.count))`")
        }
        return figure
    }

    private func outOfRange(_ digits: String, _ least: String, _ most: String) -> ParseError {
        ParseError(
            position, "\(spelling(of: position)) is out of range", hint: "from \(least) to \(most)")
    }

    /// `2026-12-01`, as days since 1970-01-01.
    mutating func day() throws(ParseError) -> Int32 {
        guard case .figure(let figure)? = current?.kind else {
            throw unfit(hint: "here comes a date such as `2026-12-01`")
        }
        let parts = figure.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2],
            parts.joined().unicodeScalars.allSatisfy(ScenarioText.isDigit),
            let year = Int(parts[0]), let month = Int(parts[1]), let dayOfMonth = Int(parts[2])
        else {
            throw ParseError(
                position, "\(spelling(of: position)) is no date",
                hint: "write year, month and day with 4, 2 and 2 digits: `2026-12-01`")
        }
        guard let date = CivilDate(checking: year, month, dayOfMonth) else {
            throw ParseError(
                position, "there is no day \(spelling(of: position))",
                hint: "the calendar is the Gregorian one")
        }
        index += 1
        return Int32(date.day)
    }
}
