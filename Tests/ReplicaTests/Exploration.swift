import Core
import Replica
import Session
import Storage
import TestSupport

/// One random world: what may happen in it, and its steps.
struct Exploration {
    /// The faults that may happen besides cut links.
    enum Fault: CaseIterable {
        case kill
        case powerCut
        case copy
        case backup
        case corruption
        case newerVersion
        case clock
        case longBodies
        case otherProcess
        /// A store set back without noticing.
        case fork
    }

    let seed: UInt64
    let world: SyncWorld
    let faults: Set<Fault>
    private var chance: SplitMix64
    private let isLiveOften: Bool

    /// A world with faults drawn from its seed, or with the given ones.
    init(seed: UInt64, faults given: Set<Fault>? = nil) throws {
        self.seed = seed
        var chance = SplitMix64(seed: seed &* 0x2545_f491_4f6c_dd1d)
        var drawn: Set<Fault> = []
        for fault in Fault.allCases where fault != .fork && chance.chance(1, in: 3) {
            drawn.insert(fault)
        }
        faults = given ?? drawn
        world = SyncWorld(seed: seed, policy: chance.chance(1, in: 2) ? .deletesWin : .editsWin)
        world.takesImages = faults.contains(.powerCut)
        world.allowsForks = faults.contains(.fork)
        world.allowsGaps = faults.contains(.backup) || faults.contains(.fork)
        isLiveOften = chance.chance(1, in: 2)
        for _ in 0..<2 + chance.below(3) {
            var options = StoreOptions()
            if chance.chance(1, in: 4) { options.durability = .full }
            try world.makeDevice(options)
        }
        world.limits.windowBatchCount = chance.pick([1, 2, 16])
        world.limits.batchByteCountMax = chance.pick([1, 200, 262_144])
        world.limits.wantedPerReadMax = chance.pick([1, 16])
        world.limits.wantedPerMessageMax = chance.pick([1, 1024])
        self.chance = chance
    }

    /// Runs so many random steps, then heals.
    mutating func run(stepCount: Int) throws {
        for _ in 0..<stepCount { try step() }
        try world.heal()
    }

    private mutating func step() throws {
        let deviceIndex = chance.below(world.devices.count)
        guard world.devices[deviceIndex].store != nil else {
            if chance.chance(1, in: 2) { try reopen(deviceIndex) }
            return
        }
        switch chance.below(100) {
        case 0..<30:
            try world.editAtRandom(
                deviceIndex, isElsewhere: faults.contains(.otherProcess) && chance.chance(1, in: 3),
                isLong: faults.contains(.longBodies))
        case 30..<42: try connect(deviceIndex)
        case 42..<78: try deliver()
        case 78..<82: try cut()
        case 82..<85: try pass()
        case 85..<87: try close(deviceIndex)
        default: try goWrong(deviceIndex)
        }
    }

    private mutating func goWrong(_ deviceIndex: Int) throws {
        let among = Fault.allCases.filter { !faults.contains(.fork) || faults.contains($0) }
        switch chance.pick(among) {
        case let fault where !faults.contains(fault): try deliver()
        case .kill: try kill(deviceIndex)
        case .powerCut: try cutPower(deviceIndex)
        case .copy: try copy(deviceIndex)
        case .backup: try backUpOrRestore(deviceIndex)
        case .corruption: corrupt()
        case .newerVersion:
            if chance.chance(1, in: 2) {
                try world.meetNewer(deviceIndex)
            } else {
                try world.makeUnknown(deviceIndex)
            }
        case .clock:
            world.devices[deviceIndex].wallOffset = chance.pick([
                0, -800_000_000_000, 400_000_000_000, -5_000, 100_000,
            ])
        case .longBodies, .otherProcess: return
        case .fork: try setBack(deviceIndex)
        }
    }

    // MARK: Links

    private mutating func connect(_ deviceIndex: Int) throws {
        var other = chance.below(world.devices.count)
        if other == deviceIndex, !chance.chance(1, in: 10) {
            other = (deviceIndex + 1) % world.devices.count
        }
        guard world.devices[other].store != nil, world.links.count < 8 else { return }
        let right = try world.store(other).summary().replica
        let guess: ReplicaID? =
            switch chance.below(4) {
            case 0: nil
            case 1: ReplicaID(value: chance.wide())
            default: right
            }
        let isLive = chance.chance(isLiveOften ? 3 : 1, in: 4)
        world.say("\(deviceIndex) calls \(other)\(isLive ? ", live" : "")")
        try world.connect(deviceIndex, other, isLive: isLive, guess: guess)
    }

    private mutating func deliver() throws {
        guard !world.links.isEmpty else { return }
        let index = chance.below(world.links.count)
        for _ in 0..<chance.pick([1, 2, 4, 12]) {
            let side = chance.below(2)
            try world.deliver(index, side, chance.pick([1, 20, 300, 1 << 20, 1 << 20]))
        }
        if world.links[index].isOver { world.links.remove(at: index) }
    }

