#if Encryption
    import COpenSSL
#endif

/// Which end of a secure channel this is.
package enum SecureRole: Sendable {
    /// It dialled, and speaks first.
    case client
    /// It listens.
    case server
}

#if Encryption
    /// One connection's TLS 1.3, without input or output of its own: bytes in, bytes out.
    ///
    /// Holds no bytes but the part of a record that is not whole yet, and what `dequeueOutput` has not
    /// fetched. After an error it is of no use, but its output still holds the alert for the peer.
    package final class SecureChannel {
        /// Whether this end has verified the peer and may send.
        ///
        /// A client is not let in for certain until the server has sent something: the server judges
        /// it after this (RFC 8446 §2).
        package private(set) var isEstablished = false
        /// Whether the peer has ended its stream.
        package private(set) var hasPeerEnded = false
        /// Whether the client's greeting named no protocol.
        var missesProtocol = false

        private let context: SecureContext
        private let role: SecureRole
        private let pointer: OpaquePointer
        /// Received bytes that were not read yet; only set while a call of this class runs.
        private var input = UnsafeRawBufferPointer(start: nil, count: 0)
        private var output: [UInt8] = []
        private var isFirst = true
        private var shown: Fingerprint?
        private var isRefused = false

        /// A channel before its handshake; a client's greeting waits in the output at once.
        ///
        /// - Throws: `library`.
        package init(_ context: SecureContext, as role: SecureRole) throws(SecurityError) {
            ERR_clear_error()
            guard let pointer = SSL_new(context.pointer) else {
                throw .library(OpenSSLWords.lastError())
            }
            self.context = context
            self.role = role
            self.pointer = pointer
            guard let door = Self.door.flatMap({ BIO_new($0) }) else {
                throw .library(OpenSSLWords.lastError())
            }
            BIO_set_data(door, Unmanaged.passUnretained(self).toOpaque())
            BIO_set_init(door, 1)
            SSL_set_bio(pointer, door, door)
            SSL_set_ex_data(pointer, 0, Unmanaged.passUnretained(self).toOpaque())
            switch role {
            case .client:
                SSL_set_connect_state(pointer)
                _ = try handshake(UnsafeRawBufferPointer(start: nil, count: 0))
            case .server: SSL_set_accept_state(pointer)
            }
        }

        deinit {
            SSL_free(pointer)
        }

        /// The fingerprint that the peer has proved to own; nil until the handshake is done.
        package var peer: Fingerprint? { isEstablished ? shown : nil }

        /// Bytes for the peer, which are then forgotten here.
        package func dequeueOutput() -> [UInt8] {
            defer { output = [] }
            return output
        }

        /// Returns bytes that only the two ends of this connection can derive (RFC 8446 §7.5).
        ///
        /// - Returns: nil before the handshake is done.
        package func exportKeyingMaterial(
            label: String, context: [UInt8], length: Int
        ) -> [UInt8]? {
            guard isEstablished else { return nil }
            var material = [UInt8](repeating: 0, count: length)
            let code = SSL_export_keying_material(
                pointer, &material, length, label, label.utf8.count, context, context.count, 1)
            return code == 1 ? material : nil
        }
    }

    // MARK: - Bytes

    extension SecureChannel {
        /// Goes on with the handshake; look at `isEstablished` afterwards, and send the output.
        ///
        /// - Returns: how many of the bytes it took; what follows the handshake is left.
        /// - Throws: why there will be no channel; the output may hold an alert that tells the peer.
        package func handshake(_ bytes: UnsafeRawBufferPointer) throws(SecurityError) -> Int {
            try notice(bytes.first)
            input = bytes
            defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
            ERR_clear_error()
            let code = SSL_do_handshake(pointer)
            guard code == 1 else {
                try check(code)
                return bytes.count - input.count
            }
            guard speaksProtocol else { throw .noCommonProtocol }
            isEstablished = true
            return bytes.count - input.count
        }

        /// Decrypts received bytes.
        ///
        /// - Parameters:
        ///   - room: where the plain bytes go, a part after the other; more is faster.
        ///   - deliver: takes a part; not called again once it returns false, or at the peer's end.
        /// - Throws: why the channel is broken; the output may hold an alert that tells the peer.
        package func open(
            _ bytes: UnsafeRawBufferPointer, room: UnsafeMutableRawBufferPointer,
            deliver: (UnsafeRawBufferPointer) -> Bool
        ) throws(SecurityError) {
            input = bytes
            defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
            var isWanted = true
            while isWanted, !hasPeerEnded {
                var filled = 0
                var failure: SecurityError?
                var isEmpty = false
                while filled < room.count, !isEmpty, failure == nil {
                    var count = 0
                    ERR_clear_error()
                    let code = SSL_read_ex(
                        pointer, room.baseAddress.map { $0 + filled }, room.count - filled, &count)
                    if code == 1 {
                        filled += count
                        continue
                    }
                    isEmpty = true
                    do throws(SecurityError) { try check(code) } catch { failure = error }
                }
                if filled > 0 {
                    isWanted = deliver(UnsafeRawBufferPointer(rebasing: room[..<filled]))
                }
                if let failure { throw failure }
                if isEmpty { return }
            }
        }

        /// Seals bytes into the output.
        ///
        /// - Throws: `library`, which means a bug here or a machine out of memory.
        package func seal(_ bytes: UnsafeRawBufferPointer) throws(SecurityError) {
            precondition(isEstablished, "nothing is sealed before the handshake")
            let recordByteCountMax = 16384
            output.reserveCapacity(
                output.count + bytes.count + (bytes.count / recordByteCountMax + 1) * 32)
            var rest = bytes
            while !rest.isEmpty {
                var count = 0
                ERR_clear_error()
                let part = min(rest.count, recordByteCountMax)
                let code = SSL_write_ex(pointer, rest.baseAddress, part, &count)
                guard code == 1 else {
                    try check(code)
                    throw .library("a record was not taken")
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }

        /// Ends this end's stream with an authenticated message (close_notify), which nobody else
        /// can forge.
        package func endSending() {
            ERR_clear_error()
            if isEstablished { _ = SSL_shutdown(pointer) }
        }

        /// The connection has ended.
        ///
        /// - Throws: `cutHandshake` or `truncated` unless the peer had said so.
        package func inputEnded() throws(SecurityError) {
            guard isEstablished else { throw .cutHandshake }
            guard hasPeerEnded else { throw .truncated }
        }

        private var speaksProtocol: Bool {
            var name: UnsafePointer<UInt8>?
            var count: UInt32 = 0
            SSL_get0_alpn_selected(pointer, &name, &count)
            let found = UnsafeBufferPointer(start: name, count: Int(count))
            return found.elementsEqual(SecureContext.protocolName.utf8)
        }

        /// Tells other protocols from TLS by the first byte: a handshake record, or an alert.
        private func notice(_ first: UInt8?) throws(SecurityError) {
            guard isFirst, let first else { return }
            isFirst = false
            if first == 0x16 || (first == 0x15 && role == .client) { return }
            // RFC 8446 §6.2: fatal, protocol_version. Tells a peer that listens for it.
            output = [0x15, 3, 3, 0, 2, 2, 70]
            throw .plainText
        }
    }

    // MARK: - What the library asks and says

    extension SecureChannel {
        /// The channel of a session of the library.
        static func of(_ session: OpaquePointer?) -> SecureChannel? {
            guard let session, let data = SSL_get_ex_data(session, 0) else { return nil }
            return Unmanaged<SecureChannel>.fromOpaque(data).takeUnretainedValue()
        }

        /// Whether a peer that shows this key is let in.
        func admit(_ fingerprint: Fingerprint) -> Bool {
            shown = fingerprint
            isRefused = !context.allows(fingerprint)
            return !isRefused
        }

        /// Returns if a call only waits for more bytes, or has met the end of the stream.
        private func check(_ code: CInt) throws(SecurityError) {
            switch SSL_get_error(pointer, code) {
            case SSL_ERROR_WANT_READ: return
            case SSL_ERROR_ZERO_RETURN: hasPeerEnded = true
            default: throw failure()
            }
        }

        private func failure() -> SecurityError {
            let code = ERR_peek_error()
            defer { ERR_clear_error() }
            if isRefused, let shown { return .untrustedPeer(shown) }
            if missesProtocol { return .noCommonProtocol }
            guard code != 0 else { return .library("no reason given") }
            return SecurityError(
                reason: tandem_ssl_reason(code), word: OpenSSLWords.word(code),
                own: context.fingerprint)
        }

        /// The library's view of this channel: where it reads arrived bytes and leaves its own.
        ///
        /// In place of its memory buffers, which keep the size they once had.
        private static nonisolated(unsafe) let door: OpaquePointer? = {
            let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
            guard let method = BIO_meth_new(kind, "channel") else { return nil }
            BIO_meth_set_read(method) { door, target, count in
                guard let door, let target, count > 0, let data = BIO_get_data(door) else {
                    return 0
                }
                tandem_ssl_clear_retry(door)
                let channel = Unmanaged<SecureChannel>.fromOpaque(data).takeUnretainedValue()
                let part = channel.input.prefix(Int(count))
                guard !part.isEmpty else {
                    tandem_ssl_retry_read(door)
                    return -1
                }
                UnsafeMutableRawBufferPointer(start: target, count: part.count).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: part))
                channel.input = UnsafeRawBufferPointer(
                    rebasing: channel.input.dropFirst(part.count))
                return CInt(part.count)
            }
            BIO_meth_set_write(method) { door, source, count in
                guard let door, let source, count > 0, let data = BIO_get_data(door) else {
                    return 0
                }
                tandem_ssl_clear_retry(door)
                let channel = Unmanaged<SecureChannel>.fromOpaque(data).takeUnretainedValue()
                channel.output += UnsafeRawBufferPointer(start: source, count: Int(count))
                return count
            }
            BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
            return method
        }()
    }
