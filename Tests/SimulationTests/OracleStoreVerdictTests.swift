import Core
import Simulation
import Storage
import TestSupport
import Testing

@Suite("The oracle's verdicts on stores")
struct OracleStoreVerdictTests {
    private static let name = OracleWorld.recordName(0)

    // MARK: Knowledge and holdings

    @Test("a device that claims to know what it does not hold is unsound")
    func raisedKnowledge() throws {
        let world = try OracleWorld()
        try world.name(0, Self.name, "milk")
        try world.carry(from: 0, to: 1)
        try world.name(0, OracleWorld.recordName(1), "bread")
        let replica = world.stores[0].replica
        // No peer's word does that: it is planted in the file.
        try world.tamper(
            1,
            """
            UPDATE replica SET counter = counter + 1, seen = counter + 1
            WHERE id = x'\(Hexadecimal.text(replica.bytes))'
            """)
        try Verdict.unsound.expect { try world.oracle.look(1, world.stores[1]) }
    }

    @Test("a change that nobody can read and that was passed over is a lost write")
    func passedOver() throws {
        let world = try OracleWorld()
        let replica = ReplicaID(value: 9)
        let clock = VersionVector(Dot(replica: replica, counter: 1))
        let change = Change(Self.name, clock: clock, body: [0xff, 1])
        _ = try world.stores[0].integrate([change], from: replica, checkpoint: nil)
        try world.oracle.met(0, world.stores[0], change)
        try Verdict.lostWrite.expect { try world.oracle.met(1, world.stores[1], change) }
        // Claimed to be known without being deferred: the checksum is that of nothing.
        try world.tamper(
            1,
            """
            INSERT INTO replica VALUES
                (1, x'00000000000000000000000000000009', 1, 1, zeroblob(16), NULL, NULL, 0)
            """)
        try Verdict.unsound.expect { try world.oracle.look(1, world.stores[1]) }
    }

    @Test("a record that vanishes is a lost write at the next thorough look")
    func vanished() throws {
        let world = try OracleWorld()
        try world.name(0, Self.name, "milk")
        try world.tamper(0, "DELETE FROM todo_record")
        try world.oracle.look(0, world.stores[0])
        try Verdict.lostWrite.expect { try world.oracle.lookThoroughly(0, world.stores[0]) }
    }

    @Test("sums that do not fit the records are a divergence")
    func sums() throws {
        let world = try OracleWorld()
        try world.name(0, Self.name, "milk")
        try world.oracle.lookThoroughly(0, world.stores[0])
        try world.tamper(0, "UPDATE replica SET checksum = zeroblob(16) WHERE number = -1")
        try Verdict.diverged.expect { try world.oracle.lookThoroughly(0, world.stores[0]) }
    }

    @Test("a change that is deferred twice is beyond the bound")
    func deferredTwice() throws {
        let world = try OracleWorld()
        let clock = VersionVector(Dot(replica: ReplicaID(value: 9), counter: 1))
        let change = Change(Self.name, clock: clock, body: [0xff, 1])
        _ = try world.stores[0].integrate(
            [change], from: ReplicaID(value: 9), checkpoint: nil)
        try world.oracle.lookThoroughly(0, world.stores[0])
        try world.tamper(
            0,
            "INSERT INTO deferred_change SELECT sequence + 50, id, clock, body, reason, collection FROM deferred_change"
        )
        try Verdict.unbounded.expect { try world.oracle.lookThoroughly(0, world.stores[0]) }
    }

    @Test("replica ids that never wrote are beyond the bound")
    func strangers() throws {
        let world = try OracleWorld(devices: 1)
        try world.tamper(
            0, "INSERT INTO replica VALUES (1, randomblob(16), 0, 3, zeroblob(16), NULL, NULL, 0)")
        try Verdict.unbounded.expect { try world.oracle.lookThoroughly(0, world.stores[0]) }
        world.oracle.strangerCount = 1
        try world.oracle.lookThoroughly(0, world.stores[0])
    }

    // MARK: Queries

    /// Counts the records as they are now, so that the counts give nothing away.
    private static let counting = """
        UPDATE record_count SET (live, trashed, conflicted, unset) = (
            SELECT count(*) FILTER (WHERE state = 0), count(*) FILTER (WHERE state = 1),
                count(*) FILTER (WHERE conflicts > 0), min(unset, count(*) FILTER (WHERE state = 0))
            FROM todo_record) WHERE name = 'todo'
        """

