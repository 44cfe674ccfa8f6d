/// `rec:1w` of todo.txt: strict with a plus, else counted from completion.
enum TodoTextRecurrence {
    static func repetition(_ text: String) -> Repetition? {
        let isStrict = text.hasPrefix("+")
        let amount = isStrict ? text.dropFirst() : text[...]
        guard let unit = amount.last, let count = Int(amount.dropLast()),
            (1...1_000).contains(count)
        else { return nil }
        let step: Repetition.Step
        switch unit {
        case "d": step = .days(count)
        case "w": step = .days(7 * count)
        case "m": step = .months(count)
        case "y": step = .months(12 * count)
        default: return nil
        }
        return Repetition(step, from: isStrict ? .due : .completion)
    }

    /// Nil for what cannot be said so.
    static func text(_ repetition: Repetition) -> String? {
        let amount: String
        switch repetition.step {
        case .days(let count): amount = count % 7 == 0 ? "\(count / 7)w" : "\(count)d"
        case .months(let count): amount = count % 12 == 0 ? "\(count / 12)y" : "\(count)m"
        case .weekdays: return nil
        }
        return (repetition.basis == .due ? "+" : "") + amount
    }
}
