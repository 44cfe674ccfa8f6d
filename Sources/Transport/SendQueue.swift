import CLinux
import Glibc

/// Bytes on their way out, in order, handed to `writev` several pieces at a time.
///
/// Large pieces are kept as they came, so that one array sent to many peers is held once; small
/// ones are copied together, so that many messages cost one piece.
struct SendQueue {
    /// Pieces up to this size are copied together.
    static let smallByteCountMax = 2048
    /// A run of small pieces is closed when it has reached this size.
    static let runByteCountMax = 16384
    /// Most pieces handed out at once.
    static let vectorCountMax = 32

    private var pieces: [[UInt8]] = []
    /// The first piece that still has bytes to send.
    private var head = 0
    /// How many bytes of that piece are gone.
    private var headOffset = 0
    /// Whether the last piece is a run of ours that may grow.
    private var isTailRun = false

    /// How many bytes wait.
    private(set) var byteCount = 0

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        byteCount += bytes.count
        guard bytes.count <= Self.smallByteCountMax else {
            pieces.append(bytes)
            isTailRun = false
            return
        }
        if isTailRun, pieces[pieces.count - 1].count < Self.runByteCountMax {
            pieces[pieces.count - 1] += bytes
        } else {
            pieces.append(bytes)
            isTailRun = true
        }
    }

    mutating func removeAll() {
        self = SendQueue()
    }

    /// Forgets bytes that were sent.
    mutating func removeFirst(_ count: Int) {
        precondition(0...byteCount ~= count, "more was sent than waited")
        byteCount -= count
        guard byteCount > 0 else {
            pieces.removeAll(keepingCapacity: pieces.capacity <= 64)
            (head, headOffset, isTailRun) = (0, 0, false)
            return
        }
        headOffset += count
        while headOffset >= pieces[head].count {
            headOffset -= pieces[head].count
            pieces[head] = []
            head += 1
        }
        if head > 32, head * 2 > pieces.count {
            pieces.removeFirst(head)
            head = 0
        }
    }

    /// Passes the first waiting bytes, at most so many and of one piece, to `body`; removes them.
    mutating func dequeueFirst<Failure>(
        _ byteCountMax: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let count = min(pieces[head].count - headOffset, byteCountMax)
        let range = headOffset..<headOffset + count
        let result = pieces[head].withUnsafeBytes { bytes in
            Result { () throws(Failure) in
                try body(UnsafeRawBufferPointer(rebasing: bytes[range]))
            }
        }
        try result.get()
        removeFirst(count)
    }

    /// Calls `write` with the first waiting pieces; they may not be used after it returned.
    func withVectors(_ write: (UnsafeMutableBufferPointer<iovec>) -> Transfer) -> Transfer {
        let count = min(pieces.count - head, Self.vectorCountMax)
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: max(count, 1)) { vectors in
            fill(vectors, 0, of: count) {
                write(UnsafeMutableBufferPointer(rebasing: vectors[..<count]))
            }
        }
    }

    /// One level deeper for each piece, since its address holds only inside its closure.
    private func fill(
        _ vectors: UnsafeMutableBufferPointer<iovec>, _ index: Int, of count: Int,
        _ body: () -> Transfer
    ) -> Transfer {
        guard index < count else { return body() }
        return pieces[head + index].withUnsafeBytes { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes[(index == 0 ? headOffset : 0)...])
            // writev only reads; its type has no room to say so.
            vectors.initializeElement(
                at: index,
                to: iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: part.baseAddress),
                    iov_len: part.count))
            return fill(vectors, index + 1, of: count, body)
        }
    }
}
