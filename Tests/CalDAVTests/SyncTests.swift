import CalDAV
import Core
import Devices
import HTTP
import Storage
import Testing
import ToDo

@Suite("Changes since a token")
struct SyncTests {
    private func sync(_ world: GatewayWorld, _ list: String, _ token: String) -> GatewayWorld.Answer
    {
        world.ask(
            "REPORT", "/lists/\(list)/",
            """
            <sync-collection xmlns="DAV:"><sync-token>\(token)</sync-token><sync-level>1</sync-level>
            <prop><getetag/></prop></sync-collection>
            """)
    }

    private func token(_ answer: GatewayWorld.Answer) throws -> String {
        let root = try XMLReader.read(Array(answer.text.utf8))
        return try #require(root[.dav("sync-token")]?.text)
    }

    /// The statuses of members by the ends of their paths.
    private func members(_ answer: GatewayWorld.Answer) throws -> [String: String] {
        let root = try XMLReader.read(Array(answer.text.utf8))
        var found: [String: String] = [:]
        for response in root.all(.dav("response")) {
            let path = try #require(response[.dav("href")]?.text)
            let status =
                response[.dav("status")] ?? response[.dav("propstat")]?[.dav("status")]
            found[String(path.split(separator: "/").last ?? "")] = String(
                try #require(status?.text).dropFirst(9).prefix(3))
        }
        return found
    }

    @Test("a token has one text, which is read again")
    func texts() throws {
        let token = SyncToken(
            ServedCheckpoint(
                replica: ReplicaID(value: 0xabc << 100 | 7),
                checkpoint: Checkpoint(epoch: EpochID(value: .max), sequence: 12),
                journalNumber: 3))
        #expect(SyncToken(token.text) == token)
        let beginning = "urn:tandem:changes:"
        #expect(SyncToken("\(beginning)1:1:1:1:1") != nil)
        for text in [
            "", "x", token.text + "0:", token.text.uppercased(), token.text + " ",
            "\(beginning)1:+1:1:1:1", "\(beginning)1:01:1:1:1", "\(beginning)1:1:1:1:-1",
            "\(beginning)2:1:1:1:1", "\(beginning)1:1:1:1",
        ] {
            #expect(SyncToken(text) == nil)
        }
    }

    @Test("new, changed, trashed and moved to-dos are told, each in the list that it concerns")
    func changes() throws {
        let world = try GatewayWorld()
        let stays = try world.add("Stays", project: "Home")
        let moves = try world.add("Moves", project: "Home.shop")
        let goes = try world.add("Goes", project: "Home")
        let first = sync(world, "Home", "")
        #expect(try members(first).values.sorted() == ["200", "200", "200"])
        let start = try token(first)
        let inbox = try token(sync(world, "inbox", ""))
        try world.move(moves, to: "Work")
        _ = try world.todos.delete([goes])
        let next = sync(world, "Home", start)
        #expect(
            try members(next) == ["\(moves.uuidText).ics": "404", "\(goes.uuidText).ics": "404"])
        #expect(try members(sync(world, "inbox", inbox)).isEmpty)
        #expect(try members(sync(world, "Work", inbox)) == ["\(moves.uuidText).ics": "200"])
        #expect(try members(sync(world, "Home", try token(next))).isEmpty)
        #expect(try world.todos.stored(stays) != nil)
    }

