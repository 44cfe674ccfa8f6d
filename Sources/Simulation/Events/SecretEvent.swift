import Core
import Relay
import Session
import Storage

/// A change of the space's secret; each case is one line of the language, given with it.
package enum SecretEvent: Hashable, Sendable {
    /// `laptop changes the secret`: of the space, one generation on; others keep the old one.
    case changeSecret(device: String)
    /// `phone learns the secret`: it has the newest generation now, as by a code.
    case learnSecret(device: String)
    /// `phone changes the secret unaware`: of the secrets that others may have made after the one that it has.
    case changeSecretUnaware(device: String)
    /// `phone leaves a secret far ahead`: for each other device, which is to take none such.
    case leaveDistantSecret(device: String)
}

extension EventKind {
    // Drawn by the worlds that have relays, from streams of their own.
    static let changeSecret = EventKind("changeSecret", fault: .secret)
    static let learnSecret = EventKind("learnSecret", fault: .secret)
    static let changeSecretUnaware = EventKind("changeSecretUnaware", fault: .rivalSecrets)
    static let leaveDistantSecret = EventKind("leaveDistantSecret", fault: .rivalSecrets)
}

extension SecretEvent: EventFamily {
    static let kinds: [EventKind] = [
        .changeSecret, .learnSecret, .changeSecretUnaware, .leaveDistantSecret,
    ]

    var kind: EventKind {
        switch self {
        case .changeSecret: .changeSecret
        case .learnSecret: .learnSecret
        case .changeSecretUnaware: .changeSecretUnaware
        case .leaveDistantSecret: .leaveDistantSecret
        }
    }

    var event: ScenarioEvent { .secret(self) }

    static let forms: [ScenarioForm] = [
        form(
            "DEVICE changes the secret",
            "The space gets a new one, left in an envelope for each other device that is known of.",
            "laptop changes the secret"
        ) { .changeSecret(device: $0.name()) },
        form(
            "DEVICE learns the secret", "The newest one, as from a code.",
            "phone learns the secret"
        ) { .learnSecret(device: $0.name()) },
        form(
            "DEVICE changes the secret unaware",
            "The one that it has, although another device may have changed that already.",
            "phone changes the secret unaware"
        ) { .changeSecretUnaware(device: $0.name()) },
        form(
            "DEVICE leaves a secret far ahead",
            "Of the last generation, in an envelope for each other device: none of them takes it.",
            "phone leaves a secret far ahead"
        ) { .leaveDistantSecret(device: $0.name()) },
    ]

    var words: String {
        switch self {
        case .changeSecret(let device): "\(device) changes the secret"
        case .learnSecret(let device): "\(device) learns the secret"
        case .changeSecretUnaware(let device): "\(device) changes the secret unaware"
        case .leaveDistantSecret(let device): "\(device) leaves a secret far ahead"
        }
    }

    var devices: [String] {
        switch self {
        case .changeSecret(let device), .learnSecret(let device),
            .changeSecretUnaware(let device), .leaveDistantSecret(let device):
            [device]
        }
    }

    var simpler: [ScenarioEvent] {
        guard case .changeSecretUnaware(let device) = self else { return [] }
        return [.secret(.changeSecret(device: device))]
    }

    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .changeSecret(let name): try world.changeSecret(world.device(name))
        case .learnSecret(let name): world.learnSecret(try world.device(name))
        case .changeSecretUnaware(let name): try world.changeSecretUnaware(world.device(name))
        case .leaveDistantSecret(let name): try world.leaveDistantSecret(world.device(name))
        }
    }
}

/// The secret of the space: who has which, how it is passed on, and which relays refuse whom for it.
extension World {
    /// The greatest secret that any device has.
    var newestSecret: KeyedSecret {
        devices.lazy.filter { self.hasSecret($0) && !$0.isDamaged }.map(\.secret).max() ?? .first
    }

    /// The secret that a relay has of a space.
    func secret(of view: RelaySpaceView) -> KeyedSecret {
        secret(view.generation, view.verifier, of: view.key.space)
    }

    /// The secret of a space with a generation and a public key.
    func secret(_ generation: UInt32, _ verifier: [UInt8], of space: SpaceID) -> KeyedSecret {
        KeyedAccess.secret(verifier, of: space, generation) ?? KeyedSecret(generation)
    }

    /// Whether a machine is a device of the space, and that has a secret.
    private func hasSecret(_ device: SimulatedDevice) -> Bool {
        !scenario.isPlain && !device.isRelay && !device.traits.isForeign
    }

