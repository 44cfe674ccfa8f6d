import JSON
import Terminal
import ToDo

/// Gives to-dos out.
enum ExportCommand: Command {
    static let name = "export"
    static let summary = "Export to \(FileFormat.families)"
    static let help = """
          tandem export > todos.jsonl
          tandem export --format taskwarrior project:Home | task import -
          tandem export --format chronolist --dry-run

        Includes finished to-dos. Words filter as in `tandem list`. JSON lines and vtodo
        (iCalendar) keep every field. For other formats, the standard error says how
        many values are lost, and --dry-run lists them.

        \(FileFormat.exportHelp)\
        --all             add the trash, every value of open conflicts and the history
        --dry-run         list what the file would not keep; no file is written
        \(FileFormat.exportOptionHelp)
        """
    static let values =
        ["format"] + ToDoFormats.writeOptions.filter { $0.value != nil }.map(\.name)
    static let flags =
        ["dry-run", "all"] + ToDoFormats.writeOptions.filter { $0.value == nil }.map(\.name)

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let format = try FileFormat.read(
            arguments["format"] ?? ToDoFormats.own.profile.name, of: FileFormat.writtenNames)
        if arguments.has("all"), format != ToDoFormats.own || !arguments.words.isEmpty {
            let own = ToDoFormats.own.profile.name
            throw CommandFailure(.usage, "--all gives out everything, as \(own) alone")
        }
        let context = try CommandContext.openToRead(arguments)
        if arguments.has("all") { return finish(try context.todos.exportAll(), format, arguments) }
        let filter = try context.filter(arguments.words)
        let export = try context.todos.export(filter)
        if export.items.isEmpty, let word = arguments.words.first {
            let none = NoMatch(
                words: arguments.words, filter: filter, isAll: true, context: context)
            let isFile = arguments.words.count == 1 && word.contains(".") && !word.contains(":")
            let parts =
                try none.parts()
                + (isFile
                    ? [
                        "a file's name stands behind >: \(AdvisedLine.program) export > \(word.shellQuoted)"
                    ] : [])
            Screen.error("tandem: \(parts.joined(separator: "; "))\n")
        }
        let writer = try FileFormat.writer(format, arguments, zone: context.zone, now: context.now)
        var writing = try writer.encode(export.items)
        writing.losses += export.losses
        return finish(writing, count: export.items.count, format, arguments)
    }

    /// Gives the file out, or tells of it.
    private static func finish(
        _ writing: FormatWriting, count: Int? = nil, _ format: any ToDoFormat.Type,
        _ arguments: Arguments
    ) -> ExitCode {
        if arguments.has("dry-run") {
            rehearse(writing, count: count, format, arguments)
            return .ok
        }
        Screen.write(writing.bytes)
        var command = ["export", "--dry-run", "--format", format.profile.name]
        for flag in ["all"] + ToDoFormats.writeOptions.map(\.name) where arguments.has(flag) {
            command.append("--\(flag)")
        }
        LossOutput.warn(writing.losses, command: command + arguments.words)
        return .ok
    }

    private static func rehearse(
        _ writing: FormatWriting, count: Int?, _ format: any ToDoFormat.Type, _ arguments: Arguments
    ) {
        if arguments.has("json") {
            return Screen.line(
                JSONOutput.object([
                    ("format", JSONOutput.text(format.profile.name)),
                    ("count", count.map { JSONValue.number($0) } ?? .null),
                    ("bytes", .number(writing.bytes.count)),
                    ("losses", .array(writing.losses.map { LossOutput.json($0) })),
                ]))
        }
        Screen.line(
            "Would write \(count.map { EditMessages.count($0) } ?? "everything") as \(format.profile.name), "
                + "\(writing.bytes.count) bytes"
                + (writing.losses.isEmpty ? "; nothing of them is lost" : ""))
        LossOutput.write(writing.losses)
    }
}
