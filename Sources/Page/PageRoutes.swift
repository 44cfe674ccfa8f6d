import HTTP
import ToDo

/// Which screen or operation a path stands for.
enum PageRoutes {
    static func answer(_ context: PageContext) throws -> HTTPResponse {
        guard let segments = context.request.segments else { throw PageRefusalError(.noPage) }
        if context.request.method == "POST" { return try write(segments, context) }
        return try show(segments, context)
    }

    private static func show(
        _ segments: [String], _ context: PageContext
    ) throws -> HTTPResponse {
        switch segments.first {
        case nil: return try ListScreen.list(context)
        case "view" where segments.count == 2: return try ListScreen.view(segments[1], context)
        case "todo" where segments.count >= 2:
            let stored = try context.toDo(segments[1])
            switch segments.dropFirst(2).first {
            case nil: return try ToDoScreen.show(stored, context)
            case "history" where segments.count == 3:
                return try HistoryScreen.show(stored, context)
            case "why" where segments.count == 3: return try WhyScreen.show(stored, context)
            default: throw PageRefusalError(.noPage)
            }
        case "assets" where segments.count == 3: return try PageAssets.response(segments[2])
        default: break
        }
        guard segments.count == 1, let name = segments.first else {
            throw PageRefusalError(.noPage)
        }
        switch name {
        case "events": return context.service.events.response(context)
        case "worker.js": return PageAssets.worker()
        case "manifest.webmanifest": return PageAssets.manifest()
        case "shell": return PageLayout.shell(context)
        case "echo": return try CaptureWrites.echo(context)
        case "agenda": return try AgendaScreen.show(context)
        case "month": return try MonthScreen.show(context)
        case "week": return try WeekScreen.show(context)
        case "week.svg": return try WeekScreen.picture(context)
        case "projects.svg": return try WeekScreen.projects(context)
        case "recent": return try ListScreen.recent(context)
        case "trash": return try TrashScreen.show(context)
        case "times": return try TimesScreen.show(context)
        case "undo": return try UndoScreen.show(context)
        case "conflicts": return try ConflictScreen.show(context)
        case "devices": return try DevicesScreen.show(context)
        case "invite": return try InviteScreen.show(context)
        case "invite.svg": return try InviteScreen.picture(context)
        case "status": return try StatusScreen.show(context)
        case "import": return try ImportScreen.show(context)
        default: throw PageRefusalError(.noPage)
        }
    }

    private static func write(
        _ segments: [String], _ context: PageContext
    ) throws -> HTTPResponse {
        if segments.first == "todo", segments.count == 2 {
            return try EditWrites.save(try context.toDo(segments[1]), context)
        }
        guard segments.count == 1, let name = segments.first else {
            throw PageRefusalError(.noPage)
        }
        switch name {
        case "add": return try CaptureWrites.add(context)
        case "do": return try QuickWrites.run(context)
        case "undo": return try UndoWrites.run(context)
        case "conflicts": return try ConflictWrites.resolve(context)
        case "views": return try ViewWrites.run(context)
        case "invite": return try InviteScreen.act(context)
        case "deletes": return try HeldDeletesScreen.act(context)
        case "revoke": return try DevicesScreen.revoke(context)
        case "import": return try ImportScreen.run(context)
        case "history": return try HistoryScreen.restore(context)
        default: throw PageRefusalError(.noPage)
        }
    }
}
