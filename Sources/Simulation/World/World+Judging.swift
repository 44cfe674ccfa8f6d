import Core
import Replica
import Session
import Storage

/// Checks after each event.
extension World {
    /// Has a device judged, if its program runs.
    ///
    /// - Parameter isThorough: whether everything on it is, from nothing.
    func look(_ device: SimulatedDevice, isThorough: Bool = false) throws {
        guard options.looksAfterEachEvent, let store = device.store else { return }
        try judging(device) {
            try noticeNumbers(device, store)
            if isThorough {
                try oracle.lookThoroughly(device.index, store)
            } else {
                // A change of a store is a write to its disk; without one only the memory of the program is judged.
                // A wrong bit on the disk is found by the first look after the next write, or by a thorough one.
                try oracle.look(
                    device.index, store,
                    isUntouched: device.disk.counts.writes == device.lookedWrites)
            }
            device.lookedWrites = device.disk.counts.writes
            try noteAlive(device, store)
        }
    }

    /// Has the oracle know of writes that got new numbers, as their device found that it was set back.
    func noticeNumbers(_ device: SimulatedDevice, _ store: Store) throws {
        if device.hasWrongBit { oracle.damaged(device.index, [store.replica]) }
        if device.lastReplica == store.replica { return }
        device.lastReplica = store.replica
        let before = device.replicas
        device.replicas.insert(store.replica)
        device.keyedReplicas.insert(store.replica)
        // A forked id's device states under the new one what it had stated.
        if hasChangedSecret, let own = try store.record(RecordName(deviceOf: store.replica)) {
            statedSecrets[store.replica] = KeyedEnvelope.statedSecret(in: own.record)
        }
        replicaIDs.insert(store.replica)
        let late: [CloneSuspicion] = [.peerKnowsOther, .peerHasOurID]
        for change in try store.identityChanges() where late.contains(change.reason) {
            try judgeSuspicion(change.reason, device)
            let counter = try store.summary().knowledge.counter(of: change.old)
            try oracle.renumbered(
                device.index, from: change.old, above: counter, to: change.new, in: store)
            // What the store remembers of clients may name dots of the old id, and is dropped with them.
            if !before.contains(change.new) { device.lostServings.append(0..<serving + 1) }
        }
    }

    /// A device that nobody set back has taken a new id for something that it was told.
    private func judgeSuspicion(_ reason: CloneSuspicion, _ device: SimulatedDevice) throws {
        count("new identities found late")
        guard devices.contains(where: \.isRelay), !allowsForks, !hasStrangers,
            !devices.contains(where: \.hasWrongBit)
        else { return }
        throw Violation(
            .unsound, "\(device.name) has taken a new replica id without cause: \(reason)")
    }

    /// Runs what judges a device; one with a wrong bit that is not as it must be is out of the world.
    func judging(_ device: SimulatedDevice, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let violation as Violation where device.hasWrongBit {
            count("wrong bits that the oracle noticed")
            try takeOut(device, violation.description)
        } catch let fault as StoreFault where device.hasWrongBit {
            try takeOut(device, try damaged(device, fault).description)
        }
    }

    /// The refusal of a store with a wrong bit: any fault, in words for people.
    func damaged(_ device: SimulatedDevice, _ fault: StoreFault) throws -> Refused {
        let isClear =
            switch fault {
            case .database: false
            // One that only has its name, or of which nothing beside the database was flushed, may be
            // taken for one whose making was cut short.
            case .noStore: device.boot > 1 || oracle.holdings(of: device.index).clocks.count <= 1
            default: true
            }
        guard isClear else {
            throw Violation(.crashed, "\(device.name) says of a wrong bit: \(fault)")
        }
        count("wrong bits that a store noticed: \(Self.word(of: fault))")
        return Refused(.corrupt, "\(fault)")
    }

    /// Takes a device out of the world whose store is damaged.
    func takeOut(_ device: SimulatedDevice, _ words: String) throws {
        if device.store != nil { try die(device, isPowerCut: false) }
        device.isDamaged = true
        oracle.removed(device.index)
        tell(device.index, .befell("cannot use its store: \(words)"))
    }

