import Core
import Storage
import TestSupport
import Testing

@Suite("What is read of a damaged store is not taken for more than it is")
struct RescueAgeTests {
    private static let count = 60

    private let world = StoreWorld()
    private let database = "a/store.db"

    /// A store with sixty to-dos on several pages, closed.
    private func filled() throws -> [RecordID] {
        let store = try world.create("a")
        let ids = try (0..<Self.count).map { number in
            try StoreWorld.add("\(number) " + String(repeating: "long ", count: 40), to: store)
        }
        store.close()
        return ids
    }

    /// The pages of the first to-dos as they were, behind the last page of the file, and these to-dos changed since.
    private func withOldCopies() throws {
        let ids = try filled()
        let page = try #require(world.pages(of: "todo_record", "leaf", in: database).first)
        world.run(
            "dd", "if=\(world.path(database))", "of=\(world.path("page"))", "bs=4096",
            "skip=\(page - 1)", "count=1")
        let store = try world.open("a")
        try StoreWorld.rename(ids[0], "renamed", in: store)
        store.close()
        world.run("sh", "-c", "cat \(world.path("page")) >> \(world.path(database))")
    }

    private func titles() throws -> [String] {
        let store = try world.open("a")
        #expect(try store.examine() == [])
        return try StoreWorld.titles(store)
    }

    /// Damages the beginning of the file, which says what is free, and the page with the last change.
    private func damage() throws {
        let last = try #require(world.pages(of: "todo_record", "leaf", in: database).last)
        let index = world.pages(of: "sqlite_autoindex_todo_record_1", "leaf", in: database)
        try #require(!index.isEmpty)
        world.flip(page: last, of: database)
        world.flip(page: 1, of: database)
    }

    // Goal: nobody is told that a to-do is there if it is only there as it was once.
    // Method: behind the file lies a page as SQLite leaves them when rows have moved; the newest row is damaged.
    @Test("an old copy of a row is told as one, where the index of ids can be read")
    func outdated() throws {
        try withOldCopies()
        try damage()
        let report = try world.rescue("a", space: SpaceID(value: 7))
        #expect(report.outdatedCount == 1, "\(report)")
        #expect(report.uncertainCount == 0, "\(report)")
        #expect(!report.isAltered)
        #expect(try titles().contains { $0.hasPrefix("0 long") })
    }

    @Test("without the index it is told that it may be one")
    func suspicious() throws {
        try withOldCopies()
        let index = world.pages(of: "sqlite_autoindex_todo_record_1", "leaf", in: database)
        try damage()
        for page in index { world.flip(page: page, of: database) }
        let report = try world.rescue("a", space: SpaceID(value: 7))
        #expect(report.outdatedCount == 0, "\(report)")
        #expect(report.uncertainCount == 1, "\(report)")
    }

    @Test("beside the row itself an old copy counts for nothing")
    func beside() throws {
        try withOldCopies()
        world.flip(page: 1, of: database)
        let report = try world.rescue("a", space: SpaceID(value: 7))
        #expect(report.outdatedCount == 0 && report.uncertainCount == 0, "\(report)")
        #expect(report.lostCount == 0 && !report.isAltered, "\(report)")
        #expect(try titles().contains("renamed"))
    }

    @Test("a page that only the way to is lost is as it was last")
    func wayLost() throws {
        _ = try filled()
        let inner = try #require(world.pages(of: "todo_record", "internal", in: database).first)
        world.flip(page: inner, of: database)
        let report = try world.rescue("a")
        #expect(report.readCount == Self.count && report.lostCount == 0, "\(report)")
        #expect(report.outdatedCount == 0 && report.uncertainCount == 0, "\(report)")
        #expect(!report.isAltered, "\(report)")
    }

    // Goal: "none is lost" is said of contents as well.
    // Method: one rekey message of one title is another one, beside a damaged page of the journal.
    @Test(
        "a text that damage has changed is told of, though every row can be read",
        arguments: [false, true])
    func altered(isAltered: Bool) throws {
        _ = try filled()
        if isAltered {
            let pages = world.pages(of: "todo_record", "leaf", in: database)
            var isDone = false
            world.change(page: try #require(pages.first), of: database) { byte in
                defer { isDone = isDone || byte == UInt8(ascii: "g") }
                return byte == UInt8(ascii: "g") && !isDone ? UInt8(ascii: "f") : byte
            }
        }
        let journal = try #require(world.pages(of: "journal", "leaf", in: database).first)
        world.flip(page: journal, of: database)
        let report = try world.rescue("a")
        #expect(report.readCount == Self.count && report.lostCount == 0, "\(report)")
        #expect(report.isAltered == isAltered, "\(report)")
        #expect(!report.isUnchecked)
    }

