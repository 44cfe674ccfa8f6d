/// The head of a request as the library has read it: checked for what the library lets pass.
package struct HTTPHead {
    /// The longest method, in bytes.
    package static let methodByteCountMax = 32

    /// The method as it came.
    package var method: String
    /// The target as it came, with its escapes.
    package var target: [UInt8]
    /// The version: `HTTP/1.1`.
    package var version: String
    /// The names and values of the fields as they came.
    package var fields: [(name: [UInt8], value: [UInt8])]
    /// From the first byte to the empty line.
    package var byteCount: Int

    /// A head of these parts.
    package init(
        method: String, target: [UInt8], version: String = "HTTP/1.1",
        fields: [(name: [UInt8], value: [UInt8])], byteCount: Int = 0
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields
        self.byteCount = byteCount
    }

    /// The request without its body, and the length that its head gives the body; nil for a chunked one.
    ///
    /// The path of an absolute target stands for it, and its host in the field `host`. HEAD becomes GET: the server
    /// omits the body.
    package func request(
        within limits: HTTPLimits
    ) throws(HTTPRefusal) -> (request: HTTPRequest, bodyByteCount: Int?) {
        guard byteCount <= limits.headByteCountMax, fields.count <= limits.fieldCountMax else {
            throw .longHead
        }
        guard Self.isToken(method.utf8), method.utf8.count <= Self.methodByteCountMax else {
            throw .malformedMethod
        }
        var headers: [HTTPHeader] = []
        for field in fields {
            guard Self.isToken(field.name),
                let value = String(validating: field.value, as: UTF8.self),
                field.value.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 })
            else { throw .malformedField }
            headers.append(HTTPHeader(String(decoding: field.name, as: UTF8.self), value))
        }
        guard let target = HTTPTarget(target, isOptions: method == "OPTIONS") else {
            throw .malformedTarget
        }
        headers = try Self.withHost(headers, target.authority, version: version)
        let bodyByteCount = try Self.bodyByteCount(headers, version: version)
        var request = HTTPRequest(
            method == "HEAD" ? "GET" : method, target.path, query: target.query, headers: headers)
        request.isForHeadAlone = method == "HEAD"
        guard bodyByteCount ?? 0 <= limits.bodyByteCountMax else { throw .longBody }
        return (request, bodyByteCount)
    }

    /// Whether a text can be a host with or without a port: no user, no path, no space.
    static func isHost(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~:[]".utf8.contains(byte)
                }
            }
    }

    private static func withHost(
        _ headers: [HTTPHeader], _ authority: String?, version: String
    ) throws(HTTPRefusal) -> [HTTPHeader] {
        let hosts = headers.filter { $0.name == "host" }
        guard hosts.allSatisfy({ isHost($0.value) }) else { throw .malformedHost }
        // Only HTTP/1.0 knows requests without a host.
        guard hosts.count == 1 || hosts.isEmpty && version == "HTTP/1.0" else {
            throw .malformedHost
        }
        guard let authority else { return headers }
        return headers.filter { $0.name != "host" } + [HTTPHeader("host", authority)]
    }

    private static func bodyByteCount(
        _ headers: [HTTPHeader], version: String
    ) throws(HTTPRefusal) -> Int? {
        let lengths = headers.filter { $0.name == "content-length" }.map(\.value)
        let codings = headers.filter { $0.name == "transfer-encoding" }.map(\.value)
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw .ambiguousLength }
            guard codings.count == 1, codings[0].lowercased() == "chunked", version != "HTTP/1.0"
            else {
                throw .otherTransferCoding
            }
            return nil
        }
        guard let length = lengths.first else { return 0 }
        guard lengths.count == 1, !length.isEmpty,
            length.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
        else { throw .ambiguousLength }
        // More digits than an integer has are more than any limit.
        return Int(length) ?? .max
    }

    private static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
