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
        encode(payload: MessageEncoder.encode(message), hasChecksum: hasChecksum)
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
