import Core
import DeviceTestSupport
import Devices
import Storage
import Testing

@Suite("Which secret a relay had")
struct GenerationNoteTests {
    @Test("is kept for each address, for 32 of them")
    func kept() throws {
        let stores = TemporaryStores()
        let store = try stores.create("a")
        #expect(try GenerationNote.generation(at: "relay://a:1", in: store) == nil)
        try GenerationNote.keep(3, at: "relay://a:1", in: store)
        try GenerationNote.keep(4, at: "relay://a:1", in: store)
        #expect(try GenerationNote.generation(at: "relay://a:1", in: store) == 4)
        #expect(try GenerationNote.generations(in: store) == [4])
        for number in 0..<GenerationNote.countMax + 8 {
            try GenerationNote.keep(1, at: "relay://b:\(number)", in: store)
        }
        #expect(GenerationNote.countMax == 32)
        let kept = try (0..<GenerationNote.countMax + 8).count {
            try GenerationNote.generation(at: "relay://b:\($0)", in: store) != nil
        }
        #expect(kept <= GenerationNote.countMax)
        let last = "relay://b:\(GenerationNote.countMax + 7)"
        #expect(try GenerationNote.generation(at: last, in: store) == 1)
    }
}
