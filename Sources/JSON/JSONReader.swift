/// Reads JSON values from bytes, one after the other (RFC 8259).
///
/// More tolerant in one point: bare control characters inside texts are taken as they are,
/// because Taskwarrior writes them. Names that stand twice in one object are refused.
package struct JSONReader {
    private let bytes: [UInt8]
    private let depthMax: Int
    private let valueByteCountMax: Int
    /// The byte that is read next, from 0.
    package private(set) var offset: Int
    /// The byte from which the value was read that was asked for last.
    package private(set) var valueStart = 0

    /// - Parameters:
    ///   - offset: where the values begin; nil for behind a byte order mark, if there is one.
    ///   - depthMax: the deepest nesting of values in one another, in levels.
    ///   - valueByteCountMax: the longest value that is read at once, in bytes.
    package init(
        _ bytes: [UInt8], from offset: Int? = nil, depthMax: Int = 64,
        valueByteCountMax: Int = .max
    ) {
        self.bytes = bytes
        self.depthMax = depthMax
        self.valueByteCountMax = valueByteCountMax
        self.offset = offset ?? (bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0)
    }

    /// Reads bytes that hold exactly one value.
    package static func read(_ bytes: [UInt8], depthMax: Int = 64) throws(JSONFault) -> JSONValue {
        var reader = JSONReader(bytes, depthMax: depthMax)
        let value = try reader.value()
        guard reader.isAtEnd() else { throw reader.fault(.unexpectedByte) }
        return value
    }

    /// Whether nothing but white space is left.
    package mutating func isAtEnd() -> Bool {
        skipSpace()
        return offset == bytes.count
    }

    /// Reads the next value.
    package mutating func value() throws(JSONFault) -> JSONValue {
        valueStart = offset
        return try value(depth: 0)
    }

    /// Takes one character, after white space, if it is next.
    package mutating func consume(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    /// Takes one character, after white space, which must be next.
    package mutating func expect(_ character: Unicode.Scalar) throws(JSONFault) {
        guard consume(character) else { throw fault(.unexpectedByte) }
    }

    private func fault(_ reason: JSONFault.Reason) -> JSONFault {
        JSONFault(reason: offset < bytes.count ? reason : .endsTooEarly, byteOffset: offset)
    }

    private mutating func skipSpace() {
        while offset < bytes.count,
            bytes[offset] == 32 || bytes[offset] == 10 || bytes[offset] == 13
                || bytes[offset] == 9
        {
            offset += 1
        }
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
        skipSpace()
        guard offset < bytes.count else { throw fault(.endsTooEarly) }
        guard depth < depthMax else { throw fault(.tooDeep) }
        guard offset - valueStart <= valueByteCountMax else { throw fault(.tooLong) }
        switch bytes[offset] {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(JSONFault) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount {
            guard offset < bytes.count, bytes[offset] == word.utf8Start[index] else {
                throw fault(.unexpectedByte)
            }
            offset += 1
        }
        return value
    }

    private mutating func array(depth: Int) throws(JSONFault) -> JSONValue {
        offset += 1
        var elements: [JSONValue] = []
        if consume("]") { return .array(elements) }
        repeat {
            elements.append(try value(depth: depth + 1))
        } while consume(",")
        guard consume("]") else { throw fault(.unexpectedByte) }
        return .array(elements)
    }

    private mutating func object(depth: Int) throws(JSONFault) -> JSONValue {
        offset += 1
        var members: [JSONMember] = []
        var names: Set<String> = []
        if consume("}") { return .object(members) }
        repeat {
            skipSpace()
            let start = offset
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
                throw fault(.unexpectedByte)
            }
            let name = try text()
            guard names.insert(name).inserted else {
                throw JSONFault(reason: .repeatedName, byteOffset: start)
            }
            guard consume(":") else { throw fault(.unexpectedByte) }
            members.append(JSONMember(name, try value(depth: depth + 1)))
        } while consume(",")
        guard consume("}") else { throw fault(.unexpectedByte) }
        return .object(members)
    }

    private mutating func number() throws(JSONFault) -> JSONValue {
        let start = offset
        _ = consumeByte("-")
        if !consumeByte("0") { try digits() }
        if consumeByte(".") { try digits() }
        if consumeByte("e") || consumeByte("E") {
            if !consumeByte("+") { _ = consumeByte("-") }
            try digits()
        }
        return .number(String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    private mutating func consumeByte(_ character: Unicode.Scalar) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func digits() throws(JSONFault) {
        let start = offset
        while offset < bytes.count, (48...57).contains(bytes[offset]) { offset += 1 }
        guard offset > start else { throw fault(.badNumber) }
    }

    private mutating func text() throws(JSONFault) -> String {
        let start = offset
        offset += 1
        let contentStart = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\""),
            bytes[offset] != UInt8(ascii: "\\")
        {
            offset += 1
        }
        guard offset < bytes.count else { throw fault(.endsTooEarly) }
        var content = bytes[contentStart..<offset]
        while bytes[offset] != UInt8(ascii: "\"") {
            if bytes[offset] == UInt8(ascii: "\\") {
                try escape(into: &content)
            } else {
                content.append(bytes[offset])
                offset += 1
            }
            guard offset < bytes.count else { throw fault(.endsTooEarly) }
        }
        offset += 1
        guard let text = String(validating: content, as: UTF8.self) else {
            throw JSONFault(reason: .badText, byteOffset: start)
        }
        return text
    }

    private mutating func escape(into content: inout ArraySlice<UInt8>) throws(JSONFault) {
        guard offset + 1 < bytes.count else {
            throw JSONFault(reason: .endsTooEarly, byteOffset: offset)
        }
        let rekeyMessage = bytes[offset + 1]
        if rekeyMessage == UInt8(ascii: "u") {
            content.append(contentsOf: String(try escapedScalar()).utf8)
            return
        }
        let plain: UInt8 =
            switch rekeyMessage {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): rekeyMessage
            case UInt8(ascii: "b"): 8
            case UInt8(ascii: "f"): 12
            case UInt8(ascii: "n"): 10
            case UInt8(ascii: "r"): 13
            case UInt8(ascii: "t"): 9
            default: throw fault(.badText)
            }
        content.append(plain)
        offset += 2
    }

    /// `\u00e9`, or two of them for a character outside the first 65 536.
    private mutating func escapedScalar() throws(JSONFault) -> Character {
        let high = try escapedUnit()
        var value = UInt32(high)
        if (0xd800...0xdbff).contains(high) {
            let low = try escapedUnit()
            guard (0xdc00...0xdfff).contains(low) else { throw fault(.badText) }
            value = 0x10000 + (UInt32(high - 0xd800) << 10 | UInt32(low - 0xdc00))
        }
        guard let scalar = Unicode.Scalar(value) else { throw fault(.badText) }
        return Character(scalar)
    }

    private mutating func escapedUnit() throws(JSONFault) -> UInt16 {
        guard offset + 6 <= bytes.count else {
            throw JSONFault(reason: .endsTooEarly, byteOffset: bytes.count)
        }
        guard bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u") else {
            throw fault(.badText)
        }
        var unit: UInt16 = 0
        for byte in bytes[offset + 2..<offset + 6] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault(.badText)
            }
            unit = unit << 4 | UInt16(digit)
        }
        offset += 6
        return unit
    }
}
