import Core
import Relay
import Session
import Storage

/// The rows of one space in a simulated database, as they are after some of its transactions.
struct DatabaseSpace {
    /// The row of the space itself: whoever writes holds its lock to the end of the transaction.
    struct Head: Hashable {
        /// The id of the store of this space and generation.
        var relay: ReplicaID
        /// The generation of the space's secret; 0 without encryption.
        var generation: UInt32
        /// The key that devices prove to have; empty without encryption.
        var verifier: [UInt8]
        /// The last arrival number given.
        var sequence: UInt64 = 0
        /// The bytes of all versions, summary rows and rekey messages.
        var byteCount = 0
        /// How many records there are.
        var recordCount = 0
        /// How many versions there are.
        var versionCount = 0
        /// Which opening of a store began the last epoch.
        var opening = 0
        /// The server, in the state in which it was started, at that time.
        var origin = 0

        /// A space that was just made.
        init(relay: ReplicaID, generation: UInt32, verifier: [UInt8]) {
            self.relay = relay
            self.generation = generation
            self.verifier = verifier
        }
    }

    /// A version with its arrival number.
    struct Version {
        let sequence: UInt64
        let change: Change
        /// The arrival number under which it was said to be unreadable; nil if never.
        var unreadable: UInt64?
    }

    /// How far a device has uploaded, and the last arrival number then.
    typealias Uploaded = (checkpoint: Checkpoint, arrival: UInt64)

    var head: Head
    /// The versions, by arrival number.
    private(set) var versions: [Version] = []
    /// The summary rows, by arrival number.
    private(set) var rows: [RelayRows.Numbered] = []
    private(set) var uploaded: [ReplicaID: Uploaded] = [:]
    /// The rekey messages, oldest first.
    private(set) var rekeyMessages: [RekeyMessage] = []
    /// The devices that were let in since the present generation began.
    private(set) var devices: [[UInt8]: RelayDevice] = [:]
    /// The epochs, oldest first.
    private(set) var epochs: [RelayEpoch] = []

    /// A space without rows but its own.
    init(_ head: Head) {
        self.head = head
    }

    // MARK: Rows

    /// A change of rows, as a transaction has made it.
    enum Row {
        /// The row of the space has grown by so much; its last number and its last epoch are these.
        case grown(byteCount: Int, recordCount: Int, versionCount: Int, Head)
        /// A version came.
        case version(UInt64, Change)
        /// Versions are gone.
        case dropped([UInt64])
        /// A version is said to be unreadable, under an arrival number.
        case unreadable(UInt64, under: UInt64)
        /// A summary row came in place of the one with its key.
        case summary(RelayRows.Numbered)
        /// A device has uploaded so far; of more devices than `countMax` one is forgotten.
        case uploaded(ReplicaID, Checkpoint, arrival: UInt64, countMax: Int)
        /// A rekey message came in place of the one for the same devices.
        case rekeyMessage(RekeyMessage)
        /// Rekey messages for these devices are gone.
        case droppedRekeyMessage(verifier: [UInt8])
        /// A device was let in; of more devices than `countMax` one is forgotten.
        case device(RelayDevice, countMax: Int)
        /// An epoch was begun.
        case epoch(RelayEpoch)
    }

    /// Makes a change.
    mutating func apply(_ row: Row) {
        switch row {
        case .grown(let byteCount, let recordCount, let versionCount, let after):
            head.byteCount += byteCount
            head.recordCount += recordCount
            head.versionCount += versionCount
            head.sequence = max(head.sequence, after.sequence)
            (head.opening, head.origin) = (after.opening, after.origin)
        case .version(let sequence, let change):
            let index = versions.firstIndex { $0.sequence > sequence } ?? versions.count
            versions.insert(Version(sequence: sequence, change: change), at: index)
        case .dropped(let sequences): versions.removeAll { sequences.contains($0.sequence) }
        case .unreadable(let sequence, let number):
            guard let index = versions.firstIndex(where: { $0.sequence == sequence }) else {
                return
            }
            versions[index].unreadable = number
        case .summary(let numbered):
            rows.removeAll { $0.row.key == numbered.row.key }
            let index = rows.firstIndex { $0.sequence > numbered.sequence } ?? rows.count
            rows.insert(numbered, at: index)
        case .uploaded(let replica, let checkpoint, let arrival, let countMax):
            uploaded[replica] = (checkpoint, arrival)
            guard uploaded.count > countMax,
                let oldest = uploaded.min(by: {
                    ($0.value.arrival, $0.key) < ($1.value.arrival, $1.key)
                })
            else { return }
            uploaded[oldest.key] = nil
        case .rekeyMessage(let message):
            rekeyMessages.removeAll { $0.verifier == message.verifier }
            rekeyMessages.append(message)
        case .droppedRekeyMessage(let verifier):
            rekeyMessages.removeAll { $0.verifier == verifier }
        case .device(let device, let countMax):
            devices[device.fingerprint] = device
            while devices.count > countMax,
                let oldest = devices.values.filter({ $0.fingerprint != device.fingerprint })
                    .min(by: RelayDevice.isForgottenBefore)
            {
                devices[oldest.fingerprint] = nil
            }
        case .epoch(let epoch): epochs = Array((epochs + [epoch]).suffix(RelayEpoch.countMax))
        }
    }

