import HTTP
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
        try context.served.keep(settings)
        return HTTPResponse(201, headers: [HTTPHeader("cache-control", "no-cache")])
    }

    // MARK: Changing

    /// Gives a list other settings; with another name its to-dos get a project of that name, as one change.
    ///
    /// The inbox, which has no project, and a list that is shown without a name of its own, keep what they have.
    static func change(
        _ list: ToDoList, to settings: ListSettings, _ context: GatewayContext
    ) throws {
        guard
            context.catalog.settingsCount < ListSettings.countMax
                || context.catalog.hasSettings(list)
        else { throw GatewayRefusal.tooManyLists }
        guard !list.project.isEmpty, let name = settings.displayName, name != list.shownName else {
            return try context.served.keep(settings)
        }
        let project = ListNames.project(
            named: name, taken: context.catalog.takenProjects.subtracting([list.project]))
        if project == list.project { return try context.served.keep(settings) }
        var old = settings
        old.displayName = list.settings.displayName
        try context.served.rename(
            context.catalog.members(of: list), to: old.renamed(to: project, showing: name),
            from: list.project)
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
        try context.served.deleteList(list.segment, with: ids)
        return HTTPResponse(204)
    }
}
