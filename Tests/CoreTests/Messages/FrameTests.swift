import Core
import TestSupport
import Testing
import VectorFiles

@Suite("Frames")
struct FrameTests {
    private let stream = MessageSamples.messages.map(\.message)

    private func messages(
        _ pieces: [[UInt8]], hasChecksum: Bool = true
    ) throws(WireFault) -> [Message] {
        var decoder = FrameDecoder(hasChecksum: hasChecksum)
        var messages: [Message] = []
        for piece in pieces {
            decoder.append(piece)
            while let message = try decoder.next() { messages.append(message) }
        }
        #expect(decoder.pendingByteCount == 0)
        return messages
    }

    @Test("a stream fed byte by byte gives its messages, with and without checksums")
    func byteByByte() throws {
        for hasChecksum in [true, false] {
            let bytes = stream.flatMap { Frame.encode($0, hasChecksum: hasChecksum) }
            #expect(try messages(bytes.map { [$0] }, hasChecksum: hasChecksum) == stream)
        }
    }

    @Test("a stream cut into any pieces gives the same messages")
    func anyPieces() throws {
        let bytes = stream.flatMap { Frame.encode($0) }
        var chance = SplitMix64(seed: 61)
        for _ in 0..<50 {
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 + chance.below(200))
                pieces.append(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            #expect(try messages(pieces) == stream)
        }
    }

    @Test("the length is big-endian and counts the message alone; the checksum follows, big-endian")
    func layout() {
        #expect(Frame.encode(.bye, hasChecksum: false) == [0, 0, 0, 3, 0xa1, 0, 9])
        let checksum = SipHash().hash64([0xa1, 0, 9])
        let tail = (0..<8).map { UInt8(truncatingIfNeeded: checksum >> UInt64(56 - 8 * $0)) }
        #expect(Frame.encode(.bye) == [0, 0, 0, 3, 0xa1, 0, 9] + tail)
    }

    @Test("any changed byte of a frame is noticed")
    func changedBytes() {
        for (name, message) in MessageSamples.messages + MessageSamples.batches {
            let frame = Frame.encode(message)
            for index in frame.indices {
                for bit in 0..<8 {
                    var changed = frame
                    changed[index] ^= 1 << UInt8(bit)
                    if case .success(let found?) = Reading.frame(changed) {
                        Issue.record("\(name): byte \(index) was taken as \(found.kind)")
                    }
                }
            }
        }
    }

    @Test("a frame is nothing while it is not whole")
    func notWhole() {
        let frame = Frame.encode(.ping(7))
        for count in frame.indices {
            #expect(Reading.frame(Array(frame[..<count])) == .success(nil))
        }
    }

    @Test("a frame over the cap is refused by its length alone, one of the cap is waited for")
    func overTheCap() {
        let most = WireLimits.frameByteCountMax
        #expect(Reading.frame([0, 0x10, 0, 0]) == .success(nil))
        let fault = WireFault.frameTooLong(byteCount: most + 1, max: most)
        #expect(Reading.frame([0, 0x10, 0, 1]) == .failure(fault))
        #expect(
            Reading.frame([255, 255, 255, 255])
                == .failure(.frameTooLong(byteCount: 4_294_967_295, max: most)))
        var decoder = FrameDecoder(byteCountMax: 2)
        decoder.append(Frame.encode(.bye))
        #expect(throws: WireFault.frameTooLong(byteCount: 3, max: 2)) { try decoder.next() }
    }

    @Test("a long stream does not pile up in the decoder")
    func longStream() throws {
        var decoder = FrameDecoder()
        let frame = Frame.encode(
            .history(.init(replica: .init(value: 1), counter: 0, incarnations: [])))
        for round in 0..<20_000 {
            decoder.append(frame)
            if round.isMultiple(of: 3) { while try decoder.next() != nil {} }
        }
        while try decoder.next() != nil {}
        #expect(decoder.pendingByteCount == 0)
    }
}
