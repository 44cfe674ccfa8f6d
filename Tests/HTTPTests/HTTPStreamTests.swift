import Glibc
import HTTP
import Testing
import Transport

#if Web
    /// Streams: responses whose bodies grow.
    @Suite("HTTP streams", .timeLimit(.minutes(30)))
    struct HTTPStreamTests {
        private static let get = "GET / HTTP/1.1\r\nHost: here\r\n\r\n"

        private static func served(
            receiving byteCount: CInt? = nil
        ) throws -> (TestServer, HTTPStream, TestClient) {
            let server = try TestServer()
            let stream = HTTPStream()
            server.answer = { _ in
                HTTPResponse(
                    200, headers: [HTTPHeader("content-type", "text/event-stream")],
                    body: .stream(stream))
            }
            let client = try server.connect(receiving: byteCount)
            try client.send(get)
            try server.serve {
                client.read(); return !client.received.isEmpty
            }
            return (server, stream, client)
        }

        @Test("the head comes before the first byte, and each byte soon after it was sent")
        func wakes() throws {
            let (server, stream, client) = try Self.served()
            let head = String(decoding: client.received, as: UTF8.self)
            #expect(head.hasPrefix("HTTP/1.1 200") && head.hasSuffix("\r\n\r\n"))
            try server.serve(upTo: .milliseconds(50)) { false }
            for index in 0..<20 {
                let word = Array("data: \(index)\n\n".utf8)
                let start = MonotonicTime.now
                server.loop.schedule(after: .zero) { stream.send(word) }
                try server.serve {
                    client.read()
                    return String(decoding: client.received, as: UTF8.self).contains(
                        "data: \(index)\n\n")
                }
                #expect(MonotonicTime.now - start < .milliseconds(100))
            }
            stream.close()
            #expect(try client.ends())
            #expect(String(decoding: client.received, as: UTF8.self).hasSuffix("0\r\n\r\n"))
            try server.close()
        }

        @Test("the end of a client is noticed at once, without a byte to send")
        func notices() throws {
            for isHalf in [true, false] {
                let (server, stream, client) = try Self.served()
                var endCount = 0
                stream.ended = { endCount += 1 }
                try server.serve(upTo: .milliseconds(50)) { false }
                if isHalf { _ = shutdown(client.number, CInt(SHUT_WR)) } else { client.close() }
                #expect(try server.serve(upTo: .seconds(2)) { endCount == 1 })
                #expect(stream.isClosed && !stream.send([1]))
                #expect(try server.serve(upTo: .seconds(2)) { server.server?.connectionCount == 0 })
                try server.close()
                #expect(endCount == 1)
            }
        }

        @Test("a reader behind by waitingByteCountMax is cut")
        func cutsSlowReader() throws {
            let (server, stream, client) = try Self.served(receiving: 4096)
            var hasEnded = false
            stream.ended = { hasEnded = true }
            let piece = [UInt8](repeating: 0x61, count: 100_000)
            #expect(
                try server.serve(upTo: .seconds(20)) {
                    stream.send(piece)
                    return hasEnded
                })
            #expect(stream.isOverrun)
            #expect(try client.ends(within: .seconds(5)))
            #expect(try server.serve(upTo: .seconds(2)) { server.server?.heldByteCount == 0 })
            try server.close()
        }

        @Test("streams that are open when the server is closed end")
        func closes() throws {
            let (server, stream, client) = try Self.served()
            var hasEnded = false
            stream.ended = { hasEnded = true }
            try server.close()
            #expect(hasEnded)
            #expect(try client.ends())
        }

        @Test("HEAD of a stream has no body, and ends the stream")
        func head() throws {
            let (server, stream, reader) = try Self.served()
            let other = HTTPStream()
            server.answer = { _ in HTTPResponse(200, body: .stream(other)) }
            let client = try server.connect()
            try client.send("HEAD / HTTP/1.1\r\nHost: here\r\n\r\n")
            #expect(try client.response(withoutBody: true)?.status == 200)
            #expect(try server.serve(upTo: .seconds(2)) { other.isClosed })
            #expect(!stream.isClosed && !reader.isEnded)
            try server.close()
        }
    }
#endif
