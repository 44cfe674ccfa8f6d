import HTTP
import ToDo

/// A thing that a path of the gateway names.
package enum GatewayResource: Hashable, Sendable {
    /// `/`.
    case root
    /// `/principal/`: the person whose to-dos these are.
    case principal
    /// `/lists/`: the home of all lists.
    case home
    /// `/lists/SEGMENT/`: a list, whether there is one or not.
    case list(String)
    /// `/lists/SEGMENT/NAME`: a to-do, whether there is one or not.
    case toDo(list: String, name: String)

    /// The longest segment of a path, in bytes without its escapes.
    package static let segmentByteCountMax = 255

    /// The path where clients look for the gateway (RFC 6764).
    package static let wellKnownPath = "/.well-known/caldav"

    /// The resource of exactly this path; nil for any other path.
    ///
    /// A path with an empty segment, `.`, `..`, an escaped slash or a zero byte names nothing, and neither does one with a
    /// slash behind a to-do. A collection may be named without the slash at its end (RFC 4918, section 5.2).
    ///
    /// - Parameter path: as it came, with its escapes and without its query.
    package init?(path: String) {
        guard path.first == "/" else { return nil }
        var parts = path.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let endsWithSlash = parts.last?.isEmpty ?? true
        if endsWithSlash { parts.removeLast() }
        var segments: [String] = []
        for part in parts {
            guard let bytes = PercentCoding.decoded(part),
                let text = String(validating: bytes, as: UTF8.self), Self.isSegment(text)
            else { return nil }
            segments.append(text)
        }
        switch (segments.count, segments.first) {
        case (0, _): self = .root
        case (1, "principal"): self = .principal
        case (1, "lists"): self = .home
        case (2, "lists"): self = .list(segments[1])
        case (3, "lists") where !endsWithSlash:
            self = .toDo(list: segments[1], name: segments[2])
        default: return nil
        }
    }

    /// Whether a text can be a segment of a path.
    package static func isSegment(_ text: String) -> Bool {
        !text.isEmpty && text != "." && text != ".."
            && text.utf8.count <= segmentByteCountMax
            && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 && $0 != UInt8(ascii: "/") }
    }

    /// The resource that a reference in a request names; nil if it is none of the gateway's.
    ///
    /// - Parameter reference: a path, or an address of HTTP, whose host is not looked at: a proxy may stand in front.
    package init?(reference: String) {
        guard let target = HTTPTarget(Array(reference.utf8), isOptions: false), target.query.isEmpty
        else { return nil }
        self.init(path: target.path)
    }

    /// The path with its escapes.
    package var path: String {
        switch self {
        case .root: "/"
        case .principal: "/principal/"
        case .home: "/lists/"
        case .list(let segment): "/lists/\(PercentCoding.encoded(segment))/"
        case .toDo(let list, let name):
            "/lists/\(PercentCoding.encoded(list))/\(PercentCoding.encoded(name))"
        }
    }
}
