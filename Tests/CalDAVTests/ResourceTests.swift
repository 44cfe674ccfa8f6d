import CalDAV
import Core
import Devices
import HTTP
import Testing
import ToDo

@Suite("Paths of the gateway")
struct ResourceTests {
    @Test(
        "a path names exactly one resource",
        arguments: [
            ("/", GatewayResource.root), ("/principal", .principal), ("/principal/", .principal),
            ("/lists", .home), ("/lists/", .home), ("/lists/Home/", .list("Home")),
            ("/lists/Home", .list("Home")), ("/lists/%48ome/", .list("Home")),
            ("/lists/a%20b/x.ics", .toDo(list: "a b", name: "x.ics")),
            ("/lists/%C3%BC/x.ics", .toDo(list: "\u{fc}", name: "x.ics")),
            ("/lists/a+b/", .list("a+b")),
        ])
    func named(path: String, resource: GatewayResource) throws {
        #expect(GatewayResource(path: path) == resource)
        #expect(GatewayResource(path: resource.path) == resource)
    }

    @Test(
        "a path that is not normalised names nothing",
        arguments: [
            "", "lists", "//", "//lists", "//lists//Home", "/lists//Home", "/lists/Home//",
            "/./lists/", "/lists/../lists/",
            "/lists/.", "/lists/..", "/lists/%2e%2e/", "/lists/a%2Fb/", "/lists/a%2fb",
            "/lists/a%00/", "/lists/a%0a/",
            "/lists/Home/x.ics/", "/lists/Home/x/y", "/lists/%ff/", "/lists/%/", "/Lists/",
            "/other", "*",
            "/lists/" + String(repeating: "x", count: 256) + "/",
        ])
    func unnamed(path: String) {
        #expect(GatewayResource(path: path) == nil)
    }

    @Test("a reference may be a path or an address of whatever host, but no more")
    func references() {
        let home = GatewayResource.list("Home")
        #expect(GatewayResource(reference: "/lists/Home/") == home)
        #expect(GatewayResource(reference: "https://a.example:8443/lists/Home/") == home)
        for text in ["ftp://a/lists/Home/", "lists/Home/", "/lists/Home/?a", "//a/lists/Home/", ""]
        {
            #expect(GatewayResource(reference: text) == nil)
        }
    }

    @Test("targets with empty parts delete nothing; the absolute form of a list's path does")
    func targets() throws {
        let world = try GatewayWorld()
        try world.add("Stays", project: "Home")
        func ask(_ target: String) throws -> Int {
            let head = HTTPHead(
                method: "DELETE", target: Array(target.utf8),
                fields: [
                    (name: Array("Host".utf8), value: Array("x".utf8)),
                    (
                        name: Array("Authorization".utf8),
                        value: Array(world.authorization().value.utf8)
                    ),
                ])
            let request = try head.request(within: CalendarGateway.limits).request
            return world.gateway.respond(to: request).status
        }
        for target in [
            "//lists//Home", "/lists//Home/", "//lists/Home/", "http://x//lists//Home/",
            "/lists/Home//", "/lists/./Home/",
        ] {
            #expect(try ask(target) == 404)
        }
        for target in ["/", "/lists/", "/principal/", "/lists/inbox/", "http://x/", "http://x"] {
            #expect(try ask(target) == 403)
        }
        #expect(try ask("/lists/Home/?x") == 400)
        #expect(try world.todos.counts().pending == 1)
        #expect(try ask("http://any.example/lists/Home/") == 204)
        #expect(try world.todos.counts().pending == 0)
    }

    @Test("every project has a segment of its own, from which the project is read again")
    func segments() {
        let projects = ["", "Home", "inbox", "~x", "a/b", "\u{fc}", "a b", "..", "\u{1}", "~7e78"]
        let segments = projects.map { ListNames.segment(ofProject: $0) }
        #expect(Set(segments).count == projects.count)
        for segment in segments { #expect(GatewayResource.isSegment(segment)) }
        #expect(segments[0] == ListNames.inbox)
        #expect(segments[1] == "Home")
    }

    @Test("a new list's project has no dot and is no other list's")
    func newProjects() {
        #expect(ListNames.project(named: "Garden", taken: []) == "Garden")
        #expect(ListNames.project(named: " a.b \n c ", taken: []) == "a-b c")
        #expect(ListNames.project(named: "Home", taken: ["Home", "Home 2"]) == "Home 3")
        #expect(ListNames.project(named: " ", taken: []) == "List")
        #expect(ListNames.topLevel(of: "Home.shop.x") == "Home")
        #expect(ListNames.topLevel(of: "") == "")
        #expect(ListNames.topLevel(of: ".x") == "")
    }
}
