import Core
import Simulation
import Storage
import TestSupport
import Testing

/// The real SQLite on a disk in memory: it works as on a real one, and as several processes expect.
@Suite("A made-up disk")
struct SimulatedDiskTests {
    @Test("a store is made, edited, closed and opened again")
    func reopened() throws {
        let device = DiskDevice()
        let store = try device.create()
        for number in 0..<50 { try DiskDevice.add("note \(number)", to: store) }
        let titles = try DiskDevice.titles(store)
        let replica = store.replica
        #expect(titles.count == 50)
        #expect(try store.examine().isEmpty)
        store.close()
        #expect(
            device.disk.snapshot().paths
                == ["identity", "lock", "store.db"].map {
                    DiskDevice.folder + "/" + $0
                })
        let again = try device.open()
        #expect(again.suspicion == nil)
        #expect(again.replica == replica)
        #expect(try DiskDevice.titles(again) == titles)
        #expect(try again.examine().isEmpty)
    }

    @Test("two stores on one disk see each other's commits and wait for each other")
    func twoProcesses() throws {
        let device = DiskDevice()
        let first = try device.create()
        let second = try device.open()
        #expect(second.suspicion == nil)
        let id = try DiskDevice.add("one", to: first)
        #expect(try DiskDevice.titles(second) == ["one"])
        try DiskDevice.rename(id, "two", in: second)
        #expect(try DiskDevice.titles(first) == ["two"])
        try first.write { transaction in
            _ = try transaction.update(id, [Assignment(.number(2), .text("three"))])
            let holder = device.disk.holder(ofDatabase: DiskDevice.paths.database)
            #expect(throws: StoreFault.busy(holder: holder, waitedMilliseconds: 5000)) {
                try DiskDevice.rename(id, "four", in: second)
            }
            #expect(try DiskDevice.titles(second) == ["two"])
        }
        #expect(try DiskDevice.titles(second) == ["three"])
        second.close()
        try DiskDevice.rename(id, "five", in: first)
        first.close()
        let third = try device.open()
        #expect(third.suspicion == nil)
        #expect(try DiskDevice.titles(third) == ["five"])
    }

    @Test("a killed process leaves what it wrote, and harms nobody who comes after")
    func killed() throws {
        let device = DiskDevice()
        let store = try device.create()
        try DiskDevice.add("one", to: store)
        device.disk.crash()
        let again = try device.open()
        #expect(again.suspicion == nil)
        #expect(throws: StoreFault.self) { try DiskDevice.add("two", to: store) }
        try DiskDevice.add("three", to: again)
        store.close()
        #expect(try DiskDevice.titles(again) == ["one", "three"])
        #expect(try again.examine().isEmpty)
    }
}
