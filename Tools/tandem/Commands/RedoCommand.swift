import Terminal
import ToDo

/// Takes the last undo back.
enum RedoCommand: Command {
    static let name = "redo"
    static let summary = "Revert the last undo"
    static let help = """
          tandem redo

        Each further redo reverts one more undo, until you edit something else.

        --force           even where another device changed the field later
        """
    static let flags = ["force"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let context = try CommandContext.open(arguments)
        guard let change = try context.todos.nextToRedo() else {
            throw CommandFailure(.nothing, "there is no undo to take back")
        }
        return try UndoCommand.undo(
            change, "Done again", telling: context.todos.undone(by: change), arguments,
            context)
    }
}
