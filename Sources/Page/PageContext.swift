import Devices
import HTTP
import ToDo

/// A request that was let in, and all that an answer needs.
struct PageContext {
    let service: PageService
    let session: PageSession
    let request: HTTPRequest
    let form: PageForm
    let now: Int64
    let zone: LocalTimeZone
    let todos: ToDoStore

    init(
        _ service: PageService, _ session: PageSession, _ request: HTTPRequest, _ form: PageForm,
        now: Int64, zone: LocalTimeZone
    ) {
        self.service = service
        self.session = session
        self.request = request
        self.form = form
        self.now = now
        self.zone = zone
        todos = ToDoStore(store: service.device.store, now: now, zone: zone)
    }

    var device: Device { service.device }
    var settings: PageSettings { service.settings }
    var calendar: CalendarContext {
        CalendarContext(now: now, zone: zone, weekStart: settings.weekStart)
    }
    var naming: ToDoNaming { ToDoNaming(todos, reader: "page") }
    var journalWords: JournalWords { JournalWords(todos) }

    /// Whether a script only looks whether anything is new: notices wait for the page that a person sees.
    var isQuiet: Bool { request.header("x-tandem-quiet") != nil }

    /// A field of the form.
    ///
    /// - Throws: `badForm` if it is missing or stands twice.
    func field(_ name: String) throws(PageRefusalError) -> String {
        guard let value = form[name] else { throw PageRefusalError(.badForm) }
        return value
    }

    /// The context that holds for lists and new to-dos.
    func chosenContext() throws(StoreFault) -> ToDoContext? {
        try todos.context(
            insteadOfChosen: settings.contextName, weekStart: settings.weekStart)
    }

    /// Reads the words of a filter.
    func filter(_ words: [String]) throws -> ToDoFilter {
        try ToDoFilter.parse(
            words, now: now, zone: zone, weekStart: settings.weekStart,
            dateOrder: settings.user.dateOrder
        ).named { try naming.find([$0], in: .any).map(\.id.value) }
    }

    /// The to-do that a part of a path names.
    ///
    /// - Throws: `noPage`.
    func toDo(_ text: String) throws -> Record {
        guard let id = RecordID(uuidText: text), let stored = try todos.stored(id) else {
            throw PageRefusalError(.noPage)
        }
        return stored
    }

    /// A date as a person reads it.
    func date(_ moment: Moment) -> String {
        DatePhrase.describe(moment, now: now, zone: zone)
    }

    /// A time as a person reads it.
    func time(_ time: Int64) -> HTML {
        .element(
            "time", [.set(.datetime, TimestampText.rfc3339(time))],
            HTML(DatePhrase.describe(.instant(time), now: now, zone: zone)))
    }

    /// A form of the page with its token.
    func form(
        _ path: String, class name: String? = nil, label: String? = nil, id: String? = nil,
        carriesFile: Bool = false, _ content: HTML
    ) -> HTML {
        .element(
            "form",
            [
                .set(.method, "post"), .action(path), .class(name),
                label.map { .set(.label, $0) }, id.map { .set(.id, $0) },
                carriesFile ? .set(.encoding, HTTPUpload.type) : nil,
            ], .hidden(PageSecurity.tokenField, session.token) + content)
    }

    /// Sends the browser to a screen, after a form was taken.
    ///
    /// - Parameter path: nil for the screen that the form was on.
    func redirect(_ path: String? = nil) -> HTTPResponse {
        HTTPResponse(303, headers: [HTTPHeader("location", path ?? formPath)])
    }

    /// The path of the screen that the form was on, as the form says it.
    private var formPath: String {
        form["back"].flatMap { Self.isOwnPath($0) ? $0 : nil } ?? "/"
    }

    /// The path of the screen that a person is at.
    var screenPath: String { request.method == "GET" ? path : formPath }

    /// The path and query of this request.
    var path: String {
        if request.query.isEmpty { return request.path }
        return request.path + "?"
            + request.query.map {
                "\(PercentCoding.encoded($0.name))=\(PercentCoding.encoded($0.value))"
            }.joined(separator: "&")
    }

    /// Whether a text is a path of this page, which no browser takes for another site.
    static func isOwnPath(_ text: String) -> Bool {
        text.hasPrefix("/") && !text.hasPrefix("//") && text.utf8.count <= 2_000
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }
    }

    /// A command of the program that runs the page, as it is typed.
    func command(_ command: PageCommand) -> HTML {
        .element("code", [], HTML(service.commands[command] ?? "the command line"))
    }

    /// Tells something above the next page.
    func tell(_ text: HTML, undo: HTML = .nothing) {
        session.tell(PageNotice(kind: .done, text: text, undo: undo))
    }

    /// Tells above the next page why something was not done.
    func tellRefused(_ text: HTML) {
        session.tell(PageNotice(kind: .refused, text: text))
    }
}

extension RecordID {
    /// The path of a to-do's screen.
    var path: String { "/todo/\(uuidText)" }
}
