import TestSupport
import Testing
import ToDo

@Suite("iCalendar to-dos")
struct ICalendarFormatTests {
    func format() throws -> ICalendarFormat {
        ICalendarFormat(zone: try Fixed.berlin())
    }

    func text(_ items: [ToDoItem]) throws -> String {
        String(decoding: try format().encode(items).bytes, as: UTF8.self)
    }

    @Test("what we wrote and nobody touched reads back as it was")
    func lossless() throws {
        for seed in 1...(TestSettings.number("TANDEM_ICALENDAR_SEEDS") ?? 400) {
            var random = RandomItems(seed: UInt64(seed))
            let items = (0..<3).map { _ in random.item() }
            let bytes = try format().encode(items).bytes
            let reading = try format().decode(bytes)
            #expect(reading.faults.isEmpty, "seed \(seed)")
            for (read, written) in zip(reading.items, items) where read != written {
                let (old, new) = ("\(written)".unicodeScalars, "\(read)".unicodeScalars)
                let index = max(40, zip(old, new).prefix { $0 == $1 }.count)
                let (before, after) = (old.dropFirst(index - 40), new.dropFirst(index - 40))
                Issue.record(
                    "seed \(seed): \(String(before.prefix(200))) -> \(String(after.prefix(200)))")
            }
            #expect(reading.items.count == items.count, "seed \(seed)")
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
            #expect(lines.allSatisfy { $0.utf8.count <= 75 }, "seed \(seed)")
            let elsewhere = ICalendarFormat(zone: .utc)
            #expect(try elsewhere.decode(bytes).items == items, "seed \(seed), in another zone")
        }
    }
}
