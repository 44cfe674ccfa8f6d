/// The reason for which the server answers a request itself and closes its connection.
package enum HTTPRefusal: Error, Hashable, Sendable, CaseIterable {
    /// The method is no token.
    case malformedMethod
    /// The target is neither a path nor an address of HTTP, or has a malformed escape.
    case malformedTarget
    /// A field's name or value has bytes that do not belong there.
    case malformedField
    /// There is no `Host`, or more than one, or it is malformed.
    case malformedHost
    /// `Content-Length` is repeated, or no number, or stands beside `Transfer-Encoding`.
    case ambiguousLength
    /// `Transfer-Encoding` is something else than `chunked`.
    case otherTransferCoding
    /// The body is longer than `bodyByteCountMax`.
    case longBody
    /// The head is longer than `headByteCountMax`, or has more than `fieldCountMax` fields.
    case longHead
    /// Further bodies would take more than `memoryByteCountMax`.
    case fullMemory
    /// The service's response has a field that cannot be sent.
    case unsendableResponse

    /// The status code of the answer.
    package var status: Int {
        switch self {
        case .malformedMethod, .malformedTarget, .malformedField, .malformedHost, .ambiguousLength,
            .otherTransferCoding:
            400
        case .longBody: 413
        case .longHead: 431
        case .unsendableResponse: 500
        case .fullMemory: 503
        }
    }

    /// The answer, which closes the connection.
    package var response: HTTPResponse {
        let retry = self == .fullMemory ? [HTTPHeader("retry-after", "1")] : []
        var response = HTTPResponse.plain(
            status, headers: [HTTPHeader("cache-control", "no-store")] + retry, line)
        response.closes = true
        return response
    }

    private var line: String {
        switch self {
        case .malformedMethod: "the method is malformed"
        case .malformedTarget: "the request target is malformed"
        case .malformedField: "a header field is malformed"
        case .malformedHost: "exactly one Host field is needed"
        case .ambiguousLength: "the length of the body is ambiguous"
        case .otherTransferCoding: "the only transfer coding is chunked"
        case .longBody: "the body is too long"
        case .longHead: "the header fields are too long"
        case .fullMemory: "the server is busy; try again in a second"
        case .unsendableResponse: "the response cannot be sent"
        }
    }
}
