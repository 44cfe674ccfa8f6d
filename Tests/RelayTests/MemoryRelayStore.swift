import Core
import Relay
import RelayTestSupport
import Storage
import Testing

@Suite("The store of a relay in memory")
struct MemoryRelayStoreTests {
    @Test("it keeps each law of a relay's store", arguments: RelayStoreLaw.all)
    func laws(law: RelayStoreLaw) throws {
        let disk = MemoryRelayDisk()
        var bits: UInt64 = 0
        try law.check { limits in
            MemoryRelayStore(on: disk, limits: limits) {
                bits += 0x9e37_79b9_7f4a_7c15 & 0xffff_ffff
                return bits << 8
            }
        }
    }
}

/// The data that survives when a store in memory is opened again.
final class MemoryRelayDisk {
    fileprivate var spaces: [SpaceID: MemoryRelaySpace] = [:]
    /// Counts the times at which it lost everything: each begins another course of events.
    fileprivate var history = 0
}

/// A relay's store that is no more than arrays: it shows that the protocol asks for nothing that only files have.
final class MemoryRelayStore: SynchronousRelayStore {
    var limits: RelayLimits
    private let disk: MemoryRelayDisk
    private let drawBits: () -> UInt64

    init(on disk: MemoryRelayDisk, limits: RelayLimits, drawBits: @escaping () -> UInt64) {
        self.disk = disk
        self.limits = limits
        self.drawBits = drawBits
        // An opening begins an epoch with its first write.
        for space in disk.spaces.values { space.beginsEpoch = drawBits }
    }

    var totals: RelayStoreTotals {
        var totals = RelayStoreTotals()
        totals.spaceCount = disk.spaces.count
        totals.openSpaceCount = disk.spaces.count
        for space in disk.spaces.values {
            totals.byteCount += space.byteCount
            totals.versionCount += space.versions.count
            totals.recordCount += space.recordCount
        }
        return totals
    }

    func admit(
        _ relayHello: RelayHello, from visitor: RelayVisitor?,
        _ decide: (RelaySpaceHead?, _ otherSpaceCount: Int) -> RelayDecision
    ) throws(StoreFault) -> RelayAdmission {
        let found = disk.spaces[relayHello.space]
        let otherCount = disk.spaces.count - (found == nil ? 0 : 1)
        let known = visitor.flatMap { found?.devices[$0.fingerprint] }
        var head = found?.head
        head?.isVisitorKnown = known != nil
        func remember() {
            if let visitor { disk.spaces[relayHello.space]?.remember(visitor, limits) }
        }
        switch decide(head, otherCount) {
        case .refuse(let rejection):
            let rekeyMessage = found?.rekeyMessages.first {
                $0.verifier == rejection.rekeyMessageVerifier
            }
            return .refused(rejection, rekeyMessage)
        case .enter:
            remember()
            return .entered(entry(.found, relayHello, disk.spaces[relayHello.space]))
        case .make(let generation, let verifier):
            make(relayHello.space, generation, verifier, rekeyMessages: [])
            remember()
            return .entered(entry(.made, relayHello, disk.spaces[relayHello.space]))
        case .begin(let generation, let verifier):
            let old = found?.generation ?? 0
            make(relayHello.space, generation, verifier, rekeyMessages: found?.rekeyMessages ?? [])
            remember()
            return .entered(entry(.begun(after: old), relayHello, disk.spaces[relayHello.space]))
        }
    }

    /// All is gone, as from a database in the place of which another one was put.
    func empty() {
        disk.spaces = [:]
        disk.history += 1
    }

    private func make(
        _ id: SpaceID, _ generation: UInt32, _ verifier: [UInt8], rekeyMessages: [RekeyMessage]
    ) {
        let relay = ReplicaID(value: UInt128(drawBits()) << 64 | UInt128(drawBits()))
        let space = MemoryRelaySpace(
            RelaySpaceKey(space: id, relay: relay, history: disk.history), generation, verifier,
            rekeyMessages)
        space.beginsEpoch = drawBits
        space.beginEpochIfDue()
        disk.spaces[id] = space
    }

    private func entry(
        _ cause: RelayEntry.Cause, _ relayHello: RelayHello, _ space: MemoryRelaySpace?
    ) -> RelayEntry {
        guard let space else { preconditionFailure("only a space that is there is entered") }
        return RelayEntry(
            cause: cause, head: space.head,
            uploaded: space.uploaded[relayHello.replica]?.checkpoint,
            start: RelayEpoch.start(
                of: relayHello.read, relay: space.key.relay, in: space.epochs,
                through: space.sequence))
    }

    private func space(_ key: RelaySpaceKey) throws(RelayStoreFault) -> MemoryRelaySpace {
        guard let space = disk.spaces[key.space], space.key == key else { throw .replaced }
        return space
    }

    func commit(
        _ uploads: [RelayUpload], to key: RelaySpaceKey
    ) throws(RelayStoreFault) -> RelayCommit {
        let space = try space(key)
        do throws(StoreFault) {
            return try RelayCommit(uploads, in: space, limits: limits)
        } catch {
            throw .failed(error)
        }
    }

