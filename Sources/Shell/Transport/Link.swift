import CLinux
import Glibc
import Security

/// A two-way stream of bytes over a socket or over a pair of descriptors.
///
/// Reads go to the delegate as they come; what is sent within one turn of the loop leaves in one
/// `writev`. A layer that changes the bytes on their way can take the delegate's place and pass
/// on what it makes of them. The loop holds an open link; the link holds its delegate weakly and
/// closes when nobody else holds it.
package final class Link {
    /// Why a link is over.
    package enum Ending: Equatable, Sendable {
        /// This end closed it.
        case closedHere
        /// The peer ended its stream, and all that waited for it has been sent.
        case endOfStream
        /// It broke.
        case failed(TransportError)
    }

    private enum Phase {
        /// Made, not started.
        case idle
        /// `secure`: both ends prove who they are.
        case securing
        case open
        /// `closeAfterSending`: what still arrives is dropped.
        case finishing
        case closed(Ending)
        /// The delegate has been told.
        case over
    }

    private enum Sending {
        case open
        /// The stream ends after what waits.
        case ending
        case ended
        /// The peer takes nothing any more; what it has sent before is still read.
        case broken(TransportError)
    }

    /// The loop whose thread the link lives on.
    package let loop: EventLoop
    /// The peer's address, or what the streams are, for messages to people.
    package let name: String
    /// How many bytes were sent and received so far.
    package private(set) var byteCount = 0
    /// The peer's address if this is a TCP connection.
    package let peerAddress: SocketAddress?

    private let options: LinkOptions
    private weak var delegate: (any LinkDelegate)?
    private var input: WatchedDescriptor?
    /// Nil if `input` is a socket that serves both ways.
    private var output: WatchedDescriptor?
    private let isPair: Bool

    private var phase = Phase.idle
    private var sending = Sending.open
    private var queue = SendQueue()
    /// TLS between this link and its peer; nil in plain.
    private var layer: SecureLayer?
    private var isReadingPaused = false
    private var hasInputEnded = false
    /// Nothing was received yet.
    private var isFirst = true
    /// The system took no more; waiting until it does.
    private var isBlocked = false
    private var isTurnEndPlanned = false
    private var graceTimer: TimerID?
    private var graceEnd = MonotonicTime(nanoseconds: 0)

    /// A link over one socket, which it owns from now on.
    ///
    /// - Throws: `failedCall` of `fcntl`.
    package init(
        socket: consuming Descriptor, on loop: EventLoop, options: LinkOptions = LinkOptions()
    ) throws(TransportError) {
        peerAddress = SocketAddress.peer(of: socket.number)
        name = peerAddress?.description ?? "a local socket"
        if peerAddress != nil { TCPOptions.apply(options, to: socket.number) }
        input = try WatchedDescriptor(socket, on: loop, restoresFlags: false, about: name)
        isPair = false
        self.loop = loop
        self.options = options
    }

    /// A link that reads from one descriptor and writes to another, both owned from now on.
    ///
    /// - Parameter restoresFlags: for streams this process did not open itself, such as its
    ///   standard ones: on closing they get back the flags that they had.
    /// - Throws: `failedCall` of `fcntl`.
    package init(
        input: consuming Descriptor, output: consuming Descriptor, name: String,
        on loop: EventLoop, restoresFlags: Bool = false, options: LinkOptions = LinkOptions()
    ) throws(TransportError) {
        // Two descriptors of one open file share its flags: the output's "original" flags would
        // hold what the input has set. So the input's are restored last.
        self.input = try WatchedDescriptor(
            input, on: loop, restoresFlags: restoresFlags, about: name)
        self.output = try WatchedDescriptor(
            output, on: loop, restoresFlags: restoresFlags, about: name)
        isPair = true
        peerAddress = nil
        self.name = name
        self.loop = loop
        self.options = options
    }
}

// MARK: - Doors

extension Link {
    /// How many bytes wait to be handed to the system.
    package var pendingByteCount: Int { queue.byteCount + (layer?.waiting.byteCount ?? 0) }

    /// Who the peer has proved to be; nil in plain.
    package var peerFingerprint: Fingerprint? { layer?.channel.peer }

    /// Whether TLS protects what it carries, so that no checksum is needed.
    package var isSecured: Bool { layer != nil }

    /// Bytes that only the two ends of this connection can derive; nil in plain.
    ///
    /// The same on both ends for the same label and context (RFC 8446 §7.5).
    package func exportKeyingMaterial(
        label: String, context: [UInt8], length: Int
    ) -> [UInt8]? {
        layer?.channel.exportKeyingMaterial(label: label, context: context, length: length)
    }

