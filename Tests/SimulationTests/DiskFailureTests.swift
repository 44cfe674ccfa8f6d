import Causality
import Records
import Simulation
import Storage
import Testing

/// The disk fails at each single write of a device's life, in each of the ways that disks have.
@Suite("A failing disk")
struct DiskFailureTests {
    /// Lives until the fuse blows at the write of that number; nil if there are not so many.
    private func failing(
        _ options: StoreOptions, _ set: (SimulatedDisk) -> Void
    ) throws -> DiskTrial? {
        let trial = DiskTrial(options: options)
        set(trial.device.disk)
        do {
            try trial.live()
            trial.close()
        } catch {
            try #require(trial.device.disk.hasFuseBlown, "\(error)")
        }
        return trial.device.disk.hasFuseBlown ? trial : nil
    }

    @Test(
        "a process killed at any write loses nothing acknowledged, and keeps its id",
        arguments: [false, true])
    func killed(isTorn: Bool) throws {
        var count = 1
        while let trial = try failing(
            StoreOptions(),
            {
                $0.crashAfterWrites(
                    count, tearing: isTorn ? Chance(seed: UInt64(count), "tear") : nil)
            })
        {
            trial.device.disk.crash()
            let store = try trial.recover()
            #expect(try store.examine().isEmpty, "write \(count)")
            #expect(trial.acknowledged.isSubset(of: try DiskDevice.titles(store)), "write \(count)")
            if trial.isCreated { #expect(store.doubt == nil, "write \(count)") }
            try DiskDevice.add("after", to: store)
            store.close()
            let again = try trial.device.open()
            #expect(again.doubt == nil, "write \(count)")
            #expect(try DiskDevice.titles(again).contains("after"))
            count += 1
        }
        print("killed at each of \(count - 1) writes")
        #expect(count > 100)
    }

    @Test(
        "a power cut at any write loses nothing that a peer was told, or nothing acknowledged if commits are flushed",
        arguments: [StoreOptions.Durability.normal, .full], 0..<3)
    func powerCut(durability: StoreOptions.Durability, seed: Int) throws {
        var options = StoreOptions()
        options.durability = durability
        var count = 1
        var kept = 0
        while let trial = try failing(options, { $0.losePowerAfterWrites(count) }) {
            var chance = Chance(seed: UInt64(seed * 100_000 + count), "power")
            switch seed {
            case 0: trial.device.disk.losePower(keeping: .nothingUnsynced)
            case 1: trial.device.disk.losePower(keeping: .everything)
            default: trial.device.disk.losePower(choosing: &chance)
            }
            trial.device.restart()
            let store = try trial.recover()
            #expect(try store.examine().isEmpty, "write \(count)")
            // Who keeps his id may have lost nothing: else two writes could get the same dot.
            let isSame = store.replica == trial.replica
            let promised = durability == .full || isSame ? trial.acknowledged : trial.spoken
            let titles = try DiskDevice.titles(store)
            #expect(promised.isSubset(of: titles), "write \(count): \(titles)")
            if trial.isCreated, let writer = trial.writer {
                #expect(store.replica != writer, "write \(count)")
                #expect(store.doubt != nil, "write \(count)")
            }
            if store.doubt == nil { kept += 1 }
            try DiskDevice.add("after", to: store)
            store.close()
            let again = try trial.device.open()
            #expect(again.doubt == nil, "write \(count)")
            count += 1
        }
        print("power cut at each of \(count - 1) writes, \(kept) kept their id")
        #expect(count > 100)
    }
}
