/// Tells the lines of places in a file, which are asked for from its beginning to its end.
struct LineCounter {
    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The line of a byte, from 1; places before an earlier one are on that one's line.
    mutating func line(at place: Int) -> Int {
        while offset < min(place, bytes.count) {
            if bytes[offset] == UInt8(ascii: "\n") { line += 1 }
            offset += 1
        }
        return line
    }
}
