import Core
import Relay
import Testing

/// The words with which a relay refuses; everywhere else tests compare codes.
@Suite("Words of a relay's refusals")
struct RelayRefusalWordsTests {
    private func expect(
        _ desk: RelayDesk, _ id: RelayServerSessionID, _ words: String, advice: String = " ",
        _ location: SourceLocation = #_sourceLocation
    ) {
        let error = desk.error(id)
        #expect(error?.message.contains(words) == true, "\(error as Any)", sourceLocation: location)
        #expect(error?.advice.contains(advice) == true, "\(error as Any)", sourceLocation: location)
    }

    private func keyed(_ generation: UInt32, isRight: Bool = true) -> (inout RelayHello) -> Void {
        let verifier = isRight ? RelayWorld.verifier : [UInt8](repeating: 1, count: 32)
        return {
            $0.generation = generation
            $0.access = RelayHello.Access(
                verifier: verifier,
                proof: RelayWorld.proof(verifier, $0.space, generation, nil), succession: nil)
        }
    }

    @Test("other versions of the protocol are named")
    func versions() throws {
        let desk = try RelayDesk()
        let new = desk.relayHello(1) {
            $0.versionMin = 7
            $0.versionMax = 9
        }
        expect(desk, new, "versions 7 to 9", advice: "upgrade the program of the relay")
    }

    @Test("limits are named with their figures")
    func limits() throws {
        let desk = try RelayDesk(RelayWorld()) {
            $0.limits.sessionCountMax = 2
            $0.limits.spaceSessionCountMax = 1
            $0.limits.spaceCountMax = 1
        }
        _ = desk.relayHello(1)
        expect(desk, desk.relayHello(2), "1 conversations")
        expect(desk, desk.relayHello(3, space: SpaceID(value: 8)), "1 spaces")
    }

    @Test("encryption, proofs and tokens that are missing or wrong are named")
    func access() throws {
        let sealed = try RelayDesk(RelayWorld()) { $0.allowsPlainSpaces = false }
        expect(sealed, sealed.relayHello(1), "has no encryption")
        let guarded = try RelayDesk(RelayWorld()) { $0.token = "salt" }
        expect(guarded, guarded.relayHello(1), "it gave none")
        expect(guarded, guarded.relayHello(1) { $0.token = "pepper" }, "is another one")
        let desk = try RelayDesk()
        _ = desk.relayHello(1, keyed(1))
        expect(desk, desk.relayHello(1) { $0.generation = 1 }, "gave no proof")
        for _ in 0..<10 {
            let wrong = desk.relayHello(2, address: "10.0.0.9", keyed(1, isRight: false))
            expect(desk, wrong, "not the right one", advice: "new code")
        }
        let refused = desk.relayHello(2, address: "10.0.0.9", keyed(1, isRight: false))
        expect(desk, refused, "10 proofs", advice: "after a minute")
    }

    @Test("a process that ends says that others go on")
    func leaving() throws {
        let desk = try RelayDesk()
        let device = desk.relayHello(1)
        desk.run(device, .leave)
        expect(desk, device, "others go on", advice: "next address")
    }
}
