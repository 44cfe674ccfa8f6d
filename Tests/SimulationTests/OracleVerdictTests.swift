import Core
import Simulation
import Storage
import TestSupport
import Testing

@Suite("The oracle's verdicts on what devices hold")
struct OracleVerdictTests {
    private static let name = OracleWorld.recordName(0)

    private func field(_ number: UInt32, _ text: String) -> Assignment {
        Assignment(.number(number), .text(text))
    }

    // MARK: Records

    @Test("an assignment that is gone although nobody replaced it is a lost write")
    func droppedAssignment() throws {
        let world = try OracleWorld()
        try world.save(0, Self.name, [field(2, "milk"), field(3, "two bottles")])
        var record = try world.record(0, Self.name)
        record.writes[0].assignments.removeLast()
        try world.plant(record, Self.name, on: 0)
        try Verdict.lostWrite.expect { try world.oracle.look(0, world.stores[0]) }
    }

    @Test("a value that was replaced and is back is a resurrection")
    func staleValue() throws {
        let world = try OracleWorld()
        try world.name(0, Self.name, "milk")
        let old = try world.record(0, Self.name)
        try world.name(0, Self.name, "oat milk")
        var record = try world.record(0, Self.name)
        record.writes.insert(old.writes[0], at: 0)
        try world.plant(record, Self.name, on: 1)
        try Verdict.resurrection.expect { try world.oracle.look(1, world.stores[1]) }
    }

    @Test("a record that has lost the mark of its deletion is a resurrection")
    func lostMark() throws {
        let world = try OracleWorld()
        try world.name(0, Self.name, "milk")
        try world.delete(0, Self.name)
        var record = try world.record(0, Self.name)
        record.writes.removeAll { $0.value(of: .deleted) != nil }
        try world.plant(record, Self.name, on: 1)
        try Verdict.resurrection.expect { try world.oracle.look(1, world.stores[1]) }
    }

    @Test(
        "a deletion that is judged otherwise than it happened has its verdict in either direction")
    func wrongJudgement() throws {
        let world = try OracleWorld(policy: .editsWin)
        try world.name(0, Self.name, "milk")
        try world.carry(from: 0, to: 1)
        let alive = DeletionRule(.editsWin).verdict(on: try world.record(0, Self.name))
        try world.delete(0, Self.name)
        let deleted = try world.record(0, Self.name)
        try Verdict.resurrection.expect { try world.oracle.holds(0, Self.name, deleted, alive) }
        try world.name(1, Self.name, "oat milk")
        try world.carry(from: 0, to: 1)
        let contested = try world.record(1, Self.name)
        let gone = DeletionRule(.deletesWin).verdict(on: contested)
        try Verdict.lostWrite.expect { try world.oracle.holds(1, Self.name, contested, gone) }
        // Nobody would be told that a delete stands against the edit.
        try Verdict.lostWrite.expect { try world.oracle.holds(1, Self.name, contested, alive) }
    }

    @Test(
        "the same write with another time is a divergence, with another value a dot of two writes")
    func otherContent() throws {
        let world = try OracleWorld(devices: 3)
        try world.name(0, Self.name, "milk")
        let record = try world.record(0, Self.name)
        var later = record
        later.writes[0].timestamp = HybridTimestamp(rawValue: .max)
        try world.plant(later, Self.name, on: 1)
        try Verdict.diverged.expect { try world.oracle.look(1, world.stores[1]) }
        var other = record
        other.writes[0].assignments[0].value = .text("oat milk")
        try world.plant(other, Self.name, on: 2)
        try Verdict.unsound.expect { try world.oracle.look(2, world.stores[2]) }
    }

    @Test("a write that nobody made is unsound, with or without content")
    func outOfNowhere() throws {
        let world = try OracleWorld()
        try world.name(0, Self.name, "milk")
        try world.stores[0].edit { edit throws(StoreFault) in
            try edit.update(Self.name, [Assignment(.number(2), .text("oat milk"))])
        }
        try Verdict.unsound.expect { try world.oracle.look(0, world.stores[0]) }
        try world.stores[1].edit { edit throws(StoreFault) in
            try edit.insert([], into: OracleWorld.todo, id: Self.name.id)
        }
        try Verdict.unsound.expect { try world.oracle.look(1, world.stores[1]) }
    }

