import Crypto
import Devices
import Page
import Testing
import Transport

@Suite("An invitation on the page")
struct InvitationTests {
    /// An inviter that begins nothing.
    private final class Inviter: PageInviter {
        var invitation: PageInvitation?
        func begin(relay: String?, address: String?) { invitation = PageInvitation() }
        func enter(digits: String) {}
        func stop() {}
    }

    private static let phone = PairingApplicant(
        key: [1], fingerprint: Fingerprint(bytes: [UInt8](repeating: 0x5f, count: 32))!,
        name: "phone <b>")

    /// News whose events are all there are.
    private static let news: [(InvitationEvent, InvitationThread.News)] = [
        (.asks, .notice(.asks(phone))), (.tooMany, .notice(.tooMany)),
        (.wrongDigits, .notice(.wrongDigits(leftCount: 2))), (.admitted, .notice(.admitted(phone))),
        (.notAdmitted, .notice(.notAdmitted(phone, .used))), (.late, .notice(.late(phone))),
        (.joined, .ended(.success(.joined(phone)))), (.overTime, .notice(.over(.time))),
        (.overWrongDigits, .notice(.over(.wrongDigits))), (.overStopped, .notice(.over(.stopped))),
        (.overDisk, .notice(.over(.disk))),
    ]

    private func made(_ unmet: [String] = []) throws -> InvitationThread.News {
        let meeting = try HostAndPort(parsing: "desk.local:7717")
        let code = try #require(
            PairingCode(
                meeting: meeting, key: [UInt8](repeating: 7, count: PairingCode.keyByteCount),
                pin: [UInt8](repeating: 9, count: PairingCode.pinByteCount)))
        let error = TransportError.failedCall(.connect, errno: 111, about: "a relay")
        return .made(
            InvitationThread.Made(
                code: code, seconds: 600,
                unmet: try unmet.map { (try HostAndPort(parsing: $0), error) }))
    }

    private func invitation(_ news: [InvitationThread.News]) -> PageInvitation {
        var invitation = PageInvitation()
        for one in news { invitation.take(one) }
        return invitation
    }

    private func shown(_ invitation: PageInvitation) throws -> String {
        let world = try PageWorld()
        let inviter = Inviter()
        inviter.invitation = invitation
        world.page.inviter = inviter
        return world.get("/invite").text
    }

    @Test("each event is shown in words; the code is gone once it is used or over")
    func events() throws {
        #expect(Set(Self.news.map(\.0)) == Set(InvitationEvent.allCases))
        for (event, news) in Self.news {
            var invitation = invitation([try made(), news])
            #expect(invitation.events.map(\.kind) == [event])
            #expect((invitation.code == nil) == event.isEnd, "\(event)")
            let text = try shown(invitation)
            #expect(text.contains("class=\"events\""))
            #expect(!text.contains("phone <b>"))
            if event.rawValue.contains("-") { #expect(!text.contains(event.rawValue)) }
            invitation.take(.ended(.success(.over(.stopped))))
            #expect(invitation.code == nil && invitation.isOver && invitation.faults.isEmpty)
        }
    }

    @Test("the code is shown with what was not reached, but for the meeting point itself")
    func unmetRelays() throws {
        let invitation = invitation([try made(["desk.local:7717", "relay.example:7718"])])
        #expect(invitation.faults.count == 1)
        #expect(invitation.faults[0].contains("relay.example:7718 was not reached"))
        let text = try shown(invitation)
        #expect(text.contains(try #require(invitation.code).text))
    }

    @Test("an invitation that cannot be made says why, and another can be made")
    func errors() throws {
        for invitation in [
            invitation([.ended(.failure(DeviceFault.noAddress))]),
            invitation([try made(), .ended(.failure(DeviceFault.noAddress))]),
        ] {
            #expect(invitation.isOver && invitation.code == nil)
            #expect(invitation.faults.count == 1)
            let text = try shown(invitation)
            #expect(text.contains("role=\"alert\""))
            #expect(text.contains("value=\"begin\""))
        }
    }
}
