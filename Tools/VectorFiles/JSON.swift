import JSON

/// The project's JSON value, as vectors use it: whole numbers alone.
package typealias JSON = JSONValue

extension JSONValue {
    /// A name and its value.
    package typealias Pair = JSONMember

    /// An array.
    package static func list(_ items: [JSONValue]) -> JSONValue { .array(items) }

    /// The value on one line.
    package var line: String { text(JSONStyle(hasSpaces: true, isASCII: true)) }

    /// A list of objects as a file: each name of each object on its own line.
    package var file: String {
        let style = JSONStyle(hasSpaces: true, isASCII: true, brokenLevelCount: 2, indentation: 2)
        return text(style) + "\n"
    }

    /// Whether every number in the value is a whole one of 64 bits.
    fileprivate var hasWholeNumbers: Bool {
        switch self {
        case .number: asNumber != nil || asInteger != nil
        case .array(let items): items.allSatisfy(\.hasWholeNumbers)
        case .object(let pairs): pairs.allSatisfy(\.value.hasWholeNumbers)
        case .null, .bool, .text: true
        }
    }
}

extension VectorFile {
    /// Reads the JSON that vectors are written in.
    package static func read(_ bytes: [UInt8]) throws(JSONFault) -> JSON {
        let value = try JSONReader.read(bytes, depthMax: 32)
        guard value.hasWholeNumbers else {
            throw JSONFault(reason: .badNumber, byteOffset: bytes.count)
        }
        return value
    }
}
