import Core
import Relay
import Replica
import Session
import Storage

/// The state of a simulated machine as a relay.
final class SimulatedRelay {
    /// Its program; nil while it does not run.
    var node: RelayEngine?
    /// Counts its starts, so that what was due in an earlier life is void.
    var life = 0
    /// Whether what waits is to be brought to the disk.
    var isCommitDue = false
    /// Its program as its machine has it.
    var process = RelayProcess()
    /// Its store on a database that others may serve, and how it hears of them; nil if it has files of its own.
    var sharedStore: SimulatedRelayStore?
    var notices: SimulatedNotices?
    /// How long its transactions stay open in the database, and how long the answers take then; milliseconds.
    var databaseDelays: (commit: Int64, answer: Int64) = (0, 0)
    /// How it lies to whoever comes now.
    var lies: [RelayLie] = []
    /// Whether it ever lied.
    var hasLied = false
    /// How many versions that it keeps were ever damaged, or forged by a member of the space.
    var damageCount = 0
    /// Whether it ever passed over changes together with the state summaries that vouch for them: who
    /// believed it reads them again only once somebody writes, or the relay is made anew.
    var hasHidden = false
    /// The clocks of a record's versions, joined.
    struct Held {
        /// The clocks of all versions.
        let all: VersionVector
        /// The clocks of the versions that nobody had deferred.
        let readable: VersionVector
    }

    /// The clocks of each record at the last look: none may go but for a version that includes it.
    var held: [RecordName: Held] = [:]
    /// Of which secret that was.
    var heldSecret = KeyedSecret.none
    /// A rekey message that must be here for a replica.
    struct RekeyMessageMark {
        /// How many events came before it was left.
        let event: Int
        /// Which secret the relay had then.
        let secret: KeyedSecret
    }

    /// The replicas that find a later secret in the rekey messages here, by the secrets for which they are.
    var rekeyMessages: [KeyedSecret: [ReplicaID: RekeyMessageMark]] = [:]
    /// How many events came before the end of the last session that left rekey messages for a secret, or may have.
    var lastRekeyMessages: [KeyedSecret: Int] = [:]
    /// How many times a bit of a version on its disk became another.
    var wrongBitCount = 0
    /// The empty machine.
    let blank: DiskImage
    var backups: [String: DiskImage] = [:]

    /// Some of what it ever got, for lies.
    private(set) var memory: [Change] = []
    /// The first summary row of each key that it got, for lies.
    private(set) var firstRows: [SummaryRow.Key: SummaryRow] = [:]

    /// Where a relay keeps its files, on its own disk.
    static let folder = "/relay"
    private static let memoryCountMax = 64

    init(blank: DiskImage) {
        self.blank = blank
    }

    /// Changes that a byzantine relay can replay undetected, as it holds them or a newer version.
    ///
    /// One that pretends to hold what it does not is not sent that, and nobody could tell.
    func repeatable(of space: SpaceID) -> [Change] {
        guard let store = try? node?.store(of: space) else { return [] }
        return memory.filter { change in
            let versions = (try? store.versions(of: change.name)) ?? []
            return versions.contains { $0.clock.covers(change.clock) }
        }
    }

    /// Keeps what a device uploads, to lie with it later.
    func remember(_ message: Message, from replica: ReplicaID?) {
        switch message {
        case .changes(let batch):
            memory = Array((memory + batch.changes).suffix(Self.memoryCountMax))
        case .uploadDone(let upload):
            for row in upload.rows where firstRows[row.key] == nil { firstRows[row.key] = row }
        default: return
        }
    }
}

/// Relays: machines at which devices leave for each other what they have.
extension World {
    /// The machine as a relay.
    func relay(_ device: SimulatedDevice) throws -> SimulatedRelay {
        guard let relay = device.relay else {
            throw Refused(.missing, "\(device.name) is no relay")
        }
        return relay
    }

    /// Brings a relay into the world and starts it.
    func createRelay(_ device: SimulatedDevice) throws {
        device.relay = SimulatedRelay(blank: device.disk.snapshot())
        try startRelay(device)
    }

