/// Something that happens in a world, of one of the families of events; each is one line of the language.
package enum ScenarioEvent: Hashable, Sendable {
    /// An edit of an item.
    case edit(EditEvent)
    /// Something between a device and a client that it serves.
    case client(ClientEvent)
    /// A meeting of devices, or time that passes.
    case meeting(MeetingEvent)
    /// A fault of the network.
    case link(LinkEvent)
    /// A start, an end, a copy or a backup of a machine.
    case machine(MachineEvent)
    /// A fault of a disk.
    case disk(DiskEvent)
    /// An answer to deletes that are held, or a purge of old trash.
    case deletion(DeletionEvent)
    /// A visit at a relay, or a loss of one.
    case relay(SimulatedRelayEvent)
    /// A change of the space's secret.
    case secret(SecretEvent)
    /// A lie of a relay.
    case byzantine(ByzantineRelayEvent)
    /// A fault of relays that share a database.
    case database(DatabaseEvent)
    /// A fault of a clock.
    case clock(ClockEvent)
    /// An event of newer versions.
    case version(VersionEvent)
    /// An attack by a stranger.
    case stranger(StrangerEvent)
    /// `expect …`.
    case expect(Expectation)

    /// The families by the topics of the manual, in the order of both.
    static let topics: [(title: String, families: [any EventFamily.Type])] = [
        ("People", [EditEvent.self]),
        ("Meetings", [MeetingEvent.self]),
        ("Network", [LinkEvent.self]),
        ("Machines", [MachineEvent.self, DiskEvent.self, DeletionEvent.self]),
        ("Relays", [SimulatedRelayEvent.self, SecretEvent.self, ByzantineRelayEvent.self]),
        ("Relays on a database", [DatabaseEvent.self]),
        ("Clocks", [ClockEvent.self]),
        ("Versions and strangers", [VersionEvent.self, StrangerEvent.self]),
        ("Clients", [ClientEvent.self]),
        ("Expectations", [Expectation.self]),
    ]

    /// All families.
    static let families = topics.flatMap(\.families)

    /// The event as one of its family.
    var family: any EventFamily {
        switch self {
        case .edit(let event): event
        case .client(let event): event
        case .meeting(let event): event
        case .link(let event): event
        case .machine(let event): event
        case .disk(let event): event
        case .deletion(let event): event
        case .relay(let event): event
        case .secret(let event): event
        case .byzantine(let event): event
        case .database(let event): event
        case .clock(let event): event
        case .version(let event): event
        case .stranger(let event): event
        case .expect(let event): event
        }
    }

    /// Draws an event of a kind; nil if none makes sense now.
    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent? {
        families.first { $0.kinds.contains(kind) }?.draw(kind, by: &maker)
    }

    /// Its kind.
    package var kind: EventKind { family.kind }

    /// The devices that are named, those that come into the world by it included.
    package var devices: [String] { family.devices }

    /// The items that are named.
    package var items: [String] { family.items }

    /// The relay that is named where only a device can be, and what to write; nil if there is none.
    func unfitRelay(among relays: Set<String>) -> (name: String, hint: String)? {
        guard let named = devices.first(where: relays.contains) else { return nil }
        return family.unfitRelay(named, among: relays)
    }

    /// The same about another item.
    func renamingItem(_ old: String, to new: String) -> ScenarioEvent {
        family.renamingItem(old, to: new).event
    }

    /// The part of it that is left if only these names are known; nil if none is.
    func keeping(_ known: inout KnownNames) -> ScenarioEvent? {
        family.keeping(&known)?.event
    }
}

extension Step {
    /// The fault that it is, if it is one.
    package var fault: FaultKind? {
        event.family.fault ?? (isElsewhere ? .otherProcess : nil)
    }
}