    /// The space gets a new secret: an envelope for each device that this one has heard of, itself among them.
    func changeSecret(_ device: SimulatedDevice) throws {
        guard hasSecret(device) else {
            throw Refused(.missing, "there is no secret that \(device.name) could change")
        }
        _ = try store(device)
        try refreshSecret(device)
        guard device.secret == newestSecret else {
            throw Refused(.missing, "\(device.name) has not learned the newest secret")
        }
        try makeSecret(on: device)
    }

    /// The space gets a new secret after the one that a device has, whatever other devices have done meanwhile.
    func changeSecretUnaware(_ device: SimulatedDevice) throws {
        guard hasSecret(device) else {
            throw Refused(.missing, "there is no secret that \(device.name) could change")
        }
        _ = try store(device)
        hasRivalSecrets = true
        try refreshSecret(device)
        try makeSecret(on: device)
    }

    /// Leaves a secret of the last generation for each other device that is known of, as no device does by itself.
    func leaveDistantSecret(_ device: SimulatedDevice) throws {
        guard hasSecret(device) else {
            throw Refused(.missing, "there is no secret that \(device.name) could leave")
        }
        let store = try store(device)
        hasChangedSecret = true
        let own = RecordName(deviceOf: store.replica)
        var writes: [RecordName: [Assignment]] = [:]
        try running(device) { () throws(StoreFault) in
            for stored in try store.deviceRecords()
            where !stored.verdict.isDeleted && stored.name != own {
                writes[stored.name] = [KeyedEnvelope.closing(KeyedSecret(.max))]
            }
        }
        if !writes.isEmpty { try writeSecrets(writes, on: device, store) }
        tell(device.index, .befell("leaves a secret far ahead"))
        count("secrets far ahead")
    }

    /// Makes the next secret after the one that a device has: another one than was made before, unless nobody made any
    /// unaware of others.
    private func nextSecret(of device: SimulatedDevice) -> KeyedSecret {
        let generation = device.secret.generation + 1
        guard hasRivalSecrets else { return KeyedSecret(generation) }
        var chance = Chance(seed: scenario.seed, "rival secret \(device.name) \(eventCount)")
        var secret = KeyedSecret(generation)
        while madeSecrets.contains(secret) {
            secret = KeyedSecret(generation, rank: Int8(truncatingIfNeeded: chance.below(256)))
        }
        return secret
    }

    private func makeSecret(on device: SimulatedDevice) throws {
        let store = try store(device)
        hasChangedSecret = true
        let secret = nextSecret(of: device)
        if madeSecrets.contains(where: { $0.generation == secret.generation && $0 != secret }) {
            count("second secrets of a generation")
        }
        madeSecrets.insert(secret)
        let envelope = KeyedEnvelope.closing(secret)
        var writes: [RecordName: [Assignment]] = [:]
        try running(device) { () throws(StoreFault) in
            for stored in try store.deviceRecords() where !stored.verdict.isDeleted {
                writes[stored.name] = [envelope]
            }
        }
        try writeSecrets(writes, on: device, store)
        try refreshSecret(device)
        tell(device.index, .befell("changes the secret"))
        count("changed secrets")
    }

    /// The secrets that a device shows a relay: an earlier one, with which it signs, and the one that it has.
    ///
    /// A device that has several earlier ones asks the relay which it has.
    ///
    /// A device that reads a relay before it brings the next secret shows the one that the relay has.
    func shownSecrets(
        by device: SimulatedDevice, to relayHost: SimulatedDevice, isReading: Bool
    ) throws -> (former: KeyedSecret, secret: KeyedSecret) {
        var kept: KeyedSecret?
        if hasRivalSecrets || isReading || device.secrets.count > 2 {
            try looking(at: relayHost) {
                kept = try relayHost.relay?.node?.store(of: device.space).map {
                    self.secret(of: $0)
                }
            }
        }
        var secret = device.secret
        if isReading, let kept {
            if device.secrets.contains(kept) {
                secret = kept
            } else if kept < secret {
                throw Refused(
                    .missing, "\(device.name) never had the secret of \(relayHost.name)")
            }
        }
        let formers = device.secrets.filter { $0.generation < secret.generation }
        let former = kept.flatMap { formers.contains($0) ? $0 : nil } ?? formers.max()
        return (former ?? KeyedSecret(max(secret.generation, 1) - 1), secret)
    }

