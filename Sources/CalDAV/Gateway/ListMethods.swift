import Core
import HTTP
import Storage
import ToDo

/// MKCOL, MKCALENDAR and DELETE.
enum ListMethods {
    /// The component that lists have.
    static let component = "VTODO"

    // MARK: Making

    static func make(_ context: GatewayContext) throws -> HTTPResponse {
        guard case .list(let segment) = context.resource else { throw GatewayRefusal.notInHome }
        if context.catalog.list(segment) != nil {
            // RFC 4918 has a status of its own for this.
            if context.request.method == "MKCOL" {
                throw GatewayRefusal.wrongMethod(
                    allowed: CalendarGateway.methods(of: context.resource))
            }
            throw GatewayRefusal.exists
        }
        guard let patch = PropertyPatch(making: try context.body()) else {
            throw GatewayRefusal.malformedBody
        }
        if let type = patch.value(.dav("resourcetype")), type[.calDAV("calendar")] == nil {
            throw GatewayRefusal.wrongCollection
        }
        if let set = patch.value(.calDAV("supported-calendar-component-set")) {
            let names = set.children.compactMap { $0.attributes["name"]?.uppercased() }
            guard names.contains(component) else { throw GatewayRefusal.noToDo }
        }
        guard context.catalog.settingsCount < ListSettings.countMax else {
            throw GatewayRefusal.tooManyLists
        }
        let name = patch.value(.dav("displayname"))?.trimmedText
        let shown = name.flatMap { $0.isEmpty ? nil : $0 } ?? segment
        var settings = ListSettings(
            segment: segment,
            project: ListNames.project(named: shown, taken: context.catalog.takenProjects))
        for (name, value) in patch.steps where ListProperties.isSettable(name) {
            guard ListProperties.set(name, to: value?.trimmedText, in: &settings) else {
                throw GatewayRefusal.malformedBody
            }
        }
        try context.store.edit { transaction throws(StoreFault) in
            try settings.save(in: transaction)
        }
        return HTTPResponse(201, headers: [HTTPHeader("cache-control", "no-cache")])
    }

    // MARK: Deleting

    static func delete(_ context: GatewayContext) throws -> HTTPResponse {
        switch context.resource {
        case .root, .principal, .home: throw GatewayRefusal.protected
        case .toDo(let segment, let name): return try ToDoMethods.delete(segment, name, context)
        case .list(let segment): return try delete(try context.list(segment), context)
        }
    }

    /// Puts all to-dos of a list in the trash, as one change, and forgets its settings.
    private static func delete(
        _ list: ToDoList, _ context: GatewayContext
    ) throws -> HTTPResponse {
        // The inbox is there even if it is empty.
        if list.project.isEmpty { throw GatewayRefusal.protected }
        if let depth = try context.depth(), depth != .infinity {
            throw GatewayRefusal.malformedHeader("Depth")
        }
        try context.checkConditions(tag: nil)
        let ids = context.catalog.members(of: list)
        try context.checkGuard(ids)
        _ = try context.todos.delete(ids)
        try context.served.noteGone(ids)
        try context.store.edit { transaction throws(StoreFault) in
            try ListSettings.remove(list.segment, in: transaction)
        }
        return HTTPResponse(204)
    }
}
