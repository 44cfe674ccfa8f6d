import Storage
import Testing

@Suite("What a page of a damaged store says of itself is not believed")
struct RescuePageTests {
    private static let count = 60

    // Goal: no number of cells ends the program, least of all one whose list ends with the page or just before.
    @Test("a page that says to have any number of cells", arguments: 2040...2045)
    func cellCounts(count: Int) throws {
        let world = StoreWorld()
        let store = try world.create("a")
        for number in 0..<Self.count {
            try StoreWorld.add("\(number) " + String(repeating: "long ", count: 40), to: store)
        }
        store.close()
        let page = try #require(
            world.pages(of: "todo_record", "leaf", in: "a/store.db").dropFirst(2).first)
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
}
