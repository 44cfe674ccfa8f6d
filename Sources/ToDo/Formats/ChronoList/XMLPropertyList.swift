import FoundationEssentials

/// Reads the XML form of a property list; only as much XML as such files have.
///
/// A document type may name its definition, which is never fetched, and may not define anything
/// itself: entities besides the five of XML and characters by number are refused, so that no text
/// can grow beyond the file's size. UTF-8 only.
struct XMLPropertyList {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        offset = ByteOrderMark.end(in: bytes)
    }

    /// A start or end tag.
    private struct Tag {
        var name: String
        var isEnd: Bool
        var isEmpty: Bool
        var offset: Int
    }

    private var pending: Tag?
    /// Where the entry begins that is being read.
    private var entryStart = 0

    /// Goes into the outermost array; false if there is another value.
    mutating func enterEntries() throws(PropertyListFault) -> Bool {
        try skipMisc()
        let root = try tag()
        guard root.name == "plist", !root.isEnd, !root.isEmpty else {
            throw PropertyListFault("does not begin with <plist>", at: root.offset)
        }
        try skipMisc()
        let first = try tag()
        if first.name == "array", first.isEmpty {
            pending = Tag(name: "array", isEnd: true, isEmpty: false, offset: offset)
        }
        return first.name == "array" && !first.isEnd
    }

    /// The next value of the outermost array and where it begins; nil at the end of the file.
    mutating func nextEntry() throws(PropertyListFault) -> (offset: Int, value: PropertyValue)? {
        let next = try nextTag()
        if !next.isEnd {
            entryStart = next.offset
            return (next.offset, try value(next, depth: 1))
        }
        try check(next, ends: "array")
        try skipMisc()
        try check(try tag(), ends: "plist")
        try skipMisc()
        guard offset == bytes.count else {
            throw PropertyListFault("goes on behind its end", at: offset)
        }
        return nil
    }

    private mutating func nextTag() throws(PropertyListFault) -> Tag {
        defer { pending = nil }
        if let pending { return pending }
        try skipMisc()
        return try tag()
    }

    private func check(_ tag: Tag, ends name: String) throws(PropertyListFault) {
        guard tag.isEnd, tag.name == name else {
            throw PropertyListFault("</\(name)> is missing", at: tag.offset)
        }
    }

    private mutating func value(
        _ tag: Tag, depth: Int
    ) throws(PropertyListFault) -> PropertyValue {
        guard depth < FormatLimits.depthMax else { throw .tooDeep(at: tag.offset) }
        guard tag.offset - entryStart <= FormatLimits.entryByteCountMax else {
            throw PropertyListFault(FormatLimits.entryTooLong, at: tag.offset)
        }
        switch tag.name {
        case "dict": return .dictionary(tag.isEmpty ? [] : try members(depth: depth))
        case "array":
            var elements: [PropertyValue] = []
            while !tag.isEmpty {
                let next = try nextTag()
                if next.isEnd {
                    try check(next, ends: "array")
                    break
                }
                elements.append(try value(next, depth: depth + 1))
            }
            return .array(elements)
        case "string": return .text(try content(of: tag))
        case "true", "false":
            guard try content(of: tag).isEmpty else {
                throw PropertyListFault("<\(tag.name)> is not empty", at: tag.offset)
            }
            return .bool(tag.name == "true")
        case "integer", "real", "date", "data":
            return Self.scalar(tag.name, try content(of: tag))
        default:
            throw PropertyListFault("<\(tag.name.prefix(40))> is not expected", at: tag.offset)
        }
    }

    private mutating func members(depth: Int) throws(PropertyListFault) -> [PropertyMember] {
        var members: [PropertyMember] = []
        while true {
            let next = try nextTag()
            if next.isEnd {
                try check(next, ends: "dict")
                return members
            }
            guard next.name == "key" else {
                throw PropertyListFault("a <key> is missing", at: next.offset)
            }
            let key = try content(of: next)
            let second = try nextTag()
            guard !second.isEnd else {
                throw PropertyListFault("a key has no value", at: second.offset)
            }
            members.append(PropertyMember(key: key, value: try value(second, depth: depth + 1)))
        }
    }

    private static func scalar(_ name: String, _ content: String) -> PropertyValue {
        let text = String(
            content.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        switch name {
        case "integer":
            guard let number = Int128(text) else {
                return .bad("'\(text.prefix(40))' is no number")
            }
            return .number(String(number))
        case "real":
            guard let number = Double(text), number.isFinite else {
                return .bad("'\(text.prefix(40))' is no number")
            }
            return .number(String(number))
        case "date":
            guard case .instant(let instant)? = TimestampReader.rfc3339(text) else {
                return .bad("'\(text.prefix(40))' is no date")
            }
            return .date(Double(instant) / 1_000)
        default:
            guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
                return .bad("is not base64")
            }
            return .data(Array(data))
        }
    }
}

