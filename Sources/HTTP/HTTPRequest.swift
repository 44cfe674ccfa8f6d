/// A request of HTTP/1.1 that has come whole.
package struct HTTPRequest: Sendable {
    /// The method as it came: `GET`, `PROPFIND`.
    ///
    /// HEAD comes as GET, as the server omits the body; `isForHeadAlone` tells it.
    package var method: String
    /// Whether the client asked by HEAD, and so is not given the body.
    package var isForHeadAlone = false
    /// The path of the target as it came, with its escapes and without the query; it begins with a slash.
    ///
    /// OPTIONS may have the path `*`.
    package var path: String
    /// The fields of the query, decoded, in their order.
    package var query: [(name: String, value: String)]
    /// The fields of the head, in their order.
    package var headers: [HTTPHeader]
    /// The bytes after the head, without the frames of chunks.
    package var body: [UInt8]
    /// The port of the client's socket; nil in requests that callers within the program make.
    package var clientPort: UInt16?
    /// The network of the client's socket, as `SocketAddress.network`; nil in requests that callers within the program
    /// make.
    package var clientNetwork: String?

    /// A request that tests and callers within the program make.
    package init(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [],
        headers: [HTTPHeader] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// The value of a field of the head that stands once; nil if it is missing or repeated.
    ///
    /// - Parameter name: in lower case.
    package func header(_ name: String) -> String? {
        let found = headers.filter { $0.name == name }
        return found.count == 1 ? found[0].value : nil
    }

    /// The first value of a field of the query; nil if it is missing.
    package func query(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// The parts of the path between its slashes, each decoded, without empty ones; nil if an escape is malformed or
    /// a part is `.` or `..`, or holds a slash or a zero byte.
    package var segments: [String]? {
        var segments: [String] = []
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            guard let bytes = PercentCoding.decoded(part),
                let text = String(validating: bytes, as: UTF8.self),
                text != ".", text != "..", !bytes.contains(0), !bytes.contains(UInt8(ascii: "/"))
            else { return nil }
            segments.append(text)
        }
        return segments
    }
}

/// A field of the head of a message of HTTP/1.1 (RFC 9110, section 5).
package struct HTTPHeader: Hashable, Sendable {
    /// The name in lower case: names are compared without case.
    package let name: String
    /// The value without spaces around it, as it came.
    package let value: String

    /// A field of that name, in whatever case, and value.
    package init(_ name: String, _ value: String) {
        self.name = name.lowercased()
        self.value = value
    }
}
