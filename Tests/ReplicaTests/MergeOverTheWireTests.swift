import Core
import Storage
import TestSupport
import Testing

@Suite("Two devices that meet again")
struct MergeOverTheWireTests {
    private static let id = SyncWorld.ids[0]

    /// Two devices that both have one to-do.
    private func pair(_ policy: DeletePolicy = .deletesWin, count: Int = 2) throws -> SyncWorld {
        let world = SyncWorld(seed: 1, policy: policy)
        for _ in 0..<count { try world.makeDevice() }
        try world.save(
            0, Self.id,
            [
                Assignment(.number(2), .text("milk")), Assignment(.number(3), .text("two")),
                Assignment(.element(.number(8), text: "errand"), .bool(true)),
                Assignment(.custom("shop"), .text("corner")),
            ])
        try world.heal()
        return world
    }

    private func title(_ text: String) -> [Assignment] { [Assignment(.number(2), .text(text))] }

    private func stored(_ world: SyncWorld, _ deviceIndex: Int) throws -> Record {
        try #require(try world.store(deviceIndex).record(Self.id))
    }

    @Test("one field edited on both is a conflict on both, and the choice of one ends it on both")
    func sameField() throws {
        let world = try pair()
        try world.save(0, Self.id, title("oat milk"))
        try world.save(1, Self.id, title("soy milk"))
        try world.heal()
        for deviceIndex in 0...1 {
            let conflict = try #require(stored(world, deviceIndex).record.fieldConflicts.first)
            #expect(
                Set(conflict.candidates.map(\.value)) == [.text("oat milk"), .text("soy milk")])
        }
        try world.save(1, Self.id, title("oat milk"), resolves: true)
        try world.heal()
        for deviceIndex in 0...1 {
            #expect(try stored(world, deviceIndex).record.fieldConflicts.isEmpty)
            #expect(try stored(world, deviceIndex)[2] == .text("oat milk"))
        }
    }

    @Test("different fields edited on both are merged without a conflict")
    func differentFields() throws {
        let world = try pair()
        try world.save(0, Self.id, title("oat milk"))
        try world.save(1, Self.id, [Assignment(.custom("shop"), .text("market"))])
        try world.heal()
        for deviceIndex in 0...1 {
            let stored = try stored(world, deviceIndex)
            #expect(stored[2] == .text("oat milk"))
            #expect(stored.record.visible(.custom("shop")) == .text("market"))
            #expect(stored.record.fieldConflicts.isEmpty)
        }
    }

    @Test(
        "a delete against an edit goes by the space's rule, and is listed",
        arguments: [DeletePolicy.deletesWin, .editsWin])
    func deleteAgainstEdit(policy: DeletePolicy) throws {
        let world = try pair(policy)
        try world.delete(0, Self.id)
        try world.save(1, Self.id, title("oat milk"))
        try world.heal()
        for deviceIndex in 0...1 {
            let verdict = try stored(world, deviceIndex).verdict
            #expect(verdict.isDeleted == (policy == .deletesWin))
            #expect(verdict.isContested)
        }
        try world.restore(1, Self.id)
        try world.heal()
        for deviceIndex in 0...1 {
            let stored = try stored(world, deviceIndex)
            #expect(!stored.verdict.isDeleted && !stored.verdict.isContested)
            #expect(stored[2] == .text("oat milk") && stored[3] == .text("two"))
        }
    }

    @Test("tags edited on both: each addition and each removal counts")
    func tags() throws {
        let world = try pair()
        func tag(_ name: String, _ value: Value) -> [Assignment] {
            [Assignment(.element(.number(8), text: name), value)]
        }
        try world.save(0, Self.id, tag("errand", .null))
        try world.save(0, Self.id, tag("home", .bool(true)))
        try world.save(1, Self.id, tag("shop", .bool(true)))
        try world.heal()
        for deviceIndex in 0...1 {
            #expect(try stored(world, deviceIndex).texts(in: 8) == ["home", "shop"])
        }
    }

    @Test("a save on a to-do that another device has deleted is refused, and brings nothing back")
    func staleSave() throws {
        let world = try pair()
        try world.delete(0, Self.id)
        try world.heal()
        #expect(throws: StoreFault.recordDeleted) {
            try world.save(1, Self.id, title("oat milk"))
        }
        try world.heal()
        for deviceIndex in 0...1 { #expect(try stored(world, deviceIndex).verdict.isDeleted) }
    }

    /// The actions of other devices while one restores.
    enum Rival: CaseIterable {
        case purge
        case edit
        case delete
    }

    @Test(
        "a restore brings every field back, whatever two other devices do meanwhile",
        arguments: [DeletePolicy.deletesWin, .editsWin], Rival.allCases)
    func restore(policy: DeletePolicy, first: Rival) throws {
        for second in Rival.allCases {
            let world = try pair(policy, count: 3)
            try world.delete(0, Self.id)
            try world.heal()
            try world.restore(0, Self.id)
            for (deviceIndex, rival) in [(1, first), (2, second)] {
                // A rival that deletes again, or edits, has restored the record first.
                if rival != .purge { try world.restore(deviceIndex, Self.id) }
                switch rival {
                case .purge: try world.purge(deviceIndex, Self.id)
                case .edit: try world.save(deviceIndex, Self.id, title("by \(deviceIndex)"))
                case .delete: try world.delete(deviceIndex, Self.id)
                }
            }
            try world.heal()
            for deviceIndex in 0...2 {
                let verdict = try stored(world, deviceIndex).verdict
                if policy == .editsWin { #expect(!verdict.isDeleted) }
                if [first, second].contains(.purge) { #expect(verdict.isContested) }
            }
            for deviceIndex in 0...2 {
                try world.restore(deviceIndex, Self.id)
                try world.heal()
                let again = try self.stored(world, deviceIndex)
                #expect(!again.verdict.isDeleted)
                #expect(again[3] == .text("two") && again[2] != nil)
                #expect(again.texts(in: 8) == ["errand"])
                #expect(again.record.visible(.custom("shop")) == .text("corner"))
            }
        }
    }
}