    @Test("a clock that covers a write and not what its writer had seen is unsound")
    func openPast() throws {
        let world = try OracleWorld(devices: 3)
        try world.name(0, Self.name, "milk")
        try world.carry(from: 0, to: 1)
        try world.save(1, Self.name, [field(3, "two bottles")])
        var record = try world.record(1, Self.name)
        let replica = world.stores[0].replica
        record.clock.set(0, of: replica)
        record.writes.removeAll { $0.dot.replica == replica }
        try world.plant(record, Self.name, on: 2)
        try Verdict.unsound.expect { try world.oracle.look(2, world.stores[2]) }
    }

    @Test("a name of a device that took no such id is unsound")
    func foreignName() throws {
        let world = try OracleWorld()
        let replica = ReplicaID(value: 12)
        let dot = Dot(replica: replica, counter: 1)
        let write = Write(
            dot: dot, timestamp: HybridTimestamp(rawValue: 1), assignments: [field(2, "stranger")])
        let record = RecordState(clock: VersionVector(dot), writes: [write])
        let change = Change(
            RecordName(deviceOf: replica), clock: record.clock,
            body: BodyCodec.encode(record, in: .devices))
        _ = try world.stores[0].integrate([change], from: replica, checkpoint: nil)
        try Verdict.unsound.expect { try world.oracle.look(0, world.stores[0]) }
    }

    @Test("a device that writes to its own record twice between two looks is sound")
    func twoOwnWrites() throws {
        let world = try OracleWorld()
        let replica = world.stores[0].replica
        for number: UInt32 in [9, 12] {
            try world.stores[0].edit { edit throws(StoreFault) in
                try edit.updateDevice(replica, [Assignment(.number(number), .int(1))])
            }
        }
        try world.oracle.look(0, world.stores[0])
        try world.oracle.lookThoroughly(0, world.stores[0])
    }

    // MARK: Edits

    @Test("a dot that is used twice is unsound")
    func dotTwice() throws {
        let oracle = Oracle(policy: .deletesWin)
        oracle.addDevice()
        let replica = SmallWorld.replica(0)
        let dot = Dot(replica: replica, counter: 1)
        for (number, title) in ["milk", "oat milk"].enumerated() {
            let write = Write(
                dot: dot, timestamp: HybridTimestamp(rawValue: 1), assignments: [field(2, title)])
            let note = {
                try oracle.wrote(
                    0, SmallWorld.record(number),
                    RecordState(clock: VersionVector(dot), writes: [write]), .edit,
                    past: VersionVector(), by: replica)
            }
            if number == 0 { try note() } else { try Verdict.unsound.expect { try note() } }
        }
    }

    @Test("a dot may be given again if nobody has the write that had it any more")
    func dotAgain() throws {
        let oracle = Oracle(policy: .deletesWin)
        for _ in 0..<2 { oracle.addDevice() }
        let replica = SmallWorld.replica(0)
        let verdict = DeletionRule(.deletesWin).verdict(on: RecordState())
        func write(
            _ counter: UInt64, _ title: String, on old: RecordState = RecordState()
        ) throws -> RecordState {
            let dot = Dot(replica: replica, counter: counter)
            let write = Write(
                dot: dot, timestamp: HybridTimestamp(rawValue: 1), assignments: [field(2, title)])
            var clock = old.clock
            clock.include(counter, of: replica)
            let record = RecordState(clock: clock, writes: [write])
            try oracle.wrote(0, Self.name, record, .edit, past: old.clock, by: replica)
            try oracle.holds(0, Self.name, record, verdict)
            return record
        }
        let first = try write(1, "milk")
        let held = oracle.holdings(of: 0)
        try oracle.holds(1, Self.name, first, verdict)
        let second = try write(2, "oat milk", on: first)
        oracle.setBack(0, to: held)
        let other = try write(2, "soy milk", on: first)
        try Verdict.unsound.expect { try oracle.holds(1, Self.name, second, verdict) }
        try oracle.holds(1, Self.name, other, verdict)
        let shown = oracle.expectedRecord(Self.name, at: other.clock).visible
        #expect(shown == [field(2, "soy milk")])
        // The first write is still held elsewhere.
        oracle.setBack(0, to: Holdings())
        try Verdict.unsound.expect { _ = try write(1, "bread") }
    }

