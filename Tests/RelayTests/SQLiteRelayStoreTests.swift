import Core
import Relay
import RelayTestSupport
import Storage
import Testing

@Suite("The store of a relay in SQLite files")
struct SQLiteRelayStoreTests {
    @Test("it keeps each law of a relay's store", arguments: RelayStoreLaw.all)
    func laws(law: RelayStoreLaw) throws {
        let world = RelayWorld()
        try law.check { try world.relayStore(world.folder, $0) }
    }

    @Test("it finds each damage, by its code", arguments: RelayStoreDamage.allCases)
    func damage(damage: RelayStoreDamage) throws {
        let world = RelayWorld()
        try damage.check({ try world.relayStore(world.folder, $0) }, spaces: "meta") { statement in
            let file = try Connection(
                path: SQLiteRelaySpace.path(of: RelayStoreBench.space, in: world.folder),
                on: world.environment.disk, creates: false, busyMilliseconds: 0)
            try file.execute(statement)
            file.close()
        }
    }

    @Test("the laws hold while each use of another space closes the file")
    func fewFiles() throws {
        let world = RelayWorld()
        var limits = RelayLimits()
        limits.openSpaceCountMax = 1
        let bench = try RelayStoreBench { _ in try world.relayStore(world.folder, limits) }
        let key = try bench.enter().head.key
        let other = RelayStoreBench.relayHello(to: SpaceID(value: 9))
        for counter: UInt64 in 1...5 {
            _ = try bench.admit(other) {
                $0 == nil ? .make(generation: 0, verifier: []) : .enter
            }
            try bench.commit(key, [RelayDesk.change(1, 1, counter)])
            #expect(try bench.head().sequence == counter)
            #expect(bench.store.totals.openSpaceCount == 1)
        }
        #expect(try bench.head().key == key)
    }

    @Test("a folder belongs to one store at a time")
    func lock() throws {
        let world = RelayWorld()
        let store = try world.relayStore(world.folder, RelayLimits())
        #expect(throws: StoreFault.inUse(by: .relay([]))) {
            try world.relayStore(world.folder, RelayLimits())
        }
        store.close()
        _ = try world.relayStore(world.folder, RelayLimits())
    }
}
