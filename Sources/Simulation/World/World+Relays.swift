import Core
import Relay
import Replica
import Session
import Storage

/// Relays: machines at which devices leave for each other what they have.
extension World {
    /// The machine as a relay.
    func relay(_ device: Device) throws -> RelayPlace {
        guard let relay = device.relay else {
            throw Refused(.missing, "\(device.name) is no relay")
        }
        return relay
    }

    /// Brings a relay into the world and starts it.
    func createRelay(_ device: Device) throws {
        device.relay = RelayPlace(blank: device.disk.snapshot())
        try startRelay(device)
    }

    /// Starts the relay's program.
    func startRelay(_ device: Device) throws {
        let relay = try relay(device)
        if relay.node != nil { return }
        var options = RelayOptions(folder: RelayPlace.folder)
        options.limits = relayLimits
        options.allowsPlainSpaces = story.isPlain
        do throws(StoreFault) {
            relay.node = try RelayNode(
                options: options, access: KeyedAccess(), environment: environment(of: device))
        } catch {
            let fault = error
            try endWithDisk(device)
            guard device.isTroubled, let refused = Refused(fault) else { throw fault }
            throw refused
        }
        relay.life += 1
        relay.isCommitDue = false
        device.hasLostPower = false
        count("starts of relays")
        tell(device.lane, .opened(newIdentity: nil))
    }

    /// Limits of relays; small ones in some worlds, so that batches are many.
    private var relayLimits: RelayLimits {
        var limits = RelayLimits()
        guard story.isLenient else { return limits }
        var chance = Chance(seed: story.seed, "relay limits")
        limits.windowByteCountMax = chance.pick([1, 1_000, 1_048_576])
        limits.batchByteCountMax = chance.pick([1, 200, 262_144])
        limits.ownStretchCountMax = chance.pick([1, 1024])
        limits.openSpaceCountMax = chance.pick([1, 128])
        return limits
    }

    /// Ends the relay's program in order.
    func closeRelay(_ device: Device) throws {
        guard let node = try relay(device).node else { return }
        try dispatch(node.runAll(.drain, now: instant), of: device)
        guard device.relay?.node === node else { throw Refused.down(device.name) }
        vanish(device)
        _ = node.close(now: instant)
        device.relay?.node = nil
        try endWithDisk(device)
        tell(device.lane, .closed)
    }

    /// Ends the relay's program as a kill or a power cut does.
    func dieRelay(_ device: Device, isPowerCut: Bool) {
        vanish(device)
        if isPowerCut {
            var chance = Chance(seed: story.seed, "power \(device.name) \(device.boot)")
            device.disk.losePower(choosing: &chance)
            device.boot += 1
            tell(device.lane, .lostPower)
        } else {
            device.disk.crash()
            tell(device.lane, .crashed)
        }
        // What it held open is dead by now: to let go of it writes nothing any more.
        device.relay?.node = nil
        device.relay?.isCommitDue = false
        count(isPowerCut ? "power cuts of relays" : "crashes of relays")
        mix(isPowerCut ? 0x21 : 0x22)
    }

    /// All that the relay kept is gone.
    func wipe(_ device: Device) throws {
        let relay = try relay(device)
        if relay.node != nil { dieRelay(device, isPowerCut: false) }
        device.disk.restore(relay.blank, .replaced)
        relay.held = [:]
        relay.letters = [:]
        tell(device.lane, .befell("is wiped"))
        count("wiped relays")
        try startRelay(device)
    }

    /// Keeps a copy of the relay's files as they are now.
    func backUpRelay(_ device: Device, _ name: String) {
        device.relay?.backups[name] = device.disk.snapshot()
        tell(device.lane, .befell("is backed up as \(name)"))
        count("backups of relays")
    }

    /// Brings an older copy of the relay's files back.
    func restoreRelay(_ device: Device, _ name: String) throws {
        let relay = try relay(device)
        guard let backup = relay.backups[name] else {
            throw Refused(.missing, "\(device.name) was never backed up as \(name)")
        }
        if relay.node != nil { dieRelay(device, isPowerCut: false) }
        device.disk.restore(backup, .replaced)
        relay.held = [:]
        relay.letters = [:]
        tell(device.lane, .befell("is set back to \(name)"))
        count("relays set back")
        try startRelay(device)
    }

