import Core
import Replica
import Session
import Storage
import TestSupport
import Testing

@Suite("Devices that meet only at a relay")
struct RelayVisitTests {
    private func title(_ text: String) -> [Assignment] { [Assignment(.number(2), .text(text))] }

    private func world(_ count: Int, seed: UInt64 = 1) throws -> SyncWorld {
        let world = SyncWorld(seed: seed)
        for _ in 0..<count { try world.makeDevice() }
        return world
    }

    private func expectEqual(_ world: SyncWorld) throws {
        let first = try world.store(0).summary()
        for deviceIndex in world.devices.indices.dropFirst() {
            let other = try world.store(deviceIndex).summary()
            #expect(other.digest == first.digest, "device \(deviceIndex)")
            #expect(other.knowledge == first.knowledge, "device \(deviceIndex)")
        }
    }

    @Test("what one uploads the other finds, though they are never there together")
    func storeAndForward() throws {
        let world = try world(3)
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        for number in 0..<20 {
            let id = Store.derivedID(SyncWorld.todo, key: "\(number)")
            try world.save(number % 3, id, title("t\(number)"))
        }
        for deviceIndex in [0, 1, 2, 0, 1, 2] {
            let result = try world.visit(deviceIndex, relay, seal: seal)
            #expect(result.end == .finished)
            #expect(result.report.isCaughtUp && !result.report.isWithheld)
        }
        for deviceIndex in [0, 1] { try world.visit(deviceIndex, relay, seal: seal) }
        try expectEqual(world)
        let (received, sent) = (relay.receivedCount, relay.sentCount)
        for deviceIndex in 0...2 { try world.visit(deviceIndex, relay, seal: seal) }
        #expect(relay.receivedCount == received)
        #expect(relay.sentCount == sent)
        // A greeting each, and what this device states.
        let idle = try world.visit(0, relay, seal: seal)
        #expect(idle.byteCount < 1000, "\(idle.byteCount) bytes")
    }

    @Test("edits of both are merged, the merged version is uploaded once, and then all is quiet")
    func consolidates() throws {
        let world = try world(3)
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        let id = SyncWorld.ids[0]
        try world.save(0, id, title("milk"))
        for deviceIndex in 0...2 { try world.visit(deviceIndex, relay, seal: seal) }
        try world.save(0, id, title("oat milk"))
        try world.save(1, id, [Assignment(.number(3), .text("two"))])
        for deviceIndex in [0, 1, 2, 0, 1, 2, 0] { try world.visit(deviceIndex, relay, seal: seal) }
        try expectEqual(world)
        let received = relay.receivedCount
        for deviceIndex in [0, 1, 2] { try world.visit(deviceIndex, relay, seal: seal) }
        #expect(relay.receivedCount == received)
        for deviceIndex in 0...2 {
            let stored = try #require(try world.store(deviceIndex).record(id))
            #expect(stored[2] == .text("oat milk"))
            #expect(stored[3] == .text("two"))
        }
    }

    @Test("a relay that lost everything gets it all again from whoever comes")
    func wiped() throws {
        let world = try world(2)
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        for deviceIndex in 0...1 {
            try world.save(deviceIndex, SyncWorld.ids[deviceIndex], title("\(deviceIndex)"))
        }
        for deviceIndex in [0, 1, 0] { try world.visit(deviceIndex, relay, seal: seal) }
        relay.wipe()
        let late = try world.makeDevice()
        try world.save(0, SyncWorld.ids[2], title("after"))
        for deviceIndex in [0, late, 1, 0, late] { try world.visit(deviceIndex, relay, seal: seal) }
        try expectEqual(world)
    }

    @Test("a session cut after any message heals at the next")
    func cut() throws {
        for cut in 1...14 {
            let world = try world(2, seed: UInt64(cut))
            let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
            for number in 0..<10 {
                let id = Store.derivedID(SyncWorld.todo, key: "\(number)")
                try world.save(number % 2, id, title("t\(number)"))
            }
            try world.visit(0, relay, seal: seal, cutAfter: cut)
            try world.visit(1, relay, seal: seal, cutAfter: cut)
            try world.visit(0, relay, seal: seal, cutAfter: cut)
            for deviceIndex in [1, 0, 1, 0, 1] {
                #expect(try world.visit(deviceIndex, relay, seal: seal).end == .finished)
            }
            try expectEqual(world)
        }
    }

