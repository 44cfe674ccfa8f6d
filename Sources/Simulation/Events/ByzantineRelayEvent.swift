import Core

/// How relays lie; each case is one line of the language, given with it.
package enum ByzantineRelayEvent: Hashable, Sendable {
    /// See `RelayLie` for the words; lies add up, and open links of the relay break.
    case lie(relay: String, RelayLie)
    /// `harbor is honest again`: no lie is left, and open links of the relay break.
    case beHonest(relay: String)
}

/// A lie of a byzantine relay: it keeps all that it is given as any other, and lies to devices.
package enum RelayLie: Hashable, Sendable {
    /// `harbor withholds every second change`: and passes the state summaries on that vouch for it.
    case withholding
    /// `harbor withholds everything from phone`: changes and state summaries.
    case withholdingFrom(device: String)
    /// `harbor repeats old changes`: whatever it ever got, with what is new.
    case repeating
    /// `harbor tampers with bodies`: a bit of each is another, and of each rekey message.
    case tampering
    /// `harbor swaps records`: bodies and clocks come under ids of other records.
    case swappingRecords
    /// `harbor raises clocks`: each change claims to include writes that nobody made.
    case raisingClocks
    /// `harbor replays old summaries`: each device's first one, in place of its last.
    case replayingSummaries
    /// `harbor swaps summaries`: under the names of other devices.
    case swappingSummaries
    /// `harbor claims to have everything`: acknowledges what it is given, and keeps nothing of it.
    case claimingUploads
    /// `harbor claims to have sent everything`: begins behind what the device has not read.
    case claimingReads
    /// `harbor keeps rekey messages back`: gives none to devices with older secrets, and takes none.
    case keepingRekeyMessages
}

extension EventKind {
    // Drawn by the worlds that have relays, from streams of their own.
    static let lie = EventKind("lie", fault: .relayLies)
    static let beHonest = EventKind("beHonest", fault: .relayLies)
}

extension ByzantineRelayEvent: EventFamily {
    static let kinds: [EventKind] = [.lie, .beHonest]

    var kind: EventKind {
        switch self {
        case .lie: .lie
        case .beHonest: .beHonest
        }
    }

    var event: ScenarioEvent { .byzantine(self) }

    // MARK: Lines

    static let forms: [ScenarioForm] = [
        lie(
            "withholds every second change", "It passes the state summaries on that vouch for it.",
            .withholding),
        form(
            "RELAY withholds everything from DEVICE", "Changes and state summaries.",
            "harbor withholds everything from phone"
        ) { .lie(relay: $0.name(), .withholdingFrom(device: $0.name())) },
        lie("repeats old changes", "Whatever it ever got comes with what is new.", .repeating),
        lie("tampers with bodies", "A bit of each is another.", .tampering),
        lie("swaps records", "Bodies come under ids of other records.", .swappingRecords),
        lie("raises clocks", "Changes claim writes that nobody made.", .raisingClocks),
        lie(
            "replays old summaries", "Each device's first one in place of its last.",
            .replayingSummaries),
        lie("swaps summaries", "They come under other devices' names.", .swappingSummaries),
        lie(
            "claims to have everything", "It acknowledges what it is given and keeps none of it.",
            .claimingUploads),
        lie(
            "claims to have sent everything", "It begins behind what the device has not read.",
            .claimingReads),
        lie(
            "keeps rekey messages back", "Devices with older secrets get none, and none are taken.",
            .keepingRekeyMessages),
        form("RELAY is honest again", "No lie is left.", "harbor is honest again") {
            .beHonest(relay: $0.name())
        },
    ]

    private static func lie(_ words: String, _ meaning: String, _ lie: RelayLie) -> ScenarioForm {
        form("RELAY \(words)", meaning, "harbor \(words)") { .lie(relay: $0.name(), lie) }
    }

    var words: String {
        switch self {
        case .lie(let relay, let lie): "\(relay) " + lie.words
        case .beHonest(let relay): "\(relay) is honest again"
        }
    }

    var devices: [String] {
        switch self {
        case .lie(let relay, .withholdingFrom(let device)): [relay, device]
        case .lie(let relay, _), .beHonest(let relay): [relay]
        }
    }

    var relay: String? {
        switch self {
        case .lie(let relay, _), .beHonest(let relay): relay
        }
    }

