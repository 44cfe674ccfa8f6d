import Core
import Crypto
import Session
import Transport

/// Answers a peer that is not let in: with the reason, or, if it names a mailbox of pairing, by passing on what it and the
/// program that waits with that code tell each other.
///
/// Nothing else is answered to a stranger.
package final class PairingResponder: LinkDelegate {
    /// How long a stranger may take for the first message.
    private static let patience = Duration.seconds(10)
    /// How long a stranger may stay with a mailbox.
    static let stayMax = Duration.seconds(61 * 60)
    /// The longest message that a stranger may send, in bytes.
    static let messageByteCountMax = 4 * 1024
    /// The most bytes of a stranger that are passed on.
    static let passedByteCountMax = 64 * 1024

    private enum Phase {
        /// Waits for the first message.
        case waiting
        /// Passes on what comes to the program that waits with the code.
        case passing(Link)
        /// Nobody waits any more: gives what was sent to the device that was admitted, to it alone.
        case repeating(PairingDecision)
        case answered
    }

    private let folder: String
    private let loop: EventLoop
    private let refused: (PeerError) -> Void
    private let ended: (PairingResponder) -> Void
    private var decoder: FrameDecoder
    private var timer: TimerID?
    private var phase = Phase.waiting
    /// All bytes before it is clear where they belong: until the program that waits with the code has said something.
    private var received: [UInt8] = []
    private var passedByteCount = 0
    private var waiter: Waiter?
    /// Whether the program that waited with the code left without a word.
    private var isWaiterGone = false

    /// Takes a link that is not started.
    ///
    /// - Parameters:
    ///   - refusal: why the peer is refused whatever it says; nil to hear it first.
    ///   - folder: of the store, where programs wait with codes.
    ///   - refused: told why the peer is refused, before the peer hears it: a server that is stopped then has told it.
    ///   - ended: told of the end.
    package init(
        on link: Link, refusal: PeerError?, in folder: String,
        refused: @escaping (PeerError) -> Void, ended: @escaping (PairingResponder) -> Void
    ) {
        self.folder = folder
        self.refused = refused
        self.ended = ended
        loop = link.loop
        decoder = FrameDecoder(
            hasChecksum: !link.isSecured, byteCountMax: Self.messageByteCountMax)
        link.start(self)
        if let refusal {
            answer(refusal, on: link)
        } else {
            limit(link, to: Self.patience, .timeout("a pairing request", milliseconds: 10_000))
        }
    }

    private func limit(_ link: Link, to time: Duration, _ error: PeerError) {
        if let timer { loop.cancel(timer) }
        timer = loop.schedule(after: time) { [unowned self, unowned link] in
            timer = nil
            answer(error, on: link)
        }
    }

    private func answer(_ refusal: PeerError?, on link: Link) {
        if case .answered = phase { return }
        if case .passing(let other) = phase { other.close() }
        phase = .answered
        if let timer { loop.cancel(timer) }
        timer = nil
        if let refusal {
            refused(refusal)
            link.send(.error(refusal))
        }
        link.closeAfterSending()
    }

    // MARK: The stranger

    /// Hears what a stranger says, or passes it on.
    package func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        if case .passing(let other) = phase { return pass(Array(bytes), from: link, to: other) }
        received += bytes
        hear(bytes, from: link)
    }

    private func hear(_ bytes: UnsafeRawBufferPointer, from link: Link) {
        decoder.append(bytes)
        do throws(WireFault) {
            while let message = try decoder.next() {
                hear(message, on: link)
                if case .answered = phase { return }
                // All that came so far was passed on then.
                if case .passing = phase { return }
            }
        } catch {
            answer(.malformed(error), on: link)
        }
    }

    private func hear(_ message: Message, on link: Link) {
        switch (message, phase) {
        case (.mailbox(let opening), .waiting): open(opening, on: link)
        case (.mailboxItem(let item), .repeating(let decision)):
            guard Self.isRequest(item, of: decision) else {
                return answer(.invitationUsed(by: nil), on: link)
            }
            link.send(.mailboxItem(MailboxItem(decision.answer)))
            link.send(.mailboxItem(MailboxItem(decision.outcome)))
            answer(nil, on: link)
        case (.ping(let number), .repeating): link.send(.pong(number))
        case (.bye, _): answer(nil, on: link)
        default: answer(.notInvited, on: link)
        }
    }

    private func open(_ opening: MailboxOpening, on link: Link) {
        if !isWaiterGone, let socket = PairingSocket.connect(opening.id, in: folder),
            let other = try? Link(socket: socket, on: loop)
        {
            let waiter = Waiter(self, link)
            self.waiter = waiter
            other.start(waiter)
            phase = .passing(other)
            limit(link, to: Self.stayMax, .noMailbox)
            let bytes = received
            received = []
            return pass(bytes, from: link, to: other)
        }
        let known = (try? Keyring.read(in: folder))?.admitted.last {
            PairingSocket.mailbox($0.decision.mailbox) == opening.id
        }
        guard let known else { return answer(.noMailbox, on: link) }
        phase = .repeating(known.decision)
        link.send(.mailbox(MailboxOpening(id: opening.id, isMaking: false)))
    }

    /// Whether an item is the request that was decided on, byte for byte.
    private static func isRequest(_ item: MailboxItem, of decision: PairingDecision) -> Bool {
        #if Encryption
            return (try? SHA256.hash(item.bytes)) == decision.request
        #else
            return false
        #endif
    }

    private func pass(_ bytes: [UInt8], from link: Link, to other: Link) {
        passedByteCount += bytes.count
        guard passedByteCount <= Self.passedByteCountMax else {
            return answer(.overLimit("bytes of a stranger", max: Self.passedByteCountMax), on: link)
        }
        if waiter?.hasSpoken == false { received += bytes }
        other.send(bytes)
    }

    /// The program that waited with the code is gone: one that left before it said a word, as the code was used or over just
    /// then, may as well not have been there.
    fileprivate func waiterLeft(_ link: Link, hasSpoken: Bool) {
        guard case .passing = phase, !hasSpoken else { return link.closeAfterSending() }
        isWaiterGone = true
        phase = .waiting
        limit(link, to: Self.patience, .timeout("a pairing request", milliseconds: 10_000))
        decoder = FrameDecoder(
            hasChecksum: !link.isSecured, byteCountMax: Self.messageByteCountMax)
        let bytes = received
        received = []
        bytes.withUnsafeBytes { hear($0, from: link) }
    }

    /// Does nothing: little is sent to a stranger.
    package func linkDrained(_ link: Link) {}

    /// Closes the link to the program that waits with the code, too.
    package func linkClosed(_ link: Link, _ reason: Link.Ending) {
        if let timer { loop.cancel(timer) }
        timer = nil
        if case .passing(let other) = phase { other.close() }
        ended(self)
    }

    // MARK: The program that waits

    /// The link to the program that waits with the code: what comes there goes to the stranger.
    private final class Waiter: LinkDelegate {
        private unowned let responder: PairingResponder
        private let link: Link
        private(set) var hasSpoken = false

        init(_ responder: PairingResponder, _ link: Link) {
            self.responder = responder
            self.link = link
        }

        func linkReceived(_ other: Link, _ bytes: UnsafeRawBufferPointer) {
            if !hasSpoken { responder.received = [] }
            hasSpoken = true
            link.send(Array(bytes))
        }

        func linkDrained(_ other: Link) {}

        func linkClosed(_ other: Link, _ reason: Link.Ending) {
            responder.waiterLeft(link, hasSpoken: hasSpoken)
        }
    }
}

extension Link {
    /// Sends a message as a frame.
    ///
    /// - Parameter hasChecksum: whether the frame carries a checksum; nil for as the link itself asks: unless it is TLS.
    func send(_ message: Message, hasChecksum: Bool? = nil) {
        send(Frame.encode(message, hasChecksum: hasChecksum ?? !isSecured))
    }
}
