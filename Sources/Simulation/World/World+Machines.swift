import Core
import Replica
import Session
import Storage

/// What befalls machines: programs that start and end, disks, copies, clocks.
extension World {
    // MARK: Coming into the world

    /// Brings a device with an empty store into the world.
    func create(_ traits: DeviceTraits) throws {
        let device = add(traits)
        if traits.isRelay {
            try createRelay(device)
            return
        }
        device.runsNewer = traits.isNewer
        let store = try Store.create(
            folder: Device.folder, schema: Vocabulary.schema(isNewer: traits.isNewer),
            space: device.space, policy: story.policy, deviceName: traits.name,
            environment: environment(of: device), options: device.options)
        try adopt(store, by: device)
        tell(device.lane, .opened(newIdentity: nil))
        try look(device)
    }

    private func add(_ traits: DeviceTraits, space: SpaceID? = nil) -> Device {
        oracle.addDevice()
        let device = Device(
            traits, lane: devices.count, space: space,
            disk: SimulatedDisk(
                number: Chance(seed: story.seed, "disk of \(traits.name)").first,
                mayLosePower: mayLosePower))
        device.brakeCount = story.brakeCount
        devices.append(device)
        chronicle.lanes.append(traits.name)
        return device
    }

    /// What a device's stores take from the world.
    func environment(of device: Device) -> StoreEnvironment {
        opens += 1
        let bits = Bits(Chance(seed: story.seed, "bits of \(device.name) \(opens)"))
        return StoreEnvironment(
            wallMilliseconds: { [weak self, weak device] in
                // A store may be let go of after its world.
                guard let self, let device else { return Self.wallStart }
                return wall(of: device)
            },
            drawBits: { bits.chance.next() }, machine: device.machine,
            boot: "boot \(device.boot) of \(device.name)", disk: device.disk)
    }

    /// A stream of bits that a closure may hold.
    private final class Bits {
        var chance: Chance

        init(_ chance: Chance) { self.chance = chance }
    }

    /// What a device's clock shows; milliseconds since 1970-01-01 UTC.
    func wall(of device: Device) -> Int64 {
        Self.wallStart + now + device.clockError(at: now)
    }

    // MARK: Programs

    /// Opens a device's store once more, as another program on it does.
    func open(_ device: Device) throws -> Store {
        try Store.open(
            folder: Device.folder, schema: Vocabulary.schema(isNewer: device.runsNewer),
            environment: environment(of: device), options: device.options)
    }

    private func adopt(_ store: Store, by device: Device) throws {
        device.store = store
        device.replica = Replica(store: store)
        device.alive = nil
    }

    /// Starts a device's program.
    func start(_ device: Device) throws {
        if device.isRelay {
            try startRelay(device)
            return
        }
        if device.store != nil { return }
        if device.isDamaged { throw Refused(.corrupt, "the store of \(device.name) is damaged") }
        device.runsNewer = device.traits.isNewer
        do {
            try adopt(open(device), by: device)
        } catch let fault as StoreFault {
            try endWithDisk(device)
            // A wrong bit may make anything of a file.
            let refused = try device.hasWrongBit ? damaged(device, fault) : Refused(fault)
            guard let refused, device.isTroubled else { throw fault }
            if refused.reason == .corrupt {
                device.isDamaged = true
                oracle.removed(device.lane)
                tell(device.lane, .befell("cannot open its store: \(refused.description)"))
            }
            throw refused
        }
        try endWithDisk(device)
        count("openings")
        let doubt = device.store?.doubt
        if doubt != nil { count("new identities") }
        tell(device.lane, .opened(newIdentity: doubt.map { "\($0)" }))
        if device.mayFork, let store = device.store {
            device.mayFork = false
            if doubt == nil {
                try judging(device) {
                    oracle.forked(
                        device.lane, store.replica, of: device.space,
                        above: try store.summary().counter)
                }
            }
        }
        if device.hasLostPower, let store = device.store {
            device.hasLostPower = false
            try judging(device) {
                try noticeNumbers(device, store)
                try oracle.lostPower(
                    device.lane, store, isDurable: device.traits.isDurable)
            }
        }
        try look(device, isThorough: device.hasWrongBit)
        if device.store == nil { throw Refused(.corrupt, "the store of \(device.name) is damaged") }
    }

    /// Ends a device's program in order.
    func close(_ device: Device) throws {
        if device.isRelay {
            try closeRelay(device)
            return
        }
        guard let replica = device.replica, let store = device.store else { return }
        try dispatch(replica.runAll(.drain, now: instant), of: device)
        guard device.store != nil else { return }
        vanish(device)
        store.close()
        oracle.closed(device.lane)
        device.store = nil
        device.replica = nil
        device.editors = [:]
        try endWithDisk(device)
        tell(device.lane, .closed)
    }

    /// Ends a program whose disk has ended it, and refuses what it was about.
    func endWithDisk(_ device: Device) throws {
        guard device.disk.hasFuseBlown else { return }
        try die(device)
        throw Refused.down(device.name)
    }

