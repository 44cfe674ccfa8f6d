/// A claim that must be true on some devices at this point of a scenario.
package struct Expectation: Hashable, Sendable {
    /// The devices that it is about; nil for every device with a running program.
    package var subjects: [String]?
    /// The claim that must be true of each.
    package var claim: Claim

    /// An expectation.
    package init(_ subjects: [String]?, _ claim: Claim) {
        self.subjects = subjects
        self.claim = claim
    }
}

/// A claim about a device; `laptop`, `laptop and phone` or `everyone` comes before each.
package enum Claim: Hashable, Sendable {
    /// `shows milk title "Oat milk"`: the visible value.
    case shows(item: String, field: String, Literal)
    /// `shows milk title "Oat milk" or "Soy milk"`: one of them is the visible value.
    case showsOneOf(item: String, field: String, [Literal])
    /// `shows milk tags shop, food`: exactly these elements, sorted; `shows milk tags empty`.
    case showsSet(item: String, field: String, elements: [String])
    /// `has milk alive`, `deleted`, `purged`, `missing`.
    case holds(item: String, ItemState)
    /// `has a conflict on milk title between "Oat milk" and "Soy milk"`; nil without `between`.
    /// The field `deleted` is the conflict of a delete against an edit, `wasDeleted`; `purged` that of a purge
    /// against an edit, `editedAfterPurge`.
    case conflict(item: String, field: String, among: [Literal]?)
    /// `has no conflict on milk`.
    case noConflict(item: String)
    /// `has no conflict on milk title`: another field may have one.
    case noFieldConflict(item: String, field: String)
    /// `wrote nothing`: its last step made no write.
    case wroteNothing
    /// `has 2 conflicts`, `has no conflicts`.
    case conflictCount(Int)
    /// `lists 3 items`: those that are alive.
    case itemCount(Int)
    /// `has 1 item in the trash`.
    case trashCount(Int)
    /// `has 1 change deferred`.
    case deferredCount(Int)
    /// `has had 2 identities`: replica ids, the present one included.
    case identityCount(Int)
    /// `holds 2 versions of milk`: a relay, in the space of the scenario.
    case versionCount(item: String, Int)
    /// `has deletes held`, `has no deletes held`.
    case deletesHeld(Bool)
    /// `agrees`: the same records byte for byte, the same digest, the same knowledge.
    case agrees
    /// `knows all of phone`: every write that phone has integrated.
    case knows(String)
    /// `sent 0 changes in the last session`, of whichever session it took part in.
    case lastSessionChangeCount(Int)
    /// `exchanged at most 300 bytes in the last session`, both ways together.
    case lastSessionByteCountMax(Int)
}

/// How a device holds an item.
package enum ItemState: String, Hashable, Sendable, CaseIterable {
    /// Listed.
    case alive
    /// In the trash.
    case deleted
    /// Only the mark of a purge is left.
    case purged
    /// Not known.
    case missing
}

extension EventKind {
    static let expect = EventKind("expect")
}

extension Expectation: EventFamily {
    static let kinds: [EventKind] = [.expect]

    var kind: EventKind { .expect }

    var event: ScenarioEvent { .expect(self) }

    static let forms: [ScenarioForm] = [
        form(
            "expect WHO CLAIM", "What must be true of each of these devices now.",
            #"expect laptop and phone show milk title "Oat milk""#
        ) { Expectation($0.names(), $0.claim()) }
    ]

    var words: String {
        let isOne = subjects.map { $0.count == 1 } ?? true
        let who = subjects.map { ScenarioWriter.list($0) } ?? "everyone"
        return "expect \(who) " + claim.words(isOne: isOne)
    }

    var devices: [String] {
        if case .knows(let other) = claim { return (subjects ?? []) + [other] }
        return subjects ?? []
    }

    var subject: String? { nil }
    var selfMet: String? { nil }
    var items: [String] { claim.items }

    var relay: String? {
        if case .versionCount = claim { subjects?.first } else { nil }
    }

