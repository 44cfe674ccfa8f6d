import Core
import Relay
import Session
import Storage

/// Whether devices that meet others only at relays get the next secret there.
///
/// Whoever has left letters in a whole session has left one for each older secret that it knows, in which all those
/// find a later secret of whom it knew as it came. A letter is replaced by who has read all there since, and knows as
/// much; but not by who was there at the same time, or was the first of a later generation: that one may know less.
extension World {
    /// Writes and opens the letters of a device.
    func letterbox(of device: Device) -> KeyedLetterbox {
        KeyedLetterbox(device.space, own: device.secret, known: device.secrets)
    }

    /// Takes down which letters a device has left at a relay, or may have replaced.
    func noteLetters(of link: Link) {
        guard let place = link.ends.lazy.compactMap({ self.devices[$0.lane].relay }).first,
            let end = link.ends.first(where: { !devices[$0.lane].isRelay })
        else { return }
        let isWhole =
            end.end == .finished && end.report.storedThrough != nil && end.report.held == nil
            && !link.hasLies && place.life == link.relayLife && !devices[end.lane].hasWrongBit
        for (generation, readers) in link.letters {
            var marks = (place.letters[generation] ?? [:]).filter {
                !Self.mayReplace($0.value, link)
            }
            for reader in isWhole ? readers : [] where marks[reader] == nil {
                marks[reader] = RelayPlace.LetterMark(event: eventCount, generation: link.secret)
            }
            place.letters[generation] = marks
        }
    }

    /// Whether a letter may be replaced by one of somebody who knows less.
    private static func mayReplace(_ mark: RelayPlace.LetterMark, _ link: Link) -> Bool {
        link.firstEvent < mark.event || link.secret > mark.generation
    }

    /// Whether a relay that refuses a device must have a letter from which that learns a later secret.
    func isLetterDue(
        to device: Device, _ link: Link, at relay: RelayPlace, keeping kept: UInt32
    ) -> Bool {
        guard link.secret < kept, kept <= link.secret + UInt32(WireLimits.letterCountMax),
            !link.hasLies, !device.hasWrongBit, let marks = relay.letters[link.secret]
        else { return false }
        let others = linksInOrder.filter { other in
            other.number != link.number && other.letters[link.secret] != nil
                && other.ends.contains { self.devices[$0.lane].relay === relay }
        }
        return device.keyedReplicas.contains { replica in
            guard let mark = marks[replica], (statedSecrets[replica] ?? 1) <= link.secret else {
                return false
            }
            return !others.contains { Self.mayReplace(mark, $0) }
        }
    }

    /// Looks whether a device that was refused for its secret has a later one now, if the relay had a letter for it.
    func judgeLetter(_ link: Link, _ end: SessionEnd, of device: Device) throws {
        guard link.isLetterDue, case .failed(let error, _) = end, error.known == .refused,
            !link.isCorrupted, device.disk.freeByteCount == nil
        else { return }
        try refreshSecret(device)
        guard device.store != nil else { return }
        count("letters that were due")
        if device.secret <= link.secret {
            throw Violation(
                .stuck,
                "\(device.name) is refused for its secret, and gets no letter that was left for it")
        }
    }

    /// Looks whether a device that has an older secret, though all have met, could have got the newest.
    func judgeLate(_ late: Device) throws {
        if allowsForks || devices.contains(where: \.hasWrongBit) { return }
        let newest = newestSecret
        let isLong = newest - late.secret > UInt32(WireLimits.letterCountMax)
        for device in devices where device.secret == newest && device.space == late.space {
            guard let store = device.store else { continue }
            let isKnown = try store.deviceRecords().contains { stored in
                let replica = ReplicaID(value: stored.id.value)
                return late.keyedReplicas.contains(replica)
                    && (statedSecrets[replica] ?? 1) <= late.secret
            }
            let hasMet = !story.meetsOnlyAtRelays
            let hasLetter = isKnown && !isLong && device.secrets.contains(late.secret)
            guard hasMet || (hasLetter && devices.contains { $0.relay != nil }) else { continue }
            throw Violation(
                .stuck,
                "\(late.name) never gets the newest secret, which \(device.name) could leave for it"
            )
        }
    }
}
