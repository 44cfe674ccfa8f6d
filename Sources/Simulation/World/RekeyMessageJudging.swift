import Core
import Relay
import Session
import Storage

/// Whether devices that meet others only at relays get the next secret there.
///
/// Whoever has left rekey messages in a whole session has left one for each older secret that it knows, in which all those
/// find a later secret of whom it knew as it came. A rekey message is replaced by who has read all there since, and knows as
/// much; but not by who was there at the same time, or was the first of a later generation: that one may know less. So may
/// who was lied to, also in a later visit: a device that could not open the record of another, or was not sent it, leaves that
/// one out of its message. A relay that lies could keep messages back as well (Protocol/10-Relay.md, what a relay can do). To
/// devices those that share a database are one relay: an honest one then hands out what such a device has left. Whoever knows
/// more replaces that at the next visit.
extension World {
    /// Writes and opens the rekey messages of a device.
    func rekeyMailbox(of device: SimulatedDevice) -> KeyedRekeyMailbox {
        KeyedRekeyMailbox(device.space, own: device.secret, known: device.secrets)
    }

    /// Takes down which rekey messages a device has left at a relay, or may have replaced.
    func noteRekeyMessages(of link: SimulatedLink) {
        let hosts = link.ends.lazy.map { self.devices[$0.deviceIndex] }
        guard let host = hosts.first(where: \.isRelay), let relayHost = host.relay,
            let end = link.ends.first(where: { !devices[$0.deviceIndex].isRelay }),
            let relayEnd = link.ends.first(where: { devices[$0.deviceIndex].isRelay })
        else { return }
        // A relay that dies behind a session that ended in order for the device may not have written the last of it: the
        // device leaves the messages again at its next visit.
        let isWhole =
            end.end == .finished && relayEnd.end == .finished
            && end.report.storedThrough != nil && end.report.held == nil
            && !link.hasLies && relayHost.life == link.relayLife
            // Another server may never have got what the one before has stored.
            && link.databaseOrigin == databaseOrigin(of: host)
            && !devices[end.deviceIndex].hasWrongBit
        if link.hasLies {
            devices[end.deviceIndex].deceivers.formUnion(sharing(host).map(\.index))
        }
        for (secret, readers) in link.rekeyMessages {
            var marks = (relayHost.rekeyMessages[secret] ?? [:]).filter {
                !mayReplace($0.value, link)
            }
            // A device whose session ended meanwhile may have written after this one, knowing less.
            let wasAlone = (relayHost.lastRekeyMessages[secret] ?? 0) <= link.firstEvent
            for reader in isWhole && wasAlone ? readers : [] where marks[reader] == nil {
                marks[reader] = SimulatedRelay.RekeyMessageMark(
                    event: eventCount, secret: link.secret)
            }
            for other in sharing(host) {
                other.relay?.rekeyMessages[secret] = marks
                other.relay?.lastRekeyMessages[secret] = eventCount
            }
        }
    }

    /// Whether a rekey message may be replaced by one of somebody who knows less.
    private func mayReplace(
        _ mark: SimulatedRelay.RekeyMessageMark, _ link: SimulatedLink
    ) -> Bool {
        if link.firstEvent < mark.event || link.secret > mark.secret || link.hasLies { return true }
        let ends = link.ends.map { devices[$0.deviceIndex] }
        return ends.contains { device in
            ends.contains { device.deceivers.contains($0.index) }
        }
    }

    /// A relay and those on the same database: what is left at one is at all.
    private func sharing(_ host: SimulatedDevice) -> [SimulatedDevice] {
        host.traits.database.map { relays(on: database($0)) } ?? [host]
    }

    /// Whether a relay that refuses a device must have a rekey message from which that learns a later secret.
    func isRekeyMessageDue(
        to device: SimulatedDevice, _ link: SimulatedLink, at host: SimulatedDevice,
        keeping kept: KeyedSecret
    ) -> Bool {
        guard link.secret < kept, !link.isReading,
            laterCount(than: link.secret, kept) <= WireLimits.rekeyMessageCountMax,
            !link.hasLies, !device.hasWrongBit, let relay = host.relay,
            let marks = relay.rekeyMessages[link.secret]
        else { return false }
        let sharing = Set(sharing(host).map(\.index))
        let others = linksInOrder.filter { other in
            other.number != link.number && other.rekeyMessages[link.secret] != nil
                && other.ends.contains { sharing.contains($0.deviceIndex) }
        }
        return device.keyedReplicas.contains { replica in
            guard let mark = marks[replica],
                // A relay on a database may have decided before the message was left, and have the answer only now.
                relay.sharedStore == nil || mark.event <= link.firstEvent,
                (statedSecrets[replica] ?? .first) <= link.secret
            else { return false }
            return !others.contains { mayReplace(mark, $0) }
        }
    }

    /// How many secrets may have come after one, up to another; of one generation there may be several.
    private func laterCount(than secret: KeyedSecret, _ newest: KeyedSecret) -> Int {
        hasRivalSecrets
            ? madeSecrets.count { $0 > secret }
            : Int(newest.generation) - Int(secret.generation)
    }

    /// Whether a relay lets in who has this secret; one with another of its generation does not.
    private func isAnyRelay(with secret: KeyedSecret) throws -> Bool {
        guard hasRivalSecrets else { return devices.contains { $0.relay != nil } }
        return try devices.contains {
            guard let view = try $0.relay?.node?.store(of: Self.space) else { return false }
            return self.secret(of: view) == secret
        }
    }

    /// Looks whether a device that was refused for its secret has a later one now, if the relay had a rekey message for it.
    func judgeRekeyMessage(
        _ link: SimulatedLink, _ end: SessionEnd, of device: SimulatedDevice
    ) throws {
        guard link.isRekeyMessageDue, case .failed(let error, _) = end, error.known == .refused,
            !link.isCorrupted, device.disk.freeByteCount == nil
        else { return }
        try refreshSecret(device)
        guard device.store != nil else { return }
        count("rekey messages that were due")
        if device.secret <= link.secret {
            throw Violation(
                .stuck,
                "\(device.name) is refused for its secret, and gets no rekey message that was left for it"
            )
        }
    }

    /// Looks whether a device that has an older secret, though all have met, could have got the newest.
    func judgeLate(_ late: SimulatedDevice) throws {
        if allowsForks || devices.contains(where: \.hasWrongBit) { return }
        let newest = newestSecret
        let isLong = laterCount(than: late.secret, newest) > WireLimits.rekeyMessageCountMax
        let isLetIn = try isAnyRelay(with: newest)
        for device in devices where device.secret == newest && device.space == late.space {
            guard let store = device.store else { continue }
            let isKnown = try store.deviceRecords().contains { stored in
                let replica = ReplicaID(value: stored.id.value)
                return late.keyedReplicas.contains(replica)
                    && (statedSecrets[replica] ?? .first) <= late.secret
            }
            let hasMet = !scenario.meetsOnlyAtRelays
            let hasRekeyMessage = isKnown && !isLong && device.secrets.contains(late.secret)
            guard hasMet || (hasRekeyMessage && isLetIn) else { continue }
            throw Violation(
                .stuck,
                "\(late.name) never gets the newest secret, which \(device.name) could leave for it"
            )
        }
    }
}
