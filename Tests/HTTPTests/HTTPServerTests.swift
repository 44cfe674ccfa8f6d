import Glibc
import HTTP
import Testing
import Transport

#if Web
    /// The server over loopback, by raw sockets.
    @Suite("HTTP server", .timeLimit(.minutes(30)))
    struct HTTPServerTests {
        private static let get = "GET / HTTP/1.1\r\nHost: here\r\n\r\n"

        @Test("a request comes with its path, its query and its body")
        func answers() throws {
            let server = try TestServer()
            let client = try server.connect()
            try client.send(
                "PUT /a%20b?x=1&y=%2B+z HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\nbody")
            let response = try #require(try client.response())
            #expect(response.status == 200)
            #expect(response.body == "PUT /a%20b x=1 y=+ z [body]\n")
            #expect(server.requests.first?.header("host") == "here")
            // The socket's own port, by which the kernel knows whose it is.
            #expect(server.requests.first?.clientPort ?? 0 > 0)
            try server.close()
        }

        @Test("a client that the service does not admit is closed without an answer")
        func admitsNot() throws {
            let server = try TestServer()
            server.admitsClients = false
            let client = try server.connect()
            try client.send(Self.get)
            #expect(try client.response() == nil)
            #expect(server.requests.isEmpty)
            server.admitsClients = true
            let other = try server.connect()
            try other.send(Self.get)
            #expect(try other.response()?.status == 200)
            try server.close()
        }

        @Test("pipelined requests on one connection are answered in their order")
        func pipelines() throws {
            let server = try TestServer()
            let client = try server.connect()
            let requests = (0..<20).map { "REPORT /\($0) HTTP/1.1\r\nHost: here\r\n\r\n" }
            try client.send(requests.joined())
            for index in 0..<20 {
                #expect(try client.response()?.body == "REPORT /\(index) []\n")
            }
            #expect(server.server?.connectionCount == 1)
            try server.close()
        }

        @Test("a request that comes byte by byte is whole in the end")
        func trickles() throws {
            let server = try TestServer()
            let client = try server.connect()
            for byte in "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc".utf8 {
                try client.send([byte])
                try server.serve(upTo: .milliseconds(2)) { false }
            }
            #expect(try client.response()?.body == "POST /x [abc]\n")
            try server.close()
        }

        @Test("HEAD has the head of GET and no body; other methods pass as they are")
        func methods() throws {
            let server = try TestServer()
            let client = try server.connect()
            try client.send("HEAD /x HTTP/1.1\r\nHost: here\r\n\r\n")
            let head = try #require(try client.response(withoutBody: true))
            #expect(head.status == 200)
            #expect(head.header("content-length") == "10")
            for method in [
                "PROPFIND", "PROPPATCH", "MKCALENDAR", "REPORT", "MOVE", "DELETE", "OPTIONS",
            ] {
                try client.send("\(method) /x HTTP/1.1\r\nHost: here\r\n\r\n")
                #expect(try client.response()?.body == "\(method) /x []\n")
            }
            try server.close()
        }

        @Test(
            "an absolute target stands for path and host; OPTIONS may ask for the server as a whole"
        )
        func targets() throws {
            let server = try TestServer()
            let client = try server.connect()
            try client.send("GET http://There:80/a?b=c HTTP/1.1\r\nHost: here\r\n\r\n")
            #expect(try client.response()?.body == "GET /a b=c []\n")
            #expect(server.requests.first?.header("host") == "There:80")
            try client.send("OPTIONS * HTTP/1.1\r\nHost: here\r\n\r\n")
            #expect(try client.response()?.body == "OPTIONS * []\n")
            try server.close()
        }

        @Test("a body waits for 100 Continue, and chunks come as one body")
        func bodies() throws {
            let server = try TestServer()
            let client = try server.connect()
            try client.send(
                "PUT / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(try client.response()?.status == 100)
            try client.send("ab")
            #expect(try client.response()?.body == "PUT / [ab]\n")
            try client.send("PUT / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n")
            try client.send("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n")
            #expect(try client.response()?.body == "PUT / [abcde]\n")
            try server.close()
        }

        @Test(
            "what can be read in two ways is refused with 400, and the connection is closed",
            arguments: [
                "Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n",
                "Host: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                "Host: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
                "Host: a\r\nContent-Length: 1, 1\r\n\r\na",
                "Host: a\r\nContent-Length: -1\r\n\r\n",
                "Host: a\r\nContent-Length: +1\r\n\r\na",
                "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "Host: a\r\nTransfer-Encoding: identity\r\n\r\n",
                "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "\r\n", "Host: a\r\nHost: a\r\n\r\n", "Host: a b\r\n\r\n", "Host: u@a\r\n\r\n",
                "Host: a\r\nX: \u{1}\r\n\r\n",
            ])
        func refusesAmbiguous(_ rest: String) throws {
            let server = try TestServer()
            let client = try server.connect()
            try client.send("POST / HTTP/1.1\r\n\(rest)")
            #expect(try client.response()?.status == 400)
            #expect(try client.ends(within: .seconds(5)))
            #expect(server.requests.isEmpty)
            try server.close()
        }

        @Test(
            "a malformed target is refused with 400",
            arguments: [
                "/%", "/%2", "/%zz", "/?a=%", "/?%ff=1", "/#a", "/\u{7f}", "/é", "*", "a",
                "ftp://a/",
                "http://", "http://u@a/", "http:///a", "//%",
            ])
        func refusesTargets(_ target: String) throws {
            let server = try TestServer()
            let client = try server.connect()
            try client.send("GET \(target) HTTP/1.1\r\nHost: here\r\n\r\n")
            #expect(try client.response()?.status == 400)
            #expect(server.requests.isEmpty)
            try server.close()
        }

        @Test("bytes that are no HTTP end the connection, and others are served on")
        func garbage() throws {
            var limits = HTTPLimits()
            limits.idleMax = .seconds(1)
            let server = try TestServer(limits: limits)
            for bytes in [
                [0, 1, 2, 13, 10, 13, 10], [0x16, 3, 1, 0, 5], Array("GET\r\n\r\n".utf8),
            ] {
                let client = try server.connect()
                try client.send(bytes.map { UInt8($0) })
                _ = shutdown(client.number, CInt(SHUT_WR))
                #expect(try client.ends(within: .seconds(5)))
            }
            let client = try server.connect()
            try client.send(Self.get)
            #expect(try client.response()?.status == 200)
            try server.close()
        }

        @Test("a client that sends no more gets its responses, and its connection ends soon after")
        func halfClosed() throws {
            let server = try TestServer()
            let client = try server.connect()
            try client.send(Self.get + Self.get)
            _ = shutdown(client.number, CInt(SHUT_WR))
            #expect(try client.response()?.status == 200)
            #expect(try client.response()?.status == 200)
            #expect(try client.ends(within: .seconds(5)))
            try server.close()
        }

        @Test("a service's field that would split the response is not sent: 500")
        func unsendable() throws {
            let server = try TestServer()
            server.answer = { _ in .plain(200, headers: [HTTPHeader("location", "a\r\nb: c")], "x")
            }
            let client = try server.connect()
            try client.send(Self.get)
            #expect(try client.response()?.status == 500)
            try server.close()
        }

        @Test("200 connections are served at once, and ended by the server's end")
        func crowd() throws {
            let server = try TestServer()
            let clients = try (0..<200).map { _ in try server.connect() }
            for client in clients { try client.send(Self.get) }
            for client in clients { #expect(try client.response()?.status == 200) }
            #expect(server.server?.connectionCount == 200)
            try server.close()
            for client in clients { #expect(try client.ends()) }
        }

        @Test("a server that nobody asks takes no time of the processor")
        func idles() throws {
            let server = try TestServer()
            let client = try server.connect()
            try client.send(Self.get)
            #expect(try client.response()?.status == 200)
            let before = threadNanoseconds()
            let loop = server.loop
            loop.schedule(after: .milliseconds(500)) { loop.stop() }
            try loop.run()
            #expect(threadNanoseconds() - before < 10_000_000, "of half a second")
            try server.close()
        }

        private func threadNanoseconds() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return time.tv_sec * 1_000_000_000 + time.tv_nsec
        }

        @Test("plain HTTP for other machines is refused unless it is asked for")
        func otherMachines() throws {
            let loop = try EventLoop()
            let open = HostAndPort(host: "0.0.0.0", port: 0)
            let service = try TestServer()
            #expect(throws: TransportError.insecureListen(address: "0.0.0.0:0")) {
                _ = try HTTPServer(on: loop, at: open, service: service)
            }
            let server = try HTTPServer(on: loop, at: open, plain: .anywhere, service: service)
            #expect(server.address.port != 0)
            server.close()
            try service.close()
        }
    }
#endif
