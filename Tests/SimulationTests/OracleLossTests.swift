import Core
import Simulation
import Storage
import Testing

@Suite("The oracle on crashes, power cuts, backups and copies")
struct OracleLossTests {
    private static let name = OracleWorld.recordName(0)

    /// A world of which the first device's files are those from before its last edit.
    private func cutWorld(
        hasLeft: Bool, _ tell: (OracleWorld) throws -> Void = { _ in }
    ) throws -> OracleWorld {
        let world = try OracleWorld()
        try world.name(0, Self.name, "milk")
        world.oracle.left(0)
        world.stores[0].close()
        let image = world.image(0)
        try world.open(0)
        try world.oracle.look(0, world.stores[0])
        try world.name(0, Self.name, "oat milk")
        if hasLeft { world.oracle.left(0) }
        try tell(world)
        world.stores[0].abandon()
        world.put(image, on: 0)
        try world.open(0)
        return world
    }

    @Test("a power cut may take what has not left, and the rest goes on")
    func powerCut() throws {
        let world = try cutWorld(hasLeft: false)
        try world.oracle.lostPower(0, world.stores[0], isDurable: false)
        try world.name(0, Self.name, "soy milk")
        try world.heal()
        #expect(try world.stores[1].record(Self.name)?[2] == .text("soy milk"))
    }

    @Test("a power cut that takes what has left loses writes")
    func powerCutAfterLeaving() throws {
        let world = try cutWorld(hasLeft: true)
        try Verdict.lostWrite.expect {
            try world.oracle.lostPower(0, world.stores[0], isDurable: false)
        }
    }

    @Test("what a frame tells of must survive a power cut, and nothing else needs to")
    func frames() throws {
        for (isTold, tellsChange) in [(false, false), (true, true), (true, false)] {
            let world = try cutWorld(hasLeft: false) { world in
                let store = world.stores[0]
                let reading = try store.read(from: .sequence(0), peerHas: PeerHoldings())
                let stateSummary = try #require(reading.stateSummary)
                let batch = ChangeBatch(changes: reading.changes, through: reading.through)
                let end = CaughtUp(
                    through: reading.through, changed: stateSummary.entries,
                    digest: stateSummary.digest,
                    sum: 0)
                let frame = Frame.encode(tellsChange ? .changes(batch) : .caughtUp(end))
                world.oracle.left(0, frame: Frame.encode(.ping(1)))
                if isTold { world.oracle.left(0, frame: frame) }
            }
            let judge = {
                try world.oracle.lostPower(0, world.stores[0], isDurable: false)
            }
            if isTold { try Verdict.lostWrite.expect { try judge() } } else { try judge() }
        }
    }

    @Test("a device that is out of the world takes along what only it had")
    func removed() throws {
        let world = try OracleWorld(devices: 3)
        try world.name(2, Self.name, "milk")
        try world.carry(from: 2, to: 0, joins: false)
        world.oracle.removed(2)
        world.stores[2].abandon()
        world.stores.removeLast()
        try world.heal()
        #expect(try world.stores[1].record(Self.name)?[2] == .text("milk"))
    }

    @Test("a power cut that takes anything from a durable store loses writes")
    func durable() throws {
        let world = try cutWorld(hasLeft: false)
        try Verdict.lostWrite.expect {
            try world.oracle.lostPower(0, world.stores[0], isDurable: true)
        }
    }

    @Test("files that are older than what was seen are a lost write if nobody said so")
    func silentlyOlder() throws {
        let world = try cutWorld(hasLeft: false)
        try Verdict.lostWrite.expect { try world.oracle.look(0, world.stores[0]) }
    }

    @Test("a backup may come back with what it held, and no less")
    func backup() throws {
        let world = try OracleWorld()
        try world.name(0, Self.name, "milk")
        let held = world.oracle.holdings(of: 0)
        world.stores[0].close()
        let image = world.image(0)
        try world.open(0)
        try world.oracle.look(0, world.stores[0])
        try world.name(0, OracleWorld.recordName(1), "bread")
        try world.carry(from: 0, to: 1)
        let more = world.oracle.holdings(of: 0)
        world.stores[0].close()
        world.put(image, on: 0)
        world.oracle.setBack(0, to: more)
        try world.open(0)
        try Verdict.lostWrite.expect { try world.oracle.look(0, world.stores[0]) }
        world.oracle.setBack(0, to: held)
        try world.oracle.look(0, world.stores[0])
        // The other device still has the writes that the backup lacks.
        try world.heal()
        #expect(try world.stores[0].record(OracleWorld.recordName(1)) != nil)
    }

    @Test("a write that only the lost files held is withdrawn, and welcome if it shows up again")
    func withdrawn() throws {
        let world = try OracleWorld()
        try world.name(0, Self.name, "milk")
        let held = world.oracle.holdings(of: 0)
        world.stores[0].close()
        let image = world.image(0)
        try world.open(0)
        try world.oracle.look(0, world.stores[0])
        try world.name(0, OracleWorld.recordName(1), "bread")
        let record = try world.record(0, OracleWorld.recordName(1))
        world.stores[0].close()
        world.put(image, on: 0)
        world.oracle.setBack(0, to: held)
        try world.open(0)
        try world.oracle.look(0, world.stores[0])
        try world.plant(record, OracleWorld.recordName(1), on: 1)
        try world.oracle.look(1, world.stores[1])
        try world.heal()
        #expect(try world.stores[0].record(OracleWorld.recordName(1))?[2] == .text("bread"))
    }

    @Test("a copy holds what the original held, and takes a name of its own")
    func copy() throws {
        let world = try OracleWorld()
        try world.name(0, Self.name, "milk")
        world.stores[0].close()
        let image = world.image(0)
        world.oracle.addDevice()
        world.oracle.copied(from: 0, to: 2)
        world.put(image, on: 2)
        world.stores.append(world.stores[0])
        try world.open(2)
        try world.oracle.look(2, world.stores[2])
        try world.open(0)
        try world.oracle.look(0, world.stores[0])
        #expect(world.stores[2].replica != world.stores[0].replica)
        try world.name(2, Self.name, "oat milk")
        try world.heal()
    }

    @Test("an edit during which the program died is learned if it was saved, and forgotten if not")
    func deadEdit() throws {
        for wasSaved in [true, false] {
            let world = try OracleWorld()
            try world.name(0, Self.name, "milk")
            let past = try world.record(0, Self.name).clock
            if wasSaved {
                try world.stores[0].edit { edit throws(StoreFault) in try edit.delete(Self.name) }
            }
            world.stores[0].abandon()
            world.oracle.editDied(0, Self.name, .delete, past: past)
            try world.open(0)
            try world.oracle.look(0, world.stores[0])
            let clock = try world.record(0, Self.name).clock
            #expect(world.oracle.expectedRecord(Self.name, at: clock).isDeleted == wasSaved)
            try world.heal()
        }
    }
}
