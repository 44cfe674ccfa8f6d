/// A JSON value that loses nothing: numbers stay as written, members keep their order.
enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The number as it is written, so that no digit is lost.
    case number(String)
    case text(String)
    case array([JSONValue])
    case object([JSONMember])
}

extension JSONValue {
    /// An array of texts, if it is that.
    var texts: [String]? {
        guard case .array(let elements) = self else { return nil }
        let texts = elements.compactMap { element -> String? in
            if case .text(let text) = element { text } else { nil }
        }
        return texts.count == elements.count ? texts : nil
    }

    /// The value as compact JSON.
    var compactText: String {
        var writer = JSONWriter()
        writer.append(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Reads a text that holds exactly one value; nil if it does not.
    init?(compactText text: String) {
        var reader = JSONReader(Array(text.utf8))
        guard let value = try? reader.value(), reader.isAtEnd() else { return nil }
        self = value
    }
}
