/// Reads the values of a file one by one: the elements of arrays, or values one after the other.
struct JSONSequence {
    private let format: String
    private var reader: JSONReader
    private var lines: LineCounter
    private var isInArray = false

    /// - Parameter offset: where the values begin; nil for the beginning.
    init(_ bytes: [UInt8], of format: String, from offset: Int? = nil) {
        self.format = format
        reader = JSONReader(bytes, from: offset)
        lines = LineCounter(bytes)
    }

    /// Whether a byte stands where JSON is and can begin none.
    static func beginsText(_ byte: UInt8) -> Bool {
        // A file with `true` in it has no to-dos either.
        (65...90).contains(byte & 0xdf)
    }

    /// The next value and the line where it begins; nil at the end.
    ///
    /// - Throws: `cannotDecode` with the place where the file is no JSON.
    mutating func next() throws(FormatFault) -> (line: Int, value: JSONValue)? {
        do throws(JSONFault) {
            guard try goToNext() else { return nil }
            let line = lines.line(at: reader.offset)
            return (line, try reader.value())
        } catch {
            throw .cannotDecode(
                format: format, reason: reader.plainText ?? error.reason.words,
                line: lines.line(at: error.byteOffset), byteOffset: error.byteOffset)
        }
    }

    /// Goes to the first byte of the next value; false if there is none.
    private mutating func goToNext() throws(JSONFault) -> Bool {
        if isInArray {
            if reader.take(",") {
                // The value begins behind the white space; if none does, reading it says so.
                _ = reader.isAtEnd()
                return true
            }
            try reader.expect("]")
            isInArray = false
        }
        // Older versions part the objects by commas, without an array around them.
        _ = reader.take(",")
        while reader.take("[") {
            if !reader.take("]") {
                isInArray = true
                break
            }
            _ = reader.take(",")
        }
        return !reader.isAtEnd()
    }
}
