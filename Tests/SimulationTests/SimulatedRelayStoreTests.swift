import Core
import Relay
import RelayTestSupport
import Simulation
import Storage
import Testing

@Suite("The simulated database of relays")
struct SimulatedRelayStoreTests {
    /// A clock that tests set.
    private final class Clock {
        var time: Int64 = 0
    }

    private let clock = Clock()
    private let database: SimulatedDatabase

    init() {
        database = SimulatedDatabase("vault") { [clock] in clock.time }
    }

    /// A relay on the database.
    private func store(_ number: UInt64) -> SimulatedRelayStore {
        var bits = Chance(seed: number, "bits")
        return SimulatedRelayStore(database, limits: RelayLimits()) { bits.next() }
    }

    /// A relay on the database, and a bench that serves the space through it.
    private func bench(_ number: UInt64) throws -> (SimulatedRelayStore, RelayStoreBench) {
        let store = store(number)
        return (store, try RelayStoreBench { _ in store })
    }

    @Test("it keeps each law of a relay's store", arguments: RelayStoreLaw.all)
    func laws(law: RelayStoreLaw) throws {
        var bits = Chance(seed: 1, "bits")
        try law.check { limits in
            SimulatedRelayStore(database, limits: limits) { bits.next() }
        }
    }

    @Test("a transaction is seen from its commit on, and another one waits for its lock")
    func overlapping() throws {
        let ((slow, first), (_, second)) = (try bench(1), try bench(2))
        let key = try first.enter().key
        try first.commit(key, [RelaySamples.change(1, 1, 1)])
        slow.commitMilliseconds = 500
        try first.commit(key, [RelaySamples.change(2, 1, 2)])
        #expect(slow.dequeueElapsed() == 500)
        clock.time = 100
        #expect(try second.store.read(RelayReadRequest(start: 0), of: key).through == 1)
        // Behind the lock it is the next number, of what is seen only once the first commit is.
        #expect(try second.commit(key, [RelaySamples.change(3, 2, 1)]).through == 3)
        #expect((second.store as? SimulatedRelayStore)?.dequeueElapsed() == 400)
        #expect(try second.store.read(RelayReadRequest(start: 0), of: key).through == 1)
        clock.time = 500
        #expect(try second.store.read(RelayReadRequest(start: 0), of: key).through == 3)
        #expect(try second.store.examine(RelayStoreBench.space) == [])
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
