#if Encryption
    import Core
    import Devices
    import Core
    import Devices
    import Crypto
    import Session
    import Storage
    import Testing
    import Transport
    import Core

    @Suite("Rekey messages for those who have an older secret")
    struct SpaceRekeyMailboxTests {
        private let secret = SpaceSecret(bytes: [UInt8](repeating: 7, count: 32), generation: 1)

        /// Devices that have heard of each other.
        private func pairingDevices(_ names: String...) throws -> [PairingDevice] {
            let first = try PairingDevice(names[0], secret: secret)
            let others = try names.dropFirst().map {
                try PairingDevice($0, in: first.store.space, secret: secret)
            }
            for other in others { try first.hear(other) }
            for other in others { try other.hear(first) }
            return [first] + others
        }

        private func rekeyMailbox(_ device: PairingDevice) throws -> SpaceRekeyMailbox {
            let keyring = device.member.keyring
            let present = try #require(keyring.secret)
            return SpaceRekeyMailbox(
                try SpaceSealer(present, of: device.store.space),
                older: try keyring.secrets.filter { $0 != present }.map {
                    try SpaceSealer($0, of: device.store.space)
                })
        }

        private func read(
            _ rekeyMessage: RekeyMessage, by device: PairingDevice
        ) throws -> [Change]? {
            try rekeyMailbox(device).open(rekeyMessage)
        }

        /// Returns the replicas whose records a rekey message has.
        private func named(_ changes: [Change]?) -> Set<ReplicaID> {
            Set((changes ?? []).map { ReplicaID(value: $0.name.id.value) })
        }

        @Test("brings the next secret to who stays, and to who is out that it is")
        func secretsAreBrought() throws {
            let devices = try pairingDevices("laptop", "desk", "phone")
            let (laptop, desk, phone) = (devices[0], devices[1], devices[2])
            try laptop.member.revoke(try DeviceDirectory(laptop.store)[phone.fingerprint])
            let later = try PairingDevice(
                "later", in: laptop.store.space, secret: laptop.member.keyring.secret)
            try laptop.hear(later)
            let rekeyMessages = try rekeyMailbox(laptop).rekeyMessages(from: laptop.store)
            let rekeyMessage = try #require(rekeyMessages.first)
            #expect(rekeyMessages.count == 1)
            #expect(rekeyMessage.generation == 1)
            for device in [desk, phone] {
                let changes = try #require(try read(rekeyMessage, by: device))
                #expect(!named(changes).contains(later.store.replica))
                try device.store.applyRekeyMessage(changes)
                try device.member.refresh()
            }
            #expect(desk.member.keyring.secret == laptop.member.keyring.secret)
            #expect(phone.member.keyring.secret == secret)
            #expect(try DeviceDirectory(phone.store).isRevoked(phone.fingerprint))
            #expect(try read(rekeyMessage, by: later) == nil, "it has no older secret")
        }

        @Test(
            "the same records are the same rekey message, whoever writes it, and others another one"
        )
        func rekeyMessagesAreEqual() throws {
            let devices = try pairingDevices("laptop", "desk")
            let (laptop, desk) = (devices[0], devices[1])
            try laptop.member.revoke(nil)
            try desk.hear(laptop)
            try laptop.hear(desk)
            let one = try rekeyMailbox(laptop).rekeyMessages(from: laptop.store)
            #expect(try rekeyMailbox(desk).rekeyMessages(from: desk.store) == one)
            #expect(one.count == 1)
            let third = try PairingDevice("third", in: laptop.store.space, secret: secret)
            try laptop.hear(third)
            try laptop.member.passOnSecret()
            let other = try rekeyMailbox(laptop).rekeyMessages(from: laptop.store)
            #expect(other.map(\.verifier) == one.map(\.verifier))
            #expect(other.map(\.mark) != one.map(\.mark))
        }

        @Test("is opened with its secret only, and not when a byte of it is another")
        func rekeyMessagesAreSealed() throws {
            let devices = try pairingDevices("laptop", "desk")
            let (laptop, desk) = (devices[0], devices[1])
            try laptop.member.revoke(nil)
            let rekeyMessage = try #require(
                try rekeyMailbox(laptop).rekeyMessages(from: laptop.store).first)
            #expect(try read(rekeyMessage, by: desk) != nil)
            for index in stride(from: 0, to: rekeyMessage.bytes.count, by: 7) {
                var changed = rekeyMessage
                changed.bytes[index] ^= 1
                #expect(try read(changed, by: desk) == nil)
            }
            let stranger = try PairingDevice(
                "stranger", in: laptop.store.space,
                secret: SpaceSecret(
                    bytes: [UInt8](repeating: 8, count: 32), generation: 1))
            var posed = rekeyMessage
            posed.verifier = try SpaceSealer(
                try #require(stranger.member.keyring.secret), of: laptop.store.space
            ).verifier
            #expect(try read(posed, by: stranger) == nil)
        }

        @Test(
            "a device that comes before the rekey message of a generation just begun waits for it")
        func rekeyMessagesAreAwaited() throws {
            let devices = try pairingDevices("laptop", "desk", "phone")
            let (laptop, desk, phone) = (devices[0], devices[1], devices[2])
            try laptop.member.revoke(try DeviceDirectory(laptop.store)[phone.fingerprint])
            let rekeyMessage = try #require(
                try rekeyMailbox(laptop).rekeyMessages(from: laptop.store).first)
            let relay = try RelayAddress(parsing: "relay://127.0.0.1:7610")
            /// Visits the relay, where the rekey message lies from the given visit on.
            func visit(
                _ device: PairingDevice, from first: Int, refused reason: PeerError.Reason
            ) throws -> (end: SessionEnd, count: Int) {
                var count = 0
                let end = try device.member.visit(relay, token: nil, security: nil) { _ in
                    count += 1
                    if device.member.keyring.secret != secret { return .finished }
                    if count >= first {
                        let changes = try #require(try read(rekeyMessage, by: device))
                        try device.store.applyRekeyMessage(changes)
                    }
                    return .failed(
                        PeerError(.refused, reason: reason, "", side: .hearer, advice: ""), .ours)
                }
                return (end, count)
            }
            let waitCount = SpaceMember.rekeyWaits.count
            var visited = try visit(desk, from: waitCount + 2, refused: .oldGeneration)
            #expect(visited.count == waitCount + 1, "it does not wait for ever")
            visited = try visit(desk, from: 1, refused: .wrongProof)
            #expect(visited.end == .finished && visited.count == 2)
            visited = try visit(phone, from: 2, refused: .oldGeneration)
            #expect(visited.count == 2, "who is out asks no more")
            #expect(visited.end == .failed(.revoked, .ours))
        }

        @Test("is cut to what a relay takes, and not written in a space with one secret")
        func longRekeyMessagesAreNotWritten() throws {
            let devices = try pairingDevices("laptop", "desk", "phone")
            let (laptop, desk) = (devices[0], devices[1])
            #expect(try rekeyMailbox(laptop).rekeyMessages(from: laptop.store) == [])
            try laptop.member.revoke(nil)
            func name(_ device: PairingDevice, byteCount: Int) throws {
                try device.store.edit { transaction throws(StoreFault) in
                    try transaction.update(
                        RecordName(deviceOf: device.store.replica),
                        [Assignment(.number(2), .text(String(repeating: "n", count: byteCount)))])
                }
                if device !== laptop { try laptop.hear(device) }
            }
            try name(desk, byteCount: WireLimits.rekeyMessageByteCountMax / 2)
            let rekeyMessage = try #require(
                try rekeyMailbox(laptop).rekeyMessages(from: laptop.store).first)
            #expect(rekeyMessage.bytes.count > WireLimits.rekeyMessageByteCountMax / 2)
            #expect(named(try read(rekeyMessage, by: desk)).contains(desk.store.replica))
            // Records that do not fit are left out, the recipients' longest one first.
            try name(laptop, byteCount: WireLimits.rekeyMessageByteCountMax / 2 + 99)
            let cut = try #require(try rekeyMailbox(laptop).rekeyMessages(from: laptop.store).first)
            #expect(cut.bytes.count <= WireLimits.rekeyMessageByteCountMax)
            let left = named(try read(cut, by: desk))
            #expect(left.contains(desk.store.replica))
            #expect(!left.contains(laptop.store.replica))
        }

        @Test("nothing but records of devices is taken from one")
        func onlyDevicesAreTaken() throws {
            let devices = try pairingDevices("laptop", "desk")
            let (laptop, desk) = (devices[0], devices[1])
            try laptop.member.revoke(nil)
            let dot = Dot(replica: laptop.store.replica, counter: 1_000)
            let record = RecordState(
                clock: VersionVector(dot),
                writes: [
                    Write(
                        dot: dot, timestamp: HybridTimestamp(milliseconds: 1),
                        assignments: [Assignment(.number(1), .text("smuggled"))])
                ])
            let foreign = Change(
                RecordName(.number(1), RecordID(value: 77)), clock: record.clock,
                body: BodyCodec.encode(record, in: .number(1)))
            let before = try desk.store.summary()
            try desk.store.applyRekeyMessage([foreign])
            #expect(try desk.store.summary() == before)
            try desk.store.applyRekeyMessage(
                [foreign] + Store.changes(of: try laptop.store.deviceRecords()))
            #expect(try desk.store.record(RecordName(.number(1), RecordID(value: 77))) == nil)
            try desk.member.refresh()
            #expect(desk.member.keyring.generation == 2)
        }

        @Test(
            "a store that was set back takes a new id when a rekey message tells of writes that it lost"
        )
        func setBack() throws {
            let devices = try pairingDevices("laptop", "desk")
            let (laptop, desk) = (devices[0], devices[1])
            try laptop.member.revoke(nil)
            let counter = try desk.store.summary().counter + 5
            let dot = Dot(replica: desk.store.replica, counter: counter)
            let record = RecordState(
                clock: VersionVector(dot),
                writes: [
                    Write(
                        dot: dot, timestamp: HybridTimestamp(milliseconds: 1),
                        assignments: [Assignment(.number(2), .text("desk of tomorrow"))])
                ])
            let before = desk.store.replica
            try desk.store.applyRekeyMessage([
                Change(
                    RecordName(deviceOf: before), clock: record.clock,
                    body: BodyCodec.encode(record, in: .devices))
            ])
            #expect(desk.store.replica != before)
        }

        @Test("no word of a device that is out leaves another without a secret")
        func secretsCannotBeTakenAway() throws {
            let devices = try pairingDevices("laptop", "phone")
            let (laptop, phone) = (devices[0], devices[1])
            // The phone closes the secret that all have for the laptop, and makes later ones.
            let shared = try #require(secret)
            let key = try #require(
                try DeviceDirectory(phone.store)[laptop.fingerprint]?.exchangeKey)
            let last = try #require(
                SpaceSecret(bytes: [UInt8](repeating: 9, count: 32), generation: .max))
            try phone.store.edit { transaction throws(StoreFault) in
                for (number, made) in [shared, last].enumerated() {
                    guard
                        let envelope = try? SecretEnvelope.close(
                            made, of: phone.store.space, for: key,
                            ephemeral: [UInt8](repeating: UInt8(number + 1), count: 32))
                    else { continue }
                    try transaction.update(
                        RecordName(deviceOf: laptop.store.replica),
                        [Assignment(.element(.number(7), .bytes(envelope)), .bool(true))])
                }
            }
            for _ in 0..<12 { try phone.member.revoke(nil) }
            // Its revocation is known, and no next secret is.
            try laptop.store.edit { transaction throws(StoreFault) in
                try transaction.update(
                    RecordName(deviceOf: phone.store.replica),
                    [
                        Assignment(
                            .element(.number(6), .bytes(phone.fingerprint.bytes)), .bool(true))
                    ])
            }
            try laptop.hear(phone)
            #expect(laptop.member.keyring.secret == secret)
            #expect(laptop.member.keyring.distrusted.count <= 8)
            _ = try laptop.member.relayMembership(
                at: RelayAddress(parsing: "relay://127.0.0.1:1"), token: nil)
            try laptop.member.revoke(nil)
            #expect(laptop.member.keyring.generation == 2)
            _ = try laptop.member.relayMembership(
                at: RelayAddress(parsing: "relay://127.0.0.1:1"), token: nil)
            _ = try rekeyMailbox(laptop).rekeyMessages(from: laptop.store)
        }
    }
#endif
