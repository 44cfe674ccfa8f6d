import Session

/// A visit at a relay, or its loss; each case is one line of the language, given with it.
package enum SimulatedRelayEvent: Hashable, Sendable {
    /// `laptop visits harbor`: one whole session with a relay.
    case visit(device: String, relay: String)
    /// `harbor is wiped`: all that the relay kept is gone, and it begins anew.
    case wipe(relay: String)
}

extension EventKind {
    // Drawn by the worlds that have relays, from streams of their own.
    static let visit = EventKind("visit", fault: .relay)
    static let wipe = EventKind("wipe", fault: .relay)
}

extension SimulatedRelayEvent: EventFamily {
    static let kinds: [EventKind] = [.visit, .wipe]

    var kind: EventKind {
        switch self {
        case .visit: .visit
        case .wipe: .wipe
        }
    }

    var event: ScenarioEvent { .relay(self) }

    static let forms: [ScenarioForm] = [
        form("DEVICE visits RELAY", "A whole session with a relay.", "laptop visits harbor") {
            .visit(device: $0.name(), relay: $0.name())
        },
        form(
            "RELAY is wiped", "All that it kept is gone, and it begins anew.", "harbor is wiped"
        ) { .wipe(relay: $0.name()) },
    ]

    var words: String {
        switch self {
        case .visit(let device, let relay): "\(device) visits \(relay)"
        case .wipe(let relay): "\(relay) is wiped"
        }
    }

    var devices: [String] {
        switch self {
        case .visit(let device, let relay): [device, relay]
        case .wipe(let relay): [relay]
        }
    }

    var relay: String? {
        switch self {
        case .visit(_, let relay), .wipe(let relay): relay
        }
    }

    func unfitRelay(_ named: String, among relays: Set<String>) -> (name: String, hint: String)? {
        guard case .visit(let device, _) = self, relays.contains(device) else { return nil }
        return (device, "here comes the name of a device")
    }

    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .visit(let name, let relay): try world.visit(name, relay)
        case .wipe(let name): try world.wipe(world.device(name))
        }
    }
}

extension World {
    /// One whole session of a device with a relay.
    func visit(_ name: String, _ relay: String) throws {
        let (caller, relayHost) = (try device(name), try device(relay))
        _ = try self.relay(relayHost)
        let link = try connect(caller, relayHost, isLive: false)
        guard
            try proceed(until: now + WorldLimits.sessionMillisecondsMax, { link.isOver })
        else { throw Violation(.stuck, "the visit of \(name) at \(relay) waits for ever") }
        try refuse(link)
    }

    /// All that the relay kept is gone.
    func wipe(_ device: SimulatedDevice) throws {
        let relay = try relay(device)
        if relay.node != nil { dieRelay(device, isPowerCut: false) }
        device.disk.restore(relay.blank, .replaced)
        relay.held = [:]
        relay.rekeyMessages = [:]
        tell(device.index, .befell("is wiped"))
        count("wiped relays")
        try startRelay(device)
    }
}