    @Test(
        "a relay that lies changes nothing and hides nothing once it stops",
        arguments: NaiveRelay.Lie.allCases)
    func lies(_ lie: NaiveRelay.Lie) throws {
        for seed in 1...6 as ClosedRange<UInt64> {
            let world = try world(3, seed: seed)
            let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
            for deviceIndex in 0...2 {
                try world.save(deviceIndex, SyncWorld.ids[deviceIndex], title("\(deviceIndex)"))
            }
            for deviceIndex in [0, 1, 2, 0] { try world.visit(deviceIndex, relay, seal: seal) }
            relay.lie = lie
            for round in 0..<12 {
                let deviceIndex = world.chance.below(3)
                let id = world.chance.pick(SyncWorld.ids)
                if try world.store(deviceIndex).record(id)?.record.survivors(of: .deleted).isEmpty
                    != false
                {
                    try world.save(deviceIndex, id, title("r\(round)"))
                }
                if world.chance.below(6) == 0, try world.store(deviceIndex).record(id) != nil {
                    try world.delete(deviceIndex, id)
                }
                try world.visit(deviceIndex, relay, seal: seal)
                try world.visit(world.chance.below(3), relay, seal: seal)
            }
            relay.lie = nil
            // The relay may never have received the changes that it claimed to have: devices upload
            // them again after its next loss.
            if lie == .claimsUploads { relay.wipe() }
            // What did not come although it was all read is read again a day later.
            for device in world.devices { device.wallOffset += 86_400_000 }
            for deviceIndex in [0, 1, 2, 0, 1, 2, 0, 1, 2] {
                #expect(try world.visit(deviceIndex, relay, seal: seal).end == .finished)
            }
            try expectEqual(world)
            // A lie raises no clone suspicion.
            let identities = try world.devices.indices.map {
                try world.store($0).identityChanges().count
            }
            #expect(identities == [0, 0, 0])
        }
    }

    @Test(
        "a relay that keeps rows back, repeats old ones or gives a false sum is named at the second visit",
        arguments: [NaiveRelay.Lie.withholdsRows, .replaysRows, .givesFalseSums])
    func rowsWithheld(_ lie: NaiveRelay.Lie) throws {
        let world = try world(2)
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        try world.save(0, SyncWorld.ids[0], title("milk"))
        for deviceIndex in [0, 1, 0] { try world.visit(deviceIndex, relay, seal: seal) }
        try world.save(0, SyncWorld.ids[1], title("bread"))
        try world.visit(0, relay, seal: seal)
        relay.lie = lie
        let first = try world.visit(1, relay, seal: seal).report
        #expect(first.isIncomplete && !first.isWithheld)
        #expect(try world.store(1).record(SyncWorld.ids[1])?[2] == .text("bread"))
        #expect(try world.visit(1, relay, seal: seal).report.isWithheld)
        relay.lie = nil
        world.devices[1].wallOffset += 86_400_000
        try world.visit(1, relay, seal: seal)
        let honest = try world.visit(1, relay, seal: seal).report
        #expect(!honest.isIncomplete && !honest.isWithheld)
        for deviceIndex in [0, 1] { try world.visit(deviceIndex, relay, seal: seal) }
        try expectEqual(world)
    }

    @Test("a device that was set back unnoticed finds that by the row that it has stated itself")
    func setBack() throws {
        let world = try world(1)
        world.allowsForks = true
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        try world.save(0, SyncWorld.ids[0], title("milk"))
        try world.visit(0, relay, seal: seal)
        let own = try world.store(0).replica
        let entry = try #require(try world.store(0).stateSummary().entry(of: own))
        let key = SummaryRow.Key(own, about: own)
        let later = SummaryRowContent.entry(
            StateSummaryEntry(
                replica: own, counter: entry.counter + 1, checksum: 1, seen: entry.counter + 1),
            nil)
        relay.state(
            SummaryRow(key, number: 9, bytes: seal.seal(later.bytes, ofRow: key, numbered: 9)))
        try world.visit(0, relay, seal: seal)
        #expect(try world.store(0).replica != own)
        #expect(try world.visit(0, relay, seal: seal).end == .finished)
    }

    @Test("a row that a relay lost is stated anew by the device that had stated it")
    func rowLost() throws {
        let world = try world(2)
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        try world.save(0, SyncWorld.ids[0], title("milk"))
        try world.visit(0, relay, seal: seal)
        let own = try world.store(0).replica
        let stated = relay.rows(of: own)
        #expect(stated.map(\.key.about) == [nil, own])
        relay.lose(SummaryRow.Key(own, about: own))
        for _ in 0..<2 { try world.visit(0, relay, seal: seal) }
        #expect(relay.rows(of: own) == stated)
        for deviceIndex in [1, 0] { try world.visit(deviceIndex, relay, seal: seal) }
        try expectEqual(world)
    }