    // MARK: Lies

    /// The relay lies from now on, or lies no more: whoever is connected has to come again.
    func setLies(_ device: Device, _ change: (inout [RelayLie]) -> Void) throws {
        let relay = try relay(device)
        guard !story.isPlain else {
            throw Refused(.missing, "without encryption nothing is promised of a relay that lies")
        }
        change(&relay.lies)
        if !relay.lies.isEmpty { relay.hasLied = true }
        let isMute = relay.lies.contains(.withholding) && relay.lies.contains(.replayingStatements)
        let isDeaf = relay.lies.contains { if case .withholdingFrom = $0 { true } else { false } }
        if isMute || isDeaf { relay.hasHidden = true }
        for link in linksInOrder where link.ends.contains(where: { $0.lane == device.lane }) {
            breakDown(link)
        }
        if !relay.lies.isEmpty { count("lies") }
        let words = relay.lies.isEmpty ? "is honest again" : "lies"
        tell(device.lane, .befell(words))
        try settle()
    }

    // MARK: Meeting

    /// One whole session of a device with a relay.
    func visit(_ name: String, _ relay: String) throws {
        let (caller, place) = (try device(name), try device(relay))
        _ = try self.relay(place)
        let link = try connect(caller, place, isLive: false)
        guard
            try proceed(until: now + WorldLimits.sessionMillisecondsMax, { link.isOver })
        else { throw Violation(.stuck, "the visit of \(name) at \(relay) waits for ever") }
        try refuse(link)
    }

    /// Opens a link from a device to a relay.
    func approach(_ caller: Device, _ place: Device, isLive: Bool) throws -> Link {
        let letterbox = story.isPlain ? nil : self.letterbox(of: caller)
        var letters: [UInt32: Set<ReplicaID>] = [:]
        if hasChangedSecret, let letterbox, let store = caller.store {
            try looking(at: caller) { letters = try letterbox.readers(from: store) }
        }
        let (replica, relay) = (try replica(caller), try relay(place))
        guard let node = relay.node else {
            throw Refused(.unreachable, "\(place.name) is not running")
        }
        guard network.isOpen(caller.lane, place.lane), network.isOpen(place.lane, caller.lane)
        else { throw Refused(.unreachable, "\(caller.name) cannot reach \(place.name)") }
        var chance = Chance(seed: story.seed, "approach \(caller.name) \(place.name) \(now)")
        // Mostly one remembers which store the relay had; sometimes one does not.
        let guess = chance.happens(1, in: 10) ? nil : caller.relayIDs[place.lane]
        let secret = story.isPlain ? 0 : caller.secret
        let (mine, outputs) = replica.openRelay(
            RelayAccount(
                generation: secret,
                access: story.isPlain
                    ? nil : KeyedAccess.access(to: caller.space, generation: secret)),
            seal: story.isPlain ? nil : KeyedSeal(space: caller.space, generation: secret),
            letterbox: letterbox,
            isLive: isLive, guess: guess, limits: limits, now: instant)
        let (theirs, answers) = node.open(RelayChannel(address: caller.name), now: instant)
        let link = Link(
            number: nextLink(), isLive: isLive,
            ends: [
                Link.End(lane: caller.lane, conversation: mine),
                Link.End(lane: place.lane, relaySession: theirs),
            ])
        link.relayLife = relay.life
        link.secret = secret
        link.firstEvent = eventCount
        link.letters = letters
        if !relay.lies.isEmpty {
            link.hasLies = true
            link.liar = Liar(relay.lies, at: relay, to: caller.name, chance)
        }
        link.byteCountLeft = network.takeCut(caller.lane, place.lane)
        links[link.number] = link
        count(isLive ? "live sessions with relays" : "visits to relays")
        try dispatch(outputs, of: caller)
        try dispatch(answers, of: place)
        return link
    }
}
