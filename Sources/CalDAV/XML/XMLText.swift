/// A part of an answer in XML.
///
/// Text comes into it escaped and in no other way: there is no door for source.
package struct XMLText: Sendable {
    /// The bytes of the part.
    package private(set) var source: String

    private init(source: String) { self.source = source }

    /// Characters; those that no document can hold are replaced.
    package init(_ text: String) { source = Self.escaped(text) }

    /// Parts behind each other.
    package init(_ parts: some Sequence<XMLText>) {
        source = ""
        for part in parts { source += part.source }
    }

    /// Nothing.
    package static var nothing: XMLText { XMLText(source: "") }

    /// Whether there is nothing.
    package var isEmpty: Bool { source.isEmpty }

    /// Adds a part behind this one.
    package static func += (text: inout XMLText, part: XMLText) { text.source += part.source }

    /// Parts behind each other.
    package static func + (one: XMLText, other: XMLText) -> XMLText {
        XMLText(source: one.source + other.source)
    }

    /// An element; one in a namespace without a prefix declares it.
    ///
    /// - Parameter attributes: without namespaces; the names are the program's and are not escaped.
    package static func element(
        _ name: XMLName, _ attributes: [(name: String, value: String)] = [],
        _ content: XMLText = .nothing
    ) -> XMLText {
        let prefix = XMLNamespace.prefixes.first { $0.0 == name.namespace }?.1
        let local = escaped(name.local)
        let tag = prefix.map { "\($0):\(local)" } ?? local
        var source = "<" + tag
        if prefix == nil { source += " xmlns=\"\(escaped(name.namespace, isAttribute: true))\"" }
        for attribute in attributes {
            source += " \(attribute.name)=\"\(escaped(attribute.value, isAttribute: true))\""
        }
        source += content.isEmpty ? "/>" : ">" + content.source + "</" + tag + ">"
        return XMLText(source: source)
    }

    /// An element with characters alone.
    package static func element(_ name: XMLName, text: String) -> XMLText {
        element(name, [], XMLText(text))
    }

    /// An element with a reference to a resource.
    ///
    /// - Parameter path: with its escapes.
    package static func href(_ path: String) -> XMLText { element(.dav("href"), text: path) }

    /// A whole document whose root declares all known namespaces.
    package static func document(_ name: XMLName, _ content: XMLText) -> [UInt8] {
        let prefix = XMLNamespace.prefixes.first { $0.0 == name.namespace }?.1 ?? "D"
        let declarations = XMLNamespace.prefixes.map { " xmlns:\($0.1)=\"\(escaped($0.0))\"" }
        let tag = "\(prefix):\(escaped(name.local))"
        return Array(
            ("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<\(tag)\(declarations.joined())>"
                + content.source + "</\(tag)>\n").utf8)
    }

    /// Text without any character that means something in a document or in an attribute.
    ///
    /// - Parameter isAttribute: whether a reader would make spaces of its tabs and line feeds.
    private static func escaped(_ text: String, isAttribute: Bool = false) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""): false
            // The last is the first byte of U+FFFE, among others.
            case 0..<9, 11..<32, 0xef: false
            case 9, 10: !isAttribute
            default: true
            }
        }
        if isPlain { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count + 32)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // Readers make a line feed of it unless it is written as a reference.
            case "\r": result += "&#13;"
            case "\t" where isAttribute: result += "&#9;"
            case "\n" where isAttribute: result += "&#10;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case "\0"..<" ", "\u{fffe}", "\u{ffff}": result += "\u{fffd}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
