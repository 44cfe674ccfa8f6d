import Core
import Relay
import Session
import Storage
import Testing

@Suite("Rekey messages at a relay")
struct RelayRekeyMessageTests {
    private typealias Desk = RelayDesk

    private static func verifier(_ generation: UInt32) -> [UInt8] {
        [UInt8](repeating: UInt8(generation), count: 32)
    }

    /// Approaches with the secret of a generation, which begins it if the relay has the one before.
    private func keyed(_ generation: UInt32) -> (inout RelayHello) -> Void {
        {
            let own = Self.verifier(generation)
            $0.generation = generation
            $0.access = RelayHello.Access(
                verifier: own, proof: RelayWorld.proof(own, $0.space, generation, nil),
                succession: generation == 1
                    ? nil
                    : RelayWorld.succession(
                        Self.verifier(generation - 1), $0.space, generation, own))
        }
    }

    private func rekeyMessage(
        _ generation: UInt32, _ byte: UInt8 = 1, byteCount: Int = 9
    ) -> RekeyMessage {
        RekeyMessage(
            generation: generation, verifier: Self.verifier(generation),
            bytes: [UInt8](repeating: byte, count: byteCount))
    }

    /// A relay that has the secret of a generation, and the conversation that brought it there.
    private func desk(
        at generation: UInt32, _ change: (inout RelayOptions) -> Void = { _ in }
    ) throws -> (Desk, RelayServerSessionID) {
        let desk = try Desk(RelayWorld(), change)
        var last = desk.relayHello(1, keyed(1))
        for later in 1..<generation {
            last = desk.relayHello(1, keyed(later + 1))
        }
        return (desk, last)
    }

    private func store(_ desk: Desk) throws -> RelaySpaceView {
        try #require(try desk.node.store(of: RelayWorld.space))
    }

    @Test("who has the older secret gets the rekey message before the refusal, and nobody else")
    func given() throws {
        let (desk, leader) = try desk(at: 2)
        #expect(desk.heard(by: leader).relayHelloReply?.rekeyMessages == [])
        desk.say(leader, .rekeyMessage(rekeyMessage(1)))
        desk.commit()
        #expect(desk.heard(by: leader).acknowledged == nil, "rekey messages are not acknowledged")
        let next = desk.heard(by: desk.relayHello(2, keyed(2))).relayHelloReply
        #expect(next?.rekeyMessages == [rekeyMessage(1).mark])

        let late = desk.relayHello(3, keyed(1))
        let heard = desk.heard(by: late)
        #expect(heard.kinds == [129, 10])
        #expect(heard.first == .rekeyMessage(rekeyMessage(1)))
        #expect(desk.error(late)?.reason == .oldGeneration)

        let stranger = desk.relayHello(4) {
            keyed(1)(&$0)
            $0.access?.proof[0] ^= 1
        }
        #expect(desk.heard(by: stranger).kinds == [10])
        let posed = desk.relayHello(5) {
            keyed(1)(&$0)
            $0.generation = 0
        }
        #expect(desk.heard(by: posed).kinds == [10])
    }

    @Test("a device that the operator has put out gets no rekey message, and is refused for that")
    func putOut() throws {
        let (desk, leader) = try desk(at: 2)
        desk.say(leader, .rekeyMessage(rekeyMessage(1)))
        desk.commit()
        let out = RelayPutOut(
            space: RelayWorld.space, generation: 1,
            fingerprint: [UInt8](repeating: 9, count: 32))
        desk.take(desk.node.putOut([out], now: desk.world.now))
        let phone = desk.relayHello(2, device: 9, keyed(1))
        #expect(desk.heard(by: phone).kinds == [10])
        #expect(desk.error(phone)?.reason == .putOut)
        let other = desk.relayHello(3, device: 8, keyed(1))
        #expect(desk.heard(by: other).kinds == [129, 10])
    }

