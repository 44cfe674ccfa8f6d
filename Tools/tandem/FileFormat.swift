import JSON
import Terminal
import ToDo

/// The formats of files, as the command line names them; `ToDoFormats` lists them.
enum FileFormat {
    /// The names of all formats.
    static let names = ToDoFormats.all.map { $0.profile.name }
    /// The names of the formats that an export can have.
    static let writtenNames = ToDoFormats.written.map { $0.profile.name }

    private static var list: String { names.joined(separator: ", ") }

    /// The format of that name.
    ///
    /// - Parameter known: those that the command has.
    static func read(_ word: String, of known: [String] = names) throws -> any ToDoFormat.Type {
        guard let format = ToDoFormats.named(word) else {
            throw CommandFailure(
                .usage, "there is no format '\(word)'; there are: \(known.joined(separator: ", "))")
        }
        return format
    }

    /// The format of that name, else the one that a file's name tells, and its first bytes.
    static func read(
        _ word: String?, path: String, bytes: () throws -> [UInt8]
    ) throws -> any ToDoFormat.Type {
        if let word { return try read(word) }
        guard let guess = try ToDoFormats.ofFile(name(of: path), bytes: bytes) else {
            throw CommandFailure(
                .usage, "'\(path)' does not tell its format; say --format: \(list)")
        }
        return guess
    }

    /// A file's name without its folder.
    static func name(of path: String) -> String {
        path.split(separator: "/").last.map { String($0) } ?? ""
    }

    /// A format to read with, set up with the options that were given.
    ///
    /// - Throws: an option that is of another format, or cannot be read.
    static func reader(
        _ format: any ToDoFormat.Type, _ arguments: Arguments, path: String,
        zone: LocalTimeZone, now: Int64
    ) throws -> any ToDoFormat {
        let known = format.profile.readOptions
        for option in ToDoFormats.readOptions where isGiven(option, arguments) {
            if !known.contains(option) { throw refusal(option, of: format) }
        }
        var settings = settings(known, arguments, zone: zone, now: now)
        settings.fileName = name(of: path)
        settings.dateOrder = UserConfiguration.current.dateOrder
        return try make(format, settings)
    }

    /// A format to write with, set up with those of the options that are its own.
    ///
    /// - Throws: a format that is only read.
    static func writer(
        _ format: any ToDoFormat.Type, _ arguments: Arguments, zone: LocalTimeZone, now: Int64
    ) throws -> any ToDoFormat {
        if let other = format.profile.writtenAs {
            throw CommandFailure(
                .usage,
                "\(format.profile.name) is only read; write a table with --format \(other)")
        }
        return try make(
            format, settings(format.profile.writeOptions, arguments, zone: zone, now: now))
    }

    private static func make(
        _ format: any ToDoFormat.Type, _ settings: FormatSettings
    ) throws -> any ToDoFormat {
        do throws(FormatOptionFault) {
            return try format.init(settings)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
    }

    private static func settings(
        _ options: [FormatOption], _ arguments: Arguments, zone: LocalTimeZone, now: Int64
    ) -> FormatSettings {
        var settings = FormatSettings(zone: zone, now: now)
        for option in options where isGiven(option, arguments) {
            settings.options[option.name] = arguments[option.name] ?? ""
        }
        return settings
    }

    private static func isGiven(_ option: FormatOption, _ arguments: Arguments) -> Bool {
        option.value == nil ? arguments.has(option.name) : arguments[option.name] != nil
    }

    private static func refusal(
        _ option: FormatOption, of format: any ToDoFormat.Type
    ) -> CommandFailure {
        let endings = Set(format.profile.nameEndings)
        let other = ToDoFormats.all.first {
            $0.profile.readOptions.contains(option)
                && !endings.isDisjoint(with: $0.profile.nameEndings)
        }
        let hint = other.map { "; --format \($0.profile.name) reads this file as any other table" }
        return CommandFailure(
            .usage,
            "--\(option.name) is for \(option.subject), and this is \(format.profile.name)"
                + (hint ?? ""))
    }
}

extension FileFormat {
    /// The names of the formats that are read piece by piece, so that their files may be of any length.
    static let streamedNames: String = {
        let settings = FormatSettings(zone: .utc, now: 0)
        let names = ToDoFormats.all.filter { (try? $0.init(settings))?.stream() != nil }
            .map { $0.profile.name }
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }()
}

// MARK: Help

extension FileFormat {
    /// The kinds of files, for the summary of a command.
    static let families = ToDoFormats.families.joined(separator: ", ")

    /// The help of `--format` for an import.
    static var importHelp: String {
        let words = ToDoFormats.all.map { $0.profile }.map { profile in
            profile.note.isEmpty ? profile.name : "\(profile.name) (\(profile.note))"
        }
        var endings: [String] = []
        for ending in ToDoFormats.all.compactMap({ $0.profile.nameEndings.first })
        where !endings.contains(ending) {
            endings.append(ending)
        }
        return option(
            "--format FORMAT",
            "\(sentence(words)); without it the file's name tells: \(endings.joined(separator: " "))"
        )
            + options(ToDoFormats.readOptions)
    }

    /// The help of `--format` for an export.
    static var exportHelp: String {
        let own = ToDoFormats.own.profile.name
        let words = writtenNames.map { $0 == own ? "\($0) (default)" : $0 }
        return option("--format FORMAT", sentence(words))
    }

