import Core
import Relay
import Session
import Storage

/// The secret of the space: who has which, how it is passed on, and which relays refuse whom for it.
extension World {
    /// The newest generation of the secret that any device has.
    var newestSecret: UInt32 {
        devices.lazy.filter { self.hasSecret($0) && !$0.isDamaged }.map(\.secret).max() ?? 1
    }

    /// Whether a machine is a device of the space, and that has a secret.
    private func hasSecret(_ device: Device) -> Bool {
        !story.isPlain && !device.isRelay && !device.traits.isForeign
    }

    // MARK: Changing and passing on

    /// The space gets a new secret: an envelope for each device that this one has heard of, itself among them.
    func changeSecret(_ device: Device) throws {
        guard hasSecret(device) else {
            throw Refused(.missing, "there is no secret that \(device.name) could change")
        }
        _ = try store(device)
        try refreshSecret(device)
        let store = try store(device)
        guard device.secret == newestSecret else {
            throw Refused(.missing, "\(device.name) has not learned the newest secret")
        }
        hasChangedSecret = true
        let envelope = KeyedEnvelope.closing(newestSecret + 1)
        var writes: [RecordID: [Assignment]] = [:]
        try running(device) { () throws(StoreFault) in
            for stored in try store.deviceRecords() where !stored.verdict.isDeleted {
                writes[stored.id] = [envelope]
            }
        }
        try writeSecrets(writes, on: device, store)
        try refreshSecret(device)
        tell(device.lane, .befell("changes the secret"))
        count("changed secrets")
    }

    /// A device has the newest secret from now on, as from a code.
    func learnSecret(_ device: Device) {
        guard hasSecret(device), device.secret != newestSecret else { return }
        device.secrets.insert(newestSecret)
        tell(device.lane, .befell("learns the secret"))
        count("learned secrets")
    }

    /// A device takes what others have left for it, states what it has, and leaves that for those who may not have it.
    ///
    /// What its store refuses is done another time.
    func refreshSecret(_ device: Device) throws {
        guard hasChangedSecret, hasSecret(device), device.space == Self.space, !device.isDamaged,
            let store = device.store
        else { return }
        do {
            var writes: [RecordID: [Assignment]] = [:]
            try running(device) { () throws(StoreFault) in
                writes = try self.takeSecrets(device, store)
            }
            if writes.isEmpty { return }
            try writeSecrets(writes, on: device, store)
        } catch is Refused {
            count("secrets that could not be passed on")
        }
    }

    /// Takes the envelopes of a device; gives what it has to write.
    private func takeSecrets(
        _ device: Device, _ store: Store
    ) throws(StoreFault) -> [RecordID: [Assignment]] {
        let mark = Device.RefreshMark(
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
            device.secrets.formUnion(KeyedEnvelope.generations(in: stored.record))
        }
        if device.secret > before {
            tell(device.lane, .befell("finds a new secret in an envelope"))
            count("secrets found in envelopes")
        }
        let own = RecordID(value: store.replica.value)
        var writes: [RecordID: [Assignment]] = [:]
        for stored in records {
            let stated = KeyedEnvelope.statedGeneration(in: stored.record)
            if stored.id == own, stated != device.secret {
                writes[own] = [KeyedEnvelope.stating(device.secret)]
            }
            if stored.id != own, stated < device.secret,
                !KeyedEnvelope.generations(in: stored.record).contains(device.secret)
            {
                writes[stored.id] = [KeyedEnvelope.closing(device.secret)]
            }
        }
        if writes.isEmpty {
            device.refreshed = Device.RefreshMark(
                replica: mark.replica, devices: mark.devices, secret: device.secret)
        }
        return writes
    }