    /// Changes the secret once more if a relay has one that this device knows and does not take.
    ///
    /// Of two of one generation devices take the greater, and a relay the one that it was given first.
    func repairAccess(of device: SimulatedDevice, at relayHost: SimulatedDevice) throws {
        guard hasRivalSecrets, hasSecret(device), let node = relayHost.relay?.node,
            network.isOpen(device.index, relayHost.index),
            network.isOpen(relayHost.index, device.index)
        else { return }
        var kept: KeyedSecret?
        try looking(at: relayHost) {
            kept = try node.store(of: device.space).map { secret(of: $0) }
        }
        guard let kept, device.store != nil, device.secrets.contains(kept),
            kept.generation == device.secret.generation, kept != device.secret
        else { return }
        do {
            try makeSecret(on: device)
            count("secrets changed once more for a relay")
        } catch is Refused {
            count("secrets that could not be passed on")
        }
    }

    /// A device has the newest secret from now on, as from a code.
    func learnSecret(_ device: SimulatedDevice) {
        guard hasSecret(device), device.secret != newestSecret else { return }
        device.secrets.insert(newestSecret)
        tell(device.index, .befell("learns the secret"))
        count("learned secrets")
    }

    /// A device takes what others have left for it, states what it has, and leaves that for those who may not have it.
    ///
    /// Writes that its store refuses are made another time.
    func refreshSecret(_ device: SimulatedDevice) throws {
        guard hasChangedSecret, hasSecret(device), device.space == Self.space, !device.isDamaged,
            let store = device.store
        else { return }
        do {
            var writes: [RecordName: [Assignment]] = [:]
            try running(device) { () throws(StoreFault) in
                writes = try self.receiveSecrets(device, store)
            }
            if writes.isEmpty { return }
            try writeSecrets(writes, on: device, store)
        } catch is Refused {
            count("secrets that could not be passed on")
        }
    }

    /// Takes the envelopes of a device; gives what it has to write.
    private func receiveSecrets(
        _ device: SimulatedDevice, _ store: Store
    ) throws(StoreFault) -> [RecordName: [Assignment]] {
        let mark = SimulatedDevice.RefreshMark(
            replica: store.replica, devices: try store.deviceSequence(), secret: device.secret)
        if device.refreshed == mark { return [:] }
        device.keyedReplicas.insert(store.replica)
        for change in try store.identityChanges() {
            device.keyedReplicas.formUnion([change.old, change.new])
        }
        let records = try store.deviceRecords().filter { !$0.verdict.isDeleted }
        let before = device.secret
        for stored in records
        where device.keyedReplicas.contains(ReplicaID(value: stored.id.value)) {
            device.secrets.formUnion(
                KeyedEnvelope.taken(from: stored.record, knowing: before))
        }
        if device.secret > before {
            tell(device.index, .befell("finds a new secret in an envelope"))
            count("secrets found in envelopes")
        }
        let own = RecordName(deviceOf: store.replica)
        var writes: [RecordName: [Assignment]] = [:]
        for stored in records {
            let stated = KeyedEnvelope.statedSecret(in: stored.record)
            if stored.name == own, stated != device.secret {
                writes[own] = [KeyedEnvelope.stating(device.secret)]
            }
            // Of two of one generation nobody else can tell which is the greater.
            if stored.name != own, stated.generation <= device.secret.generation,
                stated != device.secret,
                !KeyedEnvelope.secrets(in: stored.record).contains(device.secret)
            {
                writes[stored.name] = [KeyedEnvelope.closing(device.secret)]
            }
        }
        if writes.isEmpty {
            device.refreshed = SimulatedDevice.RefreshMark(
                replica: mark.replica, devices: mark.devices, secret: device.secret)
        }
        return writes
    }

    /// Writes into the records of devices, all in one transaction.
    private func writeSecrets(
        _ writes: [RecordName: [Assignment]], on device: SimulatedDevice, _ store: Store
    ) throws {
        let writes = writes.sorted { $0.key < $1.key }
        var pasts: [VersionVector] = []
        let own = store.replica
        do {
            try running(device) { () throws(StoreFault) in
                for (name, _) in writes {
                    pasts.append(try store.record(name)?.record.clock ?? VersionVector())
                }
                if writes.contains(where: { $0.key == RecordName(deviceOf: own) }) {
                    statedSecrets[own] = max(statedSecrets[own] ?? .first, device.secret)
                }
                try store.edit { transaction throws(StoreFault) in
                    for (name, assignments) in writes {
                        try transaction.update(name, assignments)
                    }
                }
            }
        } catch {
            if device.store == nil {
                for ((id, _), past) in zip(writes, pasts) {
                    oracle.editDied(device.index, id, .edit, past: past)
                }
            }
            throw error
        }
        try judging(device) {
            for ((id, _), past) in zip(writes, pasts) {
                try oracle.edited(device.index, store, id, .edit, past: past)
            }
        }
        try look(device)
        try notice(device)
    }

