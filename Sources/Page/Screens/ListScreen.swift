import Devices
import HTTP
import ToDo

/// Lists: all to-dos, the views of the program and the user's own, what was shown last.
enum ListScreen {
    /// The to-dos of a list, and how they are parted.
    private struct Shown {
        var title: String
        var found: [Record] = []
        var sections = ToDoSections.urgency
        var keepsOrder = false
        var filter = ToDoFilter()
        var hasMore = false
        var remarks: [String] = []
        /// The fault of the words of the filter.
        var fault: String?
    }

    /// The to-dos that a list shows at first; a link shows all.
    static let rowCount = 500

    static func list(_ context: PageContext) throws -> HTTPResponse {
        try show(nil, context)
    }

    static func view(_ name: String, _ context: PageContext) throws -> HTTPResponse {
        if let view = ToDoView(rawValue: name) { return try show(view, context) }
        guard let own = try context.todos.savedView(named: name) else {
            throw PageRefusalError(.noPage)
        }
        return try show(own, context)
    }

    // MARK: Finding

    private static func words(_ context: PageContext) -> [String] {
        let text = context.request.query("q") ?? ""
        return ShellWords.split(text) ?? text.split(separator: " ").map(String.init)
    }

    private static func limit(_ context: PageContext) -> Int? {
        context.request.query("limit") == "0" ? nil : rowCount
    }

    /// Reads the filter that was typed; what is wrong with it is shown, and nothing is left out.
    private static func takeFilter(_ words: [String], to shown: inout Shown, _ context: PageContext)
    {
        do {
            shown.filter = try context.filter(words)
        } catch {
            shown.fault = PageFaultWords.words(error)
        }
    }

    private static func grouping(_ context: PageContext) -> ToDoGrouping? {
        context.request.query("by").flatMap { ToDoGrouping(rawValue: $0) }
    }

    private static func show(_ view: ToDoView?, _ context: PageContext) throws -> HTTPResponse {
        var shown = Shown(title: view.map(title) ?? "All to-dos")
        let words = words(context)
        takeFilter(words, to: &shown, context)
        if let chosen = try context.chosenContext() {
            shown.filter.conditions += chosen.filter?.conditions ?? []
            shown.remarks.append("context \(chosen.name)")
        }
        let showsAll = context.request.query("all") == "1"
        let limit = limit(context)
        let more = limit.map { $0 + 1 }
        let by = grouping(context)
        if let view {
            shown.sections = by?.sections ?? ToDoSections(view)
            shown.found = try context.todos.list(
                view, shown.filter, showsAll: showsAll, in: context.calendar, limit: more)
        } else {
            let grouping = by ?? context.settings.user.listGrouping
            shown.sections = grouping.sections
            shown.keepsOrder = grouping == .manual
            let isPending = shown.filter.isOfPending(showsAll: showsAll)
            shown.found =
                grouping == .manual
                ? try context.todos.listInOrder(
                    shown.filter, pendingOnly: isPending, limit: more)
                : try context.todos.list(shown.filter, pendingOnly: isPending, limit: more)
        }
        cut(&shown, to: limit)
        return try page(shown, screen: view?.rawValue ?? "list", context)
    }

    private static func show(_ own: SavedView, _ context: PageContext) throws -> HTTPResponse {
        var shown = Shown(title: own.name)
        takeFilter(words(context), to: &shown, context)
        do throws(SavedViewFault) {
            shown.filter.conditions += try own.filter(
                now: context.now, zone: context.zone, weekStart: context.settings.weekStart
            ).conditions
        } catch {
            shown.fault = "\(own.name) has a filter that cannot be read here."
        }
        let layout = own.layout
        let grouping =
            grouping(context) ?? layout.grouping
            ?? (layout.sort.isEmpty ? context.settings.user.listGrouping : .none)
        shown.sections = grouping.sections
        shown.keepsOrder = !layout.sort.isEmpty || grouping == .manual
        let limit = limit(context)
        let isPending = shown.filter.isOfPending(showsAll: context.request.query("all") == "1")
        shown.found =
            grouping == .manual && layout.sort.isEmpty
            ? try context.todos.listInOrder(
                shown.filter, pendingOnly: isPending, limit: limit.map { $0 + 1 })
            : try context.todos.list(
                shown.filter, pendingOnly: isPending, sort: layout.sort,
                limit: limit.map { $0 + 1 })
        cut(&shown, to: limit)
        return try page(shown, screen: "saved", context)
    }

    /// The to-dos that were looked at last on this device.
    static func recent(_ context: PageContext) throws -> HTTPResponse {
        var shown = Shown(title: "Recent")
        shown.sections = .none
        shown.keepsOrder = true
        shown.found = try context.device.recentRecords.all().compactMap {
            try context.todos.stored($0.id)
        }.filter { $0.standing == .live }
        return try page(shown, screen: "recent", context)
    }