    /// The help of the options that exports in some format have, without the end of the last line.
    static var exportOptionHelp: String { String(options(ToDoFormats.writeOptions).dropLast()) }

    private static func options(_ options: [FormatOption]) -> String {
        options.map { option("--\($0.name)" + ($0.value.map { " \($0)" } ?? ""), $0.help) }
            .joined()
    }

    private static func sentence(_ words: [String]) -> String {
        words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    }

    /// The most columns of a line of help.
    private static let columnCountMax = 80
    /// The column in which the words on an option begin.
    private static let labelColumnCount = 18

    /// An option and the words on it, in lines, each with its end.
    private static func option(_ label: String, _ text: String) -> String {
        var lines: [String] = []
        var line = label + String(repeating: " ", count: max(labelColumnCount - label.count, 2))
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > columnCountMax {
                lines.append(line)
                line = String(repeating: " ", count: labelColumnCount)
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return (lines + [line]).map { $0 + "\n" }.joined()
    }
}

/// The report of values that a file does not keep and of errors in it, for people and for programs.
enum LossOutput {
    /// The most bad entries that are named where the file is refused, and losses of a long one.
    static let namedFaultCountMax = 20

    /// Every loss in a line of its own, under a heading; nothing if there is none.
    ///
    /// - Parameter unlistedCount: how many there are besides those.
    static func write(
        _ losses: [FormatLoss], heading: String = "Not kept", unlistedCount: Int = 0
    ) {
        if losses.isEmpty { return }
        let count = losses.count + unlistedCount
        Screen.line(
            "\(heading): "
                + (unlistedCount > 0 ? EditMessages.count(count, "detail") : summary(losses)))
        for loss in losses { Screen.line("  " + line(loss)) }
        if unlistedCount > 0 { Screen.line("  and \(unlistedCount) more") }
    }

    /// A loss in a line.
    static func line(_ loss: FormatLoss) -> String {
        let context = loss.entry == 0 ? "the file" : "entry \(loss.entry)"
        let title = loss.title.isEmpty ? context : FormatLoss.beginning(of: loss.title).shownInLine
        return "\(title): \(loss.field.shownInLine): \(loss.reason.shownInLine)"
    }

    /// How many details of how many to-dos.
    static func summary(_ losses: [FormatLoss]) -> String {
        let items = Set(losses.map(\.entry)).subtracting([0]).count
        return EditMessages.count(losses.count, "detail")
            + (items > 0 ? " of \(EditMessages.count(items))" : "")
    }

    /// Says beside the results that something is lost, and which command lists it.
    ///
    /// - Parameter remarks: what is kept, but otherwise.
    static func warn(
        _ losses: [FormatLoss], remarks: [FormatLoss] = [], command: [String]
    ) {
        if losses.isEmpty, remarks.isEmpty { return }
        let words = command.map(\.shellQuoted).joined(separator: " ")
        let parts =
            (losses.isEmpty ? [] : ["\(summary(losses)) not kept"])
            + (remarks.isEmpty ? [] : ["\(summary(remarks)) kept otherwise"])
        Screen.error(
            "tandem: \(parts.joined(separator: ", ")); list them: \(AdvisedLine.program) \(words)\n"
        )
    }

    /// Says beside the results what is lost of a long file: the first losses and remarks, and how many there are.
    static func warnOfSome(_ reading: FormatReading) {
        for (losses, unlisted, words) in [
            (reading.losses, reading.unlistedLossCount, "not kept"),
            (reading.remarks, reading.unlistedRemarkCount, "kept otherwise"),
        ] where !losses.isEmpty {
            let count = losses.count + unlisted
            Screen.error("tandem: \(EditMessages.count(count, "detail")) \(words):\n")
            for loss in losses.prefix(namedFaultCountMax) { Screen.error("  \(line(loss))\n") }
            if count > namedFaultCountMax {
                Screen.error("  and \(count - namedFaultCountMax) more\n")
            }
        }
    }

    /// Every bad entry in a line of its own.
    ///
    /// - Parameter count: how many there are, if not all are given.
    static func lines(_ faults: [FormatFault], limit: Int?, count: Int? = nil) -> [String] {
        var lines = faults.prefix(limit ?? .max).map { fault in
            let parts = [
                fault.line.map { "line \($0)" }, fault.entry.map { "entry \($0)" },
                fault.key?.shownInLine,
            ]
            return "  \(parts.compactMap { $0 }.joined(separator: ", ")): "
                + fault.reason.shownInLine
        }
        let rest = (count ?? faults.count) - lines.count
        if rest > 0 { lines.append("  and \(rest) more") }
        return lines
    }

    /// A loss as JSON.
    static func json(_ loss: FormatLoss) -> JSONValue {
        JSONOutput.object([
            ("entry", .number(loss.entry)), ("title", JSONOutput.text(loss.title)),
            ("field", JSONOutput.text(loss.field)), ("reason", JSONOutput.text(loss.reason)),
        ])
    }

    /// A bad entry as JSON.
    static func json(_ fault: FormatFault) -> JSONValue {
        var members: [(String, JSONValue)] = []
        if let line = fault.line { members.append(("line", .number(line))) }
        if let entry = fault.entry { members.append(("entry", .number(entry))) }
        if let key = fault.key { members.append(("field", JSONOutput.text(key))) }
        members.append(("reason", JSONOutput.text(fault.reason)))
        return JSONOutput.object(members)
    }
}
