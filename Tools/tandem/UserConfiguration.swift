import Glibc
import Terminal
import ToDo

/// The settings of the person who runs this program on this machine.
enum UserConfiguration {
    /// The settings that hold in this process; the defaults before `take`.
    nonisolated(unsafe) private(set) static var current = UserSettings()

    /// The file; nil if the environment names no folder for it.
    static var file: UserSettingsFile? {
        UserSettingsFile(environment: CommandContext.environment)
    }

    /// Reads all settings, the file anew.
    static func read() throws(UserSettingsFault) -> UserSettings {
        let file = file
        let text = try file?.text()
        return try UserSettings(
            file: file.flatMap { file in text.map { (file.path, $0) } },
            environment: CommandContext.environment, split: ShellWords.split)
    }

    /// Commands that run whatever the settings are: they read none, or repair them.
    private static let quietCommands: Set<String> = [
        "config", "help", "version", "complete", "completion", "serve", "daemon", "relay",
    ]
    /// Commands that run with the defaults, and say so: a wrong setting must not keep devices apart.
    private static let robustCommands: Set<String> = [
        "sync", "status", "init", "invite", "join", "devices", "revoke", "doctor", "backup",
        "accept-deletes", "refuse-deletes", "pause", "resume",
    ]

    /// Makes the settings hold for a command.
    static func take(for command: any Command.Type) throws {
        do throws(UserSettingsFault) {
            current = try read()
        } catch {
            let isQuiet = quietCommands.contains(command.name)
            guard isQuiet || robustCommands.contains(command.name) else { throw error }
            current = UserSettings()
            if !isQuiet {
                Screen.error(
                    "tandem: \(CommandFailure(error).message)\ntandem: the defaults hold\n")
            }
        }
        if !quietCommands.contains(command.name) { tellUnknown(in: current) }
        Screen.colours =
            switch current.colour {
            case .auto: nil
            case .on: true
            case .off: false
            }
        let plain = Screen.Styles()
        Screen.styles = Screen.Styles(
            heading: current.style("heading") ?? plain.heading,
            urgent: current.style("urgent") ?? plain.urgent,
            faint: current.style("faint") ?? plain.faint)
    }

    /// Tells of the names in the file that no setting has.
    static func tellUnknown(in settings: UserSettings) {
        for problem in settings.unknown { Screen.error("tandem: \(problem.words.shownInLine)\n") }
    }

    /// The words that a line stands for that begins with an alias, or that is empty; nil if it stands for itself.
    static func replacement(of words: [String]) throws(UserSettingsFault) -> [String]? {
        let settings = try read()
        var line = words
        if line.isEmpty {
            guard let text = settings.line("command") else { return nil }
            line = ShellWords.split(text) ?? []
        }
        let expanded = try settings.expanded(line, isCommand: isCommand)
        return expanded == words ? nil : expanded
    }

    /// Whether a word is a command of this program, which no alias hides.
    static func isCommand(_ word: String) -> Bool { Tandem.command(word) != nil }

    /// Whether a line that begins with a word runs a command or an alias, and not the view of that name.
    static func hidesView(_ word: String) -> Bool {
        isCommand(word) || current.line(UserSetting.aliasPrefix + word) != nil
    }
}

/// The first day of the user's week.
enum WeekStart {
    /// The day of the settings, else of the locale, else Monday.
    static var current: Weekday {
        UserConfiguration.current.weekStart ?? SystemLocale.weekStart(CommandContext.environment)
            ?? .monday
    }
}

extension CommandFailure {
    /// Settings that cannot be read or changed.
    init(_ fault: UserSettingsFault) {
        switch fault {
        case .problems(let problems):
            let isTyped = problems.allSatisfy { $0.source == .typed }
            self.init(
                isTyped ? .usage : .configuration,
                problems.map { $0.words.shownInLine }.joined(separator: "\n"))
        case .aliasLoop(let words):
            let alias = UserSetting.aliasPrefix + (words.first ?? "")
            self.init(
                .configuration,
                "\(alias) leads back to itself: \(words.joined(separator: " → ")). "
                    + "To remove it, run: tandem config \(alias) --unset")
        case .missing(let path):
            self.init(
                .configuration,
                "\(path.shownInLine) is not there, and \(UserSettingsFile.variable) names it; "
                    + "to make it, run: tandem config KEY VALUE")
        case .unreadable(let path, let code):
            self.init(
                .configuration,
                "\(path.shownInLine) cannot be read: \(String(cString: strerror(code))); "
                    + Self.nextStep)
        case .notFile(let path):
            self.init(
                .configuration,
                "\(path.shownInLine) is no file, and the settings should be in it; "
                    + Self.nextStep)
        case .tooLong(let path):
            self.init(
                .configuration,
                "\(path.shownInLine) has more than \(UserSettingsFile.byteCountMax) bytes, the most "
                    + "that a file of settings may have; \(Self.nextStep)")
        case .notText(let path):
            self.init(
                .configuration,
                "\(path.shownInLine) is not text in UTF-8; \(Self.nextStep)")
        case .unwritable(let path, let code):
            self.init(
                .cannotCreate,
                "\(path.shownInLine) cannot be written: \(String(cString: strerror(code)))")
        case .noFolder:
            self.init(
                .configuration,
                "none of \(UserSettingsFile.variable), XDG_CONFIG_HOME and HOME is set; "
                    + "set \(UserSettingsFile.variable) to a file")
        }
    }

    private static let nextStep =
        "repair or remove it, or name another file in \(UserSettingsFile.variable)"
}

extension UserSettingProblem {
    /// The problem in a line: where, which, why, and what to do.
    var words: String {
        let start =
            switch source {
            case .line(let path, let line): "\(path):\(line): "
            case .variable(let variable): "\(variable): "
            case .typed: ""
            }
        let subject = name.map { "\($0): " } ?? ""
        let isInFile = if case .line = source { true } else { false }
        let way =
            isInFile ? name.map { "; or run: tandem config \($0.shellQuoted) --unset" } ?? "" : ""
        return start + subject + reason + way
    }

    private var reason: String {
        switch cause {
        case .noSign: "there is no '='; write: name = value, or # for a remark"
        case .unknown(let near):
            "there is no such setting; "
                + (near.map { "did you mean \($0)?" } ?? "to see all, run: tandem config")
        case .badAliasName:
            "an alias is a word that begins with a letter or a digit and has at most "
                + "\(UserSetting.aliasByteCountMax) bytes: alias.work = list +work"
        case .twice(let line): "line \(line) sets it, too; delete one of the two"
        case .badValue(let text, let kind): "'\(text)' cannot be used; write \(kind.words)"
        case .openQuote(let text): "a quote is left open in \(text)"
        case .badFilter(let text, let error): "'\(text)' is no filter: \(error)"
        case .unwritable(let text):
            "'\(text)' cannot stand in a line of the file: it has a line break, or a # behind a "
                + "blank, which begins a remark"
        case .hiddenAlias:
            "that is a command of tandem, and an alias never hides one; take another word"
        }
    }
}

extension UserSetting.Kind {
    /// The values that are taken, in words.
    var words: String {
        switch self {
        case .weekday: "a day such as monday"
        case .choice(let words):
            words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        case .number(let range):
            "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .commandLine: "a command and its words, such as: list +work"
        case .filter: "the words of a filter, such as: -someday"
        case .style:
            "\(TextStyle.none), or words such as bold, underline, red or bright-blue"
        }
    }
}
