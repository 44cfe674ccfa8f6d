import Core
import Session
import Transport

#if Encryption
    /// A device on a direct connection: what it tells the invitation, and what it is told.
    final class PairingGuest: LinkDelegate {
        /// The most at a time.
        static let countMax = 16

        private unowned let invitation: WaitingInvitation
        private let mailbox: UInt128
        private var link: Link?
        private var decoder = FrameDecoder(
            hasChecksum: false, byteCountMax: PairingResponder.messageByteCountMax)
        private var isOpen = false
        private var items: [[UInt8]] = []

        init(_ invitation: WaitingInvitation, mailbox: UInt128) {
            self.invitation = invitation
            self.mailbox = mailbox
        }

        func start(_ link: Link, _ items: [[UInt8]]) {
            self.link = link
            self.items = items
            link.start(self)
        }

        func put(_ item: [UInt8]) {
            if isOpen { send(.mailboxItem(MailboxItem(item))) } else { items.append(item) }
        }

        func close() { link?.closeAfterSending() }

        /// Sends without a checksum: the server passes the bytes on through TLS.
        private func send(_ message: Message) { link?.send(message, hasChecksum: false) }

        func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
            decoder.append(bytes)
            do throws(WireFault) {
                while let message = try decoder.next() { hear(message, link) }
            } catch {
                link.close()
            }
        }

        private func hear(_ message: Message, _ link: Link) {
            switch message {
            case .mailbox(let opening) where !isOpen && opening.id == mailbox:
                isOpen = true
                send(.mailbox(MailboxOpening(id: mailbox, isMaking: false)))
                for item in items { put(item) }
                items = []
            case .mailboxItem(let item) where isOpen: invitation.step(.item(item.bytes))
            case .ping(let number) where isOpen: send(.pong(number))
            case .ignorable, .pong: break
            default: link.close()
            }
        }

        func linkDrained(_ link: Link) {}

        func linkClosed(_ link: Link, _ reason: Link.Ending) {
            self.link = nil
            invitation.forget(self)
        }
    }
#endif
