import CalDAV
import HTTP

extension FuzzTargets {
    /// The body of a request in XML: read, written and read again.
    static let xml = FuzzTarget(
        "xml", byteCountMax: 1024, decoders: ["Sources/CalDAV/XML/XMLReader.swift"]
    ) { bytes in
        var limits = XMLLimits()
        limits.depthMax = 6
        limits.elementCountMax = 20
        limits.attributeCountMax = 3
        limits.nameByteCountMax = 40
        limits.byteCountMax = 1000
        guard let root = try? XMLReader.read(bytes, within: limits) else { return }
        try promise(depth(of: root) <= limits.depthMax, "a level over the limit")
        try promise(count(in: root) <= limits.elementCountMax, "an element over the limit")
        // Once it is written, the XML that was read has no attributes and no text between elements.
        let written = XMLText.document(.dav("all"), written(root))
        let again = try? XMLReader.read(written)
        try promise(
            again?.children == [bare(root)], "a document that is not read again as it was")
    }

    private static func depth(of element: XMLElement) -> Int {
        1 + (element.children.map(depth).max() ?? 0)
    }

    private static func count(in element: XMLElement) -> Int {
        element.children.reduce(1) { $0 + count(in: $1) }
    }

    /// An element without attributes; with elements in it without text.
    private static func bare(_ element: XMLElement) -> XMLElement {
        var result = XMLElement(element.name)
        result.children = element.children.map(bare)
        if result.children.isEmpty { result.text = element.text }
        return result
    }

    private static func written(_ element: XMLElement) -> XMLText {
        .element(
            element.name, [],
            element.children.isEmpty
                ? XMLText(element.text) : XMLText(element.children.map(written)))
    }

    /// A request of CalDAV: its path, a line feed, and its body.
    static let dav = FuzzTarget(
        "dav", byteCountMax: 2048,
        decoders: [
            "Sources/CalDAV/Requests/GatewayResource.swift",
            "Sources/CalDAV/Requests/PropertyRequest.swift",
            "Sources/CalDAV/Requests/ReportRequest.swift",
            "Sources/CalDAV/Requests/PrincipalSearch.swift",
            "Sources/CalDAV/Requests/CalendarFilterReader.swift",
            "Sources/CalDAV/Lists/SyncToken.swift",
        ]
    ) { bytes in
        let line = bytes.prefix { $0 != 10 }
        if let path = text(Array(line)) {
            if let resource = GatewayResource(path: path) {
                try promise(
                    GatewayResource(path: resource.path) == resource,
                    "a path that names something else when it is written")
                try promise(!path.contains("//"), "a path with an empty part")
            }
            if let resource = GatewayResource(reference: path) {
                try promise(
                    GatewayResource(reference: resource.path) == resource, "another reference")
            }
            if let token = SyncToken(path) {
                try promise(token.text == path, "a token with two texts")
            }
        }
        let body = Array(bytes.dropFirst(line.count + 1))
        if body.isEmpty {
            // What a request without a body asks for.
            try promise(
                PropertyRequest(propfind: nil) == .all(including: []), "less than all is asked for")
            try promise(
                PropertyPatch(making: nil)?.steps.isEmpty == true,
                "a list with properties of nobody's")
        }
        guard let root = try? XMLReader.read(body) else { return }
        if case .named(let names)? = PropertyRequest(propfind: root) {
            try promise(Set(names).count == names.count, "a property twice")
        }
        for patch in [PropertyPatch(root), PropertyPatch(making: root)] {
            for step in patch?.steps ?? [] {
                try promise(step.value.map { $0.name == step.name } ?? true, "another property")
                let last = patch?.value(step.name)
                try promise(
                    last.map { $0.name == step.name } ?? true, "a value of another property")
            }
        }
        if let search = PrincipalSearch(root) {
            if case .named(let names) = search.properties {
                try promise(!names.isEmpty, "a person of whom nothing is told")
            }
            // However letters are folded: a name is in none that lacks them.
            try promise(search.finds("fuzz") == search.finds("FUZZ"), "a search by case")
        }
        do throws(GatewayRefusal) {
            _ = try ReportRequest(root)
        } catch {
            try promise((400..<500).contains(error.status), "a refusal that is the gateway's fault")
            _ = error.response([:])
        }
    }
}

extension FuzzSeeds {
    /// Documents and requests of each kind.
    static let calendars: [FuzzSeed] =
        documents.map { FuzzSeed("xml", $0.0, $0.1) }
        + requests.map { FuzzSeed("dav", $0.0, $0.1 + "\n" + $0.2) }

