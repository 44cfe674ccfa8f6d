import CLinux
import Crypto
import Glibc

/// One attempt to reach a host, over all its addresses in turn, and to verify its identity.
package final class Dialer {
    /// Called once, from the loop; the link is dropped unless it is started.
    package typealias Completion = (Result<Link, TransportError>) -> Void

    private let loop: EventLoop
    private let hostAndPort: HostAndPort
    private let options: LinkOptions
    private let security: SecureContext?
    private let prefersPlainLoopback: Bool
    private let allowInsecure: Bool
    private let timeout: Duration
    private let deadline: MonotonicTime
    private var completion: Completion?

    private var waiting: [SocketAddress] = []
    private var current: SocketAddress?
    private var descriptor: CInt?
    private var registration: EventLoop.Registration?
    private var attemptTimer: TimerID?
    /// The link of which the handshake goes on.
    private var securing: Link?
    /// Why the last address failed.
    private var failure: TransportError?

    /// Begins to dial; the loop holds the dialer until it has called `completion`.
    ///
    /// Names that need the network are looked up on a thread of their own, so the loop goes on.
    /// - Parameters:
    ///   - timeout: for the whole attempt, looking up the name included.
    ///   - security: whom it must be. Nil dials in plain.
    ///   - prefersPlainLoopback: whether this very machine is dialled in plain all the same.
    ///   - allowInsecure: whether it may be another machine in plain. True only if the user said
    ///     so.
    @discardableResult
    package init(
        on loop: EventLoop, to hostAndPort: HostAndPort, timeout: Duration = .seconds(10),
        security: SecureContext? = nil, prefersPlainLoopback: Bool = false,
        allowInsecure: Bool = false,
        options: LinkOptions = LinkOptions(),
        completion: @escaping Completion
    ) {
        self.loop = loop
        self.hostAndPort = hostAndPort
        self.options = options
        self.security = security
        self.prefersPlainLoopback = prefersPlainLoopback
        self.allowInsecure = allowInsecure || security != nil
        self.timeout = timeout
        self.completion = completion
        deadline = MonotonicTime.now + timeout
        startTimer(until: deadline)
        hostAndPort.lookUp(on: loop) { self.resolved($0) }
    }

    /// Gives up; the completion is not called.
    package func cancel() {
        completion = nil
        release()
    }

    deinit {
        if let descriptor { _ = close(descriptor) }
    }
}

// MARK: - Names

extension HostAndPort {
    /// Looks up all addresses of the host without holding up the loop, on a thread of its own if the network is asked.
    ///
    /// - Parameter completion: called once, from the loop, and never before this returns.
    package func lookUp(
        on loop: EventLoop,
        _ completion: @escaping (Result<[SocketAddress], TransportError>) -> Void
    ) {
        if let addresses = resolvedWithoutNetwork() {
            loop.schedule(after: .zero) { completion(.success(addresses)) }
            return
        }
        let mailbox = loop.mailbox
        let completion = LoopBound(completion, on: loop)
        let errorNumber = DetachedThread.start { [self] in
            let result = Result { () throws(TransportError) in try resolved() }
            mailbox.post { loop in completion.value(on: loop)(result) }
        }
        if let code = errorNumber {
            loop.schedule(after: .zero) {
                completion.value(on: loop)(
                    .failure(.failedCall(.createThread, errno: code, about: self.description)))
            }
        }
    }
}

extension Dialer {
    private func resolved(_ result: Result<[SocketAddress], TransportError>) {
        guard completion != nil else { return }
        switch result {
        case .failure(let error):
            finish(.failure(error))
        case .success(let addresses):
            if !allowInsecure, let other = addresses.first(where: { !$0.isLoopback }) {
                finish(.failure(.insecureDial(address: other.description)))
                return
            }
            waiting = addresses.reversed()
            tryNext()
        }
    }
}

// MARK: - Attempts

extension Dialer {
    private func tryNext() {
        release()
        guard let address = waiting.popLast() else {
            finish(.failure(failure ?? noAnswer()))
            return
        }
        current = address
        let name = address.description
        let type = CInt(
            SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let number = socket(address.family, type, 0)
        guard number >= 0 else {
            return failed(.failedCall(.socket, errno: errno, about: name))
        }
        descriptor = number
        let code = address.withKernelForm { connect(number, $0, $1) } == 0 ? 0 : errno
        guard code == 0 || code == EINPROGRESS || code == EINTR else {
            return failed(.failedCall(.connect, errno: code, about: name))
        }
        // An equal share of the remaining time, so that one silent address does not use all of it.
        let share = (deadline - MonotonicTime.now) / (waiting.count + 1)
        startTimer(until: MonotonicTime.now + share)
        do {
            registration = try loop.add(number, .writable) { _ in self.attemptEnded() }
        } catch {
            failed(error)
        }
    }

    private func attemptEnded() {
        guard let number = descriptor, let current else { return }
        var code = TCPOptions.error(of: number)
        // With nobody listening, a dialled port can be the one the system gave this very socket.
        if code == 0, SocketAddress.local(of: number) == SocketAddress.peer(of: number) {
            code = ECONNREFUSED
        }
        guard code == 0 else {
            return failed(.failedCall(.connect, errno: code, about: current.description))
        }
        if let registration { loop.remove(registration) }
        registration = nil
        descriptor = nil
        do {
            let socket = Descriptor(owning: number)
            let link = try Link(socket: socket, on: loop, options: options)
            let isPlain = prefersPlainLoopback && current.isLoopback
            if let security, !isPlain { secure(link, security) } else { finish(.success(link)) }
        } catch {
            failed(error)
        }
    }

    /// Once a peer has answered, no other address is tried: the rest is a matter of trust.
    private func secure(_ link: Link, _ security: SecureContext) {
        if let attemptTimer { loop.cancel(attemptTimer) }
        attemptTimer = nil
        securing = link
        let timeout = min(options.handshakeMax, deadline - MonotonicTime.now)
        link.secure(with: security, as: .client, timeout: timeout) { result in
            self.securing = nil
            switch result {
            case .success: self.finish(.success(link))
            case .failure(let error): self.finish(.failure(error))
            }
        }
    }

    private func failed(_ error: TransportError) {
        failure = error
        tryNext()
    }

    private func noAnswer() -> TransportError {
        .noAnswer(address: current?.description ?? hostAndPort.description, after: timeout)
    }

    private func startTimer(until time: MonotonicTime) {
        if let attemptTimer { loop.cancel(attemptTimer) }
        attemptTimer = loop.schedule(at: time) {
            self.attemptTimer = nil
            self.failed(self.noAnswer())
        }
    }

    private func release() {
        if let attemptTimer { loop.cancel(attemptTimer) }
        attemptTimer = nil
        if let registration { loop.remove(registration) }
        registration = nil
        if let descriptor { _ = close(descriptor) }
        descriptor = nil
        securing?.close()
        securing = nil
    }

    private func finish(_ result: Result<Link, TransportError>) {
        release()
        guard let completion else { return }
        self.completion = nil
        completion(result)
    }
}
