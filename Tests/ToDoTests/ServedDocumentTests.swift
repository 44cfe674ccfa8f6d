import Core
import Storage
import TestSupport
import Testing
import ToDo
import ToDoTestSupport

@Suite("Documents that clients are served and put")
struct ServedDocumentTests {
    private typealias Number = ToDoSchema.Number

    // MARK: Names

    @Test("a client may put under any name, which is kept, and a UID that is no UUID as well")
    func names() throws {
        let world = try ServedWorld()
        let text = ServedWorld.text("an event@example.org", ["SUMMARY:milk"])
        for name in ["strange name;1.ics", "ä.ics", "no-ending"] {
            let world = try ServedWorld()
            let made = try #require(try world.put(name, text, isNew: true).document)
            #expect(made.name == name)
            #expect(try world.served.identifier(named: name) == made.identifier)
            #expect(try world.get(made.identifier).name == name)
            #expect(try world.get(made.identifier).text.contains("UID:an event@example.org"))
        }
        let id = try world.add("bread")
        let served = try world.get(id)
        #expect(served.name == "\(id).ics")
        #expect(try world.served.identifier(named: served.name) == id)
        for name in ["", "nothing.ics", "\(id)", "../\(id).ics", "\(id)-2.ics"] {
            #expect(try world.served.identifier(named: name) == nil, "\(name)")
        }
        let long = String(repeating: "n", count: ServedLimits.nameByteCountMax + 1)
        guard case .malformed? = try world.put(long, text).refusal else {
            Issue.record("a name over the limit")
            return
        }
    }

