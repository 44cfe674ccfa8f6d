import Core
import Glibc
import Relay
import Session
import Storage
import Testing

@Suite("A relay's files")
struct RelayDiskTests {
    private typealias Desk = RelayDesk

    private static func path(_ world: RelayWorld, _ space: SpaceID = RelayWorld.space) -> String {
        SQLiteRelaySpace.path(of: space, in: world.folder)
    }

    private static func bytes(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }

    private static func put(_ bytes: [UInt8], at path: String) {
        guard let file = fopen(path, "w") else { return }
        defer { fclose(file) }
        fwrite(bytes, 1, bytes.count, file)
    }

    /// The file and its log, as a killed process leaves them.
    private static func copy(_ world: RelayWorld, to target: String) {
        mkdir(target, 0o700)
        let name = RelayWorld.space.hexadecimal + SQLiteRelaySpace.fileEnding
        for ending in ["", "-wal"] {
            put(bytes(world.folder + "/" + name + ending), at: target + "/" + name + ending)
        }
    }

    @Test("after a crash between any two statements all of a transaction is there, or nothing")
    func crash() throws {
        let world = RelayWorld()
        let store = try world.store()
        var copies: [(target: String, sequence: UInt64, isDone: Bool)] = []
        func crash(isDone: Bool) {
            let target = world.folder + "/crash-\(copies.count)"
            Self.copy(world, to: target)
            copies.append((target, store.sequence, isDone))
        }
        for round in 1...4 {
            let before = store.sequence
            let start = copies.count
            try store.transact { () throws(StoreFault) in
                for id in 1...3 {
                    _ = try store.put(
                        Desk.change(UInt128(id), 1, UInt64(round * 3 + id), 5000),
                        limits: RelayLimits())
                    crash(isDone: false)
                }
                _ = try store.put(
                    Desk.row(1, number: UInt64(round), [UInt8(round)]), limits: RelayLimits())
                crash(isDone: false)
                try store.noteUploaded(
                    Checkpoint(epoch: EpochID(value: 9), sequence: UInt64(round)),
                    by: ReplicaID(value: 1), limits: RelayLimits())
                crash(isDone: false)
            }
            crash(isDone: true)
            for index in start..<copies.count where !copies[index].isDone {
                copies[index].sequence = before
            }
        }
        for copy in copies {
            let found = try #require(
                try SQLiteRelaySpace.open(
                    RelayWorld.space, in: copy.target, environment: world.environment))
            #expect(found.sequence == copy.sequence)
            #expect(try found.examine() == [])
            let uploaded = try found.uploaded(by: ReplicaID(value: 1))?.sequence ?? 0
            let row = try found.rows(of: ReplicaID(value: 1)).first
            #expect(row?.bytes.first ?? 0 == UInt8(uploaded))
        }
    }

    @Test("a making that was cut off is made again")
    func halfMade() throws {
        let world = RelayWorld()
        Self.put([], at: Self.path(world))
        let desk = try RelayDesk(world) { $0.limits.spaceCountMax = 1 }
        #expect(desk.heard(by: desk.relayHello(1)).relayHelloReply != nil)
    }

    @Test("an older file put back: nobody skips anything, and what is missing is uploaded again")
    func restored() throws {
        let world = RelayWorld()
        var desk = try RelayDesk(world)
        var alice = desk.relayHello(1)
        let relay = desk.heard(by: alice).relayHelloReply?.relay
        desk.say(alice, Desk.batch([Desk.change(1, 1, 1)], through: 1))
        desk.commit()
        desk.take(desk.node.close(now: world.now))
        let old = Self.bytes(Self.path(world))

        desk = try RelayDesk(world)
        alice = desk.relayHello(1)
        desk.say(alice, Desk.batch([Desk.change(2, 1, 2)], through: 2))
        desk.commit()
        let read = try #require(desk.heard(by: alice).downloadDone?.through)
        desk.take(desk.node.close(now: world.now))
        Self.put(old, at: Self.path(world))

        desk = try RelayDesk(world)
        alice = desk.relayHello(1)
        let relayHelloReply = desk.heard(by: alice).relayHelloReply
        #expect(relayHelloReply?.relay == relay)
        #expect(relayHelloReply?.uploaded?.sequence == 1, "so the second one is uploaded again")
        desk.say(alice, Desk.batch([Desk.change(3, 1, 3)], through: 3))
        desk.commit()
        let bookmark = RelayHello.Bookmark(relay: try #require(relay), checkpoint: read)
        let bob = desk.relayHello(2, read: bookmark)
        let heard = desk.heard(by: bob)
        #expect(heard.relayHelloReply?.start.sequence == 0, "the opening was after the backup")
        guard case .changes(let batch) = heard[1] else { return }
        #expect(batch.changes == [Desk.change(1, 1, 1), Desk.change(3, 1, 3)])
    }

    @Test("a restart begins a new epoch with the first write, and old bookmarks count to its end")
    func epochs() throws {
        let world = RelayWorld()
        var store = try world.store()
        func put(_ counter: UInt64) throws {
            try store.transact { () throws(StoreFault) in
                _ = try store.put(Desk.change(1, 1, counter), limits: RelayLimits())
            }
        }
        try put(1)
        let (first, relay) = (store.epoch, store.relay)
        store.close()
        store = try world.store()
        #expect(store.epoch == first, "who only reads speaks in the last epoch")
        try put(2)
        #expect(store.epoch != first)
        func start(_ epoch: EpochID, _ sequence: UInt64) -> UInt64 {
            store.start(
                RelayHello.Bookmark(
                    relay: relay, checkpoint: Checkpoint(epoch: epoch, sequence: sequence)))
        }
        #expect(start(first, 99) == 1)
        #expect(start(store.epoch, 99) == 2)
        #expect(start(EpochID(value: 77), 99) == 0)
        for round in 0..<300 {
            store.close()
            store = try world.store()
            try put(UInt64(3 + round))
        }
        #expect(start(first, 1) == 0, "of the openings the last 256 are remembered")
    }

    @Test("a newer file, another program's and a damaged one: their space alone, in clear words")
    func damaged() throws {
        let world = RelayWorld()
        let spaces = (1...5).map { SpaceID(value: UInt128($0)) }
        var desk = try RelayDesk(world)
        for space in spaces {
            let id = desk.relayHello(1, space: space)
            desk.say(
                id, Desk.batch((1...50).map { Desk.change($0, 1, UInt64($0), 500) }, through: 50))
        }
        desk.commit()
        desk.take(desk.node.close(now: world.now))

        var newer = Self.bytes(Self.path(world, spaces[0]))
        newer[63] = 99
        Self.put(newer, at: Self.path(world, spaces[0]))
        Self.put(Array("no database at all, but long enough".utf8), at: Self.path(world, spaces[1]))
        var flipped = Self.bytes(Self.path(world, spaces[2]))
        for index in 4096..<flipped.count { flipped[index] ^= 0x5a }
        Self.put(flipped, at: Self.path(world, spaces[2]))
        Self.put(Self.bytes(Self.path(world, spaces[4])), at: Self.path(world, spaces[3]))

        desk = try RelayDesk(world)
        let causes: [PeerError.Reason] = [.newerStore, .damagedStore, .damagedStore, .damagedStore]
        for (space, cause) in zip(spaces, causes) {
            let id = desk.relayHello(2, space: space)
            let error = desk.error(id)
            #expect(error?.known == .store)
            #expect(error?.reason == cause)
            #expect(error?.message.isEmpty == false, "\(error as Any)")
            #expect(error?.message.contains(world.folder) == false, "paths stay at home")
        }
        #expect(desk.heard(by: desk.relayHello(2, space: spaces[4])).kinds == [21, 2, 23])
        let failed = desk.log.filter { if case .spaceFailed = $0 { true } else { false } }
        #expect(failed.count == 4)
        unlink(Self.path(world, spaces[2]))
        #expect(desk.heard(by: desk.relayHello(2, space: spaces[2])).relayHelloReply?.reached == 0)
    }

    @Test("damage that is found later ends the conversations about that space alone")
    func damagedLater() throws {
        let world = RelayWorld()
        var desk = try RelayDesk(world)
        let other = SpaceID(value: 8)
        for space in [RelayWorld.space, other] {
            let id = desk.relayHello(1, space: space)
            let changes = (1...200).map { Desk.change($0, 1, UInt64($0), 900) }
            desk.say(id, Desk.batch(changes, through: 200))
        }
        desk.commit()
        desk.take(desk.node.close(now: world.now))
        var bytes = Self.bytes(Self.path(world))
        for index in bytes.count / 2..<bytes.count { bytes[index] ^= 0x5a }
        Self.put(bytes, at: Self.path(world))
        desk = try RelayDesk(world)
        let healthy = desk.relayHello(2, space: other)
        let reader = desk.relayHello(3)
        #expect(desk.error(reader)?.known == .store)
        #expect(desk.error(reader)?.reason == .damagedStore)
        desk.say(healthy, Desk.batch([Desk.change(1, 2, 1)], through: 1))
        desk.commit()
        #expect(desk.heard(by: healthy).acknowledged == 1)
    }

    @Test("two relays cannot have one folder")
    func lock() throws {
        let world = RelayWorld()
        let node = try world.node()
        #expect(throws: StoreFault.self) { _ = try world.node() }
        _ = node.close(now: world.now)
        _ = try world.node()
    }

    @Test("of many spaces few files are open, conversations go on, and no epoch is used up")
    func leastRecentlyUsed() throws {
        let desk = try RelayDesk(RelayWorld()) { $0.limits.openSpaceCountMax = 3 }
        let spaces = (1...10).map { SpaceID(value: UInt128($0)) }
        let writers = spaces.map { desk.relayHello(1, space: $0) }
        let readers = spaces.map { desk.relayHello(2, space: $0) }
        for id in writers + readers { _ = desk.heard(by: id) }
        for round in 1...3 {
            for id in writers {
                desk.say(id, Desk.batch([Desk.change(1, 1, UInt64(round))], through: UInt64(round)))
                if round > 1 { desk.commit() }
            }
            desk.commit()
            for id in readers {
                #expect(desk.changes(id) == [Desk.change(1, 1, UInt64(round))])
            }
            #expect(desk.node.statistics.openSpaceCount == 3)
        }
        var epochs: [EpochID] = []
        for space in spaces { epochs.append(try #require(try desk.node.store(of: space)).epoch) }
        for id in writers + readers { desk.run(id, .lost) }
        for space in spaces { _ = try desk.node.store(of: space) }
        for (space, epoch) in zip(spaces, epochs) {
            let id = desk.relayHello(1, space: space)
            desk.say(id, Desk.batch([Desk.change(1, 1, 9)], through: 9))
            desk.commit()
            #expect(try desk.node.store(of: space)?.epoch == epoch)
        }
        #expect(desk.node.statistics.spaceCount == 10)
        #expect(desk.node.statistics.storedVersionCount == 10)
    }
}