    func read(
        _ request: RelayReadRequest, of key: RelaySpaceKey
    ) throws(RelayStoreFault) -> RelayReading {
        try space(key).read(request, limits)
    }

    func forget(_ space: SpaceID) {}
    func close() {}

    func head(of space: SpaceID) throws(StoreFault) -> RelaySpaceHead? { disk.spaces[space]?.head }

    func versions(of record: RecordName, in space: SpaceID) throws(StoreFault) -> [Change] {
        disk.spaces[space]?.versions.map(\.change).filter { $0.name == record } ?? []
    }

    func rows(of replica: ReplicaID, in space: SpaceID) throws(StoreFault) -> [SummaryRow] {
        let rows = disk.spaces[space]?.rows.map(\.row) ?? []
        return rows.filter { $0.key.replica == replica }.sorted { $0.key < $1.key }
    }

    func devices(of space: SpaceID) throws(StoreFault) -> [RelayDevice] {
        let devices = disk.spaces[space]?.devices.values.map { $0 } ?? []
        return devices.sorted {
            $0.fingerprint.lexicographicallyPrecedes($1.fingerprint)
        }
    }

    func examine(_ space: SpaceID) throws(StoreFault) -> [RelayFinding] { [] }
}

/// One space in memory; no transaction of it fails, so none is undone.
private final class MemoryRelaySpace: RelayTransaction {
    let key: RelaySpaceKey
    let generation: UInt32
    let verifier: [UInt8]
    private(set) var sequence: UInt64 = 0
    private(set) var epochs: [RelayEpoch] = []
    private(set) var versions: [(sequence: UInt64, change: Change, unreadable: UInt64?)] = []
    private(set) var rows: [RelayRows.Numbered] = []
    private(set) var uploaded: [ReplicaID: (checkpoint: Checkpoint, at: UInt64)] = [:]
    private(set) var rekeyMessages: [RekeyMessage]
    /// The chance for the epoch that the next write begins; nil once it was begun.
    var beginsEpoch: (() -> UInt64)?

    init(
        _ key: RelaySpaceKey, _ generation: UInt32, _ verifier: [UInt8],
        _ rekeyMessages: [RekeyMessage]
    ) {
        self.key = key
        self.generation = generation
        self.verifier = verifier
        self.rekeyMessages = rekeyMessages
    }

    private(set) var devices: [[UInt8]: RelayDevice] = [:]

    func remember(_ visitor: RelayVisitor, _ limits: RelayLimits) {
        let known = devices[visitor.fingerprint]
        devices[visitor.fingerprint] = RelayDevice(
            fingerprint: visitor.fingerprint, firstDay: known?.firstDay ?? visitor.day,
            lastDay: max(known?.lastDay ?? visitor.day, visitor.day))
        while devices.count > limits.spaceDeviceCountMax,
            let oldest = devices.values.filter({ $0.fingerprint != visitor.fingerprint })
                .min(by: RelayDevice.isForgottenBefore)
        {
            devices[oldest.fingerprint] = nil
        }
    }

    var epoch: EpochID { epochs.last?.id ?? EpochID(value: 3) }
    var recordCount: Int { Set(versions.map(\.change.name)).count }

    var byteCount: Int {
        versions.reduce(0) { $0 + RelayQuota.byteCount(of: $1.change) }
            + rows.reduce(0) { $0 + RelayQuota.byteCount(ofRow: $1.row.bytes.count) }
            + rekeyMessages.reduce(0) { $0 + RelayQuota.byteCount(ofRekeyMessage: $1.bytes.count) }
    }

    var head: RelaySpaceHead {
        RelaySpaceHead(
            key: key, generation: generation, verifier: verifier, epoch: epoch,
            sequence: sequence, byteCount: byteCount, recordCount: recordCount,
            versionCount: versions.count, rekeyMessageMarks: rekeyMessages.map(\.mark))
    }

    func beginEpochIfDue() {
        guard let draw = beginsEpoch else { return }
        beginsEpoch = nil
        epochs.append(RelayEpoch(bits: draw(), firstSequence: sequence))
        epochs = Array(epochs.suffix(RelayEpoch.countMax))
    }

    private func next() -> UInt64 {
        beginEpochIfDue()
        sequence += 1
        return sequence
    }

    func put(_ change: Change, limits: RelayLimits) throws(StoreFault) -> RelayPutOutcome {
        let others = versions.filter { $0.change.name == change.name }
        let isCovered = others.contains {
            RelayCovering.replaces($0.change, change, isUnreadable: $0.unreadable != nil)
        }
        if isCovered { return .covered }
        let gone = others.filter { RelayCovering.replaces(change, $0.change) }
        var found = RelayQuota.Versions()
        found.count = others.count
        found.kindCount = others.count {
            $0.change.isDeferred == change.isDeferred && $0.unreadable == nil
        }
        found.replacedKindCount = gone.count {
            $0.change.isDeferred == change.isDeferred && $0.unreadable == nil
        }
        found.replacedCount = gone.count
        found.freedByteCount = gone.reduce(0) { $0 + RelayQuota.byteCount(of: $1.change) }
        let quota = RelayQuota.against(
            change, found, byteCount: byteCount, recordCount: recordCount, limits)
        if let quota { return .refused(quota) }
        let replaced = gone.map(\.sequence)
        versions.removeAll { replaced.contains($0.sequence) }
        let sequence = next()
        versions.append((sequence, change, nil))
        return .kept(sequence, replaced: replaced)
    }

