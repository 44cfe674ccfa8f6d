import Core
import Devices
import HTTP
import Page
import Storage
import Testing
import ToDo
import ToDoTestSupport

@Suite("Page screens and writes")
struct PageTests {
    private let world: PageWorld

    init() throws { world = try PageWorld() }

    private func list(_ path: String = "/", _ query: [(String, String)] = []) -> String {
        world.get(path, query).text
    }

    @Test("a list shows to-dos with boxes and links, and a filter chooses among them")
    func lists() throws {
        let milk = try world.add("Buy milk") { $0.setTags(["errand"]) }
        let call = try world.add("Call Anna")
        let all = list()
        #expect(
            all.contains("id=\"t-\(milk.uuidText)\"") && all.contains("id=\"t-\(call.uuidText)\""))
        let some = list("/", [("q", "+errand")])
        #expect(some.contains(milk.uuidText) && !some.contains(call.uuidText))
        #expect(world.get("/", [("q", "due.before:nonsense")]).status == 200)
    }

    @Test("each screen of every view is there", arguments: ToDoView.allCases)
    func views(view: ToDoView) throws {
        _ = try world.add("Buy milk") { $0.due = .day(20_779) }
        #expect(world.get("/view/\(view.rawValue)").status == 200)
    }

    @Test("every screen answers for a store with extreme values in every field of to-dos and lists")
    func extremes() throws {
        let cases = try ExtremeRecords.write(
            to: world.device.store, every: ExtremeRecords.isWhole ? 3 : 97, setTime: { _ in })
        _ = try ExtremeRecords.writeViews(
            to: world.device.store, every: ExtremeRecords.isWhole ? 1 : 37)
        let views = ToDoView.allCases.map(\.rawValue) + (try world.todos.savedViews().map(\.name))
        var paths = [
            "", "agenda", "month", "week", "week.svg", "projects.svg", "recent", "trash", "times",
            "undo", "conflicts", "devices", "status", "import",
        ]
        paths += views.map { "view/\($0)" }
        paths += cases.keys.sorted().flatMap {
            ["todo/\($0.uuidText)", "todo/\($0.uuidText)/history", "todo/\($0.uuidText)/why"]
        }
        for path in paths { #expect(world.get("/" + path).status == 200, "\(path)") }
        for (key, value) in [("day", "0001-01-01"), ("month", "9999-12"), ("q", "row")] {
            for path in ["", "agenda", "month", "week"] {
                #expect(world.get("/" + path, [(key, value)]).status < 500, "\(path) \(key)")
            }
        }
    }

    @Test("the page's port has fewer places for one address than in all, and keeps some free")
    func places() {
        let limits = PageService.limits
        #expect(limits.addressConnectionCountMax < limits.connectionCountMax)
        #expect(limits.spareConnectionCount >= 20)
        #expect(limits.requestMax == .seconds(30))
    }

    @Test("a typed line makes a to-do, with the words of the command")
    func captures() throws {
        #expect(
            world.post("/add", [("line", "Buy milk project:Home +errand due:2026-12-24")]).status
                == 303)
        let found = try world.todos.list(ToDoFilter(), pendingOnly: true)
        let item = ToDoMapping.item(try #require(found.first))
        #expect(item.title == "Buy milk" && item.project == "Home" && item.tags == ["errand"])
        #expect(item.due == .day(20_811))
    }

    @Test(
        "a line that cannot be read comes back with what was typed",
        arguments: ["due:nonsense milk", "\"open", "+x"])
    func capturesWrong(line: String) throws {
        let answer = world.post("/add", [("line", line)])
        #expect(answer.status == 422)
        #expect(PageWorld.value(of: "line", in: answer.text) == line)
        #expect(try world.todos.list(ToDoFilter(), pendingOnly: true).isEmpty)
    }

    @Test(
        "words that name no to-do, or not one, are answered in words",
        arguments: [
            ("depends:99", "No to-do has the number 99."), ("depends:90-99", "from 90 to 99."),
            ("depends:last", "&#39;last&#39; names no to-do"),
            ("depends:nothing", "No to-do has &#39;nothing&#39; in its title."),
            ("depends:paint", "may be one of several: Paint the "),
            ("depends:all", "only a part of a word in: Paint the wall"),
        ])
    func namesNothing(word: String, told: String) throws {
        for title in ["Paint the wall", "Paint the door"] {
            _ = try world.todos.add(ToDoItem(title: title))
        }
        let answer = world.post("/add", [("line", "Buy paint \(word)")])
        #expect(answer.status == 422 && answer.text.contains(told), "\(answer.text)")
    }

    @Test("a line is echoed as it would be understood, and nothing is written")
    func echoes() throws {
        #expect(list("/echo", [("line", "Milk due:2026-12-24")]).contains("24 Dec 2026"))
        #expect(list("/echo", [("line", "Milk due:nonsense")]).contains("class=\"bad\""))
        #expect(list("/echo", [("line", " ")]).isEmpty)
        #expect(try world.todos.list(ToDoFilter(), pendingOnly: true).isEmpty)
    }

    @Test("buttons do what they say, and undo takes it back")
    func operations() throws {
        let id = try world.add("Milk")
        world.post("/do", [("done", try world.button(id))])
        #expect(try world.item(id).status == .completed)
        world.post("/undo", [])
        #expect(try world.item(id).status == .pending)
        world.post("/do", [("start", try world.button(id))])
        #expect(try world.item(id).isInProcess)
        world.post("/do", [("stop", try world.button(id))])
        #expect(try !world.item(id).isInProcess)
        world.post("/do", [("tomorrow", try world.button(id))])
        #expect(try world.item(id).due == .day(20_780))
        world.post("/do", [("cancel", try world.button(id))])
        #expect(try world.item(id).status == .cancelled)
        world.post("/do", [("reopen", try world.button(id))])
        #expect(try world.item(id).status == .pending)
        world.post("/do", [("delete", try world.button(id))])
        #expect(try world.stored(id).standing == .trashed)
        #expect(list("/trash").contains(id.uuidText))
        world.post("/do", [("restore", try world.button(id))])
        #expect(try world.stored(id).standing == .live)
        world.post("/do", [("delete", try world.button(id))])
        world.post("/do", [("purge", try world.button(id))])
        #expect(try world.stored(id).standing == .trashed, "nobody said that they are sure")
        world.post("/do", [("purge", try world.button(id)), ("sure", "1")])
        #expect(try world.stored(id).standing == .purged)
    }

    @Test(
        "after a purge, a plain undo is refused with its reason, and no button undoes an older change"
    )
    func undoBehindPurge() throws {
        let (milk, bread) = (try world.add("Milk"), try world.add("Bread"))
        world.post("/do", [("done", try world.button(milk))])
        #expect(list("/").contains("action=\"/undo\""))
        world.post("/do", [("delete", try world.button(bread))])
        #expect(list("/").contains("action=\"/undo\""))
        world.post("/do", [("purge", try world.button(bread)), ("sure", "1")])
        #expect(!list("/").contains("action=\"/undo\""))
        world.post("/undo", [])
        let told = list("/")
        #expect(told.contains("notice refused") && told.contains("which nothing can undo"))
        #expect(try world.item(milk).status == .completed)
        // The older change is offered by its name.
        let change = try #require(PageWorld.value(of: "change", in: told))
        world.post("/undo", [("change", change)])
        #expect(try world.item(milk).status == .pending)
    }

    @Test("an edit saves what was changed on the form, and nothing else")
    func edits() throws {
        let id = try world.add("Milk") { $0.project = "Home" }
        let form = try world.form(id)
        let answer = world.post(
            "/todo/\(id.uuidText)",
            form + [
                ("field.title", "Oat milk"), ("field.due", "2026-12-24"), ("field.project", "Home"),
                ("field.priority", "high"), ("notes", "two\r\nlines"), ("more", "+errand"),
            ])
        #expect(answer.status == 303)
        let item = try world.item(id)
        #expect(item.title == "Oat milk" && item.due == .day(20_811) && item.priority == .high)
        #expect(item.notes == "two\nlines" && item.tags == ["errand"] && item.project == "Home")
    }

    @Test("a field that was changed elsewhere meanwhile becomes a listed conflict, others merge")
    func lateEdits() throws {
        let id = try world.add("Milk")
        let form = try world.form(id)
        try world.change(id) {
            $0.title = "Almond milk"
            $0.project = "Home"
        }
        world.post(
            "/todo/\(id.uuidText)",
            form + [("field.title", "Oat milk"), ("field.due", "2026-12-24")])
        let item = try world.item(id)
        #expect(item.project == "Home" && item.due == .day(20_811))
        let conflicts = try world.todos.conflicts()
        #expect(conflicts.count == 1)
        #expect(list("/conflicts").contains(id.uuidText))
    }

    @Test("what was typed stays when the to-do was deleted meanwhile, and can bring it back")
    func deletedMeanwhile() throws {
        let id = try world.add("Milk")
        let form = try world.form(id)
        _ = try world.todos.delete([id])
        let fields = form + [("field.title", "Oat milk"), ("notes", "typed notes")]
        let answer = world.post("/todo/\(id.uuidText)", fields)
        #expect(answer.status == 409)
        #expect(answer.text.contains("value=\"Oat milk\"") && answer.text.contains("typed notes"))
        #expect(try world.stored(id).standing == .trashed)
        #expect(world.post("/todo/\(id.uuidText)", fields + [("restore", "1")]).status == 303)
        #expect(try world.item(id).title == "Oat milk")
        #expect(try world.todos.conflicts().isEmpty)
    }

    @Test("what was typed is shown when the to-do was purged meanwhile")
    func purgedMeanwhile() throws {
        let id = try world.add("Milk")
        let form = try world.form(id)
        _ = try world.todos.delete([id])
        _ = try world.todos.purge([id])
        let answer = world.post("/todo/\(id.uuidText)", form + [("field.title", "Oat milk")])
        #expect(answer.status == 410 && answer.text.contains("Oat milk"))
    }

    @Test("a form that cannot be read keeps what was typed, and a forged one is refused")
    func wrongForms() throws {
        let id = try world.add("Milk")
        let other = try world.add("Bread")
        let form = try world.form(id)
        let wrong = world.post(
            "/todo/\(id.uuidText)", form + [("field.title", "Oat milk"), ("field.due", "nonsense")])
        #expect(wrong.status == 422 && wrong.text.contains("value=\"nonsense\""))
        #expect(try world.item(id).title == "Milk")
        #expect(world.post("/todo/\(other.uuidText)", form + [("field.title", "X")]).status == 400)
        #expect(world.post("/todo/\(id.uuidText)", [("field.title", "X")]).status == 400)
        let bad = [("base", "{"), ("seen", "")]
        #expect(world.post("/todo/\(id.uuidText)", bad).status == 400)
    }

    /// A to-do of whose title the page and another edit made two values.
    private func conflicted() throws -> RecordID {
        let id = try world.add("Milk")
        let form = try world.form(id)
        try world.change(id) { $0.title = "Almond milk" }
        world.post("/todo/\(id.uuidText)", form + [("field.title", "Oat milk")])
        #expect(try world.todos.conflicts().count == 1)
        return id
    }

    private func decision(_ id: RecordID, _ more: [(String, String)]) throws -> [(String, String)] {
        [
            ("id", id.uuidText), ("seen", try world.stored(id).record.clock.seenText),
            ("field", "title"), ("operation", "decide"),
        ] + more
    }

    @Test(
        "a conflict is decided by choice, by both and by own text",
        arguments: ["1", "2", "both", "own"])
    func decides(choice: String) throws {
        let id = try conflicted()
        world.post("/conflicts", try decision(id, [("choice", choice), ("text", "Soy milk")]))
        #expect(try world.todos.conflicts().isEmpty)
        let title = try world.item(id).title
        switch choice {
        case "both": #expect(title.contains("Oat milk") && title.contains("Almond milk"))
        case "own": #expect(title == "Soy milk")
        default: #expect(title == "Oat milk" || title == "Almond milk")
        }
    }

    @Test("a decision by somebody who had not seen a value does not end it")
    func decidesLate() throws {
        let id = try conflicted()
        let form = try decision(id, [("choice", "own"), ("text", "Soy milk")])
        let first = try decision(id, [("choice", "1")])
        let late = try world.form(id)
        world.post("/todo/\(id.uuidText)", late + [("field.title", "Rice milk")])
        world.post("/conflicts", first)
        #expect(try world.item(id).title == "Rice milk", "a choice by position is not taken")
        world.post("/conflicts", form)
        #expect(try world.item(id).title == "Rice milk", "the conflict was decided already")
    }

    @Test(
        "changes of a purged list are shown with their decisions, each of which ends the conflict")
    func purgedList() throws {
        let name = RecordName(ToDoSchema.views, Store.derivedID(ToDoSchema.views, key: "home"))
        typealias Number = ToDoSchema.ViewNumber
        let edit = [
            Assignment(.number(Number.name), .text("home")),
            Assignment(.number(Number.words), .text("+x")),
        ]
        for (number, decision) in [("decide", "+x"), ("remove", "1")].enumerated() {
            world.post("/views", [("name", "home"), ("words", "+a")])
            // The second time it is the record that the first decision made.
            let purged = name.successor(number)
            try world.device.store.edit { transaction throws(StoreFault) in
                let seen = try transaction.record(purged)?.record.clock ?? VersionVector()
                try transaction.purge(purged, isForced: true)
                // As a device leaves it that had not heard of the purge.
                try transaction.update(purged, edit, seen: seen, bases: [:])
            }
            let shown = world.get("/conflicts").text
            #expect(shown.contains("1 question is open") && shown.contains("value=\"home\""))
            #expect(shown.contains("name=\"decide\" value=\"+x\""))
            #expect(shown.contains("Let go of them for good"))
            #expect(world.post("/views", [("name", "home"), decision]).status == 303)
            #expect(try world.todos.viewConflictCount() == 0)
            #expect(try world.todos.savedView(named: "home")?.words == [["+x"], nil][number])
        }
    }

    @Test(
        "a week has its picture, a list of one's own is kept and removed, a file is rehearsed and imported"
    )
    func others() throws {
        let picture = world.get("/week.svg")
        #expect(picture.header("content-type")?.hasPrefix("image/svg+xml") == true)
        world.post("/views", [("name", "errands"), ("words", "+errand")])
        #expect(world.get("/view/errands").status == 200)
        world.post("/views", [("name", "errands"), ("remove", "1")])
        #expect(world.get("/view/errands").status == 404)
        let fields = [("text", "Buy milk +home\nCall Anna\n"), ("format", "todotxt")]
        #expect(world.post("/import", fields + [("operation", "rehearse")]).status == 200)
        #expect(try world.todos.list(ToDoFilter(), pendingOnly: true).isEmpty)
        #expect(world.post("/import", fields + [("operation", "import")]).status == 303)
        #expect(try world.todos.list(ToDoFilter(), pendingOnly: true).count == 2)
    }

    private func upload(_ body: String, boundary: String = "xx") -> Answer {
        let token =
            "--xx\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n\(world.token)\r\n"
        return world.post(
            "/import", type: "multipart/form-data; boundary=\(boundary)", body: token + body)
    }

    private func part(_ name: String, _ value: String, file: String? = nil) -> String {
        let more = file.map { "; filename=\"\($0)\"\r\nContent-Type: text/plain" } ?? ""
        return "--xx\r\nContent-Disposition: form-data; name=\"\(name)\"\(more)\r\n\r\n\(value)\r\n"
    }

    @Test("a file is taken as it is, and its name tells the format")
    func uploads() throws {
        let text = part("format", "") + part("text", "")
        let file = part("file", "Buy milk +home\nCall Anna\n", file: "todo.txt")
        #expect(upload(text + file + part("operation", "rehearse") + "--xx--\r\n").status == 200)
        #expect(upload(text + file + part("operation", "import") + "--xx--\r\n").status == 303)
        #expect(try world.todos.list(ToDoFilter(), pendingOnly: true).count == 2)
    }

    @Test("bodies with a file that are cut, have no boundary or no names are no forms")
    func wrongUploads() throws {
        let good = part("format", "todotxt") + part("text", "Milk") + part("operation", "import")
        #expect(upload(good + "--xx--\r\n").status == 303)
        for body in [good, good + "--xx", "--xx\r\n\r\n--xx--", "--xx\r\nX: y\r\n\r\n1\r\n--xx--"] {
            #expect(upload(body).refusal == "no-form", "\(body.suffix(20))")
        }
        for boundary in ["", "yy", String(repeating: "x", count: 71)] {
            #expect(upload(good + "--xx--", boundary: boundary).refusal == "no-form")
        }
        #expect(try world.todos.list(ToDoFilter(), pendingOnly: true).count == 1)
    }

    @Test("ten thousand to-dos: the first screen has some, and the whole list has the last one")
    func many() throws {
        _ = try world.todos.add((0..<2_000).map { ToDoItem(title: "Task \($0)") })
        let first = list()
        #expect(first.components(of: "<li id=\"t-") == 500 && first.contains("id=\"all\""))
        #expect(list("/", [("limit", "0")]).components(of: "<li id=\"t-") == 2_000)
    }
}

