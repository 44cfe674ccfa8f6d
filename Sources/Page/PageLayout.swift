import HTTP
import ToDo

/// The parts around every screen.
enum PageLayout {
    /// The screens that stand first.
    private static let first: [(path: String, name: HTML)] = [
        ("/", "All"), ("/view/today", "Today"), ("/view/upcoming", "Upcoming"),
        ("/agenda", "Agenda"),
    ]

    /// The screens behind "More", in groups; at the side where there is room.
    private static let more: [(name: HTML, screens: [(path: String, name: HTML)])] = [
        (
            "Lists",
            [
                ("/view/inbox", "Inbox"), ("/view/overdue", "Overdue"), ("/recent", "Recent"),
                ("/view/log", "Log"), ("/trash", "Trash"),
            ]
        ),
        ("Time", [("/month", "Month"), ("/week", "Week"), ("/times", "Times")]),
        ("Changes", [("/conflicts", "Conflicts"), ("/undo", "Undo")]),
        ("Sync", [("/devices", "Devices"), ("/status", "Status"), ("/import", "Import")]),
    ]

    /// A screen with what is around it.
    ///
    /// - Parameter screen: its name for scripts and styles.
    static func page(
        _ title: String, screen: String, status: Int = 200, _ content: HTML,
        _ context: PageContext
    ) throws -> HTTPResponse {
        let conflicts =
            try context.todos.openConflictCount()
        let taken = context.isQuiet ? [] : context.session.takeNotices()
        let notices = taken.map { notice(of: $0, context) }
        let body: HTML = [
            .link("#main", "Skip to content", class: "skip"),
            .element(
                "header", [.class("top")],
                .element(
                    "nav", [.set(.label, "Screens")], try navigation(conflicts, context))),
            .element(
                "main", [.set(.id, "main"), .set(.dataScreen, screen)],
                [
                    .element("h1", [], HTML(title)),
                    .element(
                        "div", [.set(.id, "notices"), .set(.role, "status")], HTML(notices)),
                    content,
                ]),
            .element("div", [.set(.id, "live"), .set(.live, "polite"), .class("live")]),
            keys(),
        ]
        return PageService.response(
            status,
            document(
                title, token: context.session.token, lastEvent: context.service.events.lastID,
                body))
    }

    private static func document(
        _ title: String, token: String? = nil, lastEvent: String? = nil, _ body: HTML
    ) -> HTML {
        var head: HTML = [
            .void("meta", [.set(.charset, "utf-8")]),
            .void(
                "meta",
                [.set(.name, "viewport"), .set(.content, "width=device-width, initial-scale=1")]),
            .void("meta", [.set(.name, "color-scheme"), .set(.content, "light dark")]),
            .element("title", [], HTML("\(title) · Tandem")),
        ]
        if let token {
            head += [
                .void(
                    "meta",
                    [.set(.name, "tandem-token"), .set(.content, token)]),
                .void(
                    "link", [.set(.rel, "stylesheet"), .href(PageAssets.path("page.css"))]),
                .void(
                    "link",
                    [
                        .set(.rel, "icon"), .set(.type, "image/svg+xml"),
                        .href(PageAssets.path("icon.svg")),
                    ]),
                .void(
                    "link",
                    [
                        .set(.rel, "manifest"), .href("/manifest.webmanifest"),
                        .set(.crossOrigin, "use-credentials"),
                    ]),
                .element(
                    "script",
                    [
                        .set(.type, "module"), .src(PageAssets.path("page.js")),
                    ]),
            ]
        }
        if let lastEvent {
            head += .void("meta", [.set(.name, "tandem-event"), .set(.content, lastEvent)])
        }
        return .document(head, body)
    }

    private static func navigation(_ conflicts: Int, _ context: PageContext) throws -> HTML {
        let here = context.request.path
        let count: HTML =
            conflicts == 0
            ? .nothing
            : .span("count", HTML("\(conflicts)")) + .span("unseen", " in conflict")
        func list(_ screens: [(path: String, name: HTML)], class style: String? = nil) -> HTML {
            .list(
                screens.map { screen in
                    .link(
                        screen.path, screen.name + (screen.path == "/conflicts" ? count : .nothing),
                        isCurrent: here == screen.path)
                }, class: style)
        }
        var groups = HTML(
            more.map { .paragraph($0.name, class: "group") + list($0.screens) })
        let own = try context.todos.savedViews().map { view in
            (path: "/view/\(PercentCoding.encoded(view.name))", name: HTML.typed(view.name))
        }
        if !own.isEmpty { groups = .paragraph("Your lists", class: "group") + list(own) + groups }
        let opener = HTML.element(
            "button",
            [
                .set(.type, "button"), .class("menu"), .set(.popoverTarget, "more"),
            ], "More" + count)
        return list(first, class: "first") + opener
            + .element("div", [.set(.id, "more"), .flag("popover")], groups)
    }

