import Core
import Glibc
import Session
import TestSupport
import Testing

@Suite("The worked example of the protocol's pages")
struct PageExampleTests {
    private static let page =
        #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        + "/Protocol/5-Session.md"

    private static let first = ReplicaID(value: 0xa100_0000_0000_0000_0000_0000_0000_0001)
    private static let second = ReplicaID(value: 0xb200_0000_0000_0000_0000_0000_0000_0002)
    private static let epochs = [EpochID(value: 0x1122_3344_5566_7788), EpochID(value: 0x99aa)]

    private static let checksums: [UInt128] = [
        0x0101_0101_0101_0101_0101_0101_0101_0101, 0x0202_0202_0202_0202_0202_0202_0202_0202,
    ]

    /// Makes the hello of either store: both have 40 writes of the first replica and 3 of the
    /// second.
    private static func greeting(of index: Int) -> Greeting {
        let peer = index == 0 ? second : first
        let stateSummary = StateSummary(
            entries: [
                StateSummaryEntry(replica: first, counter: 40, checksum: checksums[0], seen: 40),
                StateSummaryEntry(replica: second, counter: 3, checksum: checksums[1], seen: 3),
            ], digest: 0x0303_0303_0303_0303_0303_0303_0303_0303)
        return Greeting(
            space: SpaceID(value: 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff), policy: .deletesWin,
            replica: index == 0 ? first : second,
            incarnation: Incarnation(epoch: epochs[index], counter: index == 0 ? 38 : 0),
            sequence: index == 0 ? 60 : 57, stateSummary: stateSummary,
            sum: stateSummary.sum(SipHash()), hash: SipHash(), counter: index == 0 ? 40 : 3,
            peerCheckpoint: PeerCheckpoint(
                peer: peer,
                checkpoint: Checkpoint(epoch: epochs[1 - index], sequence: index == 0 ? 57 : 60),
                counter: index == 0 ? 3 : 40, epoch: epochs[1 - index],
                summary: Checkpoint(epoch: epochs[1 - index], sequence: index == 0 ? 41 : 44)),
            summarySequence: index == 0 ? 44 : 41)
    }

    private static func hello(_ effects: [SessionEffect]) -> Message? {
        for case .send(let message) in effects { return message }
        return nil
    }

    @Test("the bytes on the page are those of the encoder")
    func noOp() throws {
        let now = Instant(milliseconds: 0)
        var caller = SyncSession(role: .initiator, isLive: false, guess: Self.second)
        var answerer = SyncSession(role: .responder, isLive: true)
        _ = caller.step(.opened, now: now)
        _ = answerer.step(.opened, now: now)
        let question = try #require(
            Self.hello(caller.step(.greeting(Self.greeting(of: 0)), now: now)))
        _ = answerer.step(.received(question), now: now)
        var effects = answerer.step(.greeting(Self.greeting(of: 1)), now: now)
        effects += answerer.step(.examined(isSuspicious: false), now: now)
        let answer = try #require(Self.hello(effects))
        let frames = [question, answer].map { Frame.encode($0) }
        #expect(Self.hexOnPage() == frames.joined().map { Self.hex($0) }.joined())
        #expect(frames.map(\.count) == [145, 90])
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = Array("0123456789abcdef")
        return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }

    /// The bytes of the page's last section: what stands at the left of its indented lines.
    private static func hexOnPage() -> String {
        guard let file = fopen(page, "r") else { return "no page at \(page)" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        var result = ""
        var isExample = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("## ") { isExample = line == "## The two frames" }
            guard isExample, line.hasPrefix("    ") else { continue }
            for word in line.dropFirst(4).split(separator: " ", omittingEmptySubsequences: false) {
                if word.isEmpty { break }
                result += word
            }
        }
        return result
    }
}
