import Core
import JSON

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

/// Tells the lines of positions in a file, which are asked for from its beginning to its end.
struct LineCounter {
    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The line of a byte, from 1; positions before an earlier one are on that one's line.
    mutating func line(at position: Int) -> Int {
        while offset < min(position, bytes.count) {
            if bytes[offset] == UInt8(ascii: "\n") { line += 1 }
            offset += 1
        }
        return line
    }
}

/// The mark with which some programs begin a file in UTF-8; it is no part of the text.
enum ByteOrderMark {
    /// Its bytes in UTF-8.
    static let utf8: [UInt8] = [0xef, 0xbb, 0xbf]

    /// Where the text of a file begins.
    static func end(in file: [UInt8]) -> Int {
        file.starts(with: utf8) ? utf8.count : 0
    }
}

/// A 128-bit id in the form of RFC 9562: 8-4-4-4-12 hexadecimal digits.
enum UUIDText {
    static func text(_ value: UInt128) -> String { RecordID(value: value).uuidText }

    /// Reads that form, in either case; nil for anything else, as for digits with the hyphens elsewhere or without any.
    static func value(_ text: String) -> UInt128? {
        let hyphens = text.utf8.enumerated().lazy.filter { $0.element == UInt8(ascii: "-") }
        guard text.utf8.count == 36, hyphens.map(\.offset).elementsEqual([8, 13, 18, 23]) else {
            return nil
        }
        return RecordID(uuidText: text)?.value
    }
}

/// Reads the values of a file one by one: the elements of arrays, or values one after the other.
struct JSONSequence {
    private let format: String
    private let bytes: [UInt8]
    private var reader: JSONReader
    private var lines: LineCounter
    /// Whether the next value is an element of an array that is not at its end.
    private(set) var isInArray: Bool

    /// The byte behind what was read.
    var offset: Int { reader.offset }

    /// - Parameters:
    ///   - offset: where the values begin; nil for the beginning.
    ///   - isInArray: whether the array began in bytes before these, as did its last element.
    init(_ bytes: [UInt8], of format: String, from offset: Int? = nil, isInArray: Bool = false) {
        self.format = format
        self.isInArray = isInArray
        self.bytes = bytes
        reader = JSONReader(
            bytes, from: offset, depthMax: FormatLimits.depthMax,
            valueByteCountMax: FormatLimits.entryByteCountMax)
        lines = LineCounter(bytes)
    }

    /// Whether a byte stands where JSON is and can begin none.
    static func beginsText(_ byte: UInt8) -> Bool {
        // A file with `true` in it has no to-dos either.
        (65...90).contains(byte & 0xdf)
    }

    /// The next value and the line where it begins; nil at the end.
    ///
    /// - Throws: `cannotDecode` with the position where the file is no JSON.
    mutating func next() throws(FormatFault) -> (line: Int, value: JSONValue)? {
        do throws(JSONFault) {
            guard try goToNext() else { return nil }
            let line = lines.line(at: reader.offset)
            return (line, try reader.value())
        } catch {
            throw .cannotDecode(
                format: format, reason: plainText ?? error.reason.words,
                line: lines.line(at: error.byteOffset), byteOffset: error.byteOffset)
        }
    }

    /// Goes to the first byte of the next value; false if there is none.
    private mutating func goToNext() throws(JSONFault) -> Bool {
        if isInArray {
            if reader.consume(",") {
                // The value begins behind the white space; if none does, reading it says so.
                _ = reader.isAtEnd()
                return true
            }
            try reader.expect("]")
            isInArray = false
        }
        // Older versions part the objects by commas, without an array around them.
        _ = reader.consume(",")
        while reader.consume("[") {
            if !reader.consume("]") {
                isInArray = true
                break
            }
            _ = reader.consume(",")
        }
        return !reader.isAtEnd()
    }

    /// The fault of plain text where the last value should have begun; nil if no text stands there.
    private var plainText: String? {
        let start = reader.valueStart
        guard start < bytes.count, Self.beginsText(bytes[start]) else { return nil }
        let line = bytes[start...].prefix(400).prefix { $0 != 10 && $0 != 13 }
        let text = FormatLoss.beginning(of: String(decoding: line, as: UTF8.self))
        return
            "'\(text)' is no JSON; take that line out, or export again into a file without messages"
    }
}

extension JSONFault.Reason {
    /// The fault in words, for the user.
    var words: String {
        switch self {
        case .unexpectedByte: "an unexpected character"
        case .endsTooEarly: "the text ends too early"
        case .tooDeep: "values are nested too deeply"
        case .tooLong: FormatLimits.entryTooLong
        case .badNumber: "a malformed number"
        case .badText: "a text that is not valid UTF-8 or has a bad escape"
        case .repeatedName: "a name stands twice in one object"
        }
    }
}