    /// Takes down whether a relay that refuses a device has cause to, as it refuses it.
    func noteRefusal(of link: SimulatedLink, at relayHost: SimulatedDevice) throws {
        guard link.secret > .none, let node = relayHost.relay?.node,
            let caller = link.ends.lazy.map({ self.devices[$0.deviceIndex] }).first(where: {
                !$0.isRelay
            })
        else { return }
        count("refusals by relays")
        // Unless it can be seen that there was none: its disk may be full.
        link.isRefusedForSecret = true
        // A relay on a database decides by what that has at one moment, and may have the answer only after a later one.
        let former = formerSecrets(of: caller.space, at: relayHost, since: link)
        try looking(at: relayHost) {
            let kept = try node.store(of: caller.space).map { secret(of: $0) }
            let causes = former + [kept].compactMap { $0 }
            link.isRefusedForSecret = causes.contains { Self.isRefused(link, by: $0) }
            guard let kept, former.isEmpty else { return }
            link.isRekeyMessageDue = isRekeyMessageDue(
                to: caller, link, at: relayHost, keeping: kept)
        }
    }

    /// Whether a relay with a secret has cause to refuse a device for the one that it shows.
    private static func isRefused(_ link: SimulatedLink, by kept: KeyedSecret) -> Bool {
        let shown = link.secret.generation > kept.generation ? link.formerSecret : link.secret
        return shown != kept
    }

    /// All meet until every device that can has the newest secret.
    ///
    /// The others get it as from a code, and a relay that has one that no device has is emptied, as it says itself.
    func healSecrets() throws {
        for round in 0... {
            try makeRelaysReady(isAgain: round > 0)
            try syncAll()
            let newest = newestSecret
            let late = devices.filter {
                hasSecret($0) && $0.store != nil && $0.secret < newest
            }
            for device in late { try judgeLate(device) }
            if let first = late.first {
                // It may know others, and then they get it from there.
                learnSecret(first)
                count("secrets that nobody could pass on")
            } else if try !hasLostSecret() {
                return
            }
            if round > devices.count {
                throw Violation(.stuck, "no rest about who has which secret")
            }
        }
    }

    private func makeRelaysReady(isAgain: Bool) throws {
        let newest = newestSecret
        for device in devices {
            guard let relay = device.relay, let node = relay.node else { continue }
            guard let kept = try node.store(of: Self.space).map({ secret(of: $0) }), kept > .none
            else { continue }
            // The next secret may wait there for somebody who comes now.
            if isAgain, isLost(kept) { try wipe(device) }
        }
        for device in devices where device.isRelay { try lead(device, to: newest) }
    }

    /// A device with the newest secret comes first to a relay that begins anew: another would begin with an older one.
    private func lead(_ relayHost: SimulatedDevice, to newest: KeyedSecret) throws {
        let kept = try relayHost.relay?.node?.store(of: Self.space)?.generation
        guard newest > .first, kept == nil,
            let device = devices.first(where: {
                hasSecret($0) && $0.store != nil && $0.secret == newest
            })
        else { return }
        let link = try connect(device, relayHost, isLive: false)
        _ = try proceed(until: now + WorldLimits.sessionMillisecondsMax) { link.isOver }
    }

    /// Whether a relay has a secret that no device has.
    private func hasLostSecret() throws -> Bool {
        try devices.contains {
            guard let kept = try $0.relay?.node?.store(of: Self.space).map({ secret(of: $0) })
            else { return false }
            return isLost(kept)
        }
    }

    /// Whether no device can bring a relay with this secret, if it has one, to the newest one.
    private func isLost(_ kept: KeyedSecret) -> Bool {
        let newest = newestSecret
        if kept == .none { return false }
        let isKnown = devices.contains {
            hasSecret($0) && $0.store != nil && !$0.isDamaged && $0.secrets.contains(kept)
        }
        return kept != newest && !isKnown
    }
}
