import Core
import Storage

/// An item that a device sent and that waits for the next commit.
package enum RelayUploadItem: Sendable {
    /// Versions of records.
    case changes(ChangeBatch)
    /// The end of an upload, with summary rows.
    case uploadDone(UploadDone)
    /// Versions that the device could not open.
    case unreadable([VersionMark])
    /// Is not acknowledged: what is sent behind it is, and both are committed together.
    case rekeyMessage(RekeyMessage)

    /// The bytes that wait.
    var byteCount: Int {
        switch self {
        case .changes(let batch): batch.changes.reduce(0) { $0 + $1.heldByteCount }
        case .uploadDone(let upload): upload.rows.reduce(0) { $0 + $1.bytes.count }
        case .unreadable(let marks): marks.count * MemoryLayout<VersionMark>.size
        case .rekeyMessage(let rekeyMessage): rekeyMessage.bytes.count
        }
    }
}

/// An item with its sender.
package struct RelayUpload: Sendable {
    /// The conversation over which it came.
    package let sender: RelayServerSessionID
    /// The replica that sent it.
    package let replica: ReplicaID
    /// The item.
    package let item: RelayUploadItem

    /// An item.
    package init(sender: RelayServerSessionID, replica: ReplicaID, item: RelayUploadItem) {
        self.sender = sender
        self.replica = replica
        self.item = item
    }
}

/// The result of a commit for one conversation.
package struct RelayReceipt: Hashable, Sendable {
    /// The items that are kept, without rekey messages.
    package var itemCount = 0
    /// Their bytes.
    package var byteCount = 0
    /// The arrival numbers that they got, in order.
    package var own: [ClosedRange<UInt64>] = []
    /// The versions that the device could not open and that are here.
    package var unreadable: [VersionMark] = []
    /// The versions that the device could not open and that are not here.
    package var unknown: [VersionMark] = []

    mutating func add(_ sequence: UInt64) {
        if let last = own.last, last.upperBound + 1 == sequence {
            own[own.count - 1] = last.lowerBound...sequence
        } else {
            own.append(sequence...sequence)
        }
    }
}

/// The result of a commit of one space.
package struct RelayCommit: Sendable {
    /// A version with its arrival number.
    package struct Numbered: Hashable, Sendable {
        /// The arrival number.
        package let sequence: UInt64
        /// The version.
        package let change: Change
    }

    /// The last arrival number before it.
    package let start: UInt64
    /// The last arrival number after it.
    package private(set) var through: UInt64
    /// The epoch after it.
    package private(set) var epoch: EpochID
    /// The results, by conversation.
    package private(set) var receipts: [RelayServerSessionID: RelayReceipt] = [:]
    /// The quotas that stood against conversations.
    package private(set) var quotas: [RelayServerSessionID: RelayQuota] = [:]
    /// The bytes by which the uploads of conversations made the space grow, as its quota counts them: what one takes the
    /// place of does not count, nor what was there already.
    package private(set) var grownByteCounts: [RelayServerSessionID: Int] = [:]
    /// The new versions, by arrival number.
    package private(set) var kept: [Numbered] = []
    /// The versions of which a device first said that it could not open them, by arrival number.
    package private(set) var unreadable: [VersionMark] = []
    /// Arrival numbers of versions that were replaced, also by later ones of the same commit.
    package private(set) var replaced: Set<UInt64> = []

    /// The new versions that are still there at its end, by arrival number.
    package var fresh: [Change] {
        kept.compactMap { replaced.contains($0.sequence) ? nil : $0.change }
    }

    /// Keeps uploads in their order; inside of a transaction.
    package init(
        _ uploads: [RelayUpload], in transaction: some RelayTransaction, limits: RelayLimits
    ) throws(StoreFault) {
        start = transaction.sequence
        through = start
        epoch = transaction.epoch
        for upload in uploads where quotas[upload.sender] == nil {
            let byteCount = transaction.byteCount
            defer {
                grownByteCounts[upload.sender, default: 0] += max(
                    0, transaction.byteCount - byteCount)
            }
            var receipt = receipts[upload.sender] ?? RelayReceipt()
            let quota: RelayQuota?
            switch upload.item {
            case .changes(let batch):
                quota = try keep(batch, of: upload.replica, in: transaction, limits, &receipt)
            case .uploadDone(let end):
                quota = try keep(end, of: upload.replica, in: transaction, limits, &receipt)
            case .unreadable(let marks):
                try note(marks, in: transaction, &receipt)
                quota = nil
            case .rekeyMessage(let rekeyMessage):
                // One for which there is no room is missed by those for whom it is, and by nobody else.
                _ = try transaction.putRekeyMessage(rekeyMessage, limits: limits)
                continue
            }
            if quota == nil {
                receipt.itemCount += 1
                receipt.byteCount += upload.item.byteCount
            }
            quotas[upload.sender] = quota
            receipts[upload.sender] = receipt
        }
        through = transaction.sequence
        epoch = transaction.epoch
    }

    private mutating func keep(
        _ batch: ChangeBatch, of replica: ReplicaID, in transaction: some RelayTransaction,
        _ limits: RelayLimits, _ receipt: inout RelayReceipt
    ) throws(StoreFault) -> RelayQuota? {
        for change in batch.changes {
            switch try transaction.put(change, limits: limits) {
            case .covered: continue
            case .kept(let sequence, let gone):
                receipt.add(sequence)
                kept.append(Numbered(sequence: sequence, change: change))
                replaced.formUnion(gone)
            case .refused(let quota): return quota
            }
        }
        if let through = batch.through {
            try transaction.noteUploaded(through, by: replica, limits: limits)
        }
        return nil
    }

    private mutating func note(
        _ marks: [VersionMark], in transaction: some RelayTransaction,
        _ receipt: inout RelayReceipt
    ) throws(StoreFault) {
        let outcomes = try transaction.noteUnreadable(marks)
        for (mark, outcome) in zip(marks, outcomes) {
            switch outcome {
            case .noted(let sequence):
                receipt.add(sequence)
                receipt.unreadable.append(mark)
                unreadable.append(mark)
            case .known: receipt.unreadable.append(mark)
            case .absent: receipt.unknown.append(mark)
            }
        }
    }

    private mutating func keep(
        _ upload: UploadDone, of replica: ReplicaID, in transaction: some RelayTransaction,
        _ limits: RelayLimits, _ receipt: inout RelayReceipt
    ) throws(StoreFault) -> RelayQuota? {
        for row in upload.rows {
            switch try transaction.put(row, limits: limits) {
            case .covered: continue
            case .kept(let sequence, _): receipt.add(sequence)
            case .refused(let quota): return quota
            }
        }
        try transaction.noteUploaded(upload.through, by: replica, limits: limits)
        return nil
    }
}

