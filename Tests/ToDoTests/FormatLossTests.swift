import TestSupport
import Testing
import ToDo

@Suite("What a format says it loses is what it loses")
struct FormatLossTests {
    /// Words that mean something in one format or another.
    private static let words = [
        "call", "+x", "@home", "k:v", "due:fri", "x", "(A)", "2026-12-01", "=1+1", "-5", "@",
        "\"q\"", ",", ";", "a;b", "[\"a\"]", "'", "\\", "é", "🎉", "\n", "\t", "http://x/y", "12:30",
        "{\"a\":1}", "null", "5", "1.50", "true", " ", "\r\n", "id:1", "t:x", "\u{0}", "<&>", "",
    ]

    private static func text(_ chance: inout SplitMix64, longest: Int) -> String {
        (0..<chance.below(longest + 1)).map { _ in chance.pick(words) }.joined(separator: " ")
    }

    private static func moment(_ chance: inout SplitMix64) -> Moment? {
        switch chance.below(4) {
        case 0: .day(Int32(20_000 + chance.below(2_000)))
        case 1: .instant(1_795_000_000_000 + Int64(chance.below(1_000_000_000)))
        default: nil
        }
    }

    private static func item(_ chance: inout SplitMix64) -> ToDoItem {
        var item = ToDoItem(title: text(&chance, longest: 4) + "." + text(&chance, longest: 1))
        item.identifier = chance.wide()
        item.notes = text(&chance, longest: 3)
        item.project = text(&chance, longest: 2)
        item.location = text(&chance, longest: 2)
        for field in ToDoDateField.allCases { item[field] = moment(&chance) }
        item.status = chance.pick(ToDoStatus.allCases)
        if item.status != .pending, chance.chance(3, in: 4) {
            item.completed = 1_795_000_000_000 + Int64(chance.below(1_000_000_000))
        }
        if chance.chance(1, in: 2) { item.created = 1_790_000_000_000 + Int64(chance.below(9_999)) }
        item.priority = chance.pick(ToDoPriority.allCases)
        item.setTags((0..<chance.below(3)).map { _ in text(&chance, longest: 2) })
        item.people = (0..<chance.below(3)).map { _ in text(&chance, longest: 2) }
            .filter { !$0.isEmpty }
        item.repeats = chance.pick([
            "", "", "every week", "every mon, fri", "every day after completion",
            "every month on the 2nd tue",
        ])
        item.setExceptions((0..<chance.below(3)).map { _ in 20_700 + Int32(chance.below(200)) })
        for _ in 0..<chance.below(3) {
            let values: [CustomValue] = [
                .text(text(&chance, longest: 2)), .int(Int64(chance.below(9))), .double(0.5),
                .bool(true), .day(20_000), .instant(5), .bytes([1]), .reference(7),
            ]
            item.custom["k" + chance.pick(["", "x", " y", ".z", "ü"])] = chance.pick(values)
        }
        return item
    }

    @Test(
        "an export read again differs from the to-dos in the fields that it said, and no others",
        arguments: [
            FormatSamples.taskwarrior, .jsonLines, .chronoListBinary, .chronoListXML, .csv,
            .todoText, .vtodo,
        ])
    func exactLosses(_ format: FormatSamples) throws {
        var chance = SplitMix64(seed: 20_261_121)
        for round in 0..<400 {
            let item = Self.item(&chance)
            let writing = try #require(try format.encode([item]))
            let reading: FormatReading = try format.decode(writing.bytes)
            let aside = writing.losses.filter {
                if $0.field == "tandem" { return true }
                switch $0.code {
                case TaskwarriorReason.aside, TaskwarriorReason.dayBecomes,
                    TaskwarriorReason.becomesImportTimeThere, ICalendarReason.repeatUnknownThere,
                    ICalendarReason.repeatFromDueThere:
                    return true
                default: return false
                }
            }
            let told = Set(writing.losses.filter { !aside.contains($0) }.map(\.field))
            guard let back = reading.items.first else {
                #expect(told == ["title"], "round \(round): \(item)")
                guard case CommonReason.unreadable = writing.losses[0].code else {
                    Issue.record("\(writing.losses)")
                    continue
                }
                continue
            }
            #expect(reading.items.count == 1)
            var expected = back
            // Ids are derived where a format keeps none.
            if format == .chronoListBinary || format == .chronoListXML { expected.identifier = nil }
            let different = Set(ItemDifference.between(item, expected).map(\.field))
            #expect(
                different == told,
                "round \(round): \(String(decoding: writing.bytes, as: UTF8.self))")
            if format == .jsonLines || format == .csv { #expect(told.isEmpty, "round \(round)") }
        }
    }

    @Test("with the guard against formulas, a table tells each cell that it changed")
    func excelSafe() throws {
        var item = ToDoItem(title: "=1+1")
        item.identifier = 1
        item.notes = "@home"
        item.project = "plain"
        let writing = try CSVFormat(zone: .utc, isExcelSafe: true).encode([item])
        #expect(writing.losses.map(\.field) == ["title", "notes"])
        let text = String(decoding: writing.bytes, as: UTF8.self)
        #expect(text.contains(",'=1+1,"))
        let plain = try CSVFormat(zone: .utc).encode([item])
        #expect(plain.losses.isEmpty)
        #expect(try CSVFormat(zone: .utc).decode(plain.bytes).items == [item])
    }
}