    @Test(
        "another secret of the present generation has rekey messages as well, and counts as no failed proof"
    )
    func twins() throws {
        let (desk, leader) = try desk(at: 2) { $0.limits.failedProofsPerMinuteMax = 2 }
        let twin = [UInt8](repeating: 0x77, count: 32)
        desk.say(leader, .rekeyMessage(RekeyMessage(generation: 2, verifier: twin, bytes: [5])))
        desk.commit()
        for _ in 0..<5 {
            let id = desk.relayHello(3) {
                $0.generation = 2
                $0.access = RelayHello.Access(
                    verifier: twin, proof: RelayWorld.proof(twin, $0.space, 2, nil))
            }
            #expect(desk.heard(by: id).kinds == [129, 10])
            #expect(desk.error(id)?.reason == .wrongProof)
        }
    }

    @Test("rekey messages stay when the next generation begins, and when the file is opened anew")
    func kept() throws {
        let (desk, leader) = try desk(at: 2)
        desk.say(leader, .rekeyMessage(rekeyMessage(1)))
        desk.commit()
        let third = desk.relayHello(1, keyed(3))
        #expect(desk.heard(by: third).relayHelloReply?.rekeyMessages == [rekeyMessage(1).mark])
        #expect(try store(desk).examine() == [])
        desk.say(third, .rekeyMessage(rekeyMessage(2)))
        _ = desk.node.close(now: desk.world.now)
        let again = try Desk(desk.world)
        #expect(
            again.heard(by: again.relayHello(1, keyed(3))).relayHelloReply?.rekeyMessages
                == [rekeyMessage(1).mark, rekeyMessage(2).mark])
        for generation in [UInt32(1), 2] {
            let late = again.heard(by: again.relayHello(2, keyed(generation)))
            #expect(late.first == .rekeyMessage(rekeyMessage(generation)))
        }
        #expect(try store(again).examine() == [])
    }

    @Test(
        "a later rekey message takes the place of the earlier one; one for the present secret is not kept"
    )
    func replaced() throws {
        let (desk, leader) = try desk(at: 2)
        desk.say(
            leader, .rekeyMessage(rekeyMessage(1, 1)), .rekeyMessage(rekeyMessage(1, 2)),
            .rekeyMessage(rekeyMessage(2)))
        desk.say(leader, .rekeyMessage(rekeyMessage(3)))
        desk.commit()
        #expect(try store(desk).rekeyMessageMarks == [rekeyMessage(1, 2).mark])
        #expect(try store(desk).examine() == [])
    }

    @Test("no more than eight are kept: those of the oldest generations go")
    func bounded() throws {
        let (desk, leader) = try desk(at: 11)
        let order: [UInt32] = [5, 1, 2, 9, 3, 4, 10, 6, 7, 8]
        for generation in order { desk.say(leader, .rekeyMessage(rekeyMessage(generation))) }
        desk.commit()
        let kept = Set(try store(desk).rekeyMessageMarks.map(\.verifier))
        #expect(kept == Set((3...10).map(Self.verifier)))
        #expect(WireLimits.rekeyMessageCountMax == 8)
        #expect(try store(desk).examine() == [])
    }

    @Test("rekey messages count in the quota, exact at the byte; one that does not fit is not kept")
    func quota() throws {
        let room = 1_000
        let (desk, leader) = try desk(at: 2) { $0.limits.spaceByteCountMax = room }
        desk.say(leader, .rekeyMessage(rekeyMessage(1, byteCount: room - 64 + 1)))
        desk.commit()
        #expect(try store(desk).rekeyMessageMarks == [])
        desk.say(leader, .rekeyMessage(rekeyMessage(1, byteCount: room - 64)))
        desk.commit()
        #expect(try store(desk).byteCount == room)
        #expect(desk.error(leader) == nil, "the conversation goes on")
        desk.say(leader, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        #expect(desk.error(leader)?.message.contains(" 1000 ") == true)
        #expect(try store(desk).examine() == [])
    }

    @Test("a rekey message in place of a relay hello is out of order")
    func early() throws {
        let desk = try Desk()
        let id = desk.open()
        desk.say(id, .rekeyMessage(rekeyMessage(1)))
        #expect(desk.error(id)?.known == .outOfOrder)
    }
}
