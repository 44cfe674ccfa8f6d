import Core
import JSON
import Session
import Storage
import TestSupport
import Testing
import VectorFiles

/// Sessions of real stores, frozen as vectors, and two of them as the traces of a page.
@Suite("Frozen sessions")
struct FrozenSessionTests {
    private static let ids = SyncWorld.ids

    /// A world of two devices, and the names of what their ids are.
    private func world() throws -> SyncWorld {
        let world = SyncWorld(seed: 20)
        for _ in 0..<2 { try world.makeDevice() }
        return world
    }

    private func title(_ text: String) -> [Assignment] { [Assignment(.number(2), .text(text))] }

    /// A new device meets one with two to-dos; then nothing is new; then both edit one to-do.
    private func meetings() throws -> [SessionTranscript] {
        let world = try world()
        try world.save(0, Self.ids[0], title("Milk"))
        try world.save(0, Self.ids[1], title("Bread"))
        let first = try SessionTranscript(
            "the first sync of a new device",
            before: "the responder has two to-dos; the initiator has its device record alone",
            world,
            1, 0)
        let quiet = try SessionTranscript(
            "a sync with nothing new", before: "both sides have the same", world, 1, 0)
        try world.save(0, Self.ids[0], [Assignment(.number(3), .text("two bottles"))])
        try world.save(1, Self.ids[0], title("Oat milk"))
        let edits = try SessionTranscript(
            "one record edited on both sides",
            before: "the responder wrote notes, the initiator another title", world, 1, 0)
        #expect(try world.store(0).summary().digest == world.store(1).summary().digest)
        return [first, quiet, edits]
    }

    /// A device whose copy has met the other device meets it itself, and takes a new id.
    private func suspicion() throws -> [SessionTranscript] {
        let world = try world()
        try world.save(0, Self.ids[0], title("Milk"))
        _ = try SessionTranscript("", before: "", world, 0, 1)
        world.allowsForks = true
        world.allowsGaps = true
        try forge(world)
        try world.save(0, Self.ids[1], title("written after the copy was made"))
        let old = try world.store(0).summary().replica
        let found = try SessionTranscript(
            "a clone suspicion",
            before:
                "a copy of the initiator's store, unnoticed, wrote one write and gave it to the responder",
            world, 0, 1)
        #expect(try world.store(0).summary().replica != old)
        let after = try SessionTranscript(
            "the session after a clone suspicion",
            before: "the initiator did a fork rewrite and speaks under its new id", world, 0, 1)
        #expect(after.ends == [.finished, .finished])
        #expect(try world.store(0).summary().digest == world.store(1).summary().digest)
        return [found, after]
    }

    /// Gives the second device a write under the first one's id that the first never made.
    private func forge(_ world: SyncWorld) throws {
        let (copied, other) = (try world.store(0), try world.store(1))
        let replica = try copied.summary().replica
        let start = try copied.summary().knowledge.counter(of: replica)
        let dot = Dot(replica: replica, counter: start + 1)
        let record = RecordState(
            clock: VersionVector(dot),
            writes: [
                Write(
                    dot: dot, timestamp: HybridTimestamp(rawValue: 1_800_000_000_500 << 16),
                    assignments: title("written by the copy"))
            ])
        let change = Change(
            id: Self.ids[2], clock: record.clock, body: BodyCodec.encode(record, in: SyncWorld.todo)
        )
        let incarnation = Incarnation(epoch: EpochID(value: 0xc0ffee), counter: start)
        _ = try other.integrate(
            [change], from: replica, checkpoint: nil,
            incarnations: [ChangeBatch.AnnouncedIncarnation(replica: replica, start: incarnation)])
        try world.notice(1)
    }

    /// Two devices with one clock and two contents unite them.
    private func repair() throws -> [SessionTranscript] {
        let world = try world()
        _ = try SessionTranscript("", before: "", world, 0, 1)
        world.allowsForks = true
        let stranger = ReplicaID(value: 0xc3 << 120 | 3)
        for (device, text) in ["Rye milk", "Almond milk"].enumerated() {
            let dot = Dot(replica: stranger, counter: 1)
            let record = RecordState(
                clock: VersionVector(dot),
                writes: [
                    Write(
                        dot: dot, timestamp: HybridTimestamp(rawValue: 1_800_000_000_000 << 16),
                        assignments: title(text))
                ])
            let body = BodyCodec.encode(record, in: SyncWorld.todo)
            let start = Incarnation(epoch: EpochID(value: 5), counter: 0)
            _ = try world.store(device).integrate(
                [Change(id: Self.ids[0], clock: record.clock, body: body)], from: stranger,
                checkpoint: nil,
                incarnations: [ChangeBatch.AnnouncedIncarnation(replica: stranger, start: start)])
            try world.notice(device)
        }
        let united = try SessionTranscript(
            "a repair",
            before: "both sides have another title of one record under one dot of a third replica",
            world,
            0, 1)
        #expect(united.ends == [.finished, .finished])
        #expect(try world.store(0).summary().digest == world.store(1).summary().digest)
        return [united]
    }

    @Test("every message of both sides of five kinds of session is as in the vectors")
    func transcripts() throws {
        let all = try meetings() + suspicion() + repair()
        #expect(
            FrozenFile.difference(JSON.list(all.map(\.json)).file, from: "Vectors/sessions.json")
                == nil)
    }

    @Test("the traces on the page are those of the sessions")
    func traces() throws {
        let sessions = [
            try meetings()[0], try meetings()[2], try suspicion()[0], try suspicion()[1],
        ]
        var text = """
            # 13. Traces

            Sessions of two real stores, byte for byte. The page is written by a test (`Tests/ReplicaTests/FrozenSessionTests.swift`), as is
            `Protocol/Vectors/sessions.json`, which has these messages, the messages of more sessions, and what each message means. Bytes are
            the messages without frames; a line that is indented deeper is a part of the item above it.

            """
        for session in sessions {
            text += "\n## \(session.name.prefix(1).uppercased() + session.name.dropFirst())\n\n"
            text += "\(session.before.prefix(1).uppercased() + session.before.dropFirst()).\n"
            var trace = TraceText(names: names(in: session))
            for line in session.lines {
                text += "\n"
                let count = trace.lines.count
                trace.add(line.message, after: line.isInitiator ? "initiator" : "responder")
                for line in trace.lines[count...] { text += line + "\n" }
            }
        }
        #expect(FrozenFile.difference(text, from: "13-Traces.md") == nil)
    }

    /// The names of ids on the page, by their digits.
    private func names(in session: SessionTranscript) -> [String: String] {
        var names = [HexText.encode(SpaceID(value: 7).bytes): "space"]
        for (index, id) in Self.ids.enumerated() {
            names[HexText.encode(id.bytes)] = "to-do \(index + 1)"
        }
        for line in session.lines {
            guard case .hello(let hello) = line.message else { continue }
            names[HexText.encode(hello.replica.bytes)] =
                line.isInitiator ? "the initiator" : "the responder"
        }
        return names
    }
}
