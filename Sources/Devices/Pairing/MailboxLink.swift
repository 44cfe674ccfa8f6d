import Core
import Crypto
import Session
import Transport

/// A connection to a mailbox of pairing, made again when it breaks: at a relay, or at the device that invites.
///
/// It shows a key made for it alone: who comes is in the sealed requests, and the meeting point need not know.
final class MailboxLink: LinkDelegate {
    /// Waits between two attempts, in milliseconds: the first, and the longest.
    static let retryMilliseconds = (first: 250, max: 8000)
    /// How long a mailbox that was open before is asked for again where there is none; seconds.
    ///
    /// A relay that was started anew has none until its maker has come back, which tries as often as this side.
    static let remakingSecondsMax = 60

    /// Called once the mailbox is open, each time.
    var opened: () -> Void = {}
    /// Called with each item that another put in.
    var received: ([UInt8]) -> Void = { _ in }
    /// Called when there is no mailbox, or the meeting point was never reached; nothing is tried any more.
    var failed: (any Error) -> Void = { _ in }

    private let loop: EventLoop
    private let meeting: HostAndPort
    private let opening: MailboxOpening
    private let security: SyncSecurity
    private let fingerprint: Fingerprint?
    private var link: Link?
    private var decoder = FrameDecoder()
    /// The items that this side has put in, for a meeting point that has forgotten them.
    private var items: [[UInt8]] = []
    private var isOpen = false
    private var wasOpen = false
    private var isOver = false
    private var wait = MailboxLink.retryMilliseconds.first
    /// Since when the meeting point has no such mailbox; nil while it has, or was not reached.
    private var missingSince: MonotonicTime?

    /// Prepares to open a mailbox.
    ///
    /// - Parameters:
    ///   - fingerprint: of who has to be at the meeting point; nil for anybody, as nothing of what is sealed depends on it.
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
        // A meeting point that was never reached is told at once: the code has a slip, or nobody is there.
        if !wasOpen { return fail(error ?? .security(.cutHandshake, peer: meeting.description)) }
        // A device takes unknown keys only while a program waits there with a code.
        if !opening.isMaking, case .security(.refusedByPeer, _)? = error, let error, !isComingBack()
        {
            return fail(error)
        }
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
            missingSince = nil
            for item in items { link?.send(.mailboxItem(MailboxItem(item))) }
            opened()
        case .mailboxItem(let item): received(item.bytes)
        case .ping(let number): link?.send(.pong(number))
        case .error(let error) where isAskedAgain(after: error): link?.close()
        case .error(let error): fail(error)
        case .bye: link?.close()
        default: break
        }
    }

    /// Whether a meeting point that was open before is asked again after an error: it is busy, or its maker may come back.
    private func isAskedAgain(after error: PeerError) -> Bool {
        guard wasOpen else { return false }
        if error.known == .busy || error.known == .timeout { return true }
        return error.reason == .noMailbox && isComingBack()
    }

    /// Whether a mailbox that is missing may be made again; the maker makes it itself.
    private func isComingBack() -> Bool {
        let since = missingSince ?? MonotonicTime.now
        missingSince = since
        return !opening.isMaking && MonotonicTime.now < since + .seconds(Self.remakingSecondsMax)
    }

    func linkDrained(_ link: Link) {}

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        guard self.link === link else { return }
        var error: TransportError?
        if case .failed(let found) = reason { error = found }
        lost(error)
    }
}
