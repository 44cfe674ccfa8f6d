/// The response to a request of HTTP/1.1.
package struct HTTPResponse {
    /// The bytes after the head.
    package enum Body {
        case bytes([UInt8])
        /// Bytes that are sent as they come, until the stream or the connection is closed.
        case stream(HTTPStream)
    }

    /// The status code, from 200 to 599 (RFC 9110, section 15).
    package var status: Int
    /// The fields of the head; the server adds `Content-Length`, `Date` and `Connection`.
    package var headers: [HTTPHeader]
    /// The bytes after the head, all of them or as they come.
    package var body: Body
    /// Whether the connection is closed after this response.
    package var closes = false
    /// Whether the client has proved who it is: its connection stays where one of a stranger has to make room.
    package var isOfKnownClient = false

    /// A response of that status.
    package init(_ status: Int, headers: [HTTPHeader] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A response with text.
    ///
    /// - Parameter type: its media type, with the character set.
    package init(
        _ status: Int, type: String, headers: [HTTPHeader] = [], _ text: String
    ) {
        self.init(
            status, headers: [HTTPHeader("content-type", type)] + headers,
            body: .bytes(Array(text.utf8)))
    }

    /// A response of one line of plain text, which ends with a line feed here.
    package static func plain(
        _ status: Int, headers: [HTTPHeader] = [], _ line: String
    ) -> HTTPResponse {
        HTTPResponse(status, type: "text/plain; charset=utf-8", headers: headers, line + "\n")
    }
}
