import Core

/// A form that a line can have: a row of the language's tables.
package struct ScenarioForm: Sendable {
    /// The words of the form; `has|have` are two to choose from, capitals stand for slots.
    let pattern: String
    /// Its meaning, in a sentence.
    package let meaning: String
    /// A line that has this form, or for a claim the end of one.
    package let example: String
    /// Whether another program on the device can do it as well.
    let isProgram: Bool
    /// Makes the meaning of what stands in the slots.
    let build: @Sendable (inout ScenarioArguments) -> ScenarioMeaning

    init(
        _ pattern: String, _ meaning: String, _ example: String, isProgram: Bool = false,
        build: @escaping @Sendable (inout ScenarioArguments) -> ScenarioMeaning
    ) {
        self.pattern = pattern
        self.meaning = meaning
        self.example = example
        self.isProgram = isProgram
        self.build = build
    }

    /// A form of a claim.
    static func claim(
        _ pattern: String, _ meaning: String, _ example: String,
        _ build: @escaping @Sendable (inout ScenarioArguments) -> Claim
    ) -> ScenarioForm {
        ScenarioForm(pattern, meaning, example) { .claim(build(&$0)) }
    }

    /// The form as people read it: `DEVICE creates ITEM SETTINGS`.
    package var words: String {
        pattern.split(separator: " ").map { part in
            if let slot = ScenarioSlot(rawValue: String(part)) { return slot.placeholder }
            return part.split(separator: "|").first.map { String($0) } ?? ""
        }.joined(separator: " ")
    }

    /// The pattern with each choice made in each way.
    var variants: [[Substring]] {
        pattern.split(separator: " ").reduce([[]]) { variants, part in
            let choices = part.split(separator: "|")
            return variants.flatMap { variant in choices.map { variant + [$0] } }
        }
    }
}

/// A position in a form for what differs from line to line, by the name that it has in patterns.
///
/// `!` marks a name that the line makes known.
enum ScenarioSlot: String, Hashable, CaseIterable {
    case device = "DEVICE"
    case newDevice = "DEVICE!"
    case newDevices = "DEVICES!"
    case relay = "RELAY"
    case newRelay = "RELAY!"
    case newRelays = "RELAYS!"
    case database = "DATABASE"
    case traits = "TRAITS"
    case groups = "GROUPS"
    case who = "WHO"
    case claim = "CLAIM"
    case item = "ITEM"
    case newItem = "ITEM!"
    case backup = "BACKUP"
    case newBackup = "BACKUP!"
    case client = "CLIENT"
    case settings = "SETTINGS"
    case field = "FIELD"
    case value = "VALUE"
    case values = "VALUES"
    case shown = "SHOWN"
    case elements = "ELEMENTS"
    case text = "TEXT"
    case count = "COUNT"
    case bytes = "BYTES"
    case span = "SPAN"
    case shift = "SHIFT"
    case drift = "PPM"
    case date = "DATE"
    case seed = "SEED"

    /// Its name in a list of forms.
    var placeholder: String {
        switch self {
        case .shown: ScenarioSlot.value.rawValue
        case .shift: ScenarioSlot.span.rawValue
        case .count, .bytes, .drift, .seed: "NUMBER"
        default: rawValue.filter { $0 != "!" }
        }
    }

    /// As what it is read: which of the devices are relays is looked at once the line is read.
    var reading: ScenarioSlot { self == .relay ? .device : self }

    /// Its contents, in words.
    var description: String {
        switch self {
        case .device: "the name of a device"
        case .newDevice: "a name for a device"
        case .newDevices: "names for devices"
        case .relay: "the name of a relay"
        case .newRelay: "a name for a relay"
        case .newRelays: "names for relays"
        case .database: "the name of a database"
        case .traits: "what the device is like"
        case .groups: "groups of devices"
        case .who: "`everyone` or names of devices"
        case .claim: "what is expected"
        case .item: "the name of an item"
        case .newItem: "a name for an item"
        case .backup: "the name of a backup"
        case .newBackup: "a name for a backup"
        case .client: "the name of a client"
        case .settings: "a field and its value"
        case .field: "the name of a field"
        case .value, .shown: "a value"
        case .values: "values"
        case .elements: "elements of a set"
        case .text: "a text in quotes"
        case .count, .bytes: "a number"
        case .span: "a time such as `5 ms`"
        case .shift: "a time such as `-3 hours`"
        case .drift: "a number"
        case .date: "a date such as `2026-12-01`"
        case .seed: "a number"
        }
    }

    /// Whether what stands there can begin with such a piece.
    func begins(with token: ScenarioToken) -> Bool {
        switch (self, token.kind) {
        case (_, .word("but")): false
        case (.value, _), (.values, _), (.shown, _), (.elements, _), (.claim, _): true
        case (.text, .text): true
        case (.count, .figure), (.bytes, .figure), (.span, .figure), (.shift, .figure): true
        case (.drift, .figure), (.date, .figure), (.seed, .figure): true
        case (.text, _), (.count, _), (.bytes, _), (.span, _), (.shift, _): false
        case (.drift, _), (.date, _), (.seed, _): false
        case (_, .word): true
        default: false
        }
    }
}

