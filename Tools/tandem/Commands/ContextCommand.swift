import JSON
import Terminal
import ToDo

/// Chooses the view that holds for lists and new to-dos.
enum ContextCommand: Command {
    static let name = "context"
    static let summary = "Narrow lists and new to-dos to a view, on this device"
    static let help = """
          tandem save work project:Work +office
          tandem context work
          tandem context
          tandem context none

        While a view is the context, `list`, every list such as `today`, agenda,
        calendar, week, stats, burndown, summary and watch show only what its filter
        takes, and say so. A new to-do gets the project, the tags and the people that
        the filter names; what else the filter asks for is not added: `tandem context`
        tells which words. A to-do that is named by its number, its title or a filter is
        changed wherever it belongs. The view syncs; which one is chosen does not.
        TANDEM_CONTEXT=NAME chooses one for a terminal, TANDEM_CONTEXT=none none.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard arguments.words.count <= 1 else {
            throw CommandFailure(
                .usage, "context takes the name of one view: \(AdvisedLine.program) context work")
        }
        guard let name = arguments.words.first else {
            let context = try CommandContext.openToRead(arguments)
            return try show(try context.chosenContext(), arguments)
        }
        let context = try CommandContext.open(arguments)
        if ["off", "clear", "unset"].contains(name), try context.todos.savedView(named: name) == nil
        {
            throw CommandFailure(
                .usage,
                "there is no view \(name); to leave the context: \(AdvisedLine.program) context none"
            )
        }
        if name == "none" {
            try context.todos.choose(context: nil)
        } else {
            let view = try SavedViewWords.find(name, context)
            // A filter that cannot be read would narrow nothing.
            _ = try view.filter(
                now: context.now, zone: context.zone, weekStart: context.weekStart)
            try context.todos.choose(context: view.name)
        }
        if let variable = CommandContext.environment("TANDEM_CONTEXT"), !variable.isEmpty {
            Screen.error("tandem: TANDEM_CONTEXT overrides it in this terminal\n")
        }
        return try show(try context.chosenContext(), arguments)
    }

    private static func show(_ chosen: ToDoContext?, _ arguments: Arguments) throws -> ExitCode {
        guard let chosen else {
            if arguments.has("json") {
                Screen.line(JSONOutput.object([("context", .null)]))
            } else {
                Screen.paragraph(
                    "No context; to choose one: \(AdvisedLine.program) context NAME", hanging: 2)
            }
            return .ok
        }
        if arguments.has("json") {
            Screen.line(
                JSONOutput.object([
                    ("context", JSONOutput.text(chosen.name)),
                    ("filter", .array(chosen.words.map(JSONOutput.text))),
                    ("holds", .bool(chosen.filter != nil)),
                    ("tags", .array(chosen.tags.map(JSONOutput.text))),
                    ("project", chosen.project.isEmpty ? .null : JSONOutput.text(chosen.project)),
                    ("people", .array(chosen.people.map(JSONOutput.text))),
                    ("notAdded", .array(chosen.partsLeft.map(JSONOutput.text))),
                ]))
            return .ok
        }
        guard chosen.filter != nil else {
            Screen.paragraph(chosen.remark, hanging: 2)
            return .ok
        }
        Screen.paragraph(
            "Context \(chosen.name): \(SavedViewWords.words(ofFilter: chosen.words))", hanging: 2)
        Screen.paragraph("  new to-dos get: \(chosen.given ?? "nothing")", hanging: 4)
        if !chosen.partsLeft.isEmpty {
            Screen.paragraph(
                "  and not: \(chosen.partsLeft.joined(separator: ", "))", hanging: 4)
        }
        return .ok
    }
}
