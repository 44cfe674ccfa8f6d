/// The properties that a client asks for.
package enum PropertyRequest: Hashable, Sendable {
    /// All that WebDAV defines, and these besides.
    case all(including: [XMLName])
    /// The names of all.
    case names
    /// These, in the order in which they are asked for.
    case named([XMLName])

    /// Reads the body of a PROPFIND; nil if it is none.
    ///
    /// - Parameter root: nil for an empty body, which asks for all.
    package init?(propfind root: XMLElement?) {
        guard let root else {
            self = .all(including: [])
            return
        }
        guard root.name == .dav("propfind"), let found = PropertyRequest(in: root) else {
            return nil
        }
        self = found
    }

    /// Reads the properties that an element asks for; nil if it asks for none.
    package init?(in element: XMLElement) {
        if element[.dav("propname")] != nil {
            self = .names
        } else if element[.dav("allprop")] != nil {
            self = .all(including: element[.dav("include")]?.children.map(\.name) ?? [])
        } else if let properties = element[.dav("prop")] {
            var seen: Set<XMLName> = []
            self = .named(properties.children.map(\.name).filter { seen.insert($0).inserted })
        } else {
            return nil
        }
    }
}

/// A change of properties that a client asks for (RFC 4918, section 9.2), or sets for a new list.
package struct PropertyPatch {
    /// One property with its new value; nil to remove it.
    package typealias Step = (name: XMLName, value: XMLElement?)

    /// The changes, in their order.
    package let steps: [Step]

    /// Reads the body of a PROPPATCH; nil if it is none.
    package init?(_ root: XMLElement) {
        guard root.name == .dav("propertyupdate") else { return nil }
        self.init(changesOf: root)
    }

    /// Reads the properties of a new list in the body of a MKCOL (RFC 5689) or MKCALENDAR; nil if it is none.
    ///
    /// - Parameter root: nil for an empty body.
    package init?(making root: XMLElement?) {
        guard let root else {
            self.init(steps: [])
            return
        }
        guard root.name == .dav("mkcol") || root.name == .calDAV("mkcalendar") else { return nil }
        self.init(changesOf: root)
    }

    private init(steps: [Step]) { self.steps = steps }

    private init(changesOf root: XMLElement) {
        self.init(
            steps: root.children.flatMap { change -> [Step] in
                let properties = change[.dav("prop")]?.children ?? []
                switch change.name {
                case .dav("set"): return properties.map { ($0.name, $0) }
                case .dav("remove"): return properties.map { ($0.name, nil) }
                default: return []
                }
            })
    }

    /// The last value that a property is given; nil if it is given none.
    package func value(_ name: XMLName) -> XMLElement? {
        steps.last { $0.name == name }?.value
    }
}