    @Test("a query that is kept up and differs from a fresh one is stale")
    func staleQuery() throws {
        let world = try OracleWorld(devices: 1)
        try world.name(0, Self.name, "milk")
        try world.oracle.judgeHealed(world.stores)
        try world.tamper(0, "UPDATE todo_record SET state = 1;" + Self.counting)
        let violation = #expect(throws: Violation.self) {
            try world.oracle.judgeHealed(world.stores)
        }
        #expect(violation?.verdict == .staleQuery)
        #expect(violation?.description.contains("1 ") == true)
    }

    @Test("a query for what is alive or in conflict that finds something else is stale")
    func wrongScope() throws {
        for column in ["state", "conflicts"] {
            let world = try OracleWorld()
            try world.name(0, Self.name, "milk")
            try world.tamper(0, "UPDATE todo_record SET \(column) = 1;" + Self.counting)
            try Verdict.staleQuery.expect { try world.oracle.lookThoroughly(0, world.stores[0]) }
        }
    }

    // MARK: Healing

    @Test("devices that hold or know different things after they met have diverged")
    func unhealed() throws {
        let world = try OracleWorld()
        try world.name(0, Self.name, "milk")
        try Verdict.diverged.expect { try world.oracle.judgeHealed(world.stores) }
        for from in 0...1 { try world.carry(from: from, to: 1 - from, joins: false) }
        try Verdict.diverged.expect { try world.oracle.judgeHealed(world.stores) }
        try world.heal()
    }

    @Test("nobody who could vouch for a replica's writes is unsound, unless a backup came back")
    func gap() throws {
        let world = try OracleWorld(devices: 3)
        try world.name(2, Self.name, "milk")
        for deviceIndex in 0...1 { try world.carry(from: 2, to: deviceIndex, joins: false) }
        try world.carry(from: 0, to: 1)
        try world.carry(from: 1, to: 0)
        let two = Array(world.stores.prefix(2))
        try Verdict.unsound.expect { try world.oracle.judgeHealed(two) }
        world.oracle.setBack(2, to: Holdings())
        try world.oracle.judgeHealed(two)
    }

    @Test("devices of different spaces are judged apart, whatever the ids of their records")
    func spaces() throws {
        let world = try OracleWorld()
        try world.name(0, Self.name, "milk")
        let other = try OracleWorld(seed: 2, devices: 0)
        let deviceIndex = world.stores.count
        world.oracle.addDevice()
        let store = try other.createForeign(world.path(deviceIndex))
        world.stores.append(store)
        try world.oracle.look(deviceIndex, store)
        try world.name(deviceIndex, Self.name, "bread")
        try world.carry(from: 0, to: 1)
        try world.carry(from: 1, to: 0)
        try world.oracle.judgeHealed(world.stores)
        let clock = try world.record(deviceIndex, Self.name).clock
        let shown = world.oracle.expectedRecord(Self.name, at: clock, on: deviceIndex).visible
        #expect(shown == [Assignment(.number(2), .text("bread"))])
    }

    @Test(
        "after a fork what other devices wrote must be held, also in a record that both pasts wrote to"
    )
    func forked() throws {
        let world = try OracleWorld()
        let forked = try world.stores[0].summary()
        world.oracle.forked(0, forked.replica, of: forked.space, above: forked.counter)
        try world.name(0, Self.name, "milk")
        try world.heal()
        try world.name(1, Self.name, "oat milk")
        try world.heal()
        // As if it had been lost.
        let clock = try world.record(1, Self.name).clock
        try world.plant(RecordState(clock: clock, writes: []), Self.name, on: 1)
        try Verdict.lostWrite.expect { try world.oracle.look(1, world.stores[1]) }
    }

    @Test("after a fork what the forked device wrote last must be held")
    func forkedPast() throws {
        for judgesBothPasts in [true, false] {
            let world = try OracleWorld(judgesBothPasts: judgesBothPasts)
            let forked = try world.stores[0].summary()
            world.oracle.forked(0, forked.replica, of: forked.space, above: forked.counter)
            try world.name(0, Self.name, "milk")
            try world.heal()
            let clock = try world.record(0, Self.name).clock
            for deviceIndex in 0...1 {
                try world.plant(RecordState(clock: clock, writes: []), Self.name, on: deviceIndex)
                try world.oracle.look(deviceIndex, world.stores[deviceIndex])
            }
            if judgesBothPasts {
                try Verdict.lostWrite.expect { try world.oracle.judgeHealed(world.stores) }
            } else {
                try world.oracle.judgeHealed(world.stores)
            }
        }
    }

    @Test("a fork of one device says nothing of records that it did not write to")
    func forkElsewhere() throws {
        let world = try OracleWorld()
        try world.name(1, Self.name, "milk")
        try world.heal()
        let forked = try world.stores[0].summary()
        world.oracle.forked(0, forked.replica, of: forked.space, above: forked.counter)
        try world.name(1, Self.name, "oat milk")
        let clock = try world.record(1, Self.name).clock
        try world.plant(RecordState(clock: clock, writes: []), Self.name, on: 1)
        try Verdict.lostWrite.expect { try world.oracle.look(1, world.stores[1]) }
    }
}