    func unfitRelay(_ named: String, among relays: Set<String>) -> (name: String, hint: String)? {
        if case .versionCount = claim { return nil }
        return (named, "of a relay, expect that it `holds 2 versions of milk`")
    }

    func apply(to world: World, isElsewhere: Bool) throws { try world.expect(self) }
}

extension Claim {
    /// The items that are named.
    package var items: [String] {
        switch self {
        case .shows(let item, _, _), .showsSet(let item, _, _), .holds(let item, _),
            .conflict(let item, _, _), .noConflict(let item), .versionCount(let item, _),
            .showsOneOf(let item, _, _), .noFieldConflict(let item, _):
            [item]
        default: []
        }
    }

    /// The forms of claims, in the order of the manual.
    static let claims: [ScenarioForm] = [
        .claim(
            "shows|show ITEM FIELD SHOWN",
            "The visible value, or one of several with `or`; of a set all elements, or `empty`.",
            #"shows milk title "Oat milk""#
        ) { arguments in
            let item = arguments.name()
            let field = arguments.name()
            return arguments.claim(ofItem: item, field: field)
        },
        state("alive", "It is listed."), state("deleted", "It is in the trash."),
        state("purged", "Only the mark of a purge is left."), state("missing", "It is not known."),
        .claim(
            "has|have a conflict on ITEM FIELD",
            "The field has open versions; `deleted` is that of a delete against an edit, `purged` of a purge.",
            "has a conflict on milk title"
        ) { .conflict(item: $0.name(), field: $0.name(), among: nil) },
        .claim(
            "has|have a conflict on ITEM FIELD between VALUES", "Exactly these versions are open.",
            #"has a conflict on milk title between "Oat milk" and "Soy milk""#
        ) { .conflict(item: $0.name(), field: $0.name(), among: $0.values()) },
        .claim("has|have no conflict on ITEM", "No field of it.", "has no conflict on milk") {
            .noConflict(item: $0.name())
        },
        .claim(
            "has|have no conflict on ITEM FIELD", "Another field may have one.",
            "has no conflict on milk title"
        ) { .noFieldConflict(item: $0.name(), field: $0.name()) },
        .claim("has|have COUNT conflicts|conflict", "So many in all.", "has 2 conflicts") {
            .conflictCount($0.count())
        },
        .claim("has|have no conflicts", "None at all.", "has no conflicts") { _ in
            .conflictCount(0)
        },
        .claim("lists|list COUNT items|item", "So many are alive.", "lists 3 items") {
            .itemCount($0.count())
        },
        .claim("lists|list no items|item", "None is alive.", "lists no items") { _ in
            .itemCount(0)
        },
        .claim(
            "has|have COUNT items|item in the trash", "So many are deleted.",
            "has 1 item in the trash"
        ) { .trashCount($0.count()) },
        .claim("has|have no items|item in the trash", "None is.", "has no items in the trash") {
            _ in
            .trashCount(0)
        },
        .claim(
            "has|have COUNT changes|change deferred", "So many cannot be read yet.",
            "has 1 change deferred"
        ) { .deferredCount($0.count()) },
        .claim("has|have no changes|change deferred", "None is.", "has no changes deferred") {
            _ in
            .deferredCount(0)
        },
        .claim(
            "has|have had COUNT identities|identity", "Replica ids, the present one included.",
            "has had 2 identities"
        ) { .identityCount($0.count()) },
        .claim(
            "holds|hold COUNT versions|version of ITEM",
            "Of a relay: so many versions that nobody has merged.", "holds 2 versions of milk"
        ) {
            let count = $0.count()
            return .versionCount(item: $0.name(), count)
        },
        .claim(
            "has|have deletes held", "Deletes are held until someone confirms them.",
            "has deletes held"
        ) { _ in .deletesHeld(true) },
        .claim("has|have no deletes held", "No deletes are held.", "has no deletes held") { _ in
            .deletesHeld(false)
        },
        .claim("wrote nothing", "The last step of the device made no write.", "wrote nothing") {
            _ in
            .wroteNothing
        },
        .claim(
            "agrees|agree", "The same records byte for byte, the same digest, the same knowledge.",
            "agrees"
        ) { _ in .agrees },
        .claim(
            "knows|know all of DEVICE", "Every write that the device has integrated.",
            "knows all of phone"
        ) { .knows($0.name()) },
        .claim(
            "sent COUNT changes|change in the last session",
            "Of whichever session it took part in.",
            "sent 0 changes in the last session"
        ) { .lastSessionChangeCount($0.count()) },
        .claim(
            "exchanged at most BYTES bytes|byte in the last session", "Both ways together.",
            "exchanged at most 300 bytes in the last session"
        ) { .lastSessionByteCountMax($0.count()) },
    ]

