import Core
import Storage
import TestSupport
import Testing

@Suite("Merging through the store")
struct ConvergenceTests {
    /// Three stores and random edits of them; a copy of every record is merged in memory.
    private struct Program {
        let world: StoreWorld
        let stores: [Store]
        let policy: DeletePolicy
        var chance: RecordMaker
        var names: [RecordName] = []
        let collections: [CollectionID] = [.number(1), .number(1), .number(77), .text("future")]

        init(seed: UInt64, policy: DeletePolicy) throws {
            world = StoreWorld(seed: seed)
            stores = try [
                world.create("a", policy: policy), world.create("b", policy: policy),
                world.create("c", policy: policy),
            ]
            self.policy = policy
            chance = RecordMaker(seed: seed)
        }

        mutating func step() throws {
            let store = stores[chance.below(3)]
            switch chance.below(12) {
            case 0...2: try insert(store)
            case 3: try upsert(store)
            case 4...8: try touch(store)
            default:
                let other = stores[chance.below(3)]
                if other === store { return }
                let result = try StoreWorld.pull(store, from: other)
                #expect(!result.isWithheld && !result.isDiverged)
                #expect(
                    try store.greeting(to: nil).stateSummary.knowledge.covers(
                        other.greeting(to: nil).stateSummary.knowledge))
            }
            #expect(try store.examine() == [])
        }

        private mutating func insert(_ store: Store) throws {
            let (collection, assignments) = (chance.pick(collections), chance.assignments())
            // Now and then under an id that is in use in another collection.
            var id: RecordID?
            if !names.isEmpty, chance.once(in: 3) {
                let name = RecordName(collection, chance.pick(names).id)
                if names.contains(name) { return }
                id = name.id
            }
            let made = try store.write { try $0.insert(assignments, into: collection, id: id) }
            names.append(RecordName(collection, made))
        }

        private mutating func upsert(_ store: Store) throws {
            var items: [UpsertItem] = []
            for _ in 0..<3 {
                let key = "key \(chance.below(6))"
                let id = Store.derivedID(.number(1), key: key)
                let name = RecordName(.number(1), id)
                if !names.contains(name) { names.append(name) }
                items.append(UpsertItem(id: id, chance.assignments(upTo: 3)))
            }
            let revives = chance.once(in: 2)
            _ = try store.write { try $0.upsert(items, into: .number(1), revives: revives) }
        }

        /// One or more edits of known records in one transaction; refusals are part of the game.
        private mutating func touch(_ store: Store) throws {
            guard !names.isEmpty else { return }
            for _ in 0...chance.below(2) {
                let name = chance.pick(names)
                let (kind, assignments) = (chance.below(8), chance.assignments(upTo: 3))
                let isForced = chance.once(in: 3)
                do {
                    try store.write { transaction in
                        switch kind {
                        case 0: try transaction.delete(name)
                        case 1: try transaction.restore(name)
                        case 2: try transaction.purge(name, isForced: isForced)
                        case 3: try transaction.update(name, assignments, resolves: true)
                        default: try transaction.update(name, assignments)
                        }
                    }
                } catch StoreFault.noSuchRecord, StoreFault.recordDeleted, StoreFault.recordPurged,
                    StoreFault.conflictOpen, StoreFault.notDeleted
                {
                    continue
                }
            }
        }
    }

    @Test(
        "three stores that edit at random and pull at random are equal in the end",
        arguments: 1...12)
    func random(seed: UInt64) throws {
        var program = try Program(seed: seed, policy: seed % 2 == 0 ? .deletesWin : .editsWin)
        for _ in 0..<60 { try program.step() }
        // The results of merging the three states of each record in memory.
        var merged: [RecordName: RecordState] = [:]
        for name in program.names {
            let states = try program.stores.compactMap { try $0.record(name)?.record }
            merged[name] = states.reduce(RecordState(), RecordMerge.merged)
        }
        try StoreWorld.mingle(program.stores)
        try StoreWorld.expectEqual(program.stores)
        for (name, record) in merged {
            for store in program.stores { #expect(try store.record(name)?.record == record) }
        }
        for store in program.stores { #expect(try store.allDeferred().isEmpty) }
    }

    @Test("a random record comes out of its row as it went in", arguments: 1...20)
    func rows(seed: UInt64) throws {
        let world = StoreWorld(seed: seed)
        let store = try world.create("a")
        var chance = RecordMaker(seed: seed)
        var made: [RecordName: RecordState] = [:]
        var changes: [Change] = []
        for number in 1...30 {
            let record = chance.record()
            let collection: CollectionID = chance.pick([.number(1), .number(1), .text("x")])
            let name = RecordName(collection, RecordID(value: UInt128(number / 2) << 90))
            if made[name] != nil { continue }
            made[name] = record
            changes.append(
                Change(
                    name, clock: record.clock, body: BodyCodec.encode(record, in: collection)))
        }
        let peer = ReplicaID(value: 3)
        let result = try store.integrate(changes, from: peer, checkpoint: nil)
        #expect(result.deferredCount == 0)
        for (name, record) in made { #expect(try store.record(name)?.record == record) }
        #expect(try store.examine() == [])
        // Sent on, the same bytes leave again.
        let reading = try store.read(from: .sequence(0), peerHas: PeerHoldings())
        for change in changes { #expect(reading.changes.contains(change)) }
        store.close()
        let again = try world.open("a")
        for (name, record) in made { #expect(try again.record(name)?.record == record) }
    }
}
