import Core
import Simulation
import Storage
import TestSupport
import Testing

/// The program ends at each write of a snapshot, in each of the ways that programs do.
@Suite("Snapshots of a program that ends")
struct SnapshotCrashTests {
    private static let noteCount = 60

    /// Everything that lies there as a snapshot, or as a backup, is whole.
    private func check(_ device: DiskDevice, _ paths: [String], _ label: String) throws {
        for (number, path) in paths.enumerated() {
            let copy = try Store.openCopy(
                of: path, in: "/home/scratch-\(number)", schema: DiskDevice.schema,
                environment: device.environment)
            #expect(try copy.examine() == [], "\(label)")
            #expect(try DiskDevice.titles(copy).count == Self.noteCount, "\(label)")
            copy.close()
        }
    }

    private func endings(
        _ isPowerCut: Bool, _ work: (Store) throws -> Void,
        _ found: (DiskDevice, Store) -> [String]
    ) throws -> Int {
        for count in 1..<1000 {
            let device = DiskDevice(number: UInt64(count))
            let store = try device.create()
            for number in 0..<Self.noteCount { try DiskDevice.add("note \(number)", to: store) }
            // The contents of the copies are on the disk.
            _ = try store.greeting(to: nil)
            device.fail(afterWrites: count, byPowerCut: isPowerCut)
            try? work(store)
            guard device.disk.hasFuseBlown else { return count }
            store.abandon()
            device.comeBack(fromPowerCut: isPowerCut, seed: count)
            let again = try device.open()
            try check(device, found(device, again), "write \(count)")
            // The remains of a snapshot that failed block nothing, and are deleted a day later.
            device.now += 2 * 86_400_000
            try work(again)
            try check(device, found(device, again), "after write \(count)")
            let names = device.disk.fileNames(in: DiskDevice.paths.snapshots)
            #expect(names.allSatisfy { Store.Snapshot(name: $0) != nil }, "write \(count)")
        }
        return 1000
    }

    @Test("a snapshot that is there is whole", arguments: [false, true])
    func snapshots(isPowerCut: Bool) throws {
        let count = try endings(isPowerCut) { store in
            try store.takeSnapshot()
        } _: { _, store in
            store.snapshots().map { store.path(of: $0) }
        }
        #expect(count > 10 && count < 1000)
    }

    @Test("a backup that is there is whole", arguments: [false, true])
    func backups(isPowerCut: Bool) throws {
        let folders = ["/home/first", "/home/second"]
        let count = try endings(isPowerCut) { store in
            let disk = folders.first {
                (try? store.backup(to: $0)) != nil
            }
            if disk == nil { throw StoreFault.closed }
        } _: { device, _ in
            folders.map { StorePaths(folder: $0).database }.filter { device.disk.exists($0) }
        }
        #expect(count > 10 && count < 1000)
    }
}