    @Test(
        "what left a list before that was renamed, once or more often than is remembered, is told",
        arguments: [1, ListSettings.formerCountMax + 1])
    func renamed(count: Int) throws {
        let world = try GatewayWorld()
        let stays = try world.add("Stays", project: "Home")
        let moves = try world.add("Moves", project: "Home.shop")
        let goes = try world.add("Goes", project: "Home")
        let start = try token(sync(world, "Home", ""))
        try world.move(moves, to: "Work")
        _ = try world.todos.delete([goes])
        for number in 1...count {
            let answer = world.ask(
                "PROPPATCH", "/lists/Home/",
                """
                <propertyupdate xmlns="DAV:"><set><prop><displayname>House \(number)</displayname></prop></set>
                </propertyupdate>
                """)
            #expect(answer.status == 207)
        }
        let next = sync(world, "Home", start)
        #expect(
            try members(next) == [
                "\(stays.uuidText).ics": "200", "\(moves.uuidText).ics": "404",
                "\(goes.uuidText).ics": "404",
            ])
        #expect(try members(sync(world, "Home", try token(next))).isEmpty)
    }

    @Test(
        "a token of another replica, of an unknown opening or of more than there is, is refused by its condition"
    )
    func strangers() throws {
        let world = try GatewayWorld()
        try world.add("One")
        let good = try #require(SyncToken(try token(sync(world, "inbox", ""))))
        var wrong: [SyncToken] = [good, good, good, good]
        let place = good.checkpoint.checkpoint
        wrong[0].checkpoint.replica = ReplicaID(value: 99)
        wrong[1].checkpoint.checkpoint = Checkpoint(
            epoch: EpochID(value: 99), sequence: place.sequence)
        wrong[2].checkpoint.checkpoint = Checkpoint(
            epoch: place.epoch, sequence: place.sequence + 100)
        wrong[3].checkpoint.journalNumber += 100
        for token in wrong {
            let answer = sync(world, "inbox", token.text)
            #expect(answer.status == 403)
            #expect(answer.text.contains("<D:valid-sync-token/>"))
        }
        #expect(sync(world, "inbox", good.text).status == 207)
    }

    @Test("a list that was told stays when its last to-do goes, until a client deletes it")
    func lastOnes() throws {
        let world = try GatewayWorld()
        let only = try world.add("Nails", project: "Home")
        let start = try token(sync(world, "Home", ""))
        _ = try world.todos.delete([only])
        let next = sync(world, "Home", start)
        #expect(try members(next) == ["\(only.uuidText).ics": "404"])
        #expect(sync(world, "Home", try token(next)).status == 207)
        #expect(world.ask("DELETE", "/lists/Home/").status == 204)
        #expect(sync(world, "Home", "").status == 404)
    }

    @Test("a delete has seen the texts that were given", arguments: ["HEAD", "304", "text"])
    func unseenTexts(answer: String) throws {
        let world = try GatewayWorld()
        let id = try world.add("Nails")
        let path = "/lists/inbox/\(id.uuidText).ics"
        #expect(world.ask("GET", path).status == 200)
        let old = try world.todos.item(try #require(try world.todos.stored(id)))
        var new = old
        new.notes = "of brass"
        _ = try world.todos.edit(id, from: old, to: new)
        switch answer {
        case "HEAD": #expect(world.ask("HEAD", path).status == 200)
        case "304":
            let header = HTTPHeader("if-none-match", "*")
            #expect(world.ask("GET", path, headers: [header]).status == 304)
        default: #expect(world.ask("GET", path).text.contains("of brass"))
        }
        #expect(world.ask("DELETE", path).status == 204)
        let verdict = try #require(try world.todos.stored(id)).verdict
        #expect(verdict.isDeleted && verdict.isContested == (answer != "text"))
    }

    @Test("a listing of tags writes nothing, and the tag of the list changes with its to-dos alone")
    func tags() throws {
        let world = try GatewayWorld()
        try world.add("One", project: "Home")
        try world.add("Two")
        func find(_ list: String, _ name: String) throws -> String {
            let answer = world.ask(
                "PROPFIND", "/lists/\(list)/",
                "<propfind xmlns='DAV:'><prop><x:\(name) xmlns:x='\(XMLNamespace.calendarServer)'/></prop></propfind>",
                headers: [.init("depth", "0")])
            return try XMLReader.read(Array(answer.text.utf8)).children[0].children[1].children[0]
                .children[0].text
        }
        let before = (try find("Home", "getctag"), try find("inbox", "getctag"))
        _ = world.ask(
            "PROPFIND", "/lists/Home/", "<propfind xmlns='DAV:'><prop><getetag/></prop></propfind>",
            headers: [.init("depth", "1")])
        let sequence = world.device.store.sequence
        #expect((try find("Home", "getctag"), try find("inbox", "getctag")) == before)
        #expect(world.device.store.sequence == sequence)
        try world.add("Three")
        #expect(try find("Home", "getctag") == before.0)
        #expect(try find("inbox", "getctag") != before.1)
    }
}
