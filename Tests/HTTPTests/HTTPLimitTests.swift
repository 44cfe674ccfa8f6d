import Glibc
import HTTP
import Testing
import Transport

#if Web
    /// Each limit of the server, by raw sockets.
    @Suite("HTTP limits", .timeLimit(.minutes(30)))
    struct HTTPLimitTests {
        private static let get = "GET / HTTP/1.1\r\nHost: here\r\n\r\n"

        private static func limits(_ change: (inout HTTPLimits) -> Void) -> HTTPLimits {
            var limits = HTTPLimits()
            change(&limits)
            return limits
        }

        @Test("headByteCountMax: 431", arguments: [200, 300, 3000, 60_000, 2_000_000])
        func head(_ byteCount: Int) throws {
            let server = try TestServer(limits: Self.limits { $0.headByteCountMax = 200 })
            let client = try server.connect()
            let begin = "GET / HTTP/1.1\r\nHost: here\r\nX: "
            try client.send(
                begin + String(repeating: "x", count: byteCount - begin.utf8.count - 4) + "\r\n\r\n"
            )
            let response = try client.response()
            if byteCount <= 200 {
                #expect(response?.status == 200)
            } else if byteCount <= 60_000 {
                #expect(response?.status == 431)
            } else {
                // The end of the connection may overtake the answer while bytes are still being sent.
                #expect(response == nil || response?.status == 431)
            }
            #expect(server.requests.count == (byteCount <= 200 ? 1 : 0))
            try server.close()
        }

        @Test("headByteCountMax holds for the target alone as well")
        func target() throws {
            let server = try TestServer(limits: Self.limits { $0.headByteCountMax = 200 })
            let client = try server.connect()
            try client.send(
                "GET /\(String(repeating: "x", count: 200)) HTTP/1.1\r\nHost: here\r\n\r\n")
            #expect(try client.response()?.status == 431)
            try server.close()
        }

        @Test("fieldCountMax: 431", arguments: [10, 11, 500])
        func fields(_ count: Int) throws {
            let server = try TestServer(limits: Self.limits { $0.fieldCountMax = 10 })
            let client = try server.connect()
            let fields = (1..<count).map { "X\($0): y\r\n" }.joined()
            try client.send("GET / HTTP/1.1\r\nHost: here\r\n\(fields)\r\n")
            #expect(try client.response()?.status == (count <= 10 ? 200 : 431))
            try server.close()
        }

        @Test("bodyByteCountMax: 413 before the body comes, if its length is told")
        func body() throws {
            let server = try TestServer(limits: Self.limits { $0.bodyByteCountMax = 1000 })
            let client = try server.connect()
            try client.send("PUT / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\n")
            try client.send(String(repeating: "x", count: 1000))
            #expect(try client.response()?.body == "PUT / [1000]\n")
            for length in ["1001", "99999999999999999999999"] {
                let client = try server.connect()
                try client.send("PUT / HTTP/1.1\r\nHost: here\r\nContent-Length: \(length)\r\n\r\n")
                #expect(try client.response()?.status == 413)
                #expect(try client.ends(within: .seconds(5)))
            }
            #expect(server.requests.count == 1)
            try server.close()
        }

        @Test("bodyByteCountMax: 413 at the end of a chunked body, cut if it is twice as long")
        func chunkedBody() throws {
            let server = try TestServer(limits: Self.limits { $0.bodyByteCountMax = 1000 })
            let chunk = "64\r\n\(String(repeating: "x", count: 100))\r\n"
            for (count, status) in [(10, 200), (11, 413), (200_000, nil)] as [(Int, Int?)] {
                let client = try server.connect()
                try client.send(
                    "PUT / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n")
                try client.send(String(repeating: chunk, count: count) + "0\r\n\r\n")
                #expect(try client.response()?.status == status)
            }
            #expect(server.requests.count == 1)
            #expect(server.server?.heldByteCount == 0)
            try server.close()
        }

        @Test(
            "spareConnectionCount: the oldest strangers make room, known clients and whoever is answered stay"
        )
        func spareConnections() throws {
            let server = try TestServer(
                limits: Self.limits {
                    $0.connectionCountMax = 8
                    $0.addressConnectionCountMax = 8
                    $0.spareConnectionCount = 2
                })
            server.answer = { request in
                var response = HTTPResponse.plain(200, "here")
                response.isOfKnownClient = request.path == "/known"
                return response
            }
            let known = try server.connect()
            try known.send("GET /known HTTP/1.1\r\nHost: here\r\n\r\n")
            #expect(try known.response()?.status == 200)
            var crowd: [TestClient] = []
            for _ in 0..<40 {
                let client = try server.connect()
                try client.send("GET / HTTP/1.1\r\n")
                crowd.append(client)
            }
            #expect(try crowd[0].ends())
            let stranger = try server.connect()
            try stranger.send(Self.get)
            #expect(try stranger.response()?.status == 200)
            try known.send(Self.get)
            #expect(try known.response()?.status == 200)
            #expect(try server.serve { server.server.map { $0.connectionCount <= 8 } ?? false })
            try server.close()
        }

        @Test(
            "spareConnectionCount holds for one address: a crowd there keeps out nobody of it, and cuts no other's"
        )
        func spareConnectionsOfAddress() throws {
            let server = try TestServer(
                limits: Self.limits {
                    $0.connectionCountMax = 100
                    $0.addressConnectionCountMax = 40
                    $0.spareConnectionCount = 22
                })
            let other = try server.connect(from: "127.0.0.2")
            try other.send("GET / HTTP/1.1\r\n")
            var crowd: [TestClient] = []
            for _ in 0..<90 {
                let client = try server.connect()
                try client.send("GET / HTTP/1.1\r\n")
                crowd.append(client)
            }
            #expect(try crowd[0].ends())
            let client = try server.connect()
            try client.send(Self.get)
            #expect(try client.response()?.status == 200)
            #expect(server.server.map { $0.connectionCount <= 41 } ?? false)
            try other.send("Host: here\r\n\r\n")
            #expect(try other.response()?.status == 200)
            try server.close()
        }

        @Test("each port that is served has a limit for one address that is below the limit of all")
        func shippedLimits() {
            for limits in [HTTPLimits(), MonitorPages.limits] {
                #expect(limits.addressConnectionCountMax < limits.connectionCountMax)
            }
            #expect(MonitorPages.limits.spareConnectionCount >= 20)
        }

        @Test("connectionCountMax: further ones wait until one ends")
        func connections() throws {
            let server = try TestServer(limits: Self.limits { $0.connectionCountMax = 3 })
            var clients = try (0..<3).map { _ in try server.connect() }
            for client in clients {
                try client.send(Self.get)
                #expect(try client.response()?.status == 200)
            }
            let late = try server.connect()
            try late.send(Self.get)
            #expect(
                try !server.serve(upTo: .milliseconds(200)) {
                    late.read(); return !late.received.isEmpty
                })
            clients.removeFirst().close()
            #expect(try late.response()?.status == 200)
            try server.close()
        }

        @Test(
            "addressConnectionCountMax: further ones of that address are closed, others are served")
        func connectionsOfAddress() throws {
            let server = try TestServer(limits: Self.limits { $0.addressConnectionCountMax = 5 })
            let clients = try (0..<5).map { _ in try server.connect() }
            for client in clients {
                try client.send(Self.get)
                #expect(try client.response()?.status == 200)
            }
            let surplus = try server.connect()
            #expect(try surplus.ends(within: .seconds(5)))
            let other = try server.connect(from: "127.0.0.2")
            try other.send(Self.get)
            #expect(try other.response()?.status == 200)
            try server.close()
        }

        @Test(
            "requestMax: a request that is not complete is cut, however its bytes come",
            arguments: [
                "", "GET / HTTP/1.1\r\nX: ",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n",
            ])
        func request(_ begin: String) throws {
            let server = try TestServer(limits: Self.limits { $0.requestMax = .milliseconds(800) })
            for isSecond in [false, true] {
                let client = try server.connect()
                if isSecond {
                    try client.send(Self.get)
                    #expect(try client.response()?.status == 200)
                }
                let start = MonotonicTime.now
                try client.send(begin)
                var last = start
                #expect(
                    try server.serve(upTo: .seconds(10)) {
                        client.read()
                        if MonotonicTime.now - last > .milliseconds(20) {
                            last = MonotonicTime.now
                            _ = Glibc.send(client.number, "x", 1, CInt(MSG_NOSIGNAL))
                        }
                        return client.isEnded
                    })
                let time = MonotonicTime.now - start
                #expect(time > .milliseconds(600) && time < .seconds(5), "\(time)")
            }
            try server.close()
        }

        @Test("idleMax: a connection that passes no byte is closed, a stream is not")
        func idle() throws {
            let server = try TestServer(limits: Self.limits { $0.idleMax = .seconds(1) })
            let stream = HTTPStream()
            server.answer = {
                $0.path == "/s" ? HTTPResponse(200, body: .stream(stream)) : .plain(200, "x")
            }
            let reader = try server.connect()
            try reader.send("GET /s HTTP/1.1\r\nHost: here\r\n\r\n")
            let client = try server.connect()
            try client.send(Self.get)
            #expect(try client.response()?.status == 200)
            let start = MonotonicTime.now
            #expect(try client.ends(within: .seconds(10)))
            #expect(MonotonicTime.now - start > .milliseconds(500))
            try server.serve(upTo: .seconds(3)) { false }
            reader.read()
            #expect(!reader.isEnded && !stream.isClosed)
            try server.close()
            #expect(stream.isClosed)
        }

        @Test("responseMax: a reader that takes a byte now and then is cut")
        func response() throws {
            let server = try TestServer(limits: Self.limits { $0.responseMax = .milliseconds(800) })
            server.answer = { _ in
                HTTPResponse(200, body: .bytes([UInt8](repeating: 0, count: 30 << 20)))
            }
            let client = try server.connect(receiving: 4096)
            try client.send(Self.get)
            #expect(try server.serve(upTo: .seconds(2)) { server.server?.heldByteCount ?? 0 > 0 })
            var byte: UInt8 = 0
            #expect(
                try server.serve(upTo: .seconds(10)) {
                    _ = recv(client.number, &byte, 1, 0)
                    return server.server?.connectionCount == 0
                })
            #expect(server.server?.heldByteCount == 0)
            try server.close()
        }

        @Test("memoryByteCountMax: 503 with Retry-After while others hold it, then served again")
        func memory() throws {
            let server = try TestServer(limits: Self.limits { $0.memoryByteCountMax = 5000 })
            let holder = try server.connect()
            try holder.send("PUT / HTTP/1.1\r\nHost: here\r\nContent-Length: 4000\r\n\r\n")
            try server.serve { server.server?.heldByteCount == 4000 }
            let put = "PUT / HTTP/1.1\r\nHost: here\r\nContent-Length: 2000\r\n\r\n"
            let refused = try server.connect()
            try refused.send(put)
            let response = try #require(try refused.response())
            #expect(response.status == 503)
            #expect(response.header("retry-after") == "1")
            let chunked = try server.connect()
            try chunked.send("PUT / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n")
            try chunked.send("7d0\r\n\(String(repeating: "x", count: 2000))\r\n0\r\n\r\n")
            #expect(try chunked.response()?.status == 503)
            try holder.send(String(repeating: "x", count: 4000))
            #expect(try holder.response()?.status == 200)
            let client = try server.connect()
            try client.send(put + String(repeating: "x", count: 2000))
            #expect(try client.response()?.status == 200)
            server.answer = { _ in
                HTTPResponse(200, body: .bytes([UInt8](repeating: 0, count: 5001)))
            }
            try client.send(Self.get)
            #expect(try client.response()?.status == 503)
            #expect(try server.serve(upTo: .seconds(5)) { server.server?.heldByteCount == 0 })
            try server.close()
        }
    }
#endif
