import Core
import Storage
import Testing
import ToDo

@Suite("A folder of iCalendar files")
struct FolderSyncTests {
    private let folder: FolderWorld

    init() throws {
        folder = try FolderWorld(zone: .utc)
    }

    private let foreign =
        "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:u@x\nSUMMARY:a\nEND:VTODO\nEND:VCALENDAR\n"

    @Test("every to-do has its file, and looking again does nothing")
    func written() throws {
        let id = try folder.add("milk")
        #expect(try folder.text(folder.name(id)).contains("\r\nSUMMARY:milk\r\n"))
        let again = try folder.look()
        #expect(again.steps.isEmpty && again.events.isEmpty)
        try folder.edit(id) { $0.title = "oats" }
        #expect(try folder.look().steps.count == 1)
        #expect(try folder.text(folder.name(id)).contains("\r\nSUMMARY:oats\r\n"))
    }

    @Test(
        "a new file makes a to-do and stays as it is; deleted on either side it is gone on the other"
    )
    func foreignFile() throws {
        folder.files["x.ics"] = Array(foreign.utf8)
        let report = try folder.look()
        #expect(report.events.map(\.kind) == [.made] && report.steps.isEmpty)
        let id = RecordID(value: try #require(report.events[0].identifier))
        #expect(try folder.item(id).title == "a")
        try folder.edit(id) { $0.due = Fixed.day("2026-12-01") }
        try folder.look()
        #expect(
            try folder.text("x.ics").split(separator: "\r\n").prefix(4)
                == ["BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:u@x", "SUMMARY:a"])
        #expect(try folder.text("x.ics").contains("DUE;VALUE=DATE:20261201"))
        _ = try folder.todos.delete([id])
        try folder.look()
        #expect(folder.files.isEmpty)
        let other = try folder.add("b")
        _ = try folder.add("c")
        folder.files[folder.name(other)] = nil
        #expect(try folder.look().events.map(\.kind) == [.deleted])
        #expect(try folder.todos.stored(other)?.verdict.isDeleted == true)
        #expect(try folder.look().events.isEmpty)
    }

    @Test("what both sides changed in different fields is merged")
    func mergesFields() throws {
        let id = try folder.add("milk") { $0.setTags(["a", "b"]) }
        try folder.replace(
            folder.name(id), "STATUS:NEEDS-ACTION", "STATUS:NEEDS-ACTION\r\nPRIORITY:3")
        try folder.replace(folder.name(id), "CATEGORIES:a,b", "CATEGORIES:b,c")
        try folder.edit(id) {
            $0.title = "oats"
            $0.addTag("d")
        }
        try folder.look()
        let item = try folder.item(id)
        #expect(item.title == "oats" && item.priority == .high && item.tags == ["b", "c", "d"])
        let text = try folder.text(folder.name(id))
        #expect(text.contains("SUMMARY:oats") && text.contains("PRIORITY:3"))
        #expect(text.contains("CATEGORIES:b,c,d"))
        #expect(try folder.todos.conflicts().isEmpty)
        #expect(try folder.look().steps.isEmpty)
    }

    @Test(
        "two values of one field are a conflict with its base, and resolved in either place it is over"
    )
    func conflict() throws {
        let id = try folder.add("milk")
        try folder.replace(folder.name(id), "SUMMARY:milk", "SUMMARY:beer")
        try folder.edit(id) { $0.title = "oats" }
        try folder.look()
        let conflict = try #require(try folder.todos.conflicts().first)
        guard case .field(let field, let candidates) = conflict.kind else {
            Issue.record("no field")
            return
        }
        #expect(field == .number(ToDoSchema.Number.title))
        #expect(Set(candidates.map(\.value)) == [.text("beer"), .text("oats")])
        #expect(conflict.base == .text("milk"))
        #expect(try folder.look().steps.isEmpty)
        // The file shows one of both values, and changing that one resolves the conflict.
        try folder.replace(folder.name(id), "SUMMARY:beer", "SUMMARY:wine")
        try folder.look()
        #expect(try folder.todos.conflicts().isEmpty)
        #expect(try folder.item(id).title == "wine")
    }