    /// Whether `send` still reaches the peer, as far as is known.
    package var isSendable: Bool {
        guard case .open = phase, case .open = sending else { return false }
        return true
    }

    /// Begins to read, and to tell the delegate.
    ///
    /// A failure to begin is told like any other, by `linkClosed`.
    package func start(_ delegate: any LinkDelegate) {
        guard case .idle = phase else { preconditionFailure("a link is started once") }
        loop.checkThread()
        self.delegate = delegate
        phase = .open
        updateInterest()
    }

    /// Queues bytes; they leave at the end of the loop's turn.
    ///
    /// Dropped if the link cannot send any more: the delegate is told why it ends. More waiting
    /// bytes than the options allow end the link with `sendQueueFull`; watch `pendingByteCount`
    /// and go on at `linkDrained`.
    package func send(_ bytes: [UInt8]) {
        loop.checkThread()
        guard isSendable else { return }
        let count = pendingByteCount + bytes.count
        guard pendingByteCount == 0 || count <= options.sendQueueByteCountMax else {
            return end(
                .failed(
                    .sendQueueFull(
                        byteCount: count, byteCountMax: options.sendQueueByteCountMax)))
        }
        byteCount += bytes.count
        if let layer { layer.waiting.append(bytes) } else { queue.append(bytes) }
        if !isBlocked { planTurnEnd() }
    }

    /// Takes no more bytes from the peer, which is slowed down once the system's buffers are full.
    package func pauseReading() {
        isReadingPaused = true
        guard isActive else { return }
        if case .broken(let error) = sending { return end(.failed(error)) }
        updateInterest()
    }

    /// Takes bytes again, from the loop's next turn on.
    package func resumeReading() {
        isReadingPaused = false
        if isActive { updateInterest() }
    }

    /// Ends this end's stream after what waits; what the peer still says is received.
    package func endSending() {
        guard isSendable else { return }
        sending = .ending
        planTurnEnd()
    }

    /// Sends what waits, ends the stream, and closes once the peer has ended its own or the
    /// closing grace has passed; bytes that arrive meanwhile are dropped.
    ///
    /// A plain `close` would discard both, and may make the peer lose bytes already sent to it.
    package func closeAfterSending() {
        guard case .open = phase else { return }
        if case .broken(let error) = sending { return end(.failed(error)) }
        if case .open = sending { sending = .ending }
        phase = .finishing
        isReadingPaused = false
        updateInterest()
        startGrace()
        if !isBlocked { planTurnEnd() }
    }

    /// Closes at once; what waits is dropped.
    package func close() {
        layer?.completion = nil
        guard !isActive else { return end(.closedHere) }
        if case .idle = phase {
            phase = .over
            releaseDescriptors()
        }
    }
}

// MARK: - Reading

extension Link {
    private var isActive: Bool {
        switch phase {
        case .securing, .open, .finishing: true
        case .idle, .closed, .over: false
        }
    }

    private var isFinishing: Bool {
        if case .finishing = phase { true } else { false }
    }

    private var isReading: Bool { isActive && !isReadingPaused && !hasInputEnded }

    private func updateInterest() {
        guard isActive else { return }
        let reading: Readiness = isReading ? .readable : []
        let writing: Readiness = isBlocked ? .writable : []
        do {
            if isPair {
                try input?.await(reading, handler: { self.inputReady($0) })
                try output?.await(writing, handler: { _ in self.flush() })
            } else {
                try input?.await(reading.union(writing), handler: { self.socketReady($0) })
            }
        } catch {
            end(.failed(error))
        }
    }

    private func socketReady(_ readiness: Readiness) {
        if isBlocked { flush() }
        if isActive { inputReady(readiness) }
    }

    private func inputReady(_ readiness: Readiness) {
        if isReading {
            if readiness != .writable { receive() }
        } else if readiness.contains(.failed), let number = input?.number {
            // Whoever paused waits for something else; this link brings nothing any more.
            end(.failed(.failedCall(.read, errno: TCPOptions.error(of: number), about: name)))
        }
    }

    private func receive() {
        guard let number = input?.number else { return }
        let buffer = loop.readBuffer
        // A few rounds, so that one busy peer does not hold up the others.
        for _ in 0..<4 where isReading {
            let count = read(number, buffer.baseAddress, buffer.count)
            if count > 0 {
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                if layer == nil { received(bytes) } else { receivedSealed(bytes) }
                if count < buffer.count { return }
            } else if count == 0 {
                return inputEnded()
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                return end(.failed(.failedCall(.read, errno: errno, about: name)))
            }
        }
    }

