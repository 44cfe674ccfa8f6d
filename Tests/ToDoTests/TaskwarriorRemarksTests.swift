import TestSupport
import Testing
import ToDo

@Suite("What Taskwarrior goes by and we do not")
struct TaskwarriorRemarksTests {
    private func format() throws -> TaskwarriorFormat {
        TaskwarriorFormat(zone: try Fixed.berlin())
    }

    private static let identifier = "281fce64-8188-47eb-8eb4-4b9e531f1d7f"

    private func read(
        _ members: String, title: String = #""description":"a""#
    ) throws
        -> FormatReading
    {
        let text =
            #"[{\#(title),"uuid":"\#(Self.identifier)","entry":"20261101T080000Z",\#(members)}]"#
        return try format().decode(Array(text.utf8))
    }

    @Test(
        "each field that has no effect here is told, and given out again as it came",
        arguments: [
            (#""status":"pending","until":"20990101T000000Z""#, "until"),
            (
                #""status":"recurring","recur":"weekly","due":"20990101T070000Z","#
                    + #""until":"20990601T000000Z""#, "until"
            ),
            (#""status":"pending","priority":"X""#, "priority"),
            (#""status":"pending","rtype":"chained""#, "rtype"),
            (#""status":"pending","last":"3""#, "last"),
            (#""status":"pending","template":"30fc8036-ef85-463b-87d5-460f2e0156b3""#, "template"),
            (#""status":"pending","parent":"30fc8036-ef85-463b-87d5-460f2e0156b3""#, "parent"),
            (#""status":"pending","imask":3"#, "imask"),
            (#""status":"pending","mask":"-+""#, "mask"),
            (#""status":"pending","tags":["next","x"]"#, "tags"),
        ])
    func idleFields(members: String, field: String) throws {
        let reading = try read(members)
        #expect(reading.faults.isEmpty)
        #expect(reading.losses.isEmpty)
        #expect(reading.remarks.map(\.field).filter { $0 == field }.count == 1)
        let writing = try format().encode(reading.items)
        let again = try format().decode(writing.bytes)
        #expect(again.remarks.map(\.field).contains(field))
        let written = String(decoding: writing.bytes, as: UTF8.self)
        #expect(written.contains("\"\(field)\":"))
        #expect(!writing.losses.contains { $0.field == field })
    }

    @Test("a period without a template is told, and that it becomes one")
    func bareRecur() throws {
        let reading = try read(
            #""status":"pending","recur":"weekly","due":"20990101T070000Z""#)
        #expect(reading.remarks.map(\.field) == ["recur"])
        #expect(reading.losses.map(\.reason) == ["becomes recurring"])
    }

    @Test("until ends nothing that is over already, and nobody is told so")
    func untilOfDone() throws {
        let reading = try read(
            #""status":"completed","end":"20261102T080000Z","until":"20990101T000000Z""#)
        #expect(reading.remarks.isEmpty)
    }

    @Test("numbers that Taskwarrior works out are told once")
    func computed() throws {
        let text = #"[{"id":1,"urgency":2.5,"description":"a"},{"id":2,"description":"b"}]"#
        let losses = try format().decode(Array(text.utf8)).losses
        #expect(losses.map(\.field) == ["id, urgency"])
        #expect(losses.map(\.entry) == [0])
    }

    @Test(
        "a task without a description is taken, and goes out with one that says so",
        arguments: [#""description":"""#, #""description":" \n ""#, #""project":"p""#])
    func noDescription(title: String) throws {
        let reading = try read(#""status":"pending""#, title: title)
        #expect(reading.faults.isEmpty)
        let item = try #require(reading.items.first)
        #expect(!item.hasTitle)
        #expect(reading.remarks.map(\.field) == ["description"])
        #expect(reading.losses.isEmpty)
        let writing = try format().encode([item])
        #expect(writing.losses.map(\.field) == ["title"])
        #expect(writing.losses.map { $0.code as? CommonReason } == [.becomes(ToDoItem.untitled)])
        let back = try #require(try format().decode(writing.bytes).items.first)
        #expect(back.title == ToDoItem.untitled)
        // It is known again, so that nobody gets the stand-in for a title.
        #expect(try format().echo.forms(item).map(\.title) == [ToDoItem.untitled])
    }

    @Test(
        "what crashes an import there goes out beside, is told, and comes back",
        arguments: [
            (["recur": CustomValue.text("weekly")], ToDoStatus.pending, "recur"),
            (["recur": .text("every 2 weeks")], .completed, "recur"),
            (["recur": .text("Weekly")], .cancelled, "recur"),
            (["recur": .int(5)], .pending, "recur"),
            (["annotation_1": .text("x")], .pending, "annotation_1"),
            (["last": .text("yesterday")], .pending, "last"),
            (["last": .bool(true)], .pending, "last"),
            (["imask": .text("[]")], .pending, "imask"),
            (["dep_x": .text("x")], .pending, "dep_x"),
            (["tag_x": .text("x"), "tags_y": .text("y")], .pending, "tag_x"),
        ])
    func crashes(custom: [String: CustomValue], status: ToDoStatus, field: String) throws {
        var item = ToDoItem(title: "a")
        item.identifier = 5
        item.created = 1_790_000_000_000
        item.custom = custom
        item.status = status
        if status != .pending { item.completed = 1_790_000_100_000 }
        let writing = try format().encode([item])
        let text = String(decoding: writing.bytes, as: UTF8.self)
        #expect(!text.contains("\"\(field)\":"))
        #expect(!text.contains("recurring"))
        #expect(
            writing.losses.contains {
                $0.field == field && $0.code as? TaskwarriorReason == .aside
            })
        let back = try #require(try format().decode(writing.bytes).items.first)
        #expect(back == item)
    }

    @Test("words that Taskwarrior has for brackets are told field by field")
    func brackets() throws {
        var item = ToDoItem(title: "R&D [1] &open;")
        item.identifier = 5
        item.created = 1_790_000_000_000
        item.setTags(["&close;", "a&b"])
        item.project = "a &amp; b"
        let losses = try format().encode([item]).losses
        #expect(losses.map(\.field) == ["title", "tags"])
        #expect(losses.allSatisfy { $0.code as? TaskwarriorReason == .brackets })
    }

    @Test("an occurrence without a date that Taskwarrior could go by goes out alone and comes back")
    func occurrenceWithoutDate() throws {
        let template = "2f414b1f-fe61-4881-b26c-10faf4151aac"
        let reading = try read(
            #""status":"pending","recur":"weekly","due":"20990101T070000Z","imask":2,"#
                + #""parent":"\#(template)""#)
        var item = try #require(reading.items.first)
        #expect(item.occurrence == 3)
        item.due = nil
        let writing = try format().encode([item])
        let text = String(decoding: writing.bytes, as: UTF8.self)
        #expect(!text.contains("\"recur\":\"weekly\",") && !text.contains("\"imask\":"))
        let back = try #require(try format().decode(writing.bytes).items.first)
        #expect(back == item)
    }

    @Test(
        "periods are taken as Taskwarrior 2.6.2 takes them",
        arguments: [
            ("weekly", true), ("2wks", true), ("P1M", true), ("P1Y2M3DT4H5M6S", true),
            ("P2W", true), ("PT3H", true), ("3h", true), ("day", true), ("02d", true),
            ("p1m", false), ("P", false), ("PT", false), ("P1M ", false), ("P1.5M", false),
            ("PM", false), ("P1D1M", false), ("d", false), ("12", false), ("", false),
            ("99999999999d", false), ("every 2 weeks", false), ("Weekly", false), ("1d2h", false),
            ("5\u{301}d", false), ("\u{665}d", false),
        ])
    func periods(text: String, isTaken: Bool) throws {
        var item = ToDoItem(title: "a")
        item.identifier = 5
        item.due = .instant(4_070_000_000_000)
        item.custom = ["recur": .text(text)]
        let written = String(decoding: try format().encode([item]).bytes, as: UTF8.self)
        #expect(written.contains("\"status\":\"recurring\"") == isTaken)
    }
}
