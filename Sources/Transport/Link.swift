import Crypto

/// A two-way stream of bytes to a peer, over any `ByteStream`, with queues and limits.
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

    enum Phase {
        /// Made, not started.
        case idle
        /// `secure`: both ends prove their identity.
        case securing
        case open
        /// `closeAfterSending`: bytes that still arrive are dropped.
        case finishing
        case closed(Ending)
        /// The delegate has been notified.
        case over
    }

    enum Sending {
        case open
        /// The stream ends after the waiting bytes.
        case ending
        case ended
        /// The peer receives nothing any more; bytes that it has sent before are still read.
        case broken(TransportError)
    }

    /// The loop whose thread the link lives on.
    package let loop: EventLoop
    /// The peer's address, or the name of the streams, for messages to people.
    package let name: String
    /// How many bytes were sent and received so far.
    package private(set) var byteCount = 0
    /// The peer's address if this is a TCP connection.
    package let peerAddress: SocketAddress?

    let options: LinkOptions
    /// Called once when the link is over, after the delegate; for what has to end with it.
    var whenOver: (() -> Void)?
    private weak var delegate: (any LinkDelegate)?
    /// Nil once the link is over.
    private var stream: (any ByteStream)?

    var phase = Phase.idle
    var sending = Sending.open
    var queue = SendQueue()
    /// TLS between this link and its peer; nil in plain.
    var layer: SecureLayer?
    var isReadingPaused = false
    private var hasInputEnded = false
    /// Nothing was received yet.
    var isFirst = true
    /// The system took no more; waiting until it does.
    var isBlocked = false
    private var isTurnEndPlanned = false
    private var graceTimer: TimerID?
    private var graceEnd = MonotonicTime(nanoseconds: 0)

    /// A link over a stream, which it owns from now on.
    package init(
        _ stream: any ByteStream, on loop: EventLoop, options: LinkOptions = LinkOptions()
    ) {
        self.stream = stream
        name = stream.name
        peerAddress = stream.peerAddress
        self.loop = loop
        self.options = options
    }

    /// A link over one socket, which it owns from now on.
    ///
    /// - Parameter peer: for whom a balancer has opened it; nil for whoever is at the other end.
    /// - Throws: `failedCall` of `fcntl`.
    package convenience init(
        socket: consuming Descriptor, peer: SocketAddress? = nil, on loop: EventLoop,
        options: LinkOptions = LinkOptions()
    ) throws(TransportError) {
        let stream = try DescriptorStream(socket: socket, peer: peer, on: loop, options: options)
        self.init(stream, on: loop, options: options)
    }

    /// A link that reads from one descriptor and writes to another, both owned from now on.
    ///
    /// - Parameter restoresFlags: for streams this process did not open itself, such as its
    ///   standard ones: on closing they get back the flags that they had.
    /// - Throws: `failedCall` of `fcntl`.
    package convenience init(
        input: consuming Descriptor, output: consuming Descriptor, name: String,
        on loop: EventLoop, restoresFlags: Bool = false, options: LinkOptions = LinkOptions()
    ) throws(TransportError) {
        let stream = try DescriptorStream(
            input: input, output: output, name: name, on: loop, restoresFlags: restoresFlags)
        self.init(stream, on: loop, options: options)
    }
}

// MARK: - Doors

extension Link {
    /// How many bytes wait to be handed to the system.
    package var pendingByteCount: Int { queue.byteCount + (layer?.waiting.byteCount ?? 0) }

    /// Where the peer is: its address, or its network of IPv6; all that have none are one.
    package var network: String { peerAddress?.network ?? "" }

    /// Whether `send` still reaches the peer, as far as is known.
    package var isSendable: Bool {
        guard case .open = phase, case .open = sending else { return false }
        return true
    }

    /// Begins to read, and to tell the delegate.
    ///
    /// A failure to begin is reported like any other, by `linkClosed`.
    package func start(_ delegate: any LinkDelegate) {
        guard case .idle = phase else { preconditionFailure("a link is started once") }
        loop.checkThread()
        self.delegate = delegate
        phase = .open
        loop.keep(self)
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

    /// Ends this end's stream after the waiting bytes; bytes from the peer are still received.
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

    /// Closes at once; waiting bytes are dropped.
    package func close() {
        layer?.completion = nil
        guard !isActive else { return end(.closedHere) }
        if case .idle = phase {
            phase = .over
            releaseStream()
            over()
        }
    }
}

// MARK: - Reading

extension Link {
    var isActive: Bool {
        switch phase {
        case .securing, .open, .finishing: true
        case .idle, .closed, .over: false
        }
    }