    @Test(
        "a member's row that vouches for writes of others that nobody made hides none of those to come"
    )
    func lyingMember() throws {
        let world = try world(2)
        // The author cannot tell a lie from writes that it has lost, and takes a new id.
        world.allowsForks = true
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        try world.save(0, SyncWorld.ids[0], title("milk"))
        for deviceIndex in [0, 1, 0] { try world.visit(deviceIndex, relay, seal: seal) }
        let author = try world.store(0).replica
        let known = try #require(try world.store(1).stateSummary().entry(of: author))
        let boast = SummaryRowContent.entry(
            StateSummaryEntry(
                replica: author, counter: 1_000_000, checksum: known.checksum, seen: 1_000_000),
            nil)
        let key = SummaryRow.Key(ReplicaID(value: 0xbad), about: author)
        relay.state(
            SummaryRow(key, number: 1, bytes: seal.seal(boast.bytes, ofRow: key, numbered: 1)))
        for round in 0..<3 {
            try world.visit(1, relay, seal: seal)
            #expect(try world.store(1).summary().knowledge.counter(of: author) == known.counter)
            try world.save(0, SyncWorld.ids[1], title("bread \(round)"))
            // The author finds that somebody claims to know more of its writes than it has made.
            try world.visit(0, relay, seal: seal)
            try world.visit(1, relay, seal: seal)
            #expect(try world.store(1).record(SyncWorld.ids[1])?[2] == .text("bread \(round)"))
            if try world.store(0).replica != author { break }
        }
    }

    @Test("a device behind whose last row no number is left states nothing more, and syncs on")
    func noNumberLeft() throws {
        let world = try world(2)
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        let own = try world.store(0).replica
        for about in [own, nil] {
            let key = SummaryRow.Key(own, about: about)
            relay.state(SummaryRow(key, number: UInt64(Int64.max), bytes: [1]))
        }
        try world.save(0, SyncWorld.ids[0], title("milk"))
        for deviceIndex in [0, 1, 0] {
            #expect(try world.visit(deviceIndex, relay, seal: seal).end == .finished)
        }
        #expect(relay.rows(of: own).allSatisfy { $0.bytes == [1] })
        #expect(try world.store(1).record(SyncWorld.ids[0])?[2] == .text("milk"))
    }

