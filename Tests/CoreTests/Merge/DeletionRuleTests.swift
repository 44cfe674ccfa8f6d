import Core
import TestSupport
import Testing

@Suite("Deletion")
struct DeletionRuleTests {
    private let title = Field.number(2)
    private let due = Field.number(3)

    private func trio(_ policy: DeletePolicy = .deletesWin) throws -> [Device] {
        var devices = [
            Device(0, policy, at: 9), Device(1, policy, at: 5), Device(2, policy, at: 1),
        ]
        try devices[0].save([Assignment(title, .text("milk")), Assignment(due, .day(1))])
        Device.meet(&devices)
        return devices
    }

    @Test("a delete holds its own dot and all that was seen")
    func deleteHoldsItsClock() throws {
        var devices = try trio()
        try devices[1].delete()
        let clock = VersionVector(
            unsorted: [
                .init(replica: devices[0].replica, counter: 1),
                .init(replica: devices[1].replica, counter: 1),
            ])
        #expect(devices[1].record.visible(.deleted) == .clock(clock))
        #expect(devices[1].record.visible(title) == .text("milk"))
    }

    @Test("a delete against an unseen edit: deleted or alive by the policy, contested in both")
    func deleteAgainstEdit() throws {
        for policy in DeletePolicy.allCases {
            var devices = try trio(policy)
            try devices[0].delete()
            try devices[1].save(due, .day(2))
            Device.meet(&devices)
            #expect(devices[2].verdict.isDeleted == (policy == .deletesWin))
            #expect(devices[2].verdict.isContested)
        }
    }

    @Test("an unseen edit of any kind contests, taking a tag out as well")
    func everyEditContests() throws {
        let tag = Field.element(.number(4), text: "x")
        for assignment in [
            Assignment(title, .text("tea")), Assignment(due, .null), Assignment(tag, .null),
            Assignment(.custom("note"), .text("n")),
        ] {
            var devices = try trio(.editsWin)
            try devices[0].save(tag, .bool(true))
            Device.meet(&devices)
            try devices[0].delete()
            try devices[1].save([assignment])
            Device.meet(&devices)
            #expect(!devices[2].verdict.isDeleted)
        }
    }

    @Test("two deletes never conflict, and together see what neither saw alone")
    func deletesJoin() throws {
        for policy in DeletePolicy.allCases {
            var devices = try trio(policy)
            try devices[0].save(title, .text("x"))
            try devices[1].save(due, .day(2))
            try devices[0].delete()
            try devices[1].delete()
            Device.meet(&devices)
            #expect(devices[2].verdict.isDeleted)
            #expect(!devices[2].verdict.isContested)
        }
    }

    @Test("a contested delete is closed by a new delete or by a restore, everywhere")
    func contestIsClosed() throws {
        for policy in DeletePolicy.allCases {
            for closesByDelete in [true, false] {
                var devices = try trio(policy)
                try devices[0].delete()
                try devices[1].save(due, .day(2))
                Device.meet(&devices)
                let closer = 2
                let wrote =
                    closesByDelete ? try devices[closer].delete() : try devices[closer].restore()
                #expect(wrote)
                Device.meet(&devices)
                for device in devices {
                    #expect(!device.verdict.isContested)
                    #expect(device.verdict.isDeleted == closesByDelete)
                    #expect(device.record.visible(due) == .day(2))
                }
            }
        }
    }

    @Test("a second delete of a record that is deleted writes nothing")
    func secondDeleteIsNothing() throws {
        var devices = try trio()
        #expect(try devices[0].delete())
        #expect(try !devices[0].delete())
    }

    @Test("an unseen edit does not bring back what was purged; an unseen restore does")
    func purgeAgainstEdit() throws {
        for policy in DeletePolicy.allCases {
            var devices = try trio(policy)
            try devices[0].delete()
            Device.meet(&devices)
            try devices[0].purge()
            try devices[1].restore()
            var edited = devices
            #expect(throws: LocalEdit.Refusal.recordDeleted) {
                try edited[2].save(due, .day(2))
            }
            Device.meet(&devices)
            #expect(devices[2].verdict.isContested)
            #expect(devices[2].verdict.isPurged)
            #expect(devices[2].verdict.isDeleted == (policy == .deletesWin))
            #expect(devices[2].record.visible(title) == .text("milk"))
        }
    }

    @Test("a tombstone of one writer is under fifty bytes")
    func tombstoneIsSmall() throws {
        var device = Device(0)
        try device.save(title, .text("milk"))
        try device.delete()
        try device.purge()
        #expect(BodyCodec.encode(device.record, in: .number(1)).count < 50)
        #expect(device.record.writes[0].assignments.map(\.field) == [.deleted, .purged])
    }

    @Test("an edit that was under way when a purge came stays readable and stays dead")
    func editAgainstPurge() throws {
        var devices = try trio(.editsWin)
        try devices[0].purge(isForced: true)
        try devices[1].save(due, .day(7))
        Device.meet(&devices)
        #expect(devices[2].verdict.isDeleted)
        #expect(devices[2].record.visible(due) == .day(7))
        #expect(throws: LocalEdit.Refusal.recordPurged) { try devices[2].restore() }
    }

    @Test("without a delete there is nothing to judge")
    func aliveByDefault() {
        for policy in DeletePolicy.allCases {
            let verdict = DeletionRule(policy).verdict(on: RecordState())
            #expect(!verdict.isDeleted && !verdict.isPurged && !verdict.isContested)
        }
    }
}
