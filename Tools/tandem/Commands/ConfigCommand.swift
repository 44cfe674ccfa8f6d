import JSON
import Terminal
import ToDo

/// Shows and changes the settings of this machine.
enum ConfigCommand: Command {
    static let name = "config"
    static let summary = "Show and change the settings of this machine"
    static var help: String {
        let settings = UserSetting.all.map { setting in
            Cells.padded(setting.name, to: nameWidth) + setting.summary
        }
        return """
              tandem config
              tandem config week-start sunday
              tandem config alias.w "list +work"
              tandem config list.by --unset

            Without words it shows each setting, its value and where that comes from; with
            a key alone the value. Settings are in a file of this machine, do not sync, and
            can be written by hand: lines of `key = value`; # begins a remark. A change
            keeps all other lines and remarks; a key that this version does not know is told
            and passed over. The file is $TANDEM_CONFIG, else
            tandem/config in $XDG_CONFIG_HOME (default ~/.config).

            \(settings.joined(separator: "\n"))
            \(Cells.padded("alias.WORD", to: nameWidth))a command that `tandem WORD` runs, with the words behind it

            date-order is day-month or month-day. A colour is none, or words such as bold,
            faint, underline, red or bright-blue; NO_COLOR overrides them. An alias may
            stand for another one, and never hides a command. A filter of `list` is named
            at the foot of the list; a list with other words goes by these alone.

            --unset           remove the setting from the file
            """
    }
    static let flags = ["unset"]
    private static let nameWidth = 16
    /// The column of where a value comes from; on narrower screens it stands below the value.
    private static let originColumn = 38
    private static let originWidth = 22

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let key = arguments.words.first else {
            if arguments.has("unset") {
                throw CommandFailure(
                    .usage, "say which: \(AdvisedLine.program) config week-start --unset")
            }
            return try list(arguments)
        }
        guard UserSetting.named(key) != nil || arguments.has("unset") else { throw unknown(key) }
        let words = Array(arguments.words.dropFirst())
        if arguments.has("unset") {
            if let word = words.first {
                throw CommandFailure(
                    .usage, "'\(word.shownInLine)' is not expected beside --unset")
            }
            return try set(key, to: nil)
        }
        guard !words.isEmpty else { return try show(key, arguments) }
        // One word is a value as it is; several are the words of a command or a filter.
        return try set(
            key, to: words.count == 1 ? words[0] : words.map(\.shellQuoted).joined(separator: " "))
    }

    private static func unknown(_ key: String) -> UserSettingsFault {
        .problems([UserSettingProblem(.typed, key, UserSettings.unknown(key))])
    }

    private static func set(_ key: String, to value: String?) throws -> ExitCode {
        guard let file = UserConfiguration.file else { throw UserSettingsFault.noFolder }
        if value != nil, let alias = UserSetting.aliasWord(of: key),
            UserConfiguration.isCommand(alias)
        {
            throw UserSettingsFault.problems([UserSettingProblem(.typed, key, .hiddenAlias)])
        }
        let isChanged = try file.set(key, to: value, split: ShellWords.split)
        guard let value else {
            // A line with a name that no setting has can be removed all the same.
            if !isChanged, UserSetting.named(key) == nil { throw unknown(key) }
            Screen.paragraph(
                isChanged
                    ? "Removed \(key) from \(file.path)" : "\(key) was not set in \(file.path)",
                hanging: 2)
            return isChanged ? .ok : .nothing
        }
        Screen.paragraph("\(key) = \(value), in \(file.path)", hanging: 2)
        if case .environment(let variable)? = (try? UserConfiguration.read())?[key].origin {
            Screen.error("tandem: \(variable) overrides it here\n")
        }
        return .ok
    }

    private static func show(_ key: String, _ arguments: Arguments) throws -> ExitCode {
        let settings = try UserConfiguration.read()
        let entry = settings[key]
        if arguments.has("json") {
            Screen.line(try json(key, shown(key, entry)))
        } else if let text = shown(key, entry).text {
            Screen.line(text.shownInLine)
        } else {
            Screen.error("tandem: \(key) is not set\n")
        }
        return shown(key, entry).text == nil ? .nothing : .ok
    }

    private static func list(_ arguments: Arguments) throws -> ExitCode {
        let settings = try UserConfiguration.read()
        UserConfiguration.tellUnknown(in: settings)
        let aliases = settings.aliasNames.map { UserSetting.aliasPrefix + $0 }
        let rows = (UserSetting.all.map(\.name) + aliases).map { name in
            (name, shown(name, settings[name]))
        }
        if arguments.has("json") {
            Screen.line(JSONOutput.array(try rows.map(json)))
            return .ok
        }
        Screen.paragraph(
            "# \(UserConfiguration.file?.path ?? "no file")", hanging: 2, style: Screen.faint)
        for (name, value) in rows {
            let line = value.text.map { "\(name) = \($0)" } ?? "# \(name) ="
            write(line.shownInLine, "# " + value.origin)
        }
        return .ok
    }

    private static func write(_ line: String, _ origin: String) {
        guard Screen.width.map({ $0 >= originColumn + originWidth }) ?? true else {
            Screen.paragraph(line, hanging: 2)
            Screen.paragraph(origin, label: "  ", hanging: 4, style: Screen.faint)
            return
        }
        let width = originColumn - 2
        if Cells.count(line) > width {
            Screen.paragraph(line, hanging: 2)
            let gap = String(repeating: " ", count: originColumn)
            Screen.line(ShownText(gap) + Screen.faint(origin))
        } else {
            Screen.line(ShownText(Cells.padded(line, to: originColumn)) + Screen.faint(origin))
        }
    }

    /// The value that holds, and the words for where it comes from.
    private static func shown(
        _ name: String, _ entry: UserSettings.Entry
    ) -> (text: String?, origin: String, line: Int?) {
        switch entry.origin {
        case .file(_, let line):
            let isHidden =
                UserSetting.aliasWord(of: name).map(UserConfiguration.isCommand) ?? false
            return (entry.text, "line \(line)" + (isHidden ? "; a command hides it" : ""), line)
        case .environment(let variable): return (entry.text, variable, nil)
        case .standard where name == "week-start":
            guard let day = SystemLocale.weekStart(CommandContext.environment) else {
                return ("monday", "default", nil)
            }
            return (day.name, "locale", nil)
        case .standard: return (entry.text, entry.text == nil ? "not set" : "default", nil)
        }
    }

    private static func json(
        _ name: String, _ value: (text: String?, origin: String, line: Int?)
    ) throws -> JSONValue {
        JSONOutput.object([
            ("key", JSONOutput.text(name)), ("value", value.text.map(JSONOutput.text) ?? .null),
            ("origin", JSONOutput.text(value.origin)),
        ])
    }
}
