import Core
import TestSupport
import Testing

@Suite("Restore")
struct RestoreTests {
    private let title = Field.number(2)
    private let due = Field.number(3)
    private let tag = Field.element(.number(4), text: "x")

    private func deletedEverywhere(_ policy: DeletePolicy) throws -> [Device] {
        var devices = [Device(0, policy), Device(1, policy), Device(2, policy)]
        try devices[0].save([
            Assignment(title, .text("milk")), Assignment(due, .day(1)),
            Assignment(tag, .bool(true)),
            Assignment(.custom("note"), .text("n")),
        ])
        Device.meet(&devices)
        try devices[0].delete()
        Device.meet(&devices)
        return devices
    }

    private enum Step: CaseIterable {
        case restore, purge, edit, delete
    }

    /// One step, if the record is in a state that lets a person take it.
    private func take(_ step: Step, _ device: inout Device) {
        switch step {
        case .restore: _ = try? device.restore()
        case .purge: _ = try? device.purge(isForced: true)
        case .edit: _ = try? device.save(due, .day(Int32(10 + device.index)))
        case .delete: _ = try? device.delete()
        }
    }

    // Goal: restored values are there, whatever two others do at the same time.
    // Method: all programs of up to three steps on each of two other devices.
    @Test("a restore brings back every field against anything done at the same time")
    func restoreIsWhole() throws {
        let programs = programs(of: 3)
        for policy in DeletePolicy.allCases {
            let start = try deletedEverywhere(policy)
            let before = start[0].record
            for first in programs {
                for second in programs {
                    var devices = start
                    try devices[0].restore()
                    for step in first { take(step, &devices[1]) }
                    for step in second { take(step, &devices[2]) }
                    Device.meet(&devices)
                    check(devices[0], before, "\(policy) \(first) \(second)")
                }
            }
        }
    }

    private func programs(of length: Int) -> [[Step]] {
        (0..<length).reduce([[]]) { programs, _ in
            programs
                + programs.filter { $0.count == (programs.last?.count ?? 0) }
                .flatMap { program in Step.allCases.map { program + [$0] } }
        }
    }

    private func check(_ device: Device, _ before: RecordState, _ program: String) {
        for field in before.fields where field != .deleted {
            let values = device.record.candidates(of: field).map(\.value)
            #expect(values.contains(before.visible(field) ?? .null), "\(program): \(field)")
        }
        // In `edits-win` the restore has the last word; in the other it is at least listed.
        if device.policy == .editsWin { #expect(!device.verdict.isDeleted, "\(program)") }
        if device.verdict.isDeleted {
            #expect(device.verdict.isContested, "\(program)")
            var restored = device
            _ = try? restored.restore()
            #expect(!restored.verdict.isDeleted, "\(program)")
            for field in before.fields where field != .deleted {
                #expect(restored.record.visible(field) == device.record.visible(field))
            }
        }
    }

    @Test("a field in conflict is restored once per value, and the shown value is still shown")
    func conflictIsRestored() throws {
        var devices = [Device(0), Device(1), Device(2)]
        try devices[0].save([Assignment(title, .text("milk")), Assignment(due, .day(1))])
        Device.meet(&devices)
        try devices[0].save(title, .text("x"))
        try devices[1].save(title, .text("y"))
        try devices[2].save(title, .text("z"))
        Device.meet(&devices)
        let shown = devices[0].record.candidates(of: title).map(\.value)
        try devices[2].delete()
        let counter = devices[2].counter
        #expect(try devices[2].restore())
        #expect(devices[2].counter == counter + 3)
        #expect(devices[2].record.candidates(of: title).map(\.value) == shown)
        #expect(devices[2].record.visible(due) == .day(1))
        #expect(devices[2].record.isWellFormed)
    }

    @Test("a restored record and its purge made at the same time end as a contest, not as a husk")
    func restoreAgainstPurge() throws {
        for policy in DeletePolicy.allCases {
            var devices = try deletedEverywhere(policy)
            try devices[0].restore()
            try devices[1].purge()
            Device.meet(&devices)
            #expect(devices[2].verdict.isContested)
            #expect(devices[2].record.visible(tag) == .bool(true))
            #expect(try devices[2].restore())
            #expect(!devices[2].verdict.isDeleted)
            #expect(!devices[2].verdict.isPurged)
        }
    }

    @Test("a delete that is taken back stands against no edit made meanwhile; a restore does")
    func takenBack() throws {
        for policy in DeletePolicy.allCases {
            for isRestore in [false, true] {
                var devices = [Device(0, policy), Device(1, policy), Device(2, policy)]
                try devices[0].save([Assignment(title, .text("milk")), Assignment(due, .day(1))])
                Device.meet(&devices)
                try devices[0].delete()
                try devices[1].save(title, .text("oat milk"))
                #expect(
                    try isRestore ? devices[0].restore() : devices[0].takeBackDelete())
                #expect(!devices[0].verdict.isDeleted)
                Device.meet(&devices)
                for device in devices {
                    #expect(!device.verdict.isDeleted && !device.verdict.isContested)
                    #expect(device.record == devices[0].record)
                    #expect(device.record.visible(due) == .day(1))
                    #expect(device.record.fieldConflicts.map(\.field) == (isRestore ? [title] : []))
                }
            }
        }
    }

    @Test(
        "a delete that is taken back is gone where it was heard of after all; others' deletes stay")
    func takenBackAfterAll() throws {
        for policy in DeletePolicy.allCases {
            var devices = [Device(0, policy), Device(1, policy)]
            try devices[0].save(title, .text("milk"))
            Device.meet(&devices)
            try devices[0].delete()
            Device.meet(&devices)
            #expect(try devices[0].takeBackDelete())
            Device.meet(&devices)
            #expect(devices.allSatisfy { !$0.verdict.isDeleted })
            #expect(devices[0].record == devices[1].record)
            try devices[1].delete()
            Device.meet(&devices)
            #expect(try !devices[0].takeBackDelete())
            #expect(devices[0].verdict.isDeleted)
        }
    }
}