    @Test(
        "a UID that is there under another name is refused with that name; nor does a resource change its UID"
    )
    func identifierTaken() throws {
        let world = try ServedWorld()
        let one = ServedWorld.text("one", ["SUMMARY:milk"])
        let two = ServedWorld.text("two", ["SUMMARY:bread"])
        try world.put("1.ics", one, list: "Home", isNew: true)
        #expect(
            try world.put("2.ics", one, list: "Home").refusal == .identifierTaken(name: "1.ics"))
        guard case .malformed(_, "UID", _)? = try world.put("1.ics", two, list: "Home").refusal
        else {
            Issue.record("another UID")
            return
        }
        // In another list the name is free; it moves.
        let moved = try #require(try world.put("1.ics", two, list: "Work", isNew: true).document)
        #expect(moved.name == "1.ics")
        let first = try #require(try world.all().first { $0.title == "milk" }?.identifier)
        #expect(try world.get(RecordID(value: first)).name == "one.ics")
    }

    @Test("the names that are kept are bounded; those of to-dos that are gone make room")
    func nameLimit() throws {
        let world = try ServedWorld()
        let count = ServedLimits.aliasCountMax
        let id = try world.add("milk")
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: id.value >> (UInt128(15 - $0) * 8)) }
        try world.gateway.edit { transaction throws(StoreFault) in
            for number in 0..<count {
                try transaction.setLocalMetadata(
                    bytes, named: "\(number).ics", in: "served-names")
            }
            let total = (0..<16).map {
                UInt8(truncatingIfNeeded: UInt128(count) >> (UInt128(15 - $0) * 8))
            }
            try transaction.setLocalMetadata(total, named: "count", in: "served-names-count")
        }
        let full = try world.put("x.ics", ServedWorld.text("full", ["SUMMARY:full"]), isNew: true)
        #expect(full.document?.name == "full.ics")
        _ = try world.todos.delete([id])
        let free = try world.put("y.ics", ServedWorld.text("free", ["SUMMARY:free"]), isNew: true)
        #expect(free.document?.name == "y.ics")
    }

    // MARK: Lists

    @Test("a put sets the project only of what is new or comes from another list")
    func lists() throws {
        let world = try ServedWorld()
        let made = try #require(
            try world.put("a.ics", ServedWorld.text("a", ["SUMMARY:milk"]), list: "Home").document)
        let id = made.identifier
        #expect(try world.item(id).project == "Home")
        try world.editOnPhone(id) { $0.project = "Home.shop" }
        let text = ServedWorld.text("a", ["SUMMARY:oat"])
        try world.put("a.ics", text, list: "Home")
        #expect(try world.item(id).project == "Home.shop")
        var served = try world.get(id)
        try world.put("a.ics", served.replacing("oat", "soy"), list: "Home")
        #expect(try world.item(id).project == "Home.shop")
        // To another list, with our own property still in the text.
        served = try world.get(id)
        try world.put("a.ics", served.text, list: "Work", isNew: true)
        #expect(try world.item(id).project == "Work")
        // Another device moved it; a text from before does not move it back.
        served = try world.get(id)
        try world.editOnPhone(id) { $0.project = "Home" }
        try world.put("a.ics", served.replacing("soy", "rice"), list: "Work")
        #expect(try world.item(id).project == "Home" && world.item(id).title == "rice")
        // To the inbox.
        served = try world.get(id)
        try world.put("a.ics", served.text, list: nil)
        #expect(try world.item(id).project == "")
    }

    @Test("a put of unchanged tags touches no tag")
    func tags() throws {
        let world = try ServedWorld()
        let id = try world.add("milk") { $0.setTags(["shop", "a,b"]) }
        let served = try world.get(id)
        try world.editOnPhone(id) { $0.setTags(["shop", "weekly"]) }
        try world.put(served.name, served.replacing("SUMMARY:milk", "SUMMARY:oat"))
        #expect(try world.item(id).tags == ["shop", "weekly"])
        #expect(try world.item(id).title == "oat")
    }

    // MARK: The trash

    @Test("a put after a delete elsewhere stands against it, by the space's rule, and is listed")
    func editAgainstDelete() throws {
        let world = try ServedWorld()
        let id = try world.add("milk")
        let served = try world.get(id)
        try world.meet()
        _ = try world.world.todos(world.phone).delete([id])
        try world.meet()
        let outcome = try world.put(
            served.name, served.replacing("SUMMARY:milk", "SUMMARY:oat"), ifMatch: [served.tag])
        #expect(outcome.refusal == nil)
        let stored = try world.stored(id)
        #expect(stored.verdict.isContested)
        #expect(try world.todos.conflicts().map(\.id) == [id])
        // The same text with nothing new brings nothing back.
        let other = try world.add("bread")
        let second = try world.get(other)
        _ = try world.todos.delete([other])
        #expect(try world.put(second.name, second.text).refusal == nil)
        #expect(try world.stored(other).standing == .trashed)
        #expect(try !world.stored(other).verdict.isContested)
    }

    @Test("a client that knows of the delete brings the to-do back by putting it again")
    func restored() throws {
        let world = try ServedWorld()
        let text = ServedWorld.text("a", ["SUMMARY:milk", "DESCRIPTION:two"])
        let id = try #require(try world.put("a.ics", text, isNew: true).document?.identifier)
        #expect(try world.served.delete(id, ifMatch: nil) == .deleted)
        #expect(try world.stored(id).standing == .trashed)
        #expect(try world.served.delete(id, ifMatch: nil) == .missing)
        let back = try world.put("a.ics", text.replacing("milk", with: "oat"), isNew: true)
        #expect(back.isCreated)
        #expect(try world.stored(id).standing == .live)
        #expect(try world.item(id).title == "oat" && world.item(id).notes == "two")
        #expect(try world.stored(id).record.fieldConflicts.isEmpty)
        // Deleted elsewhere, and the client was told.
        _ = try world.todos.delete([id])
        try world.served.noteGone([id])
        #expect(try world.put("a.ics", text).refusal == nil)
        #expect(try world.stored(id).standing == .live)
    }

    @Test("what was purged is refused")
    func purged() throws {
        let world = try ServedWorld()
        let text = ServedWorld.text("a", ["SUMMARY:milk"])
        let id = try #require(try world.put("a.ics", text, isNew: true).document?.identifier)
        _ = try world.todos.delete([id])
        _ = try world.todos.purge([id], isForced: true)
        #expect(try world.put("a.ics", text).refusal == .purged)
    }

    @Test("where edits win nothing is deleted for a client that has read nothing of it")
    func unread() throws {
        let world = try ServedWorld(policy: .editsWin)
        let id = try world.add("milk")
        let before = try world.stored(id).record
        #expect(try world.served.delete(id, ifMatch: nil) == .unread)
        #expect(try world.stored(id).record == before)
        _ = try world.get(id)
        #expect(try world.served.delete(id, ifMatch: nil) == .deleted)
        #expect(try world.stored(id).standing == .trashed)
        // One that was read, and edited since, stays; the client is not refused, and reads it again.
        let other = try world.add("bread")
        _ = try world.get(other)
        try world.editOnPhone(other) { $0.notes = "rye" }
        #expect(try world.served.delete(other, ifMatch: nil) == .deleted)
        #expect(try world.stored(other).standing == .live)
    }

    @Test("a delete has seen what the client was served and put, and no more")
    func deletes() throws {
        let world = try ServedWorld()
        let id = try world.add("milk")
        let served = try world.get(id)
        try world.put(served.name, served.replacing("SUMMARY:milk", "SUMMARY:oat"))
        #expect(try world.served.delete(id, ifMatch: [served.tag]) == .conditionFailed)
        #expect(try world.served.delete(id, ifMatch: nil) == .deleted)
        #expect(try !world.stored(id).verdict.isContested)
        let other = try world.add("bread")
        let before = try world.get(other)
        try world.editOnPhone(other) { $0.notes = "rye" }
        #expect(try world.served.delete(other, ifMatch: [before.tag]) == .conditionFailed)
        #expect(try world.served.delete(other, ifMatch: nil) == .deleted)
        #expect(try world.stored(other).verdict.isContested)
        let third = try world.add("tea")
        let tag = try #require(try world.served.look([third]).first).tag
        #expect(try world.served.delete(third, ifMatch: [tag]) == .deleted)
        #expect(try !world.stored(third).verdict.isContested)
    }

    @Test(
        "a value that cannot be read takes none away",
        arguments: [("PRIORITY:1", "PRIORITY:1 87"), ("STATUS:COMPLETED", "STATUS:X-HALF")])
    func unreadable(line: String, unreadable: String) throws {
        let world = try ServedWorld()
        let text = ServedWorld.text("a", ["SUMMARY:milk", line])
        let document = try #require(try world.put("a.ics", text, isNew: true).document)
        let before = try world.item(document.identifier)
        let next = text.replacing(line, with: unreadable)
            .replacing("SUMMARY:milk", with: "SUMMARY:oat")
        #expect(try world.put("a.ics", next).document != nil)
        let after = try world.item(document.identifier)
        #expect(after.title == "oat")
        #expect(after.priority == before.priority && after.status == before.status)
        #expect(after.completed == before.completed)
        // What it puts then is compared with what it was served, and not with the text that says nothing.
        let none = line.hasPrefix("STATUS") ? "STATUS:NEEDS-ACTION" : "PRIORITY:0"
        _ = try world.get(document.identifier)
        #expect(try world.put("a.ics", next.replacing(unreadable, with: none)).document != nil)
        let last = try world.item(document.identifier)
        #expect(last.priority == .none && last.status == .pending)
    }

    @Test("what was moved by the client itself is in no conflict with what it puts")
    func moveThenPut() throws {
        let world = try ServedWorld()
        // Back by a put, as by a move.
        let text = ServedWorld.text("a", ["SUMMARY:milk"])
        let made = try #require(try world.put("a.ics", text, isNew: true).document).identifier
        #expect(try world.served.move(made, to: "Work"))
        #expect(try world.put("a.ics", text).document != nil)
        #expect(try world.item(made).project.isEmpty)
        #expect(try world.stored(made).record.fieldConflicts.isEmpty)
        // Others have moved it on since.
        let id = try world.add("bread")
        let served = try world.get(id)
        #expect(try world.served.move(id, to: "Work"))
        try world.editOnPhone(id) { $0.project = "Work.sub" }
        let noted = served.replacing("SUMMARY:bread", "SUMMARY:bread\r\nDESCRIPTION:rye")
        #expect(try world.put(served.name, noted, list: "Work").document != nil)
        #expect(try world.item(id).project == "Work.sub")
        #expect(try world.item(id).notes == "rye")
        #expect(try world.stored(id).record.fieldConflicts.isEmpty)
    }

    // MARK: Parts

    @Test("a client's own move is nothing that its delete has not seen; an edit of others is")
    func moveThenDelete() throws {
        let world = try ServedWorld()
        for isEdited in [false, true] {
            let id = try world.add("milk")
            _ = try world.get(id)
            if isEdited {
                try world.editOnPhone(id) { $0.notes = "two" }
            }
            #expect(try world.served.move(id, to: "Home"))
            #expect(try world.item(id).project == "Home")
            #expect(try world.served.delete(id, ifMatch: nil) == .deleted)
            #expect(try world.stored(id).verdict.isContested == isEdited)
            #expect(try !world.served.move(id, to: nil))
        }
    }

    @Test("a part may come before the whole; the reference holds once that comes")
    func parts() throws {
        for isWholeFirst in [false, true] {
            let world = try ServedWorld()
            let part = ServedWorld.text("part-1", ["SUMMARY:part", "RELATED-TO:whole-1"])
            let whole = ServedWorld.text("whole-1", ["SUMMARY:whole"])
            if isWholeFirst { try world.put("w.ics", whole, isNew: true) }
            let id = try #require(try world.put("p.ics", part, isNew: true).document?.identifier)
            let before = try world.get(id)
            #expect(before.text.contains("RELATED-TO:whole-1"))
            #expect(try world.all().count == (isWholeFirst ? 2 : 1))
            if !isWholeFirst { try world.put("w.ics", whole, isNew: true) }
            let found = try #require(try world.all().first { $0.title == "whole" }?.identifier)
            #expect(try world.todos.item(try world.stored(id)).parent == found)
            #expect(try world.get(id).tag == before.tag)
            // Deleted: the part is no part any more, and its text stays.
            _ = try world.todos.delete([RecordID(value: found)])
            #expect(try world.todos.item(try world.stored(id)).parent == nil)
            #expect(try world.get(id).tag == before.tag)
        }
    }

    // MARK: What is refused

    @Test("what is no to-do, or none that can be read, is refused with its place")
    func malformed() throws {
        let world = try ServedWorld()
        let event = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        #expect(try world.put("a.ics", event).refusal == .noToDo)
        guard
            case .malformed(let line, "DUE", _)? = try world.put(
                "a.ics", ServedWorld.text("a", ["DUE:tomorrow"])
            ).refusal
        else {
            Issue.record("a date that is none")
            return
        }
        #expect(line == 6)
        let large = ServedWorld.text(
            "a", ["DESCRIPTION:" + String(repeating: "n", count: ServedLimits.documentByteCountMax)]
        )
        #expect(
            try world.put("a.ics", large).refusal
                == .isTooLarge(byteCountMax: ServedLimits.documentByteCountMax))
        let value = ServedWorld.text(
            "a",
            ["DESCRIPTION:" + String(repeating: "n", count: RecordLimits.valueByteCountMax + 1)])
        #expect(try world.put("a.ics", value).refusal != nil)
        #expect(try world.all().isEmpty)
    }

    @Test("unknown properties of a client are kept and served")
    func unknown() throws {
        let world = try ServedWorld()
        let text = ServedWorld.text(
            "a", ["SUMMARY:milk", "X-APPLE-SORT-ORDER:7", "ATTACH:https://example.org/a"])
        let id = try #require(try world.put("a.ics", text, isNew: true).document?.identifier)
        try world.editOnPhone(id) { $0.title = "oat" }
        let served = try world.get(id).text
        for line in ["SUMMARY:oat", "X-APPLE-SORT-ORDER:7", "ATTACH:https://example.org/a"] {
            #expect(served.contains(line + "\r\n"))
        }
    }

    @Test("a record with any value is served, put back unchanged without a write, and deleted")
    func extremes() throws {
        let world = try ServedWorld()
        let clock = world.world.now
        let cases = try ExtremeRecords.write(
            to: world.gateway, every: ExtremeRecords.isWhole ? 1 : 23
        ) { world.world.now = $0 }
        for time in [Int64.min, clock, .max] {
            world.world.now = time
            let served = world.served
            for (id, extreme) in cases {
                guard let document = try served.serve([id]).first else { continue }
                let before = try world.stored(id)
                let outcome = try served.put(
                    ClientPut(
                        name: document.name, bytes: document.bytes,
                        list: ServedToDos.list(of: document.item.project)))
                if case .malformed(_, _, let detail)? = outcome.refusal {
                    Issue.record("\(extreme): \(detail)")
                }
                #expect(try world.stored(id).record == before.record, "\(extreme)")
            }
        }
        for id in cases.keys { _ = try world.served.delete(id, ifMatch: nil) }
    }

    // MARK: What is remembered

    @Test("look writes nothing, and a forgotten client is one that was never served")
    func forget() throws {
        let world = try ServedWorld()
        let id = try world.add("milk")
        _ = try world.served.look([id])
        let places = ["served", "served-texts", "served-client"]
            .map { "\($0)\n\(world.client.identifier)" }
        func count() throws -> Int {
            try places.reduce(0) { try $0 + world.gateway.localMetadata(in: $1).count }
        }
        #expect(try count() == 0)
        let served = try world.get(id)
        #expect(try count() == 2)
        try world.put(served.name, served.replacing("milk", "oat"))
        #expect(try count() == 4)
        try world.served.forget()
        #expect(try count() == 0)
        // A text that names what is there now is known all the same.
        let now = try #require(try world.served.look([id]).first)
        try world.put(now.name, now.replacing("oat", "soy"), ifMatch: [now.tag])
        #expect(try world.values(Number.title, id) == [.text("soy")])
    }
}
