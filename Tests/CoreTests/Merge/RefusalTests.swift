import Core
import Testing

@Suite("Refused edits")
struct RefusalTests {
    private let title = Field.number(2)

    private func device() throws -> Device {
        var device = Device(0)
        try device.save(title, .text("milk"))
        return device
    }

    @Test("recordDeleted: a stale save on a deleted record is refused")
    func staleSave() throws {
        var device = try device()
        try device.delete()
        let before = device.record
        #expect(throws: LocalEdit.Refusal.recordDeleted) { try device.save(title, .text("x")) }
        #expect(device.record == before)
    }

    @Test("recordDeleted: a resolution on a deleted record is refused, too")
    func staleResolution() throws {
        var device = try device()
        try device.delete()
        #expect(throws: LocalEdit.Refusal.recordDeleted) {
            try device.save(title, .text("milk"), resolves: true)
        }
    }

    @Test("recordPurged: what was purged and restored by nobody cannot be restored")
    func restoreOfPurged() throws {
        var device = try device()
        try device.delete()
        try device.purge()
        #expect(throws: LocalEdit.Refusal.recordPurged) { try device.restore() }
    }

    @Test("conflictOpen: a purge with an open conflict is refused unless forced")
    func purgeOverConflict() throws {
        var (a, b) = (try device(), Device(1))
        b.take(a)
        try a.save(title, .text("x"))
        try b.save(title, .text("y"))
        a.take(b)
        try a.delete()
        #expect(throws: LocalEdit.Refusal.conflictOpen) { try a.purge() }
        #expect(try a.purge(isForced: true))
        #expect(a.record.survivors(of: title).isEmpty)
    }

    @Test("conflictOpen: a purge of a contested delete is refused unless forced")
    func purgeOverContest() throws {
        var (a, b) = (try device(), Device(1))
        b.take(a)
        try a.delete()
        try b.save(title, .text("y"))
        a.take(b)
        #expect(throws: LocalEdit.Refusal.conflictOpen) { try a.purge() }
    }

    @Test("notDeleted: what is alive is purged only by force")
    func purgeOfLive() throws {
        var device = try device()
        #expect(throws: LocalEdit.Refusal.notDeleted) { try device.purge() }
        #expect(try device.purge(isForced: true))
        #expect(device.verdict.isDeleted)
    }

    @Test("noSuchRecord: nothing can be deleted, purged or restored that nobody has written")
    func nothingThere() {
        var device = Device(0)
        #expect(throws: LocalEdit.Refusal.noSuchRecord) { try device.delete() }
        #expect(throws: LocalEdit.Refusal.noSuchRecord) { try device.purge(isForced: true) }
        #expect(throws: LocalEdit.Refusal.noSuchRecord) { try device.restore() }
    }

    @Test("a second purge and a restore of what is alive write nothing")
    func nothingToDo() throws {
        var device = try device()
        #expect(try !device.restore())
        try device.delete()
        #expect(try device.purge())
        #expect(try !device.purge())
    }
}
