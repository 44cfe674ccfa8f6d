import Core
import HTTP
import Page
import Testing
import ToDo

@Suite("Page security")
struct SecurityTests {
    private static let screens = [
        "/", "/view/today", "/agenda", "/month", "/week", "/week.svg", "/recent", "/trash",
        "/times",
        "/undo", "/conflicts", "/devices", "/status", "/import", "/echo", "/events",
        "/projects.svg",
        "/shell", "/worker.js", "/manifest.webmanifest",
    ]

    private func request(
        _ method: String, _ path: String, _ headers: [(String, String)], body: String = ""
    ) -> HTTPRequest {
        HTTPRequest(
            method, path, headers: headers.map { HTTPHeader($0.0, $0.1) }, body: Array(body.utf8))
    }

    @Test("a request without a session gets nothing", arguments: screens)
    func noSession(path: String) throws {
        let world = try PageWorld(entersBrowser: false)
        let id = try world.add("secret milk")
        for target in [path, "/todo/\(id.uuidText)"] {
            let answer = Answer(
                world.page.respond(to: request("GET", target, [("host", PageWorld.host)])))
            #expect(answer.status == 403 && answer.refusal == "no-session")
            #expect(!answer.text.contains("milk"))
        }
    }

    @Test(
        "a host that is not this one is refused, whatever else comes with it",
        arguments: [
            "evil.example", "127.0.0.1", "127.0.0.1:80", "localhost", "127.0.0.1:7719.evil.example",
            "",
        ])
    func foreignHost(host: String) throws {
        let world = try PageWorld()
        let answer = Answer(
            world.page.respond(
                to: request("GET", "/", [("host", host), ("cookie", world.cookie)])))
        #expect(answer.status == 421 && answer.refusal == "wrong-host")
    }

    @Test("the secret lets one browser in, and not a second one")
    func secretIsUsedOnce() throws {
        let world = try PageWorld(entersBrowser: false)
        let secret = world.security.secret
        let first = Answer(world.login(secret))
        #expect(first.status == 200)
        let cookie = try #require(first.header("set-cookie"))
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
        #expect(cookie.hasPrefix("tandem-7719="))
        #expect(Answer(world.login(secret)).refusal == "wrong-secret")
        #expect(world.security.secret != secret)
        #expect(Answer(world.login("")).refusal == "wrong-secret")
    }

    @Test("a socket of another account gets nothing, with a good secret and with a good cookie")
    func foreignAccount() throws {
        let world = try PageWorld()
        let security = PageSecurity(
            port: PageWorld.port, sessions: world.security.sessionsText,
            isOwnAccount: { _ in false })
        let page = PageService(
            world.device, security, PageSettings(UserSettings(), weekStart: .monday), zone: .utc)
        let headers = [("host", PageWorld.host), ("cookie", world.cookie)]
        let answer = Answer(page.respond(to: request("GET", "/", headers)))
        #expect(answer.status == 403 && answer.refusal == "foreign-account")
        let login = request(
            "POST", "/login", [("host", PageWorld.host), ("content-type", HTTPForm.type)],
            body: "secret=\(security.secret)")
        #expect(Answer(page.respond(to: login)).refusal == "foreign-account")
    }

    @Test("the account of a socket is read from the kernel's tables")
    func accounts() {
        let table = Array(
            """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1E27 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1 0
               1: 0100007F:1E27 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0
               2: 0100007F:C350 0100007F:1E27 01 00000000:00000000 00:00000000 00000000 65534        0 13 1 0
               3: 0100000A:C351 0200000A:1E27 01 00000000:00000000 00:00000000 00000000     0        0 14 1 0
               4: 0000000000000000FFFF00000100007F:C352 0000000000000000FFFF00000100007F:1E27 01 0:0 0:0 0 7 0 15
               5: 0100007F:C353
            """.utf8)
        func owner(_ port: UInt16) -> UInt32? {
            ClientAccount.owner(ofPort: port, connectedTo: 7719, in: table)
        }
        #expect(owner(50_000) == 65_534)
        #expect(owner(50_001) == nil, "another machine's")
        #expect(owner(50_002) == 7)
        #expect(owner(50_003) == nil && owner(1) == nil)
        #expect(!ClientAccount.isOwn(nil, connectedTo: 7719))
    }

    @Test("a browser that was let in is known to the next run, and a made-up one is not")
    func sessionsOutliveARun() throws {
        let world = try PageWorld()
        let next = PageSecurity(port: PageWorld.port, sessions: world.security.sessionsText)
        let page = PageService(
            world.device, next, PageSettings(UserSettings(), weekStart: .monday), zone: .utc)
        let headers = [("host", PageWorld.host), ("cookie", world.cookie)]
        #expect(page.respond(to: request("GET", "/", headers)).status == 200)
        let other = [("host", PageWorld.host), ("cookie", world.cookie + "0")]
        #expect(page.respond(to: request("GET", "/", other)).status == 403)
    }

