#if Encryption
    import Core
    import Crypto
    import Devices
    import Session
    import Storage
    import Transport

    /// One device: a store with encryption, and its sessions with one relay after the other.
    final class CrowdDevice {
        /// Its number among all devices, its space's number, and the number of the field that it alone writes.
        struct Member {
            let device: Int
            let space: Int
            let field: UInt32
        }

        static let items = CollectionID.number(1)
        /// The field that all devices write.
        static let sharedField: UInt32 = 2
        /// The fields of which each device of a space has one for itself.
        static let ownFields: ClosedRange<UInt32> = 3...34
        static let schema = [
            CollectionSchema(
                .number(1), "item",
                fields: [FieldSchema(2, "title", .text)]
                    + ownFields.map { FieldSchema($0, "field\($0)", .text) })
        ]

        let member: Member
        let store: Store
        private let runner: ReplicaRunner
        private let relayMember: RelaySpaceMember
        private let certificate: DeviceCertificate
        private let loop: EventLoop
        private var caller: Reconnector?
        /// Tells the ends of a session from those of the one before.
        private var callNumber = 0
        /// Called with the end and the report of each session.
        var ended: (Result<SessionEnd, TransportError>, SessionReport) -> Void = { _, _ in }
        /// Called when a live session has all for the first time.
        var caughtUp: () -> Void = {}
        private var next: () -> Void = {}
        private var number: Int
        /// The records that this device made and has not deleted.
        private var ownRecords: [RecordName] = []

        init(
            _ member: Member, in folder: String, seed: UInt64, after number: Int, on loop: EventLoop
        )
            throws
        {
            self.member = member
            self.number = number
            self.loop = loop
            let own = "\(folder)/device-\(member.device)"
            let space = SpaceID(value: UInt128(seed) << 64 | UInt128(member.space + 1))
            store = try Self.openOrCreate(own, space, "device \(member.device)")
            guard let certificate = try DeviceAccess.certificate(in: own),
                let secret = SpaceSecret(
                    bytes: (0..<32).map { UInt8(truncatingIfNeeded: member.space >> ($0 % 4 * 8)) },
                    generation: 1)
            else { throw CrowdFault.failed("no key") }
            self.certificate = certificate
            relayMember = .sealed(by: try SpaceSealer(secret, of: space))
            // No other process has the store.
            runner = try ReplicaRunner(store: store, on: loop, isWatching: false)
            let prefix = "\(member.device)."
            ownRecords = try store.fetch(FetchRequest(Self.items)).filter { record in
                if case .text(let text) = record[member.field] {
                    text.hasPrefix(prefix)
                } else {
                    false
                }
            }.map(\.name)
        }

        private static func openOrCreate(
            _ folder: String, _ space: SpaceID, _ name: String
        ) throws(StoreFault) -> Store {
            let environment = SystemEnvironment.environment()
            do throws(StoreFault) {
                return try Store.open(folder: folder, schema: schema, environment: environment)
            } catch .noStore {
                return try Store.create(
                    folder: folder, schema: schema, space: space, deviceName: name,
                    environment: environment)
            }
        }

        // MARK: Sessions

        /// Whether a session is going on or is being tried.
        var isCalling: Bool { caller != nil }

        /// Begins a session with a relay; `after` is called once it is over and nothing is left of it.
        func call(_ relay: RelayAddress, isLive: Bool, after: @escaping () -> Void) {
            callNumber += 1
            next = after
            let number = callNumber
            let security = SyncSecurity(certificate: certificate) { $0 == relay.fingerprint }
            let caller = Reconnector(
                .relay(relay, relayMember), of: runner, isLive: isLive, security: security)
            self.caller = caller
            var wasCaughtUp = false
            caller.changed = { [unowned self, unowned caller] in
                guard number == callNumber, !wasCaughtUp, caller.report.isCaughtUp else { return }
                wasCaughtUp = true
                caughtUp()
            }
            caller.ended = { [unowned self, unowned caller] result in
                guard number == callNumber else { return }
                ended(result, caller.report)
                over()
            }
            caller.retry()
        }

        /// Ends the session in order; it may take as long as a session may wait for a relay.
        func hangUp() {
            guard let caller else { return }
            caller.stop()
            if caller.isActive { runner.drain() } else { over() }
        }

        /// The session's own objects are on the stack now: what follows comes later.
        private func over() {
            callNumber += 1
            loop.schedule(after: .zero) { [self] in
                caller = nil
                let after = next
                next = {}
                after()
            }
        }

        // MARK: Writes

        /// Writes something by chance; it is acknowledged when this returns.
        func write(_ chance: inout CrowdChance, _ log: WriteLog) throws {
            switch Int.random(in: 0..<100, using: &chance) {
            case 0..<3: try insert(30, log)
            case 3..<40: try insert(1, log)
            case 40..<45 where ownRecords.count > 10: try delete(&chance, log)
            case let draw:
                let count = try store.count(FetchRequest(Self.items))
                guard count > 0 else { return try insert(1, log) }
                let offset = Int.random(in: 0..<count, using: &chance)
                let found = try store.fetch(FetchRequest(Self.items, limit: 1, offset: offset))
                guard let record = found.first?.name else { return }
                try update(record, draw < 85 ? .own : .shared, log)
            }
        }

        private func insert(_ count: Int, _ log: WriteLog) throws {
            let writes = (0..<count).map { _ in
                (
                    kind: WriteLog.Kind.insert,
                    record: RecordName(Self.items, RecordID(value: drawID())),
                    number: nextNumber()
                )
            }
            log.begin(member.device, writes)
            try store.write { transaction in
                for write in writes {
                    let text = Value.text("\(member.device).\(write.number)")
                    try transaction.insert(
                        [
                            Assignment(.number(Self.sharedField), text),
                            Assignment(.number(member.field), text),
                        ], into: Self.items, id: write.record.id)
                }
            }
            log.end(member.device, writes)
            ownRecords += writes.map(\.record)
            runner.noticeChanges()
        }

        private func update(_ record: RecordName, _ kind: WriteLog.Kind, _ log: WriteLog) throws {
            let number = nextNumber()
            log.begin(member.device, [(kind, record, number)])
            try store.write { transaction in
                try transaction.update(
                    record,
                    [
                        Assignment(
                            .number(kind == .own ? member.field : Self.sharedField),
                            .text("\(member.device).\(number)"))
                    ])
            }
            log.end(member.device, [(kind, record, number)])
            runner.noticeChanges()
        }

        private func delete(_ chance: inout CrowdChance, _ log: WriteLog) throws {
            let index = Int.random(in: 0..<ownRecords.count, using: &chance)
            let record = ownRecords.remove(at: index)
            let number = nextNumber()
            log.begin(member.device, [(.delete, record, number)])
            try store.write { transaction in _ = try transaction.delete(record) }
            log.end(member.device, [(.delete, record, number)])
            runner.noticeChanges()
        }

        private func nextNumber() -> Int {
            number += 1
            return number
        }

        private func drawID() -> UInt128 {
            UInt128(SystemEnvironment.random()) << 64 | UInt128(SystemEnvironment.random())
        }

        // MARK: Looking

        /// Lines that are the same on all devices that have the same: a record's id, its state, and its fields.
        func lines() throws -> [String] {
            try store.fetch(FetchRequest(Self.items, scope: .all)).map { record in
                let state =
                    switch record.standing {
                    case .live: "live"
                    case .trashed: "trash"
                    case .purged, .editedAfterPurge: "purged"
                    }
                let fields = ([Self.sharedField] + Self.ownFields).compactMap { field -> String? in
                    guard case .text(let text) = record[field] else { return nil }
                    return "\(field)=\(text)"
                }
                return ([record.id.hexadecimal, state] + fields).joined(separator: " ")
            }.sorted()
        }

        /// A number that differs with what `lines` gives.
        func digest() throws -> UInt64 {
            var digest: UInt64 = 0xcbf2_9ce4_8422_2325
            for line in try lines() {
                for byte in line.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
                digest = (digest ^ 0x0a) &* 0x100_0000_01b3
            }
            return digest
        }

        func close() {
            runner.stop()
            store.close()
        }
    }
#endif
