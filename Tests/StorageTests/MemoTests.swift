import Storage
import Testing

@Suite("Memos beside the records")
struct MemoTests {
    @Test("a memo is kept with the edits of its transaction, or not at all")
    func atomic() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try store.edit { transaction throws(StoreFault) in
            try transaction.setMemo([1, 2], named: "x", in: "one")
            try transaction.setMemo([], named: "y", in: "one")
            try transaction.setMemo([3], named: "x", in: "other")
        }
        #expect(try store.memos(in: "one") == ["x": [1, 2], "y": []])
        #expect(throws: StoreFault.self) {
            try store.edit { transaction throws(StoreFault) in
                try transaction.setMemo([9], named: "x", in: "one")
                throw .noSuchRecord
            }
        }
        try store.edit { transaction throws(StoreFault) in
            try transaction.setMemo(nil, named: "y", in: "one")
            try transaction.setMemo(nil, named: "never", in: "one")
        }
        store.close()
        let again = try world.open("a")
        #expect(try again.memos(in: "one") == ["x": [1, 2]])
        #expect(try again.memos(in: "other") == ["x": [3]])
        #expect(try again.memos(in: "none").isEmpty)
    }
}
