import Core
import Simulation
import Storage
import TestSupport
import Testing

/// The flushes of an `add`: `docs/durability.md` has a table of what each of them guards.
@Suite("The flushes of an edit")
struct FlushTests {
    /// A flush that opening a store, one edit and closing ask for.
    enum Flush: String, CaseIterable, CustomTestStringConvertible {
        case head = "the head of a log that begins"
        case folder = "the names in the folder"
        case log = "the log before it is brought into the file"
        case database = "the file before its log goes"

        var testDescription: String { rawValue }

        func isMeant(by flush: DiskFlush, isFolding: Bool) -> Bool {
            switch self {
            case .head: flush.path.hasSuffix("-wal") && !isFolding
            case .folder: flush.isFolder
            case .log: flush.path.hasSuffix("-wal") && isFolding
            case .database: flush.path.hasSuffix("store.db")
            }
        }
    }

    /// The most flushes of an opening, an edit and a closing.
    private static let flushCountMax = 4
    /// In how many ways the power is cut at each write: all lost, all kept, the latest kept, and by chance.
    private static let mannerCount = max(6, TestSettings.number("TANDEM_DISK_CUTS") ?? 6)
    /// How far apart the writes are at which the power is cut; 1 is every write.
    private static let distance = max(1, TestSettings.number("TANDEM_DISK_DISTANCE") ?? 3)
    /// How many times the log is brought into the file, and how many edits it has each time.
    private static let (foldCount, editCount) = (2, 3)

    /// A store with some notes, closed, all of it on the disk.
    private static func madeStore() throws -> (image: DiskImage, replica: ReplicaID) {
        let device = DiskDevice()
        let store = try device.create()
        for number in 0..<60 {
            try DiskDevice.add("note \(number)" + String(repeating: "y", count: 400), to: store)
        }
        _ = try store.greeting(to: nil)
        let replica = store.replica
        store.close()
        return (device.disk.snapshot(), replica)
    }

    @Test(
        "an opening, an edit and a closing flush four times at most, alone or beside another process"
    )
    func count() throws {
        for isAlone in [true, false] {
            let device = DiskDevice()
            device.disk.restore(try Self.madeStore().image, .unnoticed)
            let other = isAlone ? nil : try device.open()
            if let other { try DiskDevice.add("other", to: other) }
            let before = device.disk.counts.syncs
            let store = try device.open()
            try DiskDevice.add("mine", to: store)
            store.close()
            #expect(device.disk.counts.syncs - before <= Self.flushCountMax, "alone: \(isAlone)")
            #expect(device.disk.counts.syncs > before)
            other?.close()
        }
    }

    /// Opens, edits, closes, with the power cut at a write.
    ///
    /// - Returns: what is wrong afterwards; nil for nothing. `isOver` if there are not so many writes.
    private func trial(
        _ made: (image: DiskImage, replica: ReplicaID), cutAt write: Int, manner: Int,
        without flush: Flush?
    ) throws -> (wrong: String?, isOver: Bool) {
        let device = DiskDevice()
        let disk = device.disk
        disk.restore(made.image, .unnoticed)
        var isFolding = false
        if let flush {
            disk.isFeigned = { flush.isMeant(by: $0, isFolding: isFolding) }
        }
        disk.losePowerAfterWrites(write)
        var edited: Set<String> = []
        var acknowledged: Set<String> = []
        var isClosed = false
        do {
            let store = try device.open()
            try store.postponeFolding()
            for round in 0..<Self.foldCount {
                isFolding = false
                for number in 0..<Self.editCount {
                    let title = "edit \(round) \(number)" + String(repeating: "z", count: 300)
                    try DiskDevice.add(title, to: store)
                    edited.insert(title)
                }
                isFolding = true
                // The closing folds the last ones.
                if round + 1 < Self.foldCount {
                    try store.foldLog()
                    acknowledged = edited
                }
            }
            store.close()
            isClosed = !disk.hasFuseBlown
        } catch {
            guard disk.hasFuseBlown else { return ("\(error)", false) }
        }
        if isClosed { acknowledged = edited }
        let isOver = isClosed
        disk.isFeigned = { _ in false }
        var chance = Chance(seed: UInt64(manner * 100_000 + write), "power")
        switch manner {
        case 0: disk.losePower(keeping: .nothingUnsynced)
        case 1: disk.losePower(keeping: .everything)
        case 2: disk.losePower(keeping: .latest(8))
        default: disk.losePower(choosing: &chance)
        }
        device.restart()
        do {
            let store = try device.open()
            let titles = try DiskDevice.titles(store)
            // Under the id that it had, no write of it may be gone: the next one would get the same dot.
            if store.replica == made.replica { acknowledged = edited }
            if titles.count(where: { $0.hasPrefix("note") }) != 60 {
                return ("an old note is gone", isOver)
            }
            if !acknowledged.isSubset(of: titles) { return ("an edit is gone", isOver) }
            let findings = try store.examine()
            return (findings.first.map { "\($0)" }, isOver)
        } catch {
            return ("\(error)", isOver)
        }
    }

    /// The faults after a power cut at each write, in each manner.
    ///
    /// - Parameter flush: the flush that is left out; then the first thing that is wrong is enough.
    private func wrongs(without flush: Flush?) throws -> [String] {
        let made = try Self.madeStore()
        var found: [String] = []
        for manner in 0..<Self.mannerCount {
            var write = flush == nil ? 1 + manner % Self.distance : 1
            while true {
                let (wrong, isOver) = try trial(
                    made, cutAt: write, manner: manner, without: flush)
                if let wrong { found.append("\(manner), write \(write): \(wrong)") }
                if flush != nil, wrong != nil { return found }
                if isOver { break }
                write += flush == nil ? Self.distance : 1
            }
            #expect(write > 20)
        }
        return found
    }

    @Test(
        "with all flushes, a power cut at any write costs no acknowledged edit and no second write of a dot"
    )
    func all() throws {
        #expect(try wrongs(without: nil) == [])
    }

    @Test(
        "without any one flush, a power cut at some write breaks the store or loses an edit",
        arguments: Flush.allCases)
    func without(flush: Flush) throws {
        #expect(try wrongs(without: flush) != [])
    }
}
