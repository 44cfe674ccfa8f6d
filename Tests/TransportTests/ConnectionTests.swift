import CLinux
import Glibc
import Testing
import Transport

@Suite("Listener and dialer", .timeLimit(.minutes(30)))
struct ConnectionTests {
    @Test("200 links at once each get back exactly what they sent")
    func echo() throws {
        let loop = try EventLoop()
        let server = Recorder()
        server.keepsBytes = false
        server.onReceived = { link, bytes in link.send(Array(bytes)) }
        var accepted: [Link] = []
        let listener = try Listener(on: loop, at: anyPort) { link in
            accepted.append(link)
            link.start(server)
        }
        #expect(listener.address.port != 0)
        var clients: [Recorder] = []
        var ended = 0
        for index in 0..<200 {
            let bytes = pattern(1000 + index * 37, seed: UInt64(index))
            let client = Recorder()
            client.onReceived = { [unowned client] link, _ in
                if client.bytes.count == bytes.count { link.endSending() }
            }
            client.onClosed = { [unowned client] _ in
                #expect(client.bytes == bytes)
                #expect(client.endings == [.endOfStream])
                ended += 1
                if ended == 200 { loop.stop() }
            }
            clients.append(client)
            Dialer(on: loop, to: hostAndPort(of: listener)) { result in
                guard let link = try? result.get() else {
                    Issue.record("dial \(index): \(result)")
                    return
                }
                link.start(client)
                link.send(bytes)
            }
        }
        try serve(loop)
        listener.close()
        #expect(accepted.count == 200)
        #expect(server.endings.count == 200)
        #expect(server.endings.allSatisfy { $0 == .endOfStream })
    }

    @Test("a refused connection says so and what to do")
    func refused() throws {
        let loop = try EventLoop()
        let listener = try Listener(on: loop, at: anyPort) { _ in }
        let hostAndPort = hostAndPort(of: listener)
        listener.close()
        let error = try dialError(hostAndPort, on: loop)
        #expect(error == .failedCall(.connect, errno: ECONNREFUSED, about: "\(hostAndPort)"))
        #expect(error.side == .peer)
    }

