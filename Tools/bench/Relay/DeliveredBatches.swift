#if Encryption
    import Glibc
    import Core

    /// The batches that a relay gave to any of its subscribers, each kept once: what one was given is a list of
    /// their numbers.
    ///
    /// While the relay is measured only the bytes of equally long batches are compared. Where batches end
    /// depends on when a subscriber had room, so it is by their changes that two lists are compared, later.
    final class DeliveredBatches {
        private var frames: [[UInt8]] = []
        private var numbers: [Int: [Int]] = [:]
        private var changes: [[Change]] = []

        /// How many different batches there were.
        var count: Int { frames.count }

        /// The number of a batch, in a frame with its length before it.
        func number(of frame: UnsafeRawBufferPointer) -> Int {
            for number in numbers[frame.count, default: []] {
                let isSame = frames[number].withUnsafeBytes { known in
                    guard let one = known.baseAddress, let other = frame.baseAddress else {
                        return true
                    }
                    return memcmp(one, other, frame.count) == 0
                }
                if isSame { return number }
            }
            frames.append(Array(frame))
            numbers[frame.count, default: []].append(frames.count - 1)
            return frames.count - 1
        }

        /// All changes in batches, in order.
        ///
        /// - Throws: a `WireFault` for what is no batch of changes.
        func changes(in batches: [Int]) throws(WireFault) -> [Change] {
            for frame in frames[changes.count...] {
                let payload = Array(frame[Frame.lengthByteCount...])
                guard case .changes(let batch) = try Message.decode(payload) else {
                    throw .truncated
                }
                changes.append(batch.changes)
            }
            return batches.flatMap { changes[$0] }
        }
    }
#endif
