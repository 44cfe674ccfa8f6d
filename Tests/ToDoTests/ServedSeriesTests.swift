import Core
import Storage
import Testing
import ToDo

@Suite("To-dos that come again, completed by clients")
struct ServedSeriesTests {
    /// How a program completes what comes again.
    enum Way: String, CaseIterable {
        /// It puts the to-do completed.
        case plain
        /// A second VTODO with RECURRENCE-ID, as Thunderbird does.
        case override
        /// The dates moved on to the next ones, as Tasks.org does.
        case movedDates
        /// The to-do completed, and a new one with the next date, as Apple's Reminders does.
        case newItem
        /// The same, the new one first.
        case newItemFirst
    }

    private struct Series {
        let world: ServedWorld
        let id: RecordID
        let next: RecordID

        init(zone: LocalTimeZone, isTimed: Bool) throws {
            world = try ServedWorld(zone: zone)
            id = try world.add("water") { item in
                item.due = isTimed ? .instant(Self.time) : Fixed.day("2026-11-23")
                item.repeats = "every week"
                item.notes = "roses"
            }
            next = RecordID(value: try #require(try world.item(id).nextIdentifier))
        }

        /// Monday 23 November 2026, 08:00 UTC.
        static let time: Int64 = 1_795_420_800_000

        /// Puts what a program writes that completes the to-do by itself.
        func complete(_ way: Way, isTimed: Bool) throws {
            let served = try world.get(id)
            let (first, second) =
                isTimed
                ? ("20261123T080000Z", "20261130T080000Z")
                : ("20261123", "20261130")
            let kind = isTimed ? "" : ";VALUE=DATE"
            let done = ["STATUS:COMPLETED", "COMPLETED:20261121T060000Z", "PERCENT-COMPLETE:100"]
            let completed = served.replacing(
                "STATUS:NEEDS-ACTION", done.joined(separator: "\r\n"))
            switch way {
            case .plain: try world.put(served.name, completed, ifMatch: [served.tag])
            case .override:
                let lines =
                    ["BEGIN:VTODO", "UID:\(id)", "SUMMARY:water", "RECURRENCE-ID\(kind):\(first)"]
                    + done + ["DTSTART\(kind):\(first)", "DUE\(kind):\(first)", "END:VTODO"]
                try world.put(
                    served.name,
                    served.replacing(
                        "END:VCALENDAR", (lines + ["END:VCALENDAR"]).joined(separator: "\r\n")),
                    ifMatch: [served.tag])
            case .movedDates:
                try world.put(
                    served.name, served.replacing(first, second), ifMatch: [served.tag])
            case .newItem, .newItemFirst:
                let new = ServedWorld.text(
                    "9F3A2C10-0000-4000-8000-00000000AB01",
                    [
                        "SUMMARY:water", "DESCRIPTION:roses", "DUE\(kind):\(second)",
                        "DTSTART\(kind):\(second)", "RRULE:FREQ=WEEKLY", "STATUS:NEEDS-ACTION",
                    ])
                if way == .newItemFirst { try world.put("next.ics", new, isNew: true) }
                let ended = completed.replacing("RRULE:FREQ=WEEKLY\r\n", with: "")
                try world.put(served.name, ended, ifMatch: [served.tag])
                if way == .newItem { try world.put("next.ics", new, isNew: true) }
            }
        }

        /// Checks that the to-do is done and has one next occurrence.
        func check(_ comment: String) throws {
            let all = try world.all().sorted { $0.status.rawValue < $1.status.rawValue }
            #expect(all.map(\.status) == [.completed, .pending], "\(comment): \(all)")
            #expect(Set(all.compactMap(\.identifier)) == [id.value, next.value], "\(comment)")
            let pending = try world.item(next)
            #expect(pending.title == "water" && pending.notes == "roses", "\(comment)")
            #expect(
                pending.due?.day(in: .utc) == 20_787,
                "\(comment): \(String(describing: pending.due))")
            #expect(!pending.repeats.isEmpty, "\(comment)")
            #expect(try world.todos.conflicts().isEmpty, "\(comment)")
        }
    }

    @Test(
        "each way of completing ends in the next occurrence of the engine", arguments: Way.allCases)
    func complete(way: Way) throws {
        for isTimed in [false, true] {
            let series = try Series(zone: .utc, isTimed: isTimed)
            try series.complete(way, isTimed: isTimed)
            try series.check("\(way), \(isTimed)")
            // As it is served then, no program that counts dates itself shows any twice.
            let done = try series.world.get(series.id).text
            #expect(!done.contains("RRULE") && done.contains("STATUS:COMPLETED"))
            #expect(try series.world.get(series.next).text.contains("RRULE:FREQ=WEEKLY"))
        }
    }

