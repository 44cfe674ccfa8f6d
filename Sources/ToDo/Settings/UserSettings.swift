import Settings

/// The settings of a person on one machine, and where each comes from.
///
/// The environment overrides the file, which overrides the defaults; options of a command line override them all.
package struct UserSettings: Sendable {
    /// Where a value comes from.
    package enum Origin: Sendable, Equatable {
        /// Nobody set it.
        case standard
        /// A line of the file.
        case file(String, line: Int)
        /// A variable of the environment.
        case environment(String)
    }

    /// A value and where it comes from.
    package struct Entry: Sendable, Equatable {
        /// The value as it was written; nil for none.
        package let text: String?
        /// Where from.
        package let origin: Origin

        /// A value and where it comes from.
        package init(text: String?, origin: Origin) {
            self.text = text
            self.origin = origin
        }
    }

    /// The entries of the file and the environment; defaults are not here, as most commands ask for few settings.
    private var entries: [String: Entry] = [:]
    /// The names of the aliases, in the order of the file.
    package private(set) var aliasNames: [String] = []
    /// The words that each alias stands for.
    private var aliases: [String: [String]] = [:]

    /// The lines of the file with names that no setting has: a newer version of the program may have them, so they are
    /// passed over.
    package private(set) var unknown: [UserSettingProblem] = []

    /// The defaults.
    package init() {}

    /// Takes what the file and the environment say; everything wrong is told at once, with the names that are unknown.
    ///
    /// - Parameters:
    ///   - file: path and text of the file; nil for none.
    ///   - environment: the value of a variable.
    ///   - split: the words of a command line, parted as a shell does it; nil if a quote is left open.
    package init(
        file: (path: String, text: String)?, environment: (String) -> String?,
        split: (String) -> [String]?
    ) throws(UserSettingsFault) {
        self.init()
        var problems: [UserSettingProblem] = []
        if let file { read(file.path, SettingText(file.text), split, &problems) }
        for (name, variable) in Self.variables {
            guard let text = environment(variable), !text.isEmpty else { continue }
            // NO_COLOR counts whatever it is set to (no-color.org).
            let value = name == "colour" ? ColourChoice.off.rawValue : text
            if let cause = Self.check(name, value, split) {
                problems.append(UserSettingProblem(.variable(variable), nil, cause))
            }
            entries[name] = Entry(text: value, origin: .environment(variable))
        }
        if !problems.isEmpty { throw .problems(problems + unknown) }
    }

    /// The settings that a variable of the environment overrides.
    private static let variables = [
        (name: "week-start", variable: "TANDEM_WEEK_START"), (name: "colour", variable: "NO_COLOR"),
    ]

    private mutating func read(
        _ path: String, _ text: SettingText, _ split: (String) -> [String]?,
        _ problems: inout [UserSettingProblem]
    ) {
        let (lines, stray) = text.contents
        problems += stray.map { UserSettingProblem(.line(path, $0), nil, .noSign) }
        var seen: [String: Int] = [:]
        for line in lines {
            let source = UserSettingProblem.Source.line(path, line.line)
            guard UserSetting.named(line.name) != nil else {
                unknown.append(UserSettingProblem(source, line.name, Self.unknown(line.name)))
                continue
            }
            if let first = seen[line.name] {
                problems.append(UserSettingProblem(source, line.name, .twice(firstLine: first)))
            } else if let cause = Self.check(line.name, line.value, split) {
                problems.append(UserSettingProblem(source, line.name, cause))
            }
            seen[line.name] = seen[line.name] ?? line.line
            entries[line.name] = Entry(text: line.value, origin: .file(path, line: line.line))
            if let word = UserSetting.aliasWord(of: line.name), let words = split(line.value) {
                if aliases[word] == nil { aliasNames.append(word) }
                aliases[word] = words
            }
        }
    }

    /// The problem with a name that no setting has.
    package static func unknown(_ name: String) -> UserSettingProblem.Cause {
        if name.hasPrefix(UserSetting.aliasPrefix) { return .badAliasName }
        return .unknown(near: Spelling.suggestion(for: name, among: UserSetting.all.map(\.name)))
    }

    /// The problem with a value; nil if there is none.
    package static func check(
        _ name: String, _ text: String, _ split: (String) -> [String]?
    ) -> UserSettingProblem.Cause? {
        guard let setting = UserSetting.named(name) else { return unknown(name) }
        let isGood =
            switch setting.kind {
            case .weekday: Weekday(beginning: text) != nil
            case .choice(let words): words.contains(text)
            case .number(let range):
                text.utf8.allSatisfy { (0x30...0x39).contains($0) }
                    && Int(text).map(range.contains) ?? false
            case .style: TextStyle.codes(text) != nil
            case .commandLine, .filter: true
            }
        if !isGood { return .badValue(text, setting.kind) }
        guard setting.kind == .commandLine || setting.kind == .filter else { return nil }
        guard let words = split(text) else { return .openQuote(text) }
        if words.isEmpty { return .badValue(text, setting.kind) }
        if setting.kind == .filter {
            // The hour matters only to what is read later.
            do throws(ToDoWordsError) {
                _ = try ToDoFilter.parse(
                    words, now: 0, zone: .utc, dateOrder: .dayMonth)
            } catch {
                return .badFilter(text, error)
            }
        }
        return nil
    }

    // MARK: What holds

    /// The value of a setting and where it comes from.
    package subscript(name: String) -> Entry {
        entries[name] ?? Entry(text: UserSetting.named(name)?.standard, origin: .standard)
    }

    private func text(_ name: String) -> String? { entries[name]?.text }

    /// The first day of the week; nil if nobody set it.
    package var weekStart: Weekday? { text("week-start").flatMap { Weekday(beginning: $0) } }

    /// The order of day and month where a date may be read in two ways; nil if nobody set it.
    package var dateOrder: DateOrder? { text("date-order").flatMap { DateOrder(rawValue: $0) } }

    /// The sections of lists.
    package var listGrouping: ToDoGrouping {
        text("list.by").flatMap { ToDoGrouping(rawValue: $0) } ?? .urgency
    }

    /// The most to-dos that a list shows; nil for all.
    package var listLimit: Int? {
        let count = text("list.limit").flatMap { Int($0) } ?? ToDoView.standardCount
        return count == 0 ? nil : count
    }

    /// Whether the daemon serves the page.
    package var servesPage: Bool { text("web") == "on" }

    /// The port of the page.
    package var webPort: UInt16 {
        text("web.port").flatMap { UInt16($0) } ?? UserSetting.standardWebPort
    }

    /// Whether the daemon serves calendars.
    package var servesCalendars: Bool { text("caldav") == "on" }

    /// The port of the gateway for calendars.
    package var gatewayPort: UInt16 {
        text("caldav.port").flatMap { UInt16($0) } ?? UserSetting.standardGatewayPort
    }

    /// Whether results are coloured.
    package var colour: ColourChoice {
        text("colour").flatMap { ColourChoice(rawValue: $0) } ?? .auto
    }

    /// The numbers for a terminal of an element, empty for none; nil if nobody set them.
    package func style(_ element: String) -> String? {
        text("colour." + element).flatMap { TextStyle.codes($0) }
    }

    /// The text of a command line or a filter; nil if nobody set it.
    package func line(_ name: String) -> String? { text(name) }

    /// Replaces an alias at the beginning of a command line by what it stands for, as long as there is one.
    ///
    /// - Parameter isCommand: whether the program has a command of that name, which no alias hides.
    package func expanded(
        _ words: [String], isCommand: (String) -> Bool
    ) throws(UserSettingsFault) -> [String] {
        var words = words
        var seen: [String] = []
        while let first = words.first, !isCommand(first), let alias = aliases[first] {
            // No alias comes twice, so this ends.
            if seen.contains(first) { throw .aliasLoop(seen + [first]) }
            seen.append(first)
            words = alias + words.dropFirst()
        }
        return words
    }
}

