import Core
import Storage
import Testing

@Suite("Checkpoints of readers outside of the space")
struct OutsideReadingTests {
    /// Where a store is said to go on after a checkpoint that it gave under an id.
    private func start(
        _ store: Store, _ checkpoint: Checkpoint, _ replica: ReplicaID
    ) throws -> UInt64? {
        try store.sequence(ofOutside: checkpoint, of: replica)
    }

    @Test("a copy that takes a new id goes on from what it has of the original's, and from no more")
    func copy() throws {
        let world = StoreWorld()
        var store = try world.create("a")
        let id = try store.summary().replica
        try StoreWorld.add("one", to: store)
        let early = try store.outsideCheckpoint()
        store.close()
        world.run("cp", "-a", world.path("a"), world.path("b"))
        store = try world.open("a")
        try StoreWorld.add("two", to: store)
        let late = try store.outsideCheckpoint()
        var copy = try world.open("b")
        #expect(copy.suspicion == .otherFile)
        let other = try copy.summary().replica
        #expect(other != id)
        for _ in 0..<5 {
            #expect(try start(copy, early, id) == early.sequence)
            #expect(try start(copy, late, id) == nil)
            #expect(try start(copy, early, other) == nil)
            #expect(try start(copy, early, ReplicaID(value: 99)) == nil)
            try StoreWorld.add("there", to: copy)
        }
        var told = try copy.outsideCheckpoint()
        #expect(try start(copy, told, other) == told.sequence)
        #expect(try start(store, told, other) == nil)
        #expect(try start(store, early, id) == early.sequence)
        #expect(try start(store, late, id) == late.sequence)
        // As many openings later as are remembered, it is not known any more how much of the original's the copy has.
        for number in 0..<(Store.epochCountMax + 2) {
            copy.close()
            copy = try world.open("b")
            try StoreWorld.add("\(number)", to: copy)
            told = try copy.outsideCheckpoint()
        }
        #expect(try start(copy, early, id) == nil)
        #expect(try start(copy, late, id) == nil)
        #expect(try start(copy, told, other) == told.sequence)
    }

    // Goal: no number that was given is given once more after a restore, whether the clone detector sees that or not.
    // Method: the copy that is put back has an opening of which nobody had heard when it was made.
    @Test(
        "a store that is set back goes on from what it was then, and from nothing that it lost",
        arguments: [true, false])
    func restore(isToldBefore: Bool) throws {
        let world = StoreWorld()
        var store = try world.create("a")
        let id = try store.summary().replica
        let early = isToldBefore ? try store.outsideCheckpoint() : nil
        try StoreWorld.add("one", to: store)
        store.close()
        world.run("cp", "-a", world.path("a"), world.path("backup"))
        store = try world.open("a")
        try StoreWorld.add("two", to: store)
        let late = try store.outsideCheckpoint()
        store.close()
        for suspects in [true, false] {
            world.run("rm", "-rf", world.path("a"))
            // Moved to its place the very files come back, in which the clone detector sees nothing strange.
            world.run("cp", "-a", world.path("backup"), world.path("again"))
            world.run(
                suspects ? "cp" : "mv", suspects ? "-a" : "-f", world.path("backup"),
                world.path("a"))
            store = try world.open("a")
            for _ in 0..<5 {
                try StoreWorld.add("after", to: store)
                #expect(try start(store, late, id) == nil)
                if let early { #expect(try start(store, early, id) == early.sequence) }
            }
            store.close()
            world.run("rm", "-rf", world.path("backup"))
            world.run("mv", world.path("again"), world.path("backup"))
        }
    }

    @Test("what is told outside is on the disk, local metadata as well, by one flush for all of it")
    func flush() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try store.flushForOutside()
        let before = store.flushCount
        try store.flushForOutside()
        #expect(store.flushCount == before)
        for number in 0..<3 { try StoreWorld.add("\(number)", to: store) }
        try store.flushForOutside()
        #expect(store.flushCount == before + 1)
        // No record changes by this.
        try store.edit { transaction throws(StoreFault) in
            try transaction.setLocalMetadata([1], named: "a", in: "told")
        }
        try store.flushForOutside()
        #expect(store.flushCount == before + 2)
        // What another opening committed is told as soon as it is read.
        let other = try world.open("a")
        try other.edit { transaction throws(StoreFault) in
            try transaction.setLocalMetadata([2], named: "a", in: "told")
        }
        #expect(try store.summary().counter > 0)
        try store.flushForOutside()
        try store.flushForOutside()
        #expect(store.flushCount == before + 3)
    }

    @Test("a store that flushes at every commit flushes nothing again before it tells of it")
    func full() throws {
        var options = StoreOptions()
        options.durability = .full
        let store = try StoreWorld().create("a", options: options)
        try StoreWorld.add("1", to: store)
        let before = store.flushCount
        try store.flushForOutside()
        #expect(store.flushCount == before)
    }
}
