import CalDAV
import Core
import Devices
import HTTP
import Testing
import ToDo
import ToDoTestSupport

@Suite("The gateway over every extreme value")
struct ExtremeGatewayTests {
    /// A query whose only condition is one of a component in calendars.
    private static func query(_ component: String) -> String {
        "<C:calendar-query xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\">"
            + "<D:prop><D:getetag/></D:prop><C:filter><C:comp-filter name=\"VCALENDAR\">"
            + "\(component)</C:comp-filter></C:filter></C:calendar-query>"
    }

    @Test(
        "lists, queries and documents are answered for a store with extreme values in every field")
    func extremes() throws {
        let world = try GatewayWorld()
        let cases = try ExtremeRecords.write(
            to: world.device.store, every: ExtremeRecords.isWhole ? 3 : 97, setTime: { _ in })
        func paths(_ text: String) -> [String] {
            text.split(separator: "href>").map(String.init).filter { $0.hasPrefix("/") }
                .compactMap { $0.split(separator: "<").first.map(String.init) }
        }
        let deep = [HTTPHeader("depth", "1")]
        let all = "<D:propfind xmlns:D=\"DAV:\"><D:allprop/></D:propfind>"
        let home = world.ask("PROPFIND", "/lists/", all, headers: deep)
        #expect(home.status == 207)
        let lists = Set(paths(home.text)).subtracting(["/lists/"]).sorted()
        #expect(!lists.isEmpty)
        let queries = [
            Self.query("<C:comp-filter name=\"VTODO\"/>"),
            Self.query(
                "<C:comp-filter name=\"VTODO\"><C:time-range start=\"20000101T000000Z\" "
                    + "end=\"20500101T000000Z\"/></C:comp-filter>"),
            Self.query(
                "<C:comp-filter name=\"VTODO\"><C:comp-filter name=\"VALARM\"><C:time-range "
                    + "start=\"20000101T000000Z\"/></C:comp-filter></C:comp-filter>"),
            "<D:sync-collection xmlns:D=\"DAV:\"><D:sync-token/><D:sync-level>1</D:sync-level>"
                + "<D:prop><D:getetag/></D:prop></D:sync-collection>",
        ]
        var found: Set<String> = []
        for list in lists {
            #expect(world.ask("PROPFIND", list, all, headers: deep).status == 207, "\(list)")
            for query in queries {
                let answer = world.ask("REPORT", list, query, headers: deep)
                #expect(answer.status == 207, "\(list)")
                found.formUnion(paths(answer.text).filter { $0.hasSuffix(".ics") })
            }
        }
        #expect(found.count > cases.count / 2)
        for path in found.sorted() {
            let answer = world.ask("GET", path)
            #expect(answer.status == 200 && answer.text.contains("BEGIN:VTODO"), "\(path)")
        }
    }
}
