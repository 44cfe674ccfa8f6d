import Core
import Transport

/// Tells a peer for which there is no room why it is sent away.
final class Rejection: LinkDelegate {
    private let ended: (Rejection) -> Void

    /// Says so on a link that is not started, and closes it.
    init(on link: Link, sessionCountMax: Int, ended: @escaping (Rejection) -> Void) {
        self.ended = ended
        link.start(self)
        let error = PeerError(
            .busy, "the sender serves \(sessionCountMax) sessions already, as many as it may",
            side: .speaker, advice: "sync again in a moment")
        link.send(Frame.encode(.error(error), hasChecksum: !link.isSecured))
        link.closeAfterSending()
    }

    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {}

    func linkDrained(_ link: Link) {}

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        ended(self)
    }
}
