import Glibc

/// A connection from a balancer, before it has said for whom it is.
final class ProxiedConnection {
    private let loop: EventLoop
    private var socket: Descriptor?
    private var registration: EventLoop.Registration?
    private var timer: TimerID?
    private var isOver = false
    /// The process that opened it.
    let balancer: SocketAddress
    private let completion: (ProxiedConnection, Result<SocketAddress, TransportError>) -> Void

    /// Waits for the header.
    ///
    /// - Parameter completion: given the peer, or the fault; called once, and not after `close`.
    init(
        _ socket: consuming Descriptor, from balancer: SocketAddress, on loop: EventLoop,
        timeout: Duration,
        completion: @escaping (ProxiedConnection, Result<SocketAddress, TransportError>) -> Void
    ) throws(TransportError) {
        self.loop = loop
        self.balancer = balancer
        self.completion = completion
        let number = socket.number
        self.socket = consume socket
        registration = try loop.add(number, .readable) { [weak self] _ in self?.look() }
        timer = loop.schedule(after: timeout) { [weak self] in
            guard let self else { return }
            timer = nil
            end(.failure(.handshakeTimeout(peer: balancer.description, after: timeout)))
        }
    }

    deinit { stop() }

    /// Gives up.
    func close() {
        isOver = true
        stop()
        socket = nil
    }

    /// The connection, behind the header; nil once it was taken.
    func take() -> Descriptor? { socket.take() }

    private func look() {
        guard let number = socket?.number else { return }
        var bytes = [UInt8](repeating: 0, count: ProxyHeader.byteCountMax)
        let count = recv(number, &bytes, bytes.count, CInt(MSG_PEEK))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else {
            return end(.failure(.noProxyHeader(balancer: balancer.description)))
        }
        switch ProxyHeader.read(bytes[..<count]) {
        case .incomplete:
            // What is there stays there, so the loop would come again at once.
            wait()
        case .invalid: end(.failure(.noProxyHeader(balancer: balancer.description)))
        case .header(let header):
            guard read(number, &bytes, header.byteCount) == header.byteCount else {
                return end(.failure(.noProxyHeader(balancer: balancer.description)))
            }
            end(.success(header.peer ?? balancer))
        }
    }

    private static let waitTime = Duration.milliseconds(20)

    /// Looks again a little later.
    private func wait() {
        if let registration { loop.remove(registration) }
        registration = nil
        guard let number = socket?.number else { return }
        _ = loop.schedule(after: Self.waitTime) { [weak self] in
            guard let self, !isOver, registration == nil else { return }
            registration = try? loop.add(number, .readable) { [weak self] _ in self?.look() }
            if registration == nil {
                end(.failure(.noProxyHeader(balancer: balancer.description)))
            }
        }
    }

    private func end(_ result: Result<SocketAddress, TransportError>) {
        guard !isOver else { return }
        isOver = true
        stop()
        completion(self, result)
    }

    private func stop() {
        if let timer { loop.cancel(timer) }
        timer = nil
        if let registration { loop.remove(registration) }
        registration = nil
    }
}
