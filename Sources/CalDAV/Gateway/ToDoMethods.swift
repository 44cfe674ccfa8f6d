import HTTP
import ToDo

/// GET, PUT, DELETE and MOVE of a to-do.
enum ToDoMethods {
    static let type = "text/calendar; charset=utf-8"

    // MARK: GET

    static func get(_ context: GatewayContext) throws -> HTTPResponse {
        guard case .toDo(let segment, let name) = context.resource else {
            if case .list(let segment) = context.resource { _ = try context.list(segment) }
            return .plain(
                200, headers: [HTTPHeader("cache-control", "no-store")],
                "This is Tandem's gateway for calendars. Enter its address in a program for to-dos."
            )
        }
        let (_, id) = try context.toDo(segment, name)
        let tag = try context.entry(of: id).tag
        if let wanted = try context.tags(of: "if-match") {
            guard wanted.contains("*") || wanted.contains(tag) else {
                throw GatewayRefusal.conditionFailed
            }
        }
        var headers = [
            HTTPHeader("etag", "\"\(tag)\""),
            HTTPHeader("cache-control", "private, no-cache"),
        ]
        if let known = try context.tags(of: "if-none-match"),
            known.contains("*") || known.contains(tag)
        {
            return HTTPResponse(304, headers: headers)
        }
        // Only a text that the client is given counts as served: no head, and no answer without a text.
        let made =
            context.request.isForHeadAlone
            ? try context.served.look([id]) : try context.served.serve([id])
        guard let document = made.first else { throw GatewayRefusal.noResource }
        // Another process may have changed it meanwhile.
        headers[0] = HTTPHeader("etag", "\"\(document.tag)\"")
        headers.append(HTTPHeader("content-type", type))
        if let modified = document.item.modified {
            headers.append(HTTPHeader("last-modified", HTTPDate.text(modified)))
        }
        return HTTPResponse(200, headers: headers, body: .bytes(document.bytes))
    }

    // MARK: PUT

    static func put(_ context: GatewayContext) throws -> HTTPResponse {
        guard case .toDo(let segment, let name) = context.resource else {
            throw GatewayRefusal.wrongMethod(allowed: [])
        }
        guard let list = context.catalog.list(segment) else { throw GatewayRefusal.noList }
        try context.checkCoding()
        if let type = context.request.header("content-type")?.prefix(while: { $0 != ";" }),
            type.lowercased().filter({ $0 != " " }) != "text/calendar"
        {
            throw GatewayRefusal.unsupportedData
        }
        let unwanted = try context.tags(of: "if-none-match") ?? []
        if !unwanted.isEmpty, !unwanted.contains("*"),
            let id = try context.served.identifier(named: name),
            context.catalog.contains(id, in: list)
        {
            try context.checkConditions(tag: try context.entry(of: id).tag)
        }
        let outcome = try context.served.put(
            ClientPut(
                name: name, bytes: context.request.body,
                list: list.project.isEmpty ? nil : list.project,
                formerLists: Set(list.settings.formers.map(\.project)),
                ifMatch: try context.tags(of: "if-match"), ifNoneMatchAny: unwanted.contains("*")))
        switch outcome {
        case .created(let document, let isAsSent):
            context.tags.forget(document.identifier)
            return HTTPResponse(201, headers: tag(document, isAsSent))
        case .changed(let document, let isAsSent):
            context.tags.forget(document.identifier)
            return HTTPResponse(204, headers: tag(document, isAsSent))
        case .refused(let refusal): throw try self.refusal(refusal, context)
        }
    }

    /// The tag, where it is of the bytes that the client sent: with another one it would take those for the to-do.
    private static func tag(_ document: ServedDocument, _ isAsSent: Bool) -> [HTTPHeader] {
        isAsSent ? [HTTPHeader("etag", "\"\(document.tag)\"")] : []
    }

    private static func refusal(
        _ refusal: ClientPutRefusal, _ context: GatewayContext
    ) throws -> GatewayRefusal {
        switch refusal {
        case .conditionFailed: return .conditionFailed
        case .malformed(let line, let property, let detail):
            let position = [line.map { "line \($0)" }, property].compactMap(\.self)
            return .invalidData(
                detail: position.isEmpty ? detail : position.joined(separator: ", ") + ": " + detail
            )
        case .noToDo: return .noToDo
        case .identifierTaken(let name):
            let id = try context.served.identifier(named: name)
            let list = id.flatMap { context.catalog.list(of: $0) }
            let path = GatewayResource.toDo(list: list?.segment ?? ListNames.inbox, name: name).path
            return .identifierTaken(path: path)
        case .purged: return .purged
        case .isTooLarge(let byteCountMax): return .tooLarge(byteCountMax: byteCountMax)
        }
    }

    // MARK: DELETE

    static func delete(
        _ segment: String, _ name: String, _ context: GatewayContext
    ) throws -> HTTPResponse {
        let (list, id) = try context.toDo(segment, name)
        try context.checkConditions(tag: try context.entry(of: id).tag)
        try context.checkGuard([id])
        try context.keep(list, without: id)
        switch try context.served.delete(id, ifMatch: try context.tags(of: "if-match")) {
        case .deleted: return HTTPResponse(204)
        case .missing: throw GatewayRefusal.noResource
        case .conditionFailed: throw GatewayRefusal.conditionFailed
        case .held: throw GatewayRefusal.deletesHeld
        case .unread: throw GatewayRefusal.unread
        }
    }

    // MARK: MOVE

    static func move(_ context: GatewayContext) throws -> HTTPResponse {
        guard case .toDo(let segment, let name) = context.resource else {
            throw GatewayRefusal.wrongMethod(allowed: [])
        }
        let (list, id) = try context.toDo(segment, name)
        guard let reference = context.request.header("destination"),
            let destination = GatewayResource(reference: reference),
            case .toDo(let newSegment, let newName) = destination, newName == name
        else { throw GatewayRefusal.wrongDestination }
        guard let newList = context.catalog.list(newSegment) else { throw GatewayRefusal.noList }
        try context.checkConditions(tag: try context.entry(of: id).tag)
        if newList.project == list.project { throw GatewayRefusal.wrongDestination }
        try context.keep(list, without: id)
        let project = newList.project.isEmpty ? nil : newList.project
        guard try context.served.move(id, to: project) else {
            throw GatewayRefusal.noResource
        }
        context.tags.forget(id)
        return HTTPResponse(201, headers: [HTTPHeader("location", destination.path)])
    }
}

/// Times in the heads of messages (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// `Sun, 22 Nov 2026 10:00:00 GMT`.
    ///
    /// - Parameter milliseconds: since 1970-01-01 UTC.
    static func text(_ milliseconds: Int64) -> String {
        let time = LocalTimeZone.utc.localTime(at: milliseconds)
        let date = CivilDate(day: time.day)
        let seconds = time.millisecondOfDay / 1_000
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let weekday = Weekday(day: time.day).shortName
        let year = String(repeating: "0", count: max(0, 4 - "\(date.year)".count)) + "\(date.year)"
        return "\(weekday), \(two(date.dayOfMonth)) \(DayNames.short(month: date.month)) \(year) "
            + "\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)) GMT"
    }
}
