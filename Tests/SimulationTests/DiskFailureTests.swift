import Core
import Simulation
import Storage
import TestSupport
import Testing

/// The disk fails at each single write of a device's life, in each of the ways that disks have.
@Suite("A failing disk")
struct DiskFailureTests {
    /// In how many ways the power is cut: the first two are all or nothing, the rest are random.
    private static let mannerCount = max(4, TestSettings.number("TANDEM_DISK_CUTS") ?? 4)

    /// How far apart the writes are at which the disk fails; 1 is every write, and takes minutes.
    private func distance(_ life: DiskLife) -> Int {
        let usual = life == .large ? 41 : 9
        return max(1, TestSettings.number("TANDEM_DISK_DISTANCE") ?? usual)
    }

    /// Lives until the fuse blows at the write of that number; nil if there are not so many.
    private func failing(
        _ life: DiskLife, _ options: StoreOptions, _ set: (SimulatedDisk) -> Void
    ) throws -> DiskTrial? {
        let trial = try DiskTrial(life, options: options)
        try trial.prepare()
        set(trial.device.disk)
        do {
            try trial.live()
            trial.close()
        } catch {
            try #require(trial.device.disk.hasFuseBlown, "\(error)")
        }
        return trial.device.disk.hasFuseBlown ? trial : nil
    }

    /// Writes on, meets the peer again, closes and opens: nothing is wrong, and both have the same.
    private func goOn(_ trial: DiskTrial, _ store: Store, _ label: String) throws {
        #expect(try store.deviceName(of: store.replica) == "device", "\(label)")
        try DiskDevice.add("after", to: store)
        for _ in 0..<3 {
            try DiskDevice.pull(trial.peer, from: store) {}
            try DiskDevice.pull(store, from: trial.peer) {}
        }
        let (mine, theirs) = (try store.summary(), try trial.peer.summary())
        #expect(mine.digest == theirs.digest && mine.knowledge == theirs.knowledge, "\(label)")
        #expect(try DiskDevice.titles(store) == DiskDevice.titles(trial.peer), "\(label)")
        #expect(try store.examine() == [] && trial.peer.examine() == [], "\(label)")
        store.close()
        let again = try trial.device.open()
        #expect(again.suspicion == nil, "\(label)")
        #expect(try DiskDevice.titles(again).contains("after"), "\(label)")
    }

    @Test(
        "a process killed at a write loses nothing acknowledged, and keeps its id",
        arguments: DiskLife.allCases)
    func killed(life: DiskLife) throws {
        let distance = distance(life)
        var (count, trialCount) = (1, 0)
        while let trial = try failing(
            life, StoreOptions(),
            {
                let tearing = count % 2 == 0 ? Chance(seed: UInt64(count), "tear") : nil
                $0.crashAfterWrites(count, tearing: tearing)
            })
        {
            let label = "write \(count)"
            trial.device.disk.crash()
            let store = try trial.recover()
            #expect(try store.examine() == [], "\(label)")
            #expect(trial.acknowledged.isSubset(of: try DiskDevice.titles(store)), "\(label)")
            if life == .ordinary
                || trial.isCreated && trial.replica != nil && life != .forked
                    && life != .revived
            {
                #expect(store.suspicion == nil, "\(label)")
            }
            // A doubt that was there before costs one id, whenever the process that settles it is killed.
            let changes = try store.identityChanges().map(\.reason)
            switch life {
            case .copied: #expect(changes == [.otherFile], "\(label)")
            case .revived: #expect(changes == [.powerCut], "\(label)")
            case .forked: #expect([[], [.peerKnowsOther]].contains(changes), "\(label)")
            default: #expect(changes == [], "\(label)")
            }
            try goOn(trial, store, label)
            count += distance
            trialCount += 1
        }
        #expect(count > 50 && trialCount * distance > 50)
    }

    /// Whether the lock file does not tell of the identity file that is in place, as a process was killed between the two.
    private func isApart(_ disk: SimulatedDisk) throws -> Bool {
        let paths = DiskDevice.paths
        guard disk.exists(paths.identityFile) else { return false }
        let placed = "placed \(try disk.identify(paths.identityFile).changed)\n"
        return disk.read(paths.lockFile)?.starts(with: placed.utf8) != true
    }

