#if Encryption
    import Crypto
    import Testing

    /// Two ends in memory, and the bytes between them.
    final class ChannelPair {
        let client: SecureChannel
        let server: SecureChannel
        private(set) var clientError: SecurityError?
        private(set) var serverError: SecurityError?
        /// The bytes that each end has opened.
        private(set) var clientReceived: [UInt8] = []
        private(set) var serverReceived: [UInt8] = []

        /// Two devices; each asks its closure about the other.
        init(
            _ here: DeviceCertificate, _ there: DeviceCertificate,
            clientAllows: @escaping (Fingerprint) -> Bool,
            serverAllows: @escaping (Fingerprint) -> Bool
        ) throws {
            client = try SecureChannel(SecureContext(here, allows: clientAllows), as: .client)
            server = try SecureChannel(SecureContext(there, allows: serverAllows), as: .server)
        }

        /// Two devices that trust each other.
        convenience init(_ here: DeviceCertificate, _ there: DeviceCertificate) throws {
            try self.init(
                here, there, clientAllows: { $0 == there.fingerprint },
                serverAllows: { $0 == here.fingerprint })
        }

        /// Carries bytes both ways until nobody has any left.
        func run() {
            for _ in 0..<20 {
                let forServer = client.dequeueOutput()
                let forClient = server.dequeueOutput()
                if forServer.isEmpty, forClient.isEmpty { return }
                feedServer(forServer)
                feedClient(forClient)
            }
            Issue.record("the two ends talk for ever")
        }

        func feedServer(_ bytes: [UInt8]) {
            guard serverError == nil, !bytes.isEmpty else { return }
            do {
                serverReceived += try Self.feed(server, bytes)
            } catch {
                serverError = error
            }
        }

        func feedClient(_ bytes: [UInt8]) {
            guard clientError == nil, !bytes.isEmpty else { return }
            do {
                clientReceived += try Self.feed(client, bytes)
            } catch {
                clientError = error
            }
        }

        /// Does what a link does with bytes that arrived.
        static func feed(
            _ channel: SecureChannel, _ bytes: [UInt8]
        ) throws(SecurityError) -> [UInt8] {
            var received: [UInt8] = []
            var failure: SecurityError?
            bytes.withUnsafeBytes { bytes in
                do throws(SecurityError) {
                    var rest = bytes
                    if !channel.isEstablished {
                        rest = .init(rebasing: bytes[try channel.handshake(bytes)...])
                        if !channel.isEstablished { return }
                    }
                    try withRoom { room throws(SecurityError) in
                        try channel.open(rest, room: room) {
                            received += $0
                            return true
                        }
                    }
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            return received
        }

        private static func withRoom(
            _ body: (UnsafeMutableRawBufferPointer) throws(SecurityError) -> Void
        ) throws(SecurityError) {
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 40_000, alignment: 1)
            defer { room.deallocate() }
            try body(room)
        }
    }

    extension SecureChannel {
        /// Seals an array.
        func seal(_ bytes: [UInt8]) throws {
            var failure: SecurityError?
            bytes.withUnsafeBytes { bytes in
                do throws(SecurityError) { try seal(bytes) } catch { failure = error }
            }
            if let failure { throw failure }
        }
    }
#endif
