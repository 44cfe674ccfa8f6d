/// Relays in made-up scenarios.
///
/// All of it is drawn from streams of its own: a scenario without relays is what it was before there were any.
extension ScenarioMaker {
    /// The relays of the world of a seed.
    static func relays(seed: UInt64, faults: Set<FaultKind>) -> [DeviceTraits] {
        let needing: Set<FaultKind> = [
            .relay, .relayLies, .secret, .readers, .rivalSecrets, .badVersions,
        ]
        if faults.contains(.database) { return relaysOnDatabase(seed: seed, faults: faults) }
        guard !faults.isDisjoint(with: needing) else { return [] }
        var chance = Chance(seed: seed, "relays")
        let count = chance.pick([1, 1, 1, 2])
        return ["harbor", "depot"].prefix(count).map { DeviceTraits($0, isRelay: true) }
    }

    /// Whether the devices of that world never meet each other.
    static func meetsOnlyAtRelays(seed: UInt64, faults: Set<FaultKind>) -> Bool {
        guard faults.contains(.relay) || faults.contains(.database) else { return false }
        var chance = Chance(seed: seed, "meeting at relays only")
        return chance.happens(1, in: 2)
    }

    /// Whether the space of that world is without encryption: then a relay must be honest.
    static func isPlain(seed: UInt64, faults: Set<FaultKind>) -> Bool {
        guard faults.contains(.secret), faults.isDisjoint(with: [.relayLies, .badVersions]) else {
            return false
        }
        var chance = Chance(seed: seed, "a plain space")
        return chance.happens(1, in: 2)
    }

    /// Somebody changes the secret, or learns it.
    private func secretStep() -> ScenarioEvent? {
        guard weights.faults.contains(.secret), !isPlain else { return nil }
        var chance = Chance(seed: seed, "secret \(number)")
        guard chance.happens(1, in: 8) else { return nil }
        let device = chance.pick(model.devices).name
        return chance.happens(1, in: 3)
            ? .secret(.changeSecret(device: device)) : .secret(.learnSecret(device: device))
    }

    /// An event at a relay of a kind that few worlds have; nil if this step has none.
    private func rareStep() -> ScenarioEvent? {
        if weights.faults.contains(.rivalSecrets), !isPlain {
            var chance = Chance(seed: seed, "rival \(number)")
            if chance.happens(1, in: 16) {
                return .secret(.changeSecretUnaware(device: chance.pick(model.devices).name))
            }
            var distant = Chance(seed: seed, "distant secret \(number)")
            if distant.happens(1, in: 24) {
                return .secret(.leaveDistantSecret(device: distant.pick(model.devices).name))
            }
        }
        if weights.faults.contains(.readers) {
            var chance = Chance(seed: seed, "reader \(number)")
            if chance.happens(1, in: 12) {
                let device = chance.pick(model.devices).name
                return .relay(.visitAsReader(device: device, relay: chance.pick(relays)))
            }
        }
        if weights.faults.contains(.badVersions) {
            var chance = Chance(seed: seed, "bad version \(number)")
            if chance.happens(1, in: 12) {
                let (relay, item) = (chance.pick(relays), chance.pick(weights.items))
                return .relay(
                    chance.pick([
                        .damage(relay: relay, item: item), .forge(relay: relay, item: item),
                        .forgeLater(relay: relay, item: item),
                    ]))
            }
        }
        return nil
    }

    /// An event of a relay in place of another step; nil if this one has none.
    mutating func relayStep() -> ScenarioEvent? {
        guard !relays.isEmpty else { return nil }
        if let step = databaseStep() ?? rareStep() ?? secretStep() { return step }
        var shares = Chance(seed: seed, "share of relays")
        let share = shares.pick([1, 2, 4])
        let own = chance
        chance = Chance(seed: seed, "relay \(number)")
        defer { chance = own }
        guard chance.happens(share, in: 8) else { return nil }
        let relay = chance.pick(relays)
        if stoppedRelays.contains(relay), chance.happens(1, in: 2) {
            stoppedRelays.remove(relay)
            return .machine(.open(relay))
        }
        return chance.happens(5, in: 8) ? meeting(at: relay) : mishap(of: relay)
    }

