/// Reads a file of a format piece by piece, so that no more of it is held than a piece has.
package protocol EntryStream {
    /// Reads the entries that end in the next bytes of the file.
    mutating func add(_ bytes: ArraySlice<UInt8>) throws(FormatFault)

    /// Reads the last entry, and tells what is left out of all.
    mutating func finish() throws(FormatFault)

    /// Takes what was read since it was taken last.
    mutating func take() -> FormatReading
}

/// Parts the bytes of a file into lines as they come.
struct LineSplitter {
    /// The most bytes of a line that are kept; one more tells that it is longer.
    private let byteCountMax: Int
    private var line: [UInt8] = []
    private var number = 0

    /// - Parameter byteCountMax: the longest line.
    init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax
    }

    /// The lines that end in these bytes, with their numbers from 1 and without the bytes that end them.
    mutating func add(_ bytes: ArraySlice<UInt8>) -> [(number: Int, bytes: [UInt8])] {
        var found: [(number: Int, bytes: [UInt8])] = []
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<end])
            found.append(finish())
            rest = rest[(end + 1)...]
        }
        append(rest)
        return found
    }

    /// The last line, which no byte ends; empty if there is none.
    mutating func finish() -> (number: Int, bytes: [UInt8]) {
        number += 1
        if number == 1 { line.removeFirst(ByteOrderMark.end(in: line)) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { line.removeAll(keepingCapacity: true) }
        return (number, line)
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        line += bytes.prefix(max(0, byteCountMax + 1 - line.count))
    }
}
