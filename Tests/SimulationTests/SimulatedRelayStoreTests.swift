import Core
import Relay
import RelayTestSupport
import Simulation
import Storage
import Testing

@Suite("The simulated database of relays")
struct SimulatedRelayStoreTests {
    /// The later actions of databases, in the order of their times.
    private final class Timeline {
        private var now: Int64 = 0
        private var due: [(time: Int64, body: () -> Void)] = []

        func later(_ milliseconds: Int64, _ body: @escaping () -> Void) {
            due.append((now + milliseconds, body))
        }

        func pass(milliseconds: Int64) {
            let end = now + milliseconds
            while let index = due.indices.filter({ due[$0].time <= end }).min(by: {
                (due[$0].time, $0) < (due[$1].time, $1)
            }) {
                let next = due.remove(at: index)
                now = next.time
                next.body()
            }
            now = end
        }
    }

    private let timeline = Timeline()
    private let database: SimulatedDatabase

    init() {
        database = SimulatedDatabase("vault") { [timeline] in timeline.later($0, $1) }
    }

    /// A relay on the database, and a bench that serves the space through it.
    private func bench(_ number: UInt64) throws -> (SimulatedRelayStore, RelayStoreBench) {
        var bits = Chance(seed: number, "bits")
        let store = SimulatedRelayStore(database, limits: RelayLimits()) { bits.next() }
        return (store, try RelayStoreBench { _ in store })
    }

    @Test("it keeps each law of a relay's store", arguments: RelayStoreLaw.all)
    func laws(law: RelayStoreLaw) throws {
        var bits = Chance(seed: 1, "bits")
        try law.check { limits in
            SimulatedRelayStore(database, limits: limits) { bits.next() }
        }
    }

    /// The outcome of a commit, once there is one.
    private final class Outcome {
        var result: Result<RelayCommit, RelayStoreFault>?

        var through: UInt64? { try? result?.get().through }
    }

    /// Begins to commit one change.
    private func commit(
        _ change: Change, _ key: RelaySpaceKey, to store: SimulatedRelayStore
    ) -> Outcome {
        let outcome = Outcome()
        store.commit([RelayStoreBench.changes([change], from: 1)], to: key) { outcome.result = $0 }
        return outcome
    }

    @Test("a transaction is seen from its commit on, and another one waits for its lock")
    func overlapping() throws {
        let ((slow, first), (quick, second)) = (try bench(1), try bench(2))
        let key = try first.enter().key
        try first.commit(key, [RelaySamples.change(1, 1, 1)])
        (slow.commitMilliseconds, slow.answerMilliseconds) = (500, 100)
        let one = commit(RelaySamples.change(2, 1, 2), key, to: slow)
        timeline.pass(milliseconds: 100)
        let other = commit(RelaySamples.change(3, 2, 1), key, to: quick)
        #expect(one.result == nil && other.result == nil)
        #expect(try second.store.read(RelayReadRequest(start: 0), of: key).through == 1)
        timeline.pass(milliseconds: 400)
        // The second one had to wait for the first, which is not answered yet.
        #expect(one.result == nil && other.through == 3)
        #expect(try second.store.read(RelayReadRequest(start: 0), of: key).through == 3)
        timeline.pass(milliseconds: 100)
        #expect(one.through == 2)
        #expect(try second.store.examine(RelayStoreBench.space) == [])
    }

    @Test("a relay that ends before a commit leaves nothing, and its lock is free")
    func rolledBack() throws {
        let ((slow, first), (quick, second)) = (try bench(1), try bench(2))
        let key = try first.enter().key
        slow.commitMilliseconds = 500
        let one = commit(RelaySamples.change(1, 1, 1), key, to: slow)
        let other = commit(RelaySamples.change(2, 2, 1), key, to: quick)
        slow.close()
        #expect(other.through == 1)
        timeline.pass(milliseconds: 1_000)
        #expect(one.result == nil)
        #expect(try second.store.read(RelayReadRequest(start: 0), of: key).changes.count == 1)
    }

    @Test("what was under way when a standby was promoted fails, whether it was committed or not")
    func broken() throws {
        let (store, first) = try bench(1)
        let key = try first.enter().key
        store.commitMilliseconds = 500
        let open = commit(RelaySamples.change(1, 1, 1), key, to: store)
        database.promote()
        guard case .failure(.failed(.unreachable)) = open.result else {
            Issue.record("it is not told that the server is gone")
            return
        }
        (store.commitMilliseconds, store.answerMilliseconds) = (0, 100)
        let committed = commit(RelaySamples.change(1, 1, 1), try first.head().key, to: store)
        database.promote()
        timeline.pass(milliseconds: 100)
        guard case .failure(.failed(.unreachable)) = committed.result else {
            Issue.record("it is told of a commit by a server that is gone")
            return
        }
        #expect(try first.head().sequence == 1)
    }

    @Test("a store that is to settle commits what is under way")
    func settling() throws {
        let ((slow, first), (quick, _)) = (try bench(1), try bench(2))
        let key = try first.enter().key
        slow.commitMilliseconds = 500
        quick.answerMilliseconds = 500
        let one = commit(RelaySamples.change(1, 1, 1), key, to: slow)
        let other = commit(RelaySamples.change(2, 2, 1), key, to: quick)
        quick.settle()
        #expect(one.through == 1 && other.through == 2)
        timeline.pass(milliseconds: 1_000)
        #expect(try first.head().sequence == 2)
    }

    @Test("a promoted standby lacks what came since it lagged, and gives numbers in a new epoch")
    func promoting() throws {
        let ((_, first), (_, second)) = (try bench(1), try bench(2))
        let key = try first.enter().key
        try first.commit(key, [RelaySamples.change(1, 1, 1)])
        database.keepStandbyBack()
        try first.commit(key, [RelaySamples.change(2, 1, 2)])
        let before = try first.head()
        #expect(database.promote() == 1)
        #expect(throws: RelayStoreFault.replaced) {
            try first.commit(key, [RelaySamples.change(2, 1, 2)])
        }
        let entry = try second.enter()
        #expect(entry.head.sequence == 1 && entry.head.epoch == before.epoch)
        #expect(entry.key != key && entry.key.relay == key.relay)
        let commit = try second.commit(entry.key, [RelaySamples.change(3, 2, 1)])
        #expect(commit.through == 2 && commit.epoch != before.epoch)
        // A device that knows number 2 of the lost epoch reads from its end on.
        #expect(try second.start(key.relay, before.epoch, 2) == 1)
    }

    @Test("a standby that has all loses nothing")
    func promotingWhole() throws {
        let (_, first) = try bench(1)
        let key = try first.enter().key
        try first.commit(key, [RelaySamples.change(1, 1, 1)])
        #expect(database.promote() == 0)
        #expect(try first.head().sequence == 1)
        #expect(try first.head().key.history != key.history)
    }
}
