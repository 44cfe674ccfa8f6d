import Core
import Relay
import Session
import Storage

/// A visit at a relay, or what befalls its disk; each case is one line of the language, given with it.
package enum SimulatedRelayEvent: Hashable, Sendable {
    /// `laptop visits harbor`: one whole session with a relay.
    case visit(device: String, relay: String)
    /// `laptop visits harbor as a reader`: the same, but it leaves nothing there.
    case visitAsReader(device: String, relay: String)
    /// `harbor is wiped`: all that the relay kept is gone, and it begins anew.
    case wipe(relay: String)
    /// `harbor damages milk`: a bit of the item's newest version on its disk is another.
    case damage(relay: String, item: String)
    /// `harbor is given a forged milk`: a member of the space uploads a version that nobody can open, with the clock of the
    /// one that is there.
    case forge(relay: String, item: String)
    /// `harbor is given a later forged milk`: the same, with a clock that includes that one.
    case forgeLater(relay: String, item: String)
    /// `harbor loses all of milk`: all versions of the item on its disk are gone, and it does not know of it.
    case lose(relay: String, item: String)
    /// `harbor is given a false statement of phone about laptop`: a member states in phone's name that it has writes of
    /// laptop which nobody made.
    case stateFalsely(relay: String, speaker: String, author: String)
}

extension EventKind {
    // Drawn by the worlds that have relays, from streams of their own.
    static let visit = EventKind("visit", fault: .relay)
    static let wipe = EventKind("wipe", fault: .relay)
    static let damageVersion = EventKind("damageVersion", fault: .badVersions)
    static let forgeVersion = EventKind("forgeVersion", fault: .badVersions)
    static let visitAsReader = EventKind("visitAsReader", fault: .readers)
}

extension SimulatedRelayEvent: EventFamily {
    static let kinds: [EventKind] = [
        .visit, .wipe, .damageVersion, .forgeVersion, .visitAsReader,
    ]

    var kind: EventKind {
        switch self {
        case .visit: .visit
        case .visitAsReader: .visitAsReader
        case .wipe: .wipe
        // The last two are in written scenarios alone: random worlds draw neither.
        case .damage, .lose: .damageVersion
        case .forge, .forgeLater, .stateFalsely: .forgeVersion
        }
    }

    var event: ScenarioEvent { .relay(self) }

    static let forms: [ScenarioForm] = [
        form("DEVICE visits RELAY", "A whole session with a relay.", "laptop visits harbor") {
            .visit(device: $0.name(), relay: $0.name())
        },
        form(
            "DEVICE visits RELAY as a reader",
            "It takes what is there and leaves nothing; deletes that are held are set aside.",
            "laptop visits harbor as a reader"
        ) { .visitAsReader(device: $0.name(), relay: $0.name()) },
        form(
            "RELAY is wiped", "All that it kept is gone, and it begins anew.", "harbor is wiped"
        ) { .wipe(relay: $0.name()) },
        form(
            "RELAY damages ITEM", "A bit of the newest version on its disk is another.",
            "harbor damages milk"
        ) { .damage(relay: $0.name(), item: $0.name()) },
        form(
            "RELAY is given a forged ITEM",
            "A member uploads what nobody can open, with the clock of the version there.",
            "harbor is given a forged milk"
        ) { .forge(relay: $0.name(), item: $0.name()) },
        form(
            "RELAY is given a later forged ITEM", "The same, with a clock that includes that one.",
            "harbor is given a later forged milk"
        ) { .forgeLater(relay: $0.name(), item: $0.name()) },
        form(
            "RELAY loses all of ITEM", "Its versions are gone, and it does not know of it.",
            "harbor loses all of milk"
        ) { .lose(relay: $0.name(), item: $0.name()) },
        form(
            "RELAY is given a false statement of DEVICE about DEVICE",
            "A member states, in the name of the first, writes of the second that nobody made.",
            "harbor is given a false statement of phone about laptop"
        ) { .stateFalsely(relay: $0.name(), speaker: $0.name(), author: $0.name()) },
    ]

    var words: String {
        switch self {
        case .visit(let device, let relay): "\(device) visits \(relay)"
        case .visitAsReader(let device, let relay): "\(device) visits \(relay) as a reader"
        case .wipe(let relay): "\(relay) is wiped"
        case .damage(let relay, let item): "\(relay) damages \(item)"
        case .forge(let relay, let item): "\(relay) is given a forged \(item)"
        case .forgeLater(let relay, let item): "\(relay) is given a later forged \(item)"
        case .lose(let relay, let item): "\(relay) loses all of \(item)"
        case .stateFalsely(let relay, let speaker, let author):
            "\(relay) is given a false statement of \(speaker) about \(author)"
        }
    }

    var devices: [String] {
        switch self {
        case .visit(let device, let relay), .visitAsReader(let device, let relay): [device, relay]
        case .wipe(let relay), .damage(let relay, _), .forge(let relay, _),
            .forgeLater(let relay, _), .lose(let relay, _):
            [relay]
        case .stateFalsely(let relay, let speaker, let author): [relay, speaker, author]
        }
    }