    @Test("what a file brought can be undone, and the file follows")
    func undone() throws {
        let id = try folder.add("milk")
        try folder.replace(folder.name(id), "SUMMARY:milk", "SUMMARY:beer")
        try folder.edit(id) { $0.title = "oats" }
        try folder.look()
        let change = try #require(try folder.store.localChanges(limit: 1).first)
        guard case .done = try folder.store.undo(change.timestamp) else {
            Issue.record("refused")
            return
        }
        #expect(try folder.todos.conflicts().isEmpty)
        #expect(try folder.item(id).title == "oats")
        try folder.look()
        #expect(try folder.text(folder.name(id)).contains("SUMMARY:oats"))
        #expect(try folder.look().steps.isEmpty)
    }

    @Test(
        "an edit of a file and a delete here stand against each other, and so the other way round")
    func deleteAgainstEdit() throws {
        let id = try folder.add("milk")
        try folder.replace(folder.name(id), "SUMMARY:milk", "SUMMARY:beer")
        _ = try folder.todos.delete([id])
        try folder.look()
        #expect(folder.files.isEmpty)
        #expect(try folder.todos.conflicts().map(\.id) == [id])
        _ = try folder.todos.restore([id])
        try folder.look()
        #expect(try folder.text(folder.name(id)).contains("SUMMARY:beer"))

        let other = try folder.add("tea")
        folder.files[folder.name(other)] = nil
        try folder.edit(other) { $0.title = "green tea" }
        try folder.look()
        #expect(try folder.todos.conflicts().map(\.id) == [other])
        #expect(try folder.todos.stored(other)?.verdict.isDeleted == true)
    }

    @Test("a program that drops our own lines alone may clear the others")
    func droppingOwn() throws {
        let id = try folder.add("milk") {
            $0.project = "Home"
            $0.location = "shop"
            $0.custom = ["ical:GEO": .text(":1;2"), "ical:URL": .text(":http://x"), "n": .int(5)]
        }
        let name = folder.name(id)
        let lines = try folder.text(name).split(separator: "\r\n").filter {
            !$0.hasPrefix("X-") && !$0.hasPrefix("GEO") && !$0.hasPrefix("LOCATION")
        }
        folder.files[name] = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
        try folder.look()
        let item = try folder.item(id)
        #expect(item.project == "Home" && item.location.isEmpty)
        #expect(item.custom == ["n": .int(5), "ical:URL": .text(":http://x")])
    }

    @Test("what a program garbles on its way changes nothing here")
    func garbling() throws {
        let id = try folder.add("milk") {
            $0.setTags(["a", "b, c", "d"])
            $0.people = ["Ann", "Bob, Jr"]
            $0.notes = "back\\slash\u{7}"
            $0.custom = ["n": .int(5)]
        }
        let before = try folder.item(id)
        try folder.replace(folder.name(id), "CATEGORIES:a,b\\, c,d", "CATEGORIES:a,b,c,d,e")
        try folder.replace(folder.name(id), "X-TANDEM-MORE:{", "X-TANDEM-MORE:\\n{{")
        let report = try folder.look()
        #expect(folder.problems(report).isEmpty)
        var after = try folder.item(id)
        #expect(after.tags == ["a", "b, c", "d", "e"])
        after.removeTag("e")
        after.modified = before.modified
        #expect(after == before)
    }

    @Test("a program that drops all it does not know deletes nothing of it; one that keeps it may")
    func droppingPrograms() throws {
        let id = try folder.add("milk") {
            $0.project = "Home"
            $0.location = "shop"
            $0.custom = ["ical:GEO": .text(":1;2"), "n": .int(5)]
            $0.due = .instant(1_796_115_600_250)
        }
        let before = try folder.item(id)
        folder.files[folder.name(id)] = Array(
            """
            BEGIN:VCALENDAR
            BEGIN:VTODO
            UID:\(id)
            SUMMARY:oats
            DUE:20261201T090000Z
            END:VTODO
            END:VCALENDAR

            """.utf8)
        try folder.look()
        var after = try folder.item(id)
        #expect(after.title == "oats")
        (after.title, after.modified) = (before.title, before.modified)
        #expect(after == before)
        try folder.edit(id) { $0.title = "beer" }
        try folder.look()
        try folder.replace(folder.name(id), "GEO:1;2\r\n", "")
        try folder.replace(folder.name(id), "X-TANDEM-PROJECT:Home\r\n", "")
        try folder.look()
        #expect(try folder.item(id).project.isEmpty)
        #expect(try folder.item(id).custom == ["n": .int(5)])
    }

