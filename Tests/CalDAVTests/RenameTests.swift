import CalDAV
import Core
import Devices
import HTTP
import Storage
import Testing
import ToDo

@Suite("Lists that clients rename")
struct RenameTests {
    private func rename(
        _ world: GatewayWorld, _ segment: String, to name: String
    ) -> GatewayWorld.Answer {
        world.ask(
            "PROPPATCH", "/lists/\(segment)/",
            """
            <propertyupdate xmlns="DAV:"><set><prop><displayname>\(name)</displayname></prop></set></propertyupdate>
            """)
    }

    /// The names of all lists by their paths.
    private func names(_ world: GatewayWorld) throws -> [String: String] {
        let answer = world.ask(
            "PROPFIND", "/lists/", "<propfind xmlns='DAV:'><prop><displayname/></prop></propfind>",
            headers: [HTTPHeader("depth", "1")])
        var found: [String: String] = [:]
        for one in try XMLReader.read(Array(answer.text.utf8)).all(.dav("response")) {
            let path = try #require(one[.dav("href")]?.text)
            found[path] = one[.dav("propstat")]?[.dav("prop")]?[.dav("displayname")]?.text
        }
        found["/lists/"] = nil
        return found
    }

    private func item(_ world: GatewayWorld, _ id: RecordID) throws -> ToDoItem {
        try world.todos.item(try #require(try world.todos.stored(id)))
    }

    /// The projects of pending to-dos.
    private func projects(_ world: GatewayWorld) throws -> Set<String> {
        Set(
            try world.todos.list(ToDoFilter(), pendingOnly: true)
                .map { try world.todos.item($0).project })
    }

    private func conflicts(_ world: GatewayWorld) throws -> Int {
        try world.todos.counts().conflicted
    }

    @Test("its to-dos get a project of the new name, on their levels, and the list keeps its path")
    func rename() throws {
        let world = try GatewayWorld()
        let top = try world.add("Saw", project: "Home")
        let deep = try world.add("Milk", project: "Home.shop.today")
        let other = try world.add("Report", project: "Homework")
        let gone = try world.add("Gone", project: "Home")
        _ = try world.todos.delete([gone])
        #expect(rename(world, "Home", to: "My house").status == 207)
        #expect(try item(world, top).project == "My house")
        #expect(try item(world, deep).project == "My house.shop.today")
        #expect(try item(world, other).project == "Homework")
        #expect(try item(world, gone).project == "Home")
        #expect(
            try names(world) == [
                "/lists/inbox/": "Inbox", "/lists/Home/": "My house",
                "/lists/Homework/": "Homework",
            ])
        #expect(world.ask("GET", "/lists/Home/\(deep.uuidText).ics").status == 200)
    }

