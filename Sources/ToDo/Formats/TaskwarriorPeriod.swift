/// Which texts Taskwarrior takes as a period; another one ends it in the midst of an import.
///
/// Found by trying with 2.6.2: what it exports itself is always among them.
enum TaskwarriorPeriod {
    private static let numberLengthMax = 6

    /// Units that stand alone or behind a number.
    private static let words: Set<String> = [
        "annual", "biannual", "bimonthly", "biweekly", "biyearly", "daily", "day", "fortnight",
        "hour", "hr", "min", "minute", "month", "monthly", "mo", "mth", "qrtr", "qtr",
        "quarter", "quarterly", "sec", "second", "semiannual", "week", "weekdays", "weekly", "wk",
        "year", "yearly", "yr",
    ]
    /// Units that stand behind a number alone.
    private static let units: Set<String> = [
        "days", "d", "hours", "hrs", "h", "minutes", "mins", "mnth", "months", "mnths", "mths",
        "mos", "m",
        "quarters", "qrtrs", "qtrs", "q", "seconds", "secs", "s", "sennight", "weeks", "wks", "w",
        "years", "yrs", "y",
    ]

    /// Whether an import of the text goes well.
    static func isUnderstood(_ text: String) -> Bool {
        if text.hasPrefix("P") { return isStandard(text.dropFirst()) }
        let number = text.prefix(while: isDigit)
        let unit = String(text.dropFirst(number.count))
        if number.isEmpty { return words.contains(unit) }
        return number.count <= numberLengthMax && (words.contains(unit) || units.contains(unit))
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }

    /// ISO 8601 behind the `P`: whole numbers, in order, each unit once.
    private static func isStandard(_ text: Substring) -> Bool {
        let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        let isDated = isRow(parts[0], of: "YMD") || isRow(parts[0], of: "W")
        if parts.count == 1 { return isDated }
        return (isDated || parts[0].isEmpty) && isRow(parts[1], of: "HMS")
    }

    /// Whether numbers stand before some of the letters, in their order.
    private static func isRow(_ text: Substring, of letters: String) -> Bool {
        var rest = text
        var open = Substring(letters)
        while !rest.isEmpty {
            let number = rest.prefix(while: isDigit)
            rest = rest.dropFirst(number.count)
            guard (1...numberLengthMax).contains(number.count), let letter = rest.popFirst(),
                let place = open.firstIndex(of: letter)
            else { return false }
            open = open[open.index(after: place)...]
        }
        return !text.isEmpty
    }
}