/// An open transaction of one space, for stores that keep uploads one by one.
package protocol RelayTransaction: AnyObject {
    /// The last arrival number given.
    var sequence: UInt64 { get }
    /// The epoch of the last write.
    var epoch: EpochID { get }
    /// The bytes of the space, as its quota counts them.
    var byteCount: Int { get }

    /// Keeps a version, unless one that is here covers it.
    func put(_ change: Change, limits: RelayLimits) throws(StoreFault) -> RelayPutOutcome

    /// Remembers of versions that a device could not open them; the first time this takes an arrival number, under
    /// which the other devices hear of it. If the version has another mark by then, as it was damaged meanwhile, it
    /// takes one again.
    ///
    /// - Parameter marks: those of one record together.
    /// - Returns: an outcome for each mark.
    func noteUnreadable(_ marks: [VersionMark]) throws(StoreFault) -> [RelayNoteOutcome]

    /// Remembers how far into its own sequence a device has uploaded; of more than `spaceReplicaCountMax` devices
    /// the one that was remembered at the lowest arrival number is forgotten.
    func noteUploaded(
        _ checkpoint: Checkpoint, by replica: ReplicaID, limits: RelayLimits
    ) throws(StoreFault)

    /// Keeps a summary row in place of the one with its key, unless that has a higher number, or is the same.
    func put(_ row: SummaryRow, limits: RelayLimits) throws(StoreFault) -> RelayPutOutcome

    /// Keeps a rekey message in place of the one for the same devices.
    ///
    /// Of more than `WireLimits.rekeyMessageCountMax` those of the oldest generations go.
    ///
    /// - Returns: whether it is here now: not if it is for devices with the present secret or a later one, or if the
    ///   space may not have so many bytes.
    func putRekeyMessage(
        _ rekeyMessage: RekeyMessage, limits: RelayLimits
    ) throws(StoreFault) -> Bool
}

/// The outcome of noting that a version could not be opened.
package enum RelayNoteOutcome: Hashable, Sendable {
    /// It is noted from now on, under the arrival number.
    case noted(UInt64)
    /// It was noted before.
    case known
    /// There is no such version.
    case absent
}

/// The outcome of putting a version or a summary row.
package enum RelayPutOutcome: Hashable, Sendable {
    /// It has the arrival number; what it covers is gone, in the case of versions with these numbers.
    case kept(UInt64, replaced: [UInt64])
    /// One that is here covers it.
    case covered
    /// A quota stands against it; nothing was changed.
    case refused(RelayQuota)
}
