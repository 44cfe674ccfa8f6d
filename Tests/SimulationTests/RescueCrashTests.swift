import Core
import Simulation
import Storage
import TestSupport
import Testing

/// The program ends at each write while a damaged store is rescued, and is told to do it once more.
@Suite("A damaged store that is rescued, by a program that ends")
struct RescueCrashTests {
    private static let scratch = DiskDevice.folder + "/scratch-1"

    private static func rescue(_ device: DiskDevice, _ space: SpaceID) throws -> RescueReport {
        defer {
            for name in device.disk.fileNames(in: scratch) {
                device.disk.remove(scratch + "/" + name)
            }
        }
        return try Store.rescue(
            folder: DiskDevice.folder, schema: DiskDevice.schema, space: space,
            deviceName: "device", scratch: scratch, environment: device.environment, isDry: false)
    }

    // Goal: whenever the program ends, all that could be read is there once it is done again, under an id that
    //   nobody has heard of, and the damaged file is there as well.
    // Method: the file has lost its first bytes; whoever opens it in between may write in it.
    @Test("done again it is done, and no dot is used twice", arguments: [false, true])
    func again(isPowerCut: Bool) throws {
        var (count, finishCount) = (1, 0)
        while count < 1000 {
            let device = DiskDevice(number: UInt64(count))
            let store = try device.create()
            let peer = try DiskDevice(number: 5000).create(space: store.space)
            for number in 0..<10 { try DiskDevice.add("note \(number)", to: store) }
            if count % 3 > 0 { try store.takeSnapshot() }
            for number in 0..<5 { try DiskDevice.add("later \(number)", to: store) }
            try DiskDevice.pull(peer, from: store) {}
            try DiskDevice.add("alone", to: store)
            store.close()
            var ids: Set<ReplicaID> = [store.replica]
            device.disk.flip(bit: 1, of: DiskDevice.paths.database)
            device.fail(afterWrites: count, byPowerCut: isPowerCut)
            var report = try? Self.rescue(device, store.space)
            guard device.disk.hasFuseBlown else {
                #expect(report?.lostCount == 0)
                break
            }
            report = nil
            device.comeBack(fromPowerCut: isPowerCut, seed: count)
            let label = "write \(count)"
            if !device.disk.exists(DiskDevice.paths.database) {
                #expect(
                    try Store.finishReplacing(
                        folder: DiskDevice.folder, environment: device.environment), "\(label)")
                finishCount += 1
            }
            let between = try? device.open()
            if let between {
                #expect(!ids.contains(between.replica), "\(label)")
                #expect(try DiskDevice.titles(between).count == 16, "\(label)")
                if count % 2 == 0 {
                    try DiskDevice.add("between", to: between)
                    try DiskDevice.pull(peer, from: between) {}
                }
                ids.insert(between.replica)
                between.close()
            } else {
                #expect(try Self.rescue(device, store.space).lostCount == 0, "\(label)")
            }
            let new = try device.open()
            if between == nil { #expect(!ids.contains(new.replica), "\(label)") }
            #expect(
                try DiskDevice.titles(new).filter { $0 != "between" }.count == 16, "\(label)")
            try DiskDevice.add("anew", to: new)
            for _ in 0..<3 {
                try DiskDevice.pull(new, from: peer) {}
                try DiskDevice.pull(peer, from: new) {}
            }
            #expect(try DiskDevice.titles(new) == DiskDevice.titles(peer), "\(label)")
            let (mine, theirs) = (try new.summary(), try peer.summary())
            #expect(mine.digest == theirs.digest && mine.knowledge == theirs.knowledge, "\(label)")
            #expect(try new.examine() == [], "\(label)")
            count += 1
        }
        #expect(count > 10 && count < 1000)
        #expect(finishCount > 0, "ends between the two are among them")
    }
}
