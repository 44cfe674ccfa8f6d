import Core
import Storage
import TestSupport
import Testing

@Suite("What others have of a store, by their own word")
struct SentTests {
    private static func peer(_ number: Int) -> ReplicaID {
        ReplicaID(value: UInt128(number) << 64 | 1)
    }

    @Test("is remembered for each, and what changed since is counted without devices")
    func remembered() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        #expect(try store.sentThrough(to: Self.peer(1)) == nil)
        _ = try StoreWorld.add("one", to: store)
        try store.noteSent(through: store.sequence, to: Self.peer(1))
        #expect(try store.sentThrough(to: Self.peer(1)) == store.sequence)
        #expect(try store.changedCount(after: store.sequence) == 0)
        let sequence = store.sequence
        _ = try StoreWorld.add("two", to: store)
        try store.edit { transaction throws(StoreFault) in
            try transaction.update(
                RecordName(deviceOf: store.replica),
                [Assignment(.number(2), .text("a name is no change to send"))])
        }
        #expect(try store.changedCount(after: sequence) == 1)
        #expect(try store.changedCount(after: 0) == 2)
        try store.noteSent(through: store.sequence, to: Self.peer(1))
        #expect(try store.sentThrough(to: Self.peer(1)) == store.sequence)
        #expect(try store.sentThrough(to: Self.peer(2)) == nil)
        store.close()
    }

    @Test("of so many devices, those that have least are forgotten first")
    func bounded() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        for number in 1...Store.sentCountMax + 5 {
            try store.noteSent(through: UInt64(number), to: Self.peer(number))
        }
        #expect(Store.sentCountMax == 64)
        for number in 1...5 { #expect(try store.sentThrough(to: Self.peer(number)) == nil) }
        for number in 6...Store.sentCountMax + 5 {
            #expect(try store.sentThrough(to: Self.peer(number)) == UInt64(number))
        }
        store.close()
    }

    @Test("of a relay it goes by what the sessions with it remember")
    func relays() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let mark = Checkpoint(epoch: EpochID(value: 7), sequence: 3)
        try store.noteUploaded(through: mark, to: Self.peer(1))
        try store.noteSent(through: 9, to: Self.peer(1))
        #expect(try store.sentThrough(to: Self.peer(1)) == 3)
        store.close()
    }
}
