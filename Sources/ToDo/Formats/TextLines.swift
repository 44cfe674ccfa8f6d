/// The lines of a file one by one, without the bytes that end them.
struct TextLines {
    private let bytes: [UInt8]
    private var offset = 0
    private var number = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        offset = ByteOrderMark.end(in: bytes)
    }

    /// The next line and its number, from 1; nil at the end.
    ///
    /// A carriage return at its end is dropped.
    mutating func next() -> (number: Int, bytes: ArraySlice<UInt8>)? {
        guard offset < bytes.count else { return nil }
        let rest = bytes[offset...]
        var line = rest.prefix { $0 != UInt8(ascii: "\n") }
        offset = line.endIndex + 1
        number += 1
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return (number, line)
    }
}
