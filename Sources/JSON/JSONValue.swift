/// A JSON value that loses nothing: numbers stay as written, members keep their order.
package enum JSONValue: Sendable, Hashable {
    /// Nothing.
    case null
    /// Yes or no.
    case bool(Bool)
    /// A number as it is written, so that no digit is lost.
    case number(String)
    /// A text.
    case text(String)
    /// Values in order.
    case array([JSONValue])
    /// Named values in order.
    case object([JSONMember])
}

/// One name and value of a JSON object.
package struct JSONMember: Sendable, Hashable {
    /// The name.
    package var name: String
    /// The value.
    package var value: JSONValue

    /// Gives a value a name.
    package init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension JSONValue {
    /// A whole number.
    package static func number(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

    /// An object of names and values.
    package static func named(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { JSONMember($0.0, $0.1) })
    }

    /// An array of texts.
    package static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .text($0) }) }

    /// The value of a name in an object; nil if there is none.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text, if it is one.
    package var asText: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The number, if it is a whole one that fits and is not negative.
    package var asNumber: UInt64? {
        if case .number(let digits) = self { UInt64(digits) } else { nil }
    }

    /// The number, if it is a whole one that fits.
    package var asInteger: Int64? {
        if case .number(let digits) = self { Int64(digits) } else { nil }
    }

    /// The elements, if it is an array.
    package var asList: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// An array of texts, if it is that.
    package var texts: [String]? {
        guard case .array(let elements) = self else { return nil }
        let texts = elements.compactMap(\.asText)
        return texts.count == elements.count ? texts : nil
    }

    /// The value as compact JSON.
    package var compactText: String { text(.compact) }

    /// The value as JSON in a style.
    package func text(_ style: JSONStyle) -> String {
        var writer = JSONWriter(style)
        writer.append(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Reads a text that holds exactly one value; nil if it does not.
    package init?(compactText text: String) {
        guard let value = try? JSONReader.read(Array(text.utf8)) else { return nil }
        self = value
    }
}

/// Says why bytes that should be JSON are none, and where.
package struct JSONFault: Error, Hashable {
    /// The kinds of faults.
    package enum Reason: Sendable {
        /// A byte that cannot stand there.
        case unexpectedByte
        /// The bytes end within a value.
        case endsTooEarly
        /// Values are nested deeper than the reader allows.
        case tooDeep
        /// A value is longer than the reader allows.
        case tooLong
        /// A number without digits where it needs some.
        case badNumber
        /// A text that is not valid UTF-8, or has a bad escape.
        case badText
        /// A name that stands twice in one object.
        case repeatedName
    }

    /// The kind of fault.
    package var reason: Reason
    /// The byte at which reading stopped, from 0.
    package var byteOffset: Int

    /// A fault at a byte.
    package init(reason: Reason, byteOffset: Int) {
        self.reason = reason
        self.byteOffset = byteOffset
    }
}
