import Transport

#if Encryption
    import Core
    import Glibc
    import Devices
    import Core
    import Devices
    import Crypto
    import Storage
    import Testing
    import Core

    @Suite("Devices of a space")
    struct SpaceMemberTests {
        private let secret = SpaceSecret(bytes: [UInt8](repeating: 7, count: 32), generation: 1)

        @Test("devices that have heard of each other trust each other, strangers nobody")
        func recordsAreTrusted() throws {
            let one = try PairingDevice("one", secret: secret)
            let other = try PairingDevice("other", in: one.store.space, secret: secret)
            let stranger = try DeviceCertificate().fingerprint
            #expect(isUnknown(one.member.judge(other.fingerprint)))
            try one.hear(other)
            #expect(isTrusted(one.member.judge(other.fingerprint)))
            #expect(isUnknown(one.member.judge(stranger)))
        }

        @Test(
            "an unknown key is heard while a program waits with a code, and not for the socket of a killed one"
        )
        func leftSockets() throws {
            let one = try PairingDevice("one", secret: secret)
            let stranger = try DeviceCertificate().fingerprint
            let name = "pairing-\(String(repeating: "0a", count: 16)).sock"
            var waiting: Descriptor? = try LocalSocket.listen(at: name, in: one.folder)
            guard case .stranger = one.member.judge(stranger) else {
                Issue.record("nobody hears with which code it comes")
                return
            }
            waiting = nil
            #expect(access("\(one.folder)/\(name)", F_OK) == 0)
            #expect(isUnknown(one.member.judge(stranger)))
            #expect(access("\(one.folder)/\(name)", F_OK) == -1, "it is taken away")
            _ = consume waiting
        }

        @Test("of several devices with one code the first is trusted, the same one everywhere")
        func lateUsers() throws {
            let one = try PairingDevice("one", secret: secret)
            let first = try PairingDevice("first", in: one.store.space, secret: secret)
            let second = try PairingDevice("second", in: one.store.space, secret: secret)
            let other = try PairingDevice("other", in: one.store.space, secret: secret)
            let mailbox = [UInt8](repeating: 3, count: 16)
            try first.member.refresh(invite: mailbox)
            usleep(5000)
            try second.member.refresh(invite: mailbox)
            try other.member.refresh(invite: [UInt8](repeating: 4, count: 16))
            // In whichever order their records come.
            for devices in [[first, second, other], [second, other, first]] {
                let reader = try PairingDevice("reader", in: one.store.space, secret: secret)
                for device in devices { try reader.hear(device) }
                let book = try DeviceDirectory(reader.store)
                #expect(
                    book.devices.filter(\.isLateUser).map(\.fingerprint) == [second.fingerprint])
                #expect(book.trusts(first.fingerprint) && book.trusts(other.fingerprint))
                #expect(!book.trusts(second.fingerprint))
                #expect(isTrusted(reader.member.judge(first.fingerprint)))
                guard case .refused(let error) = reader.member.judge(second.fingerprint) else {
                    Issue.record("the late user is let in")
                    return
                }
                #expect(error.reason == .codeUsed)
                #expect(book.refusal(ReplicaID(value: 1), second.fingerprint)?.reason == .codeUsed)
                #expect(book.refusal(ReplicaID(value: 1), first.fingerprint) == nil)
            }
        }

        @Test("a revocation stays, whatever the revoked device writes about it")
        func revocationStays() throws {
            let one = try PairingDevice("one", secret: secret)
            let other = try PairingDevice("other", in: one.store.space, secret: secret)
            try one.hear(other)
            let device = try #require(try DeviceDirectory(one.store)[other.fingerprint])
            try one.member.revoke(device)
            try other.hear(one)
            let mark = Field.element(.number(6), .bytes(other.fingerprint.bytes))
            try other.store.edit { transaction throws(StoreFault) in
                try transaction.update(
                    RecordName(deviceOf: other.store.replica),
                    [Assignment(mark, .null)])
            }
            try one.hear(other)
            #expect(try DeviceDirectory(one.store).isRevoked(other.fingerprint))
            #expect(try !DeviceDirectory(other.store).trusts(other.fingerprint))
            guard case .refused(let error) = one.member.judge(other.fingerprint) else {
                Issue.record("let in")
                return
            }
            #expect(error.reason == .revoked)
        }

        @Test(
            "the next secret reaches those who stay, also one who joined meanwhile, and nobody else"
        )
        func secretsAreHandedOn() throws {
            let one = try PairingDevice("one", secret: secret)
            let other = try PairingDevice("other", in: one.store.space, secret: secret)
            let thief = try PairingDevice("thief", in: one.store.space, secret: secret)
            let late = try PairingDevice("late", in: one.store.space, secret: secret)
            try one.hear(other)
            try one.hear(thief)
            let device = try #require(try DeviceDirectory(one.store)[thief.fingerprint])
            try one.member.revoke(device)
            #expect(one.member.keyring.generation == 2)
            for device in [other, thief] { try device.hear(one) }
            #expect(other.member.keyring.secret == one.member.keyring.secret)
            #expect(thief.member.keyring.secret == secret)
            try other.hear(late)
            #expect(try other.member.passOnSecret() == 1)
            #expect(try other.member.passOnSecret() == 0)
            try late.hear(other)
            #expect(late.member.keyring.secret == one.member.keyring.secret)
        }

        @Test(
            "a copied keyring opens no later secret once the copy is revoked, by whichever device")
        func copiedKeyring() throws {
            let one = try PairingDevice("one", secret: secret)
            let copied = try PairingDevice("copied", in: one.store.space, secret: secret)
            let thief = try PairingDevice("thief", in: one.store.space, secret: secret)
            let key = copied.member.keyring.exchangeKey
            try thief.member.update { $0.exchangeKey = key }
            try thief.member.refresh()
            for device in [copied, thief] { try one.hear(device) }
            let device = try #require(try DeviceDirectory(one.store)[thief.fingerprint])
            let sharers = try DeviceDirectory(one.store).sharers(ofKeyOf: device)
            #expect(sharers.map(\.fingerprint) == [copied.fingerprint])
            try one.member.revoke(device)
            #expect(one.member.keyring.generation == 2)
            #expect(try one.member.passOnSecret() == 0, "whoever has the copy would open it")
            for device in [copied, thief] { try device.hear(one) }
            #expect(copied.member.keyring.generation == 1)
            #expect(thief.member.keyring.generation == 1)
            #expect(thief.member.keyring.exchangeKey == key)
            // The original makes a key of its own, and gets the secret when it meets another device.
            #expect(copied.member.keyring.exchangeKey != key)
            try one.hear(copied)
            #expect(try one.member.passOnSecret() == 1)
            for device in [copied, thief] { try device.hear(one) }
            #expect(copied.member.keyring.secret == one.member.keyring.secret)
            #expect(thief.member.keyring.generation == 1)
        }

        @Test("a device that revokes a copy of its own keyring keeps the next secret to itself")
        func copyOfOwnKeyring() throws {
            let one = try PairingDevice("one", secret: secret)
            let thief = try PairingDevice("thief", in: one.store.space, secret: secret)
            let key = one.member.keyring.exchangeKey
            try thief.member.update { $0.exchangeKey = key }
            try thief.member.refresh()
            try one.hear(thief)
            let device = try #require(try DeviceDirectory(one.store)[thief.fingerprint])
            try one.member.revoke(device)
            #expect(one.member.keyring.generation == 2)
            #expect(one.member.keyring.exchangeKey != key)
            try thief.hear(one)
            #expect(thief.member.keyring.generation == 1)
        }

        @Test("of two secrets of one generation a device that was given one alone gets the greater")
        func secondSecretReachesAll() throws {
            let one = try PairingDevice("one", secret: secret)
            let other = try PairingDevice("other", in: one.store.space, secret: secret)
            let third = try PairingDevice("third", in: one.store.space, secret: secret)
            // The other does not know the third, and none of them hears of two secrets at once.
            try one.hear(third)
            try one.member.revoke(nil)
            try other.member.revoke(nil)
            try third.hear(one)
            let made = [one, other].compactMap(\.member.keyring.secret)
            #expect(made.map(\.generation) == [2, 2])
            #expect(third.member.keyring.secret == made[0])
            for device in [one, third] { try other.hear(device) }
            #expect(try other.member.passOnSecret() == 2)
            #expect(try other.member.passOnSecret() == 0)
            for device in [third, one] { try device.hear(other) }
            for device in [third, one] {
                _ = try device.member.passOnSecret()
                try other.hear(device)
            }
            let greater = made.max { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            for device in [one, other, third] {
                #expect(device.member.keyring.secret == greater)
                #expect(try device.member.passOnSecret() == 0)
            }
        }

        @Test("two devices that leave one secret for a third write the same envelope")
        func envelopesAreTheSame() throws {
            let one = try PairingDevice("one", secret: secret)
            let other = try PairingDevice("other", in: one.store.space, secret: secret)
            let third = try PairingDevice("third", in: one.store.space, secret: secret)
            try one.hear(other)
            try one.member.revoke(nil)
            try other.hear(one)
            for device in [one, other] {
                try device.hear(third)
                #expect(try device.member.passOnSecret() == 1)
            }
            for device in [one, other] { try third.hear(device) }
            let envelopes = try #require(try DeviceDirectory(third.store)[third.fingerprint])
                .envelopes
            #expect(Set(envelopes).count == 1)
            #expect(third.member.keyring.secret == one.member.keyring.secret)
        }

        @Test("a secret that a revoked device hands out is taken by nobody")
        func revokedDevicesHandOutNothing() throws {
            let one = try PairingDevice("one", secret: secret)
            let thief = try PairingDevice("thief", in: one.store.space, secret: secret)
            try one.hear(thief)
            try thief.hear(one)
            try one.member.revoke(try DeviceDirectory(one.store)[thief.fingerprint])
            let made = one.member.keyring.secret
            // He has not heard of it, and makes secrets of his own.
            for _ in 0..<3 { try thief.member.revoke(nil) }
            try one.hear(thief)
            #expect(one.member.keyring.secret == made)
        }

        @Test("a secret taken from a device before it was known to be revoked is not used any more")
        func secretsOfRevokedDevicesAreLeft() throws {
            let one = try PairingDevice("one", secret: secret)
            let other = try PairingDevice("other", in: one.store.space, secret: secret)
            let thief = try PairingDevice("thief", in: one.store.space, secret: secret)
            for device in [one, thief] {
                try device.hear(other)
                try device.hear(device === one ? thief : one)
            }
            // The thief is revoked, and makes later secrets for a device that does not know that
            // yet.
            try one.member.revoke(try DeviceDirectory(one.store)[thief.fingerprint])
            for _ in 0..<3 { try thief.member.revoke(nil) }
            try other.hear(thief)
            #expect(other.member.keyring.secret == thief.member.keyring.secret)
            #expect(other.member.keyring.generation == 4)
            try other.hear(one)
            #expect(other.member.keyring.secret == one.member.keyring.secret)
            // Written and read, and with the next one too.
            let kept = try #require(try Keyring.read(in: other.folder))
            #expect(kept.secret == one.member.keyring.secret)
            #expect(kept.secrets.count == 5)
            try one.hear(other)
            try other.member.revoke(nil)
            try one.hear(other)
            #expect(one.member.keyring.secret == other.member.keyring.secret)
            #expect(one.member.keyring.generation == 3)
        }

        @Test("a secret that a revoked device made while it belonged to the space leads on")
        func earlierSecretsStay() throws {
            let one = try PairingDevice("one", secret: secret)
            let other = try PairingDevice("other", in: one.store.space, secret: secret)
            try one.hear(other)
            try other.hear(one)
            try other.member.revoke(nil)
            try one.hear(other)
            #expect(one.member.keyring.generation == 2)
            try one.member.revoke(try DeviceDirectory(one.store)[other.fingerprint])
            #expect(one.member.keyring.generation == 3)
            #expect(one.member.keyring.secrets.map(\.generation) == [1, 2, 3])
        }

        @Test(
            "a keyring says the same after being written and read; damage and curious modes are told"
        )
        func keyringsAreKept() throws {
            let one = try PairingDevice("one", secret: secret)
            try one.member.update { keyring in
                keyring.relays["relay://r:1#x"] = "token"
                keyring.peers = ["tcp://p:1"]
                keyring.admit(Self.decision(one.fingerprint), at: 9)
            }
            #expect(try Keyring.read(in: one.folder) == one.member.keyring)
            let path = Keyring.path(in: one.folder)
            chmod(path, 0o644)
            #expect(throws: KeyringFault.exposed(path: path, mode: 0o644)) {
                try Keyring.read(in: one.folder)
            }
            try PrivateFile.write(Array("space 1\n".utf8), to: path, replaces: true)
            #expect(throws: KeyringFault.damagedLine(path: path, line: 1)) {
                try Keyring.read(in: one.folder)
            }
        }

        private static func decision(_ fingerprint: Fingerprint) -> PairingDecision {
            PairingDecision(
                mailbox: [1, 2], fingerprint: fingerprint, name: "a phone\n", request: [3],
                answer: [4], outcome: [5, 6])
        }

        @Test(
            "an admitted device is trusted, listed as not yet seen, and can be revoked before it is"
        )
        func admittedNotSeen() throws {
            let one = try PairingDevice("one", secret: secret)
            let phone = try DeviceCertificate().fingerprint
            try one.member.update { $0.admit(Self.decision(phone), at: 9) }
            #expect(isTrusted(one.member.judge(phone)))
            let device = Device(one.store)
            let found = try #require(
                try device.spaceDevices(one.member.keyring).first { !$0.isOwn })
            #expect(found.device.isUnseen && found.device.fingerprint == phone)
            #expect(found.device.name == "a phone\n")
            try one.member.revoke(found.device)
            guard case .refused(let error) = one.member.judge(phone) else {
                Issue.record("let in")
                return
            }
            #expect(error.reason == .revoked && one.member.keyring.generation == 2)
        }

        @Test("of admitted devices no more than the limit are kept, the latest")
        func admittedBound() throws {
            let one = try PairingDevice("one", secret: secret)
            try one.member.update { keyring in
                for time in 0..<Int64(Keyring.admittedCountMax + 3) {
                    keyring.admit(Self.decision(one.fingerprint), at: time)
                }
            }
            let kept = try #require(try Keyring.read(in: one.folder)).admitted
            #expect(kept.count == Keyring.admittedCountMax && kept.first?.time == 3)
        }

        @Test("a move to another space that is cut short trusts no device of the space it left")
        func movedAndCut() throws {
            let one = try PairingDevice("one", secret: secret)
            let other = try PairingDevice("other", in: one.store.space, secret: secret)
            try one.hear(other)
            one.store.close()
            func opened() throws -> Store {
                try Store.open(
                    folder: one.folder, schema: [],
                    environment: SystemEnvironment.environment())
            }
            let handover = PairingHandover(
                space: SpaceID(value: 9), policy: .editsWin, secret: secret, addresses: [],
                inviter: [])
            let joining = JoiningDevice(mailbox: [1], handover: handover)
            // The keyring is what is written after the store: a mode that is refused ends the join there.
            chmod(Keyring.path(in: one.folder), 0o644)
            let moving = try opened()
            #expect(throws: KeyringFault.self) { try joining.enter(moving, one.fingerprint) }
            moving.abandon()
            chmod(Keyring.path(in: one.folder), 0o600)
            let again = try opened()
            #expect(again.space == handover.space)
            #expect(try DeviceDirectory(again)[other.fingerprint] == nil)
            // Joining once more lets nobody in either.
            let member = try joining.enter(again, one.fingerprint)
            #expect(isUnknown(member.judge(other.fingerprint)))
            again.close()
        }

        private func isTrusted(_ admission: Admission) -> Bool {
            if case .trusted = admission { true } else { false }
        }

        private func isUnknown(_ admission: Admission) -> Bool {
            if case .unknown = admission { true } else { false }
        }
    }
#endif
