// The kernel is asked here when a session began: no other test of this module needs it.

import Glibc
import Terminal
import Testing

@Suite("The terminal that somebody types in")
struct TerminalSessionTests {
    @Test("a session began after the machine did and before now, by the clock that is asked")
    func began() throws {
        // Nil where the leader of the session has ended.
        guard let began = TerminalSession.began(now: 1_000_000_000_000) else { return }
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let uptime = (Int64(time.tv_sec) + 1) * 1000
        #expect((1_000_000_000_000 - uptime...1_000_000_000_000).contains(began))
        #expect(TerminalSession.name.split(separator: ":").count == 3)
    }
}