    /// A notice, with a button that takes back the operation.
    private static func notice(of notice: PageNotice, _ context: PageContext) -> HTML {
        .element(
            "div", [.class("notice \(notice.kind.rawValue)")],
            .span("text", notice.text) + notice.undo)
    }

    /// The list of keys, which a script opens.
    private static func keys() -> HTML {
        let keys: [(HTML, HTML)] = [
            ("n", "add a to-do"), ("/", "filter"), ("j, k", "next, previous to-do"),
            ("Enter", "open it"), ("x", "done, or pending again"), ("s", "start or stop the timer"),
            ("m", "due tomorrow"), ("Delete", "to the trash"), ("z", "undo the last change"),
            ("a t u g c", "all, today, upcoming, agenda, conflicts"), ("?", "this list"),
        ]
        let rows = keys.map { (name: HTML.element("kbd", [], $0.0), value: $0.1) }
        return .element(
            "dialog", [.set(.id, "keys"), .set(.labelledBy, "keys-title")],
            [
                .element("h2", [.set(.id, "keys-title")], "Keys"), .pairs(rows),
                .element(
                    "label", [.class("box")],
                    .void("input", [.set(.type, "checkbox"), .set(.id, "keys-on")])
                        + "Single keys do something"),
                .element(
                    "form", [.set(.method, "dialog")], .button("Close")),
            ])
    }

    /// The page that stands in for every screen while the program does not run; it holds no data.
    static func shell(_ context: PageContext) -> HTTPResponse {
        let head: HTML = [
            .void("meta", [.set(.charset, "utf-8")]),
            .void(
                "meta",
                [.set(.name, "viewport"), .set(.content, "width=device-width, initial-scale=1")]),
            .element("title", [], "Not running · Tandem"),
            .void("link", [.set(.rel, "stylesheet"), .href(PageAssets.path("page.css"))]),
            .void("link", [.set(.rel, "icon"), .href(PageAssets.path("icon.svg"))]),
            .element(
                "script", [.set(.type, "module"), .src(PageAssets.path("shell.js"))]),
        ]
        let line: HTML = [
            .field(
                "line", "New to-do", "", isLabelSeen: false,
                [
                    .set(.placeholder, "New to-do: Buy milk project:Home due:fri"),
                    .set(.type, "text"), .set(.autocomplete, "off"), .set(.direction, "auto"),
                ]),
            .button("Keep"),
        ]
        let content: HTML = [
            .element("h1", [], "Tandem does not run"),
            .paragraph(
                "The program that shows your to-dos has stopped, or starts anew. Nothing is lost. To start it: "
                    + context.command(.web)
                    + ". This page looks every few seconds and goes on by itself."),
            .element(
                "form", [.set(.method, "post"), .action("/add"), .class("capture")], line),
            .element("p", [.set(.id, "said"), .set(.role, "status")]),
            .element(
                "section", [.set(.id, "kept"), .flag("hidden")],
                .heading("Typed and not saved yet") + .element("div", [.set(.id, "drafts")])),
        ]
        return PageService.response(
            200,
            .document(
                head,
                .element("main", [.set(.id, "main"), .set(.dataScreen, "shell")], content)))
    }

    /// The page behind the one-time way in: it leads on, as a request that another site began has no cookie.
    static func entering() -> HTML {
        .document(
            [
                .void("meta", [.set(.charset, "utf-8")]), .element("title", [], "Tandem"),
                .refresh(to: "/"),
            ],
            .element("main", [], .paragraph(.link("/", "Continue to your to-dos"))))
    }

    /// The page of a refusal.
    ///
    /// - Parameter token: that of the session which it is shown to; without one nothing of the page's is loaded.
    static func refusal(_ refusal: PageRefusal, token: String? = nil) -> HTML {
        document(
            "Refused", token: token,
            .element(
                "main", [],
                [
                    .element("h1", [], "Tandem"), .paragraph(HTML(refusal.words)),
                    token == nil ? .nothing : .paragraph(.link("/", "Back to all to-dos")),
                ]))
    }

    /// The page of a failure.
    static func failure(_ words: String, _ context: PageContext) -> HTML {
        document(
            "Failed", token: context.session.token,
            .element(
                "main", [.set(.id, "main")],
                [
                    .element("h1", [], "That failed"), .paragraph(HTML(words)),
                    .paragraph(.link("/", "Back to all to-dos")),
                ]))
    }
}

extension HTML {
    /// Leads on to another path at once.
    static func refresh(to path: String) -> HTML {
        .void("meta", [.equivalent("refresh"), .set(.content, "0;url=\(path)")])
    }
}
