import Core
import Session
import Storage

/// The group commit: what devices uploaded since the last one, one transaction for each space.
extension RelayNode {
    /// What a commit did for one conversation.
    private struct Receipt {
        var itemCount = 0
        var byteCount = 0
        var own: [ClosedRange<UInt64>] = []
        var notice: UInt64?

        mutating func add(_ sequence: UInt64) {
            if let last = own.last, last.upperBound + 1 == sequence {
                own[own.count - 1] = last.lowerBound...sequence
            } else {
                own.append(sequence...sequence)
            }
        }
    }

    /// What a commit of one space did.
    private struct Batch {
        var receipts: [RelaySessionID: Receipt] = [:]
        var refusals: [RelaySessionID: RelayRefusal] = [:]
        /// What is new, by arrival number; what was replaced within the same commit is not in it.
        var fresh: [(sequence: UInt64, change: Change)] = []
        var replaced: Set<UInt64> = []
    }

    /// Commits all spaces for which something waits.
    func commitAll(now: Instant) {
        drainQueue(now: now)
        let ids = waiting
        waiting = []
        for id in ids {
            guard let space = spaces[id] else { continue }
            commit(space)
            drainQueue(now: now)
        }
    }

    private func commit(_ space: RelaySpace) {
        let items = space.queue
        space.queue = []
        queuedByteCount -= items.reduce(0) { $0 + $1.item.byteCount }
        do throws(StoreFault) {
            guard let store = try opened(space) else { return }
            let before = store.sequence
            let flushCount = store.flushCount
            let batch = try store.transact { () throws(StoreFault) in
                try keep(items, in: store)
            }
            statistics.commitCount += 1
            statistics.flushCount += store.flushCount - flushCount
            count(store)
            share(batch, after: before, in: space, store)
            tell(batch, of: space, isChanged: store.sequence > before)
        } catch {
            fail(items, of: space, error)
        }
        forgetIfIdle(space)
    }

    /// Nothing of these items was kept; who only reads goes on if the file can still be read.
    private func fail(_ items: [RelaySpace.Queued], of space: RelaySpace, _ fault: StoreFault) {
        switch fault {
        case .diskFull, .busy, .readOnly:
            note(.spaceFailed(space.id, fault))
            for id in Set(items.map(\.session)).sorted() {
                add(id, .refused(.store(fault, space.id)))
            }
        default: fail(space, fault)
        }
    }

    private func keep(
        _ items: [RelaySpace.Queued], in store: RelayStore
    ) throws(StoreFault) -> Batch {
        var batch = Batch()
        for queued in items where batch.refusals[queued.session] == nil {
            var receipt = batch.receipts[queued.session] ?? Receipt()
            let refusal: RelayRefusal?
            switch queued.item {
            case .changes(let changes):
                refusal = try keep(changes, of: queued.replica, in: store, &receipt, &batch)
            case .upload(let upload):
                refusal = try keep(upload, of: queued.replica, in: store, &receipt)
            case .letter(let letter):
                // One for which there is no room is missed by those for whom it is, and by nobody else.
                _ = try store.putLetter(letter, limits: options.limits)
                continue
            }
            if refusal == nil {
                receipt.itemCount += 1
                receipt.byteCount += queued.item.byteCount
            }
            batch.refusals[queued.session] = refusal
            batch.receipts[queued.session] = receipt
        }
        return batch
    }

    private func keep(
        _ changes: ChangeBatch, of replica: ReplicaID, in store: RelayStore,
        _ receipt: inout Receipt, _ batch: inout Batch
    ) throws(StoreFault) -> RelayRefusal? {
        let limits = options.limits
        for change in changes.changes {
            switch try store.put(change, limits: limits) {
            case .covered: continue
            case .kept(let sequence, let replaced):
                statistics.keptChangeCount += 1
                receipt.add(sequence)
                batch.fresh.append((sequence, change))
                batch.replaced.formUnion(replaced)
            case .refused(.bytes): return .bytes(store.space, max: limits.spaceByteCountMax)
            case .refused(.records): return .records(store.space, max: limits.spaceRecordCountMax)
            case .refused(.versions):
                return .versions(store.space, max: limits.recordVersionCountMax)
            }
        }
        if let through = changes.through {
            try store.noteUploaded(through, by: replica, limits: limits)
        }
        return nil
    }

    private func keep(
        _ upload: Upload, of replica: ReplicaID, in store: RelayStore, _ receipt: inout Receipt
    ) throws(StoreFault) -> RelayRefusal? {
        let limits = options.limits
        guard let sequence = try store.putNotice(upload.statement, of: replica, limits: limits)
        else { return .bytes(store.space, max: limits.spaceByteCountMax) }
        receipt.add(sequence)
        receipt.notice = sequence
        try store.noteUploaded(upload.through, by: replica, limits: limits)
        return nil
    }

    /// What is new is kept ready for the subscribers, if it goes into one batch.
    private func share(
        _ batch: Batch, after start: UInt64, in space: RelaySpace, _ store: RelayStore
    ) {
        guard store.sequence > start else { return }
        space.forgetShared(reaching: start)
        guard space.sessions.count > 1 else { return }
        var reading = RelayStore.Reading(through: store.sequence, isEnd: true)
        var byteCount = 0
        var replicas: Set<ReplicaID> = []
        for (sequence, change) in batch.fresh where !batch.replaced.contains(sequence) {
            byteCount += change.body.count + change.clock.entries.count * 8 + 32
            for entry in change.clock.entries { replicas.insert(entry.replica) }
            reading.changes.append(change)
            guard byteCount <= options.limits.batchByteCountMax,
                replicas.count <= WireLimits.replicaCountMax,
                reading.changes.count <= WireLimits.changesPerBatchMax
            else { return }
        }
        space.share(reading, after: start, epoch: store.epoch)
    }

    private func tell(_ batch: Batch, of space: RelaySpace, isChanged: Bool) {
        for id in space.sessions {
            if let receipt = batch.receipts[id] {
                add(
                    id,
                    .committed(
                        itemCount: receipt.itemCount, byteCount: receipt.byteCount,
                        own: receipt.own, notice: receipt.notice))
            } else if isChanged {
                add(id, .storeChanged)
            }
            if let refusal = batch.refusals[id] { add(id, .refused(refusal)) }
        }
    }
}
