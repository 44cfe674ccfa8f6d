import Core
import Storage
import TestSupport
import Testing

@Suite("Counting what lacks a field")
struct CountingTests {
    /// How many records there are of each kind.
    struct Kinds: Sendable, CustomTestStringConvertible {
        var lacking: Int
        var having: Int
        var deleted: Int

        init(_ lacking: Int, _ having: Int, _ deleted: Int) {
            self.lacking = lacking
            self.having = having
            self.deleted = deleted
        }

        var testDescription: String { "\(lacking) without, \(having) with, \(deleted) deleted" }
    }

    @Test(
        "the count is that of all records one by one, whichever part is the small one",
        arguments: [
            Kinds(0, 0, 0), Kinds(3, 2, 1), Kinds(999, 0, 0), Kinds(1_000, 0, 0),
            Kinds(1_001, 2, 1),
            Kinds(2, 1_001, 1), Kinds(1_001, 998, 2), Kinds(1_001, 999, 2), Kinds(1_100, 2, 1_100),
        ])
    func counts(kinds: Kinds) throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let rank = FieldName.number(7)
        try store.write { transaction in
            for number in 0..<kinds.lacking + kinds.having + kinds.deleted {
                let isHaving = number >= kinds.lacking && number < kinds.lacking + kinds.having
                let field = [Assignment(Field(rank), .int(Int64(number)))]
                let id = try transaction.insert(
                    [Assignment(.number(2), .text("x"))]
                        + (isHaving || number % 2 == 1 && number >= kinds.lacking ? field : []),
                    into: StoreWorld.todo)
                if number >= kinds.lacking + kinds.having { try transaction.delete(id) }
            }
        }
        #expect(try store.count(lacking: 7, in: StoreWorld.todo) == kinds.lacking)
        let request = FetchRequest(StoreWorld.todo, where: .absent(.field(7)))
        #expect(try store.count(request) == kinds.lacking)
        #expect(
            try store.count(lacking: 4_711, in: StoreWorld.todo) == kinds.lacking + kinds.having)
    }
}