    /// Writes into the records of devices, all in one transaction.
    private func writeSecrets(
        _ writes: [RecordID: [Assignment]], on device: Device, _ store: Store
    ) throws {
        let writes = writes.sorted { $0.key < $1.key }
        var pasts: [VersionVector] = []
        let own = store.replica
        do {
            try running(device) { () throws(StoreFault) in
                for (id, _) in writes {
                    pasts.append(try store.record(id)?.record.clock ?? VersionVector())
                }
                if writes.contains(where: { $0.key.value == own.value }) {
                    statedSecrets[own] = max(statedSecrets[own] ?? 1, device.secret)
                }
                try store.edit { transaction throws(StoreFault) in
                    for (id, assignments) in writes { try transaction.update(id, assignments) }
                }
            }
        } catch {
            if device.store == nil {
                for ((id, _), past) in zip(writes, pasts) {
                    oracle.editDied(device.lane, id, .edit, past: past)
                }
            }
            throw error
        }
        try judging(device) {
            for ((id, _), past) in zip(writes, pasts) {
                try oracle.edited(device.lane, store, id, .edit, past: past)
            }
        }
        try look(device)
        try notice(device)
    }

    // MARK: Relays

    /// Takes down whether a relay that refuses a device has cause to, as it refuses it.
    func noteRefusal(of link: Link, at place: Device) throws {
        guard link.secret > 0, let relay = place.relay, let node = relay.node,
            let caller = link.ends.lazy.map({ self.devices[$0.lane] }).first(where: { !$0.isRelay })
        else { return }
        count("refusals by relays")
        // Unless it can be seen that there was none: its disk may be full.
        link.isRefusedForSecret = true
        try looking(at: place) {
            guard let kept = try node.store(of: caller.space)?.generation else {
                link.isRefusedForSecret = false
                return
            }
            if link.secret > kept + 1 {
                // A succession that does not fit counts as a proof that failed.
                relay.failedProofs[caller.lane, default: []].append(now)
                return
            }
            let recent = (relay.failedProofs[caller.lane] ?? []).count { $0 > now - Self.minute }
            let isLocked = recent >= RelayLimits().failedProofsPerMinuteMax
            link.isRefusedForSecret = link.secret < kept || isLocked
            if !isLocked {
                link.isLetterDue = isLetterDue(to: caller, link, at: relay, keeping: kept)
            }
        }
    }

    // MARK: Healing

    /// All meet until every device that can has the newest secret.
    ///
    /// The others get it as from a code, and a relay that has missed one, or has one that no device has, is emptied,
    /// as it says itself.
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
        var hasFailedProofs = false
        for device in devices {
            guard let relay = device.relay, let node = relay.node else { continue }
            hasFailedProofs = hasFailedProofs || !relay.failedProofs.isEmpty
            guard let kept = try node.store(of: Self.space)?.generation, kept > 0 else { continue }
            // The next secret may wait there for somebody who comes now.
            if kept + 1 < newest || (isAgain && kept > newest) { try wipe(device) }
        }
        if hasFailedProofs { try wait(milliseconds: Self.minute) }
        for device in devices where device.isRelay { try lead(device, to: newest) }
    }

    /// Who has the newest secret is the first at a relay that begins anew: another would begin with an older one.
    private func lead(_ place: Device, to newest: UInt32) throws {
        let kept = try place.relay?.node?.store(of: Self.space)?.generation
        guard newest > 1, kept == nil,
            let device = devices.first(where: {
                hasSecret($0) && $0.store != nil && $0.secret == newest
            })
        else { return }
        let link = try connect(device, place, isLive: false)
        _ = try proceed(until: now + WorldLimits.sessionMillisecondsMax) { link.isOver }
    }

    /// Whether a relay has a secret that no device has.
    private func hasLostSecret() throws -> Bool {
        let newest = newestSecret
        return try devices.contains {
            guard let kept = try $0.relay?.node?.store(of: Self.space)?.generation else {
                return false
            }
            return kept > newest
        }
    }

    /// For how long a relay counts proofs that failed, in milliseconds.
    private static let minute: Int64 = 60_000
}
