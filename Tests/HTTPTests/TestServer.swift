import Glibc
import HTTP
import Testing
import Transport

#if Web
    /// A server on the test's own thread, and what it was asked for.
    final class TestServer: HTTPService {
        let loop: EventLoop
        private(set) var server: HTTPServer?
        private(set) var requests: [HTTPRequest] = []
        /// The answer; without one the request comes back as text.
        var answer: ((HTTPRequest) -> HTTPResponse)?

        init(limits: HTTPLimits = HTTPLimits()) throws {
            loop = try EventLoop()
            server = try HTTPServer(
                on: loop, at: HostAndPort(host: "127.0.0.1", port: 0), limits: limits, service: self
            )
        }

        func respond(to request: HTTPRequest) -> HTTPResponse {
            requests.append(request)
            return answer?(request) ?? .plain(200, Self.words(of: request))
        }

        /// Whether clients may connect.
        var admitsClients = true

        func admits(clientPort: UInt16?) -> Bool { admitsClients && clientPort != nil }

        /// Method, path, the query's fields and the body, in one line.
        static func words(of request: HTTPRequest) -> String {
            let query = request.query.map { "\($0.name)=\($0.value)" }
            let body =
                request.body.count > 100
                ? "\(request.body.count)" : String(decoding: request.body, as: UTF8.self)
            return ([request.method, request.path] + query + ["[\(body)]"]).joined(separator: " ")
        }

        /// A connection from a loopback address.
        func connect(
            from address: String = "127.0.0.1", receiving byteCount: CInt? = nil
        ) throws -> TestClient {
            let port = try #require(server?.address.port)
            return try TestClient(on: self, port: port, from: address, receiving: byteCount)
        }

        /// Serves until something holds, or until the time is over.
        ///
        /// - Returns: whether it holds.
        @discardableResult
        func serve(
            upTo limit: Duration = .seconds(10), until holds: @escaping () -> Bool
        ) throws -> Bool {
            let end = MonotonicTime.now + limit
            while !holds() {
                guard MonotonicTime.now < end else { return false }
                loop.schedule(after: .milliseconds(1)) { [loop] in loop.stop() }
                try loop.run()
            }
            return true
        }

        /// Closes the server.
        func close() throws {
            server?.close()
            server = nil
        }
    }

    /// A raw socket to a server.
    final class TestClient {
        /// A response, as far as tests look at it.
        struct Response: Equatable {
            var status: Int
            var head: [String]
            var body: String

            /// The value of a field; nil if it is missing.
            func header(_ name: String) -> String? {
                head.first { $0.lowercased().hasPrefix(name + ": ") }.map {
                    String($0.dropFirst(name.count + 2))
                }
            }
        }

        private unowned let server: TestServer
        private(set) var number: CInt
        /// The bytes that came and were not looked at.
        private(set) var received: [UInt8] = []
        /// Whether the server has closed the connection.
        private(set) var isEnded = false

        init(
            on server: TestServer, port: UInt16, from source: String, receiving byteCount: CInt?
        ) throws {
            self.server = server
            number = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            if var byteCount { setsockopt(number, SOL_SOCKET, SO_RCVBUF, &byteCount, 4) }
            let own = Self.call(bind, number, source, 0)
            let result = Self.call(Glibc.connect, number, "127.0.0.1", port)
            try #require(own == 0 && result == 0)
            _ = fcntl(number, F_SETFL, O_NONBLOCK)
        }

        deinit { close() }

        private static func call(
            _ function: (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt, _ number: CInt,
            _ host: String,
            _ port: UInt16
        ) -> CInt {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &name.sin_addr)
            return withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    function(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }

        func close() {
            if number >= 0 { _ = Glibc.close(number) }
            number = -1
        }

        /// Sends all bytes, or as many as the server takes before it ends.
        func send(_ bytes: [UInt8]) throws {
            var rest = bytes[...]
            try server.serve { [self] in
                let count = rest.withUnsafeBytes {
                    Glibc.send(number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                if count > 0 { rest = rest.dropFirst(count) }
                return rest.isEmpty || count < 0 && errno != EAGAIN
            }
        }

        func send(_ text: String) throws { try send(Array(text.utf8)) }

        /// Takes what has come.
        func read() {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while !isEnded {
                let count = recv(number, &buffer, buffer.count, 0)
                guard count > 0 else {
                    isEnded = count == 0 || errno != EAGAIN
                    return
                }
                received += buffer[..<count]
            }
        }

        /// Whether the server closes the connection within a time.
        func ends(within limit: Duration = .seconds(10)) throws -> Bool {
            try server.serve(upTo: limit) { [self] in
                read()
                return isEnded
            }
        }

        /// The next response with its body; nil if there is none.
        func response(withoutBody: Bool = false) throws -> Response? {
            var found: Response?
            try server.serve { [self] in
                read()
                found = takeResponse(withoutBody)
                return found != nil || isEnded
            }
            return found
        }

        private func takeResponse(_ isWithoutBody: Bool) -> Response? {
            let text = String(decoding: received, as: UTF8.self)
            guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
            let lines = text[..<end.lowerBound].split(separator: "\r\n").map { String($0) }
            let status = Int(lines[0].split(separator: " ")[1]) ?? 0
            var response = Response(status: status, head: Array(lines.dropFirst()), body: "")
            let length =
                isWithoutBody || status < 200
                ? 0 : Int(response.header("content-length") ?? "0") ?? 0
            let headByteCount = text[..<end.upperBound].utf8.count
            guard received.count >= headByteCount + length else { return nil }
            response.body = String(
                decoding: received[headByteCount...].prefix(length), as: UTF8.self)
            received.removeFirst(headByteCount + length)
            return response
        }
    }
#endif
