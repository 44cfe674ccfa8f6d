import Core
import Crypto
import Session
import Transport

/// A connection to a mailbox of pairing, made again when it breaks: at a relay, or at the device that invites.
///
/// It shows a key made for it alone: who comes is in the sealed requests, and the place need not know.
final class MailboxLink: LinkDelegate {
    /// Waits between two attempts, in milliseconds: the first, and the longest.
    static let retryMilliseconds = (first: 250, max: 8000)

    /// Called once the mailbox is open, each time.
    var opened: () -> Void = {}
    /// Called with each item that another put in.
    var received: ([UInt8]) -> Void = { _ in }
    /// Called when there is no mailbox, or the place was never reached; nothing is tried any more.
    var failed: (any Error) -> Void = { _ in }

    private let loop: EventLoop
    private let meeting: HostAndPort
    private let opening: MailboxOpening
    private let security: SyncSecurity
    private let fingerprint: Fingerprint?
    private var link: Link?
    private var decoder = FrameDecoder()
    /// What this side has put in, for a place that has forgotten it.
    private var items: [[UInt8]] = []
    private var isOpen = false
    private var wasOpen = false
    private var isOver = false
    private var wait = MailboxLink.retryMilliseconds.first

    /// Prepares to open a mailbox.
    ///
    /// - Parameters:
    ///   - fingerprint: of who has to be at the place; nil for anybody, as nothing of what is sealed depends on it.
    ///   - isMaking: whether the mailbox is made.
    /// - Throws: if this program has no encryption.
    init(
        on loop: EventLoop, at meeting: HostAndPort, fingerprint: Fingerprint?, mailbox: UInt128,
        isMaking: Bool
    ) throws(CertificateFault) {
        self.loop = loop
        self.meeting = meeting
        self.fingerprint = fingerprint
        opening = MailboxOpening(id: mailbox, isMaking: isMaking)
        security = SyncSecurity(certificate: try DeviceCertificate()) { _ in true }
    }

    /// Connects.
    func start() {
        if isOver { return }
        do throws(TransportError) {
            let context = try security.context(only: fingerprint, peer: meeting.description)
            Dialer(
                on: loop, to: meeting, timeout: Reconnector.dialTimeout, security: context,
                options: .session
            ) { [weak self] result in
                guard let self, !isOver else { return }
                switch result {
                case .success(let link): begin(link)
                case .failure(let error): lost(error)
                }
            }
        } catch {
            fail(error)
        }
    }

    /// Puts an item in, now or once it is open.
    func put(_ item: [UInt8]) {
        if !items.contains(item) { items.append(item) }
        if isOpen { link?.send(.mailboxItem(MailboxItem(item))) }
    }

    /// Leaves, after what was put in is sent.
    func close() {
        isOver = true
        guard let link else { return }
        link.send(.bye)
        link.closeAfterSending()
    }

    private func begin(_ link: Link) {
        self.link = link
        isOpen = false
        decoder = FrameDecoder(
            hasChecksum: !link.isSecured,
            byteCountMax: PairingResponder.messageByteCountMax)
        link.start(self)
        link.send(.mailbox(opening))
    }

    private func fail(_ error: any Error) {
        if isOver { return }
        isOver = true
        link?.closeAfterSending()
        failed(error)
    }

    private func lost(_ error: TransportError?) {
        link = nil
        isOpen = false
        if isOver { return }
        // A place that was never reached is told at once: the code has a slip, or nobody is there.
        if !wasOpen { return fail(error ?? .security(.cutHandshake, peer: meeting.description)) }
        let time = wait
        wait = min(wait * 2, Self.retryMilliseconds.max)
        loop.schedule(after: .milliseconds(time)) { [weak self] in self?.start() }
    }

    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        decoder.append(bytes)
        do throws(WireFault) {
            while !isOver, let message = try decoder.next() { hear(message) }
        } catch {
            fail(PeerError.malformed(error))
        }
    }

    private func hear(_ message: Message) {
        switch message {
        case .mailbox:
            isOpen = true
            wasOpen = true
            wait = Self.retryMilliseconds.first
            for item in items { link?.send(.mailboxItem(MailboxItem(item))) }
            opened()
        case .mailboxItem(let item): received(item.bytes)
        case .ping(let number): link?.send(.pong(number))
        // A place that was open before and is busy now is asked again.
        case .error(let error) where wasOpen && (error.known == .busy || error.known == .timeout):
            link?.close()
        case .error(let error): fail(error)
        case .bye: link?.close()
        default: break
        }
    }

    func linkDrained(_ link: Link) {}

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        guard self.link === link else { return }
        var error: TransportError?
        if case .failed(let found) = reason { error = found }
        lost(error)
    }
}