    /// The changes of a good form, each with its refusal.
    private static let attempts: [(change: [String: String?], refusal: String?)] = [
        ([:], nil), (["origin": nil], "foreign-origin"), (["origin": "null"], "foreign-origin"),
        (["origin": "http://evil.example"], "foreign-origin"),
        (["origin": "https://127.0.0.1:7719"], "foreign-origin"),
        (["origin": "http://localhost:7719"], "foreign-origin"),
        (["sec-fetch-site": nil], nil), (["sec-fetch-site": "cross-site"], "foreign-origin"),
        (["sec-fetch-site": "same-site"], "foreign-origin"), (["token": nil], "wrong-token"),
        (["token": "0"], "wrong-token"), (["cookie": nil], "no-session"),
        (["content-type": "text/plain"], "no-form"),
        (["content-type": "application/json"], "no-form"),
        (["content-type": nil], "no-form"),
    ]

    @Test("a form of another site changes nothing", arguments: attempts.indices)
    func foreignForms(index: Int) throws {
        let attempt = Self.attempts[index]
        let world = try PageWorld()
        var fields: [String: String?] = [
            "host": PageWorld.host, "cookie": world.cookie, "origin": "http://\(PageWorld.host)",
            "sec-fetch-site": "same-origin", "content-type": HTTPForm.type, "token": world.token,
        ]
        for (name, value) in attempt.change { fields[name] = .some(value) }
        let token = fields.removeValue(forKey: "token") ?? nil
        let headers = fields.compactMap { name, value in value.map { (name, $0) } }
        let answer = Answer(
            world.page.respond(
                to: request(
                    "POST", "/add", headers,
                    body: "line=Milk" + (token.map { "&token=\($0)" } ?? ""))))
        #expect(answer.refusal == attempt.refusal)
        let count = try world.todos.list(ToDoFilter(), pendingOnly: true).count
        #expect(count == (attempt.refusal == nil ? 1 : 0))
    }

    @Test("another site of this machine may lead to a screen, and takes no part of it")
    func foreignLooks() throws {
        let world = try PageWorld()
        for (site, mode, status) in [
            ("same-origin", "cors", 200), ("none", "navigate", 200), ("same-site", "navigate", 200),
            ("same-site", "no-cors", 403), ("same-site", "cors", 403),
            ("cross-site", "no-cors", 403),
        ] {
            let answer = Answer(
                world.page.respond(
                    to: request(
                        "GET", "/",
                        [
                            ("host", PageWorld.host), ("cookie", world.cookie),
                            ("sec-fetch-site", site), ("sec-fetch-mode", mode),
                        ])))
            #expect(answer.status == status, "\(site) \(mode)")
        }
    }

    @Test(
        "methods besides GET, HEAD and POST are refused", arguments: ["PUT", "DELETE", "OPTIONS"])
    func methods(method: String) throws {
        let world = try PageWorld()
        let answer = Answer(
            world.page.respond(
                to: request(method, "/", [("host", PageWorld.host), ("cookie", world.cookie)])))
        #expect(answer.status == 405)
    }

    @Test("every response has the headers that keep other sites out, and data is not stored")
    func headers() throws {
        let world = try PageWorld()
        for answer in [world.get("/"), world.get("/none"), world.post("/add", [("line", "Milk")])] {
            let policy = try #require(answer.header("content-security-policy"))
            #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
            #expect(answer.header("cache-control") == "no-store")
            #expect(answer.header("x-content-type-options") == "nosniff")
            #expect(answer.header("referrer-policy") == "same-origin")
        }
    }

    @Test(
        "a way back to another site leads to the list",
        arguments: ["//evil.example", "http://e", "/\\e", ""])
    func ways(back: String) throws {
        let world = try PageWorld()
        let answer = world.post("/add", [("line", "Milk"), ("back", back)])
        #expect(answer.status == 303)
        #expect(answer.header("location") == "/")
    }

    @Test(
        "hostile titles come out as text, on every screen",
        arguments: [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'-->]]>", "&lt;b&gt;",
            "</textarea></form><b>", "a\u{202e}b", "\u{0}\u{1}",
        ])
    func hostileTitles(title: String) throws {
        let world = try PageWorld()
        let id = try world.add(title) {
            $0.notes = title
            $0.project = title
            $0.due = .day(20_779)
            $0.people = [title]
        }
        let paths =
            Self.screens.filter { $0 != "/events" } + [
                "/todo/\(id.uuidText)", "/todo/\(id.uuidText)/history", "/todo/\(id.uuidText)/why",
            ]
        for path in paths {
            let answer = world.get(path, [("q", title), ("line", title)])
            #expect(answer.status == 200, "\(path)")
            #expect(!answer.text.contains("<script>alert"), "\(path)")
            #expect(!answer.text.contains("<img src=x"), "\(path)")
            #expect(!answer.text.contains("</form><b>"), "\(path)")
        }
    }

    @Test("paths that are none, and ids of nothing, are no page")
    func noPages() throws {
        let world = try PageWorld()
        for path in [
            "/none", "/todo/x", "/todo/00000000-0000-0000-0000-000000000001", "/../etc",
            "/view/none",
        ] {
            #expect(world.get(path).status == 404, "\(path)")
        }
        #expect(world.post("/do", [("done", "x")]).status == 400)
        #expect(world.post("/do", []).status == 400)
    }
}
