import Devices
import Page
import ToDo
import Transport

/// The invitation of a page, on a thread of its own: the page answers while it waits and calls relays.
final class InvitationRunner: PageInviter {
    private let folder: String
    private let loop: EventLoop
    private let changed: () -> Void
    private(set) var invitation: PageInvitation?
    private var thread: InvitationThread?
    private var isEnding = false

    /// How long an invitation that is ended may take to tell the devices that are here.
    private static let leavingTime = Duration.seconds(1)

    /// Nobody is invited yet.
    ///
    /// - Parameter changed: called when something has happened.
    init(_ folder: String, on loop: EventLoop, changed: @escaping () -> Void) {
        self.folder = folder
        self.loop = loop
        self.changed = changed
    }

    func begin(relay: String?, address: String?) {
        invitation = PageInvitation()
        var settings = InvitationThread.Settings(folder: folder, schema: ToDoSchema.collections)
        do throws(TransportError) {
            if let address { settings.addresses.append(.device(try HostAndPort(parsing: address))) }
            if let relay { settings.addresses.append(.relay(try RelayAddress(parsing: relay))) }
            let receiver = LoopBound(self, on: loop)
            let thread = InvitationThread(settings) { [mailbox = loop.mailbox] news in
                mailbox.post { receiver.value(on: $0).take(news) }
            }
            try thread.start()
            self.thread = thread
        } catch {
            invitation?.fail(error)
            changed()
        }
    }

    func enter(digits: String) { thread?.enter(digits: digits) }

    func stop() { thread?.stop() }

    /// Ends what waits, and lets it put its things away, for a second or two; the loop must not run.
    ///
    /// - Throws: what a failed loop throws.
    func end() throws(TransportError) {
        guard thread != nil else { return }
        stop()
        // A first sync that goes on is cut off, and goes on with another device; a relay that is called is not waited for.
        loop.schedule(after: Self.leavingTime) { [self] in stop() }
        loop.schedule(after: Self.leavingTime * 2) { [loop] in loop.stop() }
        isEnding = true
        try loop.run()
    }

    private func take(_ news: InvitationThread.News) {
        invitation?.take(news)
        if invitation?.isOver ?? true {
            thread = nil
            if isEnding { loop.stop() }
        }
        changed()
    }
}