    private mutating func cut() throws {
        guard !world.links.isEmpty else { return }
        let index = chance.below(world.links.count)
        world.say("link \(world.links[index].ends.map(\.device)) breaks")
        try world.cut(index)
        world.links.remove(at: index)
    }

    private mutating func pass() throws {
        try world.pass(milliseconds: Int64(chance.pick([1, 1_100, 6_000, 12_000, 31_000])))
    }

    private mutating func corrupt() {
        let ready = world.links.indices.flatMap { index in
            (0...1).map { (index, $0) }
        }.filter { !world.links[$0.0].ends[$0.1].incoming.isEmpty }
        guard !ready.isEmpty else { return }
        let (index, side) = chance.pick(ready)
        let deviceIndex = chance.below(world.links[index].ends[side].incoming.count)
        world.links[index].ends[side].incoming[deviceIndex] ^= UInt8(1 << chance.below(8))
        world.links[index].isCorrupted = true
    }

    // MARK: Stores

    private mutating func reopen(_ deviceIndex: Int) throws {
        world.say("\(deviceIndex) opens")
        try world.open(deviceIndex)
    }

    private mutating func close(_ deviceIndex: Int) throws {
        world.say("\(deviceIndex) closes")
        world.devices[deviceIndex].flushed = nil
        if chance.chance(1, in: 2) {
            let outputs = try world.replica(deviceIndex).runAll(.drain, now: world.now)
            try world.dispatch(outputs, of: deviceIndex)
        }
        world.vanish(deviceIndex)
        world.devices[deviceIndex].close()
        if chance.chance(1, in: 2), try world.open(deviceIndex) {
            throw Violation("\(deviceIndex) doubts who it is after it was closed and opened")
        }
    }

    private mutating func kill(_ deviceIndex: Int) throws {
        world.say("\(deviceIndex) is killed")
        world.vanish(deviceIndex)
        world.devices[deviceIndex].abandon()
        if chance.chance(1, in: 2), try world.open(deviceIndex) {
            throw Violation("\(deviceIndex) doubts who it is after a kill")
        }
    }

    private mutating func cutPower(_ deviceIndex: Int) throws {
        let device = world.devices[deviceIndex]
        world.say("\(deviceIndex) loses power")
        world.vanish(deviceIndex)
        device.abandon()
        let wasWriting = FolderImage(of: device.folder).saysOpen
        if wasWriting, let flushed = device.flushed, device.options.durability == .normal,
            chance.chance(2, in: 3)
        {
            flushed.image.put(into: device.folder, .overwriting)
            device.holdings = flushed.holdings
            device.sequence = 0
        }
        device.boot += 1
        device.flushed = nil
        if try world.open(deviceIndex) != wasWriting {
            throw Violation(
                "\(deviceIndex) \(wasWriting ? "keeps" : "doubts") its id after a power cut")
        }
    }

    private mutating func copy(_ deviceIndex: Int) throws {
        guard world.devices.count < 6 else { return }
        let old = world.devices[deviceIndex]
        let new = world.addDevice()
        world.say("\(deviceIndex) is copied to \(new.name)")
        FolderImage(of: old.folder).put(into: new.folder, .replaced)
        new.boot = old.boot
        new.holdings = old.holdings
        if try !world.open(world.devices.count - 1) { throw Violation("a copy keeps its id") }
    }

    private mutating func backUpOrRestore(_ deviceIndex: Int) throws {
        let device = world.devices[deviceIndex]
        if device.backups.isEmpty || chance.chance(1, in: 3) {
            world.say("\(deviceIndex) is backed up")
            device.backups.append((FolderImage(of: device.folder), device.holdings))
            return
        }
        let backup = chance.pick(device.backups)
        world.say("\(deviceIndex) is set back to a backup")
        world.vanish(deviceIndex)
        if chance.chance(1, in: 2) { device.close() } else { device.abandon() }
        SyncWorld.waitForTick()
        backup.image.put(into: device.folder, chance.pick(FolderImage.Manner.allCases))
        SyncWorld.waitForTick()
        device.holdings = backup.holdings
        device.sequence = 0
        device.flushed = nil
        if try !world.open(deviceIndex) {
            throw Violation("\(deviceIndex) keeps its id though set back")
        }
    }

    /// Old content gets into the same files while the store is open, and nothing can tell.
    private mutating func setBack(_ deviceIndex: Int) throws {
        let device = world.devices[deviceIndex]
        if device.backups.isEmpty || chance.chance(1, in: 3) {
            device.backups.append((FolderImage(of: device.folder), device.holdings))
            return
        }
        let backup = chance.pick(device.backups)
        world.vanish(deviceIndex)
        device.abandon()
        backup.image.put(into: device.folder, .overwriting, keepsIdentityFile: true)
        device.flushed = nil
        let isNoticed = try world.open(deviceIndex)
        world.say("\(deviceIndex) is set back\(isNoticed ? ", and notices" : "")")
        world.count(isNoticed ? "noticed" : "unnoticed")
        if isNoticed { device.backups = [] }
    }
}
