import FoundationEssentials
import JSON

/// A value of a property list.
enum PropertyValue: Equatable {
    case text(String)
    case bool(Bool)
    /// A number as JSON writes it; whole ones have neither point nor exponent.
    case number(String)
    /// Seconds since 1970.
    case date(Double)
    case data([UInt8])
    case array([PropertyValue])
    /// Members in the file's order.
    case dictionary([PropertyMember])
    /// A value of which only the entry that holds it is bad, and what is wrong with it.
    case bad(String)
}

extension PropertyValue {
    /// The point in time, in milliseconds since 1970; nil if it is no date that can be counted.
    var instant: Int64? {
        guard case .date(let seconds) = self else { return nil }
        return Int64(exactly: (seconds * 1_000).rounded())
    }

    /// The value as JSON, data in base64; nil if something in it is bad.
    var json: JSONValue? {
        switch self {
        case .text(let text): return .text(text)
        case .bool(let flag): return .bool(flag)
        case .number(let digits): return .number(digits)
        case .date: return instant.map { .text(TimestampText.rfc3339($0)) }
        case .data(let bytes): return .text(Data(bytes).base64EncodedString())
        case .array(let elements):
            let values = elements.compactMap(\.json)
            return values.count == elements.count ? .array(values) : nil
        case .dictionary(let members):
            let values = members.sorted { $0.key < $1.key }.compactMap { member in
                member.value.json.map { JSONMember(member.key, $0) }
            }
            return values.count == members.count ? .object(values) : nil
        case .bad: return nil
        }
    }
}

/// One key and value of a property list's dictionary.
struct PropertyMember: Equatable {
    var key: String
    var value: PropertyValue
}

/// Why bytes are no property list.
struct PropertyListFault: Error, Equatable {
    var reason: String
    var byteOffset: Int

    init(_ reason: String, at byteOffset: Int) {
        self.reason = reason
        self.byteOffset = byteOffset
    }

    static func tooDeep(at byteOffset: Int) -> PropertyListFault {
        PropertyListFault("values are nested too deeply", at: byteOffset)
    }
}

/// Reads the binary form of a property list, `bplist00`.
///
/// A table at the end tells where each value begins, and containers name values by their number in
/// it. So a small file can name itself, or one value a thousand thousand times: depth and what all
/// values would make together are limited.
struct BinaryPropertyList {
    static let magic = Array("bplist00".utf8)

    /// The bytes that all values would make without sharing are at most so many times the file's.
    static let expansionMax = 4
    /// Small files may always expand to so many bytes.
    private static let expandedByteCountMin = 1 << 20
    private static let trailerByteCount = 32

    private let bytes: [UInt8]
    private let offsetWidth: Int
    private let referenceWidth: Int
    private let valueCount: Int
    private let tableOffset: Int
    private let top: Int
    private var expandedByteCount = 0
    private var entryByteCount = 0
    /// Texts by their place, as many entries share one.
    private var texts: [Int: String] = [:]

    init(_ bytes: [UInt8]) throws(PropertyListFault) {
        let trailer = bytes.count - Self.trailerByteCount
        guard bytes.starts(with: Self.magic), trailer >= Self.magic.count else {
            throw PropertyListFault("the file ends too early", at: bytes.count)
        }
        self.bytes = bytes
        offsetWidth = Int(bytes[trailer + 6])
        referenceWidth = Int(bytes[trailer + 7])
        func number(_ offset: Int) -> Int? {
            let wide = bytes[offset..<offset + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Int(exactly: wide)
        }
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth),
            let count = number(trailer + 8), let top = number(trailer + 16),
            let table = number(trailer + 24), count > 0, top < count, table < trailer,
            count <= (trailer - table) / offsetWidth
        else { throw PropertyListFault("the table of values is damaged", at: trailer) }
        (valueCount, self.top, tableOffset) = (count, top, table)
    }

    /// The numbers of the values in the outermost array; nil if it is none.
    mutating func entries() throws(PropertyListFault) -> [Int]? {
        let start = try offset(of: top)
        guard bytes[start] >> 4 == 0xa else { return nil }
        return try references(at: start).numbers
    }

    /// A value by its number.
    mutating func value(_ number: Int) throws(PropertyListFault) -> PropertyValue {
        entryByteCount = 0
        return try value(number, depth: 1)
    }

    private mutating func value(
        _ number: Int, depth: Int
    ) throws(PropertyListFault) -> PropertyValue {
        let start = try offset(of: number)
        guard depth < FormatLimits.depthMax else { throw .tooDeep(at: start) }
        try expand(by: 1, at: start)
        switch bytes[start] >> 4 {
        case 0x0: return simple(bytes[start])
        case 0x1: return try integer(at: start)
        case 0x2: return try real(at: start)
        case 0x3: return .date(try double(at: start + 1, width: 8) + 978_307_200)
        case 0x4:
            let content = try content(at: start, unit: 1)
            try expand(by: content.count, at: start)
            return .data(Array(bytes[content]))
        case 0x5, 0x6: return .text(try text(at: start))
        case 0xa:
            let (numbers, _) = try references(at: start)
            var elements: [PropertyValue] = []
            for number in numbers { elements.append(try value(number, depth: depth + 1)) }
            return .array(elements)
        case 0xd: return .dictionary(try members(at: start, depth: depth))
        default: return .bad("is of a kind that archives do not have")
        }
    }

    private func simple(_ marker: UInt8) -> PropertyValue {
        switch marker {
        case 0x08: .bool(false)
        case 0x09: .bool(true)
        default: .bad("is empty")
        }
    }

