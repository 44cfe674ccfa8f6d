import Core
import Relay
import Session
import Testing

@Suite("Mailboxes of pairing at a relay")
struct MailboxTests {
    private static let id: UInt128 = 0xfeed

    private func open(
        _ desk: RelayDesk, _ id: UInt128 = Self.id, isMaking: Bool = false,
        from address: String = "10.0.0.1"
    ) -> RelayServerSessionID {
        let link = desk.open(address)
        desk.say(link, .mailbox(MailboxOpening(id: id, isMaking: isMaking)))
        return link
    }

    private func items(_ messages: [Message]) -> [[UInt8]] {
        messages.compactMap { if case .mailboxItem(let item) = $0 { item.bytes } else { nil } }
    }

    private func put(_ desk: RelayDesk, _ link: RelayServerSessionID, _ bytes: [UInt8]...) {
        for item in bytes { desk.say(link, .mailboxItem(MailboxItem(item))) }
    }

    @Test("what one puts in the others hear, those who come later as well, in order and once")
    func carried() throws {
        let desk = try RelayDesk()
        let inviter = open(desk, isMaking: true)
        #expect(desk.heard(by: inviter) == [.mailbox(MailboxOpening(id: Self.id, isMaking: false))])
        let joiner = open(desk, from: "10.0.0.2")
        put(desk, joiner, [1], [1])
        #expect(items(desk.heard(by: inviter)) == [[1]])
        put(desk, inviter, [2], [3])
        #expect(items(desk.heard(by: joiner)) == [[2], [3]])
        let late = open(desk, from: "10.0.0.3")
        #expect(items(desk.heard(by: late)) == [[1], [2], [3]])
        // Another mailbox hears nothing of it.
        let other = open(desk, 7, isMaking: true)
        #expect(items(desk.heard(by: other)).isEmpty)
        #expect(desk.node.statistics.mailboxCount == 2)
    }

    @Test("no proof is asked for, and nothing but a mailbox is to be had without one")
    func noSpace() throws {
        let desk = try RelayDesk()
        for message: Message in [
            .repair, RelayDesk.batch([RelayDesk.change(1, 1, 1)], through: 1),
            .relayHello(
                RelayHello(
                    space: RelayWorld.space, replica: ReplicaID(value: 1), features: .live,
                    generation: 0)),
            .mailbox(MailboxOpening(id: 3, isMaking: true)),
        ] {
            let link = open(desk, isMaking: true)
            desk.say(link, message)
            #expect(desk.error(link)?.known == .outOfOrder)
        }
        // Nor does a device of a space have a mailbox beside it.
        let member = desk.relayHello(1)
        desk.say(member, .mailboxItem(MailboxItem([1])))
        #expect(desk.error(member)?.known == .outOfOrder)
    }

    @Test("a mailbox that nobody made is none")
    func unknown() throws {
        let desk = try RelayDesk()
        #expect(desk.error(open(desk))?.reason == .noMailbox)
        #expect(desk.node.statistics.mailboxCount == 0)
    }

    @Test("one address makes no more than its share, and all together no more than the limit")
    func counts() throws {
        let desk = try RelayDesk(RelayWorld()) {
            $0.limits.addressMailboxCountMax = 2
            $0.limits.mailboxCountMax = 3
        }
        for number in UInt128(1)...2 {
            #expect(desk.ends[open(desk, number, isMaking: true)] == nil)
        }
        #expect(desk.error(open(desk, 3, isMaking: true))?.reason == .mailboxes)
        #expect(desk.ends[open(desk, 3, isMaking: true, from: "10.0.0.2")] == nil)
        let refused = open(desk, 4, isMaking: true, from: "10.0.0.3")
        #expect(desk.error(refused)?.known == .busy)
        // Those that are there can be joined all the same.
        #expect(desk.ends[open(desk, 1, from: "10.0.0.3")] == nil)
    }

    @Test("items, their bytes and those who listen are limited in each mailbox")
    func full() throws {
        let desk = try RelayDesk(RelayWorld()) {
            $0.limits.mailboxItemCountMax = 3
            $0.limits.mailboxByteCountMax = 100
            $0.limits.mailboxSessionCountMax = 3
        }
        let first = open(desk, isMaking: true)
        put(desk, first, [1], [2], [3], [4])
        #expect(desk.error(first)?.known == .overLimit)
        #expect(desk.error(first)?.reason == .mailboxes)
        let second = open(desk, 8, isMaking: true)
        put(desk, second, [UInt8](repeating: 1, count: 60), [UInt8](repeating: 2, count: 41))
        #expect(desk.error(second)?.reason == .mailboxes)
        for _ in 0..<3 { #expect(desk.ends[open(desk, 9, isMaking: true)] == nil) }
        #expect(desk.error(open(desk, 9))?.reason == .mailboxes)
    }

    @Test("an item longer than the protocol allows ends the conversation, and is not kept")
    func longItem() throws {
        let desk = try RelayDesk()
        let link = open(desk, isMaking: true)
        put(desk, link, [UInt8](repeating: 1, count: WireLimits.mailboxItemByteCountMax))
        #expect(desk.ends[link] == nil)
        put(desk, link, [UInt8](repeating: 1, count: WireLimits.mailboxItemByteCountMax + 1))
        #expect(desk.error(link)?.known == .overLimit)
    }

    @Test("a mailbox that nobody has open is gone after its idle time, not before")
    func idle() throws {
        let desk = try RelayDesk(RelayWorld()) { $0.limits.idleMailboxMilliseconds = 5_000 }
        let link = open(desk, isMaking: true)
        put(desk, link, [1])
        desk.run(link, .lost)
        desk.pass(milliseconds: 4_999)
        let again = open(desk)
        #expect(items(desk.heard(by: again)) == [[1]])
        desk.run(again, .lost)
        desk.pass(milliseconds: 5_000)
        #expect(desk.error(open(desk))?.reason == .noMailbox)
        #expect(desk.node.statistics.mailboxCount == 0)
    }

    @Test("a mailbox ends with its time, for those as well who have it open")
    func life() throws {
        let desk = try RelayDesk(RelayWorld()) {
            $0.limits.mailboxMilliseconds = 20_000
            $0.limits.silenceTimeoutMilliseconds = 100_000
        }
        let link = open(desk, isMaking: true)
        desk.pass(milliseconds: 19_999)
        #expect(desk.ends[link] == nil)
        desk.pass(milliseconds: 1)
        _ = desk.open()
        #expect(desk.error(link)?.reason == .noMailbox)
    }

    @Test("a device that has a mailbox open and is silent is asked, and let go")
    func silent() throws {
        let desk = try RelayDesk()
        let link = open(desk, isMaking: true)
        _ = desk.heard(by: link)
        desk.pass(milliseconds: 10_000)
        #expect(desk.heard(by: link) == [.ping(1)])
        desk.say(link, .pong(1))
        desk.pass(milliseconds: 29_999)
        #expect(desk.ends[link] == nil)
        desk.pass(milliseconds: 1)
        #expect(desk.error(link)?.known == .timeout)
    }

    @Test("a version of the protocol that the relay does not speak is refused")
    func versions() throws {
        let desk = try RelayDesk()
        let link = desk.open()
        var opening = MailboxOpening(id: 1, isMaking: true)
        (opening.versionMin, opening.versionMax) = (7, 9)
        desk.say(link, .mailbox(opening))
        #expect(desk.error(link)?.known == .incompatible)
    }
}
