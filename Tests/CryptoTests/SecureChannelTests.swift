#if Encryption
    import Crypto
    import Testing

    @Suite("Secure channels")
    struct SecureChannelTests {
        private let laptop: DeviceCertificate
        private let phone: DeviceCertificate
        private let stranger: DeviceCertificate

        init() throws {
            laptop = try Devices.laptop.get()
            phone = try Devices.phone.get()
            stranger = try Devices.stranger.get()
        }

        private func established() throws -> ChannelPair {
            let pair = try ChannelPair(laptop, phone)
            pair.run()
            try #require(pair.client.isEstablished && pair.server.isEstablished)
            return pair
        }

        @Test("two devices that trust each other meet, and each knows who the other is")
        func meeting() throws {
            let pair = try established()
            #expect(pair.client.peer == phone.fingerprint)
            #expect(pair.server.peer == laptop.fingerprint)
            #expect(pair.clientError == nil && pair.serverError == nil)
        }

        @Test("much is carried whole both ways, in records of any size")
        func carrying() throws {
            let pair = try established()
            let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            for start in stride(from: 0, to: sent.count, by: 70_001) {
                try pair.client.seal(Array(sent[start..<min(start + 70_001, sent.count)]))
            }
            try pair.server.seal(sent)
            pair.run()
            #expect(pair.serverReceived == sent)
            #expect(pair.clientReceived == sent)
        }

        @Test("it works when bytes come one at a time")
        func trickle() throws {
            let pair = try ChannelPair(laptop, phone)
            for _ in 0..<4 {
                for byte in pair.client.dequeueOutput() { pair.feedServer([byte]) }
                for byte in pair.server.dequeueOutput() { pair.feedClient([byte]) }
            }
            try pair.client.seal([1, 2, 3])
            for byte in pair.client.dequeueOutput() { pair.feedServer([byte]) }
            #expect(pair.serverReceived == [1, 2, 3])
        }

        @Test("a server with another key is refused by the client, which both learn")
        func wrongServer() throws {
            let pair = try ChannelPair(
                laptop, stranger, clientAllows: { $0 == phone.fingerprint },
                serverAllows: { _ in true })
            pair.run()
            #expect(pair.clientError == .untrustedPeer(stranger.fingerprint))
            #expect(pair.serverError == .refusedByPeer(own: stranger.fingerprint))
            #expect(!pair.client.isEstablished && !pair.server.isEstablished)
        }

        @Test(
            "a client with another key is refused by the server, and learns so after its handshake")
        func wrongClient() throws {
            let pair = try ChannelPair(
                stranger, phone, clientAllows: { _ in true },
                serverAllows: { $0 == laptop.fingerprint })
            pair.run()
            #expect(pair.serverError == .untrustedPeer(stranger.fingerprint))
            #expect(!pair.server.isEstablished)
            #expect(pair.client.isEstablished)
            #expect(pair.clientError == .refusedByPeer(own: stranger.fingerprint))
        }

        @Test("plain text is told from TLS by both ends")
        func plainText() throws {
            let frame: [UInt8] = [0, 0, 0, 5, 1, 2, 3, 4, 5]
            for text in [
                frame, Array("GET / HTTP/1.1\r\n\r\n".utf8), [0xff], [0x17, 3, 3, 0, 1, 0],
            ] {
                let pair = try ChannelPair(laptop, phone)
                pair.feedServer(text)
                pair.feedClient(text)
                #expect(pair.serverError == .plainText)
                #expect(pair.clientError == .plainText)
                #expect(pair.server.dequeueOutput().first == 0x15, "an alert tells why")
            }
        }

        @Test("the end of a stream is told from a cut")
        func ends() throws {
            let pair = try established()
            #expect(throws: SecurityError.truncated) { try pair.server.inputEnded() }
            try pair.client.seal([7])
            pair.client.endSending()
            pair.run()
            #expect(pair.serverReceived == [7])
            #expect(pair.server.hasPeerEnded && !pair.client.hasPeerEnded)
            try pair.server.inputEnded()
            // The other direction goes on.
            try pair.server.seal([8, 9])
            pair.run()
            #expect(pair.clientReceived == [8, 9])

            let early = try ChannelPair(laptop, phone)
            #expect(throws: SecurityError.cutHandshake) { try early.server.inputEnded() }
        }

        @Test("both ends derive the same bytes, others for another label, context or connection")
        func exporting() throws {
            let pair = try established()
            let label = "EXPORTER-Tandem-access"
            let bytes = pair.client.exportKeyingMaterial(label: label, context: [1], length: 32)
            #expect(bytes?.count == 32)
            #expect(
                bytes == pair.server.exportKeyingMaterial(label: label, context: [1], length: 32))
            #expect(
                bytes != pair.client.exportKeyingMaterial(label: label, context: [2], length: 32))
            #expect(
                bytes != pair.client.exportKeyingMaterial(label: "other", context: [1], length: 32))
            let other = try established()
            #expect(
                bytes != other.client.exportKeyingMaterial(label: label, context: [1], length: 32))
            let early = try ChannelPair(laptop, phone)
            #expect(early.client.exportKeyingMaterial(label: label, context: [], length: 32) == nil)
        }
    }
#endif