    var items: [String] {
        switch self {
        case .visit, .visitAsReader, .wipe, .stateFalsely: []
        case .damage(_, let item), .forge(_, let item), .forgeLater(_, let item),
            .lose(_, let item):
            [item]
        }
    }

    var relay: String? {
        switch self {
        case .visit(_, let relay), .visitAsReader(_, let relay), .wipe(let relay),
            .damage(let relay, _), .forge(let relay, _),
            .forgeLater(let relay, _), .lose(let relay, _), .stateFalsely(let relay, _, _):
            relay
        }
    }

    func renamingItem(_ old: String, to new: String) -> Self {
        switch self {
        case .damage(let relay, old): .damage(relay: relay, item: new)
        case .forge(let relay, old): .forge(relay: relay, item: new)
        case .forgeLater(let relay, old): .forgeLater(relay: relay, item: new)
        case .lose(let relay, old): .lose(relay: relay, item: new)
        default: self
        }
    }

    func unfitRelay(_ named: String, among relays: Set<String>) -> (name: String, hint: String)? {
        switch self {
        case .visit(let device, _), .visitAsReader(let device, _):
            relays.contains(device) ? (device, "here comes the name of a device") : nil
        case .stateFalsely(_, let speaker, let author):
            [speaker, author].first(where: relays.contains).map {
                ($0, "here comes the name of a device")
            }
        default: nil
        }
    }

