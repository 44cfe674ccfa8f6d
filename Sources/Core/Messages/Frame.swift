/// A frame: a length of four bytes big-endian, so many bytes of one message, and a checksum of eight.
///
/// The checksum is SipHash-2-4 of the message under a key of zeros, big-endian; a transport that
/// authenticates leaves it out. Source: Protocol/1-Frames.md.
package enum Frame {
    /// The bytes of the length.
    package static let lengthByteCount = 4
    /// The bytes of the checksum.
    package static let checksumByteCount = 8

    /// Frames one message.
    package static func encode(_ message: Message, hasChecksum: Bool = true) -> [UInt8] {
        encode(payload: Message.encode(message), hasChecksum: hasChecksum)
    }

    /// Frames the bytes of one message.
    package static func encode(payload: [UInt8], hasChecksum: Bool = true) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(payload.count + lengthByteCount + checksumByteCount)
        let length = UInt32(payload.count)
        for shift: UInt32 in [24, 16, 8, 0] {
            frame.append(UInt8(truncatingIfNeeded: length >> shift))
        }
        frame.append(contentsOf: payload)
        if hasChecksum {
            let checksum = SipHash().hash64(payload)
            for shift: UInt64 in [56, 48, 40, 32, 24, 16, 8, 0] {
                frame.append(UInt8(truncatingIfNeeded: checksum >> shift))
            }
        }
        return frame
    }
}

/// Bytes in any pieces → messages.
///
/// Holds at most one frame that is not whole yet.
package struct FrameDecoder: Sendable {
    private var buffer: [UInt8] = []
    private var start = 0
    private let hasChecksum: Bool
    /// The longest frame that is taken, in bytes of its message.
    package var byteCountMax: Int

    /// A decoder at the start of a stream.
    package init(hasChecksum: Bool = true, byteCountMax: Int = WireLimits.frameByteCountMax) {
        self.hasChecksum = hasChecksum
        self.byteCountMax = byteCountMax
    }

    /// Takes bytes as they come.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if start > 0, start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 1 << 18 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Takes bytes as they come.
    package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// How many bytes wait for the rest of their frame.
    package var pendingByteCount: Int { buffer.count - start }

    /// The memory that is kept for what waits and for what comes next, in bytes.
    package var heldByteCount: Int { buffer.capacity }

    /// The next message; nil until a frame is whole.
    ///
    /// A fault is final: the stream has lost its place.
    package mutating func next() throws(WireFault) -> Message? {
        guard pendingByteCount >= Frame.lengthByteCount else { return nil }
        var length = 0
        for index in start..<start + Frame.lengthByteCount {
            length = length << 8 | Int(buffer[index])
        }
        guard length <= byteCountMax else {
            throw .frameTooLong(byteCount: length, max: byteCountMax)
        }
        let tail = hasChecksum ? Frame.checksumByteCount : 0
        guard pendingByteCount >= Frame.lengthByteCount + length + tail else { return nil }
        let first = start + Frame.lengthByteCount
        start = first + length + tail
        var result: Result<Message, WireFault> = .failure(.truncated)
        buffer.withUnsafeBytes { bytes in
            let payload = UnsafeRawBufferPointer(rebasing: bytes[first..<first + length])
            if hasChecksum {
                var checksum: UInt64 = 0
                for index in 0..<tail {
                    checksum = checksum << 8 | UInt64(bytes[first + length + index])
                }
                guard SipHash().hash64(payload) == checksum else {
                    result = .failure(.badChecksum)
                    return
                }
            }
            do throws(WireFault) {
                result = .success(try Message.decode(payload))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }
}
