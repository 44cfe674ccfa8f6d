import Transport

/// A program's answers to requests; called on the thread of the event loop.
package protocol HTTPService: AnyObject {
    /// The response to a request that has come whole; the server has checked its head.
    func respond(to request: HTTPRequest) -> HTTPResponse

    /// Whether a client may connect; if not, its connection is closed without an answer.
    ///
    /// - Parameter clientPort: the port of its socket; nil if that is not known.
    func admits(clientPort: UInt16?) -> Bool
}

extension HTTPService {
    /// True: every client may connect, unless a service says otherwise.
    package func admits(clientPort: UInt16?) -> Bool { true }
}

#if Web
    import CMicrohttpd
    import Glibc

    /// A server of HTTP/1.1 on one address, through libmicrohttpd inside an event loop.
    ///
    /// Belongs to the thread of the loop, which holds it until `close`.
    package final class HTTPServer {
        /// Where it listens; with the port that was given if 0 was asked for.
        package let address: SocketAddress

        private let loop: EventLoop
        private let service: any HTTPService
        private let limits: HTTPLimits
        private var daemon: OpaquePointer?
        private var registration: EventLoop.Registration?
        private var timer: TimerID?
        private var connections: [OpaquePointer: HTTPConnection] = [:]
        private var openedCount = 0
        private var memory: HTTPMemory
        /// Whether the library is at work, so that it must not be called again or stopped.
        private var isRunning = false
        private var isTurnEndAwaited = false
        private var isClosing = false

        /// Listens until `close`.
        ///
        /// - Parameter plain: whether other machines may reach it; nothing is encrypted.
        /// - Throws: `insecureListen` if they could and may not, `noWebProgram` in a build without the trait,
        ///   `unresolvedHost`, or `failedCall` of `socket`, `bind` or `listen`.
        package convenience init(
            on loop: EventLoop, at hostAndPort: HostAndPort, plain: PlainTCP = .thisMachine,
            limits: HTTPLimits = HTTPLimits(), service: any HTTPService
        ) throws(TransportError) {
            let socket = try Listener.plainSocket(at: hostAndPort.resolved(), plain: plain)
            try self.init(on: loop, socket, limits: limits, service: service)
        }

        /// Serves at a socket that listens and does not wait, and owns it from now on.
        package convenience init(
            on loop: EventLoop, listening number: CInt, limits: HTTPLimits, service: any HTTPService
        ) throws(TransportError) {
            guard let address = SocketAddress.local(of: number) else {
                throw .failedCall(.listen, errno: errno, about: "descriptor \(number)")
            }
            try self.init(on: loop, (number, address), limits: limits, service: service)
        }

        private init(
            on loop: EventLoop, _ socket: (number: CInt, address: SocketAddress),
            limits: HTTPLimits,
            service: any HTTPService
        ) throws(TransportError) {
            address = socket.address
            self.loop = loop
            self.service = service
            self.limits = limits
            memory = HTTPMemory(byteCountMax: limits.memoryByteCountMax)
            guard
                let daemon = MicrohttpdCalls.start(
                    listening: socket.number, limits: limits,
                    Unmanaged.passUnretained(self).toOpaque())
            else {
                throw .failedCall(.startHTTP, errno: ENOMEM, about: socket.address.description)
            }
            self.daemon = daemon
            registration = try loop.add(tandem_http_epoll(daemon), .readable) { _ in self.run() }
        }

        /// Stops listening and closes all connections.
        package func close() {
            isClosing = true
            if !isRunning { stop() }
        }

        /// The number of open connections.
        package var connectionCount: Int { connections.count }

        /// The bytes of bodies that are held now.
        package var heldByteCount: Int { memory.byteCount }
    }

    // MARK: - The loop

    extension HTTPServer: TurnEndObserver {
        /// Continues with what the library left for later.
        package func turnEnded() {
            isTurnEndAwaited = false
            run()
        }

        private func run() {
            guard let daemon, !isRunning else { return }
            isRunning = true
            _ = MHD_run(daemon)
            isRunning = false
            if isClosing { stop() } else { awaitNext(daemon) }
        }

        /// The library closes idle connections when it is called after their time.
        private func awaitNext(_ daemon: OpaquePointer) {
            if let timer { loop.cancel(timer) }
            timer = nil
            var milliseconds: UInt64 = 0
            guard MHD_get_timeout(daemon, &milliseconds) == .YES else { return }
            if milliseconds > 0 {
                timer = loop.schedule(after: .milliseconds(Int64(min(milliseconds, 3_600_000)))) {
                    [unowned self] in run()
                }
            } else {
                callSoon()
            }
        }

        private func stop() {
            guard let daemon else { return }
            self.daemon = nil
            if let timer { loop.cancel(timer) }
            if let registration { loop.remove(registration) }
            registration = nil
            // The library ends the process if a connection is suspended when it stops.
            for connection in connections.values { connection.resume() }
            MHD_stop_daemon(daemon)
            for connection in connections.values { connection.closed() }
            connections = [:]
        }
    }

    // MARK: - Calls from the library

    extension HTTPServer {
        /// Whether a client may connect that has its socket at a port.
        func admits(_ clientPort: UInt16?) -> Bool { service.admits(clientPort: clientPort) }

        /// A connection was accepted.
        func opened(_ pointer: OpaquePointer) {
            openedCount += 1
            let new = HTTPConnection(
                pointer, number: openedCount, of: self, on: loop, limits: limits)
            connections[pointer] = new
            guard limits.spareConnectionCount > 0 else { return }
            makeRoom(among: connections.values.filter { !$0.isCut }, of: limits.connectionCountMax)
            makeRoom(
                among: connections.values.filter { !$0.isCut && $0.network == new.network },
                of: limits.addressConnectionCountMax)
        }

        /// Cuts the oldest strangers where open connections leave too few of their places.
        private func makeRoom(among open: [HTTPConnection], of countMax: Int) {
            let excess = open.count + limits.spareConnectionCount - countMax
            guard excess > 0 else { return }
            let strangers = open.filter { !$0.isOfKnownClient && !$0.isAnswering }
            for stranger in strangers.sorted(by: { $0.number < $1.number }).prefix(excess) {
                stranger.cut()
            }
        }

        /// Holds another number of bytes in place of those held for a connection.
        ///
        /// - Returns: false if the budget has no room.
        func hold(_ old: Int, _ new: Int) -> Bool {
            memory.change(from: old, to: new)
        }

        /// Has the library called soon: it was told something between its calls.
        func callSoon() {
            guard !isTurnEndAwaited, daemon != nil else { return }
            isTurnEndAwaited = true
            loop.atTurnEnd(self)
        }

        /// A connection is about to be closed.
        func closed(_ pointer: OpaquePointer) {
            connections.removeValue(forKey: pointer)?.closed()
            // Where there were too many, the library accepts again only when it is called once more.
            callSoon()
        }

        /// A request has a target.
        func targeted(_ pointer: OpaquePointer, _ target: UnsafePointer<CChar>) {
            connections[pointer]?.target = Array(
                UnsafeRawBufferPointer(start: target, count: strlen(target)))
        }

        /// A response was sent, or the connection broke before its end.
        func completed(_ pointer: OpaquePointer) {
            connections[pointer]?.completed()
        }

        /// A request's head has come, or a part of its body, or, with no bytes, its end.
        ///
        /// - Returns: whether the connection stays open.
        func received(
            _ pointer: OpaquePointer, method: String, version: String,
            _ bytes: UnsafeRawBufferPointer
        ) -> Bool {
            guard let connection = connections[pointer] else { return false }
            guard connection.request != nil else {
                do throws(HTTPRefusal) {
                    try connection.begin(method: method, version: version)
                    return true
                } catch {
                    return connection.answer(error.response)
                }
            }
            if !bytes.isEmpty { return connection.receive(bytes) }
            switch connection.takeRequest() {
            case .success(let request): return connection.answer(service.respond(to: request))
            case .failure(let refusal): return connection.answer(refusal.response)
            }
        }
    }
#else
    /// Stands where a build without the trait `Web` has no server of HTTP.
    package final class HTTPServer {
        /// Never asked for: there is none.
        package let address: SocketAddress

        /// Refuses.
        ///
        /// - Throws: `noWebProgram`.
        package init(
            on loop: EventLoop, at hostAndPort: HostAndPort, plain: PlainTCP = .thisMachine,
            limits: HTTPLimits = HTTPLimits(), service: any HTTPService
        ) throws(TransportError) {
            throw .noWebProgram(address: hostAndPort.description)
        }

        /// Refuses.
        ///
        /// - Throws: `noWebProgram`.
        package init(
            on loop: EventLoop, listening number: CInt, limits: HTTPLimits, service: any HTTPService
        ) throws(TransportError) {
            throw .noWebProgram(address: "descriptor \(number)")
        }

        /// Does nothing: there is none.
        package func close() {}
    }
#endif
