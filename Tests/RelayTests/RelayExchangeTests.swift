import Core
import Relay
import Session
import Testing

@Suite("What devices exchange through a relay")
struct RelayExchangeTests {
    private typealias Desk = RelayDesk

    @Test(
        "a device that comes later gets what was uploaded, and what was stated",
        arguments: RelayStoreKind.allCases)
    func storesAndForwards(kind: RelayStoreKind) throws {
        let desk = try RelayDesk(RelayWorld(kind))
        let alice = desk.relayHello(1)
        let first = desk.heard(by: alice)
        #expect(first.kinds == [21, 23])
        #expect(first.relayHelloReply?.uploaded == nil)
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1), Desk.change(6, 1, 2)], through: 2))
        desk.say(alice, Desk.uploadDone(2, [7, 7]))
        #expect(desk.heard(by: alice).isEmpty, "nothing is acknowledged before it is on the disk")
        desk.commit()
        let answer = desk.heard(by: alice)
        #expect(answer.kinds == [23, 3], "the end of the run comes before the acknowledgement")
        #expect(answer.acknowledged == 2)
        #expect(
            answer.downloadDone?.rows.map(\.bytes) == [[7, 7]],
            "the checkpoint behind the device's own rows comes with them")
        desk.run(alice, .lost)

        let bob = desk.relayHello(2)
        let heard = desk.heard(by: bob)
        #expect(heard.kinds == [21, 2, 23])
        guard case .changes(let batch) = heard[1] else { return }
        #expect(batch.changes == [Desk.change(5, 1, 1), Desk.change(6, 1, 2)])
        #expect(heard.downloadDone?.rows == [Desk.row(1, [7, 7])])
        #expect(answer.downloadDone?.through == heard.downloadDone?.through)
    }

    @Test(
        "more rows than go into a message come in several, and all arrive",
        arguments: RelayStoreKind.allCases)
    func manyRows(kind: RelayStoreKind) throws {
        let desk = try RelayDesk(RelayWorld(kind))
        let alice = desk.relayHello(1)
        let rows = (1...2500).map { Desk.row(1, about: UInt128($0), [UInt8($0 % 200)]) }
        let through = Checkpoint(epoch: EpochID(value: 99), sequence: 2)
        for message in UploadDone.messages(through: through, rows) {
            desk.say(alice, .uploadDone(message))
        }
        desk.commit()
        for _ in 0..<2 { desk.pass(milliseconds: 1_000) }
        let own = desk.heard(by: alice)
        #expect(own.acknowledged == 3 && own.kinds.last == 3, "all of the run comes before")
        let told = own.flatMap { message in
            if case .downloadDone(let end) = message { end.rows } else { [SummaryRow]() }
        }
        #expect(told == rows)

        let bob = desk.relayHello(2)
        for _ in 0..<2 { desk.pass(milliseconds: 1_000) }
        var heard: [SummaryRow] = []
        for case .downloadDone(let end) in desk.heard(by: bob) {
            #expect(end.rows.count <= WireLimits.summaryRowCountMax)
            heard += end.rows
        }
        #expect(heard == rows)
    }

    @Test(
        "rows about 100,000 replica ids are kept on the disk, and a device that comes anew gets all"
    )
    func veryManyRows() throws {
        let desk = try RelayDesk()
        let alice = desk.relayHello(1, isLive: false)
        let rows = (1...100_000).map { Desk.row(1, about: UInt128($0), [UInt8($0 % 200)]) }
        let through = Checkpoint(epoch: EpochID(value: 99), sequence: 2)
        let messages = UploadDone.messages(through: through, rows)
        for message in messages {
            desk.say(alice, .uploadDone(message))
            desk.commit()
        }
        #expect(desk.heard(by: alice).acknowledged == UInt64(messages.count))
        desk.run(alice, .lost)

        let bob = desk.relayHello(2)
        var heard: [SummaryRow] = []
        for _ in 0..<messages.count + 1 {
            for case .downloadDone(let end) in desk.heard(by: bob) { heard += end.rows }
            desk.pass(milliseconds: 1)
        }
        // A difference of so many rows is not for reading.
        let areAll = heard == rows
        #expect(areAll, "\(heard.count) rows came")
    }

    @Test("rows of another device than the speaker are refused", arguments: RelayStoreKind.allCases)
    func rowsOfOthers(kind: RelayStoreKind) throws {
        let desk = try RelayDesk(RelayWorld(kind))
        let alice = desk.relayHello(1)
        _ = desk.heard(by: alice)
        desk.say(alice, Desk.uploadDone(2, [7], by: 2))
        #expect(desk.heard(by: alice).kinds == [10])
    }

    @Test(
        "who comes back goes on where it stopped, in both directions",
        arguments: RelayStoreKind.allCases)
    func resumes(kind: RelayStoreKind) throws {
        let desk = try RelayDesk(RelayWorld(kind))
        let alice = desk.relayHello(1)
        let relay = try #require(desk.heard(by: alice).relayHelloReply?.relay)
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1), Desk.uploadDone(1, [1]))
        desk.commit()
        let through = try #require(desk.heard(by: alice).downloadDone?.through)
        desk.run(alice, .lost)
        let again = desk.relayHello(
            1, read: RelayHello.Bookmark(relay: relay, checkpoint: through))
        let heard = desk.heard(by: again)
        #expect(heard.kinds == [21, 23], "what it uploaded itself does not come back")
        #expect(heard.relayHelloReply?.start.sequence == through.sequence)
        #expect(
            heard.relayHelloReply?.uploaded == Checkpoint(epoch: EpochID(value: 99), sequence: 1))
        #expect(heard.downloadDone?.rows == [], "nobody is told a row twice")
        let stranger = desk.relayHello(
            1, read: RelayHello.Bookmark(relay: ReplicaID(value: 9), checkpoint: through))
        #expect(desk.heard(by: stranger).kinds == [21, 2, 23], "another relay's bookmark is none")
    }

    @Test(
        "who read all versions but not the rows behind them is told these all",
        arguments: RelayStoreKind.allCases)
    func middleOfRun(kind: RelayStoreKind) throws {
        let desk = try RelayDesk(RelayWorld(kind))
        let alice = desk.relayHello(1)
        desk.say(alice, Desk.uploadDone(0, [1]), Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        let bob = desk.relayHello(2)
        let heard = desk.heard(by: bob)
        let relay = try #require(heard.relayHelloReply?.relay)
        guard case .changes(let batch) = heard[1], let through = batch.through else {
            Issue.record("no batch")
            return
        }
        desk.run(bob, .lost)
        let again = desk.relayHello(
            2, read: RelayHello.Bookmark(relay: relay, checkpoint: through))
        let rest = desk.heard(by: again)
        #expect(rest.kinds == [21, 23])
        #expect(rest.downloadDone?.rows.count == 1)
        #expect(rest.relayHelloReply?.start == through)
        let end = try #require(rest.downloadDone?.through)
        let last = desk.relayHello(2, read: RelayHello.Bookmark(relay: relay, checkpoint: end))
        #expect(desk.heard(by: last).downloadDone?.rows == [])
    }

    @Test(
        "what is uploaded reaches who stays at once, and not who sent it or does not stay",
        arguments: RelayStoreKind.allCases)
    func pushes(kind: RelayStoreKind) throws {
        let desk = try RelayDesk(RelayWorld(kind))
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        let carol = desk.relayHello(3, isLive: false)
        for id in [alice, bob, carol] { _ = desk.heard(by: id) }
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1), Desk.uploadDone(1, [1]))
        desk.commit()
        #expect(desk.heard(by: alice).kinds == [23, 3])
        let heard = desk.heard(by: bob)
        #expect(heard.kinds == [2, 23])
        #expect(heard.downloadDone?.rows.map(\.bytes) == [[1]])
        #expect(desk.heard(by: carol).isEmpty)
        desk.say(bob, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        #expect(desk.heard(by: bob).kinds == [3], "an echo is acknowledged, and no news")
        #expect(desk.heard(by: alice).isEmpty)
    }

    @Test(
        "of what several send in one turn each gets that of the others, in one batch",
        arguments: RelayStoreKind.allCases)
    func mixed(kind: RelayStoreKind) throws {
        let desk = try RelayDesk(RelayWorld(kind))
        let ids = (1...4).map { desk.relayHello(UInt128($0)) }
        for id in ids { _ = desk.heard(by: id) }
        for (index, id) in ids.prefix(3).enumerated() {
            let replica = UInt128(index + 1)
            desk.say(id, Desk.batch([Desk.change(10 + replica, replica, 1)], through: 1))
        }
        desk.commit()
        let all = (1...3).map { Desk.change(10 + UInt128($0), UInt128($0), 1) }
        for index in 0..<4 {
            let heard = desk.heard(by: ids[index])
            #expect(heard.kinds == (index < 3 ? [2, 23, 3] : [2, 23]))
            guard case .changes(let batch) = heard[0] else { continue }
            #expect(batch.changes == all.enumerated().filter { $0.offset != index }.map(\.element))
        }
        #expect(desk.node.statistics.commitCount == 2, "one makes the space, one is for the turn")
    }

    @Test("a long body goes in parts, both ways", arguments: RelayStoreKind.allCases)
    func parts(kind: RelayStoreKind) throws {
        let desk = try RelayDesk(RelayWorld(kind))
        let long = Desk.change(5, 1, 1, 1_300_000)
        let alice = desk.relayHello(1)
        _ = desk.heard(by: alice)
        for offset in stride(from: 0, to: long.body.count, by: 500_000) {
            let end = min(offset + 500_000, long.body.count)
            desk.say(
                alice,
                .part(
                    BodyPart(
                        long.name, clock: long.clock, byteCount: long.body.count,
                        offset: offset, bytes: Array(long.body[offset..<end]))))
        }
        desk.say(alice, Desk.batch([], through: 1))
        desk.commit()
        #expect(desk.heard(by: alice).acknowledged == 1)
        let bob = desk.relayHello(2)
        let heard = desk.heard(by: bob)
        #expect(heard.kinds == [21, 5, 5, 5, 2, 23])
        let body = heard.flatMap { message in
            if case .part(let part) = message { part.bytes } else { [UInt8]() }
        }
        #expect(body == long.body)
    }

    @Test("a thousand subscribers get one encoded buffer", arguments: RelayStoreKind.allCases)
    func sharesBuffer(kind: RelayStoreKind) throws {
        let desk = try RelayDesk(RelayWorld(kind))
        let writer = desk.relayHello(1)
        let readers = (0..<1000).map { desk.relayHello(UInt128($0 + 10), address: "10.1.\($0)") }
        for id in readers { desk.buffers[id] = [] }
        let before = desk.node.statistics.encodedCount
        desk.say(writer, Desk.batch([Desk.change(5, 1, 1, 1000)], through: 1))
        desk.say(writer, Desk.uploadDone(1, [1]))
        desk.commit()
        // One batch, and its end for all.
        #expect(desk.node.statistics.encodedCount - before == 2)
        var indexes: Set<UnsafeRawPointer?> = []
        for id in readers {
            #expect(desk.buffers[id]?.count == 2)
            desk.buffers[id]?[0].withUnsafeBytes { _ = indexes.insert($0.baseAddress) }
        }
        #expect(indexes.count == 1)
    }

    @Test(
        "what a session cut at any byte has left comes with the next one",
        arguments: RelayStoreKind.allCases)
    func cut(kind: RelayStoreKind) throws {
        let world = RelayWorld(kind)
        let messages =
            [
                Message.relayHello(
                    RelayHello(
                        space: RelayWorld.space, replica: ReplicaID(value: 1), features: .live,
                        generation: 0))
            ] + (1...3).map { Desk.batch([Desk.change($0, 1, UInt64($0))], through: UInt64($0)) }
            + [Desk.uploadDone(3, [9])]
        let bytes = messages.flatMap { Frame.encode($0) }
        for length in stride(from: 0, through: bytes.count, by: 3) {
            let desk = try RelayDesk(world) { $0.folder += "/\(length)" }
            let id = desk.open()
            desk.take(desk.node.receive(id, Array(bytes[..<length]), now: world.now))
            if length % 2 == 0 { desk.commit() }
            desk.run(id, .lost)
            desk.commit()
            let again = desk.relayHello(1)
            let uploaded = desk.heard(by: again).relayHelloReply?.uploaded?.sequence ?? 0
            let store = try #require(try desk.node.store(of: RelayWorld.space))
            #expect(store.recordCount == Int(uploaded), "what is stored is said")
            for number in uploaded..<3 {
                desk.say(
                    again,
                    Desk.batch(
                        [Desk.change(UInt128(number + 1), 1, number + 1)], through: number + 1))
            }
            desk.commit()
            let after = try #require(try desk.node.store(of: RelayWorld.space))
            #expect(after.recordCount == 3)
            #expect(try after.examine() == [])
        }
    }
}
