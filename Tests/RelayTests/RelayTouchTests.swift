import Core
import Relay
import Testing

@Suite("Two relay engines on one store")
struct RelayTouchTests {
    @Test("subscribers are told once their engine hears that something came, and not before")
    func told() throws {
        let world = RelayWorld(.memory)
        let here = try RelayDesk(world)
        let there = try RelayDesk(world)
        there.node.isTouchKept = true
        let reader = here.relayHello(1)
        here.commit()
        _ = here.heard(by: reader)
        let writer = there.relayHello(2)
        let changes = [RelayDesk.change(1, 2, 1), RelayDesk.change(2, 2, 2)]
        there.say(writer, RelayDesk.batch(changes, through: 1))
        there.commit()
        let touches = there.node.takeTouches()
        #expect(touches == [RelayTouch(space: RelayWorld.space, start: 0, through: 2)])
        #expect(there.node.takeTouches().isEmpty, "each is told once")
        #expect(here.changes(reader).isEmpty)
        #expect(here.node.openSpaces == [RelayWorld.space])
        here.take(here.node.storeChanged(in: touches.map(\.space), now: world.now))
        #expect(here.changes(reader) == changes)
        here.take(here.node.storeChanged(in: touches.map(\.space), now: world.now))
        #expect(here.heard(by: reader).isEmpty, "a notice that comes twice makes no news")
    }

    @Test("what others were read to the end before is not the end for a slow subscriber")
    func slow() throws {
        let world = RelayWorld(.memory)
        let here = try RelayDesk(world) { $0.limits.windowBatchCount = 1 }
        let there = try RelayDesk(world)
        let (slow, quick) = (here.relayHello(1), here.relayHello(2))
        let (writer, other) = (here.relayHello(3), there.relayHello(4))
        let changes = (1...3).map { RelayDesk.change(UInt128($0), 3, UInt64($0)) }
        for number in 0..<2 {
            here.say(writer, RelayDesk.batch([changes[number]], through: UInt64(number + 1)))
            here.commit()
        }
        // Both have one batch on the way, and then one of them another one, up to the end.
        here.say(quick, .acknowledge(1))
        #expect(here.changes(quick) == [changes[0], changes[1]])
        there.say(other, RelayDesk.batch([changes[2]], through: 1))
        there.commit()
        here.take(here.node.storeChanged(in: [RelayWorld.space], now: world.now))
        here.say(slow, .acknowledge(1))
        here.say(slow, .acknowledge(2))
        #expect(here.changes(slow) == changes)
    }

    @Test("a device that comes from another engine finds here what it has left there")
    func moved() throws {
        let world = RelayWorld(.memory)
        let (here, there) = (try RelayDesk(world), try RelayDesk(world))
        // The others have read to the end here, and that is kept for whoever reads the same.
        let (writer, reader) = (here.relayHello(1), here.relayHello(2))
        here.say(writer, RelayDesk.batch([RelayDesk.change(1, 1, 1)], through: 1))
        here.commit()
        #expect(here.heard(by: reader).downloadDone?.through.sequence == 1)
        let device = there.relayHello(3)
        there.say(device, RelayDesk.uploadDone(1, [7], by: 3))
        there.commit()
        #expect(there.heard(by: device).acknowledged == 1)
        let same = here.relayHello(3)
        let end = try #require(here.heard(by: same).downloadDone)
        #expect(end.through.sequence == 2)
        #expect(end.rows.map(\.key.replica) == [ReplicaID(value: 3)])
    }

    @Test("an engine with the store for itself keeps none, and a space of nobody wakes nobody")
    func alone() throws {
        let desk = try RelayDesk(RelayWorld(.memory))
        let writer = desk.relayHello(1)
        desk.say(writer, RelayDesk.batch([RelayDesk.change(1, 1, 1)], through: 1))
        desk.commit()
        #expect(desk.node.takeTouches().isEmpty)
        #expect(desk.node.storeChanged(in: [SpaceID(value: 99)], now: desk.world.now).isEmpty)
    }
}
