import CalDAV
import Core
import HTTP
import Testing
import ToDo

@Suite("Reports")
struct ReportTests {
    private static let namespaces =
        "xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\""

    /// A query whose only condition is one of a component in calendars.
    private static func query(_ component: String) -> String {
        "<C:calendar-query \(namespaces)><D:prop><D:getetag/></D:prop><C:filter>"
            + "<C:comp-filter name=\"VCALENDAR\">\(component)</C:comp-filter></C:filter></C:calendar-query>"
    }

    /// A to-do as a phone sends it, with one alarm.
    private static func toDo(_ alarm: String, _ due: String, _ more: String) -> String {
        """
        BEGIN:VCALENDAR
        VERSION:2.0
        PRODID:-//phone//EN
        BEGIN:VTODO
        UID:one
        DTSTAMP:20261122T100000Z
        SUMMARY:Call
        \(due)
        \(more.isEmpty ? "" : more + "\n")BEGIN:VALARM
        ACTION:DISPLAY
        DESCRIPTION:Call
        \(alarm)
        END:VALARM
        END:VTODO
        END:VCALENDAR

        """.replacing("\n", with: "\r\n")
    }

    /// An alarm, what stands beside it, and whether it goes off from a time up to another one.
    struct Alarm: CustomTestStringConvertible {
        let alarm: String
        var due = "DUE:20261201T090000Z"
        var more = ""
        let range: (start: String, end: String)
        let goesOff: Bool
        var testDescription: String { "\(alarm) \(more) \(range.start) \(goesOff)" }
    }

    private static let quarter = "TRIGGER;RELATED=END:-PT15M"
    private static let absolute = "TRIGGER;VALUE=DATE-TIME:20261130T120000Z"
    private static let repeated = quarter + "\nREPEAT:2\nDURATION:PT1H"
    /// More repetitions than are looked at.
    private static let often = quarter + "\nREPEAT:200\nDURATION:PT1H"
    private static let dayBefore = "TRIGGER;RELATED=END:-P1D"

    @Test(
        "a time range on alarms takes to-dos by when these go off",
        arguments: [
            Alarm(alarm: quarter, range: ("20261201T083000Z", "20261201T090000Z"), goesOff: true),
            Alarm(alarm: quarter, range: ("20261201T084500Z", "20261201T084501Z"), goesOff: true),
            Alarm(alarm: quarter, range: ("20261201T084501Z", "20261201T120000Z"), goesOff: false),
            Alarm(alarm: quarter, range: ("20261201T083000Z", "20261201T084500Z"), goesOff: false),
            Alarm(alarm: absolute, range: ("20261130T114500Z", "20261130T121500Z"), goesOff: true),
            Alarm(alarm: absolute, range: ("20261130T120100Z", "20261130T121500Z"), goesOff: false),
            Alarm(alarm: repeated, range: ("20261201T103000Z", "20261201T110000Z"), goesOff: true),
            Alarm(alarm: repeated, range: ("20261201T110000Z", "20261201T170000Z"), goesOff: false),
            Alarm(
                alarm: dayBefore, more: "RRULE:FREQ=WEEKLY",
                range: ("20261207T084500Z", "20261207T091500Z"), goesOff: true),
            Alarm(
                alarm: dayBefore, more: "RRULE:FREQ=WEEKLY",
                range: ("20261208T084500Z", "20261208T091500Z"), goesOff: false),
            Alarm(
                alarm: dayBefore, more: "RRULE:FREQ=WEEKLY", range: ("20261208T084500Z", ""),
                goesOff: true),
            Alarm(alarm: dayBefore, range: ("20261208T084500Z", ""), goesOff: false),
            Alarm(
                alarm: quarter, due: "DTSTART:20261201T080000Z\nDURATION:PT1H",
                range: ("20261201T084500Z", "20261201T084501Z"), goesOff: true),
            Alarm(
                alarm: quarter + "\nREPEAT:1\nDURATION:+PT1H",
                range: ("20261201T093000Z", "20261201T100000Z"), goesOff: true),
            Alarm(alarm: often, range: ("20261205T120000Z", "20261205T130000Z"), goesOff: true),
            Alarm(alarm: often, range: ("20261205T130000Z", "20261205T140000Z"), goesOff: false),
        ])
    func alarms(alarm: Alarm) throws {
        let world = try GatewayWorld()
        let list = try world.list()
        let put = world.ask(
            "PUT", list + "one.ics", Self.toDo(alarm.alarm, alarm.due, alarm.more),
            headers: [HTTPHeader("content-type", "text/calendar")])
        #expect(put.status == 201, "\(put.text)")
        let query = Self.query(
            "<C:comp-filter name=\"VTODO\"><C:comp-filter name=\"VALARM\"><C:time-range "
                + "start=\"\(alarm.range.start)\""
                + (alarm.range.end.isEmpty ? "" : " end=\"\(alarm.range.end)\"")
                + "/></C:comp-filter></C:comp-filter>"
        )
        let answer = world.ask("REPORT", list, query, headers: [HTTPHeader("depth", "1")])
        #expect(answer.status == 207)
        #expect(answer.text.contains("one.ics") == alarm.goesOff, "\(answer.text)")
    }

