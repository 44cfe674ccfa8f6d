import Core
import Simulation
import Storage
import TestSupport
import Testing

/// The program ends at each write of a store with an index of words, in each of the ways that programs do.
@Suite("An index of words in a program that ends")
struct SearchIndexCrashTests {
    private static var options: StoreOptions {
        var options = StoreOptions()
        options.searchedRecordCountMin = 0
        return options
    }

    private static func found(_ text: String, in store: Store) throws -> [String] {
        let predicate = FetchPredicate.contains(.field(2), text)
        return try store.fetch(FetchRequest(DiskDevice.collection, where: predicate))
            .compactMap { record in
                if case .text(let title)? = record[2] { title } else { nil }
            }.sorted()
    }

    /// Makes the index, and writes to it in each way.
    private static func work(_ store: Store) throws {
        _ = try found("note", in: store)
        let id = try DiskDevice.add("zebra", to: store)
        try DiskDevice.rename(id, "giraffe", in: store)
        let other = try DiskDevice.add("lion", to: store)
        try store.write { transaction in
            try transaction.delete(id)
            try transaction.purge(id)
            _ = try transaction.update(other, [Assignment(.number(3), .text("rank and file"))])
        }
        try store.rebuildIndexes()
    }

    /// Expects that the index fits the records, and that searches find what all titles show.
    private static func check(_ store: Store, _ label: String) throws {
        #expect(try store.examine() == [], "\(label)")
        let titles = try DiskDevice.titles(store)
        for text in ["zebr", "giraffe", "lion", "note 1", "ote"] {
            #expect(
                try found(text, in: store) == titles.filter { $0.contains(text) },
                "\(text), \(label)")
        }
    }

    @Test(
        "the index fits the records, at whichever write the program ends or the power goes",
        arguments: [false, true])
    func endings(isPowerCut: Bool) throws {
        var hasEnded = false
        for count in stride(from: 1, to: 4_000, by: 3) {
            let device = DiskDevice(number: UInt64(count))
            let store = try device.create(options: Self.options)
            for number in 0..<12 { try DiskDevice.add("note \(number)", to: store) }
            // Their contents are on the disk.
            _ = try store.greeting(to: nil)
            device.fail(afterWrites: count, byPowerCut: isPowerCut)
            try? Self.work(store)
            guard device.disk.hasFuseBlown else {
                #expect(count > 60)
                return
            }
            hasEnded = true
            store.abandon()
            device.comeBack(fromPowerCut: isPowerCut, seed: count)
            let again = try device.open(options: Self.options)
            try Self.check(again, "write \(count)")
            try Self.work(again)
            try Self.check(again, "after write \(count)")
        }
        Issue.record("the work has no end: \(hasEnded)")
    }

    @Test("a bit of the index that turned over is found, and ends no program")
    func rot() throws {
        let device = DiskDevice()
        let store = try device.create(options: Self.options)
        for number in 0..<120 { try DiskDevice.add("note \(number) of a zoo", to: store) }
        _ = try Self.found("note 7", in: store)
        let titles = try DiskDevice.titles(store)
        store.close()
        let image = device.disk.snapshot()
        var chance = Chance(seed: 6, "rot of an index")
        var (found, missed) = (0, 0)
        for _ in 0..<200 {
            device.disk.restore(image, .unnoticed)
            device.disk.flipBit(of: DiskDevice.paths.database, choosing: &chance)
            do {
                let store = try device.open(options: Self.options)
                defer { store.close() }
                if try store.examine().isEmpty {
                    missed += 1
                    #expect(
                        try Self.found("note 7", in: store)
                            == titles.filter { $0.contains("note 7") })
                } else {
                    found += 1
                    _ = try Self.found("note 7", in: store)
                }
            } catch {
                #expect(error is StoreFault)
                found += 1
            }
        }
        #expect(found > 20 && missed > 20)
    }
}
