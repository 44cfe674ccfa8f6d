/// Relays in made-up stories.
///
/// All of it is drawn from streams of its own: a story without relays is what it was before there were any.
extension StoryMaker {
    /// The relays of the world of a seed.
    static func relays(seed: UInt64, faults: Set<FaultKind>) -> [DeviceTraits] {
        guard !faults.isDisjoint(with: [.relay, .relayLies, .secret]) else { return [] }
        var chance = Chance(seed: seed, "relays")
        let count = chance.pick([1, 1, 1, 2])
        return ["harbor", "depot"].prefix(count).map { DeviceTraits($0, isRelay: true) }
    }

    /// Whether the devices of that world never meet each other.
    static func meetsOnlyAtRelays(seed: UInt64, faults: Set<FaultKind>) -> Bool {
        guard faults.contains(.relay) else { return false }
        var chance = Chance(seed: seed, "meeting at relays only")
        return chance.happens(1, in: 2)
    }

    /// Whether the space of that world is without encryption: then a relay must be honest.
    static func isPlain(seed: UInt64, faults: Set<FaultKind>) -> Bool {
        guard faults.contains(.secret), !faults.contains(.relayLies) else { return false }
        var chance = Chance(seed: seed, "a plain space")
        return chance.happens(1, in: 2)
    }

    /// Somebody changes the secret, or learns it.
    private func secretStep() -> Action? {
        guard weights.faults.contains(.secret), !isPlain else { return nil }
        var chance = Chance(seed: seed, "secret \(number)")
        guard chance.happens(1, in: 8) else { return nil }
        let device = chance.pick(model.devices).name
        return chance.happens(1, in: 3)
            ? .changeSecret(device: device) : .learnSecret(device: device)
    }

    /// What has to do with a relay in place of another step; nil if this one has not.
    mutating func relayStep() -> Action? {
        guard !relays.isEmpty else { return nil }
        if let step = secretStep() { return step }
        var shares = Chance(seed: seed, "share of relays")
        let share = shares.pick([1, 2, 4])
        let own = chance
        chance = Chance(seed: seed, "relay \(number)")
        defer { chance = own }
        guard chance.happens(share, in: 8) else { return nil }
        let relay = chance.pick(relays)
        if stoppedRelays.contains(relay), chance.happens(1, in: 2) {
            stoppedRelays.remove(relay)
            return .open(relay)
        }
        return chance.happens(5, in: 8) ? meeting(at: relay) : mishap(of: relay)
    }

    /// What devices do at a relay in place of meeting each other.
    mutating func instead(of action: Action) -> Action {
        guard meetsOnlyAtRelays, let relay = relays.first else { return action }
        return switch action {
        case .sync(let one, _): .visit(device: one, relay: relay)
        case .startSync(let one, _): .startSync(one, relay)
        case .connect(let one, _): .connect(one, relay)
        case .disconnect(let one, _): .disconnect(one, relay)
        case .cut(let one, _): .cut(one, relay)
        case .cutAfter(let one, _, let bytes): .cutAfter(one, relay, bytes: bytes)
        default: action
        }
    }

    private mutating func meeting(at relay: String) -> Action? {
        guard let place = someone() else { return nil }
        let device = model.devices[place].name
        switch chance.below(8) {
        case 0 where weights.faults.contains(.liveSessions): return .connect(device, relay)
        case 1 where weights.faults.contains(.liveSessions): return .disconnect(device, relay)
        case 2: return .startSync(device, relay)
        default: return .visit(device: device, relay: relay)
        }
    }

    private mutating func mishap(of relay: String) -> Action? {
        guard let place = someone() else { return nil }
        let device = model.devices[place].name
        let faults = weights.faults
        var possible: [Action] = [.settle]
        if faults.contains(.kill) {
            possible += [.crash(relay), .crashAfter(relay, writes: 1 + chance.below(40))]
        }
        if faults.contains(.powerCut) {
            possible += [.losePower(relay), .losePowerAfter(relay, writes: 1 + chance.below(40))]
        }
        if faults.contains(.diskFull) {
            possible.append(.limitDisk(relay, bytes: chance.pick([nil, 0, 4_096, 60_000])))
        }
        if faults.contains(.cut) {
            possible.append(.cutAfter(device, relay, bytes: chance.below(1_500)))
        }
        if faults.contains(.delay) {
            possible.append(.delay(from: device, to: relay, least: 0, most: 2_000))
        }
        if faults.contains(.backup) {
            possible.append(.backUp(relay, name: "relaybackup\(number)"))
            if let backup = relayBackups[relay]?.last {
                possible.append(.restoreBackup(relay, name: backup, .replaced))
            }
        }
        possible += [.close(relay)]
        if chance.happens(1, in: 4) { possible.append(.wipe(relay: relay)) }
        if faults.contains(.relayLies) {
            possible += [.lie(relay: relay, lie(to: device)), .lie(relay: relay, lie(to: device))]
            possible += [.beHonest(relay: relay)]
        }
        let action = chance.pick(possible)
        take(action, of: relay)
        return action
    }

    private mutating func take(_ action: Action, of relay: String) {
        switch action {
        case .crash, .losePower, .close, .crashAfter, .losePowerAfter: stoppedRelays.insert(relay)
        case .backUp(_, let name): relayBackups[relay, default: []].append(name)
        case .wipe, .restoreBackup: stoppedRelays.remove(relay)
        default: return
        }
    }

    private mutating func lie(to device: String) -> RelayLie {
        var own = Chance(seed: seed, "letters kept \(number)")
        if weights.faults.contains(.secret), own.happens(1, in: 6) { return .keepingLetters }
        return chance.pick([
            .withholding, .withholdingFrom(device: device), .repeating, .tampering,
            .swappingRecords, .raisingClocks, .replayingStatements, .swappingStatements,
            .claimingUploads, .claimingReads,
        ])
    }
}