    private static func cut(_ shown: inout Shown, to limit: Int?) {
        guard let limit, shown.found.count > limit else { return }
        shown.found.removeSubrange(limit...)
        shown.hasMore = true
    }

    private static func title(_ view: ToDoView) -> String {
        let words = view.rawValue.replacing("-", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    // MARK: Showing

    private static func page(
        _ shown: Shown, screen: String, _ context: PageContext
    ) throws -> HTTPResponse {
        let sections = try context.todos.sections(
            shown.found, by: shown.sections, keepsOrder: shown.keepsOrder, in: context.calendar)
        let rows = ToDoRows(
            context, count: shown.found.count, searched: shown.filter.searchedTexts)
        var content: HTML = [
            CaptureForm.form(context), filterForm(context),
        ]
        if let fault = shown.fault {
            content += .element(
                "p", [.class("fault"), .set(.role, "alert")], HTML(fault))
        }
        content += .element(
            "div", [.set(.id, "results")],
            (sections.isEmpty ? empty(context) : rows.list(sections))
                + (try foot(shown, context)))
        if screen == "saved" { content += removal(of: shown.title, context) }
        return try PageLayout.page(shown.title, screen: screen, content, context)
    }

    private static func empty(_ context: PageContext) -> HTML {
        let isFiltered = !(context.request.query("q") ?? "").isEmpty
        return .paragraph(
            isFiltered ? "No to-do is so." : "Nothing here.", class: "empty")
    }

    /// A button that removes a list of the user's own, and none of its to-dos.
    private static func removal(of name: String, _ context: PageContext) -> HTML {
        context.form(
            "/views", class: "operations",
            [
                .hidden("name", name),
                .button("Remove this list", name: "remove", value: "1", class: "quiet"),
            ])
    }

    private static func filterForm(_ context: PageContext) -> HTML {
        let query = context.request.query("q") ?? ""
        let groupings: [(String, HTML)] = [
            ("", "Sections: as usual"), ("urgency", "by urgency"), ("day", "by day"),
            ("project", "by project"), ("manual", "your own order"), ("none", "no sections"),
        ]
        let inside: HTML = [
            .field(
                "q", "Filter", query, isLabelSeen: false,
                [
                    .set(
                        .placeholder, "Filter: milk +errand project:Home due.before:fri is:blocked"),
                    .set(.type, "search"), .set(.autocomplete, "off"),
                    .set(.shortcuts, "/"),
                ]),
            .choice(
                "by", "Sections", groupings.map { (value: $0.0, text: $0.1) },
                chosen: context.request.query("by") ?? "", isLabelSeen: false),
            .box("all", "finished too", isChecked: context.request.query("all") == "1"),
            .button("Show"),
        ]
        return .element(
            "form",
            [
                .set(.method, "get"), .action(context.request.path), .set(.role, "search"),
                .class("filter"), .set(.id, "filter"),
            ], inside) + keep(query, context)
    }

    /// A form that keeps the filter as a list of the user's own.
    private static func keep(_ query: String, _ context: PageContext) -> HTML {
        if query.isEmpty { return .nothing }
        return .element(
            "details", [.class("keep")],
            .element("summary", [], "Keep this list")
                + context.form(
                    "/views",
                    [
                        .hidden("words", query),
                        .field("name", "Its name", ""), .button("Keep"),
                    ]))
    }

    private static func foot(_ shown: Shown, _ context: PageContext) throws -> HTML {
        let counts = try context.todos.counts()
        var parts: [HTML] = []
        let count = shown.found.count
        parts.append(HTML(count == 1 ? "1 to-do" : "\(count) to-dos"))
        parts += shown.remarks.map { HTML($0) }
        parts.append(HTML("\(counts.pending) pending in all"))
        for timer in try context.todos.timers() {
            parts.append("running: " + .link(timer.id.path, .typed(timer.item.shownTitle)))
        }
        var all: HTML = .nothing
        if shown.hasMore {
            var query = context.request.query.filter { $0.name != "limit" }
            query.append(("limit", "0"))
            let text = query.map {
                "\(PercentCoding.encoded($0.name))=\(PercentCoding.encoded($0.value))"
            }.joined(separator: "&")
            all = .element(
                "p", [.class("all")],
                .element(
                    "a", [.href("\(context.request.path)?\(text)"), .set(.id, "all")],
                    "Show all of them"))
        }
        return all
            + .paragraph(
                HTML(
                    parts.enumerated().map { part in
                        part.offset == 0 ? part.element : " · " + part.element
                    }), class: "foot")
    }
}
