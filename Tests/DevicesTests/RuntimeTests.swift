import Core
import DeviceTestSupport
import Devices
import Glibc
import Session
import Storage
import Testing
import Transport

@Suite("Servers and clients on loopback", .serialized)
struct RuntimeTests {
    private let folder = TemporaryStores()

    /// Two stores, the first with a to-do.
    private func makeStores() throws {
        let first = try folder.create("a")
        try TemporaryStores.add("milk", to: first)
        first.close()
        try folder.create("b").close()
    }

    private func sync(
        _ name: String, with server: RunningServer, options: StoreOptions = StoreOptions()
    ) throws -> (SessionEnd, StoreFault?) {
        let store = try folder.open(name, options)
        defer { store.close() }
        let client = try SyncClient(
            store: store, endpoint: .tcp(try server.hostAndPort), plain: .thisMachine)
        let end = try client.run()
        return (end, client.fault)
    }

    private func titles(_ name: String) throws -> [String] {
        let store = try folder.open(name)
        defer { store.close() }
        return try TemporaryStores.titles(store)
    }

    @Test("one sync over TCP brings both to the same")
    func oneSync() throws {
        try makeStores()
        let server = try RunningServer("a", in: folder)
        let other = try folder.open("b")
        try TemporaryStores.add("bread", to: other)
        other.close()
        #expect(try sync("b", with: server).0 == .finished)
        server.stop()
        #expect(try titles("a") == ["bread", "milk"])
        #expect(try titles("b") == ["bread", "milk"])
    }

    @Test("a commit of another process reaches a live peer; the median delay is printed")
    func livePush() throws {
        try makeStores()
        let server = try RunningServer("a", in: folder)
        let client = try RunningClient("b", in: folder, calling: server.hostAndPort)
        #expect(waitUntil { client.state.report.isCaughtUp })
        let (writer, reader) = (try folder.open("a"), try folder.open("b"))
        var delays: [Int] = []
        for number in 0..<20 {
            let start = MonotonicTime.now
            let id = try TemporaryStores.add("to-do \(number)", to: writer)
            var isThere = false
            for _ in 0..<100_000 where !isThere {
                isThere = try reader.record(RecordName(.number(1), id)) != nil
                if !isThere { usleep(50) }
            }
            #expect(isThere)
            delays.append(Int((MonotonicTime.now.nanoseconds - start.nanoseconds) / 1_000))
        }
        print("live push between four connections: median \(delays.sorted()[10]) microseconds")
        writer.close()
        reader.close()
        client.stop()
        server.stop()
        #expect(client.state.end == .finished)
    }

    @Test("a peer for which there is no room is told so, and those inside go on")
    func busy() throws {
        try makeStores()
        let server = try RunningServer("a", in: folder, sessionCountMax: 2)
        // Those that have not greeted would make room.
        let inside = try ["c", "d"].map { name in
            try folder.create(name).close()
            return try RunningClient(name, in: folder, calling: server.hostAndPort)
        }
        #expect(waitUntil { inside.allSatisfy { $0.state.report.isCaughtUp } })
        // On a machine with much to do a client may have needed a second attempt.
        let earlier = server.state.endings.count
        let (end, _) = try sync("b", with: server)
        guard case .failed(let error, .theirs) = end else {
            Issue.record("ended with \(end)")
            return
        }
        #expect(error.known == .busy && !error.advice.isEmpty)
        #expect(server.state.endings.count == earlier)
        for client in inside { client.stop() }
        #expect(waitUntil { server.state.endings.count == earlier + 2 })
        #expect(try sync("b", with: server).0 == .finished)
        server.stop()
    }

    @Test("asked to stop, a server lets live sessions end in order")
    func drain() throws {
        try makeStores()
        let server = try RunningServer("a", in: folder)
        let client = try RunningClient("b", in: folder, calling: server.hostAndPort)
        #expect(waitUntil { client.state.report.isCaughtUp })
        server.askToStop()
        #expect(waitUntil { server.state.isOver })
        #expect(server.state.endings == [.finished])
        client.stop()
    }

