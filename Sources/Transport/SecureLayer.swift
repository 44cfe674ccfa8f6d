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
