import Core
import Simulation
import TestSupport
import Testing

@Suite("The oracle's verdicts on edits that were acknowledged")
struct OracleEditTests {
    private static let name = RecordName(.number(1), RecordID(value: 5))
    private static let replica = SmallWorld.replica(0)
    private static let other = SmallWorld.replica(1)

    private let oracle = Oracle(policy: .deletesWin)
    private let edit = LocalEdit(policy: .deletesWin, timestamp: HybridTimestamp(rawValue: 9))

    init() {
        for _ in 0..<2 { oracle.addDevice() }
    }

    private func field(_ number: UInt32, _ text: String) -> Assignment {
        Assignment(.number(number), .text(text))
    }

    /// Saves fields in memory, and tells the oracle that a form with other fields was saved.
    @discardableResult
    private func save(
        _ fields: [Assignment], told form: [Assignment], on old: RecordState = RecordState(),
        deviceIndex: Int = 0,
        resolves: Bool = false
    ) throws -> RecordState {
        let replica = deviceIndex == 0 ? Self.replica : Self.other
        var dots = LocalEdit.DotSource(replica: replica, counter: old.clock.counter(of: replica))
        let new = try edit.save(fields, to: old, dots: &dots) ?? old
        try oracle.wrote(
            deviceIndex, Self.name, new, .edit,
            Simulation.WriteHistory.Form(form, resolves: resolves),
            past: old.clock, by: replica)
        return new
    }

    @Test("what was typed and not written is lost, with and without another write")
    func dropped() throws {
        let first = try save([field(2, "milk")], told: [field(2, "milk")])
        try Verdict.lostWrite.expect { try save([], told: [field(2, "oat milk")], on: first) }
        try Verdict.lostWrite.expect {
            try save([field(2, "x")], told: [field(2, "x"), field(3, "two")], on: first)
        }
    }

    @Test("a record that was made and is not there is lost")
    func notMade() throws {
        try Verdict.lostWrite.expect {
            try oracle.wrote(
                0, Self.name, RecordState(), .edit, Simulation.WriteHistory.Form([]),
                past: VersionVector(),
                by: Self.replica)
        }
    }

    @Test("what nobody changed is not written again")
    func superfluous() throws {
        let first = try save([field(2, "milk")], told: [field(2, "milk")])
        try save([], told: [field(2, "milk"), Assignment(.number(7), .null)], on: first)
        try Verdict.unsound.expect {
            try save([field(3, "two")], told: [field(2, "milk")], on: first)
        }
    }

    @Test("a conflict that is resolved with the shown value is written, and a form is not")
    func resolved() throws {
        let first = try save([field(2, "milk")], told: [field(2, "milk")])
        let mine = try save([field(2, "oat milk")], told: [field(2, "oat milk")], on: first)
        let theirs = try save(
            [field(2, "soy milk")], told: [field(2, "soy milk")], on: first, deviceIndex: 1)
        let both = RecordMerge.merged(mine, theirs)
        let shown = try #require(both.visible(.number(2)))
        let form = [Assignment(.number(2), shown)]
        try save([], told: form, on: both)
        try Verdict.lostWrite.expect { try save([], told: form, on: both, resolves: true) }
    }

    @Test("a save that is carried out on a deleted record is a resurrection")
    func staleSave() throws {
        let first = try save([field(2, "milk")], told: [field(2, "milk")])
        var dots = LocalEdit.DotSource(replica: Self.replica, counter: 1)
        let deleted = try #require(try edit.delete(first, dots: &dots))
        try oracle.wrote(0, Self.name, deleted, .delete, past: first.clock, by: Self.replica)
        var saved = deleted
        let dot = dots.next()
        saved.clock.include(dot.counter, of: dot.replica)
        saved.writes.append(
            Write(dot: dot, timestamp: edit.writeTimestamp, assignments: [field(3, "two")]))
        try Verdict.resurrection.expect {
            try oracle.wrote(0, Self.name, saved, .edit, past: deleted.clock, by: Self.replica)
        }
    }

    @Test("a delete, purge or restore that is acknowledged and writes nothing breaks a promise")
    func nothing() throws {
        let first = try save([field(2, "milk")], told: [field(2, "milk")])
        func tell(_ record: RecordState, _ kind: Simulation.WriteHistory.Kind) throws {
            try oracle.wrote(0, Self.name, record, kind, past: record.clock, by: Self.replica)
        }
        try Verdict.resurrection.expect { try tell(first, .delete) }
        try Verdict.resurrection.expect { try tell(first, .purge) }
        try tell(first, .restore)
        var dots = LocalEdit.DotSource(replica: Self.replica, counter: 1)
        let deleted = try #require(try edit.delete(first, dots: &dots))
        try oracle.wrote(0, Self.name, deleted, .delete, past: first.clock, by: Self.replica)
        try tell(deleted, .delete)
        try Verdict.lostWrite.expect { try tell(deleted, .restore) }
        let purged = try #require(try edit.purge(deleted, isForced: false, dots: &dots))
        try oracle.wrote(0, Self.name, purged, .purge, past: deleted.clock, by: Self.replica)
        try tell(purged, .purge)
    }

    @Test("a purged record that is brought back is a resurrection")
    func purgedAgain() throws {
        let first = try save([field(2, "milk")], told: [field(2, "milk")])
        var dots = LocalEdit.DotSource(replica: Self.replica, counter: 1)
        let purged = try #require(try edit.purge(first, isForced: true, dots: &dots))
        try oracle.wrote(0, Self.name, purged, .purge, past: first.clock, by: Self.replica)
        let dot = dots.next()
        var back = purged
        back.clock.include(dot.counter, of: dot.replica)
        back.writes = [
            Write(
                dot: dot, timestamp: edit.writeTimestamp,
                assignments: [Assignment(.deleted, .null), Assignment(.purged, .null)])
        ]
        try Verdict.resurrection.expect {
            try oracle.wrote(0, Self.name, back, .restore, past: purged.clock, by: Self.replica)
        }
    }
}
