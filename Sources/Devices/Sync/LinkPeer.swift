import Core
import Replica
import Session
import Transport

/// One conversation's link, timer and listener.
final class LinkPeer: LinkDelegate {
    let link: Link
    let listener: ReplicaRunner.Listener
    private let conversation: ConversationID
    private unowned let runner: ReplicaRunner
    private var timer: TimerID?
    private var end: SessionEnd?

    init(
        link: Link, conversation: ConversationID, runner: ReplicaRunner,
        listener: ReplicaRunner.Listener
    ) {
        self.link = link
        self.conversation = conversation
        self.runner = runner
        self.listener = listener
    }

    func wake(at time: Instant) {
        if let timer { runner.loop.cancel(timer) }
        let delay = max(time.milliseconds - SystemEnvironment.now().milliseconds, 0)
        timer = runner.loop.schedule(after: .milliseconds(delay)) { [unowned self] in
            timer = nil
            runner.woken(conversation)
        }
    }

    /// The conversation is over: what was sent still leaves.
    func close(_ end: SessionEnd) {
        self.end = end
        if let timer { runner.loop.cancel(timer) }
        timer = nil
        link.closeAfterSending()
    }

    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        runner.received(bytes, for: conversation)
    }

    func linkDrained(_ link: Link) {
        runner.drained(conversation)
    }

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        // The runner lets go of this object while it tells the session.
        let (listener, wasOver) = (listener, end != nil)
        if let timer { runner.loop.cancel(timer) }
        timer = nil
        if !wasOver { runner.lost(conversation) }
        var error: TransportError?
        if case .failed(let found) = reason { error = found }
        let end = end ?? .lost
        runner.forget(conversation)
        listener.ended(end, end == .finished ? nil : error)
    }
}
