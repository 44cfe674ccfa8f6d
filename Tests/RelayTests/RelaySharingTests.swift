import Core
import Relay
import Session
import Testing

/// One process of a relay, whose exchanges with the others the test makes by hand.
@Suite("Counts and mailboxes that processes of a relay share")
struct RelaySharingTests {
    private typealias Desk = RelayDesk

    private func desk(_ change: (inout RelayOptions) -> Void = { _ in }) throws -> RelayDesk {
        let desk = try RelayDesk(RelayWorld(), change)
        desk.node.beginSharing()
        return desk
    }

    private func receive(_ desk: RelayDesk, _ answer: RelayShareAnswer) {
        desk.take(desk.node.receive(answer, now: desk.world.now))
    }

    private func wrong(_ desk: RelayDesk) -> RelayServerSessionID {
        let verifier = [UInt8](repeating: 1, count: 32)
        return desk.relayHello(2) {
            $0.generation = 1
            $0.access = RelayHello.Access(
                verifier: verifier,
                proof: RelayWorld.proof(verifier, $0.space, 1, nil), succession: nil)
        }
    }

    @Test("failed proofs at other processes count here, and those here are told once")
    func failedProofs() throws {
        let desk = try desk { $0.limits.failedProofsPerMinuteMax = 4 }
        _ = desk.relayHello(1) {
            $0.generation = 1
            $0.access = RelayHello.Access(
                verifier: RelayWorld.verifier,
                proof: RelayWorld.proof(RelayWorld.verifier, $0.space, 1, nil), succession: nil)
        }
        for _ in 0..<2 { #expect(desk.error(wrong(desk))?.reason == .wrongProof) }
        let kind = FailedProofs.Kind(address: "10.0.0.1", space: RelayWorld.space)
        let request = desk.node.takeShareRequest(today: 1)
        #expect(request.failedProofs == [kind: 2])
        // Counts that the database did not take are told again.
        desk.take(desk.node.sharingFailed(request, now: desk.world.now))
        #expect(desk.node.takeShareRequest(today: 1).failedProofs == [kind: 2])
        #expect(desk.node.takeShareRequest(today: 1).failedProofs == [:])
        var answer = RelayShareAnswer()
        answer.failedProofs = [kind: .init(count: 3, ageMilliseconds: 59_000)]
        receive(desk, answer)
        #expect(desk.error(wrong(desk))?.reason == .wrongProof)
        #expect(desk.error(wrong(desk))?.reason == .failedProofs)
        desk.pass(milliseconds: 1000)
        #expect(desk.error(wrong(desk))?.reason == .wrongProof)
    }

    @Test("bytes that a device uploads at other processes count here; little is not told")
    func uploads() throws {
        let size = RelayQuota.byteCount(of: Desk.change(5, 1, 1, 100))
        let desk = try desk { $0.limits.deviceByteCountMax = 64 * size }
        let alice = desk.relayHello(1, device: 1)
        func upload(_ id: RelayServerSessionID, _ record: UInt128) {
            desk.say(
                id,
                Desk.batch([Desk.change(record, 1, UInt64(record), 100)], through: UInt64(record)))
            desk.commit()
        }
        let device = DeviceUploads.Device(
            space: RelayWorld.space, fingerprint: [UInt8](repeating: 1, count: 32))
        upload(alice, 1)
        #expect(desk.node.takeShareRequest(today: 1).uploads == [:])
        upload(alice, 2)
        #expect(desk.node.takeShareRequest(today: 1).uploads == [device: 2 * size])
        var answer = RelayShareAnswer()
        answer.uploads = [device: .init(count: 64 * size, ageMilliseconds: 0)]
        receive(desk, answer)
        desk.say(alice, .acknowledge(0))
        upload(alice, 3)
        let again = desk.relayHello(1, device: 1)
        desk.say(again, .acknowledge(1))
        upload(again, 4)
        #expect(desk.error(again)?.reason == .deviceBytes)
    }

    // MARK: Mailboxes

    private static let id: UInt128 = 0xfeed

    private func open(
        _ desk: RelayDesk, isMaking: Bool = false, _ address: String = "10.0.0.1"
    ) -> RelayServerSessionID {
        let link = desk.open(address)
        desk.say(link, .mailbox(MailboxOpening(id: Self.id, isMaking: isMaking)))
        return link
    }

    private func items(_ desk: RelayDesk, _ link: RelayServerSessionID) -> [[UInt8]] {
        desk.heard(by: link).compactMap {
            if case .mailboxItem(let item) = $0 { item.bytes } else { nil }
        }
    }

    private func answer(
        _ mailboxes: [RelayMailboxAnswer], _ items: [[UInt8]]?, after heard: Int = 0
    ) -> RelayShareAnswer {
        var answer = RelayShareAnswer()
        answer.mailboxes = mailboxes
        if let items {
            answer.items[Self.id] = items.enumerated().map {
                RelayShareAnswer.Item(number: heard + $0.offset + 1, bytes: $0.element)
            }
        }
        return answer
    }

    @Test("what is put in elsewhere is heard here, each once, and not by who put it in")
    func mailboxes() throws {
        let desk = try desk()
        let (maker, other) = (open(desk, isMaking: true), open(desk, "10.0.0.2"))
        #expect(desk.heard(by: maker).isEmpty, "nothing is said before the database has it")
        let request = desk.node.takeShareRequest(today: 1)
        #expect(
            request.mailboxes == [
                .open(Self.id, isMaking: true, address: "10.0.0.1"),
                .open(Self.id, isMaking: false, address: "10.0.0.2"),
            ])
        receive(desk, answer([.opened, .opened], [[9]]))
        for link in [maker, other] { #expect(items(desk, link) == [[9]]) }
        desk.say(maker, .mailboxItem(MailboxItem([1])))
        let second = desk.node.takeShareRequest(today: 1)
        #expect(second.mailboxes == [.put([1], Self.id)])
        #expect(second.openMailboxes == [Self.id: 1])
        receive(desk, answer([.put(number: 2)], [[1], [2]], after: 1))
        #expect(items(desk, maker) == [[2]])
        #expect(items(desk, other) == [[1], [2]])
        #expect(desk.node.takeShareRequest(today: 1).openMailboxes == [Self.id: 3])
        receive(desk, answer([], []))
        #expect(items(desk, maker).isEmpty && items(desk, other).isEmpty)
        // Over, elsewhere or by its age.
        _ = desk.node.takeShareRequest(today: 1)
        receive(desk, answer([], nil))
        for link in [maker, other] { #expect(desk.error(link)?.reason == .noMailbox) }
        #expect(desk.node.takeShareRequest(today: 1).openMailboxes == [:])
    }

    @Test("items that come with the opening are put in behind it, and not told to who put them in")
    func itemsAtOnce() throws {
        let desk = try desk()
        let maker = open(desk, isMaking: true)
        desk.say(maker, .mailboxItem(MailboxItem([1])))
        #expect(desk.heard(by: maker).isEmpty)
        let request = desk.node.takeShareRequest(today: 1)
        #expect(
            request.mailboxes == [
                .open(Self.id, isMaking: true, address: "10.0.0.1"), .put([1], Self.id),
            ])
        // While the exchange goes on another one comes.
        desk.say(maker, .mailboxItem(MailboxItem([2])))
        receive(desk, answer([.opened, .put(number: 2)], [[9], [1]]))
        #expect(items(desk, maker) == [[9]])
        let second = desk.node.takeShareRequest(today: 1)
        #expect(second.mailboxes == [.put([2], Self.id)])
        receive(desk, answer([.put(number: 3)], [[2], [8]], after: 2))
        #expect(items(desk, maker) == [[8]])
        // Nobody waits for what is put into a mailbox that is not opened.
        let late = open(desk)
        desk.say(late, .mailboxItem(MailboxItem([3])))
        _ = desk.node.takeShareRequest(today: 1)
        receive(desk, answer([.tooMany, .missing], []))
        #expect(desk.error(late)?.reason == .mailboxes)
    }

    @Test(
        "who is not let into a mailbox hears why, and who waits while the database is away comes again"
    )
    func refusals() throws {
        let desk = try desk { $0.limits.mailboxSessionCountMax = 2 }
        for (outcome, code, reason): (RelayMailboxAnswer, PeerError.Code, PeerError.Reason) in [
            (.missing, .refused, .noMailbox), (.tooMany, .busy, .mailboxes),
            (.tooManyOfAddress, .busy, .mailboxes),
        ] {
            let link = open(desk)
            _ = desk.node.takeShareRequest(today: 1)
            receive(desk, answer([outcome], nil))
            #expect(desk.error(link)?.known == code)
            #expect(desk.error(link)?.reason == reason)
        }
        let waiting = open(desk)
        desk.take(
            desk.node.sharingFailed(desk.node.takeShareRequest(today: 1), now: desk.world.now))
        #expect(desk.error(waiting)?.reason == .storeBusy)
        // A second opening of one conversation, and a third conversation.
        let twice = open(desk)
        desk.say(twice, .mailbox(MailboxOpening(id: 4, isMaking: true)))
        #expect(desk.error(twice)?.known == .outOfOrder)
        _ = (open(desk), open(desk))
        #expect(desk.error(open(desk))?.reason == .mailboxes)
        // Items that are too many or too long never leave this process.
        let full = try self.desk { $0.limits.mailboxItemCountMax = 2 }
        let link = open(full, isMaking: true)
        _ = full.node.takeShareRequest(today: 1)
        receive(full, answer([.opened], []))
        for item: UInt8 in 1...3 { full.say(link, .mailboxItem(MailboxItem([item]))) }
        #expect(full.error(link)?.reason == .mailboxes)
    }

    @Test("what a connection leaves behind that nobody has let in is dropped")
    func leavingEarly() throws {
        let desk = try desk()
        let stranger = open(desk)
        for item: UInt8 in 1...3 { desk.say(stranger, .mailboxItem(MailboxItem([item]))) }
        desk.run(stranger, .lost)
        #expect(desk.node.takeShareRequest(today: 1).mailboxes == [])
        // One that is refused leaves nothing either, though it has put something in meanwhile.
        let refused = open(desk)
        _ = desk.node.takeShareRequest(today: 1)
        desk.say(refused, .mailboxItem(MailboxItem([4])))
        receive(desk, answer([.missing], nil))
        #expect(desk.error(refused)?.reason == .noMailbox)
        #expect(desk.node.takeShareRequest(today: 1).mailboxes == [])
        // An item for an open one goes on its way.
        let maker = open(desk, isMaking: true)
        _ = desk.node.takeShareRequest(today: 1)
        receive(desk, answer([.opened], []))
        desk.say(maker, .mailboxItem(MailboxItem([5])))
        desk.run(maker, .lost)
        #expect(desk.node.takeShareRequest(today: 1).mailboxes == [.put([5], Self.id)])
    }

    @Test("what waits is bounded, of one connection in bytes and of all together")
    func waitingLimits() throws {
        let desk = try desk()
        let long = open(desk, isMaking: true)
        let item = [UInt8](repeating: 1, count: WireLimits.mailboxItemByteCountMax)
        for number in 0..<22 {
            let bytes = [UInt8(number)] + item.dropFirst()
            desk.say(long, .mailboxItem(MailboxItem(bytes)))
        }
        #expect(desk.error(long)?.known == .overLimit, "65,536 bytes are 21 of these")
        var refusedCount = 0
        for number in 0..<70 {
            let link = desk.open("10.1.0.\(number)")
            let opening = MailboxOpening(id: UInt128(1000 + number), isMaking: true)
            desk.say(link, .mailbox(opening))
            for item: UInt8 in 0..<64 { desk.say(link, .mailboxItem(MailboxItem([item]))) }
            if desk.error(link)?.reason == .mailboxes { refusedCount += 1 }
        }
        #expect(refusedCount > 0)
        // They go a part at a time, in order, and then there is room.
        var taken = 0
        for _ in 0..<8 {
            let request = desk.node.takeShareRequest(today: 1)
            #expect(request.mailboxes.count <= 1024)
            taken += request.mailboxes.count
            receive(
                desk,
                answer(
                    request.mailboxes.enumerated().map {
                        if case .put = $0.element { .put(number: $0.offset + 1) } else { .opened }
                    }, nil))
        }
        #expect(taken <= 4096 && !desk.node.hasShareWishes)
        #expect(desk.error(open(desk, "10.2.0.1")) == nil)
    }

    // MARK: Idle spaces

    @Test("a device that stays connected is told to the others once each day")
    func visits() throws {
        let desk = try desk()
        _ = desk.relayHello(1, device: 1)
        #expect(desk.node.takeShareRequest(today: 20_000).visits == [])
        let visit = RelayVisit(
            space: RelayWorld.space,
            visitor: RelayVisitor(fingerprint: [UInt8](repeating: 1, count: 32), day: 20_001))
        let request = desk.node.takeShareRequest(today: 20_001)
        #expect(request.visits == [visit])
        #expect(desk.node.takeShareRequest(today: 20_001).visits == [])
        desk.take(desk.node.sharingFailed(request, now: desk.world.now))
        #expect(desk.node.takeShareRequest(today: 20_001).visits == [visit])
    }

    @Test("a store of files deletes spaces that nobody has visited, and no others")
    func expiry() throws {
        let desk = try RelayDesk()
        let others = [SpaceID(value: 8), SpaceID(value: 9), SpaceID(value: 10)]
        let open = desk.relayHello(1, space: others[0], device: 1)
        desk.run(desk.relayHello(1, space: others[1], device: 1), .lost)
        // Over plain TCP nobody knows when it was there.
        desk.run(desk.relayHello(1, space: others[2]), .lost)
        func pass(today: Int64) {
            for _ in 0..<4 {
                desk.take(desk.node.expireNext(days: 30, today: today, now: desk.world.now))
            }
        }
        pass(today: 20_029)
        #expect(desk.node.statistics.spaceCount == 3)
        pass(today: 20_030)
        #expect(desk.node.statistics.spaceCount == 2)
        #expect(desk.log.contains(.spaceExpired(others[1])))
        #expect(try desk.node.store(of: others[1]) == nil)
        #expect(desk.ends[open] == nil)
        // A device that comes later makes it anew, and reads from the start.
        let again = desk.relayHello(1, space: others[1], device: 1)
        #expect(desk.heard(by: again).relayHelloReply?.uploaded == nil)
        #expect(desk.node.statistics.spaceCount == 3)
    }
}