    @Test("a peer that says nothing is given up, and so is one that falls silent")
    func halfOpen() throws {
        try makeStores()
        var limits = SessionLimits()
        limits.greetingTimeoutMilliseconds = 100
        limits.silenceTimeoutMilliseconds = 300
        limits.pingIntervalMilliseconds = 100
        let server = try RunningServer("a", in: folder, limits: limits)
        let hello = Hello(
            space: SpaceID(value: 7), policy: .deletesWin, replica: ReplicaID(value: 9),
            incarnation: Incarnation(epoch: EpochID(value: 1), counter: 0),
            summary: SummaryHead(sum: 0, digest: 0, count: 0), features: .live, peerCheckpoint: nil,
            reached: 0)
        for words in [[], Frame.encode(.hello(hello))] {
            let mute = try RawConnection(to: server.hostAndPort)
            mute.say(words)
            let heard = try #require(mute.hearAll())
            guard case .error(let error)? = heard.last else {
                Issue.record("heard \(heard)")
                return
            }
            #expect(error.known == .timeout && error.side == .hearer)
        }
        #expect(waitUntil { server.state.endings.count == 2 })
        #expect(try sync("b", with: server).0 == .finished)
        server.stop()
    }

    @Test("garbage gets an error frame, ends no other session, and leaves the server serving")
    func garbage() throws {
        try makeStores()
        let server = try RunningServer("a", in: folder)
        let client = try RunningClient("b", in: folder, calling: server.hostAndPort)
        #expect(waitUntil { client.state.report.isCaughtUp })
        for bytes in [[UInt8](repeating: 0xff, count: 64), Array("GET / HTTP/1.1\r\n\r\n".utf8)] {
            let raw = try RawConnection(to: server.hostAndPort)
            raw.say(bytes)
            let heard = try #require(raw.hearAll())
            guard case .error(let error)? = heard.last else {
                Issue.record("heard \(heard)")
                continue
            }
            #expect(error.known == .malformed)
        }
        #expect(waitUntil { server.state.endings.count == 2 })
        let writer = try folder.open("a")
        try TemporaryStores.add("still served", to: writer)
        writer.close()
        #expect(try waitUntil { try titles("b").contains("still served") })
        #expect(client.state.waits.isEmpty)
        client.stop()
        server.stop()
    }

    @Test("a live client comes back when the server does")
    func reconnect() throws {
        try makeStores()
        let server = try RunningServer("a", in: folder)
        let hostAndPort = try server.hostAndPort
        let client = try RunningClient("b", in: folder, calling: hostAndPort)
        #expect(waitUntil { client.state.report.isCaughtUp })
        server.stop()
        #expect(waitUntil { !client.state.waits.isEmpty })
        let first = try #require(client.state.waits.first)
        #expect(["ended", "lost"].contains(first.code) && first.number == nil)
        let writer = try folder.open("a")
        try TemporaryStores.add("while away", to: writer)
        writer.close()
        let again = try RunningServer("a", in: folder, port: hostAndPort.port)
        #expect(try waitUntil { try titles("b").contains("while away") })
        client.stop()
        again.stop()
        #expect(client.state.end == .finished)
    }

    @Test("a full disk is told in full to its own user, and in short to the peer")
    func fullDisk() throws {
        try makeStores()
        let store = try folder.open("a")
        for _ in 0..<100 {
            try TemporaryStores.add(String(repeating: "x", count: 10_000), to: store)
        }
        store.close()
        let server = try RunningServer("a", in: folder)
        var options = StoreOptions()
        options.pageCountMax = 62
        let (end, fault) = try sync("b", with: server, options: options)
        guard case .failed(let error, .ours) = end else {
            Issue.record("ended with \(end)")
            return
        }
        #expect(error.known == .store)
        #expect(fault == .diskFull(path: StorePaths(folder: folder.path("b")).database))
        #expect(try sync("b", with: server).0 == .finished)
        server.stop()
        #expect(try titles("b").count == 101)
        #expect(server.state.faults.isEmpty)
    }

    @Test("who has no store yet learns which space a server has")
    func probe() throws {
        try makeStores()
        let server = try RunningServer("a", in: folder)
        let endpoint = Endpoint.tcp(try server.hostAndPort)
        guard
            case .space(let space, .deletesWin) = try SpaceProbe.ask(endpoint, plain: .thisMachine)
        else {
            Issue.record("no space")
            return
        }
        #expect(space == SpaceID(value: 7))
        server.stop()
        #expect(throws: TransportError.self) {
            try SpaceProbe.ask(endpoint, plain: .thisMachine)
        }
    }
}