    @Test(
        "completed at another device as well, it is still one next occurrence",
        arguments: Way.allCases)
    func completeTwice(way: Way) throws {
        let series = try Series(zone: .utc, isTimed: false)
        let world = series.world
        _ = try world.get(series.id)
        try world.meet()
        _ = try world.world.todos(world.phone).setStatus(.completed, of: [series.id])
        try series.complete(way, isTimed: false)
        try world.meet()
        try series.check("\(way)")
    }

    @Test(
        "the text of a completed one put again, as it was or changed, makes no third",
        arguments: Way.allCases)
    func again(way: Way) throws {
        let series = try Series(zone: .utc, isTimed: false)
        try series.complete(way, isTimed: false)
        let world = series.world
        for id in [series.id, series.next] {
            let served = try world.get(id)
            try world.put(served.name, served.replacing("roses", "tulips"), ifMatch: [served.tag])
        }
        #expect(try world.item(series.next).notes == "tulips")
        #expect(try world.all().count == 2)
    }

    @Test("a client that moves the dates on again without reading completes one after the other")
    func movedOn() throws {
        let series = try Series(zone: .utc, isTimed: false)
        let world = series.world
        let served = try world.get(series.id)
        for (number, day) in ["20261130", "20261207", "20261214"].enumerated() {
            let text = served.replacing("20261123", day)
            try world.put(served.name, text)
            try world.put(served.name, text)
            let all = try world.all()
            #expect(all.count == number + 2)
            let pending = all.filter { $0.status == .pending }
            #expect(pending.count == 1)
            #expect(pending.first?.due?.day(in: .utc) == 20_787 + number * 7)
        }
        // And then reads, and edits what it finds.
        let done = try world.get(series.id)
        #expect(done.item.status == .completed)
        try world.put(done.name, done.replacing("SUMMARY:water", "SUMMARY:watered"))
        #expect(try world.all().count == 4)
        #expect(try world.item(series.id).title == "watered")
    }

    @Test("a date that is none of the rule is an edit of the date")
    func otherDate() throws {
        let series = try Series(zone: .utc, isTimed: false)
        let served = try series.world.get(series.id)
        try series.world.put(served.name, served.replacing("20261123", "20261125"))
        #expect(try series.world.all().count == 1)
        #expect(try series.world.item(series.id).due == Fixed.day("2026-11-25"))
    }

    @Test(
        "a later occurrence that is completed or changed becomes a to-do of its own; its day is left out"
    )
    func laterOccurrence() throws {
        let series = try Series(zone: .utc, isTimed: false)
        let world = series.world
        let served = try world.get(series.id)
        let lines = [
            "BEGIN:VTODO", "UID:\(series.id)", "SUMMARY:water later",
            "RECURRENCE-ID;VALUE=DATE:20261130", "STATUS:COMPLETED", "DUE;VALUE=DATE:20261130",
            "END:VTODO", "END:VCALENDAR",
        ]
        let text = served.replacing("END:VCALENDAR", lines.joined(separator: "\r\n"))
        try world.put(served.name, text)
        try world.put(served.name, text)
        let all = try world.all()
        #expect(all.count == 2)
        let lone = try #require(all.first { $0.title == "water later" })
        #expect(lone.status == .completed && lone.repeats.isEmpty)
        let first = try world.item(series.id)
        #expect(first.exceptions == [20_787] && first.status == .pending)
        _ = try world.todos.setStatus(.completed, of: [series.id])
        #expect(try world.item(series.next).due == Fixed.day("2026-12-07"))
    }

    @Test("one that is open again at the client takes the next one back")
    func reopened() throws {
        let series = try Series(zone: .utc, isTimed: false)
        try series.complete(.plain, isTimed: false)
        let world = series.world
        let done = try world.get(series.id)
        let text = done.without("COMPLETED", "PERCENT-COMPLETE")
            .replacing("STATUS:COMPLETED", with: "STATUS:NEEDS-ACTION")
        try world.put(done.name, text, ifMatch: [done.tag])
        #expect(try world.item(series.id).status == .pending)
        #expect(try world.item(series.id).repeats == "every week")
        #expect(try world.stored(series.next).standing == .trashed)
    }
}
