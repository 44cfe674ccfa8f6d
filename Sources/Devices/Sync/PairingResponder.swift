import Core
import Crypto
import Session
import Transport

/// Answers a peer that is not let in: with the reason, or, if it says that it was invited, by asking.
final class PairingResponder: LinkDelegate {
    /// How long a stranger may take for his first message.
    private static let patience = Duration.seconds(10)

    private let judge: (RelayHello) -> PeerError?
    private let ended: (PairingResponder, PeerError?) -> Void
    private var decoder: FrameDecoder
    private var timer: TimerID?
    private var refusal: PeerError?
    private var isAnswered = false

    /// Takes a link that is not started.
    ///
    /// - Parameters:
    ///   - refusal: why the peer is refused whatever it says; nil to hear it first.
    ///   - judge: why what it says does not let it in; nil if it does.
    init(
        on link: Link, refusal: PeerError?, judge: @escaping (RelayHello) -> PeerError?,
        ended: @escaping (PairingResponder, PeerError?) -> Void
    ) {
        self.judge = judge
        self.ended = ended
        decoder = FrameDecoder(hasChecksum: !link.isSecured)
        link.start(self)
        if let refusal {
            answer(refusal, on: link)
        } else {
            timer = link.loop.schedule(after: Self.patience) { [unowned self, unowned link] in
                timer = nil
                answer(.timeout("an introduction", milliseconds: 10_000), on: link)
            }
        }
    }

    private func answer(_ refusal: PeerError?, on link: Link) {
        if isAnswered { return }
        isAnswered = true
        self.refusal = refusal
        if let timer { link.loop.cancel(timer) }
        timer = nil
        let message = refusal.map { Message.error($0) } ?? .bye
        link.send(Frame.encode(message, hasChecksum: !link.isSecured))
        link.closeAfterSending()
    }

    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        if isAnswered { return }
        decoder.append(bytes)
        do throws(WireFault) {
            guard let message = try decoder.next() else { return }
            guard case .relayHello(let relayHello) = message else {
                return answer(.notInvited, on: link)
            }
            answer(judge(relayHello), on: link)
        } catch {
            answer(.malformed(error), on: link)
        }
    }

    func linkDrained(_ link: Link) {}

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        if let timer { link.loop.cancel(timer) }
        timer = nil
        ended(self, refusal)
    }
}
