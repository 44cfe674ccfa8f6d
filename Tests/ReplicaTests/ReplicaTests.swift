import Core
import Glibc
import Replica
import Session
import Storage
import Testing

@Suite("Two replicas")
struct ReplicaTests {
    private let folder: String

    init() throws {
        var template = Array("/tmp/tandem-replica-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        folder = try #require(made)
    }

    private func remove() {
        let command: [String] = ["rm", "-rf", folder]
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        words.append(nil)
        var identifier = pid_t()
        if posix_spawnp(&identifier, "rm", nil, nil, &words, nil) == 0 {
            waitpid(identifier, nil, 0)
        }
        for word in words { free(word) }
    }

    private func replica(_ name: String, space: UInt128 = 5) throws -> Replica {
        var bits = UInt64(name.utf8.first ?? 0)
        let environment = StoreEnvironment(
            wallMilliseconds: { 1_800_000_000_000 },
            drawBits: {
                bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return bits ^ bits >> 31
            }, machine: "m", boot: "b")
        return Replica(
            store: try Store.create(
                folder: "\(folder)/\(name)", schema: [], space: SpaceID(value: space),
                deviceName: name, environment: environment))
    }

    /// Carries bytes both ways until nothing moves; gives how each side's conversation ended.
    private func converse(
        _ left: Replica, _ right: Replica, greeting: [UInt8]? = nil
    ) throws
        -> (left: SessionEnd?, right: SessionEnd?)
    {
        let now = Instant(milliseconds: 1)
        let (leftID, leftOutputs) = left.open(.initiator, isLive: false, now: now)
        let (rightID, rightOutputs) = right.open(.responder, isLive: false, now: now)
        var ends: (left: SessionEnd?, right: SessionEnd?)
        var toRight = leftOutputs
        var toLeft = rightOutputs
        for _ in 0..<1000 where !toRight.isEmpty || !toLeft.isEmpty {
            var nextToLeft: [Replica.Output] = []
            for output in toRight {
                switch output.effect {
                case .send(let bytes):
                    bytes.withUnsafeBytes { nextToLeft += right.receive(rightID, $0, now: now) }
                case .close(let end):
                    ends.left = end
                    nextToLeft += right.run(rightID, .lost, now: now)
                case .wake, .report, .fault: continue
                }
            }
            var nextToRight: [Replica.Output] = []
            for output in toLeft + nextToLeft {
                switch output.effect {
                case .send(let bytes):
                    bytes.withUnsafeBytes { nextToRight += left.receive(leftID, $0, now: now) }
                case .close(let end):
                    ends.right = end
                    nextToRight += left.run(leftID, .lost, now: now)
                case .wake, .report, .fault: continue
                }
            }
            toRight = nextToRight
            toLeft = []
        }
        return ends
    }

    @Test("one session makes two stores alike, and the next has nothing to do")
    func oneSessionIsEnough() throws {
        defer { remove() }
        let (left, right) = (try replica("left"), try replica("right"))
        let notes = CollectionID.text("note")
        for (replica, count) in [(left, 300), (right, 200)] {
            try replica.store.edit { transaction throws(StoreFault) in
                for number in 0..<count {
                    try transaction.insert(
                        [Assignment(.number(2), .text("note \(number)"))], into: notes)
                }
            }
        }
        #expect(try converse(left, right) == (.finished, .finished))
        let mine = try left.store.summary()
        let theirs = try right.store.summary()
        #expect(mine.digest == theirs.digest)
        #expect(mine.knowledge == theirs.knowledge)
        #expect(try converse(left, right) == (.finished, .finished))
        #expect(try left.store.summary().sequence == mine.sequence)
        #expect(try right.store.summary().sequence == theirs.sequence)
        #expect(try left.store.examine() == [])
    }

    @Test("a batch that came while the store took another id is merged, and not remembered as read")
    func batchBesideFork() throws {
        defer { remove() }
        let (left, right) = (try replica("left"), try replica("right"))
        let now = Instant(milliseconds: 1)
        let (leftID, leftOutputs) = left.open(.initiator, isLive: true, now: now)
        let (rightID, rightOutputs) = right.open(.responder, isLive: true, now: now)
        // Two sessions that stay open: what each says goes to the other until both are silent.
        func carry(_ outputs: [Replica.Output], from sender: Replica) {
            let (receiver, id) = sender === left ? (right, rightID) : (left, leftID)
            for output in outputs {
                guard case .send(let bytes) = output.effect else { continue }
                let answers = bytes.withUnsafeBytes { receiver.receive(id, $0, now: now) }
                carry(answers, from: receiver)
            }
        }
        carry(leftOutputs, from: left)
        carry(rightOutputs, from: right)
        func checkpoint() throws -> Checkpoint? {
            try left.store.greeting(to: right.store.replica).peerCheckpoint?.checkpoint
        }
        #expect(try checkpoint() != nil)
        try right.store.edit { transaction throws(StoreFault) in
            try transaction.insert([Assignment(.number(2), .text("late"))], into: .text("note"))
        }
        let batch = right.noticeChanges(now: now)
        // Another process forks the id, and this one has noticed when the batch comes.
        let own = left.store.replica
        let history = History(
            replica: own, counter: 9,
            incarnations: [Incarnation(epoch: EpochID(value: 99), counter: 0)])
        #expect(try left.store.resolve(history))
        #expect(left.store.replica != own)
        #expect(try checkpoint() == nil)
        carry(batch, from: right)
        #expect(try checkpoint() == nil)
        #expect(left.conversationCount == 0)
        // The next session reads all of it.
        #expect(try converse(left, right) == (.finished, .finished))
        #expect(try checkpoint() != nil)
        #expect(try left.store.summary().digest == right.store.summary().digest)
    }

    @Test("a replica of another space is refused, and nothing is changed")
    func foreignSpace() throws {
        defer { remove() }
        let (left, right) = (try replica("left"), try replica("right", space: 6))
        let before = try left.store.summary()
        let ends = try converse(left, right)
        guard case .failed(let error, _)? = ends.left else {
            Issue.record("the initiator's session did not fail: \(ends)")
            return
        }
        #expect(error.known == .foreignSpace)
        #expect(try left.store.summary() == before)
    }
}
