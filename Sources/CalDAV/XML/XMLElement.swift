/// The name of an element or a property: its namespace and the name within it.
package struct XMLName: Hashable, Sendable {
    /// The namespace's URI; empty for none.
    package let namespace: String
    /// The name without a prefix.
    package let local: String

    /// A name in a namespace.
    package init(_ namespace: String, _ local: String) {
        self.namespace = namespace
        self.local = local
    }

    /// A name of WebDAV (RFC 4918).
    package static func dav(_ local: String) -> XMLName { XMLName(XMLNamespace.dav, local) }

    /// A name of CalDAV (RFC 4791).
    package static func calDAV(_ local: String) -> XMLName {
        XMLName(XMLNamespace.calDAV, local)
    }

    /// A name of the calendar server's extensions: `getctag`.
    package static func calendarServer(_ local: String) -> XMLName {
        XMLName(XMLNamespace.calendarServer, local)
    }

    /// A name of Apple's extensions: `calendar-color`.
    package static func apple(_ local: String) -> XMLName { XMLName(XMLNamespace.apple, local) }

    /// A name of Tandem's own, in the bodies of refusals.
    package static func tandem(_ local: String) -> XMLName { XMLName(XMLNamespace.tandem, local) }
}

/// The namespaces that the gateway knows, each with the prefix that it has in answers.
package enum XMLNamespace {
    /// WebDAV (RFC 4918).
    package static let dav = "DAV:"
    /// CalDAV (RFC 4791).
    package static let calDAV = "urn:ietf:params:xml:ns:caldav"
    /// Extensions of a calendar server, of which clients use `getctag`.
    package static let calendarServer = "http://calendarserver.org/ns/"
    /// Extensions of Apple's, of which clients use the colour and the order.
    package static let apple = "http://apple.com/ns/ical/"
    /// Tandem's own reasons.
    package static let tandem = "urn:tandem:dav"

    /// Every known namespace and its prefix, in the order in which answers declare them.
    static let prefixes = [
        (dav, "D"), (calDAV, "C"), (calendarServer, "S"), (apple, "A"), (tandem, "T"),
    ]
}

/// An element of a request, with all that is in it.
package struct XMLElement: Hashable, Sendable {
    /// Its name.
    package var name: XMLName
    /// Its attributes by name; those in a namespace are `namespace␊name`.
    package var attributes: [String: String] = [:]
    /// The elements in it, in their order.
    package var children: [XMLElement] = []
    /// The characters in it outside of its elements, behind each other.
    package var text = ""

    /// An element with nothing in it.
    package init(_ name: XMLName) { self.name = name }

    /// The first element of a name in it.
    package subscript(name: XMLName) -> XMLElement? { children.first { $0.name == name } }

    /// The elements of a name in it.
    package func all(_ name: XMLName) -> [XMLElement] { children.filter { $0.name == name } }

    /// The characters without white space around them.
    package var trimmedText: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        guard let first = text.firstIndex(where: { !isSpace($0) }),
            let last = text.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(text[first...last])
    }
}