    var isFinishing: Bool {
        if case .finishing = phase { true } else { false }
    }

    private var isReading: Bool { isActive && !isReadingPaused && !hasInputEnded }

    func updateInterest() {
        guard isActive else { return }
        let reading: Readiness = isReading ? .readable : []
        let writing: Readiness = isBlocked ? .writable : []
        do {
            try stream?.watch(reading.union(writing)) { self.streamReady($0) }
        } catch {
            end(.failed(error))
        }
    }

    private func streamReady(_ readiness: Readiness) {
        if isBlocked, readiness != .readable { flush() }
        if isActive { inputReady(readiness) }
    }

    private func inputReady(_ readiness: Readiness) {
        if isReading {
            if readiness != .writable { receive() }
        } else if readiness.contains(.failed), let stream {
            // The owner that paused waits for something else; this link receives nothing any more.
            end(.failed(.failedCall(.read, errno: stream.takeError(), about: name)))
        }
    }

    private func receive() {
        guard let stream else { return }
        let buffer = loop.readBuffer
        // A few rounds, so that one busy peer does not hold up the others.
        for _ in 0..<4 where isReading {
            switch stream.read(into: buffer) {
            case .moved(0): return inputEnded()
            case .moved(let count):
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                if layer == nil { received(bytes) } else { receivedSealed(bytes) }
                if count < buffer.count { return }
            case .notReady: return
            case .failed(let code):
                return end(.failed(.failedCall(.read, errno: code, about: name)))
            }
        }
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        if isFinishing { return }
        guard let delegate else { return close() }
        if isFirst, layer == nil, options.noticesTLS, SecureLayer.isTLS(bytes) {
            return end(.failed(.security(.peerWantsTLS, peer: name)))
        }
        isFirst = false
        byteCount += bytes.count
        delegate.linkReceived(self, bytes)
    }

    func inputEnded() {
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
    func flush() {
        guard let stream else { return drained() }
        rounds: for _ in 0..<8 {
            seal()
            if queue.byteCount == 0 { break }
            switch queue.withVectors({ stream.write($0) }) {
            case .moved(let count):
                queue.removeFirst(count)
                if graceTimer != nil { graceEnd = MonotonicTime.now + options.closingGrace }
            case .notReady: break rounds
            case .failed(let code):
                return writeFailed(.failedCall(.write, errno: code, about: name))
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
        stream?.endOutput()
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

// MARK: - Ending

extension Link: TurnEndObserver {
    func planTurnEnd() {
        guard !isTurnEndPlanned else { return }
        isTurnEndPlanned = true
        loop.atTurnEnd(self)
    }

    /// Sends the bytes gathered in this turn of the loop.
    package func turnEnded() {
        isTurnEndPlanned = false
        switch phase {
        case .closed(let ending):
            phase = .over
            let delegate = delegate
            self.delegate = nil
            delegate?.linkClosed(self, ending)
            if case .failed(let error) = ending { layer?.complete(.failure(error)) }
            over()
        case .securing, .open, .finishing:
            if !isBlocked { flush() }
        case .idle, .over:
            break
        }
    }

    func startGrace() {
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

    func end(_ ending: Ending) {
        guard isActive else { return }
        phase = .closed(layer?.failure.map { .failed($0) } ?? ending)
        releaseStream()
        queue.removeAll()
        layer?.waiting.removeAll()
        if let timer = layer?.timer { loop.cancel(timer) }
        if let graceTimer { loop.cancel(graceTimer) }
        graceTimer = nil
        planTurnEnd()
    }

    private func releaseStream() {
        stream?.close()
        stream = nil
        loop.forget(self)
    }

    private func over() {
        let whenOver = whenOver
        self.whenOver = nil
        whenOver?()
    }
}

/// The receiver of a link's events.
///
/// All calls come from the loop, never from inside a call made on the link; `send`, `close` and
/// all else may be called on the link from here.
package protocol LinkDelegate: AnyObject {
    /// Bytes arrived, in any pieces; the buffer is reused as soon as this returns.
    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer)

    /// All that waited to be sent has been handed to the system: time to send more.
    func linkDrained(_ link: Link)

    /// The link is over; called once, and nothing is called after it.
    func linkClosed(_ link: Link, _ reason: Link.Ending)
}
