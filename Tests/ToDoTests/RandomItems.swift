import TestSupport
import ToDo

/// To-dos of every kind, from a seed.
struct RandomItems {
    private var chance: SplitMix64

    init(seed: UInt64) {
        chance = SplitMix64(seed: seed)
    }

    private static let pieces = [
        "milk", " ", "  ", ",", ";", ":", "\\", "\\n", "\n", "\r", "\r\n", "\t", "\u{0}", "\u{7f}",
        "\"", "^", "^n", "=", "é", "e\u{301}", "🎉", "日本", "\u{2028}", "\u{85}", "BEGIN:VTODO",
        "END:VCALENDAR", "a", "B", "0", "-", "x-", "\u{feff}", "%", "'", "{", "}", "[]", "/",
    ]

    mutating func text(_ countMax: Int = 8) -> String {
        (0..<chance.below(countMax + 1)).map { _ in chance.pick(Self.pieces) }.joined()
    }

    mutating func instant() -> Int64 {
        switch chance.below(8) {
        case 0: chance.pick([0, -1, 1, .max, .min, 253_402_300_799_999, 253_402_300_800_000])
        case 1: -62_167_219_200_000 + Int64(chance.below(3)) - 1
        case 2: Int64(chance.below(1 << 40)) - 1 << 39
        default: 1_795_239_247_000 + Int64(chance.below(1 << 30)) * 1_000
        }
    }

    mutating func moment() -> Moment? {
        switch chance.below(5) {
        case 0, 1: nil
        case 2: .day(chance.pick([0, 20_000, 20_700, -719_528, 2_932_896, 2_932_897, -719_529]))
        case 3: .day(Int32(20_000 + chance.below(1_000)))
        default: .instant(instant())
        }
    }

    private mutating func custom() -> CustomValue {
        switch chance.below(8) {
        case 0: .bool(chance.chance(1, in: 2))
        case 1: .int(Int64(bitPattern: chance.next()))
        case 2: .double(Double(chance.below(1_000)) / 7)
        case 3: .instant(instant())
        case 4: .day(Int32(chance.below(40_000)))
        case 5: .bytes(chance.bytes(chance.below(4)))
        case 6: .reference(chance.wide())
        default: .text(text())
        }
    }

    /// Names and values that look like what came along from elsewhere.
    private mutating func kept() -> (String, CustomValue) {
        chance.pick([
            ("ical:GEO", .text(":48.1;11.5")), ("ical:GEO", .text("48")),
            ("ical:X-APPLE-SORT-ORDER", .text(";X-A=\"a;b\":17\n:18")),
            ("ical:PRIORITY", .text(":3")), ("ical:PRIORITY", .text(":no")),
            ("ical:DUE", .text(";TZID=Europe/Berlin:20261201T100000")),
            ("ical:UID", .text(":abc@example.org")), ("ical:STATUS", .text(":DRAFT")),
            ("ical:PERCENT-COMPLETE", .text(":50")), ("ical:PERCENT-COMPLETE", .text(":100")),
            ("ical:VALARM", .text("BEGIN:VALARM\nACTION:AUDIO\nEND:VALARM")),
            ("ical:VALARM", .text("BEGIN:VALARM\nEND:VALARM\nBEGIN:VALARM\nEND:VALARM")),
            ("ical:VALARM", .text("BEGIN:VALARM\nACTION:AUDIO")),
            ("ical:VALARM", .text("BEGIN:VTODO\nEND:VTODO")), ("ical:VALARM", .int(1)),
            ("ical:DURATION", .text(":PT1H")), ("ical:X-TANDEM-MORE", .text(":{}")),
            ("ical:X-TANDEM-PROJECT", .text(":Home")), ("ical:", .text(":a")),
            ("ical:DTSTAMP", .text(":a")), ("ical:x y", .text(":a")), ("ical:BEGIN", .text(":A")),
            ("ical:END", .text(":VTODO")), ("ical:RRULE", .text(":FREQ=WEEKLY;BYSETPOS=1")),
            ("ical:SUMMARY", .text(";LANGUAGE=de:milk")), ("ical:COMMENT", .text(":a\nb")),
            ("ical:RELATED-TO", .text(";RELTYPE=CHILD:x\n;RELTYPE=SIBLING:y")),
            ("json:later", .text("[1,2.50]")), ("json:custom/odd", .text("{\"new\":1}")),
            ("", .text("nameless")), ("due", .text("clash")), ("tandem", .int(1)),
        ])
    }

    mutating func reminder() -> Reminder {
        let acknowledged = chance.chance(1, in: 4) ? instant() : nil
        if chance.chance(1, in: 3) { return Reminder(.at(instant()), acknowledged: acknowledged) }
        let sign = chance.chance(1, in: 4) ? 1 : -1
        let lead = Reminder.Lead(
            days: sign * chance.below(3), seconds: sign * chance.below(3) * 450)
        return Reminder(
            .from(chance.pick(Reminder.Base.allCases), lead ?? .none), acknowledged: acknowledged)
    }

    mutating func item() -> ToDoItem {
        var item = ToDoItem(title: text())
        item.identifier = chance.wide()
        item.notes = chance.chance(1, in: 2) ? text(30) : ""
        item.project = chance.chance(1, in: 2) ? text(3) : ""
        item.location = chance.chance(1, in: 4) ? text(3) : ""
        for field in ToDoDateField.allCases { item[field] = moment() }
        item.status = chance.pick(ToDoStatus.allCases)
        item.completions = Set((0..<chance.below(3)).map { _ in instant() }).sorted()
        item.created = chance.chance(1, in: 3) ? nil : instant()
        item.modified = chance.chance(1, in: 3) ? nil : instant()
        item.priority = chance.pick(ToDoPriority.allCases)
        item.setTags((0..<chance.below(4)).map { _ in text(2) })
        item.people = (0..<chance.below(3)).map { _ in text(2) }
        item.parent = chance.chance(1, in: 3) ? chance.wide() : nil
        item.setDepends((0..<chance.below(3)).map { _ in chance.wide() })
        if chance.chance(1, in: 3) { item.positions = [PositionKey(created: instant(), id: 7)] }
        item.work = Set(
            (0..<chance.below(3)).map { _ -> WorkInterval in
                let start = Int64(chance.below(1 << 40))
                return WorkInterval(start: start, end: chance.chance(1, in: 3) ? nil : start + 5)
            }
        ).sorted { ($0.start, $0.end ?? .max) < ($1.start, $1.end ?? .max) }
        item.repeats = chance.pick([
            "", "", "every day", "every 2 weeks", "every mon, thu", "every month after completion",
            "every year in Europe/Berlin", "every 7 moons", "every 3 months",
            "every month on the last fri", "every 2 months on the 1st workday, last workday",
        ])
        item.setExceptions((0..<chance.below(3)).map { _ in 20_700 + Int32(chance.below(200)) })
        if chance.chance(1, in: 4) {
            item.series = chance.wide()
            item.occurrence = 1 + chance.below(5)
            item.anchor = moment()
        }
        item.setReminders((0..<chance.below(3)).map { _ in reminder() })
        for _ in 0..<chance.below(4) { item.custom[text(3)] = custom() }
        for _ in 0..<chance.below(3) {
            let (name, value) = kept()
            item.custom[name] = value
        }
        return item
    }
}
