/// The limits of a request in XML.
package struct XMLLimits: Sendable {
    /// The longest document, in bytes.
    package var byteCountMax = 2 << 20
    /// The deepest nesting; the root is the first level.
    package var depthMax = 24
    /// The most elements of a document.
    ///
    /// A client that asks for many resources by name sends one element for each.
    package var elementCountMax = 20_000
    /// The most attributes of an element, declarations of namespaces not counted.
    package var attributeCountMax = 16
    /// The longest name of an element or attribute with its namespace, in bytes.
    package var nameByteCountMax = 256

    /// The usual limits.
    package init() {}
}

/// Why a document is refused.
package enum XMLFault: Error, Hashable, Sendable {
    /// It has more bytes than `XMLLimits.byteCountMax`.
    case longDocument
    /// It is nested deeper than `XMLLimits.depthMax`.
    case deepDocument
    /// It has more elements than `XMLLimits.elementCountMax`.
    case manyElements
    /// An element has more attributes than `XMLLimits.attributeCountMax`.
    case manyAttributes
    /// A name is longer than `XMLLimits.nameByteCountMax`.
    case longName
    /// It has a document type declaration; none is read.
    case documentType
    /// It is not well-formed; the line counts from 1.
    case malformed(line: Int)
    /// This build has no reader of XML.
    case noReader

    /// The reason, as half a sentence.
    package var words: String {
        switch self {
        case .longDocument: "the XML has too many bytes"
        case .deepDocument: "the XML is nested too deep"
        case .manyElements: "the XML has too many elements"
        case .manyAttributes: "an element has too many attributes"
        case .longName: "a name in the XML is too long"
        case .documentType: "the XML has a document type declaration, which is not read"
        case .malformed(let line): "the XML is not well-formed in line \(line)"
        case .noReader: "this build reads no XML"
        }
    }
}

#if Web
    import CExpat

    /// Reads documents of XML through Expat: no document type, no entity but the five of XML, no file, no net.
    package enum XMLReader {
        /// The root of a document.
        ///
        /// - Parameter bytes: a document in UTF-8, whatever it declares.
        package static func read(
            _ bytes: [UInt8], within limits: XMLLimits = XMLLimits()
        ) throws(XMLFault) -> XMLElement {
            guard bytes.count <= limits.byteCountMax else { throw .longDocument }
            guard let parser = XML_ParserCreateNS("UTF-8", XMLBuilder.separator) else {
                throw .malformed(line: 1)
            }
            defer { XML_ParserFree(parser) }
            let builder = XMLBuilder(parser, limits)
            XML_SetUserData(parser, Unmanaged.passUnretained(builder).toOpaque())
            XML_SetElementHandler(parser, started, ended)
            XML_SetCharacterDataHandler(parser, characters)
            XML_SetStartDoctypeDeclHandler(parser, documentType)
            let status = withExtendedLifetime(builder) {
                bytes.withUnsafeBytes { raw in
                    XML_Parse(
                        parser, raw.baseAddress?.assumingMemoryBound(to: CChar.self),
                        CInt(raw.count), 1)
                }
            }
            if let fault = builder.fault { throw fault }
            guard status == XML_STATUS_OK, let root = builder.root else {
                throw .malformed(line: Int(clamping: XML_GetCurrentLineNumber(parser)))
            }
            return root
        }

        private static func builder(_ context: UnsafeMutableRawPointer?) -> XMLBuilder? {
            context.map { Unmanaged<XMLBuilder>.fromOpaque($0).takeUnretainedValue() }
        }

        private static let started: XML_StartElementHandler = { context, name, attributes in
            guard let builder = builder(context), let name else { return }
            builder.start(name, attributes)
        }

        private static let ended: XML_EndElementHandler = { context, _ in
            builder(context)?.end()
        }

        private static let characters: XML_CharacterDataHandler = { context, text, byteCount in
            guard let builder = builder(context), let text else { return }
            builder.append(
                UnsafeRawBufferPointer(start: UnsafeRawPointer(text), count: Int(byteCount)))
        }

        private static let documentType: XML_StartDoctypeDeclHandler = { context, _, _, _, _ in
            builder(context)?.stop(.documentType)
        }
    }

    /// Makes a tree of what Expat tells, and stops it at a limit.
    private final class XMLBuilder {
        /// Stands between a namespace and a name: no URI has a line feed.
        static let separator: CChar = 10

        private let parser: XML_Parser
        private let limits: XMLLimits
        private var open: [(element: XMLElement, text: [UInt8])] = []
        private var elementCount = 0
        private(set) var root: XMLElement?
        private(set) var fault: XMLFault?

        init(_ parser: XML_Parser, _ limits: XMLLimits) {
            self.parser = parser
            self.limits = limits
        }

        func stop(_ reason: XMLFault) {
            guard fault == nil else { return }
            fault = reason
            _ = XML_StopParser(parser, XML_Bool(0))
        }

        func start(
            _ name: UnsafePointer<CChar>,
            _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) {
            // Expat ends an element that it began itself even after it was stopped.
            guard fault == nil else { return open.append((XMLElement(XMLName("", "")), [])) }
            elementCount += 1
            let text = String(cString: name)
            var element = XMLElement(Self.name(text))
            if elementCount > limits.elementCountMax { stop(.manyElements) }
            if open.count >= limits.depthMax { stop(.deepDocument) }
            if text.utf8.count > limits.nameByteCountMax { stop(.longName) }
            var index = 0
            while fault == nil, let key = attributes?[index], let value = attributes?[index + 1] {
                index += 2
                if index / 2 > limits.attributeCountMax { stop(.manyAttributes) }
                let key = String(cString: key)
                if key.utf8.count > limits.nameByteCountMax { stop(.longName) }
                element.attributes[key] = String(cString: value)
            }
            open.append((element, []))
        }

        func append(_ bytes: UnsafeRawBufferPointer) {
            guard fault == nil, !open.isEmpty else { return }
            open[open.count - 1].text += bytes
        }

        func end() {
            guard var (element, text) = open.popLast() else { return }
            element.text = String(decoding: text, as: UTF8.self)
            if open.isEmpty {
                root = element
            } else {
                open[open.count - 1].element.children.append(element)
            }
            text = []
        }

        private static func name(_ text: String) -> XMLName {
            // A name has no line feed, whatever its namespace has.
            guard let line = text.utf8.lastIndex(of: UInt8(ascii: "\n")) else {
                return XMLName("", text)
            }
            return XMLName(
                String(text[..<line]), String(text[text.utf8.index(after: line)...]))
        }
    }
#else
    /// Stands where a build without the trait `Web` has no reader of XML.
    package enum XMLReader {
        /// Refuses.
        ///
        /// - Throws: `noReader`.
        package static func read(
            _ bytes: [UInt8], within limits: XMLLimits = XMLLimits()
        ) throws(XMLFault) -> XMLElement {
            throw .noReader
        }
    }
#endif
