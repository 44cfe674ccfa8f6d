import Core
import Terminal
import ToDo

/// Which value ends a conflict.
enum ResolveChoice {
    case mine
    case theirs
    case both
    case device(String)
    /// The value at that place in `tandem conflicts`, from 1.
    case place(Int)
    case value(String)

    /// The one choice that the options make.
    static func read(_ arguments: Arguments) throws -> ResolveChoice {
        var choices: [ResolveChoice] = []
        if arguments.has("mine") { choices.append(.mine) }
        if arguments.has("theirs") { choices.append(.theirs) }
        if arguments.has("both") { choices.append(.both) }
        if let device = arguments["device"] { choices.append(.device(device)) }
        if let text = arguments["value"] { choices.append(.value(text)) }
        if let text = arguments["pick"] {
            guard let place = Int(text), place > 0 else {
                throw CommandFailure(.usage, "--pick takes 1 for the first value, 2 for the next")
            }
            choices.append(.place(place))
        }
        guard let choice = choices.first, choices.count == 1 else {
            throw CommandFailure(
                .usage, "say one of --mine, --theirs, --both, --device NAME, --pick N, --value TEXT"
            )
        }
        return choice
    }

    /// The value for a field.
    func value(
        of field: Field, among candidates: [ToDoConflict.Candidate], _ place: CommandContext
    ) throws -> Value {
        switch self {
        case .value(let text):
            let value = try ToDoMapping.value(
                typed: text, for: field, now: place.now, zone: place.zone)
            if value.isNull, field == .number(ToDoSchema.Number.title) {
                throw CommandFailure(.usage, "a to-do needs some title")
            }
            return value
        case .both: return try both(of: field, among: candidates)
        case .mine: return try only(candidates.filter(\.isMine), candidates, "yours")
        case .theirs:
            return try only(candidates.filter { !$0.isMine }, candidates, "another device's")
        case .place(let place):
            guard place <= candidates.count else {
                throw CommandFailure(
                    .nothing, "there are \(candidates.count) values, none is the \(place).")
            }
            return candidates[place - 1].value
        case .device(let name):
            return try only(candidates.filter { $0.device == name }, candidates, "by \(name)")
        }
    }

    /// Whether two texts of the field can stand beside each other.
    static func takesBoth(_ field: Field) -> Bool {
        let number = ToDoSchema.Number.self
        return switch field {
        case .number(number.title), .number(number.notes), .number(number.location), .text: true
        default: false
        }
    }

    /// Both texts, the shown one first; notes one below the other.
    private func both(
        of field: Field, among candidates: [ToDoConflict.Candidate]
    ) throws -> Value {
        let texts = candidates.compactMap { candidate -> String? in
            if case .text(let text) = candidate.value { text } else { nil }
        }
        let notes = Field.number(ToDoSchema.Number.notes)
        guard Self.takesBoth(field), texts.count == candidates.count else {
            throw CommandFailure(
                .refused,
                "\(ToDoSchema.name(of: field)) cannot be both; say --mine, --theirs or --value")
        }
        return .text(texts.joined(separator: field == notes ? "\n\n" : " / "))
    }

    private func only(
        _ chosen: [ToDoConflict.Candidate], _ all: [ToDoConflict.Candidate], _ whose: String
    ) throws -> Value {
        if let only = chosen.first, chosen.count == 1 { return only.value }
        let names = all.map { $0.device.shownInLine + ($0.isMine ? " (this device)" : "") }
            .joined(separator: ", ")
        throw CommandFailure(
            chosen.isEmpty ? .nothing : .usage,
            "\(chosen.isEmpty ? "none" : "more than one") of the values is \(whose); they are by "
                + "\(names); say --device NAME, --pick N or --value TEXT")
    }
}
