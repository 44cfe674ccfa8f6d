import Transport

#if Encryption
    import Core
    import Crypto
    import DeviceTestSupport
    import Devices
    import Storage
    import Testing

    @Suite("Log of devices")
    struct DeviceLogTests {
        private let secret = SpaceSecret(
            bytes: [UInt8](repeating: 7, count: SpaceSecret.byteCount),
            generation: SpaceSecret.firstGeneration)

        private func events(_ device: PairingDevice) throws -> [DeviceEvent] {
            try Device(device.store).deviceEvents()
        }

        @Test("joins and revocations are read from the records, with who did it")
        func records() throws {
            let one = try PairingDevice("one", secret: secret)
            let other = try PairingDevice("other", in: one.store.space, secret: secret)
            try one.hear(other)
            let joins = try events(one)
            #expect(joins.map(\.kind) == [.joined, .joined])
            #expect(Set(joins.map(\.device)) == ["one", "other"])
            #expect(Set(joins.map(\.fingerprint)) == [one.fingerprint, other.fingerprint])
            let target = try DeviceDirectory(one.store)[other.fingerprint]
            try one.member.revoke(target)
            let own = try #require(try events(one).first { $0.kind == .revoked })
            #expect(own.device == "other" && own.author == nil)
            // A third one reads in the records who did it.
            let third = try PairingDevice("third", in: one.store.space, secret: secret)
            try third.hear(one)
            let told = try #require(try events(third).first { $0.kind == .revoked })
            #expect(told.fingerprint == other.fingerprint && told.author == "one")
        }

        @Test("a refusal is noted with its cause, and one like it soon after counts with it")
        func refusals() throws {
            let device = try PairingDevice("one", secret: secret)
            let stranger = try DeviceCertificate().fingerprint
            for minute in 0..<3 {
                DeviceLog.note(
                    .refused, fingerprint: stranger, address: "192.0.2.1", reason: .notTrusted,
                    at: Int64(minute) * 60_000, in: device.store)
            }
            DeviceLog.note(
                .refused, fingerprint: stranger, address: "192.0.2.1", reason: .notTrusted,
                at: 120_000 + DeviceLog.repeatMilliseconds + 1, in: device.store)
            DeviceLog.note(
                .admitted, fingerprint: stranger, address: "::1", at: 5, in: device.store)
            let found = try events(device).filter { $0.kind != .joined }
            #expect(found.map(\.kind) == [.refused, .refused, .admitted])
            #expect(found.map(\.count) == [1, 3, 1])
            #expect(found[1].time == 120_000)
            #expect(found[0].reason == .notTrusted)
            #expect(found[0].address == "192.0.2.1")
        }

        @Test("a device that asked with a code and has no record is named as it named itself")
        func askedByName() throws {
            let device = try PairingDevice("one", secret: secret)
            DeviceLog.note(
                .refused, fingerprint: try DeviceCertificate().fingerprint, name: "a thief",
                address: "relay.example.org", reason: .codeUsed, at: 5, in: device.store)
            let found = try #require(try events(device).first { $0.kind == .refused })
            #expect(found.device == "a thief" && found.reason == .codeUsed)
            #expect(found.address == "relay.example.org")
        }

        @Test("a crowd of strangers drops the oldest refusals, and nothing else")
        func bound() throws {
            let device = try PairingDevice("one", secret: secret)
            DeviceLog.note(
                .admitted, fingerprint: nil, address: "first", at: 1, in: device.store)
            for number in 0..<DeviceLog.kindCountMax + 5 {
                DeviceLog.note(
                    .refused, fingerprint: nil, address: "\(number)", at: Int64(number),
                    in: device.store)
            }
            let found = try events(device)
            #expect(found.count { $0.kind == .refused } == DeviceLog.kindCountMax)
            #expect(found.filter { $0.kind == .refused }.map(\.time).min() == 5)
            #expect(found.contains { $0.kind == .admitted })
        }

        @Test("a crowd of strangers drops no refusal of a device that the space knows")
        func known() throws {
            let device = try PairingDevice("one", secret: secret)
            let own = device.fingerprint
            DeviceLog.note(
                .refused, fingerprint: own, address: "known", at: 1, in: device.store)
            for number in 0..<DeviceLog.kindCountMax + 5 {
                DeviceLog.note(
                    .refused, fingerprint: try DeviceCertificate().fingerprint,
                    address: "\(number)", at: Int64(number), in: device.store)
            }
            #expect(try events(device).contains { $0.address == "known" })
        }

        @Test("a note with an extreme time or count traps nothing")
        func extremes() throws {
            let device = try PairingDevice("one", secret: secret)
            for time in [Int64.min, .max, .min, 0] {
                DeviceLog.note(
                    .refused, fingerprint: nil, address: "same", at: time, in: device.store)
            }
            let found = try events(device).filter { $0.kind == .refused }
            #expect(found.reduce(0) { $0 + $1.count } == 4)
        }

        @Test("a server notes whom it refused")
        func server() throws {
            let folder = TemporaryStores()
            try folder.create("a").close()
            try folder.create("b").close()
            let certificate = try DeviceCertificate()
            let stranger = try DeviceCertificate()
            let server = try RunningServer("a", in: folder, certificate: certificate)
            defer { server.stop() }
            let client = try folder.open("b")
            defer { client.close() }
            let sync = try SyncClient(
                store: client, endpoint: .tls(server.hostAndPort, certificate.fingerprint),
                security: SyncSecurity(certificate: stranger) { _ in false })
            #expect(throws: TransportError.self) { try sync.run() }
            let store = try folder.open("a")
            defer { store.close() }
            #expect(
                waitUntil {
                    (try? Device(store).deviceEvents().contains {
                        $0.kind == .refused && $0.fingerprint == stranger.fingerprint
                            && $0.reason == .notTrusted && $0.address == "127.0.0.1"
                    }) == true
                })
        }
    }
#endif
