import Core
import Storage
import TestSupport
import Testing

@Suite("Store")
struct StoreTests {
    @Test("two stores converge after edits on both sides")
    func converge() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        let b = try world.create("b")
        let id = try a.write { transaction in
            try transaction.insert(
                [
                    Assignment(.number(2), .text("milk")), Assignment(.number(5), .day(20_000)),
                    Assignment(.element(.number(8), text: "errand"), .bool(true)),
                ], into: StoreWorld.todo)
        }
        try StoreWorld.pull(b, from: a)
        try a.write { try $0.update(id, [Assignment(.number(2), .text("oat milk"))]) }
        try b.write {
            try $0.update(
                id,
                [
                    Assignment(.number(3), .text("two")),
                    Assignment(.element(.number(8), text: "errand"), .null),
                    Assignment(.custom("shop"), .text("corner")),
                ])
        }
        try StoreWorld.pull(b, from: a)
        try StoreWorld.pull(a, from: b)
        let mine = try #require(try a.record(id))
        let theirs = try #require(try b.record(id))
        #expect(mine.record == theirs.record)
        #expect(mine[2] == .text("oat milk"))
        #expect(mine[3] == .text("two"))
        #expect(mine.texts(in: 8).isEmpty)
        #expect(try a.summary().digest == b.summary().digest)
        #expect(try a.summary().knowledge == b.summary().knowledge)
        #expect(try a.examine() == [])
        #expect(try b.examine() == [])
    }

    @Test("a store keeps its id over closing, and takes a new one when it was copied")
    func identity() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        let replica = try a.summary().replica
        a.close()
        let again = try world.open("a")
        #expect(again.suspicion == nil)
        #expect(try again.summary().replica == replica)
        try again.write {
            _ = try $0.insert([Assignment(.number(2), .text("x"))], into: StoreWorld.todo)
        }
        again.close()
        let third = try world.open("a")
        #expect(third.suspicion == nil)
    }

    @Test("new ids ascend within a millisecond, and while the clock is set back a little")
    func ascendingIDs() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let now = world.now
        let ids = try store.write { transaction in
            try (0..<5_000).map { number in
                // Each reading moves this clock by a millisecond.
                world.now = now - Int64(number % 3)
                return try transaction.insert([], into: StoreWorld.todo)
            }
        }
        #expect(ids == ids.sorted() && Set(ids).count == ids.count)
        // The last digits, by which ids are shown, are chance as before.
        #expect(Set(ids.map { String($0.description.suffix(12)) }).count == ids.count)
        #expect(ids.allSatisfy { ($0.milliseconds ?? 0) - now < 4 })
        world.now = now - 3_600_000
        let earlier = try store.write { try $0.insert([], into: StoreWorld.todo) }
        #expect(earlier < ids[0] && (earlier.milliseconds ?? 0) < now - 3_500_000)
    }
}