    func unfitRelay(_ named: String, among relays: Set<String>) -> (name: String, hint: String)? {
        guard case .lie(_, .withholdingFrom(let device)) = self, relays.contains(device) else {
            return nil
        }
        return (device, "here comes the name of a device")
    }

    // MARK: The world

    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .lie(let name, let lie):
            if case .withholdingFrom(let other) = lie { _ = try world.device(other) }
            try world.setLies(world.device(name)) { if !$0.contains(lie) { $0.append(lie) } }
        case .beHonest(let name): try world.setLies(world.device(name)) { $0 = [] }
        }
    }
}

extension RelayLie {
    /// The words after the relay's name.
    fileprivate var words: String {
        switch self {
        case .withholding: "withholds every second change"
        case .withholdingFrom(let device): "withholds everything from \(device)"
        case .repeating: "repeats old changes"
        case .tampering: "tampers with bodies"
        case .swappingRecords: "swaps records"
        case .raisingClocks: "raises clocks"
        case .replayingSummaries: "replays old summaries"
        case .swappingSummaries: "swaps summaries"
        case .claimingUploads: "claims to have everything"
        case .claimingReads: "claims to have sent everything"
        case .keepingRekeyMessages: "keeps rekey messages back"
        }
    }
}

extension ScenarioMaker {
    /// A lie to a device, drawn for a relay.
    mutating func lie(to device: String) -> RelayLie {
        var own = Chance(seed: seed, "rekey messages kept \(number)")
        if weights.faults.contains(.secret), own.happens(1, in: 6) { return .keepingRekeyMessages }
        return chance.pick([
            .withholding, .withholdingFrom(device: device), .repeating, .tampering,
            .swappingRecords, .raisingClocks, .replayingSummaries, .swappingSummaries,
            .claimingUploads, .claimingReads,
        ])
    }
}

extension World {
    /// The relay lies from now on, or lies no more: whoever is connected has to come again.
    func setLies(_ device: SimulatedDevice, _ change: (inout [RelayLie]) -> Void) throws {
        let relay = try relay(device)
        guard !scenario.isPlain else {
            throw Refused(.missing, "without encryption nothing is promised of a relay that lies")
        }
        change(&relay.lies)
        if !relay.lies.isEmpty { relay.hasLied = true }
        let isMute = relay.lies.contains(.withholding) && relay.lies.contains(.replayingSummaries)
        let isDeaf = relay.lies.contains { if case .withholdingFrom = $0 { true } else { false } }
        if isMute || isDeaf { relay.hasHidden = true }
        for link in linksInOrder where link.ends.contains(where: { $0.deviceIndex == device.index })
        {
            breakDown(link)
        }
        if !relay.lies.isEmpty { count("lies") }
        let words = relay.lies.isEmpty ? "is honest again" : "lies"
        tell(device.index, .befell(words))
        try settle()
    }
}

/// A byzantine relay: it stands between an honest relay and a device on one link, and lies to the device.
///
/// The relay never knows: it gets no acknowledgement of what it has not sent.
struct ByzantineRelay {
    let lies: [RelayLie]
    let relayHost: SimulatedRelay
    /// The device that is lied to.
    let device: String
    private var decoder = FrameDecoder()
    /// How many batches the device was given.
    private var batchCount: UInt64 = 0
    /// Which of these the relay knows nothing of.
    private var forged: [UInt64] = []
    /// How many uploads were acknowledged that the relay has not got.
    private var swallowedCount: UInt64 = 0
    private var passedCount = 0
    private var epoch: EpochID?
    private var chance: Chance

    init(_ lies: [RelayLie], at relayHost: SimulatedRelay, to device: String, _ chance: Chance) {
        self.lies = lies
        self.relayHost = relayHost
        self.device = device
        self.chance = chance
    }

    // MARK: From the device

    /// Messages of the device as the relay gets them, and the answers that the device gets in its place.
    mutating func hear(_ bytes: [UInt8]) -> (passed: [Message], answers: [Message])? {
        decoder.append(bytes)
        var (passed, answers): ([Message], [Message]) = ([], [])
        do throws(WireFault) {
            while let message = try decoder.next() {
                switch message {
                case .relayHello(let relayHello):
                    epoch = relayHello.read?.checkpoint.epoch
                    passed.append(message)
                case .changes, .uploadDone, .unreadable, .part:
                    guard lies.contains(.claimingUploads) else {
                        passed.append(message)
                        continue
                    }
                    if case .part = message { continue }
                    swallowedCount += 1
                    answers.append(.acknowledge(swallowedCount))
                case .acknowledge(let count):
                    let unknown = forged.count { $0 <= count }
                    if forged.contains(count) { continue }
                    passed.append(.acknowledge(count - UInt64(unknown)))
                case .rekeyMessage where lies.contains(.keepingRekeyMessages): continue
                default: passed.append(message)
                }
            }
        } catch {
            return nil
        }
        return (passed, answers)
    }

