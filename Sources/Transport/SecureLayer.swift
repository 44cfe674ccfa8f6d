import Crypto

/// The additional state of a link over TLS.
final class SecureLayer {
    /// Sealed bytes are not made ahead of the system by more than this and a piece.
    static let sealedByteCountMax = 128 << 10

    let channel: SecureChannel
    /// Whether a client that begins in plain is served in plain.
    let acceptsPlain: Bool
    /// Told of the handshake's end; nil from then on.
    var completion: ((Result<Void, TransportError>) -> Void)?
    /// Ends a handshake that takes too long.
    var timer: TimerID?
    /// Plain bytes that wait to be sealed.
    var waiting = SendQueue()
    /// Whether the end of this end's stream is sealed.
    var hasEnded = false
    /// The error for the peer's fault; reported when the alert about it has been sent.
    var failure: TransportError?

    init(
        _ channel: SecureChannel, acceptsPlain: Bool,
        _ completion: @escaping (Result<Void, TransportError>) -> Void
    ) {
        self.channel = channel
        self.acceptsPlain = acceptsPlain
        self.completion = completion
    }

    /// Reports the handshake's end, if it was not reported yet.
    func complete(_ result: Result<Void, TransportError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    /// Whether a client's stream begins otherwise than with a handshake of TLS.
    static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.first != 0x16 }

    /// Whether a stream begins with a record of TLS: an alert or a handshake.
    static func isTLS(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count > 1 && (bytes[0] == 0x15 || bytes[0] == 0x16) && bytes[1] == 3
    }
}

extension Link {
    /// The fingerprint that the peer has proved to own; nil on a link without TLS.
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

    /// Puts TLS between this link and its peer, before `start`; both ends prove their identity.
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
            queue.append(channel.dequeueOutput())
        } catch {
            loop.schedule(after: .zero) { completion(.failure(.security(error, peer: self.name))) }
            return close()
        }
        phase = .securing
        loop.keep(self)
        layer?.timer = loop.schedule(after: timeout) { [weak self] in
            guard let self else { return }
            end(.failed(.handshakeTimeout(peer: name, after: timeout)))
        }
        updateInterest()
        if queue.byteCount > 0 { planTurnEnd() }
    }

    /// Receives bytes that arrived over TLS, the handshake included.
    func receivedSealed(_ bytes: UnsafeRawBufferPointer) {
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
            queueSealed(layer.channel.dequeueOutput())
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
        queueSealed(layer.channel.dequeueOutput())
        if layer.channel.hasPeerEnded, isActive { inputEnded() }
    }

    /// Queues TLS's own records: bounded here, as nothing else counts them.
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
    func seal() {
        guard let layer, layer.channel.isEstablished, layer.failure == nil else { return }
        let channel = layer.channel
        do {
            while layer.waiting.byteCount > 0, queue.byteCount < SecureLayer.sealedByteCountMax {
                try layer.waiting.dequeueFirst(64 << 10) { bytes throws(SecurityError) in
                    try channel.seal(bytes)
                }
                queue.append(channel.dequeueOutput())
            }
        } catch {
            return end(.failed(.security(error, peer: name)))
        }
        if case .ending = sending, layer.waiting.byteCount == 0, !layer.hasEnded {
            layer.hasEnded = true
            channel.endSending()
            queue.append(channel.dequeueOutput())
        }
    }

    /// Ends the link because of the peer's bytes; the alert with the reason is still sent.
    private func refuse(_ error: SecurityError) {
        guard let layer, isActive else { return }
        let failure = TransportError.security(error, peer: name)
        guard case .open = sending else { return end(.failed(failure)) }
        layer.failure = failure
        layer.waiting.removeAll()
        queue.append(layer.channel.dequeueOutput())
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

extension Link {
    /// The binding of the channel between a device and a relay, known only to these two.
    ///
    /// The proof of access is bound to it.
    ///
    /// Nil in plain. Source: Protocol/9-Sealing.md §3.
    package var relayBinding: [UInt8]? {
        exportKeyingMaterial(
            label: "EXPORTER-Tandem-Relay-Access", context: [], length: 32)
    }
}