    @Test("a second kill before the lock file tells of the identity file costs no id either")
    func killedTwice() throws {
        var (first, pairCount) = (1, 0)
        while true {
            var (second, isApart, isOver) = (1, true, false)
            while isApart, !isOver {
                guard
                    let trial = try failing(
                        .ordinary, StoreOptions(), { $0.crashAfterWrites(first) })
                else {
                    #expect(pairCount > 50)
                    return
                }
                let disk = trial.device.disk
                disk.crash()
                isApart = try self.isApart(disk)
                if !isApart { break }
                disk.crashAfterWrites(second)
                do {
                    let store = try trial.device.open()
                    try DiskDevice.add("between", to: store)
                    store.close()
                } catch {
                    try #require(disk.hasFuseBlown || !trial.isCreated, "\(error)")
                }
                isOver = !disk.hasFuseBlown
                disk.crash()
                let store = try trial.recover()
                let label = "writes \(first) and \(second)"
                #expect(store.suspicion == nil, "\(label)")
                #expect(try store.identityChanges() == [], "\(label)")
                store.close()
                second += 1
                pairCount += 1
            }
            first += 1
        }
    }

    @Test(
        "a power cut at a write loses nothing that a peer was told, or nothing acknowledged if commits are flushed",
        arguments: DiskLife.allCases, 0..<Self.mannerCount)
    func powerCut(life: DiskLife, manner: Int) throws {
        var options = StoreOptions()
        options.durability = manner % 4 == 3 ? .full : .normal
        let distance = distance(life)
        var (count, trialCount) = (1 + manner % distance, 0)
        while let trial = try failing(life, options, { $0.losePowerAfterWrites(count) }) {
            let label = "write \(count)"
            var chance = Chance(seed: UInt64(manner * 100_000 + count), "power")
            switch manner {
            case 0: trial.device.disk.losePower(keeping: .nothingUnsynced)
            case 1: trial.device.disk.losePower(keeping: .everything)
            default: trial.device.disk.losePower(choosing: &chance)
            }
            trial.device.restart()
            let store = try trial.recover()
            #expect(try store.examine() == [], "\(label)")
            // A device that keeps its replica id has lost nothing: otherwise two writes could get
            // the same dot.
            let keepsAll = options.durability == .full || store.replica == trial.replica
            let promised = keepsAll ? trial.acknowledged : trial.spoken
            #expect(promised.isSubset(of: try DiskDevice.titles(store)), "\(label)")
            if trial.isCreated, let writer = trial.writer {
                #expect(store.replica != writer && store.suspicion != nil, "\(label)")
            }
            try goOn(trial, store, label)
            count += distance
            trialCount += 1
        }
        #expect(count > 50 && trialCount * distance > 50)
    }

    @Test(
        "a disk that is full refuses for that reason alone; with room again, nothing is missing",
        arguments: DiskLife.allCases)
    func full(life: DiskLife) throws {
        var (refusedCount, free) = (0, 0)
        let step = 1_009 * distance(life)
        while true {
            let label = "\(free) bytes free"
            let trial = try DiskTrial(life)
            try trial.prepare()
            trial.device.disk.freeByteCount = free
            var refusal: StoreFault?
            do {
                try trial.live()
            } catch {
                refusal = error as? StoreFault
                guard case .diskFull? = refusal else {
                    Issue.record("\(label): \(error)")
                    break
                }
            }
            trial.close()
            trial.device.disk.freeByteCount = nil
            let store = try trial.recover()
            #expect(try store.examine() == [], "\(label)")
            #expect(trial.acknowledged.isSubset(of: try DiskDevice.titles(store)), "\(label)")
            if trial.isCreated, trial.replica != nil, life != .forked, life != .revived {
                #expect(store.suspicion == nil, "\(label)")
            }
            try goOn(trial, store, label)
            if refusal == nil { break }
            refusedCount += 1
            free += step
        }
        #expect(refusedCount > 2)
    }
}