    private func received(_ bytes: UnsafeRawBufferPointer) {
        if isFinishing { return }
        guard let delegate else { return close() }
        if isFirst, layer == nil, options.noticesTLS, SecureLayer.isTLS(bytes) {
            return end(.failed(.security(.peerWantsTLS, peer: name)))
        }
        isFirst = false
        byteCount += bytes.count
        delegate.linkReceived(self, bytes)
    }

    private func inputEnded() {
        hasInputEnded = true
        if case .broken(let error) = sending { return end(.failed(error)) }
        if let layer, !isFinishing {
            do {
                try layer.channel.inputEnded()
            } catch {
                return end(.failed(.security(error, peer: name)))
            }
        }
        if pendingByteCount == 0 { return end(isFinishing ? .closedHere : .endOfStream) }
        updateInterest()
        startGrace()
    }
}

// MARK: - Writing

extension Link {
    private func flush() {
        guard let number = isPair ? output?.number : input?.number else { return drained() }
        for _ in 0..<8 {
            seal()
            if queue.byteCount == 0 { break }
            let count = queue.withVectors { writev(number, $0.baseAddress, CInt($0.count)) }
            if count >= 0 {
                queue.removeFirst(count)
                if graceTimer != nil { graceEnd = MonotonicTime.now + options.closingGrace }
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                return writeFailed(.failedCall(.write, errno: errno, about: name))
            }
        }
        let isNowBlocked = pendingByteCount > 0
        if isNowBlocked != isBlocked {
            isBlocked = isNowBlocked
            updateInterest()
        }
        if !isBlocked, isActive { drained() }
    }

    private func drained() {
        if case .ending = sending { endOutput() }
        if hasInputEnded { return end(isFinishing ? .closedHere : .endOfStream) }
        if case .open = phase { delegate?.linkDrained(self) }
    }

    private func endOutput() {
        sending = .ended
        if isPair {
            // Closing is not enough if it is one of two names of one socket; a pipe refuses.
            if let number = output?.number { _ = shutdown(number, CInt(SHUT_WR)) }
            output = nil
        } else if let number = input?.number {
            _ = shutdown(number, CInt(SHUT_WR))
        }
        if isFinishing { startGrace() }
    }

    private func writeFailed(_ error: TransportError) {
        sending = .broken(error)
        queue.removeAll()
        layer?.waiting.removeAll()
        isBlocked = false
        // The peer may have said why before it went: read on to its end, if anybody reads.
        guard isReading, !isFinishing else { return end(.failed(error)) }
        updateInterest()
        startGrace()
    }
}

// MARK: - Secure links

extension Link {
    /// Puts TLS between this link and its peer, before `start`; both ends prove who they are.
    ///
    /// - Parameters:
    ///   - acceptsPlain: whether a client that does not begin with TLS is served in plain.
    ///   - timeout: how long the peer may take.
    ///   - completion: called once, from the loop; the link is closed unless it is started there.
    package func secure(
        with context: SecureContext, as role: SecureRole, acceptsPlain: Bool = false,
        timeout: Duration, completion: @escaping (Result<Void, TransportError>) -> Void
    ) {
        guard case .idle = phase else { preconditionFailure("a link is secured before its start") }
        loop.checkThread()
        do {
            let channel = try SecureChannel(context, as: role)
            layer = SecureLayer(channel, acceptsPlain: acceptsPlain, completion)
            queue.append(channel.takeOutput())
        } catch {
            loop.schedule(after: .zero) { completion(.failure(.security(error, peer: self.name))) }
            return close()
        }
        phase = .securing
        layer?.timer = loop.schedule(after: timeout) { [weak self] in
            guard let self else { return }
            end(.failed(.handshakeTimeout(peer: name, after: timeout)))
        }
        updateInterest()
        if queue.byteCount > 0 { planTurnEnd() }
    }

    private func receivedSealed(_ bytes: UnsafeRawBufferPointer) {
        guard let layer, !isFinishing else { return }
        var rest = bytes
        if case .securing = phase {
            if isFirst, layer.acceptsPlain, SecureLayer.isPlain(bytes) {
                self.layer = nil
                if secured(layer) { received(bytes) }
                return
            }
            isFirst = false
            do {
                rest = .init(rebasing: bytes[try layer.channel.handshake(bytes)...])
            } catch {
                return refuse(error)
            }
            queueSealed(layer.channel.takeOutput())
            guard layer.channel.isEstablished, secured(layer) else { return }
        }
        open(rest, layer)
    }

