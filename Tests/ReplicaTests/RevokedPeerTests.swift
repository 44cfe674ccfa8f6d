import Core
import Replica
import Session
import Storage
import TestSupport
import Testing

@Suite("A peer that is refused")
struct RevokedPeerTests {
    private static let now = Instant(milliseconds: 1)
    private static let error = PeerError(.refused, "it is out", side: .hearer, advice: "join again")

    /// Two replicas that speak live over a link, the first of which can be told to refuse.
    private final class Pair {
        let folder: ScratchFolder
        let left: Replica
        let right: Replica
        var isRefused = false
        var asked: [[UInt8]?] = []
        private var ids: (left: ConversationID, right: ConversationID)?
        private(set) var ends: (left: SessionEnd?, right: SessionEnd?)
        /// The kinds of the messages to the right, in order.
        private(set) var kinds: [UInt64] = []
        private var decoder = FrameDecoder()

        private static func replica(
            _ name: String, _ seed: UInt64, in folder: String
        ) throws -> Replica {
            var bits = seed
            let environment = StoreEnvironment(
                wallMilliseconds: { 1_800_000_000_000 },
                drawBits: {
                    bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return bits ^ bits >> 31
                }, machine: "m", boot: "b")
            return Replica(
                store: try Store.create(
                    folder: folder + "/" + name, schema: SyncWorld.schema, space: SpaceID(value: 5),
                    deviceName: name, environment: environment))
        }

        init() throws {
            folder = ScratchFolder()
            left = try Self.replica("left", 1, in: folder.path)
            right = try Self.replica("right", 2, in: folder.path)
            left.refusal = { [unowned self] stated, key in
                asked.append(key)
                return isRefused && stated == right.store.replica ? RevokedPeerTests.error : nil
            }
        }

        func meet() throws {
            let (rightID, _) = right.open(.responder, isLive: true, now: now)
            let (leftID, outputs) = left.open(
                .initiator, isLive: true, shownKey: [7], now: now)
            ids = (leftID, rightID)
            try carry(outputs)
        }

        /// Carries what the left sends, and all that comes of it.
        func carry(_ outputs: [Replica.Output]) throws {
            guard let ids else { return }
            var (toRight, toLeft) = (outputs, [Replica.Output]())
            for _ in 0..<1000 where !toRight.isEmpty || !toLeft.isEmpty {
                var (nextToLeft, nextToRight) = ([Replica.Output](), [Replica.Output]())
                for (_, effect) in toRight {
                    if case .send(let bytes) = effect {
                        decoder.append(bytes)
                        while let message = try decoder.next() { kinds.append(message.kind) }
                        nextToLeft += bytes.withUnsafeBytes {
                            right.receive(ids.right, $0, now: now)
                        }
                    }
                    if case .close(let end) = effect { ends.left = end }
                }
                for (_, effect) in toLeft {
                    if case .send(let bytes) = effect {
                        nextToRight += bytes.withUnsafeBytes {
                            left.receive(ids.left, $0, now: now)
                        }
                    }
                    if case .close(let end) = effect { ends.right = end }
                }
                (toRight, toLeft) = (nextToRight, nextToLeft)
            }
        }

        func forgetKinds() { kinds = [] }
    }

    private static func name(_ name: String, of store: Store) throws {
        try store.edit { transaction throws(StoreFault) in
            try transaction.update(
                RecordName(deviceOf: store.replica), [Assignment(.number(2), .text(name))])
        }
    }

    @Test("is told why as soon as it greets, and nothing else")
    func refusedAtOnce() throws {
        let pair = try Pair()
        pair.isRefused = true
        try pair.meet()
        #expect(pair.ends.left == .failed(Self.error, .theirs))
        #expect(pair.ends.right == .failed(Self.error, .ours))
        #expect(pair.kinds == [1, 10])
        #expect(pair.asked == [[7]], "with the key that it has shown")
        #expect(try pair.right.store.deviceName(of: pair.left.store.replica) == nil)
    }

    @Test("is told so in the middle of a session, before anything that came with the cause")
    func refusedLater() throws {
        let pair = try Pair()
        try pair.meet()
        #expect(pair.ends.left == nil)
        #expect(try pair.right.store.deviceName(of: pair.left.store.replica) == "left")
        pair.forgetKinds()
        let askedBefore = pair.asked.count
        // A change that touches no device record starts no new check.
        try pair.left.store.edit { transaction throws(StoreFault) in
            _ = try transaction.insert(
                [Assignment(.number(2), .text("a"))], into: .number(1), id: RecordID(value: 77))
        }
        try pair.carry(pair.left.noticeChanges(now: Self.now))
        #expect(pair.asked.count == askedBefore)
        #expect(pair.kinds.first == 2)
        pair.forgetKinds()
        pair.isRefused = true
        try Self.name("never told", of: pair.left.store)
        try pair.carry(pair.left.noticeChanges(now: Self.now))
        #expect(pair.kinds == [10])
        #expect(pair.ends.right == .failed(Self.error, .ours))
        #expect(try pair.right.store.deviceName(of: pair.left.store.replica) == "left")
    }
}
