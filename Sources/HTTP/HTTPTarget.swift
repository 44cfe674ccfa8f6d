/// The target of a request: what stands between its method and its version (RFC 9112, section 3.2).
package struct HTTPTarget {
    /// The host and port of an absolute target; nil for a path.
    package var authority: String?
    /// The path with its escapes and without the query; `*` for the server as a whole.
    package var path: String
    /// The fields of the query, decoded, in their order.
    package var query: [(name: String, value: String)]

    /// Reads a target.
    ///
    /// - Parameter isOptions: whether the method is OPTIONS, which alone may have the target `*`.
    /// - Returns: nil for one that is malformed, that names no path, or that has a malformed escape.
    package init?(_ bytes: some Collection<UInt8>, isOptions: Bool) {
        var rest = Array(bytes)
        // Neither control characters, spaces and bytes outside of ASCII, nor a fragment.
        guard rest.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) else {
            return nil
        }
        if isOptions, rest == [UInt8(ascii: "*")] {
            authority = nil
            path = "*"
            query = []
            return
        }
        if rest.first != UInt8(ascii: "/") {
            guard let (host, after) = Self.absolute(rest) else { return nil }
            authority = host
            rest = after
        }
        let parts = rest.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard PercentCoding.decoded(parts[0]) != nil else { return nil }
        path = parts[0].isEmpty ? "/" : String(decoding: parts[0], as: UTF8.self)
        guard let fields = FormCoding.fields(of: parts.count > 1 ? parts[1] : []) else {
            return nil
        }
        query = fields
    }

    /// The host and port of an absolute target, and what follows them.
    private static func absolute(_ bytes: [UInt8]) -> (host: String, rest: [UInt8])? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            ["http", "https"].contains(
                String(decoding: bytes[..<colon], as: UTF8.self).lowercased()),
            bytes[(colon + 1)...].starts(with: Array("//".utf8))
        else { return nil }
        let after = bytes[(colon + 3)...]
        let end =
            after.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            ?? after.endIndex
        let host = String(decoding: after[..<end], as: UTF8.self)
        guard HTTPHead.isHost(host) else { return nil }
        return (host, Array(after[end...]))
    }
}
