#if Encryption
    import Core
    import Crypto
    import Devices
    import Storage
    import Testing

    /// A member deletes, purges or fills records of devices: nobody is put out by that, and it can be put out.
    @Suite("Records of devices that somebody has deleted")
    struct DeletedDeviceRecordTests {
        /// What a member does to a record.
        enum Deed: CaseIterable {
            case delete, purge, fill
            /// With another exchange key, and without having seen what stands there.
            case fillUnseen
            /// Under the id of the device itself, in a write that it made elsewhere.
            case fillForged
        }

        /// Whose record it does it to.
        enum Victim: CaseIterable {
            case owner, other, itself
        }

        private let secret = SpaceSecret(bytes: [UInt8](repeating: 7, count: 32), generation: 1)

        /// A body with so many elements, and these fields.
        private func filled(
            _ name: RecordName, _ dot: Dot, count: Int, besides fields: [Assignment] = []
        ) -> Change {
            let elements = (0..<count).map {
                Assignment(.element(.number(99), .int(Int64($0))), .bool(true))
            }
            let write = Write(
                dot: dot, timestamp: HybridTimestamp(milliseconds: 4_000_000_000_000),
                assignments: fields + elements.sorted { $0.field < $1.field })
            let record = RecordState(clock: VersionVector(dot), writes: [write])
            return Change(
                name, clock: record.clock, body: BodyCodec.encode(record, in: name.collection))
        }

        private func harm(
            _ victim: PairingDevice, _ deed: Deed, by thief: PairingDevice,
            at others: [PairingDevice]
        ) throws {
            let name = RecordName(deviceOf: victim.store.replica)
            if deed == .fillUnseen || deed == .fillForged {
                var dot = Dot(replica: ReplicaID(value: 5), counter: 1)
                if deed == .fillForged {
                    // A number that the victim gave to a write in another record.
                    try victim.store.edit { transaction throws(StoreFault) in
                        try transaction.updateDevice(
                            thief.store.replica, [Assignment(.number(98), .int(1))])
                    }
                    let counter = try #require(
                        try victim.store.record(RecordName(deviceOf: thief.store.replica))
                    ).record.clock.counter(of: victim.store.replica)
                    dot = Dot(replica: victim.store.replica, counter: counter)
                }
                let key = Assignment(.number(4), .bytes(Array(repeating: 3, count: 32)))
                let full = filled(
                    name, dot, count: RecordLimits.assignmentCountMax - 1, besides: [key])
                for device in others {
                    _ = try device.store.integrate(
                        [full], from: thief.store.replica, checkpoint: nil)
                    try device.member.refresh()
                }
                return
            }
            if deed == .fill {
                // As many elements as the record has room for.
                let known = try thief.store.record(name)?.record ?? RecordState()
                let full = filled(
                    name, Dot(replica: ReplicaID(value: 6), counter: 1),
                    count: RecordLimits.assignmentCountMax - known.assignmentCount)
                let found = try thief.store.integrate(
                    [full], from: ReplicaID(value: 6), checkpoint: nil)
                #expect(found.deferredCount == 0)
                return
            }
            try thief.store.edit { transaction throws(StoreFault) in
                switch deed {
                case .delete: try transaction.delete(name)
                case .purge: try transaction.purge(name, isForced: true)
                case .fill, .fillUnseen, .fillForged: break
                }
            }
        }

        @Test(
            "those whose record it was go on, the others trust them, and the member can be put out",
            arguments: Deed.allCases, Victim.allCases)
        func goesOn(deed: Deed, victim: Victim) throws {
            let owner = try PairingDevice("owner", secret: secret)
            let other = try PairingDevice("other", in: owner.store.space, secret: secret)
            let thief = try PairingDevice("thief", in: owner.store.space, secret: secret)
            for device in [other, thief] { try owner.hear(device) }
            for device in [other, thief] { try device.hear(owner) }
            let harmed = [Victim.owner: owner, .other: other, .itself: thief][victim] ?? thief
            try harm(harmed, deed, by: thief, at: [owner, other])
            for device in [owner, other] { try device.hear(thief) }
            try owner.hear(other)
            try other.hear(owner)
            try owner.hear(other)
            for (device, peer) in [(owner, other), (other, owner)] {
                let directory = try DeviceDirectory(device.store)
                #expect(directory.trusts(peer.fingerprint))
                #expect(directory.trusts(device.fingerprint))
                #expect(directory[peer.fingerprint]?.name == (peer === owner ? "owner" : "other"))
                // Nobody else's key stands in the place of its own.
                let known = try #require(directory[peer.fingerprint])
                let own = try #require(try DeviceDirectory(peer.store)[peer.fingerprint])
                #expect(known.exchangeKey == own.exchangeKey)
                #expect(known.exchangeKey != Array(repeating: 3, count: 32))
            }
            let known = try DeviceDirectory(owner.store)[thief.fingerprint]
            // A write under its own id has seen all that stood there.
            if deed == .purge || deed == .fillForged, victim == .itself {
                #expect(known == nil, "it has taken itself out")
                #expect(try !DeviceDirectory(other.store).trusts(thief.fingerprint))
                return
            }
            guard let known else {
                Issue.record("it is known no more")
                return
            }
            try owner.member.revoke(known)
            try other.hear(owner)
            for device in [owner, other] {
                #expect(try DeviceDirectory(device.store).isRevoked(thief.fingerprint))
                #expect(device.member.keyring.generation == 2)
            }
            #expect(other.member.keyring.secret == owner.member.keyring.secret)
            try owner.hear(other)
            #expect(try owner.member.passOnSecret() == 0)
            #expect(try owner.store.examine() == [])
        }

        @Test("what others wrote into a record stays theirs when its device brings it back")
        func authors() throws {
            let owner = try PairingDevice("owner", secret: secret)
            let thief = try PairingDevice("thief", in: owner.store.space, secret: secret)
            try owner.hear(thief)
            try thief.hear(owner)
            let name = RecordName(deviceOf: owner.store.replica)
            let envelope = Field.element(.number(7), .bytes([1, 2, 3]))
            let mark = Field.element(.number(6), .bytes(Array(repeating: 8, count: 32)))
            try thief.store.edit { transaction throws(StoreFault) in
                try transaction.update(
                    name, [Assignment(mark, .bool(true)), Assignment(envelope, .bool(true))])
                try transaction.delete(name)
            }
            try owner.hear(thief)
            let own = try #require(try owner.store.record(name))
            #expect(!own.verdict.isDeleted)
            for field in [envelope, mark] {
                let authors = own.record.survivors(of: field).map(\.write.dot.replica)
                #expect(authors == [thief.store.replica])
            }
        }

        @Test(
            "who is out hears by a rekey message of no device that came later and put another one out"
        )
        func laterDevices() throws {
            let owner = try PairingDevice("owner", secret: secret)
            let thief = try PairingDevice("thief", in: owner.store.space, secret: secret)
            let away = try PairingDevice("away", in: owner.store.space, secret: secret)
            for device in [thief, away] { try owner.hear(device) }
            let known = try #require(try DeviceDirectory(owner.store)[thief.fingerprint])
            try owner.member.revoke(known)
            let later = try PairingDevice(
                "later", in: owner.store.space, secret: owner.member.keyring.secret)
            try later.hear(owner)
            let gone = try #require(
                try DeviceDirectory(later.store).devices.first { $0.name == "away" })
            try later.member.revoke(gone)
            try owner.hear(later)
            let older = try SpaceSealer(try #require(secret), of: owner.store.space)
            let present = try #require(owner.member.keyring.secret)
            let mailbox = SpaceRekeyMailbox(
                try SpaceSealer(present, of: owner.store.space), older: [older])
            let messages = try mailbox.rekeyMessages(from: owner.store)
            #expect(!messages.isEmpty)
            for message in messages {
                let told: [Change] = try #require(
                    SpaceRekeyMailbox(older, older: []).open(message))
                #expect(!told.contains { $0.name == RecordName(deviceOf: later.store.replica) })
            }
        }
    }
#endif
