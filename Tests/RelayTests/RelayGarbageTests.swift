import Core
import Relay
import TestSupport
import Testing

@Suite("Garbage sent to a relay")
struct RelayGarbageTests {
    private typealias Desk = RelayDesk

    private static let frames: [[UInt8]] = [
        .relayHello(
            RelayHello(
                space: RelayWorld.space, replica: ReplicaID(value: 1), features: .live,
                generation: 0, token: "salt")),
        Desk.batch([Desk.change(1, 1, 1), Desk.change(2, 1, 2)], through: 2),
        .part(
            BodyPart(
                RecordName(.relayed, RecordID(value: 1)), clock: Desk.clock(1, 3), byteCount: 2,
                offset: 0,
                bytes: [1, 2])),
        Desk.batch([], through: 3), Desk.uploadDone(3, [1, 2, 3]), .acknowledge(0), .ping(1),
    ].map { (message: Message) in Frame.encode(message, hasChecksum: false) }

    @Test("changed frames end in an error or in what is valid, and the store stays whole")
    func mutated() throws {
        let desk = try RelayDesk(RelayWorld())
        var random = SplitMix64(seed: 3)
        for round in 0..<1500 {
            let (id, outputs) = desk.node.open(
                RelayChannel(address: "10.0.0.\(round % 200)", hasChecksum: false),
                now: desk.world.now)
            desk.isDeaf = true
            desk.take(outputs)
            var stream = Self.frames
            for _ in 0...random.below(3) {
                let index = random.below(stream.count)
                switch random.below(4) {
                case 0: stream[index][random.below(stream[index].count)] = UInt8(random.below(256))
                case 1: stream[index].remove(at: random.below(stream[index].count))
                case 2: stream.swapAt(index, random.below(stream.count))
                default: stream.insert(stream[index], at: random.below(stream.count))
                }
                stream = stream.map { $0.isEmpty ? [0] : $0 }
            }
            for frame in stream { desk.take(desk.node.receive(id, frame, now: desk.world.now)) }
            if random.chance(1, in: 4) { desk.commit() }
            desk.run(id, .lost)
            desk.buffers[id] = nil
        }
        desk.commit()
        #expect(desk.node.sessionCount == 0)
        let store = try #require(try desk.node.store(of: RelayWorld.space))
        #expect(try store.examine() == [])
        #expect(store.recordCount > 0)
    }

    @Test("random bytes end the conversation, and take no memory")
    func random() throws {
        let desk = try RelayDesk()
        var random = SplitMix64(seed: 4)
        for _ in 0..<300 {
            let id = desk.open()
            let bytes = (0..<random.below(200) + 20).map { _ in UInt8(random.below(256)) }
            desk.take(desk.node.receive(id, bytes, now: desk.world.now))
            desk.pass(milliseconds: 10_000)
            #expect(desk.ends[id] != nil)
        }
        #expect(desk.node.statistics.spaceCount == 0)
    }

    @Test(
        "before the welcome no long frame is taken, and none that claims to be long is waited for")
    func longRelayHello() throws {
        let desk = try RelayDesk()
        let id = desk.open()
        desk.take(desk.node.receive(id, [0, 0, 0x10, 1], now: desk.world.now))
        #expect(desk.error(id)?.known == .malformed)
        #expect(desk.error(id)?.message.contains(" 4096") == true)
        let whole = desk.relayHello(1)
        desk.say(whole, Desk.batch([Desk.change(1, 1, 1, 500_000)], through: 1))
        desk.commit()
        #expect(desk.heard(by: whole).acknowledged == 1)
    }
}
