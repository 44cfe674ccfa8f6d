import Simulation
import Storage
import Testing

/// SQLite believes what a file says of its own tables, so that one wrong bit there can hide an index or turn a
/// column into a text.
@Suite("A wrong bit in what a store says of its tables")
struct SchemaBitTests {
    // Goal: whoever opens the store, or brings it into the columns of a newer program, hears of damage or has
    //   all that was in it; nobody is told of a fault of the program.
    // Method: bits of the first page and of every page that describes a table, one at a time.
    @Test("is damage, or does not matter", arguments: 0..<4)
    func bits(part: Int) throws {
        let device = DiskDevice()
        let store = try device.create()
        for number in 0..<3 { try DiskDevice.add("note \(number)", to: store) }
        store.close()
        let whole = device.disk.snapshot()
        let pages = Self.describingPages(try #require(whole.bytes(DiskDevice.paths.database)))
        #expect(pages.count > 1)
        var (toldCount, foundCount, upgradedCount) = (0, 0, 0)
        // The step is coprime to the bits of a byte.
        for index in stride(from: part * 37, to: pages.count * Self.pageBitCount, by: 293) {
            let bit =
                pages[index / Self.pageBitCount] * Self.pageBitCount + index % Self.pageBitCount
            var isTold = false
            for isUpgraded in [false, true] {
                device.disk.restore(whole, .unnoticed)
                device.disk.flip(bit: bit, of: DiskDevice.paths.database)
                device.isUpgraded = isUpgraded
                do {
                    let opened = try device.open()
                    defer { opened.close() }
                    if isUpgraded {
                        // The parts that the upgrade has rewritten are intact.
                        #expect(try opened.examine() == [] || isTold, "bit \(bit)")
                        #expect(try DiskDevice.titles(opened).count == 3, "bit \(bit)")
                        upgradedCount += 1
                    } else if try opened.examine() != [] {
                        isTold = true
                        foundCount += 1
                    } else {
                        #expect(try DiskDevice.titles(opened).count == 3, "bit \(bit)")
                    }
                } catch let fault as StoreFault {
                    if case .database = fault { Issue.record("bit \(bit): \(fault)") }
                    isTold = true
                    toldCount += 1
                }
            }
        }
        #expect(toldCount > 30)
        #expect(foundCount > 10)
        #expect(upgradedCount > 50)
    }

    private static let pageBitCount = 4096 * 8

    /// The pages, counted from 0, with the header or the description of a table, index or view.
    private static func describingPages(_ bytes: [UInt8]) -> [Int] {
        stride(from: 0, to: bytes.count, by: 4096).filter { start in
            let page = String(decoding: bytes[start..<(start + 4096)], as: UTF8.self)
            return start == 0 || page.contains("CREATE TABLE") || page.contains("CREATE INDEX")
        }.map { $0 / 4096 }
    }
}
