import Core
import DeviceTestSupport
import Devices
import Replica
import Testing
import Transport

@Suite("Memory of all sessions")
struct MemoryBudgetTests {
    private func share(
        _ number: Int, _ address: String, received: Int = 0, unsent: Int = 0
    ) -> MemoryBudget.Share {
        MemoryBudget.Share(
            conversation: ConversationID(number: number), address: address,
            receivedByteCount: received, unsentByteCount: unsent)
    }

    @Test("sessions within the bound all stay")
    func within() {
        let shares = [share(1, "a", received: 60), share(2, "b", unsent: 40)]
        #expect(MemoryBudget.most(of: shares, over: 100) == nil)
    }

    @Test("over the bound the greatest share goes, received and unsent bytes alike")
    func greatest() {
        let shares = [
            share(1, "a", received: 60), share(2, "b", received: 30, unsent: 40), share(3, "c"),
        ]
        #expect(MemoryBudget.most(of: shares, over: 100)?.conversation.number == 2)
    }

    @Test(
        "many small shares of one address go before a greater one of another; of equals the oldest")
    func crowd() {
        let crowd = (2...6).map { share($0, "b", received: 30) }
        let shares = [share(1, "a", received: 60)] + crowd
        #expect(MemoryBudget.most(of: shares, over: 100)?.conversation.number == 2)
    }

    @Test("a server over its bound drops the greediest connection with busy and keeps the other")
    func server() throws {
        let folder = TemporaryStores()
        try folder.create("a").close()
        let server = try RunningServer("a", in: folder, heldByteCountMax: 2_000_000)
        defer { server.stop() }
        // The first bytes of the longest frame, of which the rest does not come.
        func begin(_ count: Int) -> [UInt8] {
            let length = WireLimits.frameByteCountMax
            return (0..<Frame.lengthByteCount).reversed().map { UInt8(length >> ($0 * 8) & 0xff) }
                + [UInt8](repeating: 0, count: count)
        }
        let modest = try RawConnection(to: server.hostAndPort)
        modest.say(begin(200_000))
        let greedy = (0..<3).map { _ in try? RawConnection(to: server.hostAndPort) }
        for connection in greedy { connection?.say(begin(900_000)) }
        #expect(waitUntil { !server.state.endings.isEmpty })
        #expect(server.state.connectedCount == 4)
        let causes = greedy.compactMap { connection -> PeerError.Reason? in
            guard let last = connection?.hearAll()?.last, case .error(let error) = last,
                error.known == .busy
            else { return nil }
            return error.reason
        }
        #expect(causes.contains(.heldBytes))
        #expect(modest.isOpen)
    }

    @Test("a peer that asks for everything and takes nothing is dropped over the bound")
    func slowReader() throws {
        let folder = TemporaryStores()
        let store = try folder.create("a")
        for number in 0..<60 {
            let notes = String(repeating: "\(number % 10)", count: 200_000)
            try store.write { edit in
                try edit.insert([Assignment(.number(3), .text(notes))], into: TemporaryStores.todo)
            }
        }
        store.close()
        let server = try RunningServer("a", in: folder, heldByteCountMax: 500_000)
        defer { server.stop() }
        let hello = Hello(
            space: SpaceID(value: 7), policy: .deletesWin, replica: ReplicaID(value: 9),
            incarnation: Incarnation(epoch: EpochID(value: 1), counter: 0),
            summary: SummaryHead(sum: 0, digest: 0, count: 0), features: .live,
            peerCheckpoint: PeerCheckpoint(peer: nil, checkpoint: nil, counter: 0, epoch: nil))
        let slow = try RawConnection(to: server.hostAndPort)
        slow.say(Frame.encode(.hello(hello)))
        let nothing = SummaryRanges.Range(upper: nil, .entries([]))
        slow.say(Frame.encode(.summaryRanges(SummaryRanges([nothing]))))
        #expect(waitUntil { !server.state.endings.isEmpty })
        guard case .failed(let error, _)? = server.state.endings.first else {
            Issue.record("it ended otherwise: \(server.state.endings)")
            return
        }
        #expect(error.known == .busy && error.reason == .heldBytes)
    }
}

@Suite("Log lines of strangers")
struct StrangerLimitTests {
    @Test("one address has so many lines a minute, and the number left out is told after it")
    func address() {
        var limit = StrangerLimit()
        let admitted = (0..<50).count { _ in limit.admit("192.0.2.1", now: 1_000).isAdmitted }
        #expect(admitted == StrangerLimit.addressLineCountMax)
        #expect(limit.admit("192.0.2.2", now: 2_000).isAdmitted)
        let later = limit.admit("192.0.2.1", now: 1_000 + StrangerLimit.periodMilliseconds)
        #expect(later.isAdmitted)
        #expect(later.leftOut == 50 - StrangerLimit.addressLineCountMax)
    }

    @Test("all addresses together have so many lines a minute")
    func all() {
        var limit = StrangerLimit()
        let admitted = (0..<500).count { limit.admit("192.0.2.\($0)", now: 5).isAdmitted }
        #expect(admitted == StrangerLimit.lineCountMax)
        #expect(limit.end() == 500 - StrangerLimit.lineCountMax)
        let next = limit.admit("192.0.2.1", now: 6)
        #expect(next.isAdmitted && next.leftOut == 0)
    }

    @Test("a server writes no more lines about one stranger than allowed")
    func server() throws {
        let folder = TemporaryStores()
        try folder.create("a").close()
        let server = try RunningServer("a", in: folder)
        defer { server.stop() }
        // The last one may be answered and not be counted yet.
        for _ in 0...StrangerLimit.addressLineCountMax * 2 {
            let raw = try RawConnection(to: server.hostAndPort)
            raw.say(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            _ = raw.hearAll()
        }
        #expect(waitUntil { server.state.connectedCount > StrangerLimit.addressLineCountMax * 2 })
        #expect(server.state.endings.count == StrangerLimit.addressLineCountMax)
        server.stop()
        #expect(server.state.leftOutCount >= StrangerLimit.addressLineCountMax)
    }
}