    /// The event at a relay in place of one between devices.
    mutating func instead(of event: ScenarioEvent) -> ScenarioEvent {
        guard meetsOnlyAtRelays, let first = relays.first, let device = event.devices.first else {
            return event
        }
        let relay = relay(known: device, insteadOf: first)
        return switch event {
        case .meeting(.sync(let one, _)): .relay(.visit(device: one, relay: relay))
        case .meeting(.startSync(let one, _)): .meeting(.startSync(one, relay))
        case .meeting(.connect(let one, _)): .meeting(.connect(one, relay))
        case .meeting(.disconnect(let one, _)): .meeting(.disconnect(one, relay))
        case .link(.cut(let one, _)): .link(.cut(one, relay))
        case .link(.cutAfter(let one, _, let bytes)): .link(.cutAfter(one, relay, bytes: bytes))
        default: event
        }
    }

    private mutating func meeting(at relay: String) -> ScenarioEvent? {
        guard let index = someone() else { return nil }
        let device = model.devices[index].name
        let relay = self.relay(known: device, insteadOf: relay)
        switch chance.below(8) {
        case 0 where weights.faults.contains(.liveSessions) || hasDatabase:
            return .meeting(.connect(device, relay))
        case 1 where weights.faults.contains(.liveSessions):
            return .meeting(.disconnect(device, relay))
        case 2: return .meeting(.startSync(device, relay))
        default: return .relay(.visit(device: device, relay: relay))
        }
    }

    private mutating func mishap(of relay: String) -> ScenarioEvent? {
        guard let index = someone() else { return nil }
        let device = model.devices[index].name
        let faults = weights.faults
        var possible: [ScenarioEvent] = [.meeting(.settle)]
        let isShared = sharedRelays.contains(relay)
        if faults.contains(.kill) {
            possible += [
                .machine(.crash(relay)),
                .machine(.crashAfter(relay, writes: 1 + chance.below(40))),
            ]
        }
        if faults.contains(.powerCut), !isShared {
            possible += [
                .machine(.losePower(relay)),
                .machine(.losePowerAfter(relay, writes: 1 + chance.below(40))),
            ]
        }
        if faults.contains(.diskFull), !isShared {
            possible.append(.disk(.limitDisk(relay, bytes: chance.pick([nil, 0, 4_096, 60_000]))))
        }
        if faults.contains(.cut) {
            possible.append(.link(.cutAfter(device, relay, bytes: chance.below(1_500))))
        }
        if faults.contains(.delay) {
            possible.append(.link(.delay(from: device, to: relay, least: 0, most: 2_000)))
        }
        if faults.contains(.backup) {
            possible.append(.machine(.backUp(relay, name: "relaybackup\(number)")))
            if let backup = relayBackups[relay]?.last {
                possible.append(.machine(.restoreBackup(relay, name: backup, .replaced)))
            }
        }
        possible += [.machine(.close(relay))]
        if chance.happens(1, in: 4) { possible.append(.relay(.wipe(relay: relay))) }
        if faults.contains(.relayLies) {
            possible += [
                .byzantine(.lie(relay: relay, lie(to: device))),
                .byzantine(.lie(relay: relay, lie(to: device))),
            ]
            possible += [.byzantine(.beHonest(relay: relay))]
        }
        let event = chance.pick(possible)
        apply(event, of: relay)
        return event
    }

    private mutating func apply(_ event: ScenarioEvent, of relay: String) {
        switch event {
        case .machine(.backUp(_, let name)): relayBackups[relay, default: []].append(name)
        case .machine(.restoreBackup), .relay(.wipe): stoppedRelays.remove(relay)
        case .machine: stoppedRelays.insert(relay)
        default: return
        }
    }
}
