import CalDAV
import Testing

@Suite("XML of requests")
struct XMLTests {
    private func read(
        _ text: String, _ limits: XMLLimits = XMLLimits()
    ) throws(XMLFault) -> XMLElement {
        try XMLReader.read(Array(text.utf8), within: limits)
    }

    @Test("names are read with their namespaces, whatever their prefixes")
    func namespaces() throws {
        let root = try read(
            "<a:propfind xmlns:a='DAV:' xmlns='urn:x'><a:prop><b z='1'>t&amp;u</b></a:prop></a:propfind>"
        )
        #expect(root.name == .dav("propfind"))
        let inner = try #require(root[.dav("prop")]?.children.first)
        #expect(inner.name == XMLName("urn:x", "b"))
        #expect(inner.attributes == ["z": "1"])
        #expect(inner.text == "t&u")
    }

    @Test("a document type declaration is refused before any entity of it is read")
    func documentType() {
        let bomb = "<!DOCTYPE a [<!ENTITY b 'x'>]><a>&b;</a>"
        #expect(throws: XMLFault.documentType) { try read(bomb) }
        #expect(throws: XMLFault.documentType) {
            try read("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>")
        }
    }

    @Test("a document over a limit is refused by the limit's name")
    func limits() {
        var limits = XMLLimits()
        limits.byteCountMax = 30
        #expect(throws: XMLFault.longDocument) {
            try read("<a>" + String(repeating: "x", count: 30) + "</a>", limits)
        }
        limits = XMLLimits()
        limits.depthMax = 3
        #expect(throws: Never.self) { try read("<a><a><a/></a></a>", limits) }
        #expect(throws: XMLFault.deepDocument) { try read("<a><a><a><a/></a></a></a>", limits) }
        limits = XMLLimits()
        limits.elementCountMax = 3
        #expect(throws: Never.self) { try read("<a><b/><b/></a>", limits) }
        #expect(throws: XMLFault.manyElements) { try read("<a><b/><b/><b/></a>", limits) }
        limits = XMLLimits()
        limits.attributeCountMax = 1
        #expect(throws: Never.self) { try read("<a b='1'/>", limits) }
        #expect(throws: XMLFault.manyAttributes) { try read("<a b='1' c='2'/>", limits) }
        limits = XMLLimits()
        limits.nameByteCountMax = 4
        #expect(throws: Never.self) { try read("<abcd/>", limits) }
        #expect(throws: XMLFault.longName) { try read("<abcde/>", limits) }
        #expect(throws: XMLFault.longName) { try read("<a bcdef='1'/>", limits) }
    }

    @Test(
        "what is not well-formed is refused with its line",
        arguments: ["", "<a>\n<b></a>", "<a/><b/>", "<a>&x;</a>", "\u{1}"])
    func malformed(text: String) throws {
        let fault = #expect(throws: XMLFault.self) { try read(text) }
        guard case .malformed(let line)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(line >= 1)
    }

    @Test("what an answer says is read as it was, in known namespaces and in others")
    func roundTrip() throws {
        let text = "a<b>&\"\r\n\u{e9}\u{1f600}]]>"
        let name = XMLName("urn:\"x\"&", "own")
        let bytes = XMLText.document(
            .dav("multistatus"), .element(.calDAV("x"), text: text) + .element(name, [("n", text)]))
        let root = try XMLReader.read(bytes)
        #expect(root.name == .dav("multistatus"))
        #expect(root.children.first?.text == text)
        #expect(root.children.last?.name == name)
        #expect(root.children.last?.attributes == ["n": text])
    }

    @Test("a namespace cannot put anything into a name")
    func namespaceWithLineFeed() {
        for text in ["<a xmlns='x&#10;y z=\"1\"'/>", "<b:a xmlns:b='x&#10;y'/>"] {
            let root = try? read(text)
            #expect(root?.name.local ?? "a" == "a")
        }
    }

    @Test("characters that no document can hold are replaced, and the document stays well-formed")
    func impossibleCharacters() throws {
        let bytes = XMLText.document(.dav("a"), XMLText("x\u{0}\u{b}\u{fffe}y"))
        #expect(try XMLReader.read(bytes).text == "x\u{fffd}\u{fffd}\u{fffd}y")
    }
}