    /// Ends the programs whose disk has failed under them as a crash or a power cut would.
    func reviewDisks() throws {
        for device in devices where device.disk.hasFuseBlown { try die(device) }
    }

    /// Ends a device's program as a kill or a power cut does.
    func die(_ device: SimulatedDevice, isPowerCut: Bool? = nil) throws {
        let isPowerCut = isPowerCut ?? (device.disk.blownFuse == .powerCut)
        if device.isRelay {
            dieRelay(device, isPowerCut: isPowerCut)
            return
        }
        vanish(device)
        device.store?.abandon()
        oracle.closed(device.index)
        device.store = nil
        device.replica = nil
        device.editors = [:]
        if isPowerCut {
            var chance = Chance(seed: scenario.seed, "power \(device.name) \(device.boot)")
            device.disk.losePower(choosing: &chance)
            device.boot += 1
            device.hasLostPower = true
            tell(device.index, .lostPower)
        } else {
            device.disk.crash()
            tell(device.index, .crashed)
        }
        count(isPowerCut ? "power cuts" : "crashes")
        mix(isPowerCut ? 0x11 : 0x12)
    }

    /// How a session ended: whether it was for a reason that the world gave it.
    func judge(_ end: SessionEnd, of link: SimulatedLink, _ side: Int) throws {
        guard case .failed(let error, _) = end else { return }
        count("sessions ended with error \(error.code)")
        if link.hasLies || link.ends.contains(where: { devices[$0.deviceIndex].hasWrongBit }) {
            return
        }
        let isItself = link.ends[0].deviceIndex == link.ends[1].deviceIndex
        let isForeign = link.ends.contains { devices[$0.deviceIndex].traits.isForeign }
        let isDamaged = link.ends.contains { devices[$0.deviceIndex].isTroubled }
        switch error.known {
        // A relay ends with `busy` a session whose client reads nothing.
        case .timeout where !isHealing, .busy where !isHealing: return
        case .malformed where link.isCorrupted: return
        case .malformed where link.hasUnknown:
            count("sessions ended by an unknown message")
            if error.reason == .unknownMessage { return }
        case .sameReplica where isItself: return
        case .foreignSpace where isForeign: return
        case .store where isDamaged: return
        case .deletesHeld where link.ends.contains { $0.report.held != nil }: return
        case .refused where link.isRefusedForSecret: return
        case .store where isOfAnotherServer(error) && mayBeReplaced(link): return
        case .overLimit where hasRecordLimit(link): return
        case .newIdentity, .sameReplica, .store:
            if allowsForks { return }
            // A counter that a wrong bit has changed may reach others by way of a third.
            if devices.contains(where: \.hasWrongBit) { return }
        default: break
        }
        if link.isCorrupted { return }
        throw Violation(
            .crashed,
            "the session of \(devices[link.ends[side].deviceIndex].name) with "
                + "\(devices[link.ends[1 - side].deviceIndex].name) ended with error \(error.code): \(error)"
        )
    }

    /// Whether a device claims something about another without any cause.
    func judge(_ report: SessionReport, after before: SessionReport, of link: SimulatedLink) throws
    {
        if report.isDiverged, !before.isDiverged { count("diverged") }
        if report.isWithheld, !before.isWithheld { count("withheld") }
        if allowsForks || link.hasLies
            || link.ends.contains(where: { devices[$0.deviceIndex].hasWrongBit })
        {
            return
        }
        if report.isDiverged, !before.isDiverged {
            throw Violation(.diverged, "a session reports a divergence, and there was no fork")
        }
        // A change that a relay withheld may be noticed later.
        if report.isWithheld, !before.isWithheld, !hasBeenLiedTo {
            throw Violation(.unsound, "a session reports that something is withheld, falsely")
        }
    }

    /// Whether a relay ever lied, to whomever.
    var hasBeenLiedTo: Bool { devices.contains { $0.relay?.hasLied == true } }
}
