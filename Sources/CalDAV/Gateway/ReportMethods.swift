import Devices
import HTTP
import ToDo

/// REPORT.
enum ReportMethods {
    static func report(_ context: GatewayContext) throws -> HTTPResponse {
        guard let root = try context.body() else { throw GatewayRefusal.malformedBody }
        switch context.resource {
        case .root, .principal, .home: return try principals(root, context)
        case .list(let segment):
            let request = try ReportRequest(root)
            let list = try context.list(segment)
            try context.keep(list)
            return try report(request, list, nil, context)
        case .toDo(let segment, let name):
            let request = try ReportRequest(root)
            switch request {
            case .changes, .freeBusy: throw GatewayRefusal.unsupportedReport
            case .query, .multiget: break
            }
            let (list, id) = try context.toDo(segment, name)
            return try report(request, list, id, context)
        }
    }

    /// A report on a list, or on one to-do of it.
    private static func report(
        _ request: ReportRequest, _ list: ToDoList, _ only: RecordID?, _ context: GatewayContext
    ) throws -> HTTPResponse {
        var answer = Multistatus()
        switch request {
        case .query(let query, let properties, let limit):
            // A list by itself is no to-do; without a depth clients mean what is in it.
            let isEmpty = try only == nil && context.depth() == .zero
            let ids = isEmpty ? [] : only.map { [$0] } ?? context.catalog.members(of: list)
            try self.query(query, properties, ids, list, limit: limit, context, &answer)
        case .multiget(let references, let properties):
            try get(references, properties, context, &answer)
        case .changes(let text, let properties, let limit):
            try changes(since: text, properties, list, limit: limit, context, &answer)
        case .freeBusy(let range):
            return HTTPResponse(
                200,
                headers: [
                    HTTPHeader("content-type", "text/calendar; charset=utf-8"),
                    HTTPHeader("cache-control", "no-store"),
                ],
                body: .bytes(
                    ICalendarFreeBusy.bytes(
                        in: range, now: context.gateway.clock(),
                        identifier: Hexadecimal.text(SystemEnvironment.random()))))
        }
        return answer.response(isMinimal: context.isMinimal)
    }

    // MARK: Persons

    /// The one person, if it is looked for; or the property by which persons are looked for.
    private static func principals(
        _ root: XMLElement, _ context: GatewayContext
    ) throws -> HTTPResponse {
        if root.name == .dav("principal-search-property-set") {
            return HTTPResponse(
                200,
                headers: [HTTPHeader("content-type", "application/xml; charset=utf-8")],
                body: .bytes(
                    XMLText.document(
                        root.name,
                        .element(
                            .dav("principal-search-property"), [],
                            .element(.dav("prop"), [], .element(.dav("displayname")))
                                + .element(.dav("description"), text: "Name")))))
        }
        guard let search = PrincipalSearch(root) else { throw GatewayRefusal.unsupportedReport }
        guard try context.depth() ?? .zero == .zero else {
            throw GatewayRefusal.malformedHeader("Depth")
        }
        var answer = Multistatus()
        let principal = ResourceProperties(.principal, context)
        if search.finds(context.client.name) { principal.add(search.properties, to: &answer) }
        return answer.response(isMinimal: context.isMinimal)
    }

    // MARK: Queries

    private static func query(
        _ query: ICalendarQuery, _ properties: ReportProperties, _ ids: [RecordID],
        _ list: ToDoList, limit: Int?, _ context: GatewayContext, _ answer: inout Multistatus
    ) throws {
        var ids = ids
        if !query.takesAll {
            let zone = context.todos.zone
            ids = try context.tags.documents(of: ids, context.served, context.catalog)
                .filter { query.matches($0, zone: zone) }.map(\.identifier)
        }
        let isCut = limit.map { ids.count > $0 } ?? false
        if let limit { ids = Array(ids.prefix(limit)) }
        try add(ids, properties, list, context, &answer)
        if isCut {
            answer.add(
                GatewayResource.list(list.segment).path, status: 507,
                condition: .dav("number-of-matches-within-limits"))
        }
    }

