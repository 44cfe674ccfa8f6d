/// A family of events: its lines, its chance in random worlds, its simpler variants and its effect.
///
/// All of them stand in the family's file. To add an event, add a case to its family: the compiler
/// names the rest of that file, and the tests ask for its form. A new family is also added to
/// `ScenarioEvent`, and a new fault to `FaultKind`.
protocol EventFamily: Hashable, Sendable {
    /// The forms of its lines, in the order of the manual.
    static var forms: [ScenarioForm] { get }
    /// Its kinds, in the order in which random worlds draw them.
    ///
    /// The order and the weights decide what a seed stands for.
    static var kinds: [EventKind] { get }

    /// The event of any family that it is.
    var event: ScenarioEvent { get }
    /// Its kind.
    var kind: EventKind { get }
    /// The fault that it is; nil if it always may happen.
    var fault: FaultKind? { get }

    // MARK: Lines

    /// Its line, without beginning and ending.
    var words: String { get }
    /// The devices that are named, those that come into the world by it included.
    var devices: [String] { get }
    /// The device that does or suffers it; nil if it is not one alone.
    var subject: String? { get }
    /// The items that are named.
    var items: [String] { get }
    /// The device that has to be a relay for this to happen.
    var relay: String? { get }
    /// The device that is named at both ends of what takes two; nil if there is none.
    var selfMet: String? { get }
    /// Whether it is refused rather than failing.
    var isRefusable: Bool { get }
    /// Whether another program on the device can do it as well.
    var canBeElsewhere: Bool { get }
    /// The fault of the line, whatever the scenario; nil if there is none.
    var contradiction: (message: String, hint: String)? { get }

    /// The relay that is named where only a device can be, and what to write; nil if it fits.
    ///
    /// - Parameters:
    ///   - named: the first relay that is named.
    ///   - relays: all relays of the scenario.
    func unfitRelay(_ named: String, among relays: Set<String>) -> (name: String, hint: String)?

    // MARK: Random scenarios

    /// Draws an event of a kind; nil if none makes sense now.
    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent?

    /// Believes that it happened.
    func foresee(in model: inout ScenarioModel)

    // MARK: Shrinking

    /// Simpler events in its place, the simplest first; each has simpler ones in turn, and the chain ends.
    var simpler: [ScenarioEvent] { get }

    /// The same about another item.
    func renamingItem(_ old: String, to new: String) -> Self

    /// The part of it that is left if only these names are known; nil if none is. Adds the names that it makes known.
    func keeping(_ known: inout KnownNames) -> Self?

    // MARK: The world

    /// Carries it out.
    ///
    /// - Parameter isElsewhere: whether another program on the device does it.
    func apply(to world: World, isElsewhere: Bool) throws
}

/// The names that the steps before one have made known.
struct KnownNames {
    var devices: Set<String>
    var backups: Set<String> = []
}

extension EventFamily {
    var fault: FaultKind? { kind.fault }
    var subject: String? { devices.first }
    var items: [String] { [] }
    var relay: String? { nil }
    var selfMet: String? {
        let named = devices
        return named.count == 2 && named[0] == named[1] ? named[0] : nil
    }
    var isRefusable: Bool { false }
    var canBeElsewhere: Bool { false }
    var contradiction: (message: String, hint: String)? { nil }
    var simpler: [ScenarioEvent] { [] }

    func unfitRelay(_ named: String, among relays: Set<String>) -> (name: String, hint: String)? {
        (named, "this is for devices only")
    }

    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent? { nil }

    func foresee(in model: inout ScenarioModel) {}

    func renamingItem(_ old: String, to new: String) -> Self { self }

    func keeping(_ known: inout KnownNames) -> Self? {
        devices.allSatisfy(known.devices.contains) ? self : nil
    }

    /// A form of this family.
    static func form(
        _ pattern: String, _ meaning: String, _ example: String, isProgram: Bool = false,
        _ build: @escaping @Sendable (inout ScenarioArguments) -> Self
    ) -> ScenarioForm {
        ScenarioForm(pattern, meaning, example, isProgram: isProgram) {
            .event(build(&$0).event)
        }
    }
}

/// Numbers below a number, for simpler events.
func smallerNumbers(than number: Int64, least: Int64) -> [Int64] {
    var found: [Int64] = []
    for candidate in [least, number / 8, number / 2, number - 1]
    where candidate >= least && candidate < number && !found.contains(candidate) {
        found.append(candidate)
    }
    return found
}

/// A kind of event: its name, how often random worlds try it, and the faults that it belongs to.
package struct EventKind: Hashable, Sendable {
    /// Its name, which names the stream of its weight as well.
    package let name: String
    /// How often it is tried, beside others; 0 if random scenarios do not draw it by its kind.
    let weight: Int
    /// The fault that it is; nil for what always may happen.
    let fault: FaultKind?
    /// Other faults with which worlds have it, too.
    let otherFaults: Set<FaultKind>
    /// Whether no world does without it.
    let isStaple: Bool

    init(
        _ name: String, weight: Int = 0, fault: FaultKind? = nil,
        otherFaults: Set<FaultKind> = [], isStaple: Bool = false
    ) {
        self.name = name
        self.weight = weight
        self.fault = fault
        self.otherFaults = otherFaults
        self.isStaple = isStaple
    }

    /// Whether it happens in a world with these faults.
    func isAllowed(in faults: Set<FaultKind>) -> Bool {
        guard let fault else { return true }
        return faults.contains(fault) || !faults.isDisjoint(with: otherFaults)
    }

    package static func == (left: EventKind, right: EventKind) -> Bool { left.name == right.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension EventKind: CaseIterable {
    /// The kinds of all families, in the order in which random worlds draw them.
    package static let allCases = ScenarioEvent.families.flatMap { $0.kinds }
}

extension EventKind: Comparable {
    package static func < (left: EventKind, right: EventKind) -> Bool { left.name < right.name }
}
