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
        .sessions: .relaySessions, .spaceSessions: .spaceSessions,
        .deviceSessions: .deviceSessions, .putOut: .putOut, .closed: .closedSpace,
        .failedProofs: .failedProofs,
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

    @Test("after ten failed proofs from an address its right ones are accepted all the same")
    func failedProofs() throws {
        let desk = try RelayDesk()
        _ = desk.relayHello(1, keyed(1))
        let wrong = keyed(1, [UInt8](repeating: 1, count: 32))
        for _ in 0..<10 {
            expect(
                desk, desk.relayHello(2, address: "10.0.0.9", wrong), .wrongProof,
                side: .hearer)
        }
        let refused = desk.relayHello(3, address: "10.0.0.9", wrong)
        expect(desk, refused, .failedProofs, 10, side: .hearer)
        for address in ["10.0.0.8", "10.0.0.9"] {
            let right = desk.relayHello(3, address: address, keyed(1))
            #expect(desk.heard(by: right).relayHelloReply != nil, "\(address)")
        }
        let elsewhere = desk.relayHello(2, address: "10.0.0.8", wrong)
        expect(desk, elsewhere, .wrongProof, side: .hearer)
        desk.pass(milliseconds: 60_000)
        let later = desk.relayHello(2, address: "10.0.0.9", wrong)
        expect(desk, later, .wrongProof, side: .hearer)
    }

    @Test("one device has so many conversations about a space, and others are not in its way")
    func deviceSessions() throws {
        let desk = try RelayDesk { $0.limits.deviceSessionCountMax = 2 }
        for _ in 0..<2 {
            #expect(desk.heard(by: desk.relayHello(1, device: 1, keyed(1))).relayHelloReply != nil)
        }
        expect(
            desk, desk.relayHello(1, device: 1, keyed(1)), .deviceSessions, 2, side: .hearer)
        #expect(desk.heard(by: desk.relayHello(2, device: 2, keyed(1))).relayHelloReply != nil)
        let elsewhere = desk.relayHello(1, space: SpaceID(value: 8), device: 1, keyed(1))
        #expect(desk.heard(by: elsewhere).relayHelloReply != nil)
    }

    @Test(
        "a device that the operator puts out is ended at once and refused, also under the next secret"
    )
    func putOut() throws {
        let desk = try RelayDesk()
        let (phone, laptop) = (
            desk.relayHello(1, device: 1, keyed(1)), desk.relayHello(2, device: 2, keyed(1))
        )
        let out = RelayPutOut(
            space: RelayWorld.space, generation: 1,
            fingerprint: [UInt8](repeating: 1, count: 32))
        desk.take(desk.node.putOut([out], now: desk.world.now))
        expect(desk, phone, .putOut, side: .both, isFirst: false)
        #expect(desk.ends[laptop] == nil)
        expect(desk, desk.relayHello(1, device: 1, keyed(1)), .putOut, side: .both)
        // Settings that are read again keep the word.
        desk.node.change(desk.world.options)
        expect(desk, desk.relayHello(1, device: 1, keyed(1)), .putOut, side: .both)
        #expect(desk.heard(by: desk.relayHello(2, device: 2, next)).relayHelloReply != nil)
        expect(desk, desk.relayHello(1, device: 1, next), .putOut, side: .both)
        // Who has no proof is not told who is out.
        let wrong = keyed(2, [UInt8](repeating: 1, count: 32))
        expect(desk, desk.relayHello(1, device: 1, wrong), .wrongProof, side: .hearer)
    }

    @Test(
        "after a device was put out no new one is let in until a known one brings the next secret")
    func closed() throws {
        let desk = try RelayDesk()
        for device: UInt8 in 1...2 {
            _ = desk.relayHello(UInt128(device), device: device, keyed(1))
        }
        let out = RelayPutOut(
            space: RelayWorld.space, generation: 1,
            fingerprint: [UInt8](repeating: 1, count: 32))
        desk.take(desk.node.putOut([out], now: desk.world.now))
        // The same device with another key, with no key that the relay can see, and as the first with the next secret.
        expect(desk, desk.relayHello(1, device: 9, keyed(1)), .closed, side: .both)
        expect(desk, desk.relayHello(1, keyed(1)), .closed, side: .both)
        expect(desk, desk.relayHello(1, device: 9, next), .closed, side: .both)
        #expect(desk.heard(by: desk.relayHello(2, device: 2, keyed(1))).relayHelloReply != nil)
        let other = desk.relayHello(1, space: SpaceID(value: 8), device: 9, keyed(1))
        #expect(desk.heard(by: other).relayHelloReply != nil)
        #expect(desk.heard(by: desk.relayHello(2, device: 2, next)).relayHelloReply != nil)
        #expect(desk.heard(by: desk.relayHello(3, device: 3, next)).relayHelloReply != nil)
    }

    /// Shows the second secret, signed by the first.
    private var next: (inout RelayHello) -> Void {
        let two = [UInt8](repeating: 0xbb, count: 32)
        return keyed(
            2, two,
            succession: RelayWorld.succession(RelayWorld.verifier, RelayWorld.space, 2, two))
    }

    @Test("failed proofs count for the space that they claim, and not for others")
    func failedProofsOfASpace() throws {
        let desk = try RelayDesk { $0.limits.failedProofsPerMinuteMax = 2 }
        _ = desk.relayHello(1, keyed(1))
        _ = desk.relayHello(1, space: SpaceID(value: 8), keyed(1))
        let wrong = keyed(1, [UInt8](repeating: 1, count: 32))
        for _ in 0..<2 { expect(desk, desk.relayHello(2, wrong), .wrongProof, side: .hearer) }
        expect(desk, desk.relayHello(2, wrong), .failedProofs, 2, side: .hearer)
        let other = desk.relayHello(2, space: SpaceID(value: 8), wrong)
        expect(desk, other, .wrongProof, side: .hearer)
        // An attempt to make a space is counted by itself as well.
        #expect(
            desk.heard(by: desk.relayHello(3, space: SpaceID(value: 9), keyed(1))).relayHelloReply
                != nil)
    }

    @Test("who has guessed a token wrong ten times in a minute is not told of a right one")
    func guessedTokens() throws {
        let desk = try RelayDesk(RelayWorld()) { $0.token = "salt" }
        #expect(desk.heard(by: desk.relayHello(1) { $0.token = "salt" }).relayHelloReply != nil)
        let (address, unknown) = ("10.0.0.9", SpaceID(value: 8))
        for guess in 0..<10 {
            let wrong = desk.relayHello(2, space: unknown, address: address) {
                $0.token = "\(guess)"
            }
            expect(desk, wrong, .token, side: .hearer)
        }
        let right = desk.relayHello(2, space: unknown, address: address) { $0.token = "salt" }
        expect(desk, right, .failedProofs, 10, side: .hearer)
        #expect(desk.heard(by: desk.relayHello(3, address: address)).relayHelloReply != nil)
        let elsewhere = desk.relayHello(2, space: unknown) { $0.token = "salt" }
        #expect(desk.heard(by: elsewhere).relayHelloReply != nil)
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

    @Test(
        "a later generation that the relay's own has signed is begun at once, if it is no more than one step above"
    )
    func leaps() throws {
        let desk = try RelayDesk()
        let (one, last) = (RelayWorld.verifier, [UInt8](repeating: 9, count: 32))
        let step = WireLimits.generationStepMax
        func leap(
            _ generation: UInt32, signedFor signed: UInt32? = nil, by signer: [UInt8] = one
        ) -> RelayServerSessionID {
            let word = RelayWorld.succession(
                signer, RelayWorld.space, signed ?? generation, last)
            return desk.relayHello(2, keyed(generation, last, succession: word))
        }
        let first = desk.relayHello(1, keyed(1, one))
        expect(desk, leap(step + 2), .newGeneration, Int(step) + 2, side: .both)
        expect(desk, leap(.max), .newGeneration, Int(UInt32.max), side: .both)
        expect(desk, leap(7, signedFor: 6), .newGeneration, 7, side: .both)
        expect(desk, leap(7, by: [UInt8](repeating: 3, count: 32)), .newGeneration, side: .both)
        #expect(desk.error(first) == nil)
        #expect(desk.heard(by: leap(step + 1)).relayHelloReply != nil)
        expect(desk, first, .oldGeneration, side: .hearer, isFirst: false)
        expect(desk, desk.relayHello(1, keyed(2, one)), .oldGeneration, side: .hearer)
        #expect(try desk.node.store(of: RelayWorld.space)?.generation == step + 1)
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
        desk.say(again, .acknowledge(1))
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

    @Test("more batches than the window, and wrong acknowledgements")
    func overLimit() throws {
        let desk = try RelayDesk()
        let eager = desk.relayHello(1)
        for number in 1...17 {
            desk.say(eager, Desk.batch([Desk.change(1, 1, UInt64(number))], through: 1))
        }
        expect(desk, eager, .overLimit, side: .hearer, isFirst: false)
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
                    summary: SummaryHead(sum: 0, digest: 0, count: 0), features: [],
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
            [.downloadDone(DownloadDone(through: checkpoint))], [.askHistory],
            [.repair],
            [.want([])], [.caughtUp(CaughtUp(through: checkpoint, changed: [], digest: nil))],
            [.part(late)],
            [.part(part), .part(part)], [.part(part), Desk.batch([], through: 1)],
            [.part(part), Desk.uploadDone(1, [])],
            [.pong(0)], [.pong(7)],
        ]
        for messages in wrong {
            let id = desk.relayHello(1)
            for message in messages { desk.say(id, message) }
            expect(desk, id, .outOfOrder, side: .hearer, isFirst: false)
        }
    }
}
