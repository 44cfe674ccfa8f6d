import Core
import TestSupport
import Testing

@Suite("Values written while apart from a purge")
struct PurgeRuleTests {
    private let title = Field.number(2)
    private let due = Field.number(3)
    private let tag = Field.element(.number(4), text: "x")
    private let name = RecordName(.number(1), RecordID(value: 7))

    /// Three devices that met after the first purged a record that the second, then the third edited.
    private func devices(_ policy: DeletePolicy) throws -> [Device] {
        var devices = [
            Device(0, policy, at: 9), Device(1, policy, at: 5), Device(2, policy, at: 3),
        ]
        try devices[0].save([Assignment(title, .text("milk")), Assignment(due, .day(1))])
        Device.meet(&devices)
        try devices[0].purge(isForced: true)
        try devices[1].save([Assignment(title, .text("oat")), Assignment(tag, .bool(true))])
        try devices[2].save([Assignment(title, .text("soy")), Assignment(due, .null)])
        Device.meet(&devices)
        return devices
    }

    private func copied(_ device: Device) -> RecordState? {
        let edit = LocalEdit(policy: device.policy, timestamp: device.timestamp)
        var dots = LocalEdit.DotSource(replica: device.replica, counter: device.counter)
        return edit.copy(of: device.record, dots: &dots)
    }

    @Test(
        "an unseen edit of a purged record is told, in both policies",
        arguments: DeletePolicy.allCases)
    func standing(policy: DeletePolicy) throws {
        for device in try devices(policy) {
            #expect(device.verdict.standing == .editedAfterPurge)
            #expect(!device.verdict.isContested)
        }
    }

    @Test("an unseen edit that only cleared a field leaves nothing to tell")
    func nullOnly() throws {
        var devices = [Device(0, at: 9), Device(1, at: 5)]
        try devices[0].save([Assignment(title, .text("milk")), Assignment(due, .day(1))])
        Device.meet(&devices)
        try devices[0].purge(isForced: true)
        try devices[1].save(due, .null)
        Device.meet(&devices)
        #expect(devices[1].verdict.standing == .purged)
    }

    @Test("a purge is refused while they are kept, and lets go of them if it is forced")
    func lettingGo() throws {
        var devices = try devices(.deletesWin)
        #expect(throws: LocalEdit.Refusal.conflictOpen) { try devices[1].purge() }
        #expect(throws: LocalEdit.Refusal.recordPurged) { try devices[1].restore() }
        #expect(throws: LocalEdit.Refusal.recordPurged) { try devices[1].save(due, .day(3)) }
        #expect(try devices[1].purge(isForced: true))
        Device.meet(&devices)
        for device in devices { #expect(device.verdict.standing == .purged) }
    }

    @Test(
        "a copy has every value, and the copies of two devices make one record without a new conflict"
    )
    func copies() throws {
        let devices = try devices(.editsWin)
        let copies = devices.compactMap(copied)
        let ids = devices.map { name.copy(of: $0.record) }
        #expect(Set(ids).count == 1)
        #expect(copies[1].candidates(of: title).map(\.value) == [.text("oat"), .text("soy")])
        let merged = RecordMerge.merged(RecordMerge.merged(copies[0], copies[1]), copies[2])
        #expect(merged.candidates(of: title).map(\.value) == [.text("oat"), .text("soy")])
        #expect(merged.fieldConflicts.map(\.field) == [title])
        #expect(merged.elements(of: .number(4)) == [.text("x")])
        #expect(merged.visible(due) == nil)
    }

    @Test("other writes, another record or another collection give the copy another id")
    func copyIDs() throws {
        let record = try devices(.deletesWin)[0].record
        var fewer = record
        fewer.writes.removeAll { $0.dot.replica == SmallWorld.replica(2) }
        let other = RecordName(.number(2), name.id)
        let ids: Set<RecordID> = [
            name.copy(of: record).id, name.copy(of: fewer).id, other.copy(of: record).id,
            RecordName(.number(1), RecordID(value: 8)).copy(of: record).id,
            name.successor(1).id, name.successor(2).id, other.successor(1).id,
        ]
        #expect(ids.count == 7)
        #expect(name.successor(0) == name)
    }
}
