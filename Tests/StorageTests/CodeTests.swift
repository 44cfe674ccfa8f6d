import Core
import Storage
import TestSupport
import Testing

@Suite("Reasons and findings are codes")
struct CodeTests {
    private func connect(_ store: Store, _ world: StoreWorld) throws -> Connection {
        try Connection(
            path: store.paths.database, on: world.environment.disk, creates: false,
            busyMilliseconds: 1000)
    }

    @Test("a store keeps the reason of a new id as a code, and an unknown code is told as such")
    func identity() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try StoreWorld.add("x", to: store)
        try store.backup(to: world.folder + "/b")
        let copy = try world.open("b")
        #expect(try copy.identityChanges().map(\.reason) == [.noIdentityFile])
        let connection = try connect(copy, world)
        #expect(try connection.text("SELECT reason FROM identity_change") == "no-identity-file")
        try connection.execute("UPDATE identity_change SET reason = 'of-tomorrow'")
        #expect(try copy.identityChanges().map(\.reason) == [.unknown])
    }

    @Test("every reason of a new id has a code and words of its own")
    func reasons() {
        let all: [CloneSuspicion] = [
            .noIdentityFile, .otherMachine, .otherFile, .changedWhileClosed, .identityFileReplaced,
            .historyDiffers, .powerCut, .peerKnowsOther, .peerHasOurID, .rescued, .unknown,
        ]
        #expect(Set(all.map(\.rawValue)).count == all.count)
        #expect(Set(all.map(\.description)).count == all.count)
        // A new mode of a file looks the same as a file that was put in its place.
        for reason in [CloneSuspicion.changedWhileClosed, .identityFileReplaced] {
            #expect(reason.description.contains("or its owner or permissions were changed"))
        }
    }

    @Test("a deferred change keeps its reason when the store is opened again")
    func deferred() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try StoreWorld.add("ours", to: store)
        let author = ReplicaID(value: 1 << 100)
        let garbage = Change(
            id: RecordID(value: 5), clock: VersionVector(Dot(replica: author, counter: 1)),
            body: [0xff, 1])
        let write = Write(
            dot: Dot(replica: author, counter: 2), timestamp: .zero,
            assignments: [Assignment(.number(2), .text("theirs"))])
        let record = RecordState(clock: VersionVector(write.dot), writes: [write])
        let elsewhere = Change(
            id: id, clock: record.clock, body: BodyCodec.encode(record, in: .text("elsewhere")))
        let result = try store.integrate([garbage, elsewhere], from: author, checkpoint: nil)
        #expect(result.deferredCount == 2)
        let before = try store.allDeferred()
        #expect(before.last?.reason == .otherCollection)
        guard case .unreadable(let detail)? = before.first?.reason else {
            Issue.record("it was deferred for \(String(describing: before.first?.reason))")
            return
        }
        #expect(!detail.isEmpty)
        store.close()
        #expect(try world.open("a").allDeferred() == before)
    }

    @Test("sums and indexes that do not fit have a repair, which ends the finding")
    func repairs() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        for number in 0..<20 { try StoreWorld.add("\(number)", to: store) }
        let connection = try connect(store, world)
        try connection.execute("UPDATE replica SET checksum = zeroblob(16)")
        connection.close()
        let findings = try store.examine()
        #expect(findings.contains(.digest))
        #expect(findings.contains { if case .checksum = $0 { true } else { false } })
        #expect(findings.allSatisfy { $0.repair == .sums })
        try store.recount()
        #expect(try store.examine() == [])
    }

    @Test("a damaged page has no repair, and neither has a table that is described wrongly")
    func noRepair() {
        #expect(StoreFinding.pages(detail: "Page 3 is never used").repair == nil)
        #expect(StoreFinding.misdescribed(kind: "table", name: "x").repair == nil)
        #expect(StoreFinding.indexes(detail: "row 1 missing from index i").repair == .indexes)
        #expect(StoreFinding.digest.repair == .sums)
    }
}