// MARK: Tags and text

extension XMLPropertyList {
    private func fault(_ reason: String) -> PropertyListFault {
        PropertyListFault(
            offset < bytes.count ? reason : "the file ends too early", at: offset)
    }

    private func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - offset >= count else { return false }
        for index in 0..<count where bytes[offset + index] != text.utf8Start[index] {
            return false
        }
        return true
    }

    /// Goes behind the next `text`.
    private mutating func skip(past text: StaticString) throws(PropertyListFault) {
        while offset < bytes.count {
            if starts(with: text) {
                offset += text.utf8CodeUnitCount
                return
            }
            offset += 1
        }
        throw fault("")
    }

    /// Passes over white space, comments, processing instructions and a harmless document type.
    private mutating func skipMisc() throws(PropertyListFault) {
        while offset < bytes.count {
            if Self.isSpace(bytes[offset]) {
                offset += 1
            } else if starts(with: "<!--") {
                try skip(past: "-->")
            } else if starts(with: "<?") {
                try skip(past: "?>")
            } else if starts(with: "<!DOCTYPE") {
                while offset < bytes.count, bytes[offset] != UInt8(ascii: ">") {
                    guard bytes[offset] != UInt8(ascii: "[") else {
                        throw fault("the document type defines entities, which is refused")
                    }
                    offset += 1
                }
                try skip(past: ">")
            } else {
                return
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 32 || byte == 9 || byte == 10 || byte == 13
    }

    private mutating func tag() throws(PropertyListFault) -> Tag {
        let start = offset
        guard starts(with: "<") else { throw fault("a tag is missing") }
        offset += 1
        let isEnd = starts(with: "/")
        if isEnd { offset += 1 }
        let nameStart = offset
        while offset < bytes.count, bytes[offset] | 0x20 >= UInt8(ascii: "a"),
            bytes[offset] | 0x20 <= UInt8(ascii: "z")
        {
            offset += 1
        }
        let name = String(decoding: bytes[nameStart..<offset], as: UTF8.self)
        // Attributes, of which only <plist> has one, say nothing that matters.
        while offset < bytes.count, bytes[offset] != UInt8(ascii: ">") {
            guard bytes[offset] != UInt8(ascii: "<") else { throw fault("a tag is not closed") }
            offset += 1
        }
        guard offset < bytes.count, !name.isEmpty else { throw fault("a tag has no name") }
        let isEmpty = !isEnd && bytes[offset - 1] == UInt8(ascii: "/")
        offset += 1
        return Tag(name: name, isEnd: isEnd, isEmpty: isEmpty, offset: start)
    }

    /// The text up to the end tag.
    private mutating func content(of tag: Tag) throws(PropertyListFault) -> String {
        if tag.isEmpty { return "" }
        var content: [UInt8] = []
        while offset < bytes.count {
            if starts(with: "<![CDATA[") {
                offset += 9
                let start = offset
                try skip(past: "]]>")
                content += bytes[start..<offset - 3]
            } else if starts(with: "<!--") {
                try skip(past: "-->")
            } else if bytes[offset] == UInt8(ascii: "<") {
                try check(try self.tag(), ends: tag.name)
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw PropertyListFault("a text is not UTF-8", at: tag.offset)
                }
                return text
            } else if bytes[offset] == UInt8(ascii: "&") {
                content += try reference().utf8
            } else {
                // An end of line is one character, whatever the file has.
                if bytes[offset] == 13 {
                    content.append(10)
                    offset += starts(with: "\r\n") ? 2 : 1
                    continue
                }
                content.append(bytes[offset])
                offset += 1
            }
        }
        throw fault("")
    }

    /// `&amp;`, `&#38;` and the like.
    private mutating func reference() throws(PropertyListFault) -> String {
        let start = offset + 1
        let end = bytes[start...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
        guard let end else { throw fault("'&' stands alone") }
        let name = String(decoding: bytes[start..<end], as: UTF8.self)
        offset = end + 1
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let isHexadecimal = name.hasPrefix("#x")
            guard name.hasPrefix("#"),
                let number = UInt32(
                    name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10),
                let scalar = Unicode.Scalar(number)
            else {
                throw PropertyListFault(
                    "'&\(name);' is an entity that only its author knows", at: start - 1)
            }
            return String(Character(scalar))
        }
    }
}
