import Devices
import JSON
import Terminal
import ToDo

/// Goes on from a copy where the store itself is damaged, and puts that aside.
struct StartingOver {
    let damaged: DamagedStore
    let arguments: Arguments
    /// The problem with the store, in words.
    let reason: String

    /// Checks the copy, asks, and puts it in the place of the store.
    func run(from word: String) throws -> ExitCode {
        guard arguments.words.isEmpty, !arguments.has("exact") else {
            throw CommandFailure(
                .usage,
                "the store is damaged (\(reason)), and a copy is put in its place as a whole: "
                    + "without --exact and without words that choose")
        }
        let copy = try damaged.folder.checkedCopy(word, schema: ToDoSchema.collections)
        let (path, count) = (copy.path, copy.recordCount)
        if !arguments.has("json") {
            Screen.line("the store is damaged: \(reason.shownInLine)")
            Screen.line("\(path.shownInLine) is whole, with \(EditMessages.count(count))")
            Screen.line(
                "To keep what can be read of the damaged one too: \(damaged.rescueCommand)")
        }
        if arguments.has("verify") || arguments.has("dry-run") {
            tellJSON(path, aside: nil)
            return .ok
        }
        Screen.flush()
        try CommandContext.confirm(
            "Put the damaged store aside, and go on from this copy?", arguments)
        let aside = try damaged.folder.startOver(from: copy)
        try CommandContext.open(arguments).device.close()
        tellJSON(path, aside: aside)
        if !arguments.has("json") {
            Screen.line(
                "This store goes on from there. The damaged one is in \(aside.shownInLine)")
            Screen.line(
                "What was changed after the copy was made, and reached another device or a relay, comes "
                    + "from there: \(AdvisedLine.program) sync")
            Screen.line("What never left this device is in the damaged store alone: keep it")
        }
        return .ok
    }

    private func tellJSON(_ path: String, aside: String?) {
        guard arguments.has("json") else { return }
        Screen.line(
            JSONOutput.object([
                ("copy", JSONOutput.text(path)), ("whole", .bool(true)),
                ("damage", JSONOutput.text(reason)),
                ("aside", aside.map(JSONOutput.text) ?? .null),
                ("restored", .bool(aside != nil)),
            ]))
    }
}
