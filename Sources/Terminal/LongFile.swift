import Glibc

/// A file that is read more than once, a piece at a time; what cannot be, as a pipe, is copied to the disk first.
package final class LongFile {
    /// How much is read at once where the whole file is; bytes.
    private static let pieceByteCount = 1 << 16

    private let path: String
    private var descriptor: CInt
    /// Where its first byte stands.
    private var start: off_t = 0
    /// The bytes read of it so far, where it cannot be read again.
    private var head: [UInt8] = []

    /// Opens a file; `-` is the standard input.
    package init(_ path: String) throws(CommandFailure) {
        self.path = path
        descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Files.unreadable(path) }
        start = lseek(descriptor, 0, SEEK_CUR)
    }

    deinit {
        if descriptor != 0 { close(descriptor) }
    }

    /// The whole file, if it is no longer than a number of bytes; else nil.
    package func whole(byteCountMax: Int) throws(CommandFailure) -> [UInt8]? {
        var bytes = start < 0 ? head : []
        if start >= 0 { lseek(descriptor, start, SEEK_SET) }
        if bytes.count <= byteCountMax {
            try read(pieceByteCount: Self.pieceByteCount) { piece throws(CommandFailure) in
                bytes += piece
                return bytes.count <= byteCountMax
            }
        }
        if start < 0 { head = bytes }
        return bytes.count <= byteCountMax ? bytes : nil
    }

    /// The first bytes of the file.
    package func beginning(byteCountMax: Int) throws(CommandFailure) -> [UInt8] {
        if start < 0 { return Array(head.prefix(byteCountMax)) }
        lseek(descriptor, start, SEEK_SET)
        var bytes: [UInt8] = []
        try read(pieceByteCount: byteCountMax) { piece throws(CommandFailure) in
            bytes += piece.prefix(byteCountMax - bytes.count)
            return bytes.count < byteCountMax
        }
        return bytes
    }

    /// Makes a file that cannot be read again one that can, by a copy without a name in a folder.
    ///
    /// - Parameter byteCountMax: the longest copy; a longer file is refused.
    package func keep(in folder: String, byteCountMax: Int) throws(CommandFailure) {
        if start >= 0 { return }
        var template = Array((folder + "/import-XXXXXX").utf8CString)
        let copy = mkstemp(&template)
        guard copy >= 0 else { throw Files.unwritable(folder) }
        unlink(template)
        do throws(CommandFailure) {
            var count = 0
            func add(_ piece: ArraySlice<UInt8>) throws(CommandFailure) {
                count += piece.count
                if count > byteCountMax {
                    throw CommandFailure(
                        .badData,
                        "\(path) has more than \(byteCountMax) bytes; nothing was read")
                }
                try Files.write(piece, to: copy, path: folder)
            }
            try add(head[...])
            head = []
            try read(pieceByteCount: Self.pieceByteCount) { piece throws(CommandFailure) in
                try add(piece)
                return true
            }
        } catch {
            close(copy)
            throw error
        }
        if descriptor != 0 { close(descriptor) }
        (descriptor, start) = (copy, 0)
    }

    /// Gives the file from its beginning to `body`, piece by piece.
    package func forEachPiece(
        byteCount: Int, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        lseek(descriptor, start, SEEK_SET)
        var failure: (any Error)?
        try read(pieceByteCount: byteCount) { piece throws(CommandFailure) in
            do {
                try body(piece)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// Reads on until the end, or until `body` returns false.
    private func read(
        pieceByteCount: Int, _ body: (ArraySlice<UInt8>) throws(CommandFailure) -> Bool
    ) throws(CommandFailure) {
        var piece = [UInt8](repeating: 0, count: pieceByteCount)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw Files.unreadable(path) }
            if count == 0 { return }
            if try !body(piece[..<count]) { return }
        }
    }
}