    /// The handshake is over: whether the owner has started the link.
    private func secured(_ layer: SecureLayer) -> Bool {
        if let timer = layer.timer { loop.cancel(timer) }
        layer.timer = nil
        phase = .idle
        layer.complete(.success(()))
        if case .idle = phase { close() }
        return isActive
    }

    private func open(_ bytes: UnsafeRawBufferPointer, _ layer: SecureLayer) {
        if bytes.isEmpty { return }
        do {
            try layer.channel.open(bytes, room: loop.openedBuffer) { part in
                received(part)
                return isActive && !isFinishing
            }
        } catch {
            return refuse(error)
        }
        guard isActive, !isFinishing else { return }
        queueSealed(layer.channel.takeOutput())
        if layer.channel.hasPeerEnded, isActive { inputEnded() }
    }

    /// Takes what TLS itself has to say: bounded, since nobody else counts it.
    private func queueSealed(_ bytes: [UInt8]) {
        if bytes.isEmpty { return }
        queue.append(bytes)
        let count = queue.byteCount
        guard count <= options.sendQueueByteCountMax + SecureLayer.sealedByteCountMax else {
            return end(
                .failed(
                    .sendQueueFull(
                        byteCount: count, byteCountMax: options.sendQueueByteCountMax)))
        }
        if !isBlocked { planTurnEnd() }
    }

    /// Moves waiting bytes through TLS, as many as the system may take soon.
    private func seal() {
        guard let layer, layer.channel.isEstablished, layer.failure == nil else { return }
        let channel = layer.channel
        do {
            while layer.waiting.byteCount > 0, queue.byteCount < SecureLayer.sealedByteCountMax {
                try layer.waiting.takeFirst(64 << 10) { bytes throws(SecurityError) in
                    try channel.seal(bytes)
                }
                queue.append(channel.takeOutput())
            }
        } catch {
            return end(.failed(.security(error, peer: name)))
        }
        if case .ending = sending, layer.waiting.byteCount == 0, !layer.hasEnded {
            layer.hasEnded = true
            channel.endSending()
            queue.append(channel.takeOutput())
        }
    }

    /// Ends the link because of what the peer sent; the alert that tells it why still leaves.
    private func refuse(_ error: SecurityError) {
        guard let layer, isActive else { return }
        let failure = TransportError.security(error, peer: name)
        guard case .open = sending else { return end(.failed(failure)) }
        layer.failure = failure
        layer.waiting.removeAll()
        queue.append(layer.channel.takeOutput())
        sending = .ending
        phase = .finishing
        isReadingPaused = false
        // At once: the owner may end the program as soon as it hears of it.
        flush()
        updateInterest()
        startGrace()
        layer.complete(.failure(failure))
    }
}

// MARK: - Ending

extension Link: TurnEndObserver {
    private func planTurnEnd() {
        guard !isTurnEndPlanned else { return }
        isTurnEndPlanned = true
        loop.atTurnEnd(self)
    }

    func turnEnded() {
        isTurnEndPlanned = false
        switch phase {
        case .closed(let ending):
            phase = .over
            let delegate = delegate
            self.delegate = nil
            delegate?.linkClosed(self, ending)
            if case .failed(let error) = ending { layer?.complete(.failure(error)) }
        case .securing, .open, .finishing:
            if !isBlocked { flush() }
        case .idle, .over:
            break
        }
    }

    private func startGrace() {
        graceEnd = MonotonicTime.now + options.closingGrace
        guard graceTimer == nil, isActive else { return }
        graceTimer = loop.schedule(at: graceEnd) { self.graceElapsed() }
    }

    private func graceElapsed() {
        graceTimer = nil
        guard MonotonicTime.now >= graceEnd else {
            // Bytes went out meanwhile, so the end was put off.
            graceTimer = loop.schedule(at: graceEnd) { self.graceElapsed() }
            return
        }
        if case .broken(let error) = sending { return end(.failed(error)) }
        if pendingByteCount > 0 {
            return end(.failed(.unsentBytes(byteCount: pendingByteCount)))
        }
        end(isFinishing ? .closedHere : .endOfStream)
    }

    private func end(_ ending: Ending) {
        guard isActive else { return }
        phase = .closed(layer?.failure.map { .failed($0) } ?? ending)
        releaseDescriptors()
        queue.removeAll()
        layer?.waiting.removeAll()
        if let timer = layer?.timer { loop.cancel(timer) }
        if let graceTimer { loop.cancel(graceTimer) }
        graceTimer = nil
        planTurnEnd()
    }

    private func releaseDescriptors() {
        // The input last: it holds the older flags of a file that both may share.
        output = nil
        input = nil
    }
}