/// The value read for a slot.
enum ScenarioArgument {
    case name(String)
    case names([String]?)
    case groups([[String]])
    case traits(DeviceTraits)
    case claim(Claim)
    case settings([Setting])
    case value(Literal)
    case values([Literal])
    case elements([String])
    case text(String)
    case number(Int64)
    case day(Int32)
    case seed(UInt64)
}

/// The values read for the slots of a form, to be taken in their order.
///
/// To take what is not there is a mistake in the table of forms, which every form is tested for.
struct ScenarioArguments {
    private var arguments: [ScenarioArgument] = []
    private var taken = 0

    mutating func append(_ argument: ScenarioArgument) { arguments.append(argument) }

    /// The field that was named last, which says what values fit.
    var lastField: String? {
        if case .name(let name)? = arguments.last { name } else { nil }
    }

    private mutating func next() -> ScenarioArgument {
        defer { taken += 1 }
        return arguments[taken]
    }

    private mutating func nextArgument<Wanted>(_ pick: (ScenarioArgument) -> Wanted?) -> Wanted {
        guard let wanted = pick(next()) else { preconditionFailure("a form takes another slot") }
        return wanted
    }

    mutating func name() -> String {
        nextArgument { if case .name(let name) = $0 { name } else { nil } }
    }

    /// Nil for everyone.
    mutating func names() -> [String]? {
        nextArgument { if case .names(let names) = $0 { .some(names) } else { nil } }
    }

    mutating func groups() -> [[String]] {
        nextArgument { if case .groups(let groups) = $0 { groups } else { nil } }
    }

    mutating func traits() -> DeviceTraits {
        nextArgument { if case .traits(let traits) = $0 { traits } else { nil } }
    }

    mutating func claim() -> Claim {
        nextArgument { if case .claim(let claim) = $0 { claim } else { nil } }
    }

    mutating func settings() -> [Setting] {
        nextArgument { if case .settings(let settings) = $0 { settings } else { nil } }
    }

    mutating func value() -> Literal {
        nextArgument { if case .value(let value) = $0 { value } else { nil } }
    }

    mutating func values() -> [Literal] {
        nextArgument { if case .values(let values) = $0 { values } else { nil } }
    }

    mutating func elements() -> [String] {
        nextArgument { if case .elements(let elements) = $0 { elements } else { nil } }
    }

    mutating func text() -> String {
        nextArgument { if case .text(let text) = $0 { text } else { nil } }
    }

    mutating func number() -> Int64 {
        nextArgument { if case .number(let number) = $0 { number } else { nil } }
    }

    /// Every count is below `ScenarioLimits.byteCountMax`.
    mutating func count() -> Int { Int(number()) }

    mutating func day() -> Int32 {
        nextArgument { if case .day(let day) = $0 { day } else { nil } }
    }

    mutating func seed() -> UInt64 {
        nextArgument { if case .seed(let seed) = $0 { seed } else { nil } }
    }

    /// The visible part of a field: one value, one of several, or the elements of a set.
    mutating func claim(ofItem item: String, field: String) -> Claim {
        switch next() {
        case .value(let value): .shows(item: item, field: field, value)
        case .values(let values): .showsOneOf(item: item, field: field, values)
        case .elements(let elements): .showsSet(item: item, field: field, elements: elements)
        default: preconditionFailure("a form takes another slot")
        }
    }
}

/// The meaning of a line, or of the claim at the end of one.
enum ScenarioMeaning {
    case title(String)
    case policy(DeletePolicy)
    case seed(UInt64)
    case lenient
    case meetingOnlyAtRelays
    case plain
    case massDeleteGuard(Int)
    case devices([DeviceTraits])
    case event(ScenarioEvent)
    case claim(Claim)
}

/// The forms of a table by their common beginnings, so that one glance ahead tells where to go.
struct ScenarioTree {
    struct Node {
        /// The words that can come next, in the order of the table.
        var words: [(word: String, node: Int)] = []
        /// Where each word leads.
        var children: [String: Int] = [:]
        /// The slots that can come next.
        var slots: [(slot: ScenarioSlot, node: Int)] = []
        /// The form that is complete here.
        var form: ScenarioForm?
        /// A form that leads through here.
        var sample: ScenarioForm?
    }

    private(set) var nodes = [Node()]

    init(_ forms: [ScenarioForm]) {
        for form in forms {
            for variant in form.variants { insert(form, variant) }
        }
    }

    private mutating func insert(_ form: ScenarioForm, _ parts: [Substring]) {
        var node = 0
        for part in parts {
            node = child(of: node, String(part))
            if nodes[node].sample == nil { nodes[node].sample = form }
        }
        precondition(nodes[node].form == nil, "two forms are the same: \(form.pattern)")
        nodes[node].form = form
    }

    private mutating func child(of node: Int, _ part: String) -> Int {
        let next = nodes.count
        if let slot = ScenarioSlot(rawValue: part)?.reading {
            if let known = nodes[node].slots.first(where: { $0.slot == slot }) {
                return known.node
            }
            nodes[node].slots.append((slot, next))
        } else {
            if let known = nodes[node].children[part] { return known }
            nodes[node].words.append((part, next))
            nodes[node].children[part] = next
        }
        nodes.append(Node())
        return next
    }
}
