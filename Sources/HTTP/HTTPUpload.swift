/// The fields of a form that carries a file (RFC 7578).
package struct HTTPUpload {
    /// The media type of such a body.
    package static let type = "multipart/form-data"
    /// The longest body, in bytes.
    package static let byteCountMax = 12 << 20
    /// The most parts.
    package static let partCountMax = 64
    /// The longest head of a part, in bytes.
    private static let headByteCountMax = 2_000
    /// The longest boundary, in bytes.
    private static let boundaryByteCountMax = 70

    /// The fields that are text.
    package private(set) var fields: [(name: String, value: String)] = []
    /// The first file that has any bytes.
    package private(set) var file: (name: String, bytes: [UInt8])?

    /// Reads a body; nil if it is none of such a form, over a limit or malformed.
    package init?(_ request: HTTPRequest) {
        guard let type = request.header("content-type"), request.body.count <= Self.byteCountMax,
            let boundary = Self.boundary(type)
        else { return nil }
        let body = request.body
        let delimiter = Array("\r\n--\(boundary)".utf8)
        // The first delimiter has no line end in front of it.
        guard body.starts(with: delimiter.dropFirst(2)) else { return nil }
        var position = delimiter.count - 2
        var partCount = 0
        while !body[position...].starts(with: "--".utf8) {
            partCount += 1
            guard body[position...].starts(with: "\r\n".utf8),
                partCount <= Self.partCountMax,
                let end = Self.first(delimiter, in: body, from: position + 2)
            else { return nil }
            guard read(body[(position + 2)..<end]) else { return nil }
            position = end + delimiter.count
        }
    }

    private static func boundary(_ type: String) -> String? {
        let parts = type.split(separator: ";").map { part in
            part.drop { $0 == " " }
        }
        guard parts.first?.lowercased() == Self.type,
            let found = parts.dropFirst().first(where: { $0.lowercased().hasPrefix("boundary=") })
        else { return nil }
        let text = found.dropFirst("boundary=".count).filter { $0 != "\"" }
        return (1...boundaryByteCountMax).contains(text.utf8.count) ? text : nil
    }

    /// The position of bytes in others.
    private static func first(_ wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard let head = wanted.first else { return nil }
        var position = start
        while position + wanted.count <= bytes.count {
            guard let next = bytes[position...].firstIndex(of: head) else { return nil }
            if bytes[next...].starts(with: wanted) { return next }
            position = next + 1
        }
        return nil
    }

    /// Reads one part.
    private mutating func read(_ part: ArraySlice<UInt8>) -> Bool {
        let bytes = Array(part)
        guard
            let end = Self.first(
                Array("\r\n\r\n".utf8), in: Array(bytes.prefix(Self.headByteCountMax)), from: 0),
            let head = String(validating: bytes[..<end], as: UTF8.self)
        else { return false }
        let content = Array(bytes[(end + 4)...])
        guard
            let line = head.split(separator: "\r\n").first(where: { line in
                line.lowercased().hasPrefix("content-disposition:")
            }), let name = Self.parameter("name", of: line)
        else { return false }
        if let fileName = Self.parameter("filename", of: line) {
            if file == nil, !content.isEmpty { file = (fileName, content) }
            return true
        }
        guard let value = String(validating: content, as: UTF8.self) else { return false }
        fields.append((name, value))
        return true
    }

    /// The value of a parameter in quotes.
    private static func parameter(_ name: String, of line: Substring) -> String? {
        guard let start = line.firstRange(of: "; \(name)=\"")?.upperBound,
            let end = line[start...].firstIndex(of: "\"")
        else { return nil }
        return String(line[start..<end])
    }
}
