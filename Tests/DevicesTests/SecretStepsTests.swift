#if Encryption
    import Core
    import Crypto
    import Devices
    import Glibc
    import Storage
    import Testing

    @Suite("Secrets of generations far ahead")
    struct SecretStepsTests {
        private static let step = WireLimits.generationStepMax
        private let secret = SpaceSecret(bytes: [UInt8](repeating: 7, count: 32), generation: 1)
        private let laptop: PairingDevice
        private let tablet: PairingDevice
        private let thief: PairingDevice

        init() throws {
            laptop = try PairingDevice("laptop", secret: secret)
            tablet = try PairingDevice("tablet", in: laptop.store.space, secret: secret)
            thief = try PairingDevice("phone", in: laptop.store.space, secret: secret)
            for device in [tablet, thief] { try laptop.hear(device) }
            for device in [tablet, thief] { try device.hear(laptop) }
        }

        private func made(_ generation: UInt32, _ byte: UInt8 = 0xff) throws -> SpaceSecret {
            try #require(
                SpaceSecret(bytes: [UInt8](repeating: byte, count: 32), generation: generation))
        }

        /// Leaves secrets for a device by hand, whatever their generation.
        private func leave(
            _ secrets: [SpaceSecret], for device: PairingDevice, by author: PairingDevice
        ) throws {
            let key = try SecretEnvelope.shown(device.member.keyring.exchangeKey)
            let fields = try secrets.map {
                let envelope = try SecretEnvelope.close($0, of: device.store.space, for: key)
                return Assignment(.element(.number(7), .bytes(envelope)), .bool(true))
            }
            try author.store.edit { transaction throws(StoreFault) in
                try transaction.update(RecordName(deviceOf: device.store.replica), fields)
            }
        }

        private func distant(_ device: PairingDevice) throws -> [DistantSecret] {
            try DeviceStatus(of: Device(device.store), now: 0).distantSecrets
        }

        /// Takes the thief out.
        private func revoke(on device: PairingDevice) throws {
            try device.member.revoke(try DeviceDirectory(device.store)[thief.fingerprint])
        }

        @Test("are ignored, the device that left them is named, and it can be revoked")
        func ignored() throws {
            let far = try made(.max)
            for device in [laptop, tablet] { try leave([far], for: device, by: thief) }
            for device in [laptop, tablet] {
                try device.hear(thief)
                #expect(device.member.keyring.secret == secret)
                #expect(device.member.keyring.secrets.count == 1)
                let found = try #require(try distant(device).first)
                #expect(found.name == "phone" && found.generation == .max && found.known == 1)
                #expect(found.isRevocable && found.device?.fingerprint == thief.fingerprint)
                #expect(try device.member.passOnSecret() == 0)
            }
            try revoke(on: laptop)
            #expect(laptop.member.keyring.generation == 2)
            try tablet.hear(laptop)
            #expect(tablet.member.keyring.secret == laptop.member.keyring.secret)
            for device in [laptop, tablet] { #expect(try distant(device).isEmpty) }
        }

        @Test("one step is taken, and one more generation is not")
        func bound() throws {
            try leave([made(Self.step + 2)], for: laptop, by: thief)
            try laptop.hear(thief)
            #expect(laptop.member.keyring.generation == 1)
            try leave([made(Self.step + 1)], for: tablet, by: thief)
            try tablet.hear(thief)
            #expect(tablet.member.keyring.generation == Self.step + 1)
            #expect(try distant(tablet).isEmpty)
        }

        @Test(
            "one that a device wrote without a record is named by its replica id, and not revocable"
        )
        func withoutRecord() throws {
            let stranger = try PairingDevice("x", in: laptop.store.space, secret: secret)
            try stranger.hear(laptop)
            try leave([made(.max)], for: laptop, by: stranger)
            let name = RecordName(deviceOf: laptop.store.replica)
            let answer = try stranger.store.read(
                from: .sequence(0), peerHas: PeerHoldings(), isFull: true)
            _ = try laptop.store.integrate(
                answer.changes.filter { $0.name == name }, from: stranger.store.replica,
                checkpoint: nil)
            let found = try #require(try distant(laptop).first)
            #expect(!found.isRevocable && found.name.hasPrefix("device "))
        }

        @Test(
            "a revocation after a step that only one device took reaches the others, and names nobody"
        )
        func stepThatOneTook() throws {
            try leave([made(Self.step + 1)], for: laptop, by: thief)
            try laptop.hear(thief)
            try revoke(on: laptop)
            #expect(laptop.member.keyring.generation == Self.step + 2)
            try tablet.hear(laptop)
            #expect(tablet.member.keyring.secret == laptop.member.keyring.secret)
            #expect(try distant(tablet).isEmpty)
            try thief.hear(laptop)
            #expect(thief.member.keyring.generation == 1)
        }

        @Test("a secret distrusted since is known all the same: the next one is no step too far")
        func distrustedCounts() throws {
            for device in [laptop, tablet] {
                try leave([made(Self.step + 1)], for: device, by: thief)
                try device.hear(thief)
            }
            for device in [laptop, tablet] { try laptop.hear(device) }
            try revoke(on: laptop)
            // The revocation comes first, from a device that has no envelope for this one.
            let mark = Field.element(.number(6), .bytes(thief.fingerprint.bytes))
            try tablet.store.edit { transaction throws(StoreFault) in
                try transaction.update(
                    RecordName(deviceOf: tablet.store.replica), [Assignment(mark, .bool(true))])
            }
            try tablet.member.refresh()
            #expect(tablet.member.keyring.generation == 1)
            #expect(tablet.member.keyring.distrusted.map(\.generation) == [Self.step + 1])
            try tablet.hear(laptop)
            #expect(tablet.member.keyring.secret == laptop.member.keyring.secret)
            #expect(try distant(tablet).isEmpty)
        }

        @Test("a late device is led there in steps, by all devices with the same envelopes")
        func ledInSteps() throws {
            let present = try made(5 * Self.step + 7)
            for device in [laptop, tablet] { try device.member.update { $0.add(present) } }
            let late = try PairingDevice("late", in: laptop.store.space, secret: secret)
            for device in [laptop, tablet] {
                try device.member.refresh()
                try device.hear(late)
                #expect(try device.member.passOnSecret() > 0)
                #expect(try device.member.passOnSecret() == 0)
            }
            try late.hear(laptop)
            #expect(late.member.keyring.secret == present)
            try late.hear(tablet)
            let own = try #require(try DeviceDirectory(late.store)[late.fingerprint])
            #expect(Set(own.envelopes).count == 6)
            #expect(try distant(late).isEmpty)
        }

        @Test("a device that is too far behind for the steps of one look is left nothing")
        func tooFarBehind() throws {
            let most = UInt32(SecretSteps.countMax) * Self.step
            let present = try made(most + 2)
            try laptop.member.update { $0.add(present) }
            try laptop.member.refresh()
            #expect(try laptop.member.passOnSecret() == 0)
            let space = laptop.store.space
            #expect(try SecretSteps.path(to: made(most + 2), from: 1, in: space) == nil)
            let path = try #require(try SecretSteps.path(to: made(most + 1), from: 1, in: space))
            #expect(path.count == SecretSteps.countMax)
            #expect(path.map(\.generation).first == Self.step + 1)
            #expect(path.last == (try made(most + 1)))
            #expect(try SecretSteps.path(to: made(3), from: 1, in: space) == [made(3)])
            #expect(try SecretSteps.path(to: made(3), from: 3, in: space) == [made(3)])
        }

        @Test("at one look a device takes no more than so many steps")
        func stepsOfOneLook() throws {
            let secrets = try (1...UInt32(SecretSteps.countMax) + 4).map {
                try made(1 + $0 * Self.step)
            }
            try leave(secrets, for: laptop, by: thief)
            try laptop.hear(thief)
            #expect(
                laptop.member.keyring.generation == 1 + UInt32(SecretSteps.countMax) * Self.step)
            #expect(try distant(laptop).isEmpty)
        }

        @Test("a keyring keeps so many secrets, the first and those that relays have among them")
        func manySecrets() throws {
            let count = UInt32(Keyring.secretCountMax)
            try GenerationNote.keep(3, at: "relay://r:1", in: laptop.store)
            let left = try (2...count + 40).map { try made($0, UInt8($0 % 251)) }
            try leave(left, for: laptop, by: thief)
            for _ in 0..<2 {
                try laptop.hear(thief)
                let keyring = laptop.member.keyring
                #expect(keyring.secrets.count == Keyring.secretCountMax)
                #expect(keyring.generation == count + 40)
                #expect(keyring.secrets.first == secret)
                #expect(keyring.secrets[1].generation == 3)
                #expect(keyring.secrets[2].generation == 43)
            }
            try revoke(on: laptop)
            let keyring = laptop.member.keyring
            #expect(keyring.secrets.count == Keyring.secretCountMax)
            #expect(keyring.generation == count + 41 && keyring.secrets.first == secret)
            #expect(keyring.distrusted.allSatisfy(keyring.secrets.contains))
        }

        @Test("the end of the steps is that of the last gap that is no wider than one")
        func end() {
            let step = Self.step
            #expect(SecretSteps.end(from: 5, over: []) == 5)
            #expect(SecretSteps.end(from: 5, over: [3, 7, 6]) == 7)
            #expect(SecretSteps.end(from: 5, over: [5 + step, 6 + 2 * step]) == 5 + step)
            #expect(SecretSteps.end(from: 5, over: [5 + 2 * step, 5 + step]) == 5 + 2 * step)
            #expect(
                SecretSteps.end(from: 5, over: [5 + 2 * step, 5 + step], countMax: 1) == 5 + step)
            #expect(SecretSteps.end(from: .max, over: [.max, 1]) == .max)
            #expect(SecretSteps.end(from: .max - 1, over: [.max]) == .max)
        }

        @Test("the last generation has no next one: nobody is revoked, and nothing is written")
        func lastGeneration() throws {
            let last = try made(.max)
            try laptop.member.update { $0.add(last) }
            try laptop.member.refresh()
            let (sequence, keyring) = (laptop.store.sequence, laptop.member.keyring)
            #expect {
                try revoke(on: laptop)
            } throws: {
                if case .lastGeneration? = $0 as? DeviceFault { true } else { false }
            }
            #expect(laptop.store.sequence == sequence && laptop.member.keyring == keyring)
            #expect(try !DeviceDirectory(laptop.store).isRevoked(thief.fingerprint))
        }
    }
#endif
