import Core
import Simulation
import Storage
import Testing

/// The cost of the simulated disk: hardly more than SQLite's own work.
@Suite("The cost of a made-up disk", .serialized)
struct DiskCostTests {
    private func microseconds(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Int {
        let clock = ContinuousClock()
        let start = clock.now
        for number in 0..<count { try body(number) }
        return Int((clock.now - start) / .microseconds(1)) / count
    }

    @Test("openings, commits and snapshots are counted in microseconds")
    func costs() throws {
        let device = DiskDevice()
        let store = try device.create()
        for number in 0..<100 { try DiskDevice.add("note \(number)", to: store) }
        let id = try DiskDevice.add("mine", to: store)
        let before = device.disk.counts
        let count = 2000
        let commit = try microseconds(count) { try DiskDevice.rename(id, "title \($0)", in: store) }
        let writes = Double(device.disk.counts.writes - before.writes) / Double(count)
        let flushed = try microseconds(200) {
            try DiskDevice.rename(id, "flushed \($0)", in: store)
            _ = try store.greeting(to: nil)
        }
        var images: [DiskImage] = []
        let snapshot = try microseconds(100) {
            images.append(device.disk.snapshot())
            try DiskDevice.rename(id, "after image \($0)", in: store)
        }
        store.close()
        let read = try microseconds(200) { _ in try device.open().close() }
        let written = try microseconds(200) {
            let store = try device.open()
            try DiskDevice.rename(id, "opened \($0)", in: store)
            store.close()
        }
        let made = try microseconds(100) { _ in try DiskDevice().create().close() }
        print(
            """
            microseconds on the made-up disk: commit of one field \(commit) (\(writes) writes), \
            with a flush \(flushed), after a snapshot \(snapshot), open and close \(read), \
            open, commit and close \(written), make \(made)
            """)
        #expect(writes < 20)
    }
}