    var simpler: [ScenarioEvent] {
        switch self {
        case .visitAsReader(let device, let relay): [.relay(.visit(device: device, relay: relay))]
        case .forgeLater(let relay, let item): [.relay(.forge(relay: relay, item: item))]
        case .forge(let relay, let item): [.relay(.damage(relay: relay, item: item))]
        case .visit, .wipe, .damage, .lose, .stateFalsely: []
        }
    }

    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .visit(let name, let relay): try world.visit(name, relay)
        case .visitAsReader(let name, let relay): try world.visitAsReader(name, relay)
        case .wipe(let name): try world.wipe(world.device(name))
        case .damage(let name, let item): try world.damage(item, at: world.device(name))
        case .forge(let name, let item):
            try world.forge(item, at: world.device(name), isLater: false)
        case .forgeLater(let name, let item):
            try world.forge(item, at: world.device(name), isLater: true)
        case .lose(let name, let item): try world.lose(item, at: world.device(name))
        case .stateFalsely(let name, let speaker, let author):
            try world.stateFalsely(
                by: world.device(speaker), about: world.device(author), at: world.device(name))
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
            try proceed(until: now + WorldLimits.sessionMillisecondsMax, { self.isOver(link) })
        else { throw Violation(.stuck, "the visit of \(name) at \(relay) waits for ever") }
        try refuse(link)
    }

    /// One whole session of a device with a relay, in which it leaves nothing there.
    fileprivate func visitAsReader(_ name: String, _ relay: String) throws {
        let (caller, relayHost) = (try device(name), try device(relay))
        _ = try self.relay(relayHost)
        // Uploads of others may be on their way to the disk of the relay.
        let isAlone =
            relayHost.relay?.isCommitDue == false && relayHost.traits.database == nil
            && !linksInOrder.contains { other in
                other.ends.contains { $0.deviceIndex == relayHost.index }
            }
        let before = try reached(at: relayHost)
        caller.hasBeenReader = true
        let link = try connect(caller, relayHost, isLive: false, isReading: true)
        guard
            try proceed(until: now + WorldLimits.sessionMillisecondsMax, { self.isOver(link) })
        else { throw Violation(.stuck, "the visit of \(name) at \(relay) waits for ever") }
        count("visits of readers")
        let after = try reached(at: relayHost)
        if isAlone, let before, let after, before != after {
            throw Violation(.unsound, "\(name) has left something at \(relay), as a reader")
        }
        try refuse(link)
    }

    /// The store that a relay has of the scenario's space, and how much has arrived there; nil if it has none or cannot say.
    private func reached(at device: SimulatedDevice) throws -> [UInt64]? {
        var found: [UInt64]?
        try looking(at: device) {
            found = try device.relay?.node?.store(of: Self.space).map {
                [UInt64(truncatingIfNeeded: $0.key.relay.value), $0.sequence]
            }
        }
        return found
    }

    /// All that the relay kept is gone.
    func wipe(_ device: SimulatedDevice) throws {
        let relay = try relay(device)
        if let name = device.traits.database {
            database(name).empty()
            forgetLost(database(name), "the database is emptied")
            count("wiped relays")
            return try startRelay(device)
        }
        if relay.node != nil { dieRelay(device, isPowerCut: false) }
        device.disk.restore(relay.blank, .replaced)
        relay.held = [:]
        relay.rekeyMessages = [:]
        tell(device.index, .befell("is wiped"))
        count("wiped relays")
        try startRelay(device)
    }

    /// A bit of the newest version of an item on a relay's disk is another.
    func damage(_ item: String, at device: SimulatedDevice) throws {
        let relay = try relay(device)
        try changeFile(of: device, about: item, "damages \(item)") { file, newest in
            var body = newest.body
            // Counted up by another number each time, so that a second damage does not heal the first, nor is the same: who
            // remembers that names it no more (Protocol/12-Threats.md, damage versions).
            relay.wrongBitCount += 1
            body[body.count / 2] &+= UInt8(1 + (relay.wrongBitCount - 1) % 255)
            let path = SQLiteRelaySpace.path(of: Self.space, in: SimulatedRelay.folder)
            let connection = try Connection(
                path: path, on: device.disk, creates: false, busyMilliseconds: 0)
            let row = try connection.statement(
                "UPDATE version SET body = ? WHERE sequence = (SELECT max(sequence) FROM version WHERE id = ?)"
            )
            row.bind(1, body)
            row.bind(2, identifier: newest.name.id.value)
            try row.run()
            connection.close()
        }
    }

    /// A member of the space uploads a version of an item that nobody can open.
    func forge(_ item: String, at device: SimulatedDevice, isLater: Bool) throws {
        try changeFile(of: device, about: item, "is given a forged \(item)") { file, newest in
            var clock = newest.clock
            if isLater, let last = clock.entries.last {
                clock.set(last.counter + 1, of: last.replica)
            }
            let forged = Change(
                newest.name, clock: clock, body: [UInt8](repeating: 0xff, count: 80))
            try file.transact { () throws(StoreFault) in
                _ = try file.put(forged, limits: RelayLimits())
            }
        }
    }

    /// All versions of an item on a relay's disk are gone, and it does not know of it.
    func lose(_ item: String, at device: SimulatedDevice) throws {
        // What devices say of it is true of what it had.
        try relay(device).hasLied = true
        try changeFile(of: device, about: item, "loses all of \(item)") { file, newest in
            let path = SQLiteRelaySpace.path(of: Self.space, in: SimulatedRelay.folder)
            let connection = try Connection(
                path: path, on: device.disk, creates: false, busyMilliseconds: 0)
            let row = try connection.statement("DELETE FROM version WHERE id = ?")
            row.bind(1, identifier: newest.name.id.value)
            try row.run()
            connection.close()
        }
        try relay(device).held = [:]
    }

    /// A member states in a device's name that it has writes of another which nobody made.
    func stateFalsely(
        by speaker: SimulatedDevice, about author: SimulatedDevice, at device: SimulatedDevice
    ) throws {
        guard let speaker = speaker.store?.replica, let author = author.store else {
            throw Refused(.missing, "one of them does not run")
        }
        let relay = try relay(device)
        relay.hasLied = true
        var seal: KeyedSeal?
        try looking(at: device) {
            guard let view = try relay.node?.store(of: Self.space) else { return }
            seal = KeyedSeal(space: view.key.space, secret(of: view))
        }
        guard let seal else { throw Refused(.missing, "\(device.name) has no such space") }
        let counter = try author.summary().counter + 1000
        let key = SummaryRow.Key(speaker, about: author.replica)
        let entry = StateSummaryEntry(
            replica: author.replica, counter: counter, checksum: 1, seen: counter)
        let content = SummaryRowContent.entry(entry, nil).bytes
        let sealed = seal.seal(content, ofRow: key, numbered: counter)
        try changeFile(of: device, "is given a false statement") { file in
            try file.transact { () throws(StoreFault) in
                _ = try file.put(
                    SummaryRow(key, number: counter, bytes: sealed), limits: RelayLimits())
            }
        }
    }

    /// Changes the file of the scenario's space while the relay does not run.
    ///
    /// - Parameter body: given the newest version of the item.
    private func changeFile(
        of device: SimulatedDevice, about item: String, _ words: String,
        _ body: (SQLiteRelaySpace, Change) throws -> Void
    ) throws {
        let relay = try relay(device)
        guard !scenario.isPlain else {
            throw Refused(.anyReason, "without encryption nobody could tell")
        }
        var last: Change?
        try looking(at: device) {
            guard let view = try relay.node?.store(of: Self.space) else { return }
            last = try view.versions(of: relayName(of: record(item), in: view)).last
        }
        guard let newest = last else {
            throw Refused(.missing, "\(device.name) has no version of \(item)")
        }
        try changeFile(of: device, words) { file in try body(file, newest) }
    }

    private func changeFile(
        of device: SimulatedDevice, _ words: String, _ body: (SQLiteRelaySpace) throws -> Void
    ) throws {
        let relay = try relay(device)
        guard device.traits.database == nil else {
            throw Refused(.anyReason, "\(device.name) has no file of its own")
        }
        try closeRelay(device)
        // A machine that crashes may have it on its disk all the same.
        relay.damageCount += 1
        oracle.allowsUploadingAgain = true
        do {
            guard
                let file = try SQLiteRelaySpace.open(
                    Self.space, in: SimulatedRelay.folder, environment: environment(of: device))
            else { throw Refused(.missing, "\(device.name) has no file of the space") }
            defer { file.close() }
            try body(file)
        } catch let fault as StoreFault {
            try endWithDisk(device)
            guard device.isTroubled, let refused = Refused(fault) else { throw fault }
            try startRelay(device)
            throw refused
        }
        tell(device.index, .befell(words))
        count("damaged and forged versions at relays")
        try startRelay(device)
    }
}
