import Core
import Simulation
import Storage
import TestSupport
import Testing

/// The program ends at each write while a damaged store is replaced, and is told to do it once more.
@Suite("A store that begins anew, by a program that ends")
struct StartingOverCrashTests {
    @Test("done again it is done, and no dot is used twice", arguments: [false, true])
    func again(isPowerCut: Bool) throws {
        var count = 1
        while count < 1000 {
            let device = DiskDevice(number: UInt64(count))
            let store = try device.create()
            let peer = try DiskDevice(number: 5000).create(space: store.space)
            for number in 0..<30 { try DiskDevice.add("note \(number)", to: store) }
            let snapshot = store.paths.snapshots + "/" + (try store.takeSnapshot())
            for number in 0..<5 { try DiskDevice.add("later \(number)", to: store) }
            try DiskDevice.pull(peer, from: store) {}
            store.close()
            var ids: Set<ReplicaID> = [store.replica]
            device.fail(afterWrites: count, byPowerCut: isPowerCut)
            func startOver() throws {
                _ = try Store.startOver(
                    folder: DiskDevice.folder, from: snapshot, environment: device.environment)
            }
            try? startOver()
            guard device.disk.hasFuseBlown else { break }
            device.comeBack(fromPowerCut: isPowerCut, seed: count)
            let label = "write \(count)"
            // Somebody may open what is there before it is done again.
            if count % 2 == 0, let between = try? device.open() {
                try DiskDevice.add("between", to: between)
                ids.insert(between.replica)
                try DiskDevice.pull(peer, from: between) {}
                between.close()
            }
            try startOver()
            let new = try device.open()
            #expect(!ids.contains(new.replica), "\(label)")
            #expect(try DiskDevice.titles(new).count == 30, "\(label)")
            try DiskDevice.add("anew", to: new)
            for _ in 0..<3 {
                try DiskDevice.pull(new, from: peer) {}
                try DiskDevice.pull(peer, from: new) {}
            }
            #expect(try DiskDevice.titles(new) == DiskDevice.titles(peer), "\(label)")
            #expect(try DiskDevice.titles(new).filter { $0 != "between" }.count == 36, "\(label)")
            let (mine, theirs) = (try new.summary(), try peer.summary())
            #expect(mine.digest == theirs.digest && mine.knowledge == theirs.knowledge, "\(label)")
            #expect(try new.examine() == [], "\(label)")
            count += 1
        }
        #expect(count > 10 && count < 1000)
    }
}
