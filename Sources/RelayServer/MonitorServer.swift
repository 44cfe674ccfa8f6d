import Transport

/// Answers `GET` on a port of this machine, for monitoring a relay: HTTP/1.1, one request a
/// connection.
final class MonitorServer {
    /// An answer: the number, its content type and the body.
    struct Page {
        let status: Int
        let type: String
        let body: String
    }

    /// Connections at a time; further ones are dropped.
    static let connectionCountMax = 32
    /// How long a request may take.
    static let requestMax = Duration.seconds(5)

    let address: SocketAddress
    private let loop: EventLoop
    private let page: (String) -> Page?
    private var listener: Listener?
    private var connections: [ObjectIdentifier: MonitorConnection] = [:]

    /// Listens.
    ///
    /// - Parameter page: returns the page at a path; nil if there is none.
    /// - Throws: `insecureListen` if other machines could reach it.
    init(
        on loop: EventLoop, at hostAndPort: HostAndPort, page: @escaping (String) -> Page?
    ) throws(TransportError) {
        self.loop = loop
        self.page = page
        var handle: (Link) -> Void = { $0.close() }
        var options = LinkOptions()
        options.closingGrace = .seconds(1)
        let listener = try Listener(on: loop, at: hostAndPort, options: options) { handle($0) }
        address = listener.address
        self.listener = listener
        handle = { [unowned self] in answer($0) }
    }

    func close() {
        listener?.close()
        listener = nil
        for connection in connections.values { connection.link.close() }
        connections = [:]
    }

    private func answer(_ link: Link) {
        guard connections.count < Self.connectionCountMax else { return link.close() }
        let connection = MonitorConnection(link, page: page) { [unowned self] ended in
            connections[ObjectIdentifier(ended)] = nil
        }
        connections[ObjectIdentifier(connection)] = connection
        loop.schedule(after: Self.requestMax) { [weak connection] in connection?.link.close() }
        link.start(connection)
    }
}

/// One request for a page, and its answer.
final class MonitorConnection: LinkDelegate {
    let link: Link
    private let page: (String) -> MonitorServer.Page?
    private let ended: (MonitorConnection) -> Void
    private var request = MonitorRequest()

    init(
        _ link: Link, page: @escaping (String) -> MonitorServer.Page?,
        ended: @escaping (MonitorConnection) -> Void
    ) {
        self.link = link
        self.page = page
        self.ended = ended
    }

    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        switch request.receive(bytes) {
        case .page(let path):
            answer(page(path) ?? Self.plain(404, "there are /metrics and /health"))
        case .malformed: answer(Self.plain(400, "that is no request of HTTP/1.1"))
        case .otherMethod: answer(Self.plain(405, "only GET is answered"))
        case .tooLong: answer(Self.plain(431, "the request is too long"))
        case nil: break
        }
    }

    func linkDrained(_ link: Link) {}

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        ended(self)
    }

    private static func plain(_ status: Int, _ text: String) -> MonitorServer.Page {
        MonitorServer.Page(status: status, type: "text/plain; charset=utf-8", body: text + "\n")
    }

    private func answer(_ page: MonitorServer.Page) {
        let reasons = [
            200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
            431: "Request Header Fields Too Large", 503: "Service Unavailable",
        ]
        let body = Array(page.body.utf8)
        let allow = page.status == 405 ? "Allow: GET\r\n" : ""
        let head =
            "HTTP/1.1 \(page.status) \(reasons[page.status] ?? "Error")\r\n"
            + "Content-Type: \(page.type)\r\nContent-Length: \(body.count)\r\n"
            + "Cache-Control: no-store\r\n\(allow)Connection: close\r\n\r\n"
        link.send(Array(head.utf8) + body)
        link.closeAfterSending()
    }
}