    // MARK: To the device

    /// The messages that the device gets in the place of one.
    mutating func told(_ message: Message) -> [Message] {
        switch message {
        case .relayHelloReply(var relayHelloReply):
            if lies.contains(.claimingUploads), let known = relayHelloReply.uploaded {
                relayHelloReply.uploaded = Checkpoint(
                    epoch: known.epoch, sequence: known.sequence + 1000)
            }
            if lies.contains(.claimingReads) {
                relayHelloReply.start = Checkpoint(
                    epoch: relayHelloReply.start.epoch, sequence: relayHelloReply.reached)
            }
            return [.relayHelloReply(relayHelloReply)]
        case .rekeyMessage(var rekeyMessage):
            if lies.contains(.keepingRekeyMessages) { return [] }
            if lies.contains(.tampering), !rekeyMessage.bytes.isEmpty {
                rekeyMessage.bytes[chance.below(rekeyMessage.bytes.count)] ^= 1
            }
            return [.rekeyMessage(rekeyMessage)]
        case .changes(var batch):
            batchCount += 1
            batch.changes = falsified(batch.changes)
            return [.changes(batch)]
        case .downloadDone(var downloadDone):
            downloadDone.rows = falsified(downloadDone.rows)
            var messages: [Message] = [.downloadDone(downloadDone)]
            let repeatable =
                lies.contains(.repeating) ? relayHost.repeatable(of: World.space) : []
            if !repeatable.isEmpty, chance.happens(1, in: 2) {
                batchCount += 1
                forged.append(batchCount)
                let old = (0..<3).map { _ in chance.pick(repeatable) }
                messages.insert(.changes(ChangeBatch(changes: old, through: nil)), at: 0)
            }
            return messages
        default: return [message]
        }
    }

    private mutating func falsified(_ changes: [Change]) -> [Change] {
        var changes = changes
        for lie in lies {
            switch lie {
            case .withholding:
                changes = changes.filter { _ in
                    passedCount += 1
                    return passedCount % 2 == 0
                }
            case .withholdingFrom(device): changes = []
            case .repeating: changes += relayHost.repeatable(of: World.space).suffix(2)
            case .tampering:
                changes = changes.map { change in
                    var body = change.body
                    if !body.isEmpty { body[chance.below(body.count)] ^= 1 }
                    return Change(
                        change.name, clock: change.clock, body: body,
                        isDeferred: change.isDeferred)
                }
            case .swappingRecords: changes = swapped(changes)
            case .raisingClocks:
                changes = changes.map { change in
                    var clock = change.clock
                    for entry in clock.entries { clock.set(entry.counter + 5, of: entry.replica) }
                    return Change(
                        change.name, clock: clock, body: change.body,
                        isDeferred: change.isDeferred)
                }
            default: continue
            }
        }
        return changes
    }

    private func swapped(_ changes: [Change]) -> [Change] {
        let names = changes.map(\.name) + relayHost.memory.map(\.name)
        return changes.map { change in
            let other = names.first { $0 != change.name } ?? change.name
            return Change(
                other, clock: change.clock, body: change.body, isDeferred: change.isDeferred)
        }
    }

    private func falsified(_ rows: [SummaryRow]) -> [SummaryRow] {
        var rows = rows
        for lie in lies {
            switch lie {
            case .withholdingFrom(device): rows = []
            case .replayingSummaries:
                rows = rows.map { relayHost.firstRows[$0.key] ?? $0 }
            case .swappingSummaries:
                let bytes = rows.map(\.bytes)
                let others = relayHost.firstRows.values.sorted { $0.key < $1.key }.map(\.bytes)
                for index in rows.indices {
                    let other = (bytes + others).first { $0 != bytes[index] }
                    rows[index].bytes = other ?? bytes[index]
                }
            default: continue
            }
        }
        return rows
    }
}
