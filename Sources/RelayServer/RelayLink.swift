import Core
import Relay
import Session
import Transport

/// One device's link to a relay, and its timer.
///
/// An idle one is this object, the link, the channel of TLS and a timer: no buffers.
final class RelayLink: LinkDelegate {
    let link: Link
    /// The network it comes from, under which connections are counted.
    let network: String
    private let session: RelayServerSessionID
    private unowned let server: RelayServer
    private var timer: TimerID?
    /// Whether the conversation is over and only the link is left.
    private(set) var isOver = false
    /// Whether the link reported to the conversation that it holds much.
    private var isFull = false

    init(link: Link, session: RelayServerSessionID, network: String, server: RelayServer) {
        self.link = link
        self.session = session
        self.network = network
        self.server = server
    }

    func wake(at time: Instant) {
        if let timer { server.loop.cancel(timer) }
        let delay = max(time.milliseconds - SystemEnvironment.now().milliseconds, 0)
        timer = server.loop.schedule(after: .milliseconds(delay)) { [unowned self] in
            timer = nil
            server.run(session, .wake)
        }
    }

    /// The conversation is over: bytes already queued are still sent.
    func close() {
        isOver = true
        if let timer { server.loop.cancel(timer) }
        timer = nil
        link.closeAfterSending()
    }

    /// Reports to the conversation the bytes that the link holds, if more than `byteCountMax`.
    func tellIfFull(byteCountMax: Int) {
        guard !isOver, link.pendingByteCount > byteCountMax else { return }
        isFull = true
        server.run(session, .sendQueue(byteCount: link.pendingByteCount))
    }

    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        server.received(bytes, from: session)
    }

    func linkDrained(_ link: Link) {
        guard isFull else { return }
        isFull = false
        server.run(session, .sendQueue(byteCount: 0))
    }

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        if let timer { server.loop.cancel(timer) }
        timer = nil
        server.closed(self, session)
    }
}