    @Test("a conversation that breaks behind any message leaves nothing that looks withheld")
    func broken() throws {
        for count in 1... {
            let world = try world(2)
            let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
            for number in 1...20 {
                let id = Store.derivedID(SyncWorld.todo, key: "\(number)")
                try world.save(0, id, title("to-do \(number)"))
            }
            for deviceIndex in [0, 1] {
                try world.save(deviceIndex, SyncWorld.ids[deviceIndex], title("milk"))
                try world.visit(deviceIndex, relay, seal: seal)
            }
            try world.save(0, SyncWorld.ids[0], title("oat milk"))
            let broken = try world.visit(0, relay, seal: seal, hearing: count)
            for deviceIndex in [0, 1, 0] {
                let report = try world.visit(deviceIndex, relay, seal: seal).report
                #expect(
                    !report.lacksSomething && report.receivedCount <= 3,
                    "behind \(count): \(report)")
            }
            try expectEqual(world)
            if broken.heardCount < count { return }
        }
    }

    @Test("what nobody of the space sealed is told of, not taken in, and asked for again")
    func tampered() throws {
        let world = try world(2)
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        try world.save(0, SyncWorld.ids[0], title("milk"))
        try world.visit(0, relay, seal: seal)
        relay.lie = .tampers
        let result = try world.visit(1, relay, seal: seal)
        #expect(result.report.unreadableCount > 0)
        #expect(try world.store(1).record(SyncWorld.ids[0]) == nil)
        relay.lie = nil
        #expect(try world.visit(1, relay, seal: seal).report.unreadableCount == 0)
        #expect(try world.store(1).record(SyncWorld.ids[0])?[2] == .text("milk"))
    }

    @Test(
        "a body that the relay damaged costs no full download, and is uploaded again by the device that has it"
    )
    func damaged() throws {
        let world = try world(3)
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        for number in 1...40 {
            let id = Store.derivedID(SyncWorld.todo, key: "\(number)")
            try world.save(0, id, title("to-do \(number)"))
        }
        try world.visit(0, relay, seal: seal)
        relay.damage()
        try world.save(0, SyncWorld.ids[0], title("milk"))
        try world.visit(0, relay, seal: seal)
        let first = try world.visit(1, relay, seal: seal)
        #expect(first.end == .finished && first.report.unreadableCount >= 40)
        #expect(try world.store(1).record(SyncWorld.ids[0])?[2] == .text("milk"))
        // Nothing has healed yet: the device says so, and reads nothing twice.
        let second = try world.visit(1, relay, seal: seal)
        #expect(second.report.unreadableCount == first.report.unreadableCount)
        #expect(second.report.receivedCount == 0 && second.byteCount < 1_500)
        #expect(!second.report.isWithheld && !second.report.isIncomplete)
        let author = try world.visit(0, relay, seal: seal)
        #expect(author.report.sentCount >= 40)
        let healed = try world.visit(1, relay, seal: seal)
        #expect(healed.report.unreadableCount == 0 && healed.report.isCaughtUp)
        // A newcomer gets both bodies of each, and takes the one that opens.
        #expect(try world.visit(2, relay, seal: seal).report.unreadableCount == 0)
        for deviceIndex in [0, 1, 2, 0, 1, 2] { try world.visit(deviceIndex, relay, seal: seal) }
        try expectEqual(world)
        let quiet = try world.visit(0, relay, seal: seal)
        #expect(quiet.report.sentCount == 0 && quiet.report.receivedCount == 0)
        #expect(quiet.byteCount < 1_500)
    }

    @Test(
        "the names of all records are worked out once for all visits that hear of versions which cannot be opened"
    )
    func namesOnce() throws {
        let world = try world(2)
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        for number in 1...60 {
            let id = Store.derivedID(SyncWorld.todo, key: "\(number)")
            try world.save(0, id, title("to-do \(number)"))
        }
        for deviceIndex in [0, 1] { try world.visit(deviceIndex, relay, seal: seal) }
        var counts: [Int] = []
        for round in 1...3 {
            relay.damage(round)
            // A newcomer reads it all, and the author hears of what it cannot open.
            let newcomer = try world.makeDevice()
            try world.visit(newcomer, relay, seal: seal)
            let before = seal.nameCount
            let author = try world.visit(0, relay, seal: seal)
            #expect(author.report.sentCount > 0, "round \(round)")
            counts.append(seal.nameCount - before)
        }
        #expect(counts[0] >= 60 && counts[1] < 30 && counts[2] < 30, "\(counts)")
        // Another secret gives other names.
        let other = MarkSeal(secret: 6)
        let second = NaiveRelay()
        try world.visit(0, second, seal: other)
        second.damage(1)
        try world.visit(world.makeDevice(), second, seal: other)
        let last = try world.visit(0, second, seal: other)
        #expect(last.report.sentCount > 0)
    }

    @Test(
        "versions that a member forged stop nobody, wherever a visit is cut",
        arguments: [false, true], [nil, 1, 2, 3, 4, 5, 6])
    func forged(isLater: Bool, cut: Int?) throws {
        let world = try world(3)
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        for (number, id) in SyncWorld.ids.enumerated() {
            try world.save(0, id, title("to-do \(number)"))
        }
        try world.visit(0, relay, seal: seal)
        relay.forge(isLater: isLater)
        if let cut {
            try world.visit(1, relay, seal: seal, cutAfter: cut)
            try world.visit(0, relay, seal: seal, cutAfter: cut)
        }
        for deviceIndex in [1, 0, 1, 2, 0, 1, 2, 0, 1] {
            try world.visit(deviceIndex, relay, seal: seal)
        }
        try expectEqual(world)
        for deviceIndex in [0, 1, 2] {
            let visit = try world.visit(deviceIndex, relay, seal: seal)
            #expect(visit.end == .finished && visit.byteCount < 1_500)
            #expect(visit.report.sentCount == 0 && !visit.report.isWithheld)
        }
        // The next edits go through as ever.
        try world.save(0, SyncWorld.ids[0], title("later"))
        for deviceIndex in [0, 1, 2] { try world.visit(deviceIndex, relay, seal: seal) }
        #expect(try world.store(2).record(SyncWorld.ids[0])?[2] == .text("later"))
    }

    @Test("a relay that was set back after it was told of damage is told again")
    func toldAgain() throws {
        let world = try world(2)
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        try world.save(0, SyncWorld.ids[0], title("milk"))
        try world.visit(0, relay, seal: seal)
        relay.damage()
        try world.visit(1, relay, seal: seal)
        relay.forgetWords()
        try world.visit(1, relay, seal: seal)
        try world.visit(0, relay, seal: seal)
        #expect(try world.visit(1, relay, seal: seal).report.unreadableCount == 0)
        #expect(try world.store(1).record(SyncWorld.ids[0])?[2] == .text("milk"))
    }

    @Test("nothing readable lies on the relay of a space with encryption")
    func sealed() throws {
        let world = try world(1)
        let relay = NaiveRelay()
        try world.save(0, SyncWorld.ids[0], title("strictly private"))
        try world.visit(0, relay, seal: MarkSeal(secret: 5))
        let found = String(decoding: relay.bytes, as: UTF8.self)
        #expect(relay.versionCount > 0)
        #expect(!found.contains("private"))
    }
}
