import Core
import Storage
import Testing
import ToDo

@Suite("Merging what clients put")
struct ServedMergeTests {
    private typealias Number = ToDoSchema.Number

    /// A client's own file, which never had a property of ours.
    private func file(_ title: String, _ note: String) -> String {
        ServedWorld.text("made-there", ["SUMMARY:\(title)", "DESCRIPTION:\(note)"])
    }

    /// The knowledge that a client which made a file itself has of the server when it puts the file again.
    enum Knowledge: CaseIterable {
        case newTag, newTagByGet, oldTag, nothing
    }

    // Goal: a file that is put again without what others wrote reverts none of that.
    // Method: each tag that the client may name, having read the new text or not.
    @Test(
        "a client's own file with a changed note leaves another device's title",
        arguments: Knowledge.allCases)
    func ownFile(knowledge: Knowledge) throws {
        let world = try ServedWorld()
        let made = try world.put("a.ics", file("milk", "two"), isNew: true)
        let id = try #require(made.document?.identifier)
        let old = try world.get(id).tag
        try world.editOnPhone(id) { $0.title = "oat milk" }
        let tags: [String]? =
            switch knowledge {
            case .newTag: [try #require(try world.served.look([id]).first).tag]
            case .newTagByGet: [try world.get(id).tag]
            case .oldTag: [old]
            case .nothing: nil
            }
        let outcome = try world.put("a.ics", file("milk", "three"), ifMatch: tags)
        #expect(outcome.refusal == nil)
        #expect(!outcome.isAsSent)
        let item = try world.item(id)
        #expect(item.title == "oat milk" && item.notes == "three")
        #expect(try world.stored(id).record.fieldConflicts.isEmpty)
        // Once more, and once more changed.
        try world.put("a.ics", file("milk", "three"), ifMatch: tags)
        try world.put("a.ics", file("milk", "four"))
        #expect(try world.item(id).title == "oat milk")
        #expect(try world.values(Number.notes, id) == [.text("four")])
    }

    // Goal: an edit that takes back the client's own one is an edit, also in a copy that names the text from before both.
    @Test("a client takes back what it changed, without reading the to-do in between")
    func takenBack() throws {
        let world = try ServedWorld()
        let id = try world.add("milk")
        let served = try world.get(id)
        try world.put(served.name, served.replacing("SUMMARY:milk", "SUMMARY:oat milk"))
        try world.editOnPhone(id) { $0.notes = "two" }
        try world.put(served.name, served.text)
        #expect(try world.item(id).title == "milk")
        #expect(try world.item(id).notes == "two")
        try world.put(
            served.name, served.replacing("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        #expect(try world.item(id).status == .completed)
        try world.put(served.name, served.text)
        #expect(try world.item(id).status == .pending)
        #expect(try world.stored(id).record.fieldConflicts.isEmpty)
    }

    @Test("a client that is served again what it had left a title out of puts no title back")
    func servedAgain() throws {
        let world = try ServedWorld()
        let id = try world.add("milk")
        let served = try world.get(id)
        // It never sent a title, so nothing is written.
        let before = try world.stored(id).record
        try world.put(served.name, served.without("SUMMARY"))
        #expect(try world.stored(id).record == before)
        let again = try world.get(id)
        #expect(again.bytes == served.bytes)
        try world.editOnPhone(id) { $0.title = "oat milk" }
        let end = "END:VTODO"
        try world.put(again.name, again.replacing(end, "DESCRIPTION:two\r\n\(end)"))
        #expect(try world.values(Number.title, id) == [.text("oat milk")])
        #expect(try world.item(id).notes == "two")
    }

    @Test("a client that took over the served text and sets the title back is obeyed")
    func setBack() throws {
        let world = try ServedWorld()
        let id = try #require(
            try world.put("a.ics", file("milk", "two"), isNew: true).document?.identifier)
        _ = try world.get(id)
        try world.editOnPhone(id) { $0.title = "oat milk" }
        let served = try world.get(id)
        try world.put(
            served.name, served.replacing("SUMMARY:oat milk", "SUMMARY:milk"),
            ifMatch: [served.tag])
        #expect(try world.item(id).title == "milk")
        #expect(try world.values(Number.title, id) == [.text("milk")])
    }

    @Test("an unconditional and a late put merge with what others wrote in other fields")
    func late() throws {
        for tags in [nil, ["*"], []] as [[String]?] {
            let world = try ServedWorld()
            let id = try world.add("milk") { $0.notes = "two" }
            let served = try world.get(id)
            try world.editOnPhone(id) { $0.title = "oat milk" }
            _ = try world.get(id)
            let named = tags.map { $0.isEmpty ? [served.tag] : $0 }
            let outcome = try world.put(
                served.name, served.replacing("DESCRIPTION:two", "DESCRIPTION:three"),
                ifMatch: named)
            #expect(outcome.refusal == nil)
            let item = try world.item(id)
            #expect(item.title == "oat milk" && item.notes == "three")
            #expect(try world.stored(id).record.fieldConflicts.isEmpty)
        }
    }

    @Test(
        "two words of one field are a conflict that every device lists, with the client as an author"
    )
    func conflict() throws {
        let world = try ServedWorld()
        let id = try world.add("milk")
        let served = try world.get(id)
        try world.editOnPhone(id) { $0.title = "oat milk" }
        try world.put(served.name, served.replacing("SUMMARY:milk", "SUMMARY:soy milk"))
        #expect(try world.values(Number.title, id) == [.text("oat milk"), .text("soy milk")])
        try world.meet()
        let there = try world.world.todos(world.phone).conflicts()
        #expect(there.map(\.id) == [id])
        let conflict = try #require(try world.todos.conflicts().first)
        guard case .field(_, let candidates) = conflict.kind else {
            Issue.record("\(conflict)")
            return
        }
        #expect(candidates.contains { $0.device == world.client.name })
        #expect(conflict.base == .text("milk"))
    }

    @Test("the same bytes again write nothing, not even what is remembered")
    func retry() throws {
        let world = try ServedWorld()
        let text = file("milk", "two")
        let first = try world.put("a.ics", text, isNew: true)
        let id = try #require(first.document?.identifier)
        let before = try world.stored(id)
        let again = try world.put("a.ics", text, isNew: true)
        #expect(again.isCreated && again.document?.tag == first.document?.tag)
        let served = try world.get(id)
        let changed = served.replacing("SUMMARY:milk", "SUMMARY:oat milk")
        try world.put("a.ics", changed, ifMatch: [served.tag])
        let after = try world.stored(id)
        #expect(after.record != before.record)
        // Another device goes on meanwhile: the repeated text is no new word.
        try world.editOnPhone(id) { $0.title = "soy milk" }
        let now = try world.stored(id)
        let late = try world.put("a.ics", changed, ifMatch: [served.tag])
        #expect(late.refusal == nil)
        #expect(try world.stored(id) == now)
    }

    @Test(
        "a second text made from the same representation replaces the client's own word, not another's"
    )
    func twice() throws {
        let world = try ServedWorld()
        let id = try world.add("milk")
        let served = try world.get(id)
        try world.put(served.name, served.replacing("SUMMARY:milk", "SUMMARY:oat"))
        try world.put(served.name, served.replacing("SUMMARY:milk", "SUMMARY:soy"))
        #expect(try world.values(Number.title, id) == [.text("soy")])
        // A second program with the same credential names the tag of before: it has not seen that.
        try world.put(
            served.name, served.replacing("SUMMARY:milk", "SUMMARY:rice"), ifMatch: [served.tag])
        #expect(try world.values(Number.title, id) == [.text("soy"), .text("rice")])
    }

    @Test("conditions: a tag that is kept is merged, one that is not fails")
    func conditions() throws {
        let world = try ServedWorld()
        let id = try world.add("milk")
        let served = try world.get(id)
        let plain = served.without("X-TANDEM")
        let changed = plain.replacing("SUMMARY:milk", with: "SUMMARY:soy")
        #expect(
            try world.put(served.name, changed, ifMatch: ["0123"]).refusal == .conditionFailed)
        #expect(
            try world.put(served.name, changed, isNew: true).refusal == .conditionFailed)
        #expect(try world.item(id).title == "milk")
        // The text itself names what it was made from.
        let named = served.replacing("SUMMARY:milk", "SUMMARY:rice")
        #expect(try world.put(served.name, named, ifMatch: ["0123"]).refusal == nil)
        #expect(try world.item(id).title == "rice")
        #expect(
            try world.put("none.ics", file("x", "y"), ifMatch: ["*"]).refusal == .conditionFailed)
    }

    @Test("a tag is of the bytes, and stays while nothing changes")
    func tags() throws {
        let world = try ServedWorld()
        let id = try world.add("milk")
        let served = try world.get(id)
        #expect(try world.get(id).tag == served.tag)
        let other = ServedClient(identifier: "other", name: "other")
        #expect(try world.get(id, by: other).bytes == served.bytes)
        let outcome = try world.put(served.name, served.text, ifMatch: [served.tag])
        #expect(outcome.isAsSent && outcome.document?.tag == served.tag)
        try world.editOnPhone(id) { $0.title = "oat" }
        #expect(try world.get(id).tag != served.tag)
    }

    @Test(
        "a property that the client never sent is not removed by leaving it out; one that it sent is"
    )
    func removal() throws {
        let world = try ServedWorld()
        let id = try world.add("milk") {
            $0.notes = "two"
            $0.location = "shop"
            $0.project = "Home.shop"
            $0.people = ["Ann"]
        }
        let served = try world.get(id)
        let plain = served.without("DESCRIPTION", "LOCATION", "X-TANDEM")
        try world.put(served.name, plain.replacing("milk", with: "oat"), list: "Home")
        var item = try world.item(id)
        #expect(item.title == "oat" && item.notes == "two" && item.location == "shop")
        #expect(item.project == "Home.shop" && item.people == ["Ann"])
        // The client has the served text with both, and drops one.
        let again = try world.get(id)
        try world.put(
            again.name, again.replacing("DESCRIPTION:two", "DESCRIPTION:three"), list: "Home")
        let last = try world.get(id)
        try world.put(last.name, last.without("DESCRIPTION"), list: "Home")
        item = try world.item(id)
        #expect(item.notes.isEmpty && item.location == "shop" && item.people == ["Ann"])
    }

    @Test("a text that is older than what is kept writes only what differs from all that is")
    func old() throws {
        let world = try ServedWorld()
        let id = try world.add("milk") { $0.notes = "two" }
        let first = try world.get(id)
        for number in 0..<ServedLimits.representationCountMax {
            try world.edit(id) { $0.title = "milk \(number)" }
            _ = try world.get(id)
        }
        try world.put(
            first.name,
            first.replacing("SUMMARY:milk", "SUMMARY:milk 3").replacing("two", with: "three"))
        let last = "milk \(ServedLimits.representationCountMax - 1)"
        #expect(try world.values(Number.title, id) == [.text(last)])
        #expect(try world.values(Number.notes, id) == [.text("two"), .text("three")])
    }

    // Goal: the 180 days hold for a to-do that changes often, and for a process that is killed meanwhile.
    // Method: two months of a change a day, each served, with a restart after each week; then the very first text comes.
    @Test("a text of 60 changes and eight restarts ago is still a base")
    func often() throws {
        let world = try ServedWorld()
        let id = try world.add("milk") { $0.notes = "two" }
        let first = try world.get(id)
        for day in 0..<60 {
            world.world.now += 86_400_000
            try world.edit(id) { $0.title = "milk \(day)" }
            _ = try world.get(id)
            if day % 7 == 6 { try world.restart() }
        }
        let outcome = try world.put(first.name, first.replacing("two", "three"))
        #expect(outcome.refusal == nil)
        #expect(try world.item(id).title == "milk 59")
        #expect(try world.values(Number.notes, id) == [.text("three")])
        let tagged = first.without("X-TANDEM-SEEN").replacing("two", with: "four")
        #expect(try world.put(first.name, tagged, ifMatch: [first.tag]).refusal == nil)
        #expect(try world.item(id).title == "milk 59")
    }

    // Goal: as many texts as are kept at most cost no more than they have to.
    @Test("representationByteCountMax: long texts are forgotten before there are too many")
    func longTexts() throws {
        let world = try ServedWorld()
        let id = try world.add("milk")
        let note = String(repeating: "n", count: 60_000)
        var tags: [String] = []
        for number in 0..<30 {
            try world.edit(id) { $0.notes = "\(number) \(note)" }
            tags.append(try world.get(id).tag)
        }
        let text = ServedWorld.text(id.uuidText, ["SUMMARY:rice"])
        let name = try world.get(id).name
        let kept = try tags.filter { try world.put(name, text, ifMatch: [$0]).refusal == nil }
        let byteCount = try world.get(id).bytes.count
        #expect(kept == Array(tags.suffix(1 + ServedLimits.representationByteCountMax / byteCount)))
    }

    @Test("a representation is kept for 180 days behind the next one")
    func days() throws {
        for (days, isKept) in [(179, true), (181, false)] as [(Int64, Bool)] {
            let world = try ServedWorld()
            let id = try world.add("milk") { $0.notes = "two" }
            let first = try world.get(id)
            try world.editOnPhone(id) { $0.title = "oat" }
            _ = try world.get(id)
            world.world.now += days * 86_400_000
            try world.editOnPhone(id) { $0.title = "soy" }
            _ = try world.get(id)
            let plain = first.without("X-TANDEM-SEEN").replacing("two", with: "three")
            let outcome = try world.put(first.name, plain, ifMatch: [first.tag])
            #expect((outcome.refusal == nil) == isKept, "\(days)")
            #expect(try world.item(id).title == "soy")
        }
    }
}