    /// Starts the relay's program.
    func startRelay(_ device: SimulatedDevice) throws {
        let relay = try relay(device)
        if relay.node != nil { return }
        var options = RelayOptions(folder: SimulatedRelay.folder)
        options.limits = relayLimits
        options.allowsPlainSpaces = scenario.isPlain
        if let name = device.traits.database {
            relay.node = try openShared(device, database(name), options)
        } else {
            do throws(StoreFault) {
                relay.node = try RelayEngine(
                    options: options, access: KeyedAccess(), environment: environment(of: device))
            } catch {
                let fault = error
                try endWithDisk(device)
                guard device.isTroubled, let refused = Refused(fault) else { throw fault }
                throw refused
            }
        }
        relay.life += 1
        relay.isCommitDue = false
        device.hasLostPower = false
        count("starts of relays")
        tell(device.index, .opened(newIdentity: nil))
    }

    /// Limits of relays; small ones in some worlds, so that batches are many.
    private var relayLimits: RelayLimits {
        var limits = RelayLimits()
        guard scenario.isLenient else { return limits }
        var chance = Chance(seed: scenario.seed, "relay limits")
        limits.windowByteCountMax = chance.pick([1, 1_000, 1_048_576])
        limits.batchByteCountMax = chance.pick([1, 200, 262_144])
        limits.ownStretchCountMax = chance.pick([1, 1024])
        limits.openSpaceCountMax = chance.pick([1, 128])
        return limits
    }

    /// Ends the relay's program in order.
    func closeRelay(_ device: SimulatedDevice) throws {
        guard let node = try relay(device).node else { return }
        if let store = try relay(device).sharedStore {
            (store.commitMilliseconds, store.answerMilliseconds) = (0, 0)
            store.settle()
            try dispatch(node.takeAnswers(now: instant), of: device)
        }
        try goOn(device)
        guard device.relay?.node === node else { throw Refused.down(device.name) }
        try dispatch(node.runAll(.drain, now: instant), of: device)
        guard device.relay?.node === node else { throw Refused.down(device.name) }
        vanish(device)
        _ = node.close(now: instant)
        pass(node.takeTouches(), of: device)
        device.relay?.node = nil
        abandonProcess(of: device)
        try endWithDisk(device)
        tell(device.index, .closed)
    }

    /// Ends the relay's program as a kill or a power cut does.
    func dieRelay(_ device: SimulatedDevice, isPowerCut: Bool) {
        vanish(device)
        if isPowerCut {
            var chance = Chance(seed: scenario.seed, "power \(device.name) \(device.boot)")
            device.disk.losePower(choosing: &chance)
            device.boot += 1
            tell(device.index, .lostPower)
        } else {
            device.disk.crash()
            tell(device.index, .crashed)
        }
        // Its open files are dead by now: closing them writes nothing any more.
        if let node = device.relay?.node, device.relay?.sharedStore != nil {
            device.relay?.sharedStore?.close()
            // Nobody is told of what is committed and not answered.
            leaveUntold(by: device)
            node.onAnswer = nil
        }
        device.relay?.node = nil
        device.relay?.isCommitDue = false
        abandonProcess(of: device)
        count(isPowerCut ? "power cuts of relays" : "crashes of relays")
        mix(isPowerCut ? 0x21 : 0x22)
    }

    /// Keeps a copy of the relay's files as they are now.
    func backUpRelay(_ device: SimulatedDevice, _ name: String) {
        if let shared = device.traits.database {
            database(shared).backUp(as: name)
        } else {
            device.relay?.backups[name] = device.disk.snapshot()
        }
        tell(device.index, .befell("is backed up as \(name)"))
        count("backups of relays")
    }

