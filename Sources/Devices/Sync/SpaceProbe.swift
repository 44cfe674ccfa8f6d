import Core
import Glibc
import Session
import Transport

/// Asks the peer at an address which space it belongs to, so that a new store can join it.
package final class SpaceProbe: LinkDelegate {
    /// The peer's answer.
    package enum Answer: Sendable {
        /// Its space and the space's rule.
        case space(SpaceID, DeletePolicy)
        /// An error.
        case refused(PeerError)
        /// Nothing that makes sense.
        case nonsense(String)
    }

    private let loop: EventLoop
    private var decoder = FrameDecoder()
    private var answer: Answer?
    private var error: TransportError?
    private var link: Link?

    private init() throws(TransportError) {
        loop = try EventLoop()
    }

    /// Asks, and waits for the answer.
    package static func ask(
        _ endpoint: Endpoint, security: SyncSecurity? = nil, plain: PlainTCP = .nowhere
    )
        throws(TransportError) -> Answer
    {
        let probe = try SpaceProbe()
        probe.loop.schedule(after: Reconnector.dialTimeout) { [unowned probe] in
            probe.answer = .nonsense("no answer within \(Reconnector.dialTimeout)")
            probe.link?.close()
            probe.loop.stop()
        }
        let settings = TransportSettings(
            on: probe.loop, security: security, plain: plain,
            timeout: Reconnector.dialTimeout)
        try endpoint.dial(settings) { [unowned probe] result in
            switch result {
            case .success(let link): probe.begin(link)
            case .failure(let error):
                probe.error = error
                probe.loop.stop()
            }
        }
        defer { probe.loop.closeLinks() }
        try probe.loop.run()
        if let error = probe.error, probe.answer == nil { throw error }
        return probe.answer ?? .nonsense("the peer closed the connection without a word")
    }

    /// A hello of nobody, to no space: the peer answers with its own and leaves.
    private func begin(_ link: Link) {
        self.link = link
        decoder = FrameDecoder(hasChecksum: !link.isSecured)
        link.start(self)
        let hello = Hello(
            space: SpaceID(value: 0), policy: .deletesWin,
            replica: ReplicaID(value: UInt128(SystemEnvironment.random())),
            incarnation: Incarnation(epoch: EpochID(value: 1), counter: 0),
            summary: SummaryHead(sum: 0, digest: 0, count: 0), features: [], peerCheckpoint: nil)
        link.send(.hello(hello))
    }

    /// Takes the first message, and leaves.
    package func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        decoder.append(bytes)
        do throws(WireFault) {
            guard let message = try decoder.next() else { return }
            switch message {
            case .hello(let hello): answer = .space(hello.space, hello.policy)
            case .error(let error): answer = .refused(error)
            default: answer = .nonsense("the peer said something else than hello")
            }
        } catch {
            answer = .nonsense("the peer sent bytes that are no message: \(error)")
        }
        link.closeAfterSending()
    }

    /// Has nothing more to send.
    package func linkDrained(_ link: Link) {}

    /// Is done.
    package func linkClosed(_ link: Link, _ reason: Link.Ending) {
        if case .failed(let found) = reason { error = found }
        loop.stop()
    }
}
