import Core
import Relay
import Session
import Testing

@Suite("What a relay holds of half-received uploads")
struct RelayHeldTests {
    private typealias Desk = RelayDesk

    private static let limit = 1 << 20

    private static func desk() throws -> RelayDesk {
        try RelayDesk(RelayWorld()) { $0.limits.heldByteCountMax = limit }
    }

    /// A part of a body of 300,000 bytes, of which the rest may follow.
    private static func part(_ id: UInt128, at offset: Int = 0, _ count: Int) -> Message {
        .part(
            BodyPart(
                RecordName(.relayed, RecordID(value: id)), clock: Desk.clock(id, 1),
                byteCount: 300_000,
                offset: offset,
                bytes: [UInt8](repeating: 1, count: count)))
    }

    @Test("over all conversations it has a bound, and who holds most goes, not who comes last")
    func bounded() throws {
        let desk = try Self.desk()
        let honest = desk.relayHello(1, address: "10.0.0.9")
        desk.say(honest, Self.part(1, 200_000))
        let hostile = (0..<40).map { desk.relayHello(UInt128(100 + $0), address: "10.6.6.6") }
        for (index, id) in hostile.enumerated() {
            // All but one send little; together they are many.
            desk.say(id, Self.part(UInt128(100 + index), index == 3 ? 150_000 : 100_000))
            #expect(desk.node.statistics.heldByteCount <= Self.limit)
        }
        let refused = hostile.filter { desk.ends[$0] != nil }
        #expect(refused.count >= 30)
        #expect(refused.contains(hostile[3]))
        #expect(desk.error(hostile[3])?.known == .busy)
        #expect(desk.error(hostile[3])?.reason == .heldBytes)
        #expect(desk.error(hostile[3])?.message.isEmpty == false)
        #expect(desk.node.statistics.refusals[.heldBytes] == refused.count)
        // The other address's upload comes to its end.
        desk.say(honest, Self.part(1, at: 200_000, 100_000), Desk.batch([], through: 1))
        desk.commit()
        #expect(desk.ends[honest] == nil)
        #expect(desk.heard(by: honest).acknowledged == 1)
        #expect(try desk.node.store(of: RelayWorld.space)?.versionCount == 1)
    }

    @Test("half a frame counts like half a body, and all of it until it is given back")
    func counted() throws {
        let desk = try Self.desk()
        #expect(desk.node.statistics.heldByteCount == 0)
        let (framed, parted) = (desk.relayHello(1), desk.relayHello(2))
        #expect(desk.node.statistics.heldByteCount == 0)
        let frame = Frame.encode(Self.part(5, 250_000))
        desk.take(desk.node.receive(framed, Array(frame.dropLast(9)), now: desk.world.now))
        #expect(desk.node.statistics.heldByteCount >= 250_000)
        desk.say(parted, Self.part(6, 250_000))
        #expect(desk.node.statistics.heldByteCount >= 500_000)
        // The rest of the frame: now it is half a body.
        desk.take(desk.node.receive(framed, Array(frame.suffix(9)), now: desk.world.now))
        #expect((500_000..<1_000_000).contains(desk.node.statistics.heldByteCount))
        desk.say(framed, Self.part(5, at: 250_000, 50_000), Desk.batch([], through: 1))
        #expect(desk.node.statistics.heldByteCount < 500_000)
        desk.run(parted, .lost)
        #expect(desk.node.statistics.heldByteCount == 0)
    }

    @Test("a long frame leaves no long buffer behind, as far as the relay counts")
    func leftovers() throws {
        let desk = try Self.desk()
        let ids = (0..<20).map { desk.relayHello(UInt128($0 + 1), address: "10.0.0.\($0)") }
        for (index, id) in ids.enumerated() {
            // A whole frame of 300,000 bytes and the first byte of the next.
            let text = Frame.encode(
                Desk.batch([Desk.change(UInt128(index + 1), 1, 1, 300_000)], through: 1))
            desk.take(desk.node.receive(id, text + [0], now: desk.world.now))
            #expect(desk.node.statistics.heldByteCount <= Self.limit)
        }
    }
}