    /// Has a device go down after so many more writes to its disk.
    func armFuse(_ device: Device, writes: Int, isPowerCut: Bool) {
        let tearing = Chance(seed: story.seed, "torn write of \(device.name) \(now)")
        if isPowerCut {
            device.disk.losePowerAfterWrites(writes, tearing: tearing)
        } else {
            device.disk.crashAfterWrites(writes)
        }
    }

    // MARK: Copies

    /// Copies a device's folder to a new machine, and starts the program there.
    func copy(_ device: Device, to name: String) throws {
        guard lane(named: name) == nil else {
            throw Refused(.exists, "there is a device \(name) already")
        }
        guard devices.count < WorldLimits.deviceCountMax else {
            throw Refused(.overLimit, "a world has at most \(WorldLimits.deviceCountMax) devices")
        }
        var traits = device.traits
        traits.name = name
        let twin = add(traits, space: device.space)
        twin.disk.restore(device.disk.snapshot(), .replaced)
        twin.relayIDs = device.relayIDs
        twin.secrets = device.secrets
        twin.keyedReplicas = device.keyedReplicas
        twin.isTroubled = device.isTroubled
        twin.hasLostPower = device.hasLostPower
        twin.hasWrongBit = device.hasWrongBit
        oracle.copied(from: device.lane, to: twin.lane)
        tell(device.lane, .befell("is copied to \(name)"))
        count("copies")
        try start(twin)
        if twin.store?.doubt == nil {
            throw Violation(.unsound, "\(name), a copy of \(device.name), keeps its replica id")
        }
    }

    /// Keeps a copy of a device's folder as it is now.
    func backUp(_ device: Device, _ name: String) {
        if device.isRelay {
            backUpRelay(device, name)
            return
        }
        device.backups[name] = Device.Backup(
            image: device.disk.snapshot(), holdings: oracle.holdings(of: device.lane),
            isOfPowerCut: device.hasLostPower, deadEdits: oracle.lanes[device.lane].deadEdits,
            hasWrongBit: device.hasWrongBit, secrets: device.secrets)
        tell(device.lane, .befell("is backed up as \(name)"))
        count("backups")
    }

    /// Brings an older copy of a device's folder back, and starts the program.
    func restoreBackup(_ device: Device, _ name: String, _ manner: RestoreManner) throws {
        if device.isRelay {
            try restoreRelay(device, name)
            return
        }
        guard let backup = device.backups[name] else {
            throw Refused(.missing, "\(device.name) was never backed up as \(name)")
        }
        if device.store != nil { try die(device, isPowerCut: false) }
        device.hasLostPower = backup.isOfPowerCut
        device.disk.restore(backup.image, manner)
        device.isDamaged = false
        device.hasWrongBit = backup.hasWrongBit
        if manner != .databaseAlone { device.secrets = backup.secrets }
        device.refreshed = nil
        oracle.setBack(
            device.lane, to: backup.holdings, isOfPowerCut: backup.isOfPowerCut,
            deadEdits: backup.deadEdits)
        tell(device.lane, .befell("is set back to \(name) (\(manner.rawValue))"))
        count("restores of backups")
        if manner == .unnoticed {
            allowsForks = true
            device.mayFork = true
        }
        try start(device)
    }

    // MARK: Disks

    func limitDisk(_ device: Device, bytes: Int?) {
        device.disk.freeByteCount = bytes
        if bytes != nil { device.isTroubled = true }
        let words = bytes.map { "has \($0) bytes left on its disk" } ?? "has room on its disk again"
        tell(device.lane, .befell(words))
    }

    func flipBit(_ device: Device) throws {
        device.flipCount += 1
        var chance = Chance(seed: story.seed, "bit of \(device.name) \(device.flipCount)")
        if device.store != nil {
            // What a program leaves in order is in the database; else it is mostly in the log beside it.
            if chance.happens(1, in: 2) {
                try close(device)
            } else {
                try die(device, isPowerCut: false)
            }
        }
        let files = device.disk.paths(under: Device.folder)
        let databases = files.filter { $0.hasSuffix(".db") || $0.hasSuffix(".db-wal") }
        let path = chance.pick(chance.happens(1, in: 8) ? files : databases)
        device.disk.flipBit(of: path, choosing: &chance)
        device.isTroubled = true
        device.hasWrongBit = true
        oracle.damaged(device.lane, device.replicas)
        tell(device.lane, .befell("has a wrong bit on its disk, in \(path)"))
        count("bits flipped in \(path)")
    }

    // MARK: Clocks

    func setClock(_ device: Device, day: Int32) {
        let noon = Int64(day) * 86_400_000 + 43_200_000
        device.drift = (0, now)
        device.clockOffset = noon - Self.wallStart - now
        tell(device.lane, .befell("has its clock set to \(StoryWriter.date(day))"))
    }

    func shiftClock(_ device: Device, milliseconds: Int64) {
        device.clockOffset += milliseconds
        let seconds = milliseconds / 1000
        tell(device.lane, .befell("has its clock jump by \(seconds) seconds"))
    }

    func driftClock(_ device: Device, partsPerMillion: Int64) {
        device.clockOffset = device.clockError(at: now)
        device.drift = (partsPerMillion, now)
        tell(device.lane, .befell("has its clock drift by \(partsPerMillion) ppm"))
    }
}
