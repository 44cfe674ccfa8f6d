import HTTP

/// An answer about several resources (RFC 4918, section 13).
package struct Multistatus {
    private var responses: XMLText = .nothing
    /// The token of a sync report; nil in other answers.
    package var syncToken: String?

    /// An answer about nothing yet.
    package init() {}

    /// Adds a resource with properties.
    ///
    /// - Parameters:
    ///   - found: the properties that it has, with their values.
    ///   - missing: the names of those that it has not.
    ///   - isMinimal: whether the missing ones are left out (RFC 8144).
    package mutating func add(
        _ path: String, found: XMLText, missing: [XMLName], isMinimal: Bool
    ) {
        var content = XMLText.href(path)
        let listsMissing = !missing.isEmpty && !isMinimal
        if !found.isEmpty || !listsMissing { content += Self.properties(found, 200) }
        if listsMissing {
            content += Self.properties(XMLText(missing.map { .element($0) }), 404)
        }
        responses += .element(.dav("response"), [], content)
    }

    /// Adds a resource with a status of its own.
    ///
    /// - Parameter condition: the condition that its refusal names.
    package mutating func add(_ path: String, status: Int, condition: XMLName? = nil) {
        var content = XMLText.href(path) + Self.status(status)
        if let condition { content += .element(.dav("error"), [], .element(condition)) }
        responses += .element(.dav("response"), [], content)
    }

    /// Adds a resource with the fates of a change of its properties.
    mutating func add(_ path: String, changes: [(status: Int, names: [XMLName])]) {
        var content = XMLText.href(path)
        for change in changes where !change.names.isEmpty {
            content += Self.properties(
                XMLText(change.names.map { .element($0) }), change.status,
                condition: change.status == 403 ? .dav("cannot-modify-protected-property") : nil)
        }
        responses += .element(.dav("response"), [], content)
    }

    /// The answer.
    package func response(isMinimal: Bool = false) -> HTTPResponse {
        var content = responses
        if let syncToken { content += .element(.dav("sync-token"), text: syncToken) }
        var headers = [
            HTTPHeader("content-type", "application/xml; charset=utf-8"),
            HTTPHeader("cache-control", "no-store"),
        ]
        if isMinimal { headers.append(HTTPHeader("preference-applied", "return=minimal")) }
        return HTTPResponse(
            207, headers: headers, body: .bytes(XMLText.document(.dav("multistatus"), content)))
    }

    private static func properties(
        _ content: XMLText, _ status: Int, condition: XMLName? = nil
    ) -> XMLText {
        var part = XMLText.element(.dav("prop"), [], content) + Self.status(status)
        if let condition { part += .element(.dav("error"), [], .element(condition)) }
        return .element(.dav("propstat"), [], part)
    }

    private static func status(_ status: Int) -> XMLText {
        .element(.dav("status"), text: "HTTP/1.1 \(status) \(phrase(status))")
    }

    /// The usual words of a status (RFC 9110, section 15.1; RFC 4918, section 11).
    static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 424: "Failed Dependency"
        case 507: "Insufficient Storage"
        default: "Status"
        }
    }
}
