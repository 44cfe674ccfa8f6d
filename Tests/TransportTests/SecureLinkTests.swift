#if Encryption
    import CLinux
    import Glibc
    import Crypto
    import Testing
    import Transport

    @Suite("Links over TLS", .timeLimit(.minutes(30)))
    struct SecureLinkTests {
        private let here: DeviceCertificate
        private let there: DeviceCertificate

        init() throws {
            here = try TransportDevices.here.get()
            there = try TransportDevices.there.get()
        }

        /// Makes the contexts from the keys that a client trusts and a server trusts.
        private func contexts(
            client: Fingerprint? = nil, server: Fingerprint? = nil
        ) throws -> (client: SecureContext, server: SecureContext) {
            let (trustedByClient, trustedByServer) =
                (client ?? there.fingerprint, server ?? here.fingerprint)
            return (
                try SecureContext(here) { $0 == trustedByClient },
                try SecureContext(there) { $0 == trustedByServer }
            )
        }

        /// A connected pair over TLS: the dialling end and the accepting end.
        private func securedPair(
            on loop: EventLoop, options: LinkOptions = LinkOptions(), _ recorders: [Recorder]
        ) throws -> (Link, Link) {
            let contexts = try contexts()
            var dialled: Link?
            var accepted: Link?
            func stopWhenBoth() {
                if dialled != nil, accepted != nil { loop.stop() }
            }
            let listener = try Listener(
                on: loop, at: anyPort, security: contexts.server, options: options
            ) { link in
                accepted = link
                link.start(recorders[1])
                stopWhenBoth()
            }
            Dialer(
                on: loop, to: hostAndPort(of: listener), security: contexts.client, options: options
            ) { result in
                dialled = try? result.get()
                dialled?.start(recorders[0])
                stopWhenBoth()
            }
            try serve(loop)
            listener.close()
            return (try #require(dialled), try #require(accepted))
        }

        @Test("both ends know each other, share exported bytes, and end in order")
        func meeting() throws {
            let loop = try EventLoop()
            let recorders = [Recorder(), Recorder()]
            let (client, server) = try securedPair(on: loop, recorders)
            #expect(client.peerFingerprint == there.fingerprint)
            #expect(server.peerFingerprint == here.fingerprint)
            #expect(client.isSecured && server.isSecured)
            let label = "EXPORTER-Tandem-access"
            let bytes = client.exportKeyingMaterial(label: label, context: [1], length: 32)
            #expect(bytes?.count == 32)
            #expect(bytes == server.exportKeyingMaterial(label: label, context: [1], length: 32))
            client.send([1, 2, 3])
            client.closeAfterSending()
            recorders[1].onClosed = { _ in loop.stop() }
            try serve(loop)
            try serve(loop, for: .milliseconds(60))
            #expect(recorders[1].bytes == [1, 2, 3])
            #expect(recorders[1].endings == [.endOfStream])
            #expect(recorders[0].endings == [.closedHere])
        }

        @Test("TLS protects a byte stream that has no descriptor")
        func memory() throws {
            let loop = try EventLoop()
            let contexts = try contexts()
            let streams = MemoryStream.pair(on: loop)
            let (client, server) = (Link(streams.0, on: loop), Link(streams.1, on: loop))
            let recorders = [Recorder(), Recorder()]
            let bytes = pattern(300_000)
            server.secure(with: contexts.server, as: .server, timeout: .seconds(30)) { _ in
                server.start(recorders[1])
            }
            client.secure(with: contexts.client, as: .client, timeout: .seconds(30)) { _ in
                client.start(recorders[0])
                client.send(bytes)
                client.closeAfterSending()
            }
            recorders[0].onClosed = { _ in loop.stop() }
            try serve(loop)
            #expect(server.peerFingerprint == here.fingerprint)
            #expect(recorders[1].bytes == bytes)
            #expect(recorders[1].endings == [.endOfStream])
        }

        @Test("32 MiB both ways at once stay whole, and little waits in memory")
        func largeTransfers() throws {
            let loop = try EventLoop()
            let recorders = [Recorder(), Recorder()]
            let total = 32 << 20
            let piece = pattern(100_003)
            var ended = 0
            var mostPending = 0
            var feeds: [(Link) -> Void] = []
            for recorder in recorders {
                recorder.keepsBytes = false
                var sent = 0
                var isEnded = false
                func feed(_ link: Link) {
                    while sent < total, link.pendingByteCount < 1 << 20 {
                        let count = min(piece.count, total - sent)
                        link.send(count == piece.count ? piece : Array(piece[..<count]))
                        sent += count
                        mostPending = max(mostPending, link.pendingByteCount)
                    }
                    if sent == total, !isEnded {
                        isEnded = true
                        link.endSending()
                    }
                }
                feeds.append(feed)
                recorder.onDrained = feed
                var offset = 0
                recorder.onReceived = { _, bytes in
                    let isRight = bytes[0] == piece[offset % piece.count]
                    #expect(isRight)
                    offset += bytes.count
                }
                recorder.onClosed = { _ in
                    ended += 1
                    if ended == 2 { loop.stop() }
                }
            }
            let (client, server) = try securedPair(on: loop, recorders)
            let start = MonotonicTime.now
            feeds[0](client)
            feeds[1](server)
            try serve(loop, limit: .seconds(30))
            print("64 MiB over TLS, both ends in one thread: \(MonotonicTime.now - start)")
            for recorder in recorders {
                #expect(recorder.receivedByteCount == total)
                #expect(recorder.endings == [.endOfStream])
            }
            #expect(mostPending <= (1 << 20) + piece.count + (200 << 10))
        }

        @Test("a receiver that pauses slows the sender, which never exceeds its bound")
        func backpressure() throws {
            var options = LinkOptions()
            options.sendQueueByteCountMax = 1 << 20
            let loop = try EventLoop()
            let recorders = [Recorder(), Recorder()]
            let (client, server) = try securedPair(on: loop, options: options, recorders)
            server.pauseReading()
            let piece = pattern(50_000)
            for _ in 0..<400 {
                if client.pendingByteCount < 900_000 { client.send(piece) }
                try serve(loop, for: .zero)
            }
            try serve(loop, for: .milliseconds(30))
            #expect(client.pendingByteCount > 700_000)
            let count = recorders[1].receivedByteCount
            #expect(count == 0)
            // A loop with nothing to do sleeps.
            let spent = processorTime()
            try serve(loop, for: .milliseconds(300))
            #expect(processorTime() - spent < .milliseconds(60))
            recorders[0].onDrained = { _ in loop.stop() }
            server.resumeReading()
            try serve(loop)
            #expect(client.pendingByteCount == 0)
            client.send([UInt8](repeating: 0, count: 900_000))
            client.send([UInt8](repeating: 0, count: 900_000))
            try serve(loop, for: .milliseconds(10))
            let full = TransportError.sendQueueFull(byteCount: 1_800_000, byteCountMax: 1 << 20)
            #expect(recorders[0].endings == [.failed(full)])
        }

        @Test("a stream that is cut in the middle is told from one that was ended")
        func cut() throws {
            let loop = try EventLoop()
            let recorders = [Recorder(), Recorder()]
            let (client, server) = try securedPair(on: loop, recorders)
            client.send([1])
            try serve(loop, for: .milliseconds(60))
            client.close()
            recorders[1].onClosed = { _ in loop.stop() }
            try serve(loop)
            #expect(recorders[1].bytes == [1])
            #expect(
                recorders[1].endings == [.failed(.security(.truncated, peer: server.name))])
        }

        /// Returns the results that the two ends of one attempt get.
        private func attempt(
            _ contexts: (client: SecureContext?, server: SecureContext?),
            host: String = "127.0.0.1",
            prefersPlainLoopback: Bool = false, plain: PlainTCP = .thisMachine,
            options: LinkOptions = LinkOptions()
        ) throws -> (client: TransportError?, server: TransportError?, accepted: Bool) {
            let loop = try EventLoop()
            var refusal: TransportError?
            var failure: TransportError?
            var isAccepted = false
            let recorders = [Recorder(), Recorder()]
            let listener = try Listener(
                on: loop, at: anyPort, security: contexts.server, plain: plain, options: options
            ) { link in
                isAccepted = true
                link.start(recorders[1])
                link.send([42])
            }
            listener.onRefusal = { refusal = $1 }
            recorders[0].onReceived = { _, _ in loop.stop() }
            recorders[0].onClosed = { _ in loop.stop() }
            Dialer(
                on: loop, to: hostAndPort(of: listener), security: contexts.client,
                prefersPlainLoopback: prefersPlainLoopback, options: options
            ) { result in
                switch result {
                case .success(let link):
                    link.start(recorders[0])
                    link.send([0, 0, 0, 1, 7])
                case .failure(let error):
                    failure = error
                    loop.stop()
                }
            }
            try serve(loop, limit: .seconds(20))
            try serve(loop, for: .milliseconds(50))
            if case .failed(let error)? = recorders[0].endings.first { failure = error }
            if case .failed(let error)? = recorders[1].endings.first { refusal = error }
            listener.close()
            return (failure, refusal, isAccepted)
        }

        private func reason(_ error: TransportError?) -> SecurityError? {
            if case .security(let reason, _)? = error { reason } else { nil }
        }

        @Test("a server that is not trusted is refused, and learns of it")
        func wrongServer() throws {
            let contexts = try contexts(client: here.fingerprint)
            let heard = try attempt((contexts.client, contexts.server))
            #expect(reason(heard.client) == .untrustedPeer(there.fingerprint))
            #expect(reason(heard.server) == .refusedByPeer(own: there.fingerprint))
            #expect(!heard.accepted)
        }

        @Test(
            "a client that is not trusted is refused, and learns why although it had begun to send")
        func wrongClient() throws {
            for _ in 0..<20 {
                let contexts = try contexts(server: there.fingerprint)
                let heard = try attempt((contexts.client, contexts.server))
                #expect(reason(heard.server) == .untrustedPeer(here.fingerprint))
                #expect(reason(heard.client) == .refusedByPeer(own: here.fingerprint))
                #expect(!heard.accepted)
            }
        }

        @Test(
            "a TLS client at a plain server, and a plain client at a TLS server, learn what is wrong"
        )
        func mixed() throws {
            let contexts = try contexts()
            let toPlain = try attempt((contexts.client, nil))
            #expect(reason(toPlain.client) == .plainText)
            var options = LinkOptions()
            options.noticesTLS = true
            // On this machine a listener serves plain clients too, where that is allowed.
            let onLoopback = try attempt(
                (contexts.client, contexts.server), prefersPlainLoopback: true, options: options)
            #expect(onLoopback.client == nil && onLoopback.server == nil && onLoopback.accepted)
            let forbidden = try attempt(
                (contexts.client, contexts.server), prefersPlainLoopback: true, plain: .nowhere,
                options: options)
            #expect(reason(forbidden.client) == .peerWantsTLS)
            #expect(reason(forbidden.server) == .plainText)
            #expect(!forbidden.accepted)
        }

        @Test("a plain client at a listener for TLS alone is told so")
        func plainClient() throws {
            var options = LinkOptions()
            options.noticesTLS = true
            let loop = try EventLoop()
            let (client, server) = try linkPair(on: loop, options: options)
            let recorder = Recorder()
            recorder.onClosed = { _ in loop.stop() }
            var refusal: TransportError?
            server.secure(with: try contexts().server, as: .server, timeout: .seconds(30)) {
                result in
                if case .failure(let error) = result { refusal = error }
            }
            client.start(recorder)
            client.send([0, 0, 0, 3, 1, 2, 3])
            try serve(loop)
            #expect(recorder.endings == [.failed(.security(.peerWantsTLS, peer: client.name))])
            #expect(reason(refusal) == .plainText)
        }

        @Test("a peer that says nothing, or goes away in the handshake, holds nothing up")
        func silence() throws {
            var options = LinkOptions()
            options.handshakeMax = .milliseconds(200)
            let loop = try EventLoop()
            var refusals: [TransportError] = []
            let listener = try Listener(
                on: loop, at: anyPort, security: try contexts().server, options: options
            ) { _ in Issue.record("nobody is let in") }
            listener.onRefusal = { _, error in
                refusals.append(error)
                if refusals.count == 2 { loop.stop() }
            }
            let recorder = Recorder()
            Dialer(on: loop, to: hostAndPort(of: listener)) { result in
                (try? result.get())?.start(recorder)
            }
            Dialer(on: loop, to: hostAndPort(of: listener)) { result in
                (try? result.get())?.close()
            }
            try serve(loop)
            listener.close()
            let isLate = refusals.contains {
                if case .handshakeTimeout = $0 { true } else { false }
            }
            #expect(isLate)
            #expect(refusals.contains { reason($0) == .cutHandshake })
        }

        @Test("a silent crowd is dropped by its own share, and who speaks at once is let in")
        func silentCrowd() throws {
            var options = LinkOptions()
            options.handshakeCountMax = 8
            options.networkHandshakeCountMax = 4
            let loop = try EventLoop()
            var isAccepted = false
            var crowdedCount = 0
            let contexts = try contexts()
            let listener = try Listener(
                on: loop, at: anyPort, security: contexts.server, options: options
            ) { link in
                isAccepted = true
                loop.stop()
            }
            listener.onRefusal = { if case .crowded = $1 { crowdedCount += 1 } }
            var silent: [Link] = []
            let recorder = Recorder()
            for _ in 0..<10 {
                Dialer(on: loop, to: hostAndPort(of: listener)) { result in
                    guard let link = try? result.get() else { return }
                    silent.append(link)
                    link.start(recorder)
                }
            }
            try serve(loop, for: .milliseconds(200))
            #expect(crowdedCount == 6)
            Dialer(
                on: loop, to: hostAndPort(of: listener), security: contexts.client,
                options: options
            ) { result in
                guard let link = try? result.get() else { return }
                silent.append(link)
                link.start(recorder)
            }
            try serve(loop)
            #expect(isAccepted)
            #expect(crowdedCount == 7)
            listener.close()
        }

        @Test("garbage after the handshake ends the link with an error, not with bytes")
        func garbage() throws {
            let loop = try EventLoop()
            let numbers = try localSockets()
            let server = try Link(socket: Descriptor(owning: numbers.0), on: loop)
            let recorder = Recorder()
            recorder.onClosed = { _ in loop.stop() }
            let contexts = try contexts()
            server.secure(with: contexts.server, as: .server, timeout: .seconds(30)) { _ in
                server.start(recorder)
            }
            // A client by hand, so that its bytes can be spoilt.
            let channel = try SecureChannel(contexts.client, as: .client)
            _ = fcntl(numbers.1, F_SETFL, O_NONBLOCK)
            func exchange() throws {
                let output = channel.dequeueOutput()
                if !output.isEmpty {
                    #expect(write(numbers.1, output, output.count) == output.count)
                }
                try serve(loop, for: .milliseconds(60))
            }
            try exchange()
            var buffer = [UInt8](repeating: 0, count: 20_000)
            let count = read(numbers.1, &buffer, buffer.count)
            try #require(count > 0)
            _ = try buffer[..<count].withUnsafeBytes { try channel.handshake($0) }
            try exchange()
            let record: [UInt8] = [0x17, 3, 3, 0, 32] + [UInt8](repeating: 9, count: 32)
            #expect(write(numbers.1, record, record.count) == record.count)
            try serve(loop, for: .milliseconds(60))
            close(numbers.1)
            try serve(loop)
            #expect(recorder.bytes.isEmpty)
            guard case .failed(.security(.damaged, _))? = recorder.endings.first else {
                Issue.record("ended as \(recorder.endings)")
                return
            }
        }

        @Test("silent strangers, however many, keep no device out")
        func crowd() throws {
            let loop = try EventLoop()
            let contexts = try contexts()
            let recorder = Recorder()
            let listener = try Listener(on: loop, at: anyPort, security: contexts.server) { link in
                link.start(recorder)
                loop.stop()
            }
            let strangers = Recorder()
            var connected = 0
            for _ in 0..<300 {
                Dialer(on: loop, to: hostAndPort(of: listener)) { result in
                    (try? result.get())?.start(strangers)
                    connected += 1
                    if connected == 300 { loop.stop() }
                }
            }
            try serve(loop)
            var device: Link?
            Dialer(on: loop, to: hostAndPort(of: listener), security: contexts.client) { result in
                device = try? result.get()
                device?.start(recorder)
            }
            try serve(loop)
            #expect(device?.peerFingerprint == there.fingerprint)
            #expect(strangers.endings.count >= 300 - 64)
            listener.close()
            device?.close()
        }

        @Test("what 500 idle connections cost")
        func many() throws {
            let loop = try EventLoop()
            let contexts = try contexts()
            let recorder = Recorder()
            var links: [Link] = []
            let wanted = 500
            var dialledCount = 0
            var options = LinkOptions()
            options.networkHandshakeCountMax = 256
            let listener = try Listener(
                on: loop, at: anyPort, security: contexts.server, options: options
            ) { link in
                links.append(link)
                link.start(recorder)
                if links.count == wanted * 2 { loop.stop() }
            }
            let before = residentByteCount()
            let start = MonotonicTime.now
            func dial() {
                Dialer(on: loop, to: hostAndPort(of: listener), security: contexts.client) {
                    result in
                    guard let link = try? result.get() else { return loop.stop() }
                    // Not all at once: a listener drops strangers of an address that has too many.
                    dialledCount += 1
                    if dialledCount + 100 <= wanted { dial() }
                    links.append(link)
                    link.start(recorder)
                    if links.count == wanted * 2 { loop.stop() }
                }
            }
            for _ in 0..<100 { dial() }
            try serve(loop)
            let time = MonotonicTime.now - start
            let each = (residentByteCount() - before) / (wanted * 2)
            print(
                "an idle link over TLS: \(each) bytes; \(wanted) handshakes of both ends: \(time)")
            #expect(links.count == wanted * 2)
            #expect(each < 64 << 10)
            for link in links { link.close() }
            listener.close()
            try serve(loop, for: .zero)
        }

        private func residentByteCount() -> Int {
            guard let file = fopen("/proc/self/statm", "r") else { return 0 }
            defer { fclose(file) }
            var buffer = [CChar](repeating: 0, count: 200)
            guard fgets(&buffer, CInt(buffer.count), file) != nil else { return 0 }
            let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            return (Int(text.split(separator: " ")[1]) ?? 0) * 4096
        }

        /// Of this thread alone, since other tests run beside.
        private func processorTime() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
    }

    /// Two devices, made once.
    private enum TransportDevices {
        static let here = Result { try DeviceCertificate() }
        static let there = Result { try DeviceCertificate() }
    }
#endif
