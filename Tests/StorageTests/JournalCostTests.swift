import Core
import Storage
import Testing

@Suite("What the journal leaves alone")
struct JournalCostTests {
    @Test("records that are made or arrive for the first time leave no entry, however many")
    func firstInserts() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        try a.write { transaction in
            for number in 0..<500 {
                try transaction.insert(
                    [Assignment(.number(2), .text("\(number)"))], into: StoreWorld.todo)
            }
        }
        try StoreWorld.mingle([a, b])
        #expect(try a.lastJournalNumber() == 0 && b.lastJournalNumber() == 0)
    }

    @Test("a save that changes nothing, a repeated sync and names of devices leave no entry")
    func nothing() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("one", to: a)
        try StoreWorld.rename(id, "one", in: a)
        try StoreWorld.mingle([a, b])
        try StoreWorld.mingle([a, b])
        try a.edit { transaction throws(StoreFault) in try transaction.nameDevice("other") }
        try StoreWorld.mingle([a, b])
        #expect(try a.lastJournalNumber() == 0 && b.lastJournalNumber() == 0)
    }
}