    /// A record in memory, and the result of a faulty edit of it.
    private func wrong(
        _ kind: Simulation.WriteHistory.Kind,
        _ change: (LocalEdit, RecordState, inout RecordState) -> Void
    ) throws {
        let oracle = Oracle(policy: .deletesWin)
        oracle.addDevice()
        let replica = SmallWorld.replica(0)
        let edit = LocalEdit(policy: .deletesWin, timestamp: HybridTimestamp(rawValue: 9))
        var dots = LocalEdit.DotSource(replica: replica, counter: 0)
        let first = try #require(
            try edit.save([field(2, "milk"), field(3, "two")], to: RecordState(), dots: &dots))
        try oracle.wrote(0, Self.name, first, .edit, past: VersionVector(), by: replica)
        var old = first
        if kind == .takeBack {
            old = try #require(try edit.save([field(2, "junk")], to: first, dots: &dots))
            try oracle.wrote(0, Self.name, old, .edit, past: first.clock, by: replica)
        }
        if kind == .restore {
            old = try #require(try edit.delete(first, dots: &dots))
            try oracle.wrote(0, Self.name, old, .delete, past: first.clock, by: replica)
        }
        var new = old
        switch kind {
        case .edit: new = try #require(try edit.save([field(2, "x")], to: old, dots: &dots))
        case .delete: new = try #require(try edit.delete(old, dots: &dots))
        case .purge: new = try #require(try edit.purge(old, isForced: true, dots: &dots))
        case .restore: new = try #require(try edit.restore(old, dots: &dots))
        case .takeBack: new = try #require(try edit.save([field(2, "milk")], to: old, dots: &dots))
        case .copy: preconditionFailure("a copy is judged against another record")
        case .late, .lateDelete:
            preconditionFailure("a late edit is judged against what its author saw")
        }
        let right = new
        change(edit, old, &new)
        try oracle.wrote(0, Self.name, new, kind, past: old.clock, by: replica)
        #expect(new == right, "nothing was said of a wrong edit")
    }

    @Test(
        "a take-back that writes a value which never was there, or purges, is unsound or has lost writes"
    )
    func inventedTakeBack() throws {
        try Verdict.unsound.expect {
            try wrong(.takeBack) { _, _, new in
                let last = new.writes.count - 1
                new.writes[last].assignments = [field(2, "never there")]
            }
        }
        try Verdict.lostWrite.expect {
            try wrong(.takeBack) { _, _, new in
                let last = new.writes.count - 1
                new.writes[last].assignments = [
                    Assignment(.deleted, .clock(new.clock)), Assignment(.purged, .bool(true)),
                ]
            }
        }
    }

    @Test("a restore that brings back the flag only has lost writes, one that adds some revives")
    func husk() throws {
        try Verdict.lostWrite.expect {
            try wrong(.restore) { _, _, new in
                let last = new.writes.count - 1
                new.writes[last].assignments = [Assignment(.deleted, .null)]
            }
        }
        try Verdict.resurrection.expect {
            try wrong(.restore) { _, _, new in
                let last = new.writes.count - 1
                new.writes[last].assignments.append(self.field(7, "never there"))
            }
        }
        try wrong(.restore) { _, _, _ in }
    }

    @Test("a delete or purge without its mark lets the record come back")
    func noMark() throws {
        for kind in [Simulation.WriteHistory.Kind.delete, .purge] {
            try Verdict.resurrection.expect { try wrong(kind) { _, _, new in new.writes = [] } }
            try wrong(kind) { _, _, _ in }
        }
        try Verdict.resurrection.expect {
            try wrong(.purge) { _, _, new in new.writes[0].assignments.removeLast() }
        }
    }

    @Test("a delete that claims to have seen less revives, one that claims more loses writes")
    func wrongSight() throws {
        let replica = SmallWorld.replica(0)
        try Verdict.resurrection.expect {
            try wrong(.delete) { _, _, new in
                let clock = VersionVector(Dot(replica: replica, counter: 1))
                new.writes[new.writes.count - 1].assignments[0].value = .clock(clock)
            }
        }
        try Verdict.lostWrite.expect {
            try wrong(.delete) { _, _, new in
                let clock = VersionVector(Dot(replica: replica, counter: 7))
                new.writes[new.writes.count - 1].assignments[0].value = .clock(clock)
            }
        }
    }

    @Test("an edit that makes two writes, deletes, or brings in writes of others is unsound")
    func wrongEdit() throws {
        try Verdict.unsound.expect {
            try wrong(.edit) { _, _, new in
                let dot = Dot(replica: SmallWorld.replica(0), counter: 9)
                new.writes.append(
                    Write(dot: dot, timestamp: HybridTimestamp(rawValue: 9), assignments: []))
                new.clock.include(9, of: dot.replica)
            }
        }
        try Verdict.unsound.expect {
            try wrong(.edit) { _, _, new in
                new.writes[1].assignments.insert(Assignment(.deleted, .null), at: 0)
            }
        }
        try Verdict.unsound.expect {
            try wrong(.edit) { _, _, new in new.clock.include(3, of: SmallWorld.replica(1)) }
        }
        try wrong(.edit) { _, _, _ in }
    }
}
