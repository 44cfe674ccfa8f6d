import Testing
import ToDo

@Suite("What plans a to-do, in our formats")
struct PlanFormatTests {
    private func item() throws -> ToDoItem {
        var item = ToDoItem(title: "Water the plants")
        item.identifier = 5
        item.created = Fixed.now
        item.modified = Fixed.now
        item.due = Fixed.day("2026-12-01")
        item.repeats = "every week"
        item.series = 4
        item.occurrence = 3
        item.anchor = Fixed.day("2026-11-10")
        item.parent = 9
        item.setDepends([12, 9])
        item.positions = [PositionKey(created: 7, id: 8)]
        item.work = [
            WorkInterval(start: Fixed.now, end: Fixed.now + 60_000),
            WorkInterval(start: Fixed.now + 120_000, end: nil),
        ]
        item.status = .completed
        item.completions = [Fixed.now, Fixed.now + 1_000]
        item.custom = [
            "d": .day(20_000), "b": .bytes([0, 255, 16]), "r": .reference(77), "i": .instant(5),
        ]
        return item
    }

    @Test("our own export loses none of it")
    func lines() throws {
        let item = try item()
        #expect(try JSONLinesFormat.decode(JSONLinesFormat.encode([item]).bytes).items == [item])
    }

    @Test("an export for Taskwarrior gives it back")
    func taskwarrior() throws {
        let format = TaskwarriorFormat(zone: try Fixed.berlin())
        let item = try item()
        #expect(try format.decode(try format.encode([item]).bytes).items == [item])
    }

    @Test(
        "what is no interval, number or place is refused",
        arguments: [
            #""work":[{"start":"2026-12-01T10:00:00Z","end":"2026-12-01T09:00:00Z"}]"#,
            #""work":[{}]"#, #""occurrence":0"#, #""parent":"x""#, #""depends":["x"]"#,
            #""depends":"x""#, #""completions":["today"]"#,
        ])
    func refused(_ member: String) throws {
        let text = #"{"tandem":1,"title":"x",\#(member)}"#
        #expect(try JSONLinesFormat.decode(Array(text.utf8)).faults.count == 1)
    }
}
