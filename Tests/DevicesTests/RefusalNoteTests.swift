import Core
import DeviceTestSupport
import Devices
import Session
import Storage
import Testing

@Suite("What is kept of refusals")
struct RefusalNoteTests {
    private static let relay = "relay://127.0.0.1:7718"
    private static let other = "relay://127.0.0.1:7719"
    private static let device = "tcp://127.0.0.1:7717"

    private static func refused(_ reason: PeerError.Reason?) -> SessionEnd {
        .failed(
            PeerError(
                .refused, reason: reason, "refused for a cause", side: .hearer, advice: "join anew"),
            .ours)
    }

    private static let proof = refused(.wrongProof)
    private static let rotated = refused(.oldGeneration)
    private static let revoked = refused(.revoked)

    @Test("a relay that asks for a token, or is asked too often, puts no device out")
    func others() throws {
        let stores = TemporaryStores()
        let store = try stores.create("a")
        let causes: [PeerError.Reason?] = [.token, .failedProofs, .plainSpace, nil]
        for cause in causes {
            try RefusalNote.keep(Self.refused(cause), at: Self.relay, in: store)
        }
        #expect(try RefusalNote.all(in: store) == [])
    }

    @Test("a proof that fails is kept by address, until it does not fail there")
    func access() throws {
        let stores = TemporaryStores()
        let store = try stores.create("a")
        try RefusalNote.keep(Self.proof, at: Self.relay, in: store)
        try RefusalNote.keep(Self.rotated, at: Self.other, in: store)
        #expect(
            Set(try RefusalNote.all(in: store).map(\.address)) == [Self.relay, Self.other])
        try RefusalNote.drop(letInAt: Self.device, in: store)
        try RefusalNote.drop(letInAt: nil, in: store)
        #expect(try RefusalNote.all(in: store).count == 2)
        try RefusalNote.drop(letInAt: Self.other, in: store)
        let left = try RefusalNote.all(in: store)
        #expect(left.map(\.address) == [Self.relay])
        #expect(left.first?.advice == "join anew")
        #expect(left.first.map { $0.time > 0 } == true)
    }

    @Test("a device that is told it is revoked is let in again by any member, and by no relay")
    func membership() throws {
        let stores = TemporaryStores()
        let store = try stores.create("a")
        for address in [Self.device, nil] {
            try RefusalNote.keep(Self.revoked, at: Self.device, in: store)
            try RefusalNote.keep(Self.revoked, at: nil, in: store)
            try RefusalNote.drop(letInAt: Self.relay, in: store)
            #expect(try RefusalNote.all(in: store).count == 2)
            try RefusalNote.drop(letInAt: address, in: store)
            #expect(try RefusalNote.all(in: store) == [])
        }
    }

    @Test("no more of them are kept than of some addresses, the latest")
    func bound() throws {
        let stores = TemporaryStores()
        let store = try stores.create("a")
        for port in 1...40 {
            try RefusalNote.keep(Self.proof, at: "relay://127.0.0.1:\(port)", in: store)
        }
        let kept = try RefusalNote.all(in: store)
        #expect(kept.count == 32)
        #expect(kept.contains { $0.address == "relay://127.0.0.1:40" })
    }
}
