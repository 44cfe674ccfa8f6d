import Core
import Crypto
import Session
import Transport

/// Shows an invitation to the device that made it, so that it lets this one in from then on; or the next
/// secret to a relay that has to learn of several.
package final class PairingRequest: LinkDelegate {
    /// The answer to a pairing request.
    package struct Answer: Sendable {
        /// Why this one is refused; nil if it is let in.
        package var refusal: PeerError?
        /// A relay's rekey message for devices that have the shown secret.
        package var rekeyMessage: RekeyMessage?
        /// Whether the answer was a relay's hello reply.
        package var isRelayHelloReply = false

        /// Whether a relay refuses as it has a later secret.
        package var hasLaterSecret: Bool {
            refusal?.reason == .oldGeneration
        }
    }

    private let loop: EventLoop
    private let relayHello: (_ binding: [UInt8]) -> RelayHello?
    private var decoder = FrameDecoder()
    private var answer: Result<PeerError?, TransportError>?
    private var rekeyMessage: RekeyMessage?
    private var isRelayHelloReply = false
    private var link: Link?

    private init(_ relayHello: @escaping (_ binding: [UInt8]) -> RelayHello?) throws(TransportError)
    {
        loop = try EventLoop()
        self.relayHello = relayHello
    }

    /// Shows it, and waits for the answer.
    ///
    /// - Parameter relayHello: what is said on a channel; its name is given.
    /// - Throws: why the device cannot be asked.
    package static func perform(
        at hostAndPort: HostAndPort, _ fingerprint: Fingerprint, security: SyncSecurity,
        timeout: Duration = Reconnector.dialTimeout,
        _ relayHello: @escaping (_ binding: [UInt8]) -> RelayHello?
    ) throws(TransportError) -> Answer {
        let request = try PairingRequest(relayHello)
        request.loop.schedule(after: timeout) { [unowned request] in
            request.finish(.failure(.security(.cutHandshake, peer: hostAndPort.description)))
        }
        let settings = TransportSettings(on: request.loop, security: security, timeout: timeout)
        try Endpoint.tls(hostAndPort, fingerprint).dial(settings) { [unowned request] result in
            switch result {
            case .success(let link): request.begin(link)
            case .failure(let error): request.finish(.failure(error))
            }
        }
        try request.loop.run()
        guard let answer = request.answer else {
            throw .security(.cutHandshake, peer: hostAndPort.description)
        }
        return Answer(
            refusal: try answer.get(), rekeyMessage: request.rekeyMessage,
            isRelayHelloReply: request.isRelayHelloReply)
    }

    private func begin(_ link: Link) {
        self.link = link
        decoder = FrameDecoder(hasChecksum: !link.isSecured)
        link.start(self)
        guard let binding = link.relayBinding, let relayHello = relayHello(binding) else {
            return finish(.failure(.security(.notBuiltIn, peer: link.name)))
        }
        link.send(Frame.encode(.relayHello(relayHello), hasChecksum: !link.isSecured))
    }

    private func finish(_ found: Result<PeerError?, TransportError>) {
        if answer == nil { answer = found }
        loop.stop()
    }

    /// Takes the answer.
    package func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        decoder.append(bytes)
        do throws(WireFault) {
            guard var message = try decoder.next() else { return }
            if case .rekeyMessage(let found) = message, rekeyMessage == nil {
                rekeyMessage = found
                // The refusal comes behind it.
                guard let next = try decoder.next() else { return }
                message = next
            }
            switch message {
            case .bye: answer = answer ?? .success(nil)
            // So does one that is in the middle of it: to a member an introduction is out of order.
            case .error(let error) where error.known == .outOfOrder:
                answer = answer ?? .success(nil)
            case .error(let error): answer = answer ?? .success(error)
            // A device that trusts this one already begins a session; so does a relay.
            case .hello, .relayHelloReply: answer = answer ?? .success(nil)
            default: break
            }
            if case .relayHelloReply = message {
                isRelayHelloReply = true
                link.send(Frame.encode(.bye, hasChecksum: !link.isSecured))
            }
        } catch {
            answer = answer ?? .failure(.security(.cutHandshake, peer: link.name))
        }
        link.closeAfterSending()
    }

    /// Has nothing more to send.
    package func linkDrained(_ link: Link) {}

    /// Is done.
    package func linkClosed(_ link: Link, _ reason: Link.Ending) {
        if case .failed(let error) = reason { return finish(.failure(error)) }
        loop.stop()
    }
}

/// Answers a peer that is not let in: with the reason, or, if it says that it was invited, by asking.
final class PairingResponder: LinkDelegate {
    /// How long a stranger may take for his first message.
    private static let patience = Duration.seconds(10)
    /// The longest message that a stranger may send, in bytes.
    private static let helloByteCountMax = 4 * 1024

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
        decoder = FrameDecoder(
            hasChecksum: !link.isSecured, byteCountMax: Self.helloByteCountMax)
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
