import Devices
import Page
import Testing

@Suite("An invitation on the page")
struct InvitationTests {
    /// An inviter that runs no program.
    private final class Inviter: PageInviter {
        var invitation: PageInvitation?
        func begin(relay: String?, address: String?) { invitation = PageInvitation() }
        func enter(digits: String) {}
        func stop() {}
    }

    private func invitation(_ lines: [String]) -> PageInvitation {
        var invitation = PageInvitation()
        for line in lines { invitation.take(line) }
        return invitation
    }

    private func shown(_ invitation: PageInvitation) throws -> String {
        let world = try PageWorld()
        let inviter = Inviter()
        inviter.invitation = invitation
        world.page.inviter = inviter
        return world.get("/invite").text
    }

    @Test("each event is read by its code, and shown in words", arguments: InvitationEvent.allCases)
    func events(event: InvitationEvent) throws {
        let line = #"{"event":"\#(event.rawValue)","device":"phone","fingerprint":"5f0c-1234-5"}"#
        var invitation = invitation([#"{"code":"abc","seconds":600}"#, line, "no JSON"])
        #expect(invitation.events.map(\.kind) == [event])
        #expect(invitation.events[0].device == "phone")
        #expect((invitation.code == nil) == (event == .admitted))
        invitation.end(nil)
        #expect(invitation.code == nil && invitation.isOver && invitation.faults.isEmpty)
        let text = try shown(invitation)
        #expect(text.contains("class=\"events\""))
        if event.rawValue.contains("-") { #expect(!text.contains(event.rawValue)) }
    }

    @Test("an event of a newer program is kept without a kind, and not shown by its code")
    func unknownEvents() throws {
        var invitation = invitation([#"{"event":"came-by-air","device":"phone"}"#])
        #expect(invitation.events.count == 1 && invitation.events[0].kind == nil)
        invitation.end(nil)
        #expect(try !shown(invitation).contains("came-by-air"))
    }

    @Test("an error is its message; what the program wrote for people is shown only without one")
    func errors() throws {
        let error = #"{"error":{"code":64,"message":"no relay <is> known"}}"#
        var failed = invitation([error])
        failed.end("tandem: no relay <is> known")
        #expect(failed.faults == ["no relay <is> known"])
        #expect(try shown(failed).contains("no relay &lt;is&gt; known"))
        var silent = invitation([])
        silent.end("tandem cannot be run")
        #expect(silent.faults == ["tandem cannot be run"])
        var joined = invitation([
            #"{"warning":{"code":69,"message":"not reached"}}"#, #"{"event":"joined"}"#,
        ])
        joined.end("tandem: a word to people")
        #expect(joined.faults == ["not reached"])
    }
}