    @Test("of alarms and of times no more are looked at than one may have")
    func manyAlarms() throws {
        let world = try GatewayWorld()
        let list = try world.list()
        let early = "BEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:x\nTRIGGER:-P30D\nEND:VALARM\n"
        for (name, count) in [("in", 99), ("out", 100)] {
            let text = Self.toDo(Self.quarter, "DUE:20261201T090000Z", "")
                .replacing("UID:one", with: "UID:\(name)")
                .replacing(
                    "BEGIN:VALARM",
                    with: String(repeating: early, count: count).replacing("\n", with: "\r\n")
                        + "BEGIN:VALARM")
            let put = world.ask(
                "PUT", list + name + ".ics", text,
                headers: [HTTPHeader("content-type", "text/calendar")])
            #expect(put.status == 201)
        }
        let range = "<C:time-range start=\"20261201T083000Z\" end=\"20261201T090000Z\"/>"
        let query = Self.query(
            "<C:comp-filter name=\"VTODO\"><C:comp-filter name=\"VALARM\">\(range)</C:comp-filter></C:comp-filter>"
        )
        let answer = world.ask("REPORT", list, query, headers: [HTTPHeader("depth", "1")])
        #expect(answer.text.contains("/in.ics") && !answer.text.contains("/out.ics"))
    }

    @Test("a question about events finds none, with a time as well")
    func events() throws {
        let world = try GatewayWorld()
        let list = try world.list()
        for range in ["", "<C:time-range start=\"20261201T090000Z\" end=\"20261202T090000Z\"/>"] {
            let query = Self.query("<C:comp-filter name=\"VEVENT\">\(range)</C:comp-filter>")
            let answer = world.ask("REPORT", list, query, headers: [HTTPHeader("depth", "1")])
            #expect(answer.status == 207)
            #expect(!answer.text.contains("response"))
        }
    }

    @Test("to-dos take up no time: nobody is busy")
    func freeBusy() throws {
        let world = try GatewayWorld()
        let list = try world.list()
        func ask(_ path: String, _ range: String) -> GatewayWorld.Answer {
            world.ask(
                "REPORT", path,
                "<C:free-busy-query \(Self.namespaces)>\(range)</C:free-busy-query>")
        }
        let range = "<C:time-range start=\"20261201T090000Z\" end=\"20261202T090000Z\"/>"
        let answer = ask(list, range)
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == "text/calendar; charset=utf-8")
        let lines = answer.text.split(separator: "\r\n")
        #expect(lines.contains("BEGIN:VFREEBUSY"))
        #expect(lines.contains("DTSTAMP:20261122T100000Z"))
        #expect(lines.contains("DTSTART:20261201T090000Z"))
        #expect(lines.contains("DTEND:20261202T090000Z"))
        #expect(!answer.text.contains("\r\nFREEBUSY"))
        #expect(ask(list, "").status == 400)
        #expect(ask(list, "<C:time-range/>").status == 403)
        #expect(ask("/lists/", range).status == 403)
    }

    @Test("a search for persons finds the one there is, by a part of the client's name")
    func persons() throws {
        let world = try GatewayWorld()
        func ask(_ content: String, depth: String? = nil, test: String = "") -> GatewayWorld.Answer
        {
            world.ask(
                "REPORT", "/",
                "<D:principal-property-search \(Self.namespaces)\(test)>\(content)</D:principal-property-search>",
                headers: depth.map { [HTTPHeader("depth", $0)] } ?? [])
        }
        func search(_ property: String, _ match: String) -> String {
            "<D:property-search><D:prop><\(property)/></D:prop><D:match>\(match)</D:match></D:property-search>"
        }
        func finds(_ answer: GatewayWorld.Answer) -> Bool {
            answer.status == 207 && answer.text.contains("<D:href>/principal/</D:href>")
        }
        let name = "<D:prop><D:displayname/></D:prop>"
        let found = ask(search("D:displayname", "HON") + name, depth: "0")
        #expect(finds(found) && found.text.contains("<D:displayname>phone</D:displayname>"))
        #expect(!finds(ask(search("D:displayname", "tablet") + name)))
        #expect(!finds(ask(search("C:calendar-user-type", "hon") + name)))
        #expect(
            !finds(ask(search("D:displayname", "p") + search("D:displayname", "tablet") + name)))
        #expect(
            finds(
                ask(
                    search("D:displayname", "p") + search("D:displayname", "tablet") + name,
                    test: " test=\"anyof\"")))
        // As python-caldav asks: for nothing, with the names behind.
        let all = ask("<D:prop/><C:calendar-home-set/><D:displayname/>")
        #expect(finds(all) && all.text.contains("<D:href>/lists/</D:href>"))
        #expect(ask(name, depth: "1").status == 400)
        let properties = world.ask(
            "REPORT", "/", "<D:principal-search-property-set xmlns:D=\"DAV:\"/>")
        #expect(properties.status == 200 && properties.text.contains("<D:displayname/>"))
    }
}

extension GatewayWorld {
    /// The path of a list with one to-do.
    fileprivate func list() throws -> String {
        try add("Stays", project: "Home")
        return "/lists/Home/"
    }
}
