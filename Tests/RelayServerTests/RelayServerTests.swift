import RelayServer

#if Encryption
    import Core
    import Glibc
    import Relay
    import DeviceTestSupport
    import Devices
    import Crypto
    import Session
    import Storage
    import Testing
    import Transport
    import Core

    @Suite("A relay on real sockets")
    struct RelayServerTests {
        let folder = TemporaryFolder()
        let stores = TemporaryStores()
        let certificate: DeviceCertificate
        var first: RelayTestDevice
        var second: RelayTestDevice

        init() throws {
            certificate = try DeviceCertificate()
            first = try RelayTestDevice("a", in: stores)
            second = try RelayTestDevice("b", in: stores)
        }

        @Test("two devices that are never online together have the same")
        func storeAndForward() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate)
            try first.add(["buy milk", "read"])
            #expect(try first.sync(with: relay.address).end == .finished)
            try second.add(["write"])
            let outcome = try second.sync(with: relay.address)
            #expect(outcome.end == .finished)
            #expect(outcome.report.receivedCount >= 2)
            try first.sync(with: relay.address)
            #expect(try first.titles() == ["buy milk", "read", "write"])
            #expect(try second.titles() == first.titles())
            #expect(relay.stop())
            #expect(relay.count(of: "welcomed") == 3)
        }

        @Test("nothing of what was typed is on the relay's disk or in its log")
        func nothingReadable() throws {
            let words = "the-planted-words-of-nobody"
            let relay = try RunningRelay(in: folder, certificate: certificate)
            try first.add([words])
            try first.sync(with: relay.address)
            let isOnDisk = { (text: String) in
                folder.contents.count > 1000 && Self.holds(folder.contents, text)
            }
            #expect(folder.names.contains { $0.hasSuffix(".relay") })
            #expect(!isOnDisk(words))
            #expect(relay.stop())
            #expect(!isOnDisk(words))
            #expect(!relay.state.lines.contains { $0.text(time: nil).contains(words) })
            // The same search finds what is there.
            let store = try stores.open("a")
            defer { store.close() }
            #expect(isOnDisk("CREATE TABLE"))
        }

        @Test("a relay whose folder was wiped is filled again")
        func wipedFolder() throws {
            try first.add(["buy milk"])
            var relay = try RunningRelay(in: folder, certificate: certificate)
            try first.sync(with: relay.address)
            #expect(relay.stop())
            folder.empty()
            relay = try RunningRelay(in: folder, certificate: certificate)
            try first.sync(with: relay.address)
            try second.sync(with: relay.address)
            #expect(try second.titles() == ["buy milk"])
            #expect(relay.stop())
        }

        @Test("a wrong secret is refused, and the relay says so")
        func wrongSecret() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate)
            try first.sync(with: relay.address)
            var stranger = second
            stranger.secret = RelayTestDevice.secret(9)
            guard case .failed(let error, _) = try stranger.sync(with: relay.address).end else {
                Issue.record("a stranger was let in")
                return
            }
            #expect(error.known == .refused)
            #expect(relay.stop())
            #expect(relay.count(of: "refused") == 1)
        }

        @Test("a space without encryption is not taken unless that is allowed")
        func plainSpace() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate)
            var plain = first
            plain.secret = nil
            guard case .failed = try plain.sync(with: relay.address).end else {
                Issue.record("a plain space was taken")
                return
            }
            #expect(relay.stop())
            let open = try RunningRelay(in: folder, certificate: certificate) {
                $0.relay.allowsPlainSpaces = true
            }
            #expect(try plain.sync(with: open.address).end == .finished)
            #expect(open.stop())
        }

        @Test("a proof over plain TCP proves nothing")
        func plainLink() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate)
            let plain = RelayAddress(try relay.address.hostAndPort, fingerprint: nil)
            guard case .failed(let error, _) = try first.sync(with: plain).end else {
                Issue.record("a device was let in over plain TCP")
                return
            }
            #expect(error.known == .refused)
            #expect(relay.stop())
        }

        @Test("another relay at the address is not spoken to")
        func wrongFingerprint() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate)
            let other = try DeviceCertificate().fingerprint
            let wrong = RelayAddress(try relay.address.hostAndPort, fingerprint: other)
            #expect(throws: TransportError.self) { try first.sync(with: wrong) }
            #expect(relay.stop())
            #expect(relay.count(of: "welcomed") == 0)
        }

        @Test("a new space needs the token if the relay has one")
        func token() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate) {
                $0.relay.token = "sesame"
            }
            guard case .failed = try first.sync(with: relay.address).end else {
                Issue.record("a space was made without the token")
                return
            }
            var known = first
            known.token = "sesame"
            #expect(try known.sync(with: relay.address).end == .finished)
            // A member of an existing space needs no token.
            #expect(try second.sync(with: relay.address).end == .finished)
            #expect(relay.stop())
            #expect(!relay.state.lines.contains { $0.text(time: nil).contains("sesame") })
        }

        @Test(
            "when the secret is rotated, who has the old one is turned away before any data moves")
        func rotation() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate)
            try first.add(["buy milk"])
            try first.sync(with: relay.address)
            let old = try #require(RelayTestDevice.usualSecret)
            let next = try #require(RelayTestDevice.secret(2, generation: 2))
            var rotated = first
            rotated.secret = next
            // Without the old secret's word the next one could be anybody's.
            guard case .failed = try rotated.sync(with: relay.address).end else {
                Issue.record("a new generation began without the word of the old one")
                return
            }
            rotated.succession = try SpaceSealer.succession(
                from: old, to: next, of: RelayTestDevice.space)
            #expect(try rotated.sync(with: relay.address).end == .finished)
            guard case .failed(let error, _) = try second.sync(with: relay.address).end else {
                Issue.record("the old secret still opens the space")
                return
            }
            #expect(error.known == .refused)
            #expect(try second.titles().isEmpty)
            var stays = second
            stays.secret = next
            #expect(try stays.sync(with: relay.address).end == .finished)
            #expect(try stays.titles() == ["buy milk"])
            #expect(relay.stop())
            #expect(relay.count(of: "generation-begun") == 1)
        }

        @Test("garbage ends its own connection only")
        func garbage() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate)
            for bytes in [[0, 0, 0, 4, 1, 2, 3, 4], [22, 3, 1, 255, 255], Array("GET /".utf8)] {
                let raw = try RawConnection(to: relay.address.hostAndPort)
                raw.say(bytes + [UInt8](repeating: 0xff, count: 4096))
                _ = raw.hearAll()
            }
            #expect(try first.sync(with: relay.address).end == .finished)
            #expect(relay.stop())
        }

        @Test("an edit reaches a device that stays within moments")
        func live() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate)
            let waiting = try RunningRelayClient(second, at: relay.address)
            #expect(waitUntil { waiting.state.report.isCaughtUp })
            try first.add(["buy milk"])
            try first.sync(with: relay.address)
            #expect(waitUntil { waiting.state.report.receivedCount > 0 })
            #expect(waiting.stop())
            #expect(try second.titles() == ["buy milk"])
            #expect(relay.stop())
        }

        @Test("a device that stays comes back when the relay was started again")
        func restart() throws {
            var relay = try RunningRelay(in: folder, certificate: certificate)
            let port = try relay.address.hostAndPort.port
            let waiting = try RunningRelayClient(second, at: relay.address)
            #expect(waitUntil { waiting.state.report.isCaughtUp })
            #expect(relay.stop())
            #expect(relay.count(of: "draining") == 1)
            #expect(waitUntil { !waiting.state.waits.isEmpty })
            relay = try RunningRelay(in: folder, port: port, certificate: certificate)
            try first.add(["buy milk"])
            try first.sync(with: relay.address)
            #expect(waitUntil { waiting.state.report.receivedCount > 0 })
            #expect(waiting.stop())
            #expect(relay.stop())
        }

        @Test("a connection that has proved nothing makes room for a device of its address")
        func crowd() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate) {
                $0.networkLinkCountMax = 2
            }
            // Plain, so that they need no handshake; the first bytes show that.
            let held = try (0..<2).map { _ in try RawConnection(to: relay.address.hostAndPort) }
            for connection in held { connection.say([0]) }
            #expect(waitUntil { relay.count(of: "connected") == 2 })
            #expect(try first.sync(with: relay.address).end == .finished)
            #expect(relay.count(of: "crowded") == 1)
            #expect(relay.stop())
            withExtendedLifetime(held) {}
        }

        @Test("a device that was let in makes no room: one more of its address is dropped")
        func full() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate) {
                $0.networkLinkCountMax = 1
            }
            let waiting = try RunningRelayClient(second, at: relay.address)
            #expect(waitUntil { waiting.state.report.isCaughtUp })
            #expect(throws: (any Error).self) {
                guard case .finished = try first.sync(with: relay.address).end else {
                    throw RuntimeTestError(what: "not let in")
                }
            }
            #expect(waiting.state.report.isCaughtUp)
            #expect(waiting.stop())
            #expect(relay.stop())
        }

        @Test("an address has so many conversations that have proved nothing, and the newest stay")
        func unproved() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate) {
                $0.networkUnprovedCountMax = 2
            }
            var held: [RawConnection] = []
            // One after the other: as many at once would be dropped in the handshake already.
            for count in 1...5 {
                let connection = try RawConnection(to: relay.address.hostAndPort)
                connection.say([0])
                held.append(connection)
                #expect(waitUntil { relay.count(of: "connected") == count })
            }
            #expect(waitUntil { held.filter(\.isOpen).count == 2 })
            #expect(relay.count(of: "crowded") == 3)
            #expect(relay.stop())
        }

        @Test("a relay full of conversations that have proved nothing lets a device in")
        func crowdedOut() throws {
            let relay = try RunningRelay(in: folder, certificate: certificate) {
                $0.relay.limits.sessionCountMax = 3
            }
            let held = try (0..<3).map { _ in try RawConnection(to: relay.address.hostAndPort) }
            for connection in held { connection.say([0]) }
            #expect(waitUntil { relay.count(of: "connected") == 3 })
            #expect(try first.sync(with: relay.address).end == .finished)
            #expect(relay.stop())
            withExtendedLifetime(held) {}
        }

        private static func holds(_ bytes: [UInt8], _ text: String) -> Bool {
            let wanted = Array(text.utf8)
            guard let first = wanted.first else { return true }
            return bytes.indices.contains { index in
                bytes[index] == first && bytes[index...].starts(with: wanted)
            }
        }
    }
#endif