    @Test("without the store's own sum nobody says that contents are as they were")
    func unchecked() throws {
        _ = try filled()
        let state = try #require(world.pages(of: "state", "leaf", in: database).first)
        world.flip(page: state, of: database)
        let report = try world.rescue("a", space: SpaceID(value: 7))
        #expect(report.isUnchecked && !report.isAltered, "\(report)")
        #expect(report.readCount == Self.count && report.lostCount == 0, "\(report)")
    }

    @Test("a fault that says nothing about the file is not taken for damage")
    func faults() {
        let path = "/store.db"
        let damage: [StoreFault] = [
            .corrupt(path: path, detail: ""), .notAStore(path: path),
            .database(code: 1, detail: "", statement: ""),
            .database(code: 19 | 8 << 8, detail: "", statement: ""),
        ]
        let others: [StoreFault] = [
            .inputOutput(call: "open", path: path, detail: ""), .readOnly(path: path),
            .diskFull(path: path), .database(code: 7, detail: "", statement: ""),
            .database(code: 9, detail: "", statement: ""), .inUse(by: .processes([])),
            .busy(holder: "", waitedMilliseconds: 0), .newerStore(found: 9, supported: 1),
        ]
        for fault in damage { #expect(fault.tellsOfDamage, "\(fault)") }
        for fault in others { #expect(!fault.tellsOfDamage, "\(fault)") }
    }
}

@Suite("What a page of a damaged store says of itself is not believed")
struct RescuePageTests {
    private static let count = 60

    /// A store that is closed, and one of the pages with its to-dos.
    private static func filled() throws -> (world: StoreWorld, page: Int) {
        let world = StoreWorld()
        let store = try world.create("a")
        for number in 0..<count {
            try StoreWorld.add("\(number) " + String(repeating: "long ", count: 40), to: store)
        }
        store.close()
        let pages = world.pages(of: "todo_record", "leaf", in: "a/store.db")
        return (world, try #require(pages.dropFirst(2).first))
    }

    // Goal: no number of cells ends the program, least of all one whose list ends with the page or just before.
    @Test("a page that says to have any number of cells", arguments: 2040...2045)
    func cellCounts(count: Int) throws {
        let (world, page) = try Self.filled()
        var position = 0
        world.change(page: page, of: "a/store.db") { byte in
            defer { position += 1 }
            return position == 3 ? UInt8(count >> 8) : position == 4 ? UInt8(count & 0xff) : byte
        }
        let report = try world.rescue("a")
        #expect(report.lostCount > 0 && report.lostCount < 20, "\(report)")
        #expect(report.readCount + report.lostCount == Self.count, "\(report)")
        let opened = try world.open("a")
        #expect(try opened.examine() == [])
        #expect(try StoreWorld.titles(opened).count == report.readCount)
    }

    // Goal: memory and time grow with the file, whatever a page makes of its own rows.
    @Test("a page that has one row a hundred times is not read a hundred times")
    func repeatedCell() throws {
        let (world, page) = try Self.filled()
        var bytes: [UInt8] = []
        world.change(page: page, of: "a/store.db") { byte in
            bytes.append(byte)
            return byte
        }
        // As many pointers as have room in front of the first row, all to the one that stands first in the list.
        let count = Int(bytes[3]) << 8 | Int(bytes[4])
        let start = (0..<count).map { Int(bytes[8 + 2 * $0]) << 8 | Int(bytes[9 + 2 * $0]) }.min()
        let rows = (try #require(start) - 8) / 2
        try #require(rows > count)
        var position = 0
        world.change(page: page, of: "a/store.db") { byte in
            defer { position += 1 }
            switch position {
            case 3: return UInt8(rows >> 8)
            case 4: return UInt8(rows & 0xff)
            case 8..<(8 + 2 * rows): return bytes[8 + position % 2]
            default: return byte
            }
        }
        let report = try world.rescue("a", isDry: true)
        let trees = report.findings.compactMap { finding -> SalvageFinding.Tree? in
            if case .unreadable(let tree) = finding { tree } else { nil }
        }
        let tree = try #require(trees.first { $0.name == "todo_record" && !$0.isIndex })
        #expect(tree.rowCount >= rows - 4096 / 200, "\(tree), of \(rows)")
        #expect(report.lostCount == count - 1, "\(report)")
    }
}
