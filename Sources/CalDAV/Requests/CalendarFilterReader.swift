import ToDo

/// Reads the filter of a calendar query (RFC 4791, section 9.7).
enum CalendarFilterReader {
    /// The most conditions of a filter.
    static let conditionCountMax = 100

    /// The question that a `filter` is.
    static func query(_ filter: XMLElement) throws(GatewayRefusal) -> ICalendarQuery {
        guard filter.children.count == 1, let calendar = filter[.calDAV("comp-filter")],
            calendar.attributes["name"]?.uppercased() == "VCALENDAR"
        else { throw .invalidFilter }
        var count = 0
        let condition = try condition(calendar, &count)
        guard case .isDefined(let tests) = condition else { throw .invalidFilter }
        do throws(ICalendarQuery.Unsupported) {
            return try ICalendarQuery(tests)
        } catch {
            throw .unsupportedFilter
        }
    }

    /// The time that an element with `start` and `end` is.
    static func range(_ element: XMLElement) throws(GatewayRefusal) -> ICalendarQuery.TimeRange {
        let range = ICalendarQuery.TimeRange(
            startText: element.attributes["start"], endText: element.attributes["end"])
        guard let range else { throw .invalidFilter }
        return range
    }

    private static func condition(
        _ element: XMLElement, _ count: inout Int
    ) throws(GatewayRefusal) -> ICalendarQuery.Condition {
        if element[.calDAV("is-not-defined")] != nil { return .isNotDefined }
        var tests: [ICalendarQuery.Test] = []
        for child in element.children {
            count += 1
            guard count <= conditionCountMax else { throw .unsupportedFilter }
            switch child.name {
            case .calDAV("comp-filter"):
                tests.append(.component(try name(child), try condition(child, &count)))
            case .calDAV("prop-filter"):
                tests.append(.property(try name(child), try condition(child, &count)))
            case .calDAV("param-filter"):
                tests.append(.parameter(try name(child), try condition(child, &count)))
            case .calDAV("time-range"): tests.append(.time(try range(child)))
            case .calDAV("text-match"): tests.append(.text(try match(child)))
            // An old draft's way to say that there has to be one.
            case .calDAV("is-defined"): break
            default: throw .unsupportedFilter
            }
        }
        return .isDefined(tests)
    }

    private static func name(_ element: XMLElement) throws(GatewayRefusal) -> String {
        guard let name = element.attributes["name"], !name.isEmpty else { throw .invalidFilter }
        return name.uppercased()
    }

    private static func match(
        _ element: XMLElement
    ) throws(GatewayRefusal) -> ICalendarQuery.TextMatch {
        var match = ICalendarQuery.TextMatch(element.text)
        switch element.attributes["collation"] {
        case nil, "i;ascii-casemap", "default": match.collation = .asciiCase
        case "i;octet": match.collation = .octet
        case "i;unicode-casemap": match.collation = .unicodeCase
        default: throw .unsupportedCollation
        }
        match.isNegated = element.attributes["negate-condition"]?.lowercased() == "yes"
        return match
    }
}