    private mutating func members(
        at start: Int, depth: Int
    ) throws(PropertyListFault) -> [PropertyMember] {
        let (numbers, _) = try references(at: start)
        let count = numbers.count / 2
        var members: [PropertyMember] = []
        for index in 0..<count {
            let position = try offset(of: numbers[index])
            guard bytes[position] >> 4 == 0x5 || bytes[position] >> 4 == 0x6 else {
                throw PropertyListFault("a key is no text", at: position)
            }
            try expand(by: 1, at: position)
            let key = try text(at: position)
            let value = try value(numbers[count + index], depth: depth + 1)
            members.append(PropertyMember(key: key, value: value))
        }
        return members
    }

    // MARK: Positions

    private func offset(of number: Int) throws(PropertyListFault) -> Int {
        guard number < valueCount else {
            throw PropertyListFault("a value is named that is not there", at: tableOffset)
        }
        let position = tableOffset + number * offsetWidth
        let offset = Int(exactly: unsigned(at: position, width: offsetWidth)) ?? .max
        guard offset >= Self.magic.count, offset < tableOffset else {
            throw PropertyListFault("a value lies outside of the file", at: position)
        }
        return offset
    }

    /// Up to eight bytes as a number; they are there.
    private func unsigned(at offset: Int, width: Int) -> UInt64 {
        bytes[offset..<offset + width].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func check(_ offset: Int, _ count: Int) throws(PropertyListFault) {
        guard count <= tableOffset - offset else {
            throw PropertyListFault("a value ends outside of the file", at: offset)
        }
    }

    /// Where the content of a value lies whose marker tells a count of units.
    private func content(at start: Int, unit: Int) throws(PropertyListFault) -> Range<Int> {
        var (count, begin) = (Int(bytes[start] & 15), start + 1)
        if count == 15 {
            try check(begin, 1)
            let width = 1 << Int(bytes[begin] & 15)
            guard bytes[begin] >> 4 == 1, width <= 8 else {
                throw PropertyListFault("a length is damaged", at: begin)
            }
            try check(begin + 1, width)
            count = Int(exactly: unsigned(at: begin + 1, width: width)) ?? .max
            begin += 1 + width
        }
        let (byteCount, isOver) = count.multipliedReportingOverflow(by: unit)
        try check(begin, isOver ? .max : byteCount)
        return begin..<begin + byteCount
    }

    private func references(
        at start: Int
    ) throws(PropertyListFault) -> (numbers: [Int], isDictionary: Bool) {
        let isDictionary = bytes[start] >> 4 == 0xd
        let content = try content(at: start, unit: referenceWidth * (isDictionary ? 2 : 1))
        guard content.count / referenceWidth <= FormatLimits.entryCountMax else {
            throw PropertyListFault(
                "an array has more than \(FormatLimits.entryCountMax) values", at: start)
        }
        let numbers = stride(from: content.lowerBound, to: content.upperBound, by: referenceWidth)
            .map { Int(exactly: unsigned(at: $0, width: referenceWidth)) ?? .max }
        return (numbers, isDictionary)
    }

    private mutating func expand(by byteCount: Int, at offset: Int) throws(PropertyListFault) {
        expandedByteCount += byteCount
        entryByteCount += byteCount
        guard entryByteCount <= FormatLimits.entryByteCountMax else {
            throw PropertyListFault(FormatLimits.entryTooLong, at: offset)
        }
        let most = max(bytes.count * Self.expansionMax, Self.expandedByteCountMin)
        guard expandedByteCount <= most else {
            throw PropertyListFault("values are used again too often", at: offset)
        }
    }

    // MARK: Values

    private mutating func text(at start: Int) throws(PropertyListFault) -> String {
        if let known = texts[start] {
            try expand(by: known.utf8.count, at: start)
            return known
        }
        let isWide = bytes[start] >> 4 == 0x6
        let content = try content(at: start, unit: isWide ? 2 : 1)
        try expand(by: content.count, at: start)
        let text: String?
        if isWide {
            let units = stride(from: content.lowerBound, to: content.upperBound, by: 2)
                .map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            text = String(validating: units, as: UTF16.self)
        } else {
            // The narrow form is ASCII; UTF-8 in it is what some writers make.
            text = String(validating: bytes[content], as: UTF8.self)
        }
        guard let text else { throw PropertyListFault("a text is not Unicode", at: start) }
        texts[start] = text
        return text
    }

    private func integer(at start: Int) throws(PropertyListFault) -> PropertyValue {
        let width = 1 << Int(bytes[start] & 15)
        guard width <= 16 else { throw PropertyListFault("a number is too long", at: start) }
        try check(start + 1, width)
        let content = bytes[start + 1..<start + 1 + width]
        let wide = content.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        // Eight bytes and more have a sign, fewer have none.
        switch width {
        case 16: return .number(String(Int128(bitPattern: wide)))
        case 8: return .number(String(Int64(truncatingIfNeeded: wide)))
        default: return .number(String(wide))
        }
    }

    private func real(at start: Int) throws(PropertyListFault) -> PropertyValue {
        let number = try double(at: start + 1, width: 1 << Int(bytes[start] & 15))
        return number.isFinite ? .number(String(number)) : .bad("is no number")
    }

    private func double(at offset: Int, width: Int) throws(PropertyListFault) -> Double {
        guard width == 4 || width == 8 else {
            throw PropertyListFault("a number is of unknown length", at: offset)
        }
        try check(offset, width)
        let bits = unsigned(at: offset, width: width)
        if width == 8 { return Double(bitPattern: bits) }
        return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    }
}
