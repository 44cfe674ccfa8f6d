/// A setting of a person on one machine; it does not sync.
package struct UserSetting: Sendable, Equatable {
    /// The values that a setting takes.
    package enum Kind: Sendable, Equatable {
        /// A day of the week, of which the first letters do.
        case weekday
        /// One of these words.
        case choice([String])
        /// A whole number within these bounds.
        case number(ClosedRange<Int>)
        /// A command with its words, without the name of the program.
        case commandLine
        /// The words of a filter.
        case filter
        /// A colour and how letters are drawn.
        case style
    }

    /// Its name.
    package let name: String
    /// The values that it takes.
    package let kind: Kind
    /// The value that holds if nobody sets one; nil for none.
    package let standard: String?
    /// Its purpose, in one line.
    package let summary: String

    private init(_ name: String, _ kind: Kind, _ standard: String?, _ summary: String) {
        self.name = name
        self.kind = kind
        self.standard = standard
        self.summary = summary
    }

    /// The beginning of the names of aliases.
    package static let aliasPrefix = "alias."
    /// The longest name of an alias; bytes.
    package static let aliasByteCountMax = 64
    /// The port of the page unless somebody sets one.
    package static let standardWebPort: UInt16 = 7719
    /// The port of the gateway for calendars unless somebody sets one.
    package static let standardGatewayPort: UInt16 = 7720
    /// The most to-dos that `list.limit` may ask for.
    private static let listLimitMax = 1_000_000

    /// All settings but the aliases, in the order in which they are listed.
    package static let all: [UserSetting] = [
        .init("week-start", .weekday, nil, "first day of the week; default: the locale's"),
        .init(
            "date-order", .choice(DateOrder.allCases.map(\.rawValue)), nil,
            "order of 5/6; without it such a date is refused"),
        .init(
            "command", .commandLine, nil,
            "command that `tandem` alone runs; default: an overview"),
        .init("list.filter", .filter, nil, "filter of `list` if no other one is given"),
        .init(
            "list.by", .choice(ToDoGrouping.allCases.map(\.rawValue)),
            ToDoGrouping.urgency.rawValue, "sections of `list`, as --by"),
        .init(
            "list.limit", .number(0...listLimitMax), "\(ToDoView.standardCount)",
            "most to-dos that a list shows; 0 for all"),
        .init(
            "web", .choice(["off", "on"]), "off",
            "on: the daemon serves the page in a browser, too"),
        .init(
            "web.port", .number(1...Int(UInt16.max)), "\(standardWebPort)",
            "port of the page on this machine"),
        .init(
            "caldav", .choice(["off", "on"]), "off",
            "on: the daemon serves calendar apps (CalDAV), too"),
        .init(
            "caldav.port", .number(1...Int(UInt16.max)), "\(standardGatewayPort)",
            "port of the calendars on this machine"),
        .init(
            "colour", .choice(ColourChoice.allCases.map(\.rawValue)), ColourChoice.auto.rawValue,
            "auto: only on a terminal"),
        .init("colour.heading", .style, "bold", "headings of lists"),
        .init("colour.urgent", .style, "red", "dates that are overdue"),
        .init("colour.faint", .style, "faint", "the foot of lists, and what is done"),
    ]

    /// The setting of that name; an alias has one of its own.
    package static func named(_ name: String) -> UserSetting? {
        if let alias = aliasWord(of: name) {
            return UserSetting(
                name, .commandLine, nil, "command that `tandem \(alias)` runs")
        }
        return all.first { $0.name == name }
    }

    /// The word that an alias stands for; nil if the name is not one of an alias that can be typed.
    package static func aliasWord(of name: String) -> String? {
        guard name.hasPrefix(aliasPrefix) else { return nil }
        let word = String(name.dropFirst(aliasPrefix.count))
        guard let first = word.first, first.isLetter || first.isNumber || first == "_",
            word.utf8.count <= aliasByteCountMax,
            !word.contains(where: { $0.isWhitespace || "=#:'\"\\".contains($0) })
        else { return nil }
        return word
    }
}

/// Whether results are coloured.
package enum ColourChoice: String, Sendable, CaseIterable {
    /// On a terminal.
    case auto
    /// Wherever results go.
    case on
    /// Nowhere.
    case off
}

/// A colour and how letters are drawn, as a person writes it: `bold red`.
package enum TextStyle {
    /// Every word and its number for a terminal (ECMA-48, SGR).
    package static let words: [(word: String, code: Int)] = {
        let colours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
        return [("bold", 1), ("faint", 2), ("italic", 3), ("underline", 4), ("reverse", 7)]
            + colours.enumerated().map { ($1, 30 + $0) }
            + colours.enumerated().map { ("bright-" + $1, 90 + $0) }
    }()

    /// The word for a text that looks like any other.
    package static let none = "none"

    /// The numbers for a terminal, parted by semicolons, empty for `none`; nil if a word is unknown.
    package static func codes(_ text: String) -> String? {
        let parts = text.split(separator: " ")
        if parts.isEmpty { return nil }
        if parts == [Self.none[...]] { return "" }
        var codes: [String] = []
        for part in parts {
            guard let word = words.first(where: { $0.word == part }) else { return nil }
            codes.append("\(word.code)")
        }
        return codes.joined(separator: ";")
    }
}
