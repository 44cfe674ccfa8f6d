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
          tandem resolve 1 --mine

        --field NAME      which field; may be left out if only one is in conflict
        --mine            this device's value
        --theirs          the other device's value; the one shown first if there are several
        --value TEXT      another value
        A delete against an edit is decided by `tandem restore` or `tandem delete`.
        """
    static let values = ["field", "value"]
    static let flags = ["mine", "theirs"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let place = try Workplace.open(arguments)
        guard let which = arguments.words.first, arguments.words.count == 1 else {
            throw CommandFailure(.usage, "say which one: tandem resolve 1 --field title --mine")
        }
        let stored = try place.find(which)
        let (field, candidates) = try conflict(of: stored, arguments, place)
        let choices = [arguments.has("mine"), arguments.has("theirs"), arguments["value"] != nil]
        guard choices.count(where: \.self) == 1 else {
            throw CommandFailure(.usage, "say one of --mine, --theirs, --value TEXT")
        }
        let value: Value
        if let text = arguments["value"] {
            value = try ToDoMapping.value(
                typed: text, for: field, now: place.now, zone: place.zone)
        } else {
            let isMine = arguments.has("mine")
            guard let chosen = candidates.first(where: { $0.isMine == isMine }) else {
                let names = candidates.map(\.device).joined(separator: ", ")
                throw CommandFailure(
                    .nothing,
                    "none of the values is \(isMine ? "this device's" : "another device's"); they are "
                        + "by \(names); say --value")
            }
            value = chosen.value
        }
        try place.store.edit { transaction throws(StoreFault) in
            try transaction.resolve(stored.id, field, with: value)
        }
        try report([stored.id], arguments, place) {
            let text = ToDoMapping.describe(value, now: place.now, zone: place.zone)
            Terminal.line("Resolved: \(ToDoSchema.name(of: field)) is \(text)")
        }
        return .ok
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
