import ToDo

/// A report that a client asks for.
package enum ReportRequest {
    /// The to-dos of a list that answer a question (RFC 4791, section 7.8).
    case query(ICalendarQuery, ReportProperties, limit: Int?)
    /// These to-dos of a list (RFC 4791, section 7.9).
    case multiget([String], ReportProperties)
    /// The changes of a list since a token (RFC 6578); an empty token asks for all.
    case changes(since: String, ReportProperties, limit: Int?)
    /// The busy times in a time (RFC 4791, section 7.10).
    case freeBusy(ICalendarQuery.TimeRange)

    /// Reads the body of a REPORT.
    package init(_ root: XMLElement) throws(GatewayRefusal) {
        switch root.name {
        case .calDAV("calendar-query"):
            guard let filter = root[.calDAV("filter")] else { throw .malformedBody }
            self = .query(
                try CalendarFilterReader.query(filter), try ReportProperties(root),
                limit: try Self.limit(root))
        case .calDAV("calendar-multiget"):
            let references = root.all(.dav("href")).map(\.trimmedText)
            guard !references.isEmpty else { throw .malformedBody }
            self = .multiget(references, try ReportProperties(root))
        case .dav("sync-collection"):
            if let level = root[.dav("sync-level")]?.trimmedText, level != "1" {
                throw .unsupportedSyncLevel
            }
            self = .changes(
                since: root[.dav("sync-token")]?.trimmedText ?? "", try ReportProperties(root),
                limit: try Self.limit(root))
        case .calDAV("free-busy-query"):
            guard let range = root[.calDAV("time-range")] else { throw .malformedBody }
            self = .freeBusy(try CalendarFilterReader.range(range))
        default: throw .unsupportedReport
        }
    }

    private static func limit(_ root: XMLElement) throws(GatewayRefusal) -> Int? {
        let limit = root[.dav("limit")] ?? root[.calDAV("limit")]
        guard let limit else { return nil }
        let count = limit[.dav("nresults")] ?? limit[.calDAV("nresults")]
        guard let number = count.flatMap({ Int($0.trimmedText) }), number > 0 else {
            throw .malformedBody
        }
        return number
    }
}

/// The properties that a report gives of each to-do.
package struct ReportProperties {
    /// The properties besides the text of the to-do.
    package let request: PropertyRequest
    /// Whether the text of the to-do is asked for.
    package let includesData: Bool
    /// The time for which a to-do that comes again is given as one component for each occurrence; nil for the rule.
    package let expansion: ICalendarQuery.TimeRange?

    /// Reads the properties that a report asks for; none at all if it says nothing of them.
    init(_ root: XMLElement) throws(GatewayRefusal) {
        request = PropertyRequest(in: root) ?? .named([])
        let data = root[.dav("prop")]?[.calDAV("calendar-data")]
        includesData = data != nil
        if let type = data?.attributes["content-type"], type.lowercased() != "text/calendar" {
            throw .unsupportedData
        }
        expansion = try data?[.calDAV("expand")].map { element throws(GatewayRefusal) in
            guard element.attributes["start"] != nil, element.attributes["end"] != nil else {
                throw .invalidFilter
            }
            return try CalendarFilterReader.range(element)
        }
    }
}
