import Core
import Relay
import Session
import Storage
import Testing

@Suite("What a relay refuses")
struct RelayRefusalTests {
    private typealias Desk = RelayDesk

    /// The causes that devices are sent, by the reasons that the relay counts.
    private static let causes: [RelayRefusal.Reason: PeerError.Reason] = [
        .sessions: .relaySessions, .spaceSessions: .spaceSessions, .failedProofs: .failedProofs,
        .plain: .plainSpace, .encryption: .encryptionDiffers, .noProof: .noProof,
        .wrongProof: .wrongProof, .token: .token, .spaces: .spaces,
        .oldGeneration: .oldGeneration, .newGeneration: .unsignedGeneration, .bytes: .bytes,
        .records: .records, .versions: .versions,
    ]

    /// Expects a refusal: its reason, its cause, the figure in it, and that nothing but the error was said.
    private func expect(
        _ desk: RelayDesk, _ id: RelayServerSessionID, _ reason: RelayRefusal.Reason,
        _ figure: Int? = nil,
        side: PeerError.Side, isFirst: Bool = true, _ location: SourceLocation = #_sourceLocation
    ) {
        let error = desk.error(id)
        #expect(
            error?.message.contains(figure.map { "\($0)" } ?? " ") == true, "\(error as Any)",
            sourceLocation: location)
        #expect(error?.side == side, sourceLocation: location)
        if let cause = Self.causes[reason] {
            #expect(error?.reason == cause, sourceLocation: location)
        }
        #expect(error?.advice.isEmpty == false, sourceLocation: location)
        #expect(
            desk.node.statistics.refusals[reason, default: 0] > 0, sourceLocation: location)
        if isFirst { #expect(desk.heard(by: id).kinds == [10], sourceLocation: location) }
    }

    private func keyed(
        _ generation: UInt32, _ verifier: [UInt8] = RelayWorld.verifier,
        binding: [UInt8]? = nil, succession: [UInt8]? = nil
    ) -> (inout RelayHello) -> Void {
        {
            $0.generation = generation
            $0.access = RelayHello.Access(
                verifier: verifier,
                proof: RelayWorld.proof(verifier, $0.space, generation, binding),
                succession: succession)
        }
    }

    @Test("other versions of the protocol")
    func versions() throws {
        let desk = try RelayDesk()
        let old = desk.relayHello(1) {
            $0.versionMax = 0; $0.versionMin = 0
        }
        expect(desk, old, .incompatible, 0, side: .hearer)
        let new = desk.relayHello(1) {
            $0.versionMin = 7; $0.versionMax = 9
        }
        expect(desk, new, .incompatible, 9, side: .speaker)
    }

    @Test("more conversations than there may be, in all and about one space")
    func sessions() throws {
        let desk = try RelayDesk(RelayWorld()) {
            $0.limits.sessionCountMax = 3
            $0.limits.spaceSessionCountMax = 2
        }
        let first = desk.relayHello(1)
        _ = desk.relayHello(2)
        expect(desk, desk.relayHello(3), .spaceSessions, 2, side: .both)
        _ = desk.relayHello(3, space: SpaceID(value: 8))
        expect(desk, desk.open(), .sessions, 3, side: .speaker)
        desk.run(first, .lost)
        #expect(desk.heard(by: desk.relayHello(4)).relayHelloReply != nil)
    }

    @Test("spaces without encryption, if they are not allowed, and the other way round")
    func plain() throws {
        let desk = try RelayDesk(RelayWorld()) { $0.allowsPlainSpaces = false }
        expect(desk, desk.relayHello(1), .plain, side: .both)
        #expect(try desk.node.store(of: RelayWorld.space) == nil, "no space was made")
        let open = try RelayDesk()
        _ = open.relayHello(1)
        let sealed = open.relayHello(1, keyed(1))
        expect(open, sealed, .encryption, side: .both)
        _ = open.relayHello(1, space: SpaceID(value: 8), keyed(1))
        let plain = open.relayHello(2, space: SpaceID(value: 8))
        expect(open, plain, .encryption, side: .both)
    }

    @Test("a device without a proof, with a wrong one, with another key, or for another channel")
    func proofs() throws {
        let desk = try RelayDesk()
        let none = desk.relayHello(1) { $0.generation = 1 }
        expect(desk, none, .noProof, side: .hearer)
        #expect(desk.heard(by: desk.relayHello(1, keyed(1))).relayHelloReply != nil)
        let other = desk.relayHello(2, keyed(1, [UInt8](repeating: 1, count: 32)))
        expect(desk, other, .wrongProof, side: .hearer)
        let bound = desk.relayHello(2, keyed(1, binding: [1, 2]))
        expect(desk, bound, .wrongProof, side: .hearer)
        let id = desk.open("10.0.0.2", binding: [1, 2])
        var relayHello = RelayHello(
            space: RelayWorld.space, replica: ReplicaID(value: 2), features: [], generation: 1)
        keyed(1, binding: [1, 2])(&relayHello)
        desk.say(id, .relayHello(relayHello))
        #expect(desk.heard(by: id).relayHelloReply != nil)
    }

    @Test("more than ten failed proofs in a minute from one address, whatever they are")
    func failedProofs() throws {
        let desk = try RelayDesk()
        _ = desk.relayHello(1, keyed(1))
        let wrong = keyed(1, [UInt8](repeating: 1, count: 32))
        for _ in 0..<10 {
            expect(
                desk, desk.relayHello(2, address: "10.0.0.9", wrong), .wrongProof,
                side: .hearer)
        }
        let count = desk.world.verifyCount
        let refused = desk.relayHello(3, address: "10.0.0.9", keyed(1))
        expect(desk, refused, .failedProofs, 10, side: .hearer)
        #expect(desk.world.verifyCount == count, "the proof was not looked at")
        #expect(
            desk.heard(by: desk.relayHello(3, address: "10.0.0.8", keyed(1))).relayHelloReply != nil
        )
        desk.pass(milliseconds: 60_000)
        #expect(
            desk.heard(by: desk.relayHello(3, address: "10.0.0.9", keyed(1))).relayHelloReply != nil
        )
    }

    @Test("an unknown space without the token that is asked for, and one space too many")
    func newSpaces() throws {
        let desk = try RelayDesk(RelayWorld()) {
            $0.token = "salt"
            $0.limits.spaceCountMax = 1
        }
        expect(desk, desk.relayHello(1), .token, side: .hearer)
        let wrong = desk.relayHello(1) { $0.token = "pepper" }
        expect(desk, wrong, .token, side: .hearer)
        #expect(desk.heard(by: desk.relayHello(1) { $0.token = "salt" }).relayHelloReply != nil)
        #expect(
            desk.heard(by: desk.relayHello(2)).relayHelloReply != nil,
            "a known space needs no token")
        let second = desk.relayHello(1, space: SpaceID(value: 8)) { $0.token = "salt" }
        expect(desk, second, .spaces, 1, side: .speaker)
    }

    @Test("an older generation, and a newer one without a signature by the one before")
    func generations() throws {
        let desk = try RelayDesk()
        let (one, two) = (RelayWorld.verifier, [UInt8](repeating: 2, count: 32))
        let first = desk.relayHello(1, keyed(1, one))
        let relay = desk.heard(by: first).relayHelloReply?.relay
        desk.say(first, Desk.batch([Desk.change(5, 1, 1)], through: 1), Desk.uploadDone(1, [1]))
        desk.commit()
        _ = desk.heard(by: first)
        let unsigned = desk.relayHello(2, keyed(2, two))
        expect(desk, unsigned, .newGeneration, 2, side: .both)
        let signature = RelayWorld.succession(one, RelayWorld.space, 2, two)
        let leap = desk.relayHello(2, keyed(3, two, succession: signature))
        expect(desk, leap, .newGeneration, 3, side: .both)
        #expect(desk.error(first) == nil)

        desk.say(first, Desk.batch([Desk.change(6, 1, 2)], through: 2))
        let second = desk.relayHello(2, keyed(2, two, succession: signature))
        let relayHelloReply = desk.heard(by: second).relayHelloReply
        #expect(relayHelloReply?.relay != relay)
        #expect(relayHelloReply?.reached == 0)
        #expect(relayHelloReply?.uploaded == nil)
        expect(desk, first, .oldGeneration, side: .hearer)
        desk.commit()
        let store = try #require(try desk.node.store(of: RelayWorld.space))
        #expect(store.versionCount == 0, "nothing of the old generation is left")
        let old = desk.relayHello(1, keyed(1, one))
        expect(desk, old, .oldGeneration, side: .hearer)
        #expect(desk.heard(by: desk.relayHello(3, keyed(2, two))).relayHelloReply != nil)
    }

    @Test("bytes over the quota, exact at the byte; what makes the space smaller is always taken")
    func quota() throws {
        let size = RelayQuota.byteCount(of: Desk.change(5, 1, 1, 100))
        let desk = try RelayDesk(RelayWorld()) { $0.limits.spaceByteCountMax = 2 * size }
        let alice = desk.relayHello(1)
        desk.say(
            alice, Desk.batch([Desk.change(5, 1, 1, 100), Desk.change(6, 1, 2, 100)], through: 2))
        desk.commit()
        #expect(desk.heard(by: alice).acknowledged == 1)
        desk.say(alice, Desk.batch([Desk.change(5, 1, 3, 101)], through: 3))
        desk.commit()
        expect(desk, alice, .bytes, 2 * size, side: .both, isFirst: false)
        let store = try #require(try desk.node.store(of: RelayWorld.space))
        #expect(store.byteCount == 2 * size)
        let again = desk.relayHello(1)
        #expect(desk.heard(by: again).relayHelloReply?.uploaded?.sequence == 2)
        desk.say(again, Desk.batch([Desk.change(5, 1, 3, 99)], through: 3))
        desk.say(again, Desk.batch([Desk.change(6, 1, 4, 101)], through: 4))
        desk.commit()
        #expect(desk.heard(by: again).acknowledged == 2)
        desk.say(again, Desk.uploadDone(4, []))
        desk.commit()
        expect(desk, again, .bytes, 2 * size, side: .both, isFirst: false)
        #expect(try store.examine() == [])
    }

    @Test("records and concurrent versions over their quotas, for the one who brings them alone")
    func counts() throws {
        let desk = try RelayDesk(RelayWorld()) {
            $0.limits.spaceRecordCountMax = 2
            $0.limits.recordVersionCountMax = 2
        }
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        desk.say(alice, Desk.batch((1...3).map { Desk.change($0, 1, UInt64($0)) }, through: 3))
        desk.say(bob, Desk.batch([Desk.change(1, 2, 1)], through: 1))
        desk.commit()
        expect(desk, alice, .records, 2, side: .both, isFirst: false)
        #expect(desk.heard(by: bob).acknowledged == 1)
        desk.say(bob, Desk.batch([Desk.change(1, 3, 1)], through: 2))
        desk.commit()
        expect(desk, bob, .versions, 2, side: .both, isFirst: false)
    }

    @Test("more batches than the window, a statement too long, and wrong acknowledgements")
    func overLimit() throws {
        let desk = try RelayDesk(RelayWorld()) { $0.limits.noticeByteCountMax = 10 }
        let eager = desk.relayHello(1)
        for number in 1...17 {
            desk.say(eager, Desk.batch([Desk.change(1, 1, UInt64(number))], through: 1))
        }
        expect(desk, eager, .overLimit, side: .hearer, isFirst: false)
        let wordy = desk.relayHello(2)
        desk.say(wordy, Desk.uploadDone(0, [UInt8](repeating: 0, count: 11)))
        expect(desk, wordy, .overLimit, side: .hearer, isFirst: false)
        let hasty = desk.relayHello(3)
        desk.say(hasty, .acknowledge(5))
        expect(desk, hasty, .outOfOrder, 5, side: .hearer, isFirst: false)
    }

    @Test(
        "a record under its own name, from which a relay would learn its collection and id, is refused"
    )
    func ownName() throws {
        let desk = try RelayDesk()
        let change = Desk.change(1, 1, 1)
        let named = Change(
            RecordName(.number(1), change.name.id), clock: change.clock, body: change.body)
        let part = BodyPart(
            named.name, clock: change.clock, byteCount: 3, offset: 0, bytes: change.body)
        let uploads: [[Message]] = [
            [Desk.batch([change, named], through: 1)], [.part(part), Desk.batch([], through: 1)],
        ]
        for messages in uploads {
            let id = desk.relayHello(1)
            for message in messages { desk.say(id, message) }
            expect(desk, id, .malformed, side: .hearer, isFirst: false)
        }
    }

    @Test("messages that do not belong there, before and after the welcome")
    func outOfOrder() throws {
        let desk = try RelayDesk()
        let early = desk.open()
        desk.say(early, .ping(1))
        expect(desk, early, .outOfOrder, side: .hearer)
        let greeting = desk.open()
        desk.say(
            greeting,
            .hello(
                Hello(
                    space: RelayWorld.space, policy: .deletesWin, replica: ReplicaID(value: 1),
                    incarnation: Incarnation(epoch: EpochID(value: 1), counter: 0),
                    statement: StateSummary(entries: [], digest: 0), features: [],
                    peerCheckpoint: nil)))
        expect(desk, greeting, .outOfOrder, side: .hearer)
        #expect(desk.error(greeting)?.reason == .greetedAsDevice)
        let relayHello = RelayHello(
            space: RelayWorld.space, replica: ReplicaID(value: 1), features: [], generation: 0)
        let checkpoint = Checkpoint(epoch: EpochID(value: 3), sequence: 0)
        let part = BodyPart(
            RecordName(.relayed, RecordID(value: 1)), clock: Desk.clock(1, 1), byteCount: 9,
            offset: 0, bytes: [1])
        let late = BodyPart(
            RecordName(.relayed, RecordID(value: 1)), clock: Desk.clock(1, 1), byteCount: 9,
            offset: 3, bytes: [1])
        let wrong: [[Message]] = [
            [.relayHello(relayHello)],
            [
                .relayHelloReply(
                    RelayHelloReply(relay: ReplicaID(value: 1), start: checkpoint, reached: 0))
            ],
            [.downloadDone(DownloadDone(through: checkpoint, notices: []))], [.askHistory],
            [.repair],
            [.want([])], [.caughtUp(CaughtUp(through: checkpoint, changed: [], digest: nil))],
            [.part(late)],
            [.part(part), .part(part)], [.part(part), Desk.batch([], through: 1)],
            [.part(part), Desk.uploadDone(1, [])],
        ]
        for messages in wrong {
            let id = desk.relayHello(1)
            for message in messages { desk.say(id, message) }
            expect(desk, id, .outOfOrder, side: .hearer, isFirst: false)
        }
    }
}