    private static func state(_ word: String, _ meaning: String) -> ScenarioForm {
        .claim("has|have ITEM \(word)", meaning, "has milk \(word)") {
            .holds(item: $0.name(), ItemState(rawValue: word) ?? .missing)
        }
    }

    /// The end of its line.
    func words(isOne: Bool) -> String {
        let has = isOne ? "has" : "have"
        switch self {
        case .shows(let item, let field, let literal):
            return "\(isOne ? "shows" : "show") \(item) \(field) \(ScenarioWriter.value(literal))"
        case .showsOneOf(let item, let field, let literals):
            return "\(isOne ? "shows" : "show") \(item) \(field) "
                + literals.map { ScenarioWriter.value($0) }.joined(separator: " or ")
        case .showsSet(let item, let field, let elements):
            let shown = Self.elements(elements, isSet: ScenarioField.isSet(field))
            return "\(isOne ? "shows" : "show") \(item) \(field) \(shown)"
        case .holds(let item, let state): return "\(has) \(item) \(state.rawValue)"
        case .conflict(let item, let field, nil): return "\(has) a conflict on \(item) \(field)"
        case .conflict(let item, let field, let values?):
            return "\(has) a conflict on \(item) \(field) between "
                + ScenarioWriter.list(values.map { ScenarioWriter.value($0) })
        case .noConflict(let item): return "\(has) no conflict on \(item)"
        case .noFieldConflict(let item, let field):
            return "\(has) no conflict on \(item) \(field)"
        case .wroteNothing: return "wrote nothing"
        case .conflictCount(0): return "\(has) no conflicts"
        case .conflictCount(let number):
            return "\(has) " + Counted.words(number, "conflict")
        case .itemCount(let number):
            return "\(isOne ? "lists" : "list") " + Counted.words(number, "item")
        case .trashCount(let number):
            return "\(has) " + Counted.words(number, "item") + " in the trash"
        case .deferredCount(let number):
            return "\(has) " + Counted.words(number, "change") + " deferred"
        case .identityCount(let number):
            return "\(has) had " + Counted.words(number, "identity", "identities")
        case .versionCount(let item, let number):
            return "\(isOne ? "holds" : "hold") " + Counted.words(number, "version")
                + " of \(item)"
        case .deletesHeld(let areHeld): return "\(has) \(areHeld ? "" : "no ")deletes held"
        case .agrees: return isOne ? "agrees" : "agree"
        case .knows(let device): return "\(isOne ? "knows" : "know") all of \(device)"
        case .lastSessionChangeCount(let number):
            return "sent " + Counted.words(number, "change") + " in the last session"
        case .lastSessionByteCountMax(let number):
            return "exchanged at most " + Counted.words(number, "byte") + " in the last session"
        }
    }

    /// `+` tells an element in quotes from a text where the field does not.
    private static func elements(_ elements: [String], isSet: Bool) -> String {
        guard let first = elements.first else { return "empty" }
        let sign = isSet || ScenarioText.isElement(first) ? "" : "+"
        return sign + elements.map { ScenarioWriter.element($0) }.joined(separator: ", ")
    }
}