    /// Brings an older copy of the relay's files back.
    func restoreRelay(_ device: SimulatedDevice, _ name: String) throws {
        let relay = try relay(device)
        let never = Refused(.missing, "\(device.name) was never backed up as \(name)")
        if let shared = device.traits.database {
            let database = database(shared)
            guard database.restore(name) else { throw never }
            forgetLost(database, "the database goes on with \(name)")
            count("relays set back")
            return
        }
        guard let backup = relay.backups[name] else { throw never }
        if relay.node != nil { dieRelay(device, isPowerCut: false) }
        device.disk.restore(backup, .replaced)
        relay.held = [:]
        relay.rekeyMessages = [:]
        tell(device.index, .befell("is set back to \(name)"))
        count("relays set back")
        try startRelay(device)
    }

    /// Opens a link from a device to a relay.
    ///
    /// - Parameter isReading: whether the device leaves nothing there, as before it brings the next secret; it shows the
    ///   secret that the relay has, if it knows that one.
    func relayHello(
        _ caller: SimulatedDevice, _ relayHost: SimulatedDevice, isLive: Bool, isReading: Bool
    ) throws -> SimulatedLink {
        let rekeyMailbox = scenario.isPlain || isReading ? nil : self.rekeyMailbox(of: caller)
        var rekeyMessages: [KeyedSecret: Set<ReplicaID>] = [:]
        if hasChangedSecret, let rekeyMailbox, let store = caller.store {
            try looking(at: caller) { rekeyMessages = try rekeyMailbox.readers(from: store) }
        }
        // A look at the relay's disk may end its program.
        let (former, secret) =
            scenario.isPlain
            ? (.none, .none) : try shownSecrets(by: caller, to: relayHost, isReading: isReading)
        let (replica, relay) = (try replica(caller), try relay(relayHost))
        guard let node = relay.node else {
            throw Refused(.unreachable, "\(relayHost.name) is not running")
        }
        guard network.isOpen(caller.index, relayHost.index),
            network.isOpen(relayHost.index, caller.index)
        else { throw Refused(.unreachable, "\(caller.name) cannot reach \(relayHost.name)") }
        var chance = Chance(
            seed: scenario.seed, "relay hello \(caller.name) \(relayHost.name) \(now)")
        // Mostly one remembers which store the relay had; sometimes one does not, and reads all of it: no rest is found
        // while many do so.
        let isForgotten = chance.happens(1, in: 10) && !isHealing
        let guess = isForgotten ? nil : caller.relayIDs[relayHost.index]
        let (mine, outputs) = replica.openRelay(
            RelayAccount(
                generation: secret.generation,
                access: scenario.isPlain
                    ? nil : KeyedAccess.access(to: caller.space, secret, after: former),
                isReader: isReading),
            seal: scenario.isPlain ? nil : KeyedSeal(space: caller.space, secret),
            rekeyMailbox: rekeyMailbox,
            isLive: isLive, guess: guess, limits: limits, now: instant)
        let (theirs, answers) = node.open(RelayChannel(address: caller.name), now: instant)
        let link = SimulatedLink(
            number: nextLink(), isLive: isLive,
            ends: [
                SimulatedLink.End(deviceIndex: caller.index, conversation: mine),
                SimulatedLink.End(deviceIndex: relayHost.index, relaySession: theirs),
            ])
        link.relayLife = relay.life
        link.databaseOrigin = databaseOrigin(of: relayHost)
        link.formerHeadCount = formerHeads(of: caller.space, at: relayHost).count
        (link.formerSecret, link.secret) = (former, secret)
        link.isReading = isReading
        link.firstEvent = eventCount
        link.rekeyMessages = rekeyMessages
        if !relay.lies.isEmpty {
            link.hasLies = true
            link.byzantineRelay = ByzantineRelay(relay.lies, at: relay, to: caller.name, chance)
        }
        link.byteCountLeft = network.dequeueCut(caller.index, relayHost.index)
        loseArmed(on: link)
        links[link.number] = link
        count(isLive ? "live sessions with relays" : "visits to relays")
        try dispatch(outputs, of: caller)
        try dispatch(answers, of: relayHost)
        return link
    }
}
