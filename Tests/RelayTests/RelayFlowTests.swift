import Core
import Relay
import Session
import Testing

@Suite("How a relay keeps to windows and waits")
struct RelayFlowTests {
    private typealias Desk = RelayDesk

    /// A relay with so many records of 1,000 bytes each.
    private static func filled(
        _ count: Int, _ change: (inout RelayOptions) -> Void = { _ in }
    ) throws -> RelayDesk {
        let desk = try RelayDesk(RelayWorld(), change)
        let writer = desk.relayHello(1)
        for start in stride(from: 0, to: count, by: 100) {
            let changes = (start..<min(start + 100, count)).map {
                Desk.change(UInt128($0 + 1), 1, UInt64($0 + 1), 1000)
            }
            desk.say(writer, Desk.batch(changes, through: UInt64(start + changes.count)))
            desk.commit()
        }
        desk.run(writer, .lost)
        return desk
    }

    @Test("no more than the window leaves without an acknowledgement, then it goes on to the end")
    func window() throws {
        let desk = try Self.filled(2000) {
            $0.limits.batchByteCountMax = 10_000
            $0.limits.windowBatchCount = 4
        }
        let reader = desk.relayHello(2)
        var heard = desk.heard(by: reader)
        #expect(heard.kinds == [21, 2, 2, 2, 2])
        var (acknowledged, records): (UInt64, Int) = (0, 0)
        for _ in 0..<1000 {
            for case .changes(let batch) in heard {
                acknowledged += 1
                records += batch.changes.count
            }
            if heard.downloadDone != nil { break }
            desk.say(reader, .acknowledge(acknowledged))
            heard = desk.heard(by: reader)
            #expect(heard.count <= 4)
        }
        #expect(records == 2000)
        #expect(heard.downloadDone != nil)
    }

    @Test("nothing further leaves while the link holds more than its mark")
    func backPressure() throws {
        let desk = try Self.filled(500) { $0.limits.batchByteCountMax = 10_000 }
        let reader = desk.relayHello(2)
        #expect(desk.heard(by: reader).kinds.filter { $0 == 2 }.count == 16)
        desk.run(reader, .sendQueue(byteCount: 2 << 20))
        desk.say(reader, .acknowledge(16))
        #expect(desk.heard(by: reader).isEmpty)
        desk.run(reader, .sendQueue(byteCount: 0))
        #expect(desk.heard(by: reader).kinds.contains(2))
    }

    @Test("a client that reads nothing is disconnected with busy, and a slow reader is not")
    func slow() throws {
        let desk = try Self.filled(500) { $0.limits.batchByteCountMax = 10_000 }
        let (idle, slow) = (desk.relayHello(2), desk.relayHello(3))
        for round in 1...8 {
            desk.pass(milliseconds: 9_000)
            if desk.error(idle) == nil { desk.say(idle, .ping(1)) }
            desk.say(slow, .acknowledge(UInt64(round)))
        }
        #expect(desk.error(idle)?.known == .busy)
        #expect(desk.error(idle)?.reason == .slowReader)
        #expect(desk.error(idle)?.message.isEmpty == false)
        #expect(desk.node.statistics.refusals[.slow] == 1)
        #expect(desk.error(slow) == nil)
    }

    @Test("memory is bounded under a device that never reads")
    func bounded() throws {
        let desk = try Self.filled(8000)
        desk.isDeaf = true
        let deaf = desk.relayHello(2)
        let writer = desk.relayHello(1)
        for number in 0..<200 {
            desk.say(
                writer, Desk.batch([Desk.change(9, 1, UInt64(9000 + number), 10_000)], through: 1))
            desk.commit()
        }
        let sent = desk.buffers[deaf]?.reduce(0) { $0 + $1.count } ?? 0
        let limits = RelayLimits()
        #expect(sent < limits.windowByteCountMax + 2 * limits.batchByteCountMax)
    }

    @Test("a silent device is asked for a sign of life, and left after a while")
    func silence() throws {
        let desk = try RelayDesk()
        let (silent, lively) = (desk.relayHello(1), desk.relayHello(2))
        _ = desk.heard(by: silent)
        for _ in 0..<4 {
            desk.pass(milliseconds: 10_000)
            desk.say(lively, .ping(4))
        }
        #expect(desk.heard(by: silent).kinds == [7, 7, 10])
        #expect(desk.error(silent)?.known == .timeout)
        #expect(desk.error(lively) == nil)
        let mute = desk.open()
        desk.pass(milliseconds: 10_000)
        #expect(desk.error(mute)?.known == .timeout)
    }

    @Test("a relay that stops has acknowledged what it took")
    func drains() throws {
        let desk = try RelayDesk()
        let alice = desk.relayHello(1)
        _ = desk.heard(by: alice)
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.take(desk.node.runAll(.drain, now: desk.world.now))
        #expect(desk.heard(by: alice).kinds == [23, 3, 9])
        #expect(desk.ends[alice] == .finished)
        #expect(desk.node.sessionCount == 0)
    }

    @Test("a process that leaves acknowledges what it took, and sends devices to the others")
    func leaves() throws {
        let desk = try RelayDesk()
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        let knocking = desk.open()
        _ = desk.heard(by: alice)
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.take(desk.node.runAll(.leave, of: [alice, knocking], now: desk.world.now))
        #expect(desk.heard(by: alice).kinds == [23, 3, 10])
        for id in [alice, knocking] {
            #expect(desk.error(id)?.known == .busy)
            #expect(desk.error(id)?.reason == .elsewhere)
        }
        // Others, which have not been told yet, go on.
        #expect(desk.ends[bob] == nil)
        desk.say(bob, .ping(1))
        desk.run(bob, .leave)
        #expect(desk.error(bob)?.reason == .elsewhere)
        #expect(desk.node.sessionCount == 0)
    }
}
