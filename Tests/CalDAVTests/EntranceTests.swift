import CalDAV
import Core
import Devices
import HTTP
import Testing

@Suite("Who the gateway lets in")
struct EntranceTests {
    @Test("the gateway's port has fewer places for one address than in all, and keeps some free")
    func places() {
        let limits = CalendarGateway.limits
        #expect(limits.addressConnectionCountMax < limits.connectionCountMax)
        #expect(limits.spareConnectionCount >= 20)
        #expect(limits.requestMax == .seconds(30))
    }

    @Test("a name and its password let in, and nothing else does")
    func passwords() throws {
        let world = try GatewayWorld()
        #expect(world.ask("OPTIONS", "/").status == 200)
        for (name, password) in [
            ("phone", ""), ("phone", "x"), ("", world.password), ("Phone", world.password),
            ("phone", world.password + " "),
        ] {
            let answer = world.ask(
                "OPTIONS", "/", authorization: world.authorization(name, password))
            #expect(answer.status == 401)
            #expect(answer.header("www-authenticate")?.hasPrefix("Basic realm=") == true)
        }
    }

    @Test(
        "a password has 125 bits and stands nowhere; its client is listed with the day of its last use"
    )
    func listing() throws {
        let world = try GatewayWorld()
        let clients = world.device.gatewayClients
        #expect(world.password.split(separator: "-").map(\.count) == [5, 5, 5, 5, 5])
        #expect(try clients.all().map(\.lastUsed) == [nil])
        _ = world.ask("OPTIONS", "/")
        let day = GatewayWorld.now - GatewayWorld.now % 86_400_000
        #expect(try clients.all().map(\.lastUsed) == [day])
        for (_, bytes) in try world.device.store.localMetadata(in: "gateway-client") {
            #expect(!String(decoding: bytes, as: UTF8.self).contains(world.password))
        }
    }

    @Test("names that are taken, cannot be sent or are too many are refused")
    func names() throws {
        let world = try GatewayWorld()
        let clients = world.device.gatewayClients
        for name in ["", "a:b", " a", "a ", "a\nb", String(repeating: "x", count: 65), "\u{7f}"] {
            #expect(!GatewayClients.isName(name))
        }
        func fault(_ body: () throws -> Void) -> String {
            do {
                try body()
                return "none"
            } catch {
                return "\(error)"
            }
        }
        #expect(fault { _ = try clients.add(named: "phone", now: 0) } == "nameTaken")
        #expect(fault { _ = try clients.add(named: "a:b", now: 0) } == "badName")
        #expect(fault { _ = try clients.remove(named: "tablet") } == "noSuchClient")
        for number in 1..<GatewayClients.countMax {
            _ = try clients.add(named: "app \(number)", now: 0)
        }
        #expect(fault { _ = try clients.add(named: "one more", now: 0) } == "tooMany")
        #expect(try clients.remove(named: "phone").name == "phone")
        #expect(world.ask("OPTIONS", "/").status == 401)
    }

    @Test(
        "wrong passwords of a network are told to wait after the limit, and a right one is let in, also for the first time"
    )
    func attempts() throws {
        let world = try GatewayWorld()
        let wrong = world.authorization("phone", "wrong")
        for _ in 0..<GatewayEntrance.failureCountMax {
            #expect(world.ask("OPTIONS", "/", authorization: wrong).status == 401)
        }
        let refused = world.ask("OPTIONS", "/", authorization: wrong)
        #expect(refused.status == 429)
        #expect(refused.header("retry-after") == "\(GatewayEntrance.failureSeconds)")
        #expect(world.ask("OPTIONS", "/").status == 200)
        #expect(world.ask("OPTIONS", "/", authorization: wrong).status == 429)
        #expect(
            world.ask("OPTIONS", "/", authorization: wrong, network: "192.0.2.7").status == 401)
        world.pass(milliseconds: Int64(GatewayEntrance.failureSeconds) * 1_000)
        #expect(world.ask("OPTIONS", "/", authorization: wrong).status == 401)
    }

    @Test("a network that a header names is not counted in place of the client's own")
    func forgedNetworks() throws {
        let world = try GatewayWorld()
        let wrong = world.authorization("phone", "wrong")
        let forged = HTTPHeader("x-forwarded-for", "10.0.0.1, 192.0.2.7")
        for _ in 0..<GatewayEntrance.failureCountMax {
            let answer = world.ask(
                "OPTIONS", "/", headers: [forged], authorization: wrong, network: "127.0.0.1")
            #expect(answer.status == 401)
        }
        func status(_ network: String, _ headers: [HTTPHeader] = []) -> Int {
            world.ask("OPTIONS", "/", headers: headers, authorization: wrong, network: network)
                .status
        }
        #expect(status("192.0.2.7") == 401)
        #expect(status("127.0.0.1") == 429)
        #expect(status("127.0.0.1", [HTTPHeader("x-forwarded-for", "198.51.100.1")]) == 429)
    }

    @Test("the networks whose wrong passwords are counted are bounded")
    func networks() throws {
        let world = try GatewayWorld()
        let wrong = world.authorization("phone", "wrong")
        for number in 0...GatewayEntrance.networkCountMax {
            #expect(
                world.ask("OPTIONS", "/", authorization: wrong, network: "n\(number)").status == 401
            )
            world.pass(milliseconds: 1)
        }
    }

    @Test("a request that a page of another site has a browser send does nothing")
    func otherSites() throws {
        let world = try GatewayWorld()
        for header in [
            HTTPHeader("origin", "https://evil.example"), HTTPHeader("origin", "null"),
            HTTPHeader("sec-fetch-site", "cross-site"), HTTPHeader("sec-fetch-site", "same-site"),
        ] {
            #expect(world.ask("OPTIONS", "/", headers: [header]).status == 403)
        }
        #expect(
            world.ask("GET", "/", headers: [HTTPHeader("sec-fetch-site", "none")]).status == 200)
    }

    @Test("a program that names the gateway's own origin is let in, whatever the proxy's scheme")
    func ownOrigin() throws {
        let world = try GatewayWorld()
        func status(_ host: String, _ origin: String, _ site: String = "same-origin") -> Int {
            let headers = [
                HTTPHeader("host", host), HTTPHeader("origin", origin),
                HTTPHeader("sec-fetch-site", site),
            ]
            return world.ask("OPTIONS", "/", headers: headers).status
        }
        #expect(status("127.0.0.1:7720", "http://127.0.0.1:7720") == 200)
        #expect(status("Todo.example.org", "https://todo.example.org") == 200)
        #expect(status("127.0.0.1:7720", "http://127.0.0.1:7721") == 403)
        #expect(status("todo.example.org", "https://todo.example.org.evil.example") == 403)
        #expect(status("todo.example.org", "https://todo.example.org", "cross-site") == 403)
        #expect(status("", "https://") == 403)
    }

    @Test("the well-known path leads to the root, without a password")
    func wellKnown() throws {
        let world = try GatewayWorld()
        let answer = world.ask(
            "PROPFIND", "/.well-known/caldav", authorization: HTTPHeader("x", "y"))
        #expect(answer.status == 301)
        #expect(answer.header("location") == "/")
    }
}
