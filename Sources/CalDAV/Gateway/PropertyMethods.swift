import HTTP
import ToDo

/// PROPFIND and PROPPATCH.
enum PropertyMethods {
    // MARK: PROPFIND

    static func find(_ context: GatewayContext) throws -> HTTPResponse {
        guard let request = PropertyRequest(propfind: try context.body()) else {
            throw GatewayRefusal.malformedBody
        }
        let depth = try context.depth() ?? .infinity
        if depth == .infinity { throw GatewayRefusal.infiniteDepth }
        let isDeep = depth == .one
        var answer = Multistatus()
        switch context.resource {
        case .root:
            ResourceProperties(.root, context).add(request, to: &answer)
            if isDeep {
                ResourceProperties(.principal, context).add(request, to: &answer)
                ResourceProperties(.home, context).add(request, to: &answer)
            }
        case .principal: ResourceProperties(.principal, context).add(request, to: &answer)
        case .home:
            ResourceProperties(.home, context).add(request, to: &answer)
            guard isDeep else { break }
            let token = try token(request, context)
            for list in context.catalog.lists {
                ResourceProperties(.list(list.segment), context, list: list, token: token)
                    .add(request, to: &answer)
            }
        case .list(let segment):
            let list = try context.list(segment)
            ResourceProperties(
                .list(list.segment), context, list: list, token: try token(request, context)
            ).add(request, to: &answer)
            if isDeep {
                try addMembers(
                    context.catalog.members(of: list), of: list, request, context, to: &answer)
            }
        case .toDo(let segment, let name):
            let (list, id) = try context.toDo(segment, name)
            try addMembers([id], of: list, request, context, to: &answer)
        }
        return answer.response(isMinimal: context.isMinimal)
    }

    /// Adds to-dos of a list.
    static func addMembers(
        _ ids: [RecordID], of list: ToDoList, _ request: PropertyRequest,
        _ context: GatewayContext, to answer: inout Multistatus
    ) throws {
        let entries = try context.tags.entries(of: ids, context.served, context.catalog)
        for id in ids {
            guard let entry = entries[id] else { continue }
            ResourceProperties(
                .toDo(list: list.segment, name: entry.name), context, list: list, entry: entry
            ).add(request, to: &answer)
        }
    }

    /// The token of now, if it is asked for: it has all changes brought to the disk.
    private static func token(
        _ request: PropertyRequest, _ context: GatewayContext
    ) throws(StoreFault) -> SyncToken? {
        switch request {
        case .named(let names) where !names.contains(.dav("sync-token")): return nil
        case .all(let including) where !including.contains(.dav("sync-token")): return nil
        case .named, .all, .names:
            let token = try SyncToken(context.todos.servedCheckpoint())
            // A change in between is in the answer, and the client is told of it again.
            try context.catalog.refresh(context.todos)
            return token
        }
    }

    // MARK: PROPPATCH

    static func patch(_ context: GatewayContext) throws -> HTTPResponse {
        guard let root = try context.body(), let patch = PropertyPatch(root) else {
            throw GatewayRefusal.malformedBody
        }
        var answer = Multistatus()
        switch context.resource {
        case .root, .principal, .home:
            refuse(patch.steps.map(\.name), patch, context.resource, &answer)
        case .toDo(let segment, let name):
            _ = try context.toDo(segment, name)
            refuse(patch.steps.map(\.name), patch, context.resource, &answer)
        case .list(let segment):
            let list = try context.list(segment)
            var settings = list.settings
            var refused: [XMLName] = []
            for (name, value) in patch.steps {
                if !ListProperties.isSettable(name)
                    || !ListProperties.set(name, to: value?.trimmedText, in: &settings)
                {
                    refused.append(name)
                }
            }
            guard refused.isEmpty else {
                refuse(refused, patch, context.resource, &answer)
                break
            }
            if settings != list.settings {
                try ListMethods.change(list, to: settings, context)
            }
            answer.add(context.resource.path, changes: [(200, patch.steps.map(\.name))])
        }
        return answer.response()
    }

    /// Tells that nothing was changed: some properties cannot be, and the others were to change with them.
    private static func refuse(
        _ refused: [XMLName], _ patch: PropertyPatch, _ resource: GatewayResource,
        _ answer: inout Multistatus
    ) {
        let others = patch.steps.map(\.name).filter { !refused.contains($0) }
        answer.add(resource.path, changes: [(403, refused), (424, others)])
    }
}
