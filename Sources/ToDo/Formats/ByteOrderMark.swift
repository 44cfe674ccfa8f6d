/// The mark with which some programs begin a file in UTF-8; it is no part of the text.
enum ByteOrderMark {
    private static let bytes: [UInt8] = [0xef, 0xbb, 0xbf]

    /// Where the text of a file begins.
    static func end(in file: [UInt8]) -> Int {
        file.starts(with: bytes) ? bytes.count : 0
    }
}
