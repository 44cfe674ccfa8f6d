import Storage
import Testing

@Suite("Taking back the making of a store")
struct UnmakingTests {
    private func unmake(_ world: StoreWorld, _ made: Store, counter: UInt64) throws -> Bool {
        try Store.unmake(
            folder: world.path("a"), replica: made.replica, counter: counter,
            environment: world.environment)
    }

    @Test("a store that nobody has used goes, with all its files")
    func unused() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let counter = try store.summary().counter
        store.close()
        #expect(try unmake(world, store, counter: counter))
        #expect(world.run("ls", "-A", world.path("a")).output == "")
    }

    @Test("one that was written to meanwhile stays, and so does one that is open")
    func used() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let counter = try store.summary().counter
        let other = try world.open("a")
        store.close()
        #expect(try !unmake(world, store, counter: counter))
        try StoreWorld.add("mine", to: other)
        other.close()
        #expect(try !unmake(world, store, counter: counter))
        #expect(try StoreWorld.titles(world.open("a")) == ["mine"])
    }

    @Test("where there is none, nothing is taken away")
    func none() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let counter = try store.summary().counter
        store.close()
        #expect(try unmake(world, store, counter: counter))
        #expect(try !unmake(world, store, counter: counter))
    }
}
