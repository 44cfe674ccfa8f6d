import Core
import JSON
import Session
import Storage
import TestSupport
import VectorFiles

/// One session between two devices of the made-up world: every message of both sides, in the order in which
/// they left.
struct SessionTranscript {
    /// A message, with the side that sent it.
    struct Line {
        let isInitiator: Bool
        let message: Message
    }

    /// The session, in words.
    let name: String
    /// What happened before it, in words.
    let before: String
    private(set) var lines: [Line] = []
    /// The ends of both sides; the initiator's first.
    private(set) var ends: [SessionEnd?] = []

    /// Runs a session to its end: whatever has arrived at one side is answered before the other side's turn.
    init(_ name: String, before: String, _ world: SyncWorld, _ first: Int, _ second: Int) throws {
        self.name = name
        self.before = before
        var frames: [(device: Int, bytes: [UInt8])] = []
        world.overhear = { frames.append(($0, $1)) }
        defer { world.overhear = nil }
        let index = try world.connect(first, second)
        for _ in 0..<1_000 where !world.links[index].isOver {
            for side in [1, 0] { try world.deliver(index, side, 1 << 20) }
        }
        for (device, bytes) in frames {
            var decoder = FrameDecoder()
            decoder.append(bytes)
            while let message = try decoder.next() {
                lines.append(Line(isInitiator: device == first, message: message))
            }
        }
        ends = world.links[index].ends.map(\.end)
        world.links = []
    }

    /// The session as a case of a vector file.
    var json: JSON {
        let messages = lines.map { line -> JSON in
            let hex = HexText.encode(Message.encode(line.message))
            let answer = VectorKind.messages.answered(.object([.init("hex", .text(hex))]))
            return .object([
                .init("from", .text(line.isInitiator ? "initiator" : "responder")),
                .init("hex", .text(hex)), .init("value", answer?["value"] ?? .null),
            ])
        }
        return .object([
            .init("name", .text(name)), .init("before", .text(before)),
            .init("messages", .list(messages)),
            .init(
                "ends",
                .list(
                    ends.map { end in
                        switch end {
                        case .finished: .text("in order")
                        case .failed(let error, _): .text("error \(error.code)")
                        case .lost, nil: .text("lost")
                        }
                    })),
        ])
    }
}
