#if Encryption
    import Core
    import Crypto
    import Devices
    import Storage
    import Testing

    /// A revoked device has a second record under its key, and takes its revocation away at a device that has not heard
    /// of it.
    @Suite("Revocations that somebody takes away")
    struct RevocationMemoryTests {
        private let secret = SpaceSecret(bytes: [UInt8](repeating: 7, count: 32), generation: 1)
        private let one: PairingDevice
        private let other: PairingDevice
        private let thief: PairingDevice
        /// A record that no replica has: another one under the thief's key.
        private let second = RecordName(deviceOf: ReplicaID(value: 77))

        init() throws {
            one = try PairingDevice("one", secret: secret)
            other = try PairingDevice("other", in: one.store.space, secret: secret)
            thief = try PairingDevice("thief", in: one.store.space, secret: secret)
            for device in [other, thief] { try one.hear(device) }
            for device in [other, thief] { try device.hear(one) }
        }

        private func showAgain() throws {
            let key = Assignment(.number(3), .bytes(thief.fingerprint.bytes))
            try thief.store.edit { transaction throws(StoreFault) in
                _ = try transaction.insert(
                    [key, Assignment(.number(2), .text("innocent"))], into: .devices, id: second.id)
            }
        }

        private func revoke() throws {
            let device = try #require(try DeviceDirectory(one.store)[thief.fingerprint])
            try one.member.revoke(device)
        }

        /// Purges the records that name the revocation: that of the thief, and that of the device that revoked it.
        private func purge() throws {
            let names = [thief, one].map { RecordName(deviceOf: $0.store.replica) }
            try thief.store.edit { transaction throws(StoreFault) in
                for name in names { try transaction.purge(name, isForced: true) }
            }
        }

        private func expectOut(_ device: PairingDevice, _ comment: Comment) throws {
            let directory = try DeviceDirectory(device.store)
            #expect(directory.isRevoked(thief.fingerprint), comment)
            #expect(!directory.trusts(thief.fingerprint), comment)
            guard case .refused(let error) = device.member.judge(thief.fingerprint) else {
                Issue.record("let in: \(comment)")
                return
            }
            #expect(error.reason == .revoked, comment)
        }

        @Test("a purge that has seen the revocation takes it from nobody who has heard of it")
        func purgeThatKnows() throws {
            try revoke()
            // A rekey message tells it who is out.
            try thief.hear(one)
            try purge()
            try showAgain()
            try other.hear(thief)
            #expect(try DeviceDirectory(other.store).trusts(thief.fingerprint), "it cannot know")
            try one.hear(other)
            try expectOut(one, "it has revoked it")
            try other.hear(one)
            try expectOut(other, "it is told again")
            // A revocation that was written again is seen by the next one, and not written twice.
            let sequence = one.store.sequence
            try one.hear(other)
            try one.member.refresh()
            #expect(one.store.sequence == sequence)
            let third = try PairingDevice("third", in: one.store.space, secret: secret)
            try third.hear(other)
            try expectOut(third, "it hears of it from others")
        }

        @Test("a purge at the time of the revocation does not hide it")
        func purgeMeanwhile() throws {
            try showAgain()
            try purge()
            try revoke()
            try other.hear(thief)
            try one.hear(other)
            try expectOut(one, "it has revoked it")
            try other.hear(one)
            try expectOut(other, "it hears of it")
        }

        @Test(
            "a record with a clock that has seen the revocation, and without it, takes it from nobody"
        )
        func forgedRecord() throws {
            try revoke()
            let name = RecordName(deviceOf: thief.store.replica)
            let known = try #require(try one.store.record(name))
            var forged = known.record
            for index in forged.writes.indices {
                forged.writes[index].assignments.removeAll { assignment in
                    if case .element = assignment.field { true } else { false }
                }
            }
            forged.writes.removeAll { $0.assignments.isEmpty }
            let later = Dot(
                replica: thief.store.replica,
                counter: known.record.clock.counter(of: thief.store.replica) + 1)
            let change = Change(
                name, clock: known.record.clock.joined(with: VersionVector(later)),
                body: BodyCodec.encode(forged, in: name.collection))
            _ = try other.store.integrate([change], from: thief.store.replica, checkpoint: nil)
            #expect(try DeviceDirectory(other.store).trusts(thief.fingerprint), "it cannot know")
            try one.hear(other)
            try expectOut(one, "it has revoked it")
            try other.hear(one)
            try expectOut(other, "it is told again")
        }

        @Test("of many that were made up, no more are written again than leave the record room")
        func madeUp() throws {
            let count = SpaceMember.renewedCountMax + 44
            let name = RecordName(deviceOf: thief.store.replica)
            try thief.store.edit { transaction throws(StoreFault) in
                try transaction.update(
                    name,
                    (0..<count).map { number in
                        let key =
                            [UInt8(number >> 8), UInt8(number & 255)]
                            + Array(repeating: 1, count: 30)
                        return Assignment(.element(.number(6), .bytes(key)), .bool(true))
                    })
            }
            try one.hear(thief)
            try purge()
            try showAgain()
            try one.hear(thief)
            #expect(try one.store.lostRevocations().count == count)
            let own = try #require(try one.store.record(RecordName(deviceOf: one.store.replica)))
            let marks = own.record.elements(of: .number(6)).count
            #expect(marks == SpaceMember.renewedCountMax)
            try one.member.refresh()
            let again = try #require(try one.store.record(own.name))
            #expect(again.record.elements(of: .number(6)).count == marks)
            try revoke()
            try expectOut(one, "room is left")
        }

        @Test("it counts from the merge on, before the device's own record names it again")
        func atOnce() throws {
            try revoke()
            try thief.hear(one)
            try purge()
            try showAgain()
            let answer = try thief.store.read(
                from: .sequence(0), peerHas: PeerHoldings(), isFull: true)
            _ = try one.store.integrate(
                answer.changes, from: thief.store.replica, checkpoint: nil)
            #expect(try one.store.lostRevocations() == [thief.fingerprint.bytes])
            try expectOut(one, "before its own record names it again")
            #expect(try one.store.examine() == [])
        }
    }
#endif
