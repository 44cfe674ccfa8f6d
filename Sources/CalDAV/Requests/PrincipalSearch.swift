/// A search for persons (RFC 3744, section 9.4).
///
/// There is one person, whom a client finds by its own name.
package struct PrincipalSearch {
    /// The texts that have to be in the person's name, in whatever case.
    private let wanted: [String]
    /// Whether a property is searched that persons are not found by.
    private let asksForOthers: Bool
    /// Whether one of the texts is enough; an extension that calendar servers have.
    private let anyIsEnough: Bool
    /// The properties that are asked for.
    package let properties: PropertyRequest

    /// Reads the body of a REPORT; nil if it is none.
    ///
    /// Programs that mistake where the properties stand ask for none: they are told those by which a person is known.
    package init?(_ root: XMLElement) {
        guard root.name == .dav("principal-property-search") else { return nil }
        var wanted: [String] = []
        var asksForOthers = false
        for search in root.all(.dav("property-search")) {
            let names = search[.dav("prop")]?.children.map(\.name) ?? []
            if names == [.dav("displayname")] {
                wanted.append(search[.dav("match")]?.trimmedText ?? "")
            } else {
                asksForOthers = true
            }
        }
        self.wanted = wanted
        self.asksForOthers = asksForOthers
        anyIsEnough = root.attributes["test"] == "anyof"
        switch PropertyRequest(in: root) {
        case .named(let names)? where !names.isEmpty: properties = .named(names)
        case .all(let including)?: properties = .all(including: including)
        case .names?: properties = .names
        case .named, nil:
            properties = .named([
                .dav("displayname"), .calDAV("calendar-home-set"), .dav("resourcetype"),
            ])
        }
    }

    /// Whether a person of that name is found; each is by a search that says nothing.
    package func finds(_ name: String) -> Bool {
        let bytes = Array(name.lowercased().utf8)
        func isIn(_ text: String) -> Bool {
            text.isEmpty || bytes.firstRange(of: Array(text.lowercased().utf8)) != nil
        }
        if anyIsEnough, !wanted.isEmpty { return wanted.contains(where: isIn) }
        return !asksForOthers && wanted.allSatisfy(isIn)
    }
}