    @Test("a peer that does not answer is given up at the timeout")
    func silent() throws {
        // A listener nobody accepts from, its queue full: further connections hang.
        let plain = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = socket(AF_INET, plain, 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let fillers = try withUnsafeMutablePointer(to: &name) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try #require(bind(listener, address, size) == 0 && listen(listener, 0) == 0)
                try #require(getsockname(listener, address, &size) == 0)
                return (0..<4).map { _ in
                    let filler = socket(AF_INET, plain | CInt(SOCK_NONBLOCK.rawValue), 0)
                    _ = connect(filler, address, size)
                    return filler
                }
            }
        }
        let hostAndPort = HostAndPort(host: "127.0.0.1", port: UInt16(bigEndian: name.sin_port))
        let loop = try EventLoop()
        let start = MonotonicTime.now
        let error = try dialError(hostAndPort, on: loop, timeout: .milliseconds(100))
        #expect(MonotonicTime.now - start >= .milliseconds(100))
        #expect(error == .noAnswer(address: "\(hostAndPort)", after: .milliseconds(100)))
        for filler in fillers { close(filler) }
        close(listener)
    }

    @Test("other machines are refused unless that is allowed, before anything is sent")
    func insecure() throws {
        let loop = try EventLoop()
        for text in ["0.0.0.0:0", "[::]:0", "192.0.2.1:1"] {
            let hostAndPort = try HostAndPort(parsing: text)
            let error = #expect(throws: TransportError.self) {
                try Listener(on: loop, at: hostAndPort) { _ in }
            }
            #expect(error == .insecureListen(address: text))
        }
        let hostAndPort = HostAndPort(host: "192.0.2.1", port: 7717)
        let error = try dialError(hostAndPort, on: loop)
        #expect(error == .insecureDial(address: "192.0.2.1:7717"))
        let open = try Listener(
            on: loop, at: HostAndPort(host: "0.0.0.0", port: 0), plain: .anywhere
        ) { _ in }
        #expect(open.address.port != 0)
        open.close()
    }

    @Test("a taken port is named")
    func takenPort() throws {
        let loop = try EventLoop()
        let first = try Listener(on: loop, at: anyPort) { _ in }
        let error = #expect(throws: TransportError.self) {
            try Listener(on: loop, at: hostAndPort(of: first)) { _ in }
        }
        #expect(
            error == .failedCall(.bind, errno: EADDRINUSE, about: first.address.description))
        first.close()
    }

    @Test("all addresses of a name are tried")
    func laterAddress() throws {
        let loop = try EventLoop()
        let addresses = try HostAndPort(host: "localhost", port: 0).resolved()
        guard let last = addresses.last, addresses.count > 1 else { return }
        let listener = try Listener(on: loop, at: [last]) { $0.close() }
        let port = listener.address.port
        var result: Result<Link, TransportError>?
        Dialer(on: loop, to: HostAndPort(host: "localhost", port: port)) {
            result = $0
            loop.stop()
        }
        try serve(loop)
        #expect(try result?.get().peerAddress == listener.address)
        listener.close()
    }

    @Test("an unknown name fails without holding up the loop")
    func unknownName() throws {
        let loop = try EventLoop()
        let error = try dialError(HostAndPort(host: "nobody.invalid", port: 1), on: loop)
        switch error {
        case .unresolvedHost(let host, _): #expect(host == "nobody.invalid")
        // A machine without a reachable name server.
        case .noAnswer: break
        default: Issue.record(error)
        }
    }

    @Test("a cancelled dial is never answered")
    func cancelled() throws {
        let loop = try EventLoop()
        let listener = try Listener(on: loop, at: anyPort) { $0.close() }
        for hostAndPort in [
            hostAndPort(of: listener), HostAndPort(host: "nobody.invalid", port: 1),
        ] {
            let dialer = Dialer(on: loop, to: hostAndPort, timeout: .milliseconds(20)) { result in
                Issue.record("answered with \(result)")
            }
            dialer.cancel()
        }
        try serve(loop, for: .milliseconds(50))
        listener.close()
    }

    @Test("without free descriptors accepting pauses instead of spinning, and goes on later")
    func descriptorShortage() async {
        // In a process of its own: the limit would hit the other tests.
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            var accepted: [Link] = []
            let listener = try Listener(on: loop, at: anyPort) { link in
                accepted.append(link)
                loop.stop()
            }
            // The kernel takes the connection in, whether or not anybody accepts it. A dialler
            // would resolve on a thread of its own and take numbers at moments of its own.
            let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = listener.address.port.bigEndian
            name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            let isConnected = withUnsafeBytes(of: &name) { bytes in
                let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
                return connect(client, address, socklen_t(bytes.count)) == 0
            }
            var old = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
            var low = rlimit(rlim_cur: 64, rlim_max: old.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
            // Every number below the limit is taken, not the lowest alone: another thread of the
            // test library may give one back that it held for a moment.
            for _ in 0..<5 {
                while open("/dev/null", O_RDONLY) >= 0 {}
                usleep(50_000)
            }
            // On a machine that is busy the loop may not get to it in the first round.
            let start = ContinuousClock.now
            for _ in 0..<30 {
                try serve(loop, for: .milliseconds(300))
                if listener.pauseCount > 0 { break }
            }
            let pauses = listener.pauseCount
            let hasSpun = ContinuousClock.now - start < .milliseconds(200) * (pauses - 1)
            let wasHeldBack = isConnected && accepted.isEmpty
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
            try serve(loop)
            // A code for each, so that a failure tells which of them it was.
            if !wasHeldBack { exit(2) }
            if pauses == 0 { exit(3) }
            if hasSpun { exit(4) }
            exit(accepted.count == 1 ? 0 : 5)
        }
    }

    /// How a dial fails.
    private func dialError(
        _ hostAndPort: HostAndPort, on loop: EventLoop, timeout: Duration = .seconds(10)
    ) throws -> TransportError {
        var result: Result<Link, TransportError>?
        Dialer(on: loop, to: hostAndPort, timeout: timeout) {
            result = $0
            loop.stop()
        }
        #expect(result == nil, "the answer never comes from inside the call")
        try serve(loop)
        guard case .failure(let error) = try #require(result) else {
            throw UnexpectedSuccess()
        }
        return error
    }

    private struct UnexpectedSuccess: Error {}
}
