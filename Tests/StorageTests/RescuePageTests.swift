import Storage
import Testing

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
        var place = 0
        world.change(page: page, of: "a/store.db") { byte in
            defer { place += 1 }
            return place == 3 ? UInt8(count >> 8) : place == 4 ? UInt8(count & 0xff) : byte
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
        var place = 0
        world.change(page: page, of: "a/store.db") { byte in
            defer { place += 1 }
            switch place {
            case 3: return UInt8(rows >> 8)
            case 4: return UInt8(rows & 0xff)
            case 8..<(8 + 2 * rows): return bytes[8 + place % 2]
            default: return byte
            }
        }
        let report = try world.rescue("a", isDry: true)
        let told = try #require(report.findings.first { $0.hasPrefix("the table todo_record: ") })
        let lost = try #require(told.split(separator: " ").compactMap { Int($0) }.first)
        #expect(lost >= rows - 4096 / 200, "\(told), of \(rows)")
        #expect(report.lostCount == count - 1, "\(report)")
    }
}
