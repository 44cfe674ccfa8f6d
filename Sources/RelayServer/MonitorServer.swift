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
    /// The longest request with its headers, in bytes.
    static let requestByteCountMax = 8192

    let link: Link
    private let page: (String) -> MonitorServer.Page?
    private let ended: (MonitorConnection) -> Void
    private var request: [UInt8] = []
    private var isAnswered = false

    init(
        _ link: Link, page: @escaping (String) -> MonitorServer.Page?,
        ended: @escaping (MonitorConnection) -> Void
    ) {
        self.link = link
        self.page = page
        self.ended = ended
    }

    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        if isAnswered { return }
        // Bytes after the headers are ignored.
        request += bytes.prefix(Self.requestByteCountMax + 1 - request.count)
        if let line = Self.requestLine(request) {
            answer(answer(to: line))
        } else if request.count > Self.requestByteCountMax {
            answer(Self.plain(431, "the request is too long"))
        }
    }

    func linkDrained(_ link: Link) {}

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        ended(self)
    }

    /// The first line, once an empty one has ended the headers.
    private static func requestLine(_ bytes: [UInt8]) -> [UInt8]? {
        var index = 0
        var isComplete = false
        while let end = bytes[index...].firstIndex(of: 0x0a) {
            let line = bytes[index..<end]
            if line.isEmpty || line.elementsEqual([0x0d]) {
                isComplete = index > 0
                break
            }
            index = end + 1
        }
        guard isComplete, let end = bytes.firstIndex(of: 0x0a) else { return nil }
        return Array(bytes[..<end].filter { $0 != 0x0d })
    }

    private func answer(to line: [UInt8]) -> MonitorServer.Page {
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, words[2].starts(with: Array("HTTP/1.".utf8)),
            words[1].first == UInt8(ascii: "/")
        else { return Self.plain(400, "that is no request of HTTP/1.1") }
        guard words[0].elementsEqual(Array("GET".utf8)) else {
            return Self.plain(405, "only GET is answered")
        }
        let path = words[1].prefix { $0 != UInt8(ascii: "?") }
        return page(String(decoding: path, as: UTF8.self))
            ?? Self.plain(404, "there are /metrics and /health")
    }

    private static func plain(_ status: Int, _ text: String) -> MonitorServer.Page {
        MonitorServer.Page(status: status, type: "text/plain; charset=utf-8", body: text + "\n")
    }

    private func answer(_ page: MonitorServer.Page) {
        isAnswered = true
        request = []
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
