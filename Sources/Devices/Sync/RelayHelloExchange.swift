import Core
import Crypto
import Session
import Transport

/// Shows one secret to a relay, and hears whether it has that one.
package final class RelayHelloExchange: LinkDelegate {
    /// The answer of the relay.
    package struct Answer: Sendable {
        /// Why the secret is refused; nil if it is not.
        package var refusal: PeerError?
        /// The rekey message for devices that have the shown secret.
        package var rekeyMessage: RekeyMessage?
        /// Whether the answer was a hello reply.
        package var isRelayHelloReply = false

        /// Whether it refuses as it has a later secret.
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
        let request = try RelayHelloExchange(relayHello)
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
        defer { request.loop.closeLinks() }
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
        link.send(.relayHello(relayHello))
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
            case .error(let error): answer = answer ?? .success(error)
            case .relayHelloReply: answer = answer ?? .success(nil)
            default: break
            }
            if case .relayHelloReply = message {
                isRelayHelloReply = true
                link.send(.bye)
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
