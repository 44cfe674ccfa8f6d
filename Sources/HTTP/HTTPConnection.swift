#if Web
    import CMicrohttpd
    import Glibc
    import Transport

    /// One connection of a server: its request, its response and its deadlines.
    final class HTTPConnection {
        /// The target of the request that is coming, with its escapes.
        var target: [UInt8] = []
        /// The request whose body is coming.
        private(set) var request: HTTPRequest?

        private let pointer: OpaquePointer
        private unowned let server: HTTPServer
        private let loop: EventLoop
        private let limits: HTTPLimits
        private var heldByteCount = 0
        /// Why the request is refused once its body has come.
        private var refusal: HTTPRefusal?
        private var droppedByteCount = 0
        private var deadline: TimerID?
        private var stream: HTTPStream?
        private var isSuspended = false
        /// Watches for the end of the client: the library overlooks one that comes with other bytes, and any while it
        /// is suspended.
        private var watch: EventLoop.Registration?
        private var hasClientEnded = false
        private(set) var isAnswering = false
        /// Whether it was cut, and waits for the library to close it.
        private(set) var isCut = false
        /// Whether its client has proved who it is.
        private(set) var isOfKnownClient = false
        /// The number of the connection: a lower one was opened earlier.
        let number: Int
        /// The network of its client; nil if the kernel names none.
        let network: String?
        /// How long the request of a client that sends no more may take: its bytes have come.
        private static let endedRequestMax = Duration.seconds(1)

        init(
            _ pointer: OpaquePointer, number: Int, of server: HTTPServer, on loop: EventLoop,
            limits: HTTPLimits
        ) {
            self.pointer = pointer
            self.number = number
            self.server = server
            self.loop = loop
            self.limits = limits
            network = SocketAddress.peer(of: tandem_http_socket(pointer))?.network
            watch = try? loop.add(tandem_http_socket(pointer), .ending) { [unowned self] _ in
                clientEnded()
            }
            cut(after: limits.requestMax)
        }
    }

    // MARK: - The request

    extension HTTPConnection {
        /// Checks the head of a request; its body follows.
        func begin(method: String, version: String) throws(HTTPRefusal) {
            let (fields, byteCount) = MicrohttpdCalls.head(of: pointer)
            let head = HTTPHead(
                method: method, target: target, version: version, fields: fields,
                byteCount: byteCount)
            let (request, bodyByteCount) = try head.request(within: limits)
            guard holds(bodyByteCount ?? 0) else { throw .fullMemory }
            self.request = request
            let peer = SocketAddress.peer(of: tandem_http_socket(pointer))
            self.request?.clientPort = peer?.port
            self.request?.clientNetwork = peer?.network
            self.request?.body.reserveCapacity(min(bodyByteCount ?? 0, 1 << 20))
        }

        /// Takes a part of the body.
        ///
        /// - Returns: whether the rest is to be read: the answer to a refused request comes at its end.
        func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
            if refusal == nil {
                let byteCount = (request?.body.count ?? 0) + bytes.count
                if byteCount > limits.bodyByteCountMax {
                    refuse(.longBody)
                } else if byteCount > heldByteCount, !holds(byteCount) {
                    refuse(.fullMemory)
                } else {
                    request?.body.append(contentsOf: bytes)
                    return true
                }
            }
            droppedByteCount += bytes.count
            return droppedByteCount <= limits.bodyByteCountMax
        }

        /// The request with its whole body, once.
        func takeRequest() -> Result<HTTPRequest, HTTPRefusal> {
            let taken = request
            request?.body = []
            if let refusal { return .failure(refusal) }
            guard let taken else { return .failure(.malformedMethod) }
            return .success(taken)
        }

        private func refuse(_ reason: HTTPRefusal) {
            refusal = reason
            request?.body = []
            _ = holds(0)
        }

        private func holds(_ byteCount: Int) -> Bool {
            guard server.hold(heldByteCount, byteCount) else { return false }
            heldByteCount = byteCount
            return true
        }
    }

    // MARK: - The response

    extension HTTPConnection {
        /// Begins to send a response.
        ///
        /// - Returns: whether that can be; else the connection is to be closed.
        func answer(_ response: HTTPResponse) -> Bool {
            var response = response
            let made: OpaquePointer?
            switch response.body {
            case .bytes(let bytes):
                if !holds(bytes.count) { response = HTTPRefusal.fullMemory.response }
                made = MicrohttpdResponse.make(response) { nil }
            case .stream(let stream):
                // A stream's end is the connection's.
                response.closes = true
                made = MicrohttpdResponse.make(response) { [unowned self] in
                    HTTPStreamReader(stream, self)
                }
                if made != nil { follow(stream) }
            }
            guard let made else {
                if case .stream(let stream) = response.body { stream.close() }
                return response.status != 500 && answer(HTTPRefusal.unsendableResponse.response)
            }
            isAnswering = true
            if response.isOfKnownClient { isOfKnownClient = true }
            if stream == nil { cut(after: limits.responseMax) }
            let result = MHD_queue_response(pointer, UInt32(response.status), made)
            MHD_destroy_response(made)
            return result == .YES
        }

        /// The response was sent, or the connection breaks.
        func completed() {
            stopFollowing()
            isAnswering = false
            request = nil
            refusal = nil
            droppedByteCount = 0
            target = []
            _ = holds(0)
            cut(after: hasClientEnded ? Self.endedRequestMax : limits.requestMax)
        }

        /// The connection is closed.
        func closed() {
            completed()
            if let deadline { loop.cancel(deadline) }
            deadline = nil
            stopWatching()
        }

        private func stopWatching() {
            if let watch { loop.remove(watch) }
            watch = nil
        }

        /// The client sends no more; it may still wait for a response, but for no stream.
        private func clientEnded() {
            stopWatching()
            hasClientEnded = true
            if stream != nil {
                stopFollowing()
                cut()
            } else if !isAnswering {
                cut(after: Self.endedRequestMax)
            }
        }

        /// Has the library cut the connection after a time, unless this is called again before.
        private func cut(after time: Duration) {
            if let deadline { loop.cancel(deadline) }
            deadline = loop.schedule(after: time) { [weak self] in
                self?.deadline = nil
                self?.cut()
            }
        }

        /// Ends both directions; the library then sees the end and closes the connection.
        func cut() {
            isCut = true
            let socket = tandem_http_socket(pointer)
            if socket >= 0 { _ = shutdown(socket, CInt(SHUT_RDWR)) }
            resume()
        }
    }

    // MARK: - Streams

    extension HTTPConnection {
        private func follow(_ stream: HTTPStream) {
            self.stream = stream
            if let deadline { loop.cancel(deadline) }
            deadline = nil
            _ = tandem_http_set_timeout(pointer, 0)
            stream.wake = { [weak self] in self?.streamChanged() }
            if hasClientEnded { clientEnded() }
        }

        private func stopFollowing() {
            guard let stream else { return }
            self.stream = nil
            stream.wake = nil
            stream.close()
        }

        private func streamChanged() {
            guard let stream else { return }
            if stream.isOverrun || !holds(stream.waiting.count) {
                stopFollowing()
                return cut()
            }
            if stream.isClosed, deadline == nil { cut(after: limits.responseMax) }
            resume()
        }

        /// Returns a stream's next bytes to the library; with none it waits for `streamChanged`.
        ///
        /// - Returns: nil after the stream's end.
        func read(_ stream: HTTPStream, _ countMax: Int) -> [UInt8]? {
            let bytes = stream.take(countMax)
            _ = holds(stream.waiting.count)
            if bytes.isEmpty {
                if stream.isClosed { return nil }
                isSuspended = true
                MHD_suspend_connection(pointer)
            }
            return bytes
        }

        /// Has the library serve the connection again.
        func resume() {
            guard isSuspended else { return }
            isSuspended = false
            MHD_resume_connection(pointer)
            server.callSoon()
        }
    }

    /// The library's view of a stream.
    final class HTTPStreamReader {
        private let stream: HTTPStream
        private weak var connection: HTTPConnection?

        init(_ stream: HTTPStream, _ connection: HTTPConnection) {
            self.stream = stream
            self.connection = connection
        }

        /// Fills the buffer from its start.
        ///
        /// - Returns: the number of bytes; nil at the end.
        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            guard let bytes = connection?.read(stream, buffer.count) else { return nil }
            buffer.copyBytes(from: bytes)
            return bytes.count
        }
    }
#endif