    /// Adds to-dos of a list, with their texts if they are asked for.
    private static func add(
        _ ids: [RecordID], _ properties: ReportProperties, _ list: ToDoList,
        _ context: GatewayContext, _ answer: inout Multistatus
    ) throws {
        guard properties.includesData else {
            return try PropertyMethods.addMembers(
                ids, of: list, properties.request, context, to: &answer)
        }
        for document in try context.served.serve(ids) {
            add(document, properties, list, context, &answer)
        }
    }

    private static func add(
        _ document: ServedDocument, _ properties: ReportProperties, _ list: ToDoList,
        _ context: GatewayContext, _ answer: inout Multistatus
    ) {
        var bytes = document.bytes
        if let range = properties.expansion {
            bytes = ICalendarExpansion.bytes(of: document, in: range, zone: context.todos.zone)
        }
        let data = XMLText.element(
            .calDAV("calendar-data"), text: String(decoding: bytes, as: UTF8.self))
        let entry = DocumentTags.Entry(
            document, sequence: context.catalog.sequence(of: document.identifier) ?? 0)
        ResourceProperties(
            .toDo(list: list.segment, name: document.name), context, list: list, entry: entry
        ).add(properties.request, more: data, to: &answer)
    }

    // MARK: By name

    private static func get(
        _ references: [String], _ properties: ReportProperties, _ context: GatewayContext,
        _ answer: inout Multistatus
    ) throws {
        var wanted: [(reference: String, list: ToDoList, id: RecordID)] = []
        for reference in references {
            guard case .toDo(let segment, let name)? = GatewayResource(reference: reference),
                let list = context.catalog.list(segment),
                let id = try context.tags.identifier(named: name, context.served, context.catalog),
                context.catalog.contains(id, in: list)
            else {
                answer.add(reference, status: 404)
                continue
            }
            wanted.append((reference, list, id))
        }
        guard properties.includesData else {
            for (_, list, id) in wanted {
                try PropertyMethods.addMembers(
                    [id], of: list, properties.request, context, to: &answer)
            }
            return
        }
        var documents: [RecordID: ServedDocument] = [:]
        for document in try context.served.serve(wanted.map(\.id)) {
            documents[document.identifier] = document
        }
        for (reference, list, id) in wanted {
            guard let document = documents[id] else {
                answer.add(reference, status: 404)
                continue
            }
            add(document, properties, list, context, &answer)
        }
    }

    // MARK: Changes

    private static func changes(
        since text: String, _ properties: ReportProperties, _ list: ToDoList, limit: Int?,
        _ context: GatewayContext, _ answer: inout Multistatus
    ) throws {
        var token: SyncToken?
        if !text.isEmpty {
            guard let read = SyncToken(text) else { throw GatewayRefusal.invalidToken }
            token = read
        }
        let now = try SyncToken(context.todos.servedCheckpoint())
        // Between the token and this nothing is lost: it is told now, and again after the token.
        try context.catalog.refresh(context.todos)
        let found = try ListChanges.read(
            list, in: context.catalog, context.todos, since: token, now: now, limit: limit)
        guard let found else { throw GatewayRefusal.invalidToken }
        try add(found.present, properties, list, context, &answer)
        let names = try context.served.names(found.gone)
        for id in found.gone {
            guard let name = names[id] else { continue }
            answer.add(
                GatewayResource.toDo(list: list.segment, name: name).path, status: 404)
        }
        // One that has only gone to another list is not gone for the client.
        try context.served.noteGone(found.gone.filter { context.catalog.list(of: $0) == nil })
        if found.rest != nil {
            answer.add(
                GatewayResource.list(list.segment).path, status: 507,
                condition: .dav("number-of-matches-within-limits"))
        }
        answer.syncToken = (found.rest ?? now).text
    }
}
