import Core
import Storage
import TestSupport
import Testing

@Suite("Taking back what a device did")
struct TakeBackTests {
    private static let key = [UInt8](repeating: 7, count: 32)

    /// An owner, a thief and a member, in sync.
    private struct Space {
        let world = StoreWorld()
        let owner: Store
        let thief: Store
        let member: Store
        let ids: [RecordID]

        init(
            _ titles: [String], policy: DeletePolicy = .deletesWin,
            options: StoreOptions = StoreOptions()
        ) throws {
            owner = try world.create("owner", policy: policy, options: options)
            thief = try world.create("thief", policy: policy)
            member = try world.create("member", policy: policy)
            let stores = [owner, thief, member]
            let first = owner
            ids = try titles.map { try StoreWorld.add($0, to: first) }
            try StoreWorld.mingle(stores)
        }

        var authors: Set<ReplicaID> { [thief.replica] }

        @discardableResult
        func takeBack(on store: Store? = nil) throws -> TakenBack {
            try (store ?? owner).takeBack(authors, of: key)
        }
    }

    private func title(_ id: RecordID, in store: Store) throws -> Value? {
        try store.record(id)?.record.visible(.number(2))
    }

    @Test(
        "rewritten, deleted and created records are as before everywhere, and later edits of others stay"
    )
    func everything() throws {
        let space = try Space(["one", "two", "three", "four"])
        let (owner, thief, member) = (space.owner, space.thief, space.member)
        for (number, id) in space.ids.enumerated() {
            try StoreWorld.rename(id, "junk \(number)", in: thief)
        }
        for id in space.ids[1...2] { try thief.write { _ = try $0.delete(id) } }
        try StoreWorld.add("junk", to: thief)
        let edited = try StoreWorld.add("junk that somebody uses", to: thief)
        try StoreWorld.mingle([owner, thief, member])
        try StoreWorld.rename(space.ids[3], "the member's", in: member)
        try member.write { _ = try $0.update(edited, [Assignment(.number(3), .text("mine"))]) }
        try StoreWorld.mingle([owner, member])
        let before = try owner.summary().digest
        let told = try owner.rehearseTakeBack(space.authors, of: Self.key)
        #expect(try owner.summary().digest == before)
        let taken = try space.takeBack()
        #expect(told == taken)
        #expect(taken.restoredCount == 2 && taken.deletedCount == 1)
        #expect(taken.fieldCount == 3 && taken.keptCount == 2 && taken.losses.isEmpty)
        try StoreWorld.mingle([owner, member])
        for store in [owner, member] {
            #expect(
                try StoreWorld.titles(store)
                    == ["junk that somebody uses", "one", "the member's", "three", "two"])
            #expect(try store.count(FetchRequest(StoreWorld.todo, scope: .conflicted)) == 0)
        }
        try StoreWorld.expectEqual([owner, member])
        #expect(try space.takeBack().isEmpty)
    }

    @Test(
        "a value that another device wrote apart from the device's is left, and ends the conflict")
    func conflicts() throws {
        let space = try Space(["one", "two"])
        let (owner, thief, member) = (space.owner, space.thief, space.member)
        for id in space.ids { try StoreWorld.rename(id, "junk", in: thief) }
        try StoreWorld.rename(space.ids[0], "the member's", in: member)
        try StoreWorld.rename(space.ids[1], "the member's", in: member)
        try StoreWorld.rename(space.ids[1], "the owner's", in: owner)
        try StoreWorld.mingle([owner, thief, member])
        #expect(try space.takeBack().fieldCount == 2)
        try StoreWorld.mingle([owner, member])
        for store in [owner, member] {
            #expect(try title(space.ids[0], in: store) == .text("the member's"))
            let second = try #require(try store.record(space.ids[1])).record
            let values = Set(second.candidates(of: .number(2)).map(\.value))
            #expect(values == [.text("the member's"), .text("the owner's")])
        }
    }

    @Test("who brings a record back edits nothing: the values of the device are as before")
    func broughtBack() throws {
        let space = try Space(["one", "two"])
        let (owner, thief, member) = (space.owner, space.thief, space.member)
        for id in space.ids {
            try StoreWorld.rename(id, "junk", in: thief)
            try thief.write { _ = try $0.delete(id) }
        }
        try StoreWorld.mingle([owner, thief, member])
        try owner.write { _ = try $0.restore(space.ids[0]) }
        try StoreWorld.mingle([owner, member])
        // An edit by somebody after that is one, and stays.
        try member.write { _ = try $0.restore(space.ids[1]) }
        try StoreWorld.rename(space.ids[1], "the member's", in: member)
        try StoreWorld.mingle([owner, member])
        let taken = try space.takeBack()
        #expect(taken.fieldCount == 1 && taken.keptCount == 1)
        #expect(try StoreWorld.titles(owner) == ["one", "the member's"])
        try StoreWorld.mingle([owner, member])
        try StoreWorld.expectEqual([owner, member])
        #expect(try space.takeBack().isEmpty)
    }

    @Test("elements of sets, cleared fields, and values written twice are as before")
    func fields() throws {
        let space = try Space(["one"])
        let (owner, thief) = (space.owner, space.thief)
        let id = space.ids[0]
        func tag(_ text: String) -> Field { .element(.number(8), text: text) }
        try owner.write {
            _ = try $0.update(
                id, [Assignment(.number(3), .text("notes")), Assignment(tag("home"), .bool(true))])
        }
        try StoreWorld.mingle([owner, thief])
        try thief.write {
            _ = try $0.update(
                id,
                [
                    Assignment(.number(2), .text("first")), Assignment(.number(3), .null),
                    Assignment(.number(4), .text("new")), Assignment(tag("home"), .null),
                    Assignment(tag("junk"), .bool(true)),
                ])
        }
        try StoreWorld.mingle([owner, thief])
        try StoreWorld.rename(id, "second", in: thief)
        try StoreWorld.mingle([owner, thief])
        #expect(try space.takeBack().fieldCount == 5)
        let record = try #require(try owner.record(id)).record
        #expect(record.visible(.number(2)) == .text("one"))
        #expect(record.visible(.number(3)) == .text("notes"))
        #expect(record.visible(.number(4)) == .null)
        #expect(record.elements(of: .number(8)) == [.text("home")])
    }

    @Test("a delete by another device stays, and a restore by the device is undone")
    func deletes() throws {
        let space = try Space(["one", "two", "three"])
        let (owner, thief, member) = (space.owner, space.thief, space.member)
        let ids = space.ids
        try thief.write { _ = try $0.delete(ids[0]) }
        try member.write { _ = try $0.delete(ids[0]) }
        try member.write { _ = try $0.delete(ids[1]) }
        try StoreWorld.mingle([owner, thief, member])
        try thief.write { _ = try $0.restore(ids[1]) }
        try thief.write { _ = try $0.delete(ids[2]) }
        try StoreWorld.mingle([owner, thief, member])
        let taken = try space.takeBack()
        #expect(taken.restoredCount == 1 && taken.deletedCount == 1 && taken.losses.isEmpty)
        #expect(try StoreWorld.titles(owner) == ["three"])
        try StoreWorld.mingle([owner, member])
        try StoreWorld.expectEqual([owner, member])
    }

    @Test(
        "in an edits-win space a delete that an edit outlived is taken back, and is no conflict any more"
    )
    func contested() throws {
        let space = try Space(["one"], policy: .editsWin)
        try space.thief.write { _ = try $0.delete(space.ids[0]) }
        try StoreWorld.rename(space.ids[0], "mine", in: space.member)
        try StoreWorld.mingle([space.owner, space.thief, space.member])
        #expect(try space.takeBack().restoredCount == 1)
        #expect(try space.owner.count(FetchRequest(StoreWorld.todo, scope: .conflicted)) == 0)
        #expect(try StoreWorld.titles(space.owner) == ["mine"])
    }

    @Test(
        "records that the device purged, and values that this store never showed, are counted as lost"
    )
    func losses() throws {
        let space = try Space(["one", "two"])
        let (owner, thief, member) = (space.owner, space.thief, space.member)
        try thief.write { _ = try $0.purge(space.ids[0], isForced: true) }
        let unseen = try StoreWorld.add("the member's", to: member)
        try StoreWorld.mingle([thief, member])
        try StoreWorld.rename(unseen, "junk", in: thief)
        try StoreWorld.mingle([owner, thief, member])
        let taken = try space.takeBack()
        #expect(taken.isEmpty)
        #expect(taken.losses == [.purged: 1, .notInJournal: 1])
        #expect(try title(unseen, in: owner) == .text("junk"))
        // The member's own journal has it.
        #expect(try space.takeBack(on: member).fieldCount == 1)
        #expect(try title(unseen, in: member) == .text("the member's"))
    }

    @Test("a journal that has lost the value before gives back no value of the device itself")
    func pruned() throws {
        var options = StoreOptions()
        options.journalEntryCountMax = 64
        let space = try Space(["one", "two"], options: options)
        let (owner, thief) = (space.owner, space.thief)
        try StoreWorld.rename(space.ids[0], "first junk", in: thief)
        try StoreWorld.mingle([owner, thief])
        for number in 0..<128 {
            try StoreWorld.rename(space.ids[1], "mine \(number)", in: owner)
        }
        try StoreWorld.mingle([owner, thief])
        for id in space.ids { try StoreWorld.rename(id, "second junk", in: thief) }
        try StoreWorld.mingle([owner, thief])
        let taken = try space.takeBack()
        #expect(taken.fieldCount == 1 && taken.losses == [.notInJournal: 1])
        #expect(try title(space.ids[0], in: owner) == .text("second junk"))
        #expect(try title(space.ids[1], in: owner) == .text("mine 127"))
    }

    @Test("what others keep under a record of the device stays when that record goes")
    func owned() throws {
        let space = try Space(["one"])
        let parent = try StoreWorld.add("junk", to: space.thief)
        try space.thief.write {
            _ = try $0.update(
                space.ids[0],
                [Assignment(.number(9), .reference(RecordName(StoreWorld.todo, parent)))])
        }
        try StoreWorld.mingle([space.owner, space.thief])
        try space.takeBack()
        #expect(try StoreWorld.titles(space.owner) == ["one"])
        let reference = try space.owner.record(space.ids[0])?.record.visible(.number(9))
        #expect(reference == .null)
    }

    @Test("two devices that take the same back make no conflict")
    func twice() throws {
        let space = try Space(["one", "two"])
        let (owner, thief, member) = (space.owner, space.thief, space.member)
        try StoreWorld.rename(space.ids[0], "junk", in: thief)
        try thief.write { _ = try $0.delete(space.ids[1]) }
        try StoreWorld.add("junk", to: thief)
        try StoreWorld.mingle([owner, thief, member])
        try space.takeBack(on: owner)
        try space.takeBack(on: member)
        try StoreWorld.mingle([owner, member])
        for store in [owner, member] {
            #expect(try StoreWorld.titles(store) == ["one", "two"])
            #expect(try store.count(FetchRequest(StoreWorld.todo, scope: .conflicted)) == 0)
        }
        try StoreWorld.expectEqual([owner, member])
    }

    /// Writes a device's key, and that another is revoked, into its record.
    private func introduce(_ store: Store, key: [UInt8], revokes: [UInt8]? = nil) throws {
        let own = RecordName(deviceOf: store.replica)
        try store.write { transaction in
            _ = try transaction.update(own, [Assignment(.number(3), .bytes(key))])
            if let revokes {
                let mark = Field.element(.number(6), .bytes(revokes))
                _ = try transaction.update(own, [Assignment(mark, .bool(true))])
            }
        }
    }

    @Test(
        "deletes of a take-back are not held by others, and other deletes by the same device are",
        arguments: [true, false])
    func uncounted(isRevoked: Bool) throws {
        let space = try Space(["one"])
        let (owner, thief, member) = (space.owner, space.thief, space.member)
        try introduce(thief, key: Self.key)
        for number in 0..<60 { try StoreWorld.add("junk \(number)", to: thief) }
        let others = try (0..<30).map { try StoreWorld.add("mine \($0)", to: member) }
        try StoreWorld.mingle([owner, thief, member])
        try introduce(
            owner, key: [UInt8](repeating: 1, count: 32), revokes: isRevoked ? Self.key : nil)
        try space.takeBack()
        if isRevoked {
            try StoreWorld.mingle([owner, member])
            #expect(try member.heldDeletes().isEmpty)
            #expect(try StoreWorld.titles(member).count == 31)
            // Its other deletes count as ever, whatever was marked.
            try owner.write { transaction in for id in others { _ = try transaction.delete(id) } }
        }
        let held = try MassDeleteGuardTests.pull(member, from: owner, batch: 1000)
        #expect(held?.deletedCount == (isRevoked ? 30 : 60))
    }

    /// Sixty to-dos of the owner, known to all, and a member that shows its key.
    private func forging() throws -> Space {
        let space = try Space((0..<60).map { "to-do \($0)" })
        try introduce(space.owner, key: [UInt8](repeating: 1, count: 32))
        try StoreWorld.mingle([space.owner, space.thief, space.member])
        return space
    }

    @Test(
        "a key that another device wrote into a device's record makes no delete pass as a take-back"
    )
    func forgedKey() throws {
        let space = try forging()
        let forged = [UInt8](repeating: 66, count: 32)
        try space.thief.write { transaction in
            _ = try transaction.update(
                RecordName(deviceOf: space.owner.replica),
                [Assignment(.number(3), .bytes(forged))])
        }
        try introduce(space.thief, key: [UInt8](repeating: 2, count: 32), revokes: forged)
        #expect(
            try space.thief.takeBack([space.owner.replica], of: forged).deletedCount == 60)
        let held = try MassDeleteGuardTests.pull(space.member, from: space.thief, batch: 1000)
        #expect(held?.deletedCount == 60)
    }

    @Test(
        "a take-back of this device's own doings is held here, as nobody is made to delete its own")
    func ofThisDevice() throws {
        let space = try forging()
        let key = [UInt8](repeating: 1, count: 32)
        try introduce(space.thief, key: [UInt8](repeating: 2, count: 32), revokes: key)
        try space.thief.takeBack([space.owner.replica], of: key)
        let held = try MassDeleteGuardTests.pull(space.owner, from: space.thief, batch: 1000)
        #expect(held?.deletedCount == 60)
        #expect(try MassDeleteGuardTests.pull(space.member, from: space.thief, batch: 1000) == nil)
    }

    @Test("a mark that another device wrote into the deleting device's record covers nothing")
    func forgedMark() throws {
        let space = try forging()
        let key = [UInt8](repeating: 1, count: 32)
        try MassDeleteGuardTests.delete(space.ids, in: space.member)
        try StoreWorld.pull(space.thief, from: space.member)
        try space.thief.acceptDeletes()
        try StoreWorld.pull(space.thief, from: space.member)
        let deleted = try #require(try space.thief.record(space.ids[0])).record
        let time = try #require(deleted.survivors(of: .deleted).last).write.timestamp.rawValue
        let mark = key + withUnsafeBytes(of: time.bigEndian, Array.init)
        try introduce(space.thief, key: [UInt8](repeating: 2, count: 32), revokes: key)
        try space.thief.write { transaction in
            _ = try transaction.update(
                RecordName(deviceOf: space.member.replica),
                [Assignment(.element(.number(10), .bytes(mark)), .bool(true))])
        }
        let third = try space.world.create("third")
        for number in 0..<5 { try StoreWorld.add("third \(number)", to: third) }
        try StoreWorld.pull(third, from: space.owner)
        // The mark comes before the deletes.
        _ = try third.integrate(
            Store.changes(of: try space.thief.deviceRecords()), from: space.thief.replica,
            checkpoint: nil)
        let held = try MassDeleteGuardTests.pull(third, from: space.thief, batch: 1000)
        #expect(held?.deletedCount == 60)
    }

    @Test(
        "with a time only what the device did since then is taken back, its own older values stay")
    func since() throws {
        let space = try Space(["one"])
        let (owner, thief, member) = (space.owner, space.thief, space.member)
        let own = try (0..<4).map { try StoreWorld.add("own \($0)", to: thief) }
        try thief.write { _ = try $0.delete(own[3]) }
        try StoreWorld.rename(space.ids[0], "one, better", in: thief)
        try StoreWorld.mingle([owner, thief, member])
        space.world.now += 3_600_000
        let since = space.world.now
        space.world.now += 1000
        try StoreWorld.rename(own[0], "junk", in: thief)
        try StoreWorld.rename(own[0], "more junk", in: thief)
        try StoreWorld.rename(space.ids[0], "junk", in: thief)
        try thief.write { _ = try $0.delete(own[1]) }
        try thief.write { _ = try $0.restore(own[3]) }
        try StoreWorld.add("junk", to: thief)
        try StoreWorld.mingle([owner, thief, member])
        let told = try owner.rehearseTakeBack(space.authors, of: Self.key, since: since)
        let taken = try owner.takeBack(space.authors, of: Self.key, since: since)
        #expect(told == taken)
        #expect(taken.restoredCount == 1 && taken.deletedCount == 2 && taken.fieldCount == 2)
        #expect(taken.losses.isEmpty && taken.keptCount == 0)
        try StoreWorld.mingle([owner, member])
        for store in [owner, member] {
            #expect(
                try StoreWorld.titles(store) == ["one, better", "own 0", "own 1", "own 2"])
        }
        try StoreWorld.expectEqual([owner, member])
        #expect(try owner.takeBack(space.authors, of: Self.key, since: since).isEmpty)
    }

    @Test(
        "with a time the journal's end is judged by the times of the writes, whatever this machine's clock says",
        arguments: [false, true])
    func sinceWithWrongClock(isLate: Bool) throws {
        var options = StoreOptions()
        options.journalEntryCountMax = 100
        let space = try Space(["one", "two"], options: options)
        let (owner, thief) = (space.owner, space.thief)
        let other = try space.world.create("other")
        let ids = try (0..<3).map { try StoreWorld.add("other \($0)", to: other) }
        // As if the clock of the owner's machine had been set back, or put forward, by a year.
        let shift: Int64 = (isLate ? 1 : -1) * 31_536_000_000
        func bring(from store: Store) throws {
            space.world.now += shift
            try StoreWorld.pull(owner, from: store)
            space.world.now -= shift
        }
        func fill(_ count: Int) throws {
            for number in 0..<count {
                try StoreWorld.rename(ids[number % 3], "\(count) \(number)", in: other)
                try bring(from: other)
            }
        }
        let since = space.world.now + (isLate ? 3_600_000 : 0)
        try StoreWorld.rename(space.ids[0], "the thief's", in: thief)
        try bring(from: thief)
        try fill(40)
        if isLate { space.world.now = since + 1000 }
        try StoreWorld.rename(space.ids[0], "the thief's second", in: thief)
        try bring(from: thief)
        // The journal is looked at again every 64 entries.
        try fill(95)
        let entries = try owner.journal.entries(of: RecordName(StoreWorld.todo, space.ids[0]))
        #expect(entries.map(\.after) == [.text("the thief's second")], "the first is dropped")
        let taken = try owner.takeBack(space.authors, of: Self.key, since: since)
        if isLate {
            // The first was made before that time: it is what stood there.
            #expect(taken.losses.isEmpty && taken.fieldCount == 1)
            #expect(try title(space.ids[0], in: owner) == .text("the thief's"))
        } else {
            // Both were made since: what stood there before is in no entry.
            #expect(taken.losses == [.notInJournal: 1] && taken.fieldCount == 0)
            #expect(try title(space.ids[0], in: owner) == .text("the thief's second"))
        }
    }
}
