import CalDAV
import Core
import Testing
import ToDo

@Suite("Questions about documents")
struct FilterTests {
    private static let noon: Int64 = 1_795_348_800_000
    private static let hour: Int64 = 3_600_000

    /// A row of the table for VTODO: dates in hours from noon, and whether the hours 0 to 2 have it.
    struct Row: CustomTestStringConvertible {
        var start: Int64?
        var due: Int64?
        var duration: String?
        var completed: Int64?
        var created: Int64?
        let isIn: Bool
        var testDescription: String {
            "start \(start as Any), due \(due as Any), duration \(duration as Any), completed \(completed as Any), created \(created as Any)"
        }
    }

    @Test(
        "a time range takes to-dos by the table of RFC 4791, section 9.9",
        arguments: [
            Row(start: 0, due: 1, isIn: true), Row(start: -2, due: 1, isIn: true),
            Row(start: -2, due: 0, isIn: false),
            Row(start: 1, due: 5, isIn: true), Row(start: 2, due: 5, isIn: false),
            Row(start: -2, due: 9, isIn: true),
            Row(start: -1, duration: "PT1H", isIn: true),
            Row(start: -2, duration: "PT1H", isIn: false),
            Row(start: 1, duration: "P1D", isIn: true),
            Row(start: 3, duration: "PT1H", isIn: false),
            Row(start: 0, isIn: true), Row(start: 2, isIn: false), Row(start: -1, isIn: false),
            Row(due: 0, isIn: false), Row(due: 1, isIn: true), Row(due: 2, isIn: true),
            Row(due: 3, isIn: false),
            Row(completed: 0, created: -5, isIn: true), Row(completed: 5, created: 1, isIn: true),
            Row(completed: -1, created: -5, isIn: false),
            Row(completed: 6, created: 5, isIn: false),
            Row(completed: 0, isIn: true), Row(completed: 2, isIn: true),
            Row(completed: 3, isIn: false),
            Row(created: -5, isIn: true), Row(created: 1, isIn: true), Row(created: 2, isIn: false),
        ])
    func timeRanges(row: Row) throws {
        func moment(_ hours: Int64?) -> Int64? { hours.map { Self.noon + $0 * Self.hour } }
        var item = ToDoItem(title: "x")
        item.identifier = 1
        item.scheduled = moment(row.start).map { .instant($0) }
        item.due = moment(row.due).map { .instant($0) }
        item.completed = moment(row.completed)
        if row.completed != nil { item.status = .completed }
        item.created = moment(row.created)
        if let duration = row.duration { item.custom["ical:DURATION"] = .text(":\(duration)") }
        let range = ICalendarQuery.TimeRange(start: Self.noon, end: Self.noon + 2 * Self.hour)
        #expect(ICalendarTimes(item, .utc).overlaps(range) == row.isIn)
    }

    @Test("the row for to-dos without any date takes each of them")
    func noDates() {
        let range = ICalendarQuery.TimeRange(start: 0, end: 1)
        #expect(ICalendarTimes(ToDoItem(title: "x"), .utc).overlaps(range))
    }

    @Test("a to-do that comes again is taken by its later occurrences")
    func occurrences() {
        var item = ToDoItem(title: "x")
        item.due = .day(20_000)
        item.repeats = "weekly"
        func isIn(_ first: Int64, _ last: Int64) -> Bool {
            ICalendarTimes(item, .utc).overlaps(
                ICalendarQuery.TimeRange(start: first * 86_400_000, end: last * 86_400_000))
        }
        #expect(isIn(20_000, 20_001))
        #expect(!isIn(20_001, 20_006))
        #expect(isIn(20_007, 20_008))
        #expect(!isIn(19_993, 19_999))
    }

    @Test("times in texts have both a form and an order")
    func texts() {
        typealias Range = ICalendarQuery.TimeRange
        #expect(Range(startText: "19700101T000001Z", endText: nil) == Range(start: 1_000, end: nil))
        #expect(Range(startText: nil, endText: "19700101T000001Z") == Range(start: nil, end: 1_000))
        for (start, end) in [
            (nil, nil), ("19700101", nil), ("19700101T000001", nil), ("x", "19700101T000001Z"),
            ("19700101T000002Z", "19700101T000001Z"), ("19700101T000001Z", "19700101T000001Z"),
        ] as [(String?, String?)] {
            #expect(Range(startText: start, endText: end) == nil)
        }
    }
}
