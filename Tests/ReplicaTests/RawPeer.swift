import Core
import Replica
import Session
import TestSupport

/// A peer at the other end of a link that sends what a test wants, and records what it receives.
struct RawPeer {
    /// The messages that were received.
    private(set) var heard: [Message] = []
    /// How the session at the other end went out.
    private(set) var end: SessionEnd?
    private var decoder = FrameDecoder()
    private let conversation: ConversationID
    private let replica: Replica

    /// Calls a replica.
    init(
        calling replica: Replica, shownKey: [UInt8]? = nil,
        limits: SessionLimits = SessionLimits()
    ) throws {
        self.replica = replica
        let (conversation, outputs) = replica.open(
            .responder, isLive: false, shownKey: shownKey, limits: limits,
            now: Instant(milliseconds: 0))
        self.conversation = conversation
        try hear(outputs)
    }

    /// Says a message.
    mutating func say(_ message: Message) throws {
        try say(Frame.encode(message))
    }

    /// Says bytes.
    mutating func say(_ bytes: [UInt8]) throws {
        try hear(
            bytes.withUnsafeBytes {
                replica.receive(conversation, $0, now: Instant(milliseconds: 0))
            })
    }

    /// The memory that the conversation takes at the other end, in bytes.
    var heldByteCount: Int { replica.heldByteCount(of: conversation) }

    /// The error that was heard, if any.
    var error: PeerError? {
        for case .error(let error) in heard { return error }
        return nil
    }

    private mutating func hear(_ outputs: [Replica.Output]) throws {
        for (_, effect) in outputs {
            switch effect {
            case .send(let bytes):
                decoder.append(bytes)
                while let message = try decoder.next() { heard.append(message) }
            case .close(let end): self.end = end
            case .wake, .report, .fault: continue
            }
        }
    }

    /// The message behind such a hello: there are no entries.
    static let nothing = Message.summaryRanges(
        SummaryRanges([SummaryRanges.Range(upper: nil, .entries([]))]))

    /// A hello of a replica that nobody knows, to a space.
    static func hello(to space: UInt128, versions: ClosedRange<UInt64> = 1...1) -> Hello {
        var hello = Hello(
            space: SpaceID(value: space), policy: .deletesWin, replica: ReplicaID(value: 99),
            incarnation: Incarnation(epoch: EpochID(value: 5), counter: 0),
            summary: SummaryHead(sum: 0, digest: 0, count: 0), features: [], peerCheckpoint: nil,
            reached: 0)
        hello.versionMin = versions.lowerBound
        hello.versionMax = versions.upperBound
        return hello
    }
}
