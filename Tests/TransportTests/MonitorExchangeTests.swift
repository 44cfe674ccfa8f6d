import Testing
import Transport

/// The frames between a program and the one that serves its pages for monitoring.
@Suite("Monitor exchange")
struct MonitorExchangeTests {
    private let page = MonitorPage(status: 503, type: "text/plain", body: "draining\n")

    @Test("questions and answers come as they were sent, in pieces of any length")
    func frames() throws {
        let questions = (0..<5).map { MonitorExchange.Question(number: $0, path: "/p\($0)") }
        for pieceByteCount in [1, 3, 7, 1000] {
            var frames = MonitorFrames(byteCountMax: MonitorExchange.questionByteCountMax)
            var found: [MonitorExchange.Question] = []
            var rest = questions.flatMap(\.frame)[...]
            while !rest.isEmpty {
                frames.receive(rest.prefix(pieceByteCount))
                rest = rest.dropFirst(pieceByteCount)
                while let frame = frames.next() {
                    found.append(try #require(MonitorExchange.Question(frame)))
                }
            }
            #expect(found == questions && !frames.isBroken)
        }
        for page in [page, nil] {
            let answer = MonitorExchange.Answer(number: .max, page: page)
            let frame = try #require(answer.frame)
            #expect(MonitorExchange.Answer(Array(frame.dropFirst(4))) == answer)
        }
    }

    @Test("a frame over byteCountMax ends the exchange, and nothing is kept")
    func limit() {
        var frames = MonitorFrames(byteCountMax: 10)
        frames.receive([0, 0, 0, 11])
        #expect(frames.next() == nil && frames.isBroken)
        frames.receive([0, 0, 0, 1, 1])
        #expect(frames.next() == nil && frames.isBroken)
    }

    @Test("a path over pathByteCountMax is no question")
    func path() {
        let most = String(repeating: "x", count: MonitorExchange.pathByteCountMax)
        func isRead(_ path: String) -> Bool {
            let frame = MonitorExchange.Question(number: 1, path: path).frame
            return MonitorExchange.Question(Array(frame.dropFirst(4))) != nil
        }
        #expect(isRead(most) && !isRead(most + "x"))
    }

    @Test("a type over typeByteCountMax or a body over bodyByteCountMax is no answer")
    func answers() {
        func frame(_ type: Int, _ body: Int) -> [UInt8]? {
            MonitorExchange.Answer(
                number: 1,
                page: MonitorPage(
                    status: 200, type: String(repeating: "t", count: type),
                    body: String(repeating: "b", count: body))
            ).frame
        }
        let (type, body) = (MonitorExchange.typeByteCountMax, MonitorExchange.bodyByteCountMax)
        #expect(frame(type, body) != nil)
        #expect(frame(type + 1, 0) == nil && frame(0, body + 1) == nil)
    }

    @Test(
        "malformed answers are nothing",
        arguments: [
            [1, 2, 3], [0, 0, 0, 1, 0], [0, 0, 0, 1, 0, 1, 0], [0, 0, 0, 1, 0, 200, 5, 0x61],
        ])
    func malformed(_ bytes: [UInt8]) {
        #expect(MonitorExchange.Answer(bytes) == nil)
    }

    @Test("without tandem-web a port for monitoring is refused, as is one for other machines")
    func refusals() throws {
        let loop = try EventLoop()
        for program in [nil, "/bin/false", "/nonexistent"] {
            #expect {
                _ = try MonitorPort(
                    on: loop, at: anyPort, program: program, page: { _ in nil }, log: { _ in })
            } throws: { error in
                if case .noWebProgram? = error as? TransportError { true } else { false }
            }
        }
        #expect(throws: TransportError.insecureListen(address: "0.0.0.0:0")) {
            _ = try MonitorPort(
                on: loop, at: HostAndPort(host: "0.0.0.0", port: 0), program: "/bin/true",
                page: { _ in nil }, log: { _ in })
        }
    }

    @Test("a program that ends is started again after pauses that double")
    func restarts() throws {
        let loop = try EventLoop()
        var faults: [MonitorPort.Fault] = []
        // Ends at once, whatever it is asked for.
        let port = try MonitorPort(
            on: loop, at: anyPort, program: "/bin/true", page: { _ in nil },
            log: {
                faults.append($0)
                if faults.count == 2 { loop.stop() }
            })
        try serve(loop)
        #expect(faults.map(\.ending) == [.exited(code: 0), .exited(code: 0)])
        #expect(faults.map(\.pause) == [.seconds(1), .seconds(2)])
        port.close()
        #expect(port.childIdentifier == nil)
    }
}
