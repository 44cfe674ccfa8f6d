import Terminal
import ToDo

/// The choice of a value in a conflict, as options make it, and its faults in words.
enum ResolveChoice {
    /// The one choice that the options make.
    static func read(_ arguments: Arguments) throws -> ConflictChoice {
        var choices: [ConflictChoice] = []
        if arguments.has("mine") { choices.append(.mine) }
        if arguments.has("theirs") { choices.append(.theirs) }
        if arguments.has("both") { choices.append(.both) }
        if let device = arguments["device"] { choices.append(.device(device)) }
        if let text = arguments["value"] { choices.append(.value(text)) }
        if let text = arguments["pick"] {
            guard let position = Int(text), position > 0 else {
                throw CommandFailure(.usage, "--pick takes 1 for the first value, 2 for the next")
            }
            choices.append(.position(position))
        }
        guard let choice = choices.first, choices.count == 1 else {
            throw CommandFailure(
                .usage, "say one of --mine, --theirs, --both, --device NAME, --pick N, --value TEXT"
            )
        }
        return choice
    }
}

extension CommandFailure {
    /// A choice that does not give one value.
    init(_ fault: ConflictChoiceFault) {
        switch fault {
        case .untitled: self.init(.usage, "a to-do needs some title")
        case .noPosition(let position, let count):
            self.init(.nothing, "there are \(count) values, none is the \(position).")
        case .cannotBoth(let field):
            self.init(
                .refused,
                "\(ToDoSchema.name(of: field)) cannot be both; say --mine, --theirs or --value")
        case .none(let choice, let all):
            self.init(.nothing, "none of the values is \(Self.which(choice, all))")
        case .several(let choice, let all):
            self.init(.usage, "more than one of the values is \(Self.which(choice, all))")
        }
    }

    private static func which(
        _ choice: ConflictChoice, _ all: [ToDoConflict.Candidate]
    ) -> String {
        let whose =
            switch choice {
            case .mine: "yours"
            case .device(let name): "by \(name)"
            default: "another device's"
            }
        let names = all.map { $0.device.shownInLine + ($0.isMine ? " (this device)" : "") }
            .joined(separator: ", ")
        return "\(whose); they are by \(names); say --device NAME, --pick N or --value TEXT"
    }
}