/// A problem with a setting: where, which, and why.
package struct UserSettingProblem: Error, Sendable, Equatable {
    /// Where it was written.
    package enum Source: Sendable, Equatable {
        /// A line of a file.
        case line(String, Int)
        /// A variable of the environment.
        case variable(String)
        /// The command line.
        case typed
    }

    /// Why it cannot be used; a code, from which the program makes words.
    package enum Cause: Sendable, Equatable {
        /// The line has no `=`.
        case noSign
        /// No setting has the name; one may have a similar one.
        case unknown(near: String?)
        /// The name of an alias that nobody could type, or that is too long.
        case badAliasName
        /// A line before sets it.
        case twice(firstLine: Int)
        /// The value is none of those that the setting takes.
        case badValue(String, UserSetting.Kind)
        /// A quote is left open.
        case openQuote(String)
        /// The filter cannot be read.
        case badFilter(String, ToDoWordsError)
        /// A line cannot hold it: it has a line break, or a `#` behind a blank, which begins a remark.
        case unwritable(String)
        /// The program has a command of that name, which an alias does not hide.
        case hiddenAlias
    }

    /// Where.
    package let source: Source
    /// The name of the setting, if there is one.
    package let name: String?
    /// Why.
    package let cause: Cause

    /// A problem.
    package init(_ source: Source, _ name: String?, _ cause: Cause) {
        self.source = source
        self.name = name
        self.cause = cause
    }
}

/// Why there are no settings, or they cannot be changed; a code, from which the program makes words.
package enum UserSettingsFault: Error, Sendable {
    /// One or more are wrong.
    case problems([UserSettingProblem])
    /// Aliases stand for each other, in this order.
    case aliasLoop([String])
    /// There is no file where the environment says that there is one.
    case missing(path: String)
    /// The file cannot be read.
    case unreadable(path: String, errno: CInt)
    /// The path leads to a folder or to something else that is no file.
    case notFile(path: String)
    /// The file is longer than `UserSettingsFile.byteCountMax`, or would be.
    case tooLong(path: String)
    /// The file is not text in UTF-8.
    case notText(path: String)
    /// The file cannot be written.
    case unwritable(path: String, errno: CInt)
    /// The environment names no folder for settings.
    case noFolder
}

extension Weekday {
    /// The day whose English name begins so; nil if none does, or with fewer than two letters.
    package init?(beginning text: String) {
        let text = text.lowercased()
        guard text.count >= 2, let day = Self.allCases.first(where: { $0.name.hasPrefix(text) })
        else { return nil }
        self = day
    }
}
