import Transport

/// Answers `GET` on a port of this machine, for those who watch a relay: HTTP/1.1, one request a connection.
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
    /// - Parameter page: what is at a path; nil if nothing.
    /// - Throws: `insecureListen` if other machines could reach it.
    init(
        on loop: EventLoop, at place: HostAndPort, page: @escaping (String) -> Page?
    ) throws(TransportError) {
        self.loop = loop
        self.page = page
        var handle: (Link) -> Void = { $0.close() }
        var options = LinkOptions()
        options.closingGrace = .seconds(1)
        let listener = try Listener(on: loop, at: place, options: options) { handle($0) }
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
