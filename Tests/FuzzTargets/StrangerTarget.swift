#if Encryption
    import Core
    import Crypto
    import Devices
    import Glibc
    import Transport

    extension FuzzTargets {
        /// A stranger before a served store, who names a mailbox of pairing or anything else, and the program that waits
        /// there with a code, over real sockets.
        static let strangers = FuzzTarget(
            "strangers", byteCountMax: 512,
            decoders: ["Sources/Devices/Sync/PairingResponder.swift"]
        ) { bytes in
            var input = FuzzInput(bytes)
            let talk = try StrangerTalk(&input)
            for _ in 0..<40 where !input.isEmpty { try talk.step(&input) }
            try talk.finish()
        }
    }

    /// A folder in which a program may wait with a code, and whose keyring has admitted a device.
    private enum ServedFolder {
        static let admittedMailbox: UInt128 = 1
        static let waitingMailbox: UInt128 = 2
        static let request: [UInt8] = [1, 7, 7]
        static let answer: [UInt8] = [2, 8]
        static let outcome: [UInt8] = [3, 9]

        /// The path, made once for the whole run and removed at its end.
        static let path: String = {
            var name = Array("/tmp/tandem-strangers-XXXXXX".utf8CString)
            guard mkdtemp(&name) != nil else { fatalError("no folder for the fuzzer") }
            let path = String(decoding: name.dropLast().map(UInt8.init), as: UTF8.self)
            var keyring = Keyring(space: SpaceID(value: 3))
            let mailbox = RecordID(value: admittedMailbox).bytes
            guard let hash = try? SHA256.hash(request) else { fatalError("no hash") }
            keyring.admit(
                PairingDecision(
                    mailbox: mailbox, fingerprint: FuzzTargets.pairingKey.certificate.fingerprint,
                    name: "phone", request: hash, answer: answer, outcome: outcome), at: 0)
            do { try keyring.write(in: path) } catch { fatalError("no keyring: \(error)") }
            atexit {
                Keyring.remove(in: ServedFolder.path)
                PairingSocket.remove(ServedFolder.waitingMailbox, in: ServedFolder.path)
                rmdir(ServedFolder.path)
            }
            return path
        }()
    }

    /// One stranger, the answerer, and perhaps a program that waits.
    private final class StrangerTalk {
        private let loop: EventLoop
        /// The stranger's end of its connection.
        private var stranger: CInt
        /// Where the program that waits is reached; -1 if none waits.
        private var listener: CInt = -1
        /// Its end of the connection on which strangers are passed on; -1 before there is one.
        private var waiter: CInt = -1
        private var hasWaiterSpoken = false
        private var heard: [UInt8] = []
        private var endCount = 0
        private var refusalCount = 0
        private var responder: PairingResponder?

        init(_ input: inout FuzzInput) throws {
            loop = try EventLoop()
            var ends: [CInt] = [-1, -1]
            let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            try promise(socketpair(AF_UNIX, type, 0, &ends) == 0, "no sockets")
            stranger = ends[0]
            let manner = input.byte()
            if manner & 1 == 1 {
                let socket = try PairingSocket.listen(
                    ServedFolder.waitingMailbox, in: ServedFolder.path)
                listener = dup(socket.number)
            }
            let link = try Link(socket: Descriptor(owning: ends[1]), on: loop)
            responder = PairingResponder(
                on: link, refusal: manner & 6 == 6 ? .notInvited : nil, in: ServedFolder.path,
                refused: { [unowned self] _ in refusalCount += 1 },
                ended: { [unowned self] _ in endCount += 1 })
            try turn()
        }

        deinit {
            for number in [waiter, listener, stranger] where number >= 0 { close(number) }
        }

        /// Lets the loop handle what has come.
        private func turn() throws {
            for _ in 0..<2 {
                loop.post { loop in loop.post { $0.stop() } }
                try loop.run()
            }
            var bytes = [UInt8](repeating: 0, count: 1 << 17)
            while stranger >= 0 {
                let count = read(stranger, &bytes, bytes.count)
                if count <= 0 { break }
                heard += bytes.prefix(count)
            }
        }

        private func say(_ bytes: [UInt8], on number: CInt) throws {
            guard number >= 0, !bytes.isEmpty else { return }
            _ = send(number, bytes, bytes.count, CInt(MSG_NOSIGNAL))
            try turn()
        }

        /// One decision of the fuzzer.
        func step(_ input: inout FuzzInput) throws {
            switch input.below(12) {
            case 0, 1:
                let opening = MailboxOpening(
                    id: UInt128(1 + input.below(3)), isMaking: input.flag())
                try say(Frame.encode(.mailbox(opening)), on: stranger)
            case 2: try tell(.mailboxItem(MailboxItem(ServedFolder.request)))
            case 3: try tell(.mailboxItem(MailboxItem(input.bytes())))
            case 4: try tell(.ping(input.number()))
            case 5: try tell(.bye)
            case 6: try tell(input.message())
            case 7: try say(input.bytes(), on: stranger)
            case 8:
                // As long as no stranger may go on.
                let item = MailboxItem([UInt8](repeating: 1, count: 1 + 256 * input.below(17)))
                for _ in 0..<input.below(20) { try tell(.mailboxItem(item)) }
            case 9:
                guard waiter < 0, listener >= 0 else { return }
                waiter = accept(listener, nil, nil)
            case 10:
                guard waiter >= 0 else { return }
                hasWaiterSpoken = true
                try say([UInt8](repeating: 9, count: 1 + input.below(40)), on: waiter)
            default: try leave(input.below(3))
            }
        }

        private func tell(_ message: Message) throws {
            try say(Frame.encode(message), on: stranger)
        }

        /// The program that waits is gone, with the connection or before there was one, or the stranger says no more.
        private func leave(_ who: Int) throws {
            switch who {
            case 0:
                if waiter >= 0 { close(waiter) }
                waiter = -1
            case 1:
                if listener >= 0 { close(listener) }
                listener = -1
            default: shutdown(stranger, CInt(SHUT_WR))
            }
            try turn()
        }

        /// All leave: the answerer has ended once, and said no more than it may.
        func finish() throws {
            try turn()
            for number in [waiter, listener] where number >= 0 { close(number) }
            (waiter, listener) = (-1, -1)
            try turn()
            close(stranger)
            stranger = -1
            try turn()
            loop.closeLinks()
            try promise(endCount == 1, "ended \(endCount) times")
            try promise(refusalCount <= 1, "refused \(refusalCount) times")
            responder = nil
            if !hasWaiterSpoken { try checkHeard() }
        }

        /// Every word to a stranger to whom nobody else spoke is a refusal, or what an admitted device may hear again.
        private func checkHeard() throws {
            var decoder = FrameDecoder()
            decoder.append(heard)
            var items: [[UInt8]] = []
            while let message = try decoder.next() {
                switch message {
                case .error, .pong, .mailbox: break
                case .mailboxItem(let item): items.append(item.bytes)
                default: throw BrokenPromise(description: "a stranger hears \(message)")
                }
            }
            try promise(
                items.isEmpty || items == [ServedFolder.answer, ServedFolder.outcome],
                "a stranger hears other items: \(items)")
        }
    }
#endif
