import Storage
import Testing

@Suite("Memos beside the records")
struct LocalMetadataTests {
    @Test("a memo is kept with the edits of its transaction, or not at all")
    func atomic() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try store.edit { transaction throws(StoreFault) in
            try transaction.setLocalMetadata([1, 2], named: "x", in: "one")
            try transaction.setLocalMetadata([], named: "y", in: "one")
            try transaction.setLocalMetadata([3], named: "x", in: "other")
        }
        #expect(try store.localMetadata(in: "one") == ["x": [1, 2], "y": []])
        #expect(throws: StoreFault.self) {
            try store.edit { transaction throws(StoreFault) in
                try transaction.setLocalMetadata([9], named: "x", in: "one")
                throw .noSuchRecord
            }
        }
        try store.edit { transaction throws(StoreFault) in
            try transaction.setLocalMetadata(nil, named: "y", in: "one")
            try transaction.setLocalMetadata(nil, named: "never", in: "one")
        }
        store.close()
        let again = try world.open("a")
        #expect(try again.localMetadata(in: "one") == ["x": [1, 2]])
        #expect(try again.localMetadata(in: "other") == ["x": [3]])
        #expect(try again.localMetadata(in: "none").isEmpty)
    }
}
