import Glibc

/// The lines of the standard input, as bytes.
package struct InputLines {
    private static let pieceByteCount = 1 << 16

    /// The bytes that were read, and how many of them were handed out.
    private var bytes: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// The lines from where the standard input stands.
    package init() {}

    /// The next line, without its end; nil behind the last one.
    package mutating func next() throws(CommandFailure) -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return bytes[start..<end]
            }
            searched = bytes.endIndex - start
            bytes.removeFirst(start)
            start = 0
            if isAtEnd {
                start = bytes.endIndex
                return bytes.isEmpty ? nil : bytes[...]
            }
            try readPiece()
        }
    }

    private mutating func readPiece() throws(CommandFailure) {
        var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
        while true {
            let count = Glibc.read(STDIN_FILENO, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw Files.unreadable("-") }
            if count == 0 { isAtEnd = true }
            bytes += piece[..<count]
            return
        }
    }
}