    @Test("too many files gone at once is refused until it is meant, and nothing else is done")
    func guarded() throws {
        for number in 0..<50 { _ = try folder.todos.add(ToDoItem(title: "\(number)")) }
        try folder.look()
        for name in folder.files.keys.sorted().prefix(26) { folder.files[name] = nil }
        let refused = try folder.look()
        #expect(refused.refusal == .gone(26, of: 50))
        #expect(refused.steps.isEmpty && folder.files.count == 24)
        #expect(try folder.todos.counts().pending == 50)
        try folder.look(isForced: true)
        #expect(try folder.todos.counts().pending == 24)
        folder.files = [:]
        #expect(try folder.look().refusal != nil)
        #expect(try folder.todos.counts().pending == 24)
    }

    @Test("a file that has only changed occurrences is told, and not taken for an event")
    func loneOccurrence() throws {
        let folder = try FolderWorld(zone: .utc)
        folder.files["event.ics"] = Array("BEGIN:VCALENDAR\nEND:VCALENDAR\n".utf8)
        folder.files["lone.ics"] = Array(
            ("BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:r\nRECURRENCE-ID:20261201T100000Z\nSUMMARY:a\n"
                + "END:VTODO\nEND:VCALENDAR\n").utf8)
        let report = try folder.look()
        #expect(report.events.map(\.name) == ["lone.ics"])
        #expect(report.events.map(\.line) == [2])
        #expect(folder.problems(report).count == 1)
    }

    @Test("a bad file is told and left alone, and keeps its to-do; the others go on")
    func badFile() throws {
        let id = try folder.add("milk")
        let other = try folder.add("tea")
        try folder.replace(folder.name(id), "DTSTAMP", "DUE:soon\r\nDTSTAMP")
        try folder.edit(id) { $0.title = "oats" }
        try folder.edit(other) { $0.title = "green tea" }
        let bad = folder.files[folder.name(id)]
        let report = try folder.look()
        #expect(folder.problems(report).count == 1 && report.events[0].line == 6)
        #expect(folder.files[folder.name(id)] == bad)
        #expect(try folder.text(folder.name(other)).contains("green tea"))
        try folder.replace(folder.name(id), "DUE:soon\r\n", "")
        try folder.look()
        #expect(try folder.text(folder.name(id)).contains("oats"))
    }

    @Test("one UID in two files is told, and the file that was there counts")
    func duplicates() throws {
        folder.files["x.ics"] = Array(foreign.utf8)
        try folder.look()
        folder.files["a.ics"] = Array(foreign.replacing("SUMMARY:a", with: "SUMMARY:b").utf8)
        let problem = try folder.look().events.first { $0.kind == .problem }
        #expect(problem?.name == "a.ics" && problem?.problem == .sameIdentifier(file: "x.ics"))
        #expect(try folder.todos.list(ToDoFilter([]), pendingOnly: false).count == 1)
        #expect(folder.files.count == 2)
        // Renamed, it is the same to-do.
        folder.files["a.ics"] = nil
        folder.files["z.ics"] = folder.files["x.ics"]
        folder.files["x.ics"] = nil
        let report = try folder.look()
        #expect(report.events.isEmpty && report.steps.isEmpty && report.refusal == nil)
    }

    @Test("a file that comes back for a to-do in the trash is told and left alone")
    func trashed() throws {
        let id = try folder.add("milk")
        _ = try folder.add("tea")
        let text = folder.files[folder.name(id)]
        _ = try folder.todos.delete([id])
        try folder.look()
        folder.files["back.ics"] = text
        let problem = try folder.look().events.first { $0.kind == .problem }
        #expect(problem?.problem == .inTrash(id.value))
        #expect(folder.files["back.ics"] == text)
        _ = try folder.todos.restore([id])
        try folder.look()
        #expect(folder.files.count == 2)
    }

    @Test("a project has its own folder: what leaves it loses its file, not more")
    func project() throws {
        folder.project = "Home"
        let id = try folder.add("milk") { $0.project = "Home.Garden" }
        let other = try folder.add("tea") { $0.project = "Homework" }
        #expect(folder.files.count == 1)
        folder.files["x.ics"] = Array(foreign.utf8)
        let made = try #require(try folder.look().events.first?.identifier)
        #expect(try folder.item(RecordID(value: made)).project == "Home")
        try folder.edit(id) { $0.project = "Work" }
        try folder.look()
        #expect(folder.files.count == 1)
        #expect(try folder.todos.stored(id)?.verdict.isDeleted == false)
        try folder.edit(other) { $0.project = "Home" }
        try folder.look()
        #expect(folder.files.count == 2)
    }

