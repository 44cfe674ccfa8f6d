import Core
import Crypto
import Transport

/// Shows an invitation to the device that made it, so that it lets this one in from then on; or the next
/// secret to a relay that has to learn of several.
package final class Introduction: LinkDelegate {
    /// The answer to a pairing request.
    package struct Answer: Sendable {
        /// Why this one is refused; nil if it is let in.
        package var refusal: PeerError?
        /// A relay's rekey message for devices that have the shown secret.
        package var letter: Letter?
        /// Whether it was a relay's welcome.
        package var isWelcome = false

        /// Whether a relay refuses as it has a later secret.
        package var hasLaterSecret: Bool {
            refusal?.reason == .oldGeneration
        }
    }

    private let loop: EventLoop
    private let approach: (_ binding: [UInt8]) -> Approach?
    private var decoder = FrameDecoder()
    private var answer: Result<PeerError?, TransportError>?
    private var letter: Letter?
    private var isWelcome = false
    private var dialer: Dialer?
    private var link: Link?

    private init(_ approach: @escaping (_ binding: [UInt8]) -> Approach?) throws(TransportError) {
        loop = try EventLoop()
        self.approach = approach
    }

    /// Shows it, and waits for the answer.
    ///
    /// - Parameter approach: what is said on a channel; its name is given.
    /// - Throws: why the device cannot be asked.
    package static func perform(
        at place: HostAndPort, _ fingerprint: Fingerprint, security: SyncSecurity,
        timeout: Duration = ContactKeeper.dialTimeout,
        _ approach: @escaping (_ binding: [UInt8]) -> Approach?
    ) throws(TransportError) -> Answer {
        let introduction = try Introduction(approach)
        introduction.loop.schedule(after: timeout) { [unowned introduction] in
            introduction.finish(.failure(.security(.cutHandshake, peer: place.description)))
        }
        introduction.dialer = try Dialer.dial(
            .tls(place, fingerprint), on: introduction.loop, security: security,
            allowInsecure: false, timeout: timeout
        ) { [unowned introduction] result in
            switch result {
            case .success(let link): introduction.begin(link)
            case .failure(let error): introduction.finish(.failure(error))
            }
        }
        try introduction.loop.run()
        guard let answer = introduction.answer else {
            throw .security(.cutHandshake, peer: place.description)
        }
        return Answer(
            refusal: try answer.get(), letter: introduction.letter,
            isWelcome: introduction.isWelcome)
    }

    private func begin(_ link: Link) {
        self.link = link
        decoder = FrameDecoder(hasChecksum: !link.isSecured)
        link.start(self)
        guard let binding = link.relayBinding, let approach = approach(binding) else {
            return finish(.failure(.security(.notBuiltIn, peer: link.name)))
        }
        link.send(Frame.encode(.approach(approach), hasChecksum: !link.isSecured))
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
            if case .letter(let found) = message, letter == nil {
                letter = found
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
            case .hello, .welcome: answer = answer ?? .success(nil)
            default: break
            }
            if case .welcome = message {
                isWelcome = true
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
