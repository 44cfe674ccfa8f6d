import Core
import Simulation
import Storage
import Testing

/// Disks that are full, rot, are copied or set back.
@Suite("The state of a disk")
struct DiskStateTests {
    @Test("a full disk refuses, harms nothing, and goes on when there is room again")
    func full() throws {
        var sizes = 0
        for free in stride(from: 0, through: 120_000, by: 3_001) {
            let device = DiskDevice()
            let store = try device.create()
            var kept: Set<String> = []
            try DiskDevice.add("before", to: store)
            kept.insert("before")
            device.disk.freeByteCount = free
            var fault: StoreFault?
            for number in 0..<200 {
                let title = "note \(number) " + String(repeating: "x", count: 700)
                do {
                    try DiskDevice.add(title, to: store)
                    kept.insert(title)
                } catch {
                    fault = error as? StoreFault
                    break
                }
            }
            if case .diskFull? = fault {
                sizes += 1
            } else {
                Issue.record("\(free): \(String(describing: fault))")
            }
            #expect(Set(try DiskDevice.titles(store)) == kept)
            #expect(try store.examine().isEmpty)
            store.close()
            let suspicion = try openFull(device)
            device.disk.freeByteCount = nil
            let again = try device.open()
            #expect(Set(try DiskDevice.titles(again)) == kept)
            #expect(try again.examine().isEmpty)
            #expect(
                again.suspicion == nil && suspicion == nil,
                "\(free): \(String(describing: again.suspicion))")
            try DiskDevice.add("after", to: again)
        }
        #expect(sizes == 40)
    }

    /// A full disk may keep a store from being opened, but for no other reason.
    private func openFull(_ device: DiskDevice) throws -> CloneSuspicion? {
        do {
            let store = try device.open()
            store.close()
            return store.suspicion
        } catch StoreFault.diskFull {
            return nil
        }
    }

    @Test("a store is not made where there is no room, and is made when there is")
    func makingFull() throws {
        for free in stride(from: 0, through: 300_000, by: 7_001) {
            let device = DiskDevice()
            device.disk.freeByteCount = free
            do {
                let store = try device.create()
                #expect(try store.examine().isEmpty)
            } catch {
                guard case .diskFull? = error as? StoreFault else {
                    Issue.record("\(free): \(error)")
                    continue
                }
                device.disk.freeByteCount = nil
                // Either there is nothing yet, or only its last step was refused.
                let store: Store
                do {
                    store = try device.open()
                } catch StoreFault.noStore {
                    store = try device.create()
                }
                #expect(try store.examine().isEmpty)
            }
        }
    }

    @Test("a bit that turned over is found or does no harm")
    func rot() throws {
        let device = DiskDevice()
        let store = try device.create()
        for number in 0..<120 { try DiskDevice.add("note \(number)", to: store) }
        let titles = Set(try DiskDevice.titles(store))
        store.close()
        let image = device.disk.snapshot()
        var chance = Chance(seed: 5, "rot")
        var (found, missed) = (0, 0)
        for _ in 0..<300 {
            device.disk.restore(image, .unnoticed)
            device.disk.flipBit(of: DiskDevice.paths.database, choosing: &chance)
            do {
                let store = try device.open()
                defer { store.close() }
                let findings = try store.examine()
                let shown = Set(try DiskDevice.titles(store))
                if findings.isEmpty { missed += 1 } else { found += 1 }
                if findings.isEmpty { #expect(shown == titles) }
                try DiskDevice.add("after", to: store)
            } catch {
                #expect(error is StoreFault)
                found += 1
            }
        }
        print("\(found) bits found, \(missed) without harm")
        #expect(found > 20)
    }

    @Test(
        "a disk that is set back raises the doubt that belongs to the manner",
        arguments: RestoreManner.allCases)
    func restored(manner: RestoreManner) throws {
        let device = DiskDevice()
        let store = try device.create()
        try DiskDevice.add("one", to: store)
        store.close()
        let image = device.disk.snapshot()
        let later = try device.open()
        try DiskDevice.add("two", to: later)
        later.close()
        device.disk.restore(image, manner)
        let again = try device.open()
        #expect(try DiskDevice.titles(again) == ["one"])
        #expect(try again.examine().isEmpty)
        switch manner {
        case .unnoticed: #expect(again.suspicion == nil)
        case .overwriting: #expect(again.suspicion == .identityFileReplaced)
        case .databaseAlone: #expect(again.suspicion == .changedWhileClosed)
        case .replaced: #expect(again.suspicion == .otherFile)
        }
    }

    @Test("a disk copied to another device is a copy, open or closed", arguments: [false, true])
    func copied(isOpen: Bool) throws {
        let device = DiskDevice()
        let store = try device.create()
        try DiskDevice.add("one", to: store)
        if !isOpen { store.close() }
        let twin = DiskDevice(number: 9)
        twin.disk.restore(device.disk.snapshot(), .replaced)
        let copy = try twin.open()
        #expect(copy.suspicion == .otherFile)
        #expect(copy.replica != store.replica)
        #expect(try DiskDevice.titles(copy) == ["one"])
        #expect(try copy.examine().isEmpty)
    }

    @Test("a backup is a store of its own, on the same disk")
    func backedUp() throws {
        let device = DiskDevice()
        let store = try device.create()
        try DiskDevice.add("one", to: store)
        try store.backup(to: "/backup")
        try DiskDevice.add("two", to: store)
        let copy = try device.open(folder: "/backup")
        #expect(copy.suspicion == .noIdentityFile)
        #expect(try DiskDevice.titles(copy) == ["one"])
        #expect(try DiskDevice.titles(store) == ["one", "two"])
    }

    @Test("the files of a made-up disk make a store on a real one")
    func exported() throws {
        let device = DiskDevice()
        let store = try device.create()
        for number in 0..<20 { try DiskDevice.add("note \(number)", to: store) }
        let titles = try DiskDevice.titles(store)
        let folder = try RealFolder()
        for file in device.disk.contents() {
            try folder.put(file.bytes, in: String(file.path.split(separator: "/").last ?? ""))
        }
        let copy = try Store.open(
            folder: folder.path, schema: DiskDevice.schema,
            environment: device.environment(on: nil))
        #expect(copy.suspicion == .otherFile)
        #expect(try DiskDevice.titles(copy) == titles)
        #expect(try copy.examine().isEmpty)
        copy.close()
    }

    @Test("the same requests lead to the same files and the same number of writes")
    func repeated() throws {
        let runs = try (0..<2).map { _ in
            let device = DiskDevice()
            let store = try device.create()
            for number in 0..<20 { try DiskDevice.add("note \(number)", to: store) }
            store.close()
            return (device.disk.counts, device.disk.contents().map(\.bytes))
        }
        #expect(runs[0].0 == runs[1].0)
        #expect(runs[0].1 == runs[1].1)
    }
}