#else
    /// Stands in where encryption is not built in: there is none, so none of this is ever called.
    package struct SecureChannel {
        private let nothing: Never

        /// Throws `notBuiltIn`.
        package init(_ context: SecureContext, as role: SecureRole) throws(SecurityError) {
            throw .notBuiltIn
        }

        /// Never called.
        package var isEstablished: Bool { switch nothing {} }
        /// Never called.
        package var hasPeerEnded: Bool { switch nothing {} }
        /// Never called.
        package var peer: Fingerprint? { switch nothing {} }

        /// Never called.
        package func dequeueOutput() -> [UInt8] { switch nothing {} }
        /// Never called.
        package func exportKeyingMaterial(
            label: String, context: [UInt8], length: Int
        ) -> [UInt8]? { switch nothing {} }
        /// Never called.
        package func handshake(_ bytes: UnsafeRawBufferPointer) throws(SecurityError) -> Int {
            switch nothing {}
        }
        /// Never called.
        package func open(
            _ bytes: UnsafeRawBufferPointer, room: UnsafeMutableRawBufferPointer,
            deliver: (UnsafeRawBufferPointer) -> Bool
        ) throws(SecurityError) { switch nothing {} }
        /// Never called.
        package func seal(_ bytes: UnsafeRawBufferPointer) throws(SecurityError) {
            switch nothing {}
        }
        /// Never called.
        package func endSending() { switch nothing {} }
        /// Never called.
        package func inputEnded() throws(SecurityError) { switch nothing {} }
    }
#endif
