import Core
import Testing

@Suite("Field conflicts")
struct FieldConflictTests {
    private let title = Field.number(2)

    private func pair() throws -> (Device, Device) {
        var (a, b) = (Device(0, at: 5), Device(1, at: 3))
        try a.save(title, .text("milk"))
        b.take(a)
        return (a, b)
    }

    @Test("different values stand side by side, with their authors, the later one shown")
    func valuesStandSideBySide() throws {
        var (a, b) = try pair()
        try a.save(title, .text("oat milk"))
        try b.save(title, .text("soy milk"))
        a.take(b)
        let conflict = try #require(a.record.fieldConflicts.first)
        #expect(conflict.candidates.map(\.value) == [.text("oat milk"), .text("soy milk")])
        #expect(conflict.candidates.map(\.dot.replica) == [a.replica, b.replica])
        #expect(a.record.visible(title) == .text("oat milk"))
    }

    @Test("equal values never conflict")
    func equalValuesAgree() throws {
        var (a, b) = try pair()
        try a.save(title, .text("tea"))
        try b.save(title, .text("tea"))
        a.take(b)
        #expect(a.record.fieldConflicts.isEmpty)
        #expect(a.record.survivors(of: title).count == 2)
        #expect(try !a.save(title, .text("tea"), resolves: true))
    }

    @Test("text is compared by its bytes: two forms of one letter conflict")
    func textIsNotFolded() throws {
        var (a, b) = try pair()
        try a.save(title, .text("caf\u{e9}"))
        try b.save(title, .text("cafe\u{301}"))
        a.take(b)
        #expect(a.record.fieldConflicts.count == 1)
    }

    @Test("two devices that resolve alike do not conflict again")
    func resolvingAlikeAgrees() throws {
        var (a, b) = try pair()
        try a.save(title, .text("x"))
        try b.save(title, .text("y"))
        a.take(b)
        b.take(a)
        #expect(try a.save(title, .text("y"), resolves: true))
        #expect(try b.save(title, .text("y"), resolves: true))
        a.take(b)
        b.take(a)
        #expect(a.record == b.record)
        #expect(a.record.fieldConflicts.isEmpty)
        #expect(a.record.visible(title) == .text("y"))
    }

    @Test(
        "resolving to either value, or to a third, closes the conflict everywhere", arguments: 0..<3
    )
    func resolvingCloses(choice: Int) throws {
        let chosen: Value = [.text("x"), .text("y"), .text("z")][choice]
        for resolver in 0..<3 {
            var devices = [Device(0), Device(1), Device(2)]
            try devices[0].save(title, .text("milk"))
            Device.meet(&devices)
            try devices[0].save(title, .text("x"))
            try devices[1].save(title, .text("y"))
            Device.meet(&devices)
            #expect(try devices[resolver].save(title, chosen, resolves: true))
            Device.meet(&devices)
            for device in devices {
                #expect(device.record.fieldConflicts.isEmpty)
                #expect(device.record.visible(title) == chosen)
            }
        }
    }

    @Test("a form saved with the shown values writes nothing and closes no conflict")
    func savedFormWritesNothing() throws {
        var (a, b) = try pair()
        try a.save(title, .text("x"))
        try b.save(title, .text("y"))
        a.take(b)
        let before = a.record
        #expect(try !a.save([Assignment(title, .text("x")), Assignment(.number(9), .null)]))
        #expect(a.record == before)
        #expect(a.record.fieldConflicts.count == 1)
    }

    @Test("a field that was never set is null already")
    func nullIsUnset() throws {
        var a = Device(0)
        #expect(try !a.save(title, .null))
        #expect(a.record.isEmpty)
        #expect(try a.save(title, .text("x")))
        #expect(try a.save(title, .null))
        #expect(a.record.visible(title) == .null)
    }

    @Test("an element added here and removed there is decided, not listed")
    func elementsAreDecided() throws {
        let tag = Field.element(.number(4), text: "home")
        var (a, b) = try pair()
        try a.save(tag, .bool(true))
        b.take(a)
        try b.save(tag, .null)
        try a.save(tag, .bool(true), resolves: true)
        try a.save(tag, .null)
        try a.save(tag, .bool(true))
        a.take(b)
        #expect(a.record.fieldConflicts.isEmpty)
        #expect(a.record.elements(of: .number(4)) == [.text("home")])
    }

    @Test("removing takes away the elements that were seen, and no others")
    func unseenElementsStay() throws {
        let (home, work) = (
            Field.element(.number(4), text: "home"), Field.element(.number(4), text: "work")
        )
        var (a, b) = try pair()
        try a.save(home, .bool(true))
        b.take(a)
        try b.save(home, .null)
        try a.save(work, .bool(true))
        a.take(b)
        #expect(a.record.elements(of: .number(4)) == [.text("work")])
    }

    @Test("of two assignments to one field in one save the last counts")
    func lastAssignmentCounts() throws {
        var a = Device(0)
        try a.save([Assignment(title, .text("x")), Assignment(title, .text("y"))])
        #expect(a.record.isWellFormed)
        #expect(a.record.visible(title) == .text("y"))
    }
}