    @Test("a folder for all to-dos that is to be for one project loses no file unasked")
    func narrowed() throws {
        _ = try folder.add("milk") { $0.project = "Home.Garden" }
        let other = try folder.add("tea") { $0.project = "Work" }
        folder.project = "Home"
        let refused = try folder.look()
        #expect(refused.refusal == .narrowed(from: nil, fileCount: 1))
        #expect(refused.steps.isEmpty && folder.files.count == 2)
        #expect(try folder.look().refusal == .narrowed(from: nil, fileCount: 1))
        folder.mayNarrow = true
        #expect(try folder.look().refusal == nil)
        #expect(folder.files.count == 1)
        #expect(try folder.todos.stored(other)?.verdict.isDeleted == false)
        folder.mayNarrow = false
        #expect(try folder.look().refusal == nil)
        folder.project = "Work"
        #expect(try folder.look().refusal == .narrowed(from: "Home", fileCount: 1))
        folder.project = nil
        #expect(try folder.look().refusal == nil)
        #expect(folder.files.count == 2)
    }

    @Test("of two values of one field one is the folder's, so that each can be chosen")
    func authors() throws {
        let id = try folder.add("milk")
        try folder.replace(folder.name(id), "SUMMARY:milk", "SUMMARY:beer")
        try folder.edit(id) { $0.title = "oats" }
        try folder.look()
        let conflict = try #require(try folder.todos.conflicts().first)
        guard case .field(_, let candidates) = conflict.kind else {
            Issue.record("no field")
            return
        }
        let own = try #require(candidates.first { $0.isMine })
        #expect(own.value == .text("oats") && own.device == "laptop")
        let other = try #require(candidates.first { !$0.isMine })
        #expect(other.value == .text("beer") && other.device == "folder todos")
        try folder.todos.resolve(id, .number(ToDoSchema.Number.title), with: other.value)
        try folder.look()
        #expect(try folder.store.localMetadata(in: "folder-writes").isEmpty)
        #expect(try folder.text(folder.name(id)).contains("SUMMARY:beer"))
    }

    @Test("a folder says whose it is, to the same store and to another")
    func owner() throws {
        let own = try folder.sync.owner()
        let read = try #require(FolderOwner(bytes: own.bytes))
        #expect(read == own && read.device == "laptop")
        #expect(try folder.sync.isOwn(read))
        let other = folder.world.todos(try folder.world.store("phone"))
        #expect(try !FolderSync(todos: other, folder: "/todos").isOwn(read))
        #expect(FolderOwner(bytes: []) == nil)
        #expect(FolderOwner(bytes: Array("store: x\n".utf8)) == nil)
    }

    @Test("what comes again does so when another program completes it")
    func repeating() throws {
        let id = try folder.add("water") {
            $0.due = Fixed.day("2026-12-01")
            $0.repeats = "every week"
        }
        try folder.replace(folder.name(id), "STATUS:NEEDS-ACTION", "STATUS:COMPLETED")
        try folder.look()
        #expect(try folder.item(id).status == .completed && folder.files.count == 2)
        let next = RecordID(value: try #require(try folder.item(id).nextIdentifier))
        #expect(try folder.item(next).due == Fixed.day("2026-12-08"))
        #expect(try folder.look().steps.isEmpty)
    }

    @Test(
        "a file that changes between reading and writing is not overwritten, and taken the next time"
    )
    func changedMeanwhile() throws {
        let id = try folder.add("milk")
        try folder.edit(id) { $0.title = "oats" }
        try folder.look(meanwhile: {
            try? folder.replace(folder.name(id), "STATUS:", "PRIORITY:5\r\nSTATUS:")
        })
        #expect(try folder.text(folder.name(id)).contains("SUMMARY:milk"))
        try folder.look()
        let item = try folder.item(id)
        #expect(item.title == "oats" && item.priority == .medium)
        #expect(try folder.todos.conflicts().isEmpty)
    }

    @Test("what is about to be done to files is on the disk, and a look alone flushes nothing")
    func flushes() throws {
        _ = try folder.todos.add(ToDoItem(title: "milk"))
        let before = folder.store.flushCount
        let report = try folder.sync.look([])
        #expect(!report.steps.isEmpty)
        #expect(folder.store.flushCount == before + 1)
        try folder.look()
        try folder.look()
        let settled = folder.store.flushCount
        #expect(try folder.look().steps.isEmpty)
        #expect(folder.store.flushCount == settled)
    }
}
