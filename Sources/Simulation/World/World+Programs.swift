import Core
import Replica
import Session
import Storage

/// Programs of machines: how they come into the world, start and end.
extension World {
    /// Brings a device with an empty store into the world.
    func create(_ traits: DeviceTraits) throws {
        let device = add(traits)
        if traits.isRelay {
            try createRelay(device)
            return
        }
        device.runsNewer = traits.isNewer
        let store = try Store.create(
            folder: SimulatedDevice.folder, schema: Vocabulary.schema(isNewer: traits.isNewer),
            space: device.space, policy: scenario.policy, deviceName: traits.name,
            environment: environment(of: device), options: device.options)
        try adopt(store, by: device)
        tell(device.index, .opened(newIdentity: nil))
        try look(device)
    }

    func add(_ traits: DeviceTraits, space: SpaceID? = nil) -> SimulatedDevice {
        oracle.addDevice()
        let device = SimulatedDevice(
            traits, index: devices.count, space: space,
            disk: SimulatedDisk(
                number: Chance(seed: scenario.seed, "disk of \(traits.name)").first,
                mayLosePower: mayLosePower))
        device.massDeleteGuardCount = scenario.massDeleteGuardCount
        devices.append(device)
        trace.devices.append(traits.name)
        return device
    }

    /// The environment of a device's stores.
    func environment(of device: SimulatedDevice) -> StoreEnvironment {
        opens += 1
        let bits = Bits(Chance(seed: scenario.seed, "bits of \(device.name) \(opens)"))
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

    /// The time of a device's clock; milliseconds since 1970-01-01 UTC.
    func wall(of device: SimulatedDevice) -> Int64 {
        Self.wallStart + now + device.clockError(at: now)
    }

    /// Opens a device's store once more, as another program on it does.
    func open(_ device: SimulatedDevice) throws -> Store {
        try Store.open(
            folder: SimulatedDevice.folder, schema: Vocabulary.schema(isNewer: device.runsNewer),
            environment: environment(of: device), options: device.options)
    }

    private func adopt(_ store: Store, by device: SimulatedDevice) throws {
        device.store = store
        device.replica = Replica(store: store)
        device.alive = nil
    }

    /// Starts a device's program.
    func start(_ device: SimulatedDevice) throws {
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
                oracle.removed(device.index)
                tell(device.index, .befell("cannot open its store: \(refused.description)"))
            }
            throw refused
        }
        try endWithDisk(device)
        count("openings")
        let suspicion = device.store?.suspicion
        if suspicion != nil { count("new identities") }
        tell(device.index, .opened(newIdentity: suspicion.map { "\($0)" }))
        if device.mayFork, let store = device.store {
            device.mayFork = false
            if suspicion == nil {
                try judging(device) {
                    oracle.forked(
                        device.index, store.replica, of: device.space,
                        above: try store.summary().counter)
                }
            }
        }
        if device.hasLostPower, let store = device.store {
            device.hasLostPower = false
            try judging(device) {
                try noticeNumbers(device, store)
                try oracle.lostPower(
                    device.index, store, isDurable: device.traits.isDurable)
            }
        }
        try look(device, isThorough: device.hasWrongBit)
        if device.store == nil { throw Refused(.corrupt, "the store of \(device.name) is damaged") }
    }

    /// Ends a device's program in order.
    func close(_ device: SimulatedDevice) throws {
        if device.isRelay {
            try closeRelay(device)
            return
        }
        guard let replica = device.replica, let store = device.store else { return }
        try dispatch(replica.runAll(.drain, now: instant), of: device)
        guard device.store != nil else { return }
        vanish(device)
        store.close()
        oracle.closed(device.index)
        device.store = nil
        device.replica = nil
        device.editors = [:]
        try endWithDisk(device)
        tell(device.index, .closed)
    }

    /// Ends a program whose disk has ended it, and refuses what it was about.
    func endWithDisk(_ device: SimulatedDevice) throws {
        guard device.disk.hasFuseBlown else { return }
        try die(device)
        throw Refused.down(device.name)
    }

    func running(_ name: String) throws -> SimulatedDevice {
        let device = try device(name)
        if !device.isRelay { _ = try store(device) }
        guard device.isRunning else {
            throw Refused(.unreachable, "\(device.name) is not running")
        }
        return device
    }

    /// Does something on a device's store that is no edit of one record; what fails is refused.
    func running(
        _ device: SimulatedDevice, _ body: () throws(StoreFault) -> Void
    ) throws {
        do throws(StoreFault) {
            try body()
        } catch {
            if device.disk.hasFuseBlown {
                try die(device)
                throw Refused.down(device.name)
            }
            if device.hasWrongBit, Refused(error) == nil { throw try damaged(device, error) }
            guard let refused = Refused(error) else { throw error }
            throw refused
        }
        if device.disk.hasFuseBlown {
            try die(device)
            throw Refused.down(device.name)
        }
    }
}
