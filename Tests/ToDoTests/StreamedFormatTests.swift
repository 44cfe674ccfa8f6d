import Core
import Storage
import Testing
import ToDo

/// Files of other programs that are read piece by piece.
@Suite("Importing files of other programs piece by piece")
struct StreamedFormatTests {
    /// A format, and a file of it in which entries need others.
    struct Sample: CustomTestStringConvertible, Sendable {
        let name: String
        let text: String
        var testDescription: String { name }

        func format() throws -> any ToDoFormat {
            let type = try #require(ToDoFormats.named(name))
            return try type.init(FormatSettings(zone: .utc, now: Fixed.now))
        }
    }

    static let todoText = Sample(
        name: "todotxt",
        text: """
            (A) 2026-11-01 Call Anna +Home @phone due:2026-12-01
            x 2026-11-02 2026-11-01 Paid id:2

            Waits for one below id:3 dep:7,2
            Waits for nobody dep:nobody
            pri:Z +only @words
            Buy milk
            Buy milk
            \u{a0}
            Below id:7
            The last line, which nothing ends
            """)
    static let table = Sample(
        name: "csv",
        text: #"""
            sep=;\#r
            title;notes;due;tags;Own;id\#r
            Call Anna;"two\#r
            lines; and ""quotes""";2026-12-01;a,b;1;\#r
            ;;;;;\#r
            Buy milk;;;;;\#r
            Buy milk;;;;;\#r
            short;row\#r
            Known;;bad date;;;\#r
            Last;"in quotes";;;"x";00000000-0000-4000-8000-000000000001
            """#)
    static let tasks = Sample(
        name: "taskwarrior",
        text: """
            TASKRC override: /tmp/x
            [
            {"uuid":"00000000-0000-4000-8000-000000000001","description":"First","status":"pending","depends":["00000000-0000-4000-8000-000000000010","00000000-0000-4000-8000-000000000004"]},
            {"uuid":"00000000-0000-4000-8000-000000000002","description":"ü \\"{[,\\\\","status":"pending","modified":"20261101T080000Z","urgency":1.5},
            7,
            {"uuid":"00000000-0000-4000-8000-000000000010","description":"Rec","due":"20261109T000000Z","imask":0,"parent":"2f414b1f-fe61-4881-b26c-10faf4151aac","recur":"weekly","status":"completed","end":"20261110T080000Z","entry":"20261101T080000Z"},
            {"uuid":"00000000-0000-4000-8000-000000000004","description":"Gone","status":"deleted","end":"20261110T080000Z"},
            {"uuid":"2f414b1f-fe61-4881-b26c-10faf4151aac","description":"Rec","due":"20261109T000000Z","mask":"+","recur":"weekly","status":"recurring","entry":"20261101T080000Z"},
            {"uuid":"00000000-0000-4000-8000-000000000005","description":"","status":"waiting"},
            {"description":1}
            ]

            """)
    /// Tasks with parts and notes, of which one has no task above it, and dates that are not understood.
    static let plan = Sample(
        name: "todoist",
        text: #"""
            TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE
            note,without a task,,,,Ann (1),,,,
            task,Plant ü @garden,,1,1,,,every fri at 9am,en,
            task,"Buy, and carry ""soil""",two bags,4,2,,,some day,en,
            note,"The shop
            closes at six",,,,Ann (1),,,,
            note,Ask for help,,,,Ann (1),,,,
            section,Later,,,,,,,,
            task,,,4,1,,,,,
            note,of a bad one,,,,,,,,
            task,Plant ü,,4,1,,,,,
            task,Plant ü,,4,1,,,,,

            note,the last,,,,,,,,

            """#)
    /// Tasks without an array around them.
    static let bareTasks = Sample(
        name: "taskwarrior",
        text: """
            {"uuid":"00000000-0000-4000-8000-000000000001","description":"First","status":"pending"}
            {"uuid":"00000000-0000-4000-8000-000000000002","description":"Second","status":"pending"},
            {"uuid":"00000000-0000-4000-8000-000000000003","description":"Third","status":"pending"}
            """)

    /// To-dos below the zone that they name and above it, series below their occurrences, and two calendars.
    static let calendars = Sample(
        name: "vtodo",
        text: #"""
            BEGIN:VCALENDAR\#r
            X-WR-CALNAME:Home\#r
            BEGIN:VTODO\#r
            UID:above\#r
            SUMMARY:Above its zone\#r
            DUE;TZID=Own:20261201T100000\#r
            END:VTODO\#r
            BEGIN:VTODO\#r
            UID:series\#r
            RECURRENCE-ID:20261208\#r
            SUMMARY:Changed\, and lo\#r
             ng \#r
            END:VTODO\#r
            BEGIN:VTIMEZONE\#r
            TZID:Own\#r
            BEGIN:STANDARD\#r
            DTSTART:19700101T000000\#r
            TZOFFSETFROM:+0500\#r
            TZOFFSETTO:+0500\#r
            END:STANDARD\#r
            END:VTIMEZONE\#r
            BEGIN:VTODO\#r
            UID:below\#r
            SUMMARY:Below ü\#r
            DUE;TZID=Own:20261201T100000\#r
            BEGIN:VALARM\#r
            ACTION:DISPLAY\#r
            TRIGGER:-PT15M\#r
            END:VALARM\#r
            END:VTODO\#r
            BEGIN:VEVENT\#r
            UID:event\#r
            END:VEVENT\#r
            no property\#r
            BEGIN:VTODO\#r
            UID:below\#r
            SUMMARY:Another\#r
            END:VTODO\#r
            BEGIN:VTODO\#r
            UID:alone\#r
            RECURRENCE-ID:20261208\#r
            SUMMARY:Alone\#r
            END:VTODO\#r
            BEGIN:VTODO\#r
            UID:series\#r
            DTSTART;VALUE=DATE:20261201\#r
            RRULE:FREQ=WEEKLY\#r
            SUMMARY:Series\#r
            END:VTODO\#r
            END:VCALENDAR\#r
            \#r
            BEGIN:VCALENDAR\#r
            BEGIN:VTODO\#r
            UID:other\#r
            SUMMARY:No zone of another calendar\#r
            DUE;TZID=Own:20261201T100000\#r
            END:VTODO\#r
            BEGIN:VTODO\#r
            SUMMARY:Never ends
            """#)

    private func texts(_ losses: [FormatLoss]) -> [String] {
        losses.map { "\($0.entry) \($0.title) \($0.field) \($0.reason)" }.sorted()
    }

    private func sorted(_ items: [ToDoItem]) -> [ToDoItem] {
        items.sorted { ($0.identifier ?? 0, $0.title) < ($1.identifier ?? 0, $1.title) }
    }

    @Test(
        "pieces of a file of another program, of any length, give what the whole file gives",
        arguments: [todoText, table, plan, tasks, bareTasks, calendars],
        [1, 2, 7, 100, 1 << 20])
    func pieces(sample: Sample, count: Int) throws {
        let format = try sample.format()
        let bytes = [0xef, 0xbb, 0xbf] + Array(sample.text.utf8)
        let whole = try format.read(bytes)
        let pages = try format.pages(bytes, of: count)
        #expect(sorted(pages.flatMap(\.items)) == sorted(whole.items))
        #expect(whole.items.count >= 3)
        #expect(pages.flatMap(\.trash) == whole.trash)
        #expect(pages.flatMap(\.faults).map { "\($0)" } == whole.faults.map { "\($0)" })
        #expect(texts(pages.flatMap(\.losses)) == texts(whole.losses))
        #expect(texts(pages.flatMap(\.remarks)) == texts(whole.remarks))
        #expect(pages.reduce(into: []) { $0.formUnion($1.columns) } == whole.columns)
        #expect(pages.flatMap(\.ownColumns) == whole.ownColumns)
        #expect(pages.flatMap(\.columnNames).map(\.here) == whole.columnNames.map(\.here))
    }

    @Test(
        "a fault of the file as a whole is told with its line, wherever pieces end",
        arguments: [
            Sample(name: "csv", text: "title\r\na\r\n\"never closed\r\n"),
            Sample(name: "csv", text: "name\r\na\r\n"),
            Sample(name: "todoist", text: "TYPE,INDENT\r\ntask,1\r\n"),
            Sample(name: "todoist", text: "TYPE,CONTENT\r\ntask,a\r\ntask,\"never closed\r\n"),
            Sample(
                name: "taskwarrior", text: "[\n{\"description\":\"a\"},\n{\"description\" 1}]\n"),
            Sample(name: "taskwarrior", text: "[\n{\"description\":\"a\"}\n"),
            Sample(name: "taskwarrior", text: "[{\"description\":\"a\"}] and more\n"),
            Sample(name: "vtodo", text: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\nmore\r\n"),
            Sample(name: "vtodo", text: "\r\n\r\n"),
        ], [1, 5, 1 << 20])
    func faults(sample: Sample, count: Int) throws {
        let format = try sample.format()
        let bytes = Array(sample.text.utf8)
        let whole = #expect(throws: FormatFault.self) { try format.read(bytes) }
        let parts = #expect(throws: FormatFault.self) { try format.pages(bytes, of: count) }
        #expect(parts.map { "\($0)" } == whole.map { "\($0)" })
    }

    @Test(
        "no more is held of a file than the entries that end in a piece, however long it is",
        arguments: [
            Sample(name: "todotxt", text: "An entry +Home\n"),
            Sample(name: "csv", text: "An entry\n"),
            Sample(name: "todoist", text: "task,An entry\n"),
            Sample(
                name: "taskwarrior", text: #"{"description":"An entry","status":"pending"},"# + "\n"
            ),
            Sample(name: "jsonl", text: #"{"tandem":1,"title":"An entry"}"# + "\n"),
            Sample(name: "vtodo", text: "BEGIN:VTODO\nSUMMARY:An entry\nEND:VTODO\n"),
        ])
    func held(sample: Sample) throws {
        var stream = try #require(try sample.format().stream())
        let head =
            [
                "csv": "title\n", "todoist": "TYPE,CONTENT\n", "taskwarrior": "[",
                "vtodo": "BEGIN:VCALENDAR\n",
            ][sample.name] ?? ""
        try stream.add(Array(head.utf8)[...])
        let piece = Array(String(repeating: sample.text, count: 100).utf8)
        for round in 1...30 {
            try stream.add(piece[...])
            let page = stream.take()
            // The last one may go on in the next piece, or a note on it may follow there.
            #expect((98...101).contains(page.items.count), "round \(round)")
            #expect(page.losses.count <= 101 && page.remarks.isEmpty && page.faults.isEmpty)
        }
    }

    @Test(
        "an entry longer than one may be is refused, and no more of it is held",
        arguments: ["csv", "todoist", "taskwarrior"])
    func longEntry(name: String) throws {
        var stream = try #require(try Sample(name: name, text: "").format().stream())
        let head = [
            "csv": "title\n\"", "todoist": "TYPE,CONTENT\ntask,\"",
            "taskwarrior": "[{\"description\":\"",
        ]
        try stream.add(Array(try #require(head[name]).utf8)[...])
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)[...]
        let fault = #expect(throws: FormatFault.self) {
            for _ in 0..<40 { try stream.add(piece) }
        }
        #expect(fault.map { "\($0)".contains("\(FormatLimits.entryByteCountMax)") } == true)
    }

    @Test(
        "an import of another program's file by pages makes what one of the whole file makes, and once more nothing",
        arguments: [todoText, table, plan, tasks, calendars])
    func importing(sample: Sample) throws {
        let format = try sample.format()
        let bytes = Array(sample.text.utf8)
        let world = try ToDoWorld(zone: .utc)
        let (one, other) = (try world.store("one"), try world.store("other"))
        let whole = ImportSummary(
            try world.todos(one).importFile(try format.read(bytes), echo: format.echo))
        for round in 0..<2 {
            let summary = try world.todos(other).importPages(besides: [], echo: format.echo) {
                body in
                for page in try format.pages(bytes, of: 50) { try body(page) }
            }
            #expect(summary.stepCount == whole.stepCount)
            #expect(summary.madeCount == (round == 0 ? whole.madeCount : 0))
            #expect(summary.updatedCount == 0)
        }
        func shown(_ store: Store) throws -> [ToDoItem] {
            sorted(
                try store.fetch(FetchRequest(ToDoSchema.collection, scope: .all)).map {
                    var item = ToDoMapping.item($0)
                    item.modified = nil
                    return item
                })
        }
        #expect(try shown(one) == shown(other))
    }
}

/// What a calendar of any length may make a reader hold.
@Suite("Calendars of any length")
struct StreamedCalendarTests {
    private func stream(_ lines: [String]) throws -> any EntryStream {
        var stream = try #require(ICalendarFormat(zone: .utc).stream())
        try stream.add(Array(lines.map { $0 + "\n" }.joined().utf8)[...])
        return stream
    }

    @Test("a to-do of more bytes than an entry may have is refused, and those behind it are read")
    func longEntry() throws {
        var stream = try stream(["BEGIN:VCALENDAR", "BEGIN:VTODO", "SUMMARY:Long"])
        let line = Array(("X-A:" + String(repeating: "x", count: 1 << 20) + "\n").utf8)
        for _ in 0...FormatLimits.entryByteCountMax >> 20 { try stream.add(line[...]) }
        try stream.add(
            Array("END:VTODO\nBEGIN:VTODO\nSUMMARY:Short\nEND:VTODO\nEND:VCALENDAR\n".utf8)[...])
        try stream.finish()
        let page = stream.take()
        #expect(page.items.map(\.title) == ["Short"])
        #expect(page.faults.map(\.reason) == ["an entry has more than 16777216 bytes"])
        #expect(page.faults.first?.line == 19)
    }

    @Test("parts of a to-do count as its lines, so that no number of them is held")
    func manyParts() throws {
        var stream = try stream(["BEGIN:VCALENDAR", "BEGIN:VTODO", "SUMMARY:Alarms"])
        let part = Array("BEGIN:VALARM\nEND:VALARM\n".utf8)
        for _ in 0..<ICalendarLimits.lineCountMax { try stream.add(part[...]) }
        try stream.add(Array("END:VTODO\nEND:VCALENDAR\n".utf8)[...])
        try stream.finish()
        let page = stream.take()
        #expect(page.items.isEmpty)
        #expect(page.faults.map(\.reason) == ["more than 20000 lines"])
    }

    @Test("to-dos wait for the description of their zone, up to a number of bytes")
    func waiting() throws {
        let byteCountMax = 100_000
        var stream = ICalendarStream(zone: .utc, heldByteCountMax: byteCountMax)
        try stream.add(Array("BEGIN:VCALENDAR\n".utf8)[...])
        let notes = String(repeating: "x", count: 10_000)
        // So many are under the limit.
        let count = byteCountMax / notes.utf8.count - 1
        func add(_ text: String) throws { try stream.add(Array(text.utf8)[...]) }
        func add(_ number: Int) throws {
            try add(
                """
                BEGIN:VTODO
                UID:\(number)
                SUMMARY:\(number)
                DESCRIPTION:\(notes)
                DUE;TZID=Own:20261201T100000
                END:VTODO

                """)
        }
        for number in 0...count { try add(number) }
        #expect(stream.take().items.isEmpty)
        // Of the others nothing tells what their zone is.
        for number in count + 1...count + 2 { try add(number) }
        let page = stream.take()
        #expect(page.items.map(\.title) == (0...count).map { "\($0)" })
        #expect(page.losses.count == count + 1)
        try add(
            """
            BEGIN:VTIMEZONE
            TZID:Own
            BEGIN:STANDARD
            DTSTART:19700101T000000
            TZOFFSETTO:+0500
            END:STANDARD
            END:VTIMEZONE
            END:VCALENDAR

            """)
        try stream.finish()
        let rest = stream.take()
        #expect(rest.items.map(\.title) == ["\(count + 1)", "\(count + 2)"])
        #expect(rest.losses.isEmpty)
        #expect(rest.items.first?.due == .instant(1_796_101_200_000))
    }

    @Test("a file of which occurrences of more bytes wait for their series is refused")
    func occurrences() throws {
        var stream = ICalendarStream(zone: .utc, heldByteCountMax: 5_000)
        try stream.add(Array("BEGIN:VCALENDAR\n".utf8)[...])
        let notes = String(repeating: "x", count: 1_000)
        let fault = #expect(throws: FormatFault.self) {
            for number in 0..<9 {
                let occurrence = [
                    "BEGIN:VTODO", "UID:\(number)", "RECURRENCE-ID:20261208", "SUMMARY:x",
                    "DESCRIPTION:\(notes)", "END:VTODO", "",
                ].joined(separator: "\n")
                try stream.add(Array(occurrence.utf8)[...])
            }
        }
        #expect(fault?.reason.contains("5000 bytes") == true)
    }

    @Test("a file of which more than 1,000,000 entries wait for its end is refused")
    func held() throws {
        #expect(FormatLimits.entryCountMax == 1_000_000)
        try FormatLimits.check(heldCount: 1_000_000, format: "iCalendar")
        let fault = #expect(throws: FormatFault.self) {
            try FormatLimits.check(heldCount: 1_000_001, format: "iCalendar")
        }
        #expect(fault?.reason.contains("1000000 entries") == true)
    }
}

extension ToDoFormat {
    /// The readings of its stream, whose bytes come in pieces of one length.
    func pages(_ bytes: [UInt8], of count: Int) throws -> [FormatReading] {
        var stream = try #require(self.stream())
        var pages: [FormatReading] = []
        for start in stride(from: 0, to: bytes.count, by: count) {
            try stream.add(bytes[start..<min(start + count, bytes.count)])
            pages.append(stream.take())
        }
        try stream.finish()
        pages.append(stream.take())
        return pages
    }
}
