import Causality
import Records
import Storage
import ToDo

/// Decides a conflict.
enum ResolveCommand: Command {
    static let name = "resolve"
    static let summary = "decides a conflict"
    static let help = """
          tandem resolve 1 --field title --mine
          tandem resolve 1 --field title --theirs
          tandem resolve 1 --field due --value friday
          tandem resolve 1 --device phone

        --field NAME      which field; may be left out if only one is in conflict
        --mine            this device's value
        --theirs          the other device's value, if there is only one other
        --device NAME     the value of that device
        --value TEXT      another value; '' for none
        A delete against an edit is decided by `tandem restore` or `tandem delete`.
        """
    static let values = ["field", "value", "device"]
    static let flags = ["mine", "theirs"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let place = try Workplace.open(arguments)
        guard let which = arguments.words.first, arguments.words.count == 1 else {
            throw CommandFailure(.usage, "say which one: tandem resolve 1 --field title --mine")
        }
        let stored = try place.find(which)
        let (field, candidates) = try conflict(of: stored, arguments, place)
        let choices = [
            arguments.has("mine"), arguments.has("theirs"), arguments["value"] != nil,
            arguments["device"] != nil,
        ]
        guard choices.count(where: \.self) == 1 else {
            throw CommandFailure(
                .usage, "say one of --mine, --theirs, --device NAME, --value TEXT")
        }
        let value: Value
        if let text = arguments["value"] {
            value = try ToDoMapping.value(
                typed: text, for: field, now: place.now, zone: place.zone)
        } else {
            value = try choice(among: candidates, arguments).value
        }
        if value.isNull, field == .number(ToDoSchema.Number.title) {
            throw CommandFailure(.usage, "a to-do needs some title")
        }
        try place.todos.resolve(stored.id, field, with: value)
        let text = ToDoMapping.describe(value, of: field, now: place.now, zone: place.zone)
        guard let settled = try place.todos.stored(stored.id) else { return .software }
        if arguments.has("json") {
            Terminal.line(JSONOutput.array([JSONOutput.item(settled)]))
        } else {
            let name = ToDoSchema.name(of: field).shownInLine
            Terminal.line("Resolved: \(name) is \(text.shownInLine)")
            let left = try place.todos.conflicts(of: stored.id).count
            if left > 0 { Terminal.line("  \(Echo.count(left, "conflict")) left on this to-do") }
        }
        return .ok
    }

    /// The one value that the options name.
    private static func choice(
        among candidates: [ToDoConflict.Candidate], _ arguments: Arguments
    ) throws -> ToDoConflict.Candidate {
        let device = arguments["device"]
        let isMine = arguments.has("mine")
        let chosen = candidates.filter { candidate in
            device.map { candidate.device == $0 } ?? (candidate.isMine == isMine)
        }
        if let only = chosen.first, chosen.count == 1 { return only }
        let names = candidates.map { $0.device + ($0.isMine ? " (this device)" : "") }
            .joined(separator: ", ")
        let whose = device.map { "by \($0)" } ?? (isMine ? "by this device" : "by another device")
        throw CommandFailure(
            chosen.isEmpty ? .nothing : .usage,
            "\(chosen.isEmpty ? "none" : "more than one") of the values is \(whose); they are by "
                + "\(names); say --device NAME or --value TEXT")
    }

    private static func conflict(
        of stored: StoredRecord, _ arguments: Arguments, _ place: Workplace
    ) throws -> (Field, [ToDoConflict.Candidate]) {
        var fields: [(Field, [ToDoConflict.Candidate])] = []
        var wasDeleted = false
        for conflict in try place.todos.conflicts(of: stored.id) {
            switch conflict.kind {
            case .field(let field, let candidates): fields.append((field, candidates))
            case .wasDeleted: wasDeleted = true
            }
        }
        let id = stored.id.short
        if let name = arguments["field"] {
            let field = ToDoSchema.field(named: name)
            if let found = fields.first(where: { $0.0 == field }) { return found }
            throw CommandFailure(.nothing, "\(name) of \(id) is not in conflict")
        }
        if fields.count > 1 {
            let names = fields.map { ToDoSchema.name(of: $0.0) }.joined(separator: ", ")
            throw CommandFailure(.usage, "\(id) has several conflicts; say --field: \(names)")
        }
        if let only = fields.first { return only }
        throw CommandFailure(
            .nothing,
            wasDeleted
                ? "\(id) was deleted and edited: decide by `tandem restore \(id)` or `tandem delete \(id)`"
                : "\(id) has no conflict")
    }
}
