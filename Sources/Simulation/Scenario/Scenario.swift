import Core

/// A scenario: devices of one space, and what happens to them, one step after the other.
///
/// Scenarios are read from files, drawn at random, searched exhaustively and made shorter; whatever
/// happens in a world happens because a step of its scenario says so.
package struct Scenario: Hashable, Sendable {
    /// The subject of the scenario, in a line.
    package var title: String
    /// The space's rule for deletes against edits.
    package var policy: DeletePolicy
    /// The seed of all chance in its world.
    package var seed: UInt64
    /// The devices that are there from the beginning.
    package var devices: [DeviceTraits]
    /// Whether devices never meet each other, and only visit relays: `devices meet only at relays`.
    package var meetsOnlyAtRelays: Bool
    /// Whether the space has no secret, so that relays could read all: `nothing is encrypted`.
    package var isPlain: Bool
    /// How many deletes of one session pass every mass-delete guard; nil for as many as usual.
    package var massDeleteGuardCount: Int?
    /// Whether an event that is refused is passed over, foreseen or not: `lenient`.
    package var isLenient: Bool
    /// The steps, in order.
    package var steps: [Step]

    /// The names of those of the devices that are relays.
    package var relays: Set<String> { Set(devices.filter(\.isRelay).map(\.name)) }

    /// A scenario.
    package init(
        title: String = "", policy: DeletePolicy = .deletesWin, seed: UInt64 = 1,
        devices: [DeviceTraits] = [], meetsOnlyAtRelays: Bool = false,
        isPlain: Bool = false, massDeleteGuardCount: Int? = nil, isLenient: Bool = false,
        steps: [Step] = []
    ) {
        self.title = title
        self.policy = policy
        self.seed = seed
        self.devices = devices
        self.meetsOnlyAtRelays = meetsOnlyAtRelays
        self.isPlain = isPlain
        self.massDeleteGuardCount = massDeleteGuardCount
        self.isLenient = isLenient
        self.steps = steps
    }
}

extension Scenario {
    /// Every item that is named, in order of first mention.
    package var items: [String] {
        var found: [String] = []
        var seen: Set<String> = []
        for step in steps {
            for item in step.event.items where seen.insert(item).inserted {
                found.append(item)
            }
        }
        return found
    }

    /// Leaves out what speaks of devices and backups that the scenario does not have by then.
    mutating func dropDangling() {
        var known = KnownNames(devices: Set(devices.map(\.name)))
        if !devices.contains(where: \.isRelay) { meetsOnlyAtRelays = false }
        steps = steps.compactMap { step in
            guard let event = step.event.keeping(&known) else { return nil }
            var step = step
            step.event = event
            return step
        }
    }
}

/// One line of a scenario: what happens, and how it is meant to end.
package struct Step: Hashable, Sendable {
    /// The event.
    package var event: ScenarioEvent
    /// Why it is meant to be refused or to fail; nil if it is meant to go well.
    package var refusal: Refusal?
    /// Whether another program on the same device does it.
    package var isElsewhere: Bool
    /// Where it was read; nil if it was not.
    ///
    /// Without weight when steps are compared.
    package var position: Position?

    /// A step.
    package init(
        _ event: ScenarioEvent, refusal: Refusal? = nil, isElsewhere: Bool = false,
        position: Position? = nil
    ) {
        self.event = event
        self.refusal = refusal
        self.isElsewhere = isElsewhere
        self.position = position
    }

    package static func == (left: Step, right: Step) -> Bool {
        left.event == right.event && left.refusal == right.refusal
            && left.isElsewhere == right.isElsewhere
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(event)
        hasher.combine(refusal)
        hasher.combine(isElsewhere)
    }
}

/// The traits of a device from the beginning.
package struct DeviceTraits: Hashable, Sendable {
    /// Its name in the scenario.
    package var name: String
    /// Whether each of its commits is flushed.
    package var isDurable: Bool
    /// Whether it runs a newer version: with fields and a collection that the others do not know.
    package var isNewer: Bool
    /// Whether it belongs to a space of its own.
    package var isForeign: Bool
    /// Whether it is no device of anybody's, but a relay at which devices meet.
    package var isRelay: Bool
    /// The database that it shares with other relays; nil for a relay that has its store for itself.
    package var database: String?

    /// A device.
    package init(
        _ name: String, isDurable: Bool = false, isNewer: Bool = false, isForeign: Bool = false,
        isRelay: Bool = false, database: String? = nil
    ) {
        self.name = name
        self.isDurable = isDurable
        self.isNewer = isNewer
        self.isForeign = isForeign
        self.isRelay = isRelay
        self.database = database
    }
}

/// A value as a scenario writes it.
package enum Literal: Hashable, Sendable {
    /// `none`.
    case none
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number.
    case number(Int64)
    /// A text in quotes.
    case text(String)
    /// A date, as days since 1970-01-01: `2026-12-01`.
    case day(Int32)
    /// Another item, by its name: `@milk`.
    case item(String)
    /// A kind of value from a newer version: `newer 5`.
    case newer(UInt8)
    /// A text of so many bytes: `long 60000`.
    case long(Int)
    /// A value of any other kind, by the kind's name and the value's text: `number "1.5"`.
    case other(Value)

    /// The kinds whose values are written by the kind's name and their text, as they have no form of their own.
    static let namedKinds = ValueKind.allCases.filter { kind in
        switch kind {
        case .null, .bool, .integer, .text, .day, .reference, .clock, .elided, .unknown: false
        default: true
        }
    }

    /// The value with that text of a kind that is written by its name; nil if there is none.
    init?(kind name: String, text: String) {
        guard let kind = Self.namedKinds.first(where: { $0.rawValue == name }),
            let value = Value(kind, text: text)
        else { return nil }
        self = .other(value)
    }
}