    func noteUnreadable(_ marks: [VersionMark]) throws(StoreFault) -> [RelayNoteOutcome] {
        marks.map { note($0) }
    }

    private func note(_ mark: VersionMark) -> RelayNoteOutcome {
        let found = versions.indices.filter { VersionMark(of: versions[$0].change) == mark }
        guard let index = found.first(where: { versions[$0].unreadable == nil }) else {
            return found.isEmpty ? .absent : .known
        }
        let sequence = next()
        versions[index].unreadable = sequence
        return .noted(sequence)
    }

    func noteUploaded(
        _ checkpoint: Checkpoint, by replica: ReplicaID, limits: RelayLimits
    ) throws(StoreFault) {
        uploaded[replica] = (checkpoint, sequence)
        guard uploaded.count > limits.spaceReplicaCountMax,
            let oldest = uploaded.min(by: { ($0.value.at, $0.key) < ($1.value.at, $1.key) })
        else { return }
        uploaded[oldest.key] = nil
    }

    func put(_ row: SummaryRow, limits: RelayLimits) throws(StoreFault) -> RelayPutOutcome {
        let index = rows.firstIndex { $0.row.key == row.key }
        let known = index.map { rows[$0].row }
        if row.isCovered(by: known) { return .covered }
        let growth =
            RelayQuota.byteCount(ofRow: row.bytes.count)
            - (known.map { RelayQuota.byteCount(ofRow: $0.bytes.count) } ?? 0)
        if growth > 0, byteCount + growth > limits.spaceByteCountMax { return .refused(.bytes) }
        if let index { rows.remove(at: index) }
        let sequence = next()
        rows.append(RelayRows.Numbered(sequence: sequence, row: row))
        return .kept(sequence, replaced: [])
    }

    func putRekeyMessage(
        _ rekeyMessage: RekeyMessage, limits: RelayLimits
    ) throws(StoreFault) -> Bool {
        guard rekeyMessage.generation <= generation, generation > 0,
            rekeyMessage.verifier != verifier
        else {
            return false
        }
        if rekeyMessages.contains(rekeyMessage) { return true }
        let old = rekeyMessages.first { $0.verifier == rekeyMessage.verifier }
        let growth = rekeyMessage.bytes.count + 64 - (old.map { $0.bytes.count + 64 } ?? 0)
        if growth > 0, byteCount + growth > limits.spaceByteCountMax { return false }
        rekeyMessages.removeAll { $0.verifier == rekeyMessage.verifier }
        rekeyMessages.append(rekeyMessage)
        while rekeyMessages.count > WireLimits.rekeyMessageCountMax,
            let oldest = rekeyMessages.map(\.generation).min(),
            let index = rekeyMessages.firstIndex(where: { $0.generation == oldest })
        {
            rekeyMessages.remove(at: index)
        }
        return rekeyMessages.contains(rekeyMessage)
    }

    func read(_ request: RelayReadRequest, _ limits: RelayLimits) -> RelayReading {
        var reading = RelayReading(epoch: epoch, through: request.start)
        var bound = RelayBatchBound(byteCountMax: limits.batchByteCountMax)
        var isCut = false
        for (number, change, _) in versions where number > request.start {
            if request.own.contains(where: { $0.contains(number) }) { continue }
            guard !bound.isFull, bound.add(change) else {
                isCut = true
                break
            }
            reading.changes.append(change)
            reading.through = number
        }
        if !isCut { reading.through = sequence }
        let said = versions.compactMap { version in
            version.unreadable.map { (number: $0, mark: VersionMark(of: version.change)) }
        }.sorted { $0.number < $1.number }.filter { said in
            said.number > request.start && said.number <= reading.through
                && !request.own.contains { $0.contains(said.number) }
        }
        reading.unreadable = said.prefix(WireLimits.unreadableCountMax).map(\.mark)
        if said.count > reading.unreadable.count {
            reading.through = said[reading.unreadable.count - 1].number
            let number = Dictionary(
                uniqueKeysWithValues: versions.map { (VersionMark(of: $0.change), $0.sequence) })
            reading.changes.removeAll {
                number[VersionMark(of: $0)].map { $0 > reading.through } ?? true
            }
            isCut = true
        }
        if isCut { return reading }
        reading.isEnd = true
        if request.rowsKnownThrough == sequence { return reading }
        var found = RelayRows(sum: rows.reduce(0) { $0 &+ $1.row.hash })
        for row in rows where row.sequence > request.rowsAfter {
            guard found.add(row) else { break }
        }
        reading.rows = found
        return reading
    }
}
