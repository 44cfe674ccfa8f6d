import Transport

#if Encryption
    import Core
    import DeviceTestSupport
    import Devices
    import Glibc
    import Session
    import Storage
    import Testing

    @Suite("Devices that come just as a code ends", .timeLimit(.minutes(30)))
    struct LateGuestTests {
        private let folder = TemporaryStores()
        /// For the mailbox of the socket below.
        private let opening = Message.mailbox(MailboxOpening(id: 5, isMaking: false))
        private static let socket = "pairing-00000000000000000000000000000005.sock"

        @Test("nobody stays connected to an invitation that has ended, or gets in while it ends")
        func ending() throws {
            try folder.create("a").close()
            let path = folder.path("a")
            let device = try Device.open(
                in: path, schema: TemporaryStores.schema, options: StoreOptions())
            defer {
                device.close()
                for name in ["keyring", "keyring.lock", "device.key"] { unlink("\(path)/\(name)") }
            }
            let invitation = try device.pairing.invite(
                at: [.device(HostAndPort(host: "127.0.0.1", port: 1))])
            try invitation.open()
            let name = try #require(
                SystemEnvironment.environment().disk.fileNames(in: path).first {
                    $0.hasPrefix("pairing-") && $0.hasSuffix(".sock")
                })
            var before: Link?
            var late: Link?
            let loop = try EventLoop()
            invitation.loop.schedule(after: .zero) {
                // Not accepted yet when the invitation ends.
                before = try? Link(
                    socket: try LocalSocket.connect(to: name, in: path), on: loop)
                invitation.stop()
                late = try? Link(
                    socket: try LocalSocket.connect(to: name, in: path), on: loop)
            }
            #expect(try invitation.run() == .over(.stopped))
            #expect(late == nil, "the door is shut as soon as the code is over")
            let guest = Guest(try #require(before))
            guest.closed = { loop.stop() }
            loop.schedule(after: .seconds(20)) { loop.stop() }
            try loop.run()
            #expect(guest.isClosed)
        }

        @Test("a stranger passed on to a program that leaves without a word hears that none waits")
        func left() throws {
            for name in ["a", "b"] { try folder.create(name).close() }
            let own = try DeviceCertificate()
            let server = try RunningServer(
                "a", in: folder, certificate: own, trusting: [], strangers: .stranger)
            defer { server.stop() }
            let loop = try EventLoop()
            // A program that takes a guest in, and ends before it has read a byte.
            var guests: [Link] = []
            let acceptor = try Acceptor(
                on: loop, socket: try LocalSocket.listen(at: Self.socket, in: folder.path("a")),
                security: nil, acceptsPlain: true, options: LinkOptions()
            ) { guest in
                guests.append(guest)
                loop.schedule(after: .milliseconds(50)) { guest.close() }
            }
            defer {
                acceptor.close()
                unlink("\(folder.path("a"))/\(Self.socket)")
            }
            var stranger: Guest?
            let security = SyncSecurity(certificate: try DeviceCertificate()) { _ in true }
            Dialer(
                on: loop, to: try server.hostAndPort, timeout: .seconds(10),
                security: try security.context(peer: ""), options: .session
            ) { [opening] result in
                guard case .success(let link) = result else { return loop.stop() }
                let guest = Guest(link)
                stranger = guest
                guest.closed = { loop.stop() }
                link.send(Frame.encode(opening, hasChecksum: false))
                link.send(
                    Frame.encode(
                        .mailboxItem(MailboxItem([UInt8](repeating: 7, count: 40))),
                        hasChecksum: false))
            }
            loop.schedule(after: .seconds(20)) { loop.stop() }
            try loop.run()
            loop.closeLinks()
            #expect(guests.count == 1)
            let errors = try #require(stranger).messages.compactMap {
                if case .error(let error) = $0 { error.reason } else { nil }
            }
            #expect(errors == [.noMailbox])
        }
    }

    /// One end of a connection, and what came to it.
    private final class Guest: LinkDelegate {
        var closed: () -> Void = {}
        private(set) var isClosed = false
        private(set) var messages: [Message] = []
        private var decoder = FrameDecoder(hasChecksum: false)

        init(_ link: Link) { link.start(self) }

        func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
            decoder.append(bytes)
            while let message = try? decoder.next() { messages.append(message) }
        }

        func linkDrained(_ link: Link) {}

        func linkClosed(_ link: Link, _ reason: Link.Ending) {
            isClosed = true
            closed()
        }
    }
#endif
