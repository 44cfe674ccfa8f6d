/// What was read for the slots of a form, to be taken in their order.
///
/// To take what is not there is a mistake in the table of forms, which every form is tested for.
struct StoryArguments {
    private var arguments: [StoryArgument] = []
    private var taken = 0

    mutating func append(_ argument: StoryArgument) { arguments.append(argument) }

    /// The field that was named last, which says what values fit.
    var lastField: String? {
        if case .name(let name)? = arguments.last { name } else { nil }
    }

    private mutating func next() -> StoryArgument {
        defer { taken += 1 }
        return arguments[taken]
    }

    private mutating func take<Wanted>(_ pick: (StoryArgument) -> Wanted?) -> Wanted {
        guard let wanted = pick(next()) else { preconditionFailure("a form takes another slot") }
        return wanted
    }

    mutating func name() -> String {
        take { if case .name(let name) = $0 { name } else { nil } }
    }

    /// Nil for everyone.
    mutating func names() -> [String]? {
        take { if case .names(let names) = $0 { .some(names) } else { nil } }
    }

    mutating func groups() -> [[String]] {
        take { if case .groups(let groups) = $0 { groups } else { nil } }
    }

    mutating func traits() -> DeviceTraits {
        take { if case .traits(let traits) = $0 { traits } else { nil } }
    }

    mutating func claim() -> Claim {
        take { if case .claim(let claim) = $0 { claim } else { nil } }
    }

    mutating func settings() -> [Setting] {
        take { if case .settings(let settings) = $0 { settings } else { nil } }
    }

    mutating func value() -> Literal {
        take { if case .value(let value) = $0 { value } else { nil } }
    }

    mutating func values() -> [Literal] {
        take { if case .values(let values) = $0 { values } else { nil } }
    }

    mutating func elements() -> [String] {
        take { if case .elements(let elements) = $0 { elements } else { nil } }
    }

    mutating func text() -> String {
        take { if case .text(let text) = $0 { text } else { nil } }
    }

    mutating func number() -> Int64 {
        take { if case .number(let number) = $0 { number } else { nil } }
    }

    /// Every count is below `StoryLimits.byteCountMax`.
    mutating func count() -> Int { Int(number()) }

    mutating func day() -> Int32 {
        take { if case .day(let day) = $0 { day } else { nil } }
    }

    mutating func seed() -> UInt64 {
        take { if case .seed(let seed) = $0 { seed } else { nil } }
    }

    /// What is shown of a field: one value, or the elements of a set.
    mutating func claim(ofItem item: String, field: String) -> Claim {
        switch next() {
        case .value(let value): .shows(item: item, field: field, value)
        case .elements(let elements): .showsSet(item: item, field: field, elements: elements)
        default: preconditionFailure("a form takes another slot")
        }
    }
}
