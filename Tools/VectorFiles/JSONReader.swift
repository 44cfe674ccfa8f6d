/// Reads the JSON that vectors are written in.
package struct JSONReader {
    /// The text is not such JSON.
    package struct Fault: Error, CustomStringConvertible {
        /// Where, in bytes from the start.
        package let offset: Int

        package var description: String { "no JSON at byte \(offset)" }
    }

    private let bytes: [UInt8]
    private var place = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads a text, whole.
    package static func read(_ bytes: [UInt8]) throws(Fault) -> JSON {
        var reader = JSONReader(bytes)
        let value = try reader.value()
        reader.blanks()
        guard reader.place == bytes.count else { throw reader.fault }
        return value
    }

    private var fault: Fault { Fault(offset: place) }

    private mutating func blanks() {
        while place < bytes.count, [0x20, 0x0a, 0x0d, 0x09].contains(bytes[place]) { place += 1 }
    }

    private mutating func take(_ byte: Character) -> Bool {
        blanks()
        guard place < bytes.count, bytes[place] == byte.asciiValue else { return false }
        place += 1
        return true
    }

    private mutating func word(_ word: String) -> Bool {
        guard bytes[place...].starts(with: word.utf8) else { return false }
        place += word.utf8.count
        return true
    }

    private mutating func value() throws(Fault) -> JSON {
        blanks()
        guard place < bytes.count, depth < 32 else { throw fault }
        depth += 1
        defer { depth -= 1 }
        switch bytes[place] {
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "["): return try list()
        case UInt8(ascii: "{"): return try object()
        default: break
        }
        if word("null") { return .null }
        if word("true") { return .bool(true) }
        if word("false") { return .bool(false) }
        return try number()
    }

    private mutating func number() throws(Fault) -> JSON {
        let start = place
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        while place < bytes.count, digits.contains(bytes[place]) || bytes[place] == 0x2d {
            place += 1
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if let number = UInt64(text) { return .number(number) }
        if let number = Int64(text) { return .negative(number) }
        throw fault
    }

    private mutating func list() throws(Fault) -> JSON {
        place += 1
        var items: [JSON] = []
        if take("]") { return .list(items) }
        repeat { items.append(try value()) } while take(",")
        guard take("]") else { throw fault }
        return .list(items)
    }

    private mutating func object() throws(Fault) -> JSON {
        place += 1
        var pairs: [JSON.Pair] = []
        if take("}") { return .object(pairs) }
        repeat {
            blanks()
            let name = try text()
            guard take(":") else { throw fault }
            pairs.append(JSON.Pair(name, try value()))
        } while take(",")
        guard take("}") else { throw fault }
        return .object(pairs)
    }

    private mutating func text() throws(Fault) -> String {
        guard take("\"") else { throw fault }
        var units: [UInt16] = []
        while place < bytes.count, bytes[place] != 0x22 {
            let byte = bytes[place]
            place += 1
            if byte != 0x5c {
                guard byte >= 0x20, byte < 0x7f else { throw fault }
                units.append(UInt16(byte))
            } else {
                units.append(try escape())
            }
        }
        guard take("\"") else { throw fault }
        return String(decoding: units, as: UTF16.self)
    }

    private mutating func escape() throws(Fault) -> UInt16 {
        guard place < bytes.count else { throw fault }
        let kind = bytes[place]
        place += 1
        if kind == 0x22 || kind == 0x5c { return UInt16(kind) }
        guard kind == UInt8(ascii: "u"), place + 4 <= bytes.count else { throw fault }
        let digits = String(decoding: bytes[place..<place + 4], as: UTF8.self)
        guard let unit = UInt16(digits, radix: 16) else { throw fault }
        place += 4
        return unit
    }
}