    // MARK: A look

    /// The epoch of the last write.
    var epoch: EpochID { epochs.last?.id ?? EpochID(value: 3) }

    /// The name of the state, for conversations.
    func key(of space: SpaceID, at origin: Int) -> RelaySpaceKey {
        RelaySpaceKey(space: space, relay: head.relay, history: origin)
    }

    /// The space without its contents.
    func relayHead(of space: SpaceID, at origin: Int) -> RelaySpaceHead {
        RelaySpaceHead(
            key: key(of: space, at: origin), generation: head.generation, verifier: head.verifier,
            epoch: epoch, sequence: head.sequence, byteCount: head.byteCount,
            recordCount: head.recordCount, versionCount: head.versionCount,
            rekeyMessageMarks: rekeyMessages.map(\.mark))
    }

    /// The findings of a count of all rows.
    var findings: [RelayFinding] {
        var found: [RelayFinding] = []
        let numbers =
            versions.map(\.sequence) + versions.compactMap(\.unreadable) + rows.map(\.sequence)
        var given: Set<UInt64> = []
        for number in numbers where !given.insert(number).inserted {
            found.append(.sharedNumber(number))
        }
        if let last = numbers.max(), last > head.sequence {
            found.append(.numberBeyondLast(last, last: head.sequence))
        }
        let byteCount =
            versions.reduce(0) { $0 + RelayQuota.byteCount(of: $1.change) }
            + rows.reduce(0) { $0 + RelayQuota.byteCount(ofRow: $1.row.bytes.count) }
            + rekeyMessages.reduce(0) {
                $0 + RelayQuota.byteCount(ofRekeyMessage: $1.bytes.count)
            }
        let counted = RelayFinding.Sums(
            byteCount: byteCount, versionCount: versions.count,
            recordCount: Set(versions.map(\.change.name)).count)
        let kept = RelayFinding.Sums(
            byteCount: head.byteCount, versionCount: head.versionCount,
            recordCount: head.recordCount)
        if counted != kept { found.append(.sums(counted: counted, kept: kept)) }
        return found
    }

    // MARK: Reading

    /// Reads for a device.
    func read(_ request: RelayReadRequest, _ limits: RelayLimits) -> RelayReading {
        var reading = RelayReading(epoch: epoch, through: request.start)
        var isCut = readVersions(request, limits, into: &reading)
        let noted = versions.compactMap { version in
            version.unreadable.map { (number: $0, mark: VersionMark(of: version.change)) }
        }.sorted { $0.number < $1.number }.filter { noted in
            noted.number > request.start && noted.number <= reading.through
                && !request.own.contains { $0.contains(noted.number) }
        }
        reading.unreadable = noted.prefix(WireLimits.unreadableCountMax).map(\.mark)
        if noted.count > reading.unreadable.count {
            let through = noted[reading.unreadable.count - 1].number
            reading.through = through
            let late = versions.filter { $0.sequence > through }.map(\.change)
            reading.changes.removeAll { late.contains($0) }
            isCut = true
        }
        if isCut { return reading }
        reading.isEnd = true
        if request.rowsKnownThrough == head.sequence { return reading }
        var found = RelayRows(sum: rows.reduce(0) { $0 &+ $1.row.hash })
        for row in rows where row.sequence > request.rowsAfter {
            guard found.add(row) else { break }
        }
        reading.rows = found
        return reading
    }

    /// Whether more versions are left than fit.
    private func readVersions(
        _ request: RelayReadRequest, _ limits: RelayLimits, into reading: inout RelayReading
    ) -> Bool {
        var bound = RelayBatchBound(byteCountMax: limits.batchByteCountMax)
        for version in versions where version.sequence > request.start {
            if request.own.contains(where: { $0.contains(version.sequence) }) { continue }
            guard !bound.isFull, bound.add(version.change) else { return true }
            reading.changes.append(version.change)
            reading.through = version.sequence
        }
        reading.through = head.sequence
        return false
    }
}
