import Testing
import ToDo

@Suite("todo.txt")
struct TodoTextFormatTests {
    private func decode(_ text: String) throws -> FormatReading {
        try TodoTextFormat(zone: try Fixed.berlin()).decode(Array(text.utf8))
    }

    @Test("a repetition that is not known is kept as a field, and told")
    func unknownRepetition() throws {
        let reading = try TodoTextFormat(zone: .utc).decode(Array("Water rec:2b\n".utf8))
        #expect(reading.items.map(\.custom) == [["rec": .text("2b")]])
        #expect(reading.items[0].repeats.isEmpty && reading.remarks.map(\.field) == ["rec"])
    }

    @Test("lines as people have them are read")
    func lines() throws {
        let reading = try decode(
            """
            (A) 2026-11-01 Call Mum +Family @phone due:2026-12-01 t:2026-11-28 rec:+1w

            x 2026-11-20 2026-11-01 Pay rent pri:B +Home est:5 at 12:30 http://x/y
            xylophone lesson @music @music rec:2m
            (D) odd letter
            """)
        #expect(reading.faults.isEmpty)
        let (call, rent, lesson, odd) = (
            reading.items[0], reading.items[1], reading.items[2], reading.items[3]
        )
        #expect(call.title == "Call Mum")
        #expect(call.priority == .high)
        #expect(call.project == "Family")
        #expect(call.tags == ["phone"])
        #expect(call.due == Fixed.day("2026-12-01"))
        #expect(call.wait == Fixed.day("2026-11-28"))
        #expect(call.repeats == "every week")
        #expect(call.created == Fixed.instant("2026-11-01", 0, in: try Fixed.berlin()))
        #expect(rent.title == "Pay rent at 12:30 http://x/y")
        #expect(rent.status == .completed)
        #expect(rent.completed == Fixed.instant("2026-11-20", 0, in: try Fixed.berlin()))
        #expect(rent.priority == .medium)
        #expect(rent.custom == ["est": .int(5)])
        #expect(lesson.title == "xylophone lesson")
        #expect(lesson.status == .pending)
        #expect(lesson.repeats == "every 2 months after completion")
        #expect(odd.priority == .low)
        #expect(odd.custom == ["pri": .text("D")])
        // The letter goes out again, so nothing is lost.
        #expect(reading.losses.isEmpty)
        #expect(reading.remarks.map(\.field) == ["priority"])
    }

    @Test("what a line says twice is told, and the rest kept")
    func twice() throws {
        let reading = try decode("a +One +Two k:1 k:2\n")
        #expect(reading.items[0].project == "One")
        #expect(reading.items[0].tags == ["Two"])
        #expect(reading.items[0].custom == ["k": .int(1)])
        #expect(
            reading.losses == [
                FormatLoss(
                    entry: 1, title: "a", field: "project",
                    TodoTextReason.secondProject("Two")),
                FormatLoss(
                    entry: 1, title: "a", field: "k", TodoTextReason.secondValue("2")),
            ])
        #expect(reading.losses.allSatisfy { !$0.reason.isEmpty })
    }

    @Test("of two priorities the first counts, and the other is told")
    func priorities() throws {
        let reading = try decode("(A) a pri:B\n(B) b pri:B\nx c pri:B\n")
        #expect(reading.items.map(\.priority) == [.high, .medium, .medium])
        #expect(reading.losses.map(\.title) == ["a"])
        #expect(
            reading.losses.map { $0.code as? TodoTextReason } == [.secondPriority("B", after: "A")])
        #expect(reading.remarks.isEmpty)
    }

    @Test("a line that is not UTF-8 is bad by its number")
    func badLines() throws {
        let bytes = Array("good\n\nb".utf8) + [0xff] + Array("\nalso good\n".utf8)
        let reading = try TodoTextFormat(zone: .utc).decode(bytes)
        #expect(reading.items.map(\.title) == ["good", "also good"])
        #expect(reading.faults.map(\.line) == [3])
    }

    @Test("an export is one line each, knows itself again, and tells what it leaves out")
    func export() throws {
        let format = TodoTextFormat(zone: .utc)
        let writing = try format.encode(FormatSamples.items)
        #expect(
            String(decoding: writing.bytes, as: UTF8.self) == """
                (A) 2026-11-21 Buy "milk", bread; é 🎉 +Home.Shop @errand @größe due:2026-12-01 t:2026-11-23 rec:+2w size:5 when:2026-11-21T05:34:07Z dep:00000000-0000-0000-0000-000000000002 dep:00000000-0000-0000-0000-00000000004d id:281fce64-8188-47eb-8eb4-4b9e531f1d7f
                x 2026-11-21 2026-11-21 Done id:00000000-0000-0000-0000-000000000002

                """)
        #expect(
            writing.losses.filter { $0.entry == 1 }.map(\.field)
                == [
                    "notes", "scheduled", "created", "people", "location", "except", "remind",
                    "note",
                ])
        #expect(
            writing.losses.filter { $0.entry == 2 }.map(\.field)
                == ["start", "finish", "completed", "created", "parent", "work"])
        let back = try format.decode(writing.bytes).items
        #expect(back.map(\.identifier) == FormatSamples.items.map(\.identifier))
    }

    @Test("a title that would be read as something else is told")
    func ambiguous() throws {
        var item = ToDoItem(title: "x +y @z due:2026-12-01 (A)")
        item.identifier = 5
        let writing = try TodoTextFormat(zone: .utc).encode([item])
        #expect(writing.losses.map(\.field) == ["title", "project", "due", "tags"])
        item.title = "+only"
        let words = try TodoTextFormat(zone: .utc).encode([item])
        #expect(words.losses.map(\.field) == ["project"])
    }
}