    @Test("a to-do that comes under the old name later is in a list of that name")
    func late() throws {
        let world = try GatewayWorld()
        try world.add("Saw", project: "Home")
        #expect(rename(world, "Home", to: "House").status == 207)
        try world.add("Late", project: "Home")
        #expect(
            try names(world) == [
                "/lists/inbox/": "Inbox", "/lists/Home/": "House", "/lists/~486f6d65/": "Home",
            ])
        // Each can be renamed, to a name that is free; one that is taken gets a number, and is shown as it was given.
        #expect(rename(world, "~486f6d65", to: "House").status == 207)
        #expect(try names(world)["/lists/~486f6d65/"] == "House")
        #expect(try projects(world) == ["House", "House 2"])
    }

    @Test(
        "a list without a to-do takes the name, the inbox only shows it, and a dot is none of a project"
    )
    func others() throws {
        let world = try GatewayWorld()
        #expect(world.ask("MKCOL", "/lists/work/").status == 201)
        #expect(rename(world, "work", to: "Work. Now").status == 207)
        #expect(rename(world, "inbox", to: "Reminders").status == 207)
        let todo = ServedDocumentText.make("u1", "SUMMARY:Report")
        #expect(world.ask("PUT", "/lists/work/a.ics", todo).status == 201)
        #expect(try projects(world) == ["Work- Now"])
        #expect(
            try names(world) == ["/lists/inbox/": "Reminders", "/lists/work/": "Work. Now"])
        // The same project under another way of writing: nothing is written to its to-dos.
        let sequence = world.device.store.sequence
        #expect(rename(world, "work", to: "Work- Now").status == 207)
        #expect(world.device.store.sequence == sequence)
        #expect(try names(world)["/lists/work/"] == "Work- Now")
    }

    // Goal: a client that goes on with texts from before the new name neither moves a to-do nor disagrees with anybody.
    // Method: texts that name what they were made from and texts that do not, once and once more, after two renamings.
    @Test(
        "an edit of a text from before the new name is that edit alone", arguments: [true, false])
    func lateEdits(isNamed: Bool) throws {
        let world = try GatewayWorld()
        let id = try world.add("Milk", project: "Home.shop")
        let path = "/lists/Home/\(id.uuidText).ics"
        var text = world.ask("GET", path).text
        if !isNamed {
            text =
                text.split(separator: "\r\n").filter { !$0.hasPrefix("X-TANDEM") }
                .joined(separator: "\r\n") + "\r\n"
        }
        #expect(world.ask("PUT", path, text.replacing("Milk", with: "Cream")).status == 204)
        #expect(rename(world, "Home", to: "House").status == 207)
        // The very text again, as after an answer that was lost.
        let sequence = world.device.store.sequence
        #expect(world.ask("PUT", path, text.replacing("Milk", with: "Cream")).status == 204)
        #expect(world.device.store.sequence == sequence)
        #expect(rename(world, "Home", to: "Villa").status == 207)
        let edited = text.replacing("Milk", with: "Cream").replacing(
            "NEEDS-ACTION", with: "COMPLETED")
        #expect(world.ask("PUT", path, edited).status == 204)
        let now = try item(world, id)
        #expect(now.title == "Cream" && now.status == .completed && now.project == "Villa.shop")
        #expect(try conflicts(world) == 0)
        // Its delete has seen all that there is.
        #expect(world.ask("DELETE", path).status == 204)
        let verdict = try #require(try world.todos.stored(id)).verdict
        #expect(verdict.isDeleted && !verdict.isContested)
    }

    @Test("a list without a to-do keeps its name when one comes under its former name")
    func emptied() throws {
        let world = try GatewayWorld()
        let only = try world.add("Saw", project: "Home")
        #expect(rename(world, "Home", to: "House").status == 207)
        #expect(world.ask("GET", "/lists/Home/\(only.uuidText).ics").status == 200)
        #expect(world.ask("DELETE", "/lists/Home/\(only.uuidText).ics").status == 204)
        let late = try world.add("Late", project: "Home")
        #expect(
            try names(world) == [
                "/lists/inbox/": "Inbox", "/lists/Home/": "House", "/lists/~486f6d65/": "Home",
            ])
        #expect(world.ask("GET", "/lists/~486f6d65/\(late.uuidText).ics").status == 200)
        // Nor does it where its to-dos were given the former name by hand: that is no undo.
        let other = try world.add("Nails", project: "House")
        try world.move(other, to: "Home")
        #expect(try names(world)["/lists/Home/"] == "House")
    }

    @Test(
        "a list has its former name again after an undo, the new one after a redo, as often as that is done"
    )
    func undone() throws {
        let world = try GatewayWorld()
        try world.add("Saw", project: "Home")
        #expect(rename(world, "Home", to: "House").status == 207)
        for _ in 1...2 {
            let change = try #require(try world.todos.nextToUndo().change)
            _ = try world.todos.undo(change.timestamp)
            #expect(try names(world) == ["/lists/inbox/": "Inbox", "/lists/Home/": "Home"])
            let undo = try #require(try world.todos.nextToRedo())
            _ = try world.todos.undo(undo.timestamp)
            #expect(try names(world) == ["/lists/inbox/": "Inbox", "/lists/Home/": "House"])
        }
    }

    @Test("a new to-do keeps its level when its text names the list as it was called before")
    func newFromBefore() throws {
        let world = try GatewayWorld()
        try world.add("Saw", project: "Home")
        #expect(rename(world, "Home", to: "House").status == 207)
        for (name, project, expected) in [
            ("a", "Home.shop.today", "House.shop.today"), ("b", "House.shop", "House.shop"),
            ("c", "Work.plan", "House"), ("d", "Home", "House"),
        ] {
            let text = ServedDocumentText.make(
                name, "SUMMARY:\(name)", "X-TANDEM-PROJECT:\(project)")
            #expect(world.ask("PUT", "/lists/Home/\(name).ics", text).status == 201)
            let made = try world.todos.list(ToDoFilter(), pendingOnly: true)
                .map { try world.todos.item($0) }.filter { $0.title == name }
            #expect(made.map(\.project) == [expected])
        }
    }

    @Test("of two lists that had one name, one has it again when the to-dos of both do")
    func bothBack() throws {
        let world = try GatewayWorld()
        let first = try world.add("Saw", project: "Home")
        #expect(rename(world, "Home", to: "House").status == 207)
        let second = try world.add("Late", project: "Home")
        #expect(rename(world, "~486f6d65", to: "Villa").status == 207)
        for change in try world.todos.localChanges(limit: 3)
        where change.shownEdits.contains(where: {
            $0.after == .text("House") || $0.after == .text("Villa")
        }) {
            _ = try world.todos.undo(change.timestamp)
        }
        #expect(try projects(world) == ["Home"])
        #expect(
            try names(world) == [
                "/lists/inbox/": "Inbox", "/lists/Home/": "Home", "/lists/~486f6d65/": "Villa",
            ])
        for id in [first, second] {
            #expect(world.ask("GET", "/lists/Home/\(id.uuidText).ics").status == 200)
            #expect(world.ask("GET", "/lists/~486f6d65/\(id.uuidText).ics").status == 404)
        }
    }

    @Test("a to-do is still moved between a renamed list and one of the former name")
    func moves() throws {
        let world = try GatewayWorld()
        try world.add("Saw", project: "Home")
        #expect(rename(world, "Home", to: "House").status == 207)
        try world.add("Stays", project: "Home")
        let id = try world.add("Milk", project: "Home.shop")
        let (old, new) = ("/lists/~486f6d65/\(id.uuidText).ics", "/lists/Home/\(id.uuidText).ics")
        let text = world.ask("GET", old).text
        #expect(text.contains("SUMMARY:Milk"))
        #expect(world.ask("PUT", new, text).status == 204)
        #expect(try item(world, id).project == "House")
        #expect(world.ask("MOVE", new, headers: [HTTPHeader("destination", old)]).status == 201)
        #expect(try item(world, id).project == "Home")
        #expect(try conflicts(world) == 0)
    }

    @Test("what was renamed is remembered of the last eight names")
    func formers() {
        var settings = ListSettings(segment: "s", project: "0")
        for number in 1...20 { settings = settings.renamed(to: "\(number)", showing: "N\(number)") }
        #expect(settings.formers.map(\.project) == (12...19).map { "\($0)" })
        #expect(settings.formers.count == ListSettings.formerCountMax)
        let back = settings.renamedBack
        #expect(back?.project == "19" && back?.displayName == "N19")
        #expect(back?.renamedBack == settings)
        #expect(ListSettings(segment: "s", project: "0").renamedBack == nil)
    }
}

/// Documents as clients write them.
private enum ServedDocumentText {
    static func make(_ uid: String, _ lines: String...) -> String {
        (["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VTODO", "UID:\(uid)"] + lines
            + ["END:VTODO", "END:VCALENDAR", ""]).joined(separator: "\r\n")
    }
}