    private static let documents: [(String, String)] = [
        ("xml", "<a xmlns='b' c='d' e:f='g' xmlns:e='h'>i<e:j/>&amp;k</a>"),
        ("xml-no-end", "<a><b>"), ("xml-document-type", "<!DOCTYPE a><a/>"),
        ("xml-entity", "<a>&b;</a>"),
        ("xml-deep", "<a><a><a><a><a><a><a/></a></a></a></a></a></a>"),
        ("xml-many", "<a>" + String(repeating: "<b/>", count: 20) + "</a>"),
        ("xml-attributes", "<a b='' c='' d='' e=''/>"),
        ("xml-long-name", "<" + String(repeating: "a", count: 41) + "/>"),
        ("xml-long-attribute", "<a " + String(repeating: "b", count: 41) + "=''/>"),
        (
            "xml-two-limits",
            "<a><a><a><a><a><a><" + String(repeating: "a", count: 41) + "/></a></a></a></a></a></a>"
        ),
        (
            "xml-all-limits",
            "<a>" + String(repeating: "<b/>", count: 19) + "<c b='' c='' d='' "
                + String(repeating: "e", count: 41) + "='' f=''/></a>"
        ),
        ("xml-long", "<a>" + String(repeating: "b", count: 1000) + "</a>"),
        ("xml-text-after-limit", "<a><b c='' d='' e='' f=''/>text<g/></a>"),
        ("xml-type-after-limit", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"),
        ("xml-nothing", ""), ("xml-comment", "<!-- a --><a><?b c?><![CDATA[d]]></a>"),
        ("xml-escapes", "<a>&lt;]]&gt;&#13;&quot;</a>"), ("xml-two-roots", "<a/><b/>"),
    ]

    private static let requests: [(String, String, String)] = [
        ("dav-no-body", "/lists/a/", ""),
        ("dav-asks-for-nothing", "/", "<propfind xmlns='DAV:'/>"),
        ("dav-other-root", "/", "<a xmlns='DAV:'/>"),
        ("dav-all-bare", "/", "<propfind xmlns='DAV:'><allprop/></propfind>"),
        (
            "dav-patch-twice", "/lists/a/",
            "<propertyupdate xmlns='DAV:'><set><prop><a>b</a></prop></set><remove><prop><a/></prop></remove>"
                + "<set/><c/></propertyupdate>"
        ),
        (
            "dav-make-list", "/lists/a/",
            "<mkcol xmlns='DAV:'><set><prop><displayname>b</displayname></prop></set></mkcol>"
        ),
        (
            "dav-make-calendar", "/lists/a/",
            "<c:mkcalendar xmlns='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav'><set><prop><displayname/></prop></set>"
                + "</c:mkcalendar>"
        ),
        (
            "dav-free-busy", "/lists/a/",
            "<free-busy-query xmlns='urn:ietf:params:xml:ns:caldav'>"
                + "<time-range start='20261201T000000Z' end='20261202T000000Z'/></free-busy-query>"
        ),
        (
            "dav-free-busy-no-time", "/lists/a/",
            "<free-busy-query xmlns='urn:ietf:params:xml:ns:caldav'/>"
        ),
        (
            "dav-persons", "/",
            "<principal-property-search xmlns='DAV:'><property-search><prop><displayname/></prop>"
                + "<match>UZ</match></property-search><prop><displayname/></prop></principal-property-search>"
        ),
        (
            "dav-persons-any", "/",
            "<principal-property-search xmlns='DAV:' test='anyof'><property-search><prop><a/></prop>"
                + "<match>x</match></property-search><property-search><prop><displayname/></prop></property-search>"
                + "<allprop/></principal-property-search>"
        ),
        (
            "dav-persons-names", "/",
            "<principal-property-search xmlns='DAV:'><property-search/><propname/></principal-property-search>"
        ),
        ("dav-persons-nothing", "/", "<principal-property-search xmlns='DAV:'/>"),
        ("dav-all", "/", "<propfind xmlns='DAV:'><allprop/><include><a/></include></propfind>"),
        ("dav-names", "/lists", "<propfind xmlns='DAV:'><propname/></propfind>"),
        (
            "dav-named", "/principal/",
            "<propfind xmlns='DAV:'><prop><a/><a/><b/></prop></propfind>"
        ),
        ("dav-no-propfind", "/lists/a%20b/c.ics", "<propfind xmlns='DAV:'/>"),
        ("dav-path-up", "/lists/%2e%2e/", "<a/>"), ("dav-path-empty", "//lists//a", "<a/>"),
        ("dav-path-slash", "/lists/a%2fb", "<a/>"), ("dav-path-deep", "/lists/a/b/c", "<a/>"),
        ("dav-reference", "https://a/lists/b/c.ics", "<a/>"),
        ("dav-reference-query", "/lists/?a", "<a/>"),
        ("dav-token", "urn:tandem:changes:1:a:b:3:4", "<a/>"),
        ("dav-token-two-texts", "urn:tandem:changes:1:0a:b:3:4", "<a/>"),
        ("dav-token-short", "urn:tandem:changes:1:a:b:3", "<a/>"),
        (
            "dav-patch", "/lists/a/",
            "<propertyupdate xmlns='DAV:'><set><prop><displayname>x</displayname></prop></set>"
                + "<remove><prop><a/></prop></remove><other/></propertyupdate>"
        ),
        ("dav-make", "/lists/a/", "<mkcol xmlns='DAV:'><set><prop><a/></prop></set></mkcol>"),
        ("dav-sync", "", sync("<sync-token>a</sync-token><sync-level>1</sync-level>")),
        (
            "dav-sync-limit", "",
            sync("<limit><nresults>5</nresults></limit><prop><getetag/></prop>")
        ),
        ("dav-sync-no-limit", "", sync("<limit><nresults>0</nresults></limit>")),
        ("dav-sync-level", "", sync("<sync-level>infinite</sync-level>")),
        ("dav-multiget", "", calendar("multiget", "<D:href>/lists/a/b.ics</D:href>")),
        ("dav-multiget-none", "", calendar("multiget", "")),
        ("dav-no-filter", "", calendar("query", "")),
        ("dav-filter-all", "", query("")),
        (
            "dav-filter-other", "",
            calendar("query", "<C:filter><C:comp-filter name='VEVENT'/></C:filter>")
        ),
        (
            "dav-filter-not",
            "",
            calendar(
                "query",
                "<C:filter><C:comp-filter name='VCALENDAR'><C:is-not-defined/></C:comp-filter></C:filter>"
            )
        ),
        (
            "dav-filter-time", "",
            query("<C:time-range start='20260101T000000Z' end='20270101T000000Z'/>")
        ),
        (
            "dav-filter-bad-time", "",
            query("<C:time-range start='20270101T000000Z' end='20260101T000000Z'/>")
        ),
        (
            "dav-filter-text", "",
            query(
                "<C:prop-filter name='A'><C:text-match collation='i;octet' negate-condition='yes'>b</C:text-match>"
                    + "<C:param-filter name='C'><C:is-not-defined/></C:param-filter></C:prop-filter>"
            )
        ),
        (
            "dav-filter-unicode", "",
            query(
                "<C:prop-filter name='A'><C:text-match collation='i;unicode-casemap'>b</C:text-match></C:prop-filter>"
            )
        ),
        (
            "dav-filter-collation", "",
            query("<C:prop-filter name='A'><C:text-match collation='x'/></C:prop-filter>")
        ),
        ("dav-filter-no-name", "", query("<C:prop-filter/>")),
        ("dav-filter-unknown", "", query("<C:other/>")),
        ("dav-filter-defined", "", query("<C:is-defined/>")),
        (
            "dav-filter-other-time", "",
            query(
                "<C:prop-filter name='SUMMARY'><C:time-range start='20260101T000000Z'/></C:prop-filter>"
            )
        ),
        (
            "dav-filter-many", "",
            query(String(repeating: "<C:prop-filter name='A'/>", count: 60))
        ),
        (
            "dav-expand", "",
            calendar(
                "query",
                "<D:prop><C:calendar-data><C:expand start='20260101T000000Z' end='20270101T000000Z'/>"
                    + "</C:calendar-data></D:prop>" + filter(""))
        ),
        (
            "dav-expand-no-end", "",
            calendar(
                "query",
                "<D:prop><C:calendar-data><C:expand start='20260101T000000Z'/></C:calendar-data></D:prop>"
                    + filter(""))
        ),
        (
            "dav-other-data", "",
            calendar(
                "query",
                "<D:prop><C:calendar-data content-type='text/html'/></D:prop>" + filter(""))
        ),
    ]

    private static func sync(_ content: String) -> String {
        "<sync-collection xmlns='DAV:'>\(content)</sync-collection>"
    }

    private static func calendar(_ name: String, _ content: String) -> String {
        "<C:calendar-\(name) xmlns:C='\(XMLNamespace.calDAV)' xmlns:D='DAV:'>\(content)</C:calendar-\(name)>"
    }

    private static func filter(_ content: String) -> String {
        "<C:filter><C:comp-filter name='VCALENDAR'><C:comp-filter name='VTODO'>\(content)</C:comp-filter>"
            + "</C:comp-filter></C:filter>"
    }

    private static func query(_ content: String) -> String { calendar("query", filter(content)) }
}