@Suite("Page events")
struct PageEventTests {
    private func lines(_ answer: Answer) -> String {
        guard case .stream(let stream) = answer.response.body else { return "" }
        return String(decoding: stream.take(1 << 20), as: UTF8.self)
    }

    @Test("events have numbers without gaps, and a page that comes back gets what it missed")
    func gapless() throws {
        let world = try PageWorld()
        let watch = try RecordWatch(world.device)
        let first = world.get("/events")
        let begin = lines(first)
        let start = try #require(begin.firstMatch(of: /id: ([0-9a-f]+)-0\n/)).output.1
        for title in ["Milk", "Bread", "Rice"] {
            let id = try world.add(title)
            let ids = try watch.next()
            #expect(ids == [id])
            world.page.events.tell(ids)
        }
        let told = lines(first)
        #expect(told.components(of: "event: changes") == 3)
        for number in 1...3 { #expect(told.contains("id: \(start)-\(number)\n")) }
        #expect(world.get("/").text.contains("content=\"\(start)-3\""))
        let again = world.get("/events", [("last", "\(start)-1")])
        #expect(lines(again).components(of: "event: changes") == 2)
        let foreign = world.get("/events", [("last", "0-1")])
        #expect(lines(foreign).contains("event: all"))
        #expect(try watch.next().isEmpty)
    }

    @Test("a page that goes is forgotten, and one too many ends the first")
    func listeners() throws {
        let world = try PageWorld()
        let answers = (0...PageEvents.listenerCountMax).map { _ in world.get("/events") }
        #expect(world.page.events.listenerCount == PageEvents.listenerCountMax)
        guard case .stream(let first) = answers[0].response.body,
            case .stream(let last) = answers[PageEvents.listenerCountMax].response.body
        else {
            Issue.record("no streams")
            return
        }
        #expect(first.isClosed && !last.isClosed)
        last.close()
        #expect(world.page.events.listenerCount == PageEvents.listenerCountMax - 1)
    }
}

extension String {
    /// How often a text stands in it.
    func components(of text: String) -> Int { ranges(of: text).count }
}
